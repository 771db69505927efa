"""The journal: one SQLite file that only ever grows, written by one connection on one thread.

A commit is durable when ``Journal.commit`` returns: write-ahead log, ``synchronous = FULL``, several callers' entries
in one transaction. Everybody else reads with ``JournalReader``, also while the daemon runs. A storage error ends the
journal: nothing is tried twice, as after a failed sync the content of the disk is not known.

SQLite before 3.51.3 may damage a write-ahead log when two connections write or checkpoint at once
(https://www.sqlite.org/wal.html). One writer, held by a lock of our own, keeps clear of that.
"""

from __future__ import annotations

import asyncio
import functools
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Self

from controller.formats.journal.merkle_tree import leaf_hash
from controller.formats.journal.records import Identity, chained, record_fields
from controller.formats.journal.seals import Seal, Sealing, signed_head
from controller.io.journal import stream
from controller.io.journal.append import AppendTransaction, ChainedEntry, WritableJournal, insert, prepare
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, JournalFailed
from controller.io.journal.lock import take_lock
from controller.io.journal.reader import EventRow, Head, JournalEntry, seal_before
from controller.io.journal.setup import add_meta, configure, library_version
from controller.io.journal.space_reserve import SpaceReserve, transacted
from controller.io.journal.stream import StreamMark
from controller.io.journal.writer_jobs import WAIT_SECONDS, Job, JobQueue, Patience, SharedWork

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


class Journal:
    """The only writer of a journal. Create it with ``open``; use it from one event loop."""

    def __init__(
        self, path: Path, begun: WritableJournal, lock: int, page_limit: int, reserve: SpaceReserve | None
    ) -> None:
        self.path = path
        self.identity = begun.identity
        self.meta = begun.meta
        """What the journal says of itself, as it was when it was opened."""
        self.committed: Callable[[], None] = lambda: None
        """Told by the writer's thread, after each transaction, that there is more to read."""
        self._head = begun.head
        self._tree = begun.tree
        self._sealing = begun.sealing
        self._passed = stream.StreamProgress()
        self._marked = 0
        self._head_file = begun.head_file
        self._lock = lock
        self._page_limit = page_limit
        self._reserve = reserve
        self._failure: str | None = None
        self._closed = False
        self._close_seconds = CLOSE_SECONDS
        self._jobs = JobQueue(QUEUE_LIMIT)
        self._pending = 0
        """Jobs that are not yet answered."""
        self._patience = Patience()
        self._loop = asyncio.get_running_loop()
        self._thread = threading.Thread(target=self._write, name="journal", daemon=True)

    @classmethod
    async def open(
        cls,
        path: Path,
        identity: Identity | None = None,
        *,
        key: bytes | None = None,
        created_wall_ns: int = 0,
        page_limit: int = PAGE_LIMIT,
        reserve: SpaceReserve | None = None,
        close_seconds: float = CLOSE_SECONDS,
    ) -> Self:
        """Open the journal at ``path``; begin it for ``identity`` if there is none.

        With ``identity`` and an existing journal the two must agree on site and table; the journal's epoch stands.
        The chain is checked from the last checkpoint on; ``verify`` checks everything. ``key`` is the table's: whoever
        wrote the last record must have had it, and without it no record can be committed. ``reserve`` is given up when
        the disk is full. ``close_seconds``: how long ``close`` waits for a disk that does not answer.

        Raises:
            JournalFailed: another process has it, it is another table's, or the disk refuses; the text says what to do.
            NotAJournal: there is none and no ``identity`` was given, or the file is something else.
            JournalDamaged: what follows the last checkpoint is not what was committed, or not written with ``key``.
        """
        lock = await asyncio.to_thread(take_lock, path, create=identity is not None)
        try:
            begun = await asyncio.to_thread(prepare, path, identity, key, created_wall_ns)
            journal = cls(path, begun, lock, page_limit, reserve)
            journal._close_seconds = close_seconds
            journal._thread.start()
            await journal._submit(lambda connection: add_meta(connection, "sqlite", library_version()))
        except BaseException:
            os.close(lock)
            raise
        return journal

    @property
    def sealing(self) -> Sealing | None:
        """What seals its transactions; None if it was opened without the key."""
        return self._sealing

    @property
    def head(self) -> Head:
        """The last record handed to ``commit`` (durable once that call has returned)."""
        return self._head

    async def commit(self, entries: Sequence[JournalEntry]) -> None:
        """Make entries durable, all or none. Numbers and event seqs must go on without a gap from ``head``.

        Raises:
            ValueError: a gap; nothing was written.
            JournalFailed: storage failed, now or earlier; nothing after this can be committed. Or there is no key.
        """
        await self.begin_commit(entries)

    def begin_commit(self, entries: Sequence[JournalEntry]) -> asyncio.Future[None]:
        """As ``commit``: a future that is done when they are durable.

        It is done at once where nothing waits for the writer, the last commits were quick and this one is too: then
        the loop has stood still for it, for ``WAIT_SECONDS`` at most.

        Raises:
            ValueError, JournalFailed: as ``commit``, where that is known at once.
        """
        self._refuse_if_ended()
        if self._sealing is None:
            raise JournalFailed(f"{self.path}: opened without the table's key: no record can be committed")
        followed = self._follow(entries)
        if not followed:
            nothing: asyncio.Future[None] = self._loop.create_future()
            nothing.set_result(None)
            return nothing
        passed = self._passed.mark if self._passed.mark[0] > self._marked else None
        head = self._head
        seal = SharedWork(functools.partial(self._sealing.seal, head.number, head.hash, self._tree.root()))
        job = Job(functools.partial(insert, AppendTransaction(followed, head, passed, seal)), self._loop)
        is_waited_for = not self._pending and self._patience.has()
        if is_waited_for:
            job.stand_by()
        self._hand_in(job)
        began = time.monotonic()
        if is_waited_for:
            # Signing takes as long as the writer's waking and its rows, and leaves the interpreter to it.
            seal.result()
        if is_waited_for and job.wait(WAIT_SECONDS):
            self._patience.note(time.monotonic() - began)
        else:
            self._patience.timed(time.monotonic, job.done)
        if passed is not None:
            job.done.add_done_callback(functools.partial(self._remembered, passed))
        return job.done

    def _remembered(self, passed: StreamMark, done: asyncio.Future[None]) -> None:
        if not done.cancelled() and done.exception() is None:
            self._marked = max(self._marked, passed[0])

    async def signed_head(self) -> str:
        """The head of the tree over the records, as it was signed with the last commit; empty if there is none.

        Raises:
            JournalFailed: as ``commit``.
        """
        seal: Seal | None = await self._submit(seal_before)
        return "" if seal is None or self._sealing is None else signed_head(seal, self._sealing.verifier)

    async def known_head(self, size: int) -> bytes | None:
        """The root of the tree that was signed after record ``size``; None if no transaction ended there.

        Raises:
            JournalFailed: as ``commit``.
        """
        seal: Seal | None = await self._submit(functools.partial(seal_before, until=size))
        return seal.root if seal is not None and seal.number == size else None

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
        mark: StreamMark = await self._submit(lambda connection: stream.mark_published(connection, self.identity, seq))
        self._known_mark(mark)

    def note_published(self, seq: int) -> None:
        """The broker has taken every event up to ``seq``: the next commit remembers it, if memory still has them."""
        self._passed.move_on(seq)

    def marked(self) -> int:
        """The seq of the last event that is known to be remembered as published."""
        return self._marked

    async def events_after(self, seq: int, limit: int) -> tuple[EventRow, ...]:
        """Up to ``limit`` committed events following ``seq``, in order, each as it was committed.

        Raises:
            JournalFailed: as ``commit``, or one of them is not what was committed.
        """
        rows: tuple[EventRow, ...] = await self._submit(
            lambda connection: stream.checked_events(connection, self.identity, seq, limit)
        )
        return rows

    async def last_published(self) -> int:
        """The seq last given to ``mark_published``, 0 if none.

        Raises:
            JournalFailed: as ``commit``.
        """
        return (await self.last_mark())[0]

    async def last_mark(self) -> StreamMark:
        """The seq last given to ``mark_published`` and the hash of the stream there.

        Raises:
            JournalFailed: as ``commit``.
        """
        found: StreamMark = await self._submit(lambda connection: stream.last_mark(connection, self.identity))
        self._known_mark(found)
        return found

    async def stream_at(self, seq: int) -> bytes:
        """The hash of the stream at event ``seq``.

        Raises:
            JournalFailed: as ``commit``, or there is no such event.
        """
        at: StreamMark = await self._submit(lambda connection: stream.mark_at(connection, self.identity, seq))
        while at[0] < seq:
            # A piece at a time, so that a commit handed in meanwhile waits for one piece and not for all events.
            piece = functools.partial(stream.piece_of_stream, identity=self.identity, seq=seq, start=at)
            at = await self._submit(piece)
        return at[1]

    async def note_ack(self, consumer: str, seq: int) -> None:
        """Remember that a consumer holds events 1 to ``seq``; lower than before changes nothing.

        Raises:
            JournalFailed: as ``commit``.
        """
        await self._submit(lambda connection: stream.note_ack(connection, consumer, seq))

    async def acks(self) -> dict[str, int]:
        """What each consumer last said it holds.

        Raises:
            JournalFailed: as ``commit``.
        """
        found: dict[str, int] = await self._submit(stream.read_acks)
        return found

    async def close(self) -> None:
        """Finish what was handed in, fold the write-ahead log into the file and let go of the journal.

        After a failure nothing is folded in: end the process, and let the next start read what the disk has.

        Raises:
            JournalFailed: the disk refused to have the log folded in, which is left as it is; or the disk does not
                answer. Then the writer may still be in a transaction: end the process, nothing of it is let go before.
        """
        if self._closed:
            return
        self._closed = True
        before = self._failure
        end = time.monotonic() + self._close_seconds
        self._jobs.put(None)
        await asyncio.to_thread(self._thread.join, max(0.0, end - time.monotonic()))
        if self._thread.is_alive():
            # Its descriptors stay the writer's: whatever got their numbers would be written to in their place.
            said = f"the disk has not answered within {self._close_seconds:g} s; what is committed is on it"
            self._failure = self._failure or said
            raise JournalFailed(f"{self.path}: {said}, what was under way may be")
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

    def _known_mark(self, mark: StreamMark) -> None:
        self._passed.at(mark)
        self._marked = max(self._marked, mark[0])

    def _submit(self, work: Callable[[sqlite3.Connection], Any]) -> asyncio.Future[Any]:
        self._refuse_if_ended()
        job = Job(work, self._loop)
        self._hand_in(job)
        return job.done

    def _hand_in(self, job: Job) -> None:
        if self._jobs.is_full():
            self._failure = f"{QUEUE_LIMIT} jobs wait for the disk"
            self._refuse_if_ended()
        self._pending += 1
        job.done.add_done_callback(self._answered)
        self._jobs.put(job)

    def _answered(self, _: asyncio.Future[Any]) -> None:
        self._pending -= 1

    def _follow(self, entries: Sequence[JournalEntry]) -> list[ChainedEntry]:
        head, tree = self._head, self._tree
        found: list[ChainedEntry] = []
        for entry in entries:
            if entry.number != head.number + 1:
                raise ValueError(f"record {entry.number} cannot follow record {head.number}")
            seqs = [seq for seq, _ in entry.events]
            if seqs != list(range(head.seq + 1, head.seq + 1 + len(seqs))):
                raise ValueError(f"events {seqs} of record {entry.number} cannot follow event {head.seq}")
            fields = record_fields(entry.number, entry.body, [body for _, body in entry.events])
            own = chained(head.hash, fields)
            head = Head(number=entry.number, hash=own, seq=head.seq + len(seqs))
            tree = tree.appended(leaf_hash(fields))
            found.append(ChainedEntry(entry, own, b"" if entry.checkpoint is None else tree.data()))
        self._head, self._tree = head, tree
        self._passed.add(event for entry in entries for event in entry.events)
        return found

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
        except (*SQLITE_ERRORS, JournalFailed, OSError) as error:
            self._failure = str(error)
        open_ended = True
        while open_ended:
            group = self._jobs.take(GROUP_LIMIT)
            jobs = [job for job in group if job is not None]
            open_ended = len(jobs) == len(group)
            self._carry_out(connection, jobs)
        if connection is None:
            return
        if self._failure is None:
            try:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            except SQLITE_ERRORS as error:
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
                answers = transacted(connection, [job.work for job in jobs], self._reserve)
                self._note_head(answers)
                self.committed()
            except JournalDamaged as damage:
                self._failure = f"damaged: {damage}; see: tableside verify {self.path}"
            except Exception as error:  # noqa: BLE001 - whatever it was, no caller may be left waiting
                self._failure = f"the disk refused: {error}"
        for place, job in enumerate(jobs):
            failure = self._failure
            if failure is None:
                job.answer(answers[place], None)
            else:
                job.answer(None, JournalFailed(f"{self.path}: {failure}"))

    def _note_head(self, answers: Sequence[object]) -> None:
        heads = [answer for answer in answers if isinstance(answer, Head)]
        if heads:
            self._head_file.write(heads[-1])
