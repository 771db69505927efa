"""The journal: one SQLite file that only ever grows, written by one connection on one thread.

A commit is durable when ``Journal.commit`` returns: write-ahead log, ``synchronous = FULL``, several callers' entries
in one transaction. Everybody else reads with ``JournalReader``, also while the daemon runs. A storage error ends the
journal: nothing is tried twice, as after a failed sync nobody knows what is on the disk.

SQLite before 3.51.3 may damage a write-ahead log when two connections write or checkpoint at once
(https://www.sqlite.org/wal.html). One writer, held by a lock of our own, keeps clear of that.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from controller.formats.journal_schema import checkpoint_digest
from controller.formats.records import Identity, chain, genesis
from controller.io import journal_stream
from controller.io.head_file import HeadFile, HeadFileDamaged, read_head_file
from controller.io.journal_setup import add_meta, begin, configure, is_blank, library_version, refuse_leftovers
from controller.io.journal_store import (
    Entry,
    EventRow,
    Head,
    JournalDamaged,
    JournalFailed,
    JournalReader,
    NotAJournal,
    RecordRow,
    take_lock,
)
from controller.io.journal_stream import Mark
from controller.io.reserve import Reserve, transacted

__all__ = [
    "Entry",
    "EventRow",
    "Head",
    "Journal",
    "JournalDamaged",
    "JournalFailed",
    "JournalReader",
    "NotAJournal",
    "RecordRow",
]

QUEUE_LIMIT: Final = 10_000
"""Jobs that may wait for the writer: ten minutes of a busy table; more means that the disk has stopped."""

GROUP_LIMIT: Final = 256
"""Jobs that share a transaction; larger groups no longer gain anything."""

PAGE_LIMIT: Final = 16 * 1024 * 1024
"""The most pages of 4 KiB a journal may have (64 GiB): years of a table, so reaching it is a fault."""

CLOSE_SECONDS: Final = 30.0
"""How long closing waits for the writer; a disk that takes longer has failed."""

LOGGED_AT: Final = 18
LOGGED: Final = b"\x02\x02"
"""Bytes of the header that say that the file is written with a write-ahead log (SQLite file format 1.3.3)."""

_ABANDONED: Final[list[sqlite3.Connection]] = []
"""Connections of journals that failed, kept from being closed for as long as the process lasts."""

Job = tuple[Callable[[sqlite3.Connection], Any], "asyncio.Future[Any]"]


class Journal:
    """The only writer of a journal. Create it with ``open``; use it from one event loop."""

    def __init__(self, path: Path, begun: _Begun, lock: int, page_limit: int, reserve: Reserve | None) -> None:
        self.path = path
        self.identity = begun.identity
        self.meta = begun.meta
        """What the journal says of itself, as it was when it was opened."""
        self.committed: Callable[[], None] = lambda: None
        """Told by the writer's thread, after each transaction, that there is more to read."""
        self._head = begun.head
        self._head_file = begun.head_file
        self._lock = lock
        self._page_limit = page_limit
        self._reserve = reserve
        self._failure: str | None = None
        self._closed = False
        self._jobs: queue.Queue[Job | None] = queue.Queue(QUEUE_LIMIT)
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)

    @classmethod
    async def open(
        cls,
        path: Path,
        identity: Identity | None = None,
        *,
        created_wall_ns: int = 0,
        page_limit: int = PAGE_LIMIT,
        reserve: Reserve | None = None,
    ) -> Self:
        """Open the journal at ``path``; begin it for ``identity`` if there is none.

        With ``identity`` and an existing journal the two must agree on site and table; the journal's epoch stands.
        The chain is checked from the last checkpoint on; ``verify`` checks everything. ``reserve`` is given up when the
        disk is full.

        Raises:
            JournalFailed: another process has it, it is another table's, or the disk refuses; the text says what to do.
            NotAJournal: there is none and no ``identity`` was given, or the file is something else.
            JournalDamaged: what follows the last checkpoint is not what was committed.
        """
        lock = await asyncio.to_thread(take_lock, path, create=identity is not None)
        try:
            begun = await asyncio.to_thread(_prepare, path, identity, created_wall_ns)
            journal = cls(path, begun, lock, page_limit, reserve)
            journal._thread.start()
            await journal._submit(lambda connection: add_meta(connection, "sqlite", library_version()))
        except BaseException:
            os.close(lock)
            raise
        return journal

    @property
    def head(self) -> Head:
        """The last record handed to ``commit`` (durable once that call has returned)."""
        return self._head

    async def commit(self, entries: Sequence[Entry]) -> None:
        """Make entries durable, all or none. Numbers and event seqs must go on without a gap from ``head``.

        Raises:
            ValueError: a gap; nothing was written.
            JournalFailed: storage failed, now or earlier; nothing after this can be committed.
        """
        self._refuse_if_ended()
        hashed = self._follow(entries)
        await self._submit(functools.partial(_insert, hashed, self._head))

    async def note(self, key: str, value: str) -> None:
        """Add a fact about the journal, unless that is what it last said of ``key``.

        Raises:
            JournalFailed: as ``commit``.
        """
        if self.meta.get(key) != value:
            await self._submit(lambda connection: add_meta(connection, key, value, again=True))
            self.meta[key] = value

    async def mark_published(self, seq: int) -> None:
        """Remember that the broker has taken every event up to ``seq``; lower than before changes nothing.

        Raises:
            JournalFailed: as ``commit``.
        """
        await self._submit(lambda connection: journal_stream.mark_published(connection, self.identity, seq))

    async def events_after(self, seq: int, limit: int) -> tuple[EventRow, ...]:
        """Up to ``limit`` committed events following ``seq``, in order, each as it was committed.

        Raises:
            JournalFailed: as ``commit``, or one of them is not what was committed.
        """
        rows: tuple[EventRow, ...] = await self._submit(
            lambda connection: journal_stream.checked_events(connection, self.identity, seq, limit)
        )
        return rows

    async def last_published(self) -> int:
        """The seq last given to ``mark_published``, 0 if none.

        Raises:
            JournalFailed: as ``commit``.
        """
        return (await self.last_mark())[0]

    async def last_mark(self) -> Mark:
        """The seq last given to ``mark_published`` and the hash of the stream there.

        Raises:
            JournalFailed: as ``commit``.
        """
        found: Mark = await self._submit(lambda connection: journal_stream.last_mark(connection, self.identity))
        return found

    async def stream_at(self, seq: int) -> bytes:
        """The hash of the stream at event ``seq``.

        Raises:
            JournalFailed: as ``commit``, or there is no such event.
        """
        found: Mark = await self._submit(lambda connection: journal_stream.stream_at(connection, self.identity, seq))
        return found[1]

    async def note_ack(self, consumer: str, seq: int) -> None:
        """Remember that a consumer holds events 1 to ``seq``; lower than before changes nothing.

        Raises:
            JournalFailed: as ``commit``.
        """
        await self._submit(lambda connection: journal_stream.note_ack(connection, consumer, seq))

    async def acks(self) -> dict[str, int]:
        """What each consumer last said it holds.

        Raises:
            JournalFailed: as ``commit``.
        """
        found: dict[str, int] = await self._submit(journal_stream.read_acks)
        return found

    async def close(self) -> None:
        """Finish what was handed in, fold the write-ahead log into the file and let go of the journal.

        After a failure nothing is folded in: end the process, and let the next start read what the disk has.

        Raises:
            JournalFailed: the disk refused to have the log folded in; it is left as it is.
        """
        if self._closed:
            return
        self._closed = True
        before = self._failure
        await asyncio.to_thread(self._jobs.put, None)
        await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)
        self._head_file.close()
        os.close(self._lock)
        if self._failure != before:
            raise JournalFailed(f"{self.path}: {self._failure}")

    # --- the event loop's side ----------------------------------------------------------------------

    def _refuse_if_ended(self) -> None:
        if self._failure is not None:
            raise JournalFailed(f"{self.path}: {self._failure}; nothing more is taken")
        if self._closed:
            raise JournalFailed(f"{self.path}: the journal is closed")

    def _submit(self, work: Callable[[sqlite3.Connection], Any]) -> asyncio.Future[Any]:
        self._refuse_if_ended()
        done: asyncio.Future[Any] = self._loop.create_future()
        try:
            self._jobs.put_nowait((work, done))
        except queue.Full:
            self._failure = f"{QUEUE_LIMIT} jobs wait for the disk"
            self._refuse_if_ended()
        return done

    def _follow(self, entries: Sequence[Entry]) -> list[tuple[Entry, bytes]]:
        head, hashed = self._head, []
        for entry in entries:
            if entry.number != head.number + 1:
                raise ValueError(f"record {entry.number} cannot follow record {head.number}")
            seqs = [seq for seq, _ in entry.events]
            if seqs != list(range(head.seq + 1, head.seq + 1 + len(seqs))):
                raise ValueError(f"events {seqs} of record {entry.number} cannot follow event {head.seq}")
            own = chain(head.hash, entry.number, entry.body, [body for _, body in entry.events])
            head = Head(number=entry.number, hash=own, seq=head.seq + len(seqs))
            hashed.append((entry, own))
        self._head = head
        return hashed

    # --- the writer's side --------------------------------------------------------------------------

    def _write(self) -> None:
        connection: sqlite3.Connection | None = None
        try:
            connection = sqlite3.connect(self.path, isolation_level=None)
            configure(connection, self._page_limit)
            # After a sync that failed, what the log shows may be in the kernel's memory alone, and no sync tells.
            # Folded in, it is written anew.
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # SQLite says "wal" also if the disk refused the change. Read through the lock's descriptor: closing another
            # one of this file would drop SQLite's own locks.
            if os.pread(self._lock, len(LOGGED), LOGGED_AT) != LOGGED:
                self._failure = "the disk refused the change to a write-ahead log"
        except (sqlite3.Error, JournalFailed, OSError) as error:
            self._failure = str(error)
        open_ended = True
        while open_ended:
            group = [self._jobs.get()]
            # Only this thread takes jobs, so what is not empty now will not become so.
            while len(group) < GROUP_LIMIT and not self._jobs.empty():
                group.append(self._jobs.get_nowait())
            jobs = [job for job in group if job is not None]
            open_ended = len(jobs) == len(group)
            self._carry_out(connection, jobs)
        if connection is None:
            return
        if self._failure is None:
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except sqlite3.Error as error:
                self._failure = f"the disk refused: {error}"
        if self._failure is None:
            connection.close()
        else:
            # Closing, be it by the collector, would fold in the log and so sync once more.
            _ABANDONED.append(connection)

    def _carry_out(self, connection: sqlite3.Connection | None, jobs: Sequence[Job]) -> None:
        answers: list[Any] = []
        if connection is not None and self._failure is None and jobs:
            try:
                answers = transacted(connection, [work for work, _ in jobs], self._reserve)
                self._note_head(answers)
                self.committed()
            except JournalDamaged as damage:
                self._failure = f"damaged: {damage}; see: tableside verify {self.path}"
            except Exception as error:  # noqa: BLE001 - whatever it was, nobody may be left waiting
                self._failure = f"the disk refused: {error}"
        for place, (_, done) in enumerate(jobs):
            failure = self._failure
            if failure is None:
                self._tell(functools.partial(_settle, done, answers[place], None))
            else:
                self._tell(functools.partial(_settle, done, None, JournalFailed(f"{self.path}: {failure}")))

    def _note_head(self, answers: Sequence[object]) -> None:
        heads = [answer for answer in answers if isinstance(answer, Head)]
        if heads:
            self._head_file.write(heads[-1])

    def _tell(self, news: Callable[[], None]) -> None:
        # The loop may have ended while the disk was busy; then nobody waits.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(news)


def _settle(done: asyncio.Future[Any], answer: object, failure: JournalFailed | None) -> None:
    if done.done():
        return
    if failure is None:
        done.set_result(answer)
    else:
        done.set_exception(failure)


def _insert(hashed: Sequence[tuple[Entry, bytes]], head: Head, connection: sqlite3.Connection) -> Head:
    for entry, own in hashed:
        connection.execute("INSERT INTO records VALUES (?, ?, ?)", (entry.number, entry.body, own))
        events = [(seq, entry.number, body) for seq, body in entry.events]
        connection.executemany("INSERT INTO events VALUES (?, ?, ?)", events)
        if entry.checkpoint is not None:
            row = (entry.number, entry.checkpoint, checkpoint_digest(entry.number, entry.checkpoint))
            connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?)", row)
    return head


class _Begun(NamedTuple):
    """A journal that may be written."""

    identity: Identity
    meta: dict[str, str]
    head: Head
    head_file: HeadFile


def _prepare(path: Path, identity: Identity | None, created_wall_ns: int) -> _Begun:
    try:
        if identity is not None:
            refuse_leftovers(path)
            if is_blank(path):
                begin(path, identity, created_wall_ns)
        noted = read_head_file(path)
    except HeadFileDamaged as error:
        raise JournalDamaged(str(error)) from error
    except (sqlite3.Error, OSError) as error:
        raise JournalFailed(f"{path}: cannot be begun: {error}") from error
    with JournalReader(path) as reader:
        found = reader.identity
        if identity is not None and (identity.site, identity.table) != (found.site, found.table):
            ours = f"{identity.site}/{identity.table}"
            raise JournalFailed(f"{path}: this is the journal of {found.site}/{found.table}, not of {ours}")
        checkpoint = reader.last_checkpoint()
        reader.check_chain(0 if checkpoint is None else checkpoint[0])
        reader.check_log(noted)
        head, meta = reader.head(), reader.meta
    try:
        return _Begun(found, meta, head, HeadFile.open(path, Head(0, genesis(found), 0)))
    except OSError as error:
        raise JournalFailed(f"{path}: its head file cannot be opened: {error.strerror}") from error
