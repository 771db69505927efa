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
from typing import Any, Final, Self

from controller.formats.journal_schema import checkpoint_digest, published_digest
from controller.formats.records import Identity, chain
from controller.io.journal_store import (
    Entry,
    EventRow,
    Head,
    JournalDamaged,
    JournalFailed,
    JournalReader,
    NotAJournal,
    RecordRow,
    add_meta,
    begin,
    configure,
    event_rows,
    is_blank,
    library_version,
    take_lock,
)

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

Job = tuple[Callable[[sqlite3.Connection], Any], "asyncio.Future[Any]"]


class Journal:
    """The only writer of a journal. Create it with ``open``; use it from one event loop."""

    def __init__(self, path: Path, identity: Identity, head: Head, lock: int, page_limit: int) -> None:
        self.path = path
        self.identity = identity
        self._head = head
        self._lock = lock
        self._page_limit = page_limit
        self._failure: str | None = None
        self._closed = False
        self._jobs: queue.Queue[Job | None] = queue.Queue(QUEUE_LIMIT)
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)

    @classmethod
    async def open(
        cls, path: Path, identity: Identity | None = None, *, created_wall_ns: int = 0, page_limit: int = PAGE_LIMIT
    ) -> Self:
        """Open the journal at ``path``; begin it for ``identity`` if there is none.

        With ``identity`` and an existing journal the two must agree on site and table; the journal's epoch stands.
        The chain is checked from the last checkpoint on; ``verify`` checks everything.

        Raises:
            JournalFailed: another process has it, it is another table's, or the disk refuses; the text says what to do.
            NotAJournal: there is none and no ``identity`` was given, or the file is something else.
            JournalDamaged: what follows the last checkpoint is not what was committed.
        """
        lock = await asyncio.to_thread(take_lock, path, create=identity is not None)
        try:
            found, head = await asyncio.to_thread(_prepare, path, identity, created_wall_ns)
            journal = cls(path, found, head, lock, page_limit)
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

    def next_hash(self, body: bytes, event_bodies: Sequence[bytes]) -> bytes:
        """The chain hash the next record would have: what a checkpoint taken with it is bound to."""
        return chain(self._head.hash, self._head.number + 1, body, event_bodies)

    async def commit(self, entries: Sequence[Entry]) -> None:
        """Make entries durable, all or none. Numbers and event seqs must go on without a gap from ``head``.

        Raises:
            ValueError: a gap; nothing was written.
            JournalFailed: storage failed, now or earlier; nothing after this can be committed.
        """
        self._refuse_if_ended()
        await self._submit(functools.partial(_insert, self._follow(entries)))

    async def mark_published(self, seq: int) -> None:
        """Remember that the broker has taken every event up to ``seq``; lower than before changes nothing.

        Raises:
            JournalFailed: as ``commit``.
        """
        await self._submit(functools.partial(_insert_published, seq))

    async def events_after(self, seq: int, limit: int) -> tuple[EventRow, ...]:
        """Up to ``limit`` committed events following ``seq``, in order.

        Raises:
            JournalFailed: as ``commit``.
        """
        rows: tuple[EventRow, ...] = await self._submit(
            lambda connection: tuple(event_rows(connection, seq + 1, limit))
        )
        return rows

    async def last_published(self) -> int:
        """The seq last given to ``mark_published``, 0 if none.

        Raises:
            JournalFailed: as ``commit``.
        """
        found: int = await self._submit(_read_published)
        return found

    async def close(self) -> None:
        """Finish what was handed in, fold the write-ahead log into the file and let go of the journal.

        After a failure nothing is folded in: end the process, and let the next start read what the disk has.
        """
        if self._closed:
            return
        self._closed = True
        await asyncio.to_thread(self._jobs.put, None)
        await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)
        os.close(self._lock)

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
        except (sqlite3.Error, JournalFailed) as error:
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
        if connection is not None and self._failure is None:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            connection.close()

    def _carry_out(self, connection: sqlite3.Connection | None, jobs: Sequence[Job]) -> None:
        answers: list[Any] = []
        if connection is not None and self._failure is None and jobs:
            try:
                connection.execute("BEGIN IMMEDIATE")
                answers = [work(connection) for work, _ in jobs]
                connection.execute("COMMIT")
            except Exception as error:  # noqa: BLE001 - whatever it was, nobody may be left waiting
                self._failure = f"the disk refused: {error}"
        for place, (_, done) in enumerate(jobs):
            failure = self._failure
            if failure is None:
                self._tell(functools.partial(_settle, done, answers[place], None))
            else:
                self._tell(functools.partial(_settle, done, None, JournalFailed(f"{self.path}: {failure}")))

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


def _insert(hashed: Sequence[tuple[Entry, bytes]], connection: sqlite3.Connection) -> None:
    for entry, own in hashed:
        connection.execute("INSERT INTO records VALUES (?, ?, ?)", (entry.number, entry.body, own))
        events = [(seq, entry.number, body) for seq, body in entry.events]
        connection.executemany("INSERT INTO events VALUES (?, ?, ?)", events)
        if entry.checkpoint is not None:
            row = (entry.number, entry.checkpoint, checkpoint_digest(entry.number, entry.checkpoint))
            connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?)", row)


def _insert_published(seq: int, connection: sqlite3.Connection) -> None:
    if seq > _read_published(connection):
        (row,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM published").fetchone()
        connection.execute("INSERT INTO published VALUES (?, ?, ?)", (row, seq, published_digest(row, seq)))


def _read_published(connection: sqlite3.Connection) -> int:
    # The last mark is the highest: reading one row, where the maximum would read them all.
    row = connection.execute("SELECT seq FROM published ORDER BY id DESC LIMIT 1").fetchone()
    return 0 if row is None else int(row[0])


def _prepare(path: Path, identity: Identity | None, created_wall_ns: int) -> tuple[Identity, Head]:
    try:
        if identity is not None and is_blank(path):
            begin(path, identity, created_wall_ns)
    except (sqlite3.Error, OSError) as error:
        raise JournalFailed(f"{path}: cannot be begun: {error}") from error
    with JournalReader(path) as reader:
        found = reader.identity
        if identity is not None and (identity.site, identity.table) != (found.site, found.table):
            ours = f"{identity.site}/{identity.table}"
            raise JournalFailed(f"{path}: this is the journal of {found.site}/{found.table}, not of {ours}")
        checkpoint = reader.last_checkpoint()
        reader.check_chain(0 if checkpoint is None else checkpoint[0])
        return found, reader.head()
