"""Writes a journal's rows to a folder of segments: a batch at a time, each synced before it counts."""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from controller.formats.journal.records import Identity
from controller.formats.journal.schema import GAPLESS
from controller.formats.journal.segments import (
    CopyPosition,
    Cursors,
    JournalRow,
    SegmentDamaged,
    batch_bytes,
    reached_after,
    read_segment,
    start_bytes,
)
from controller.io.copies.segment_folder import SEGMENT_LIMIT_BYTES, Hole, Survey, put_aside, segment_path
from controller.io.files.fsync_dir import sync_directory
from controller.io.files.plain_files import content

SEGMENT_BYTES: Final = 8 * 1024 * 1024
"""A segment that would become longer ends, and another begins."""

BATCH_RECORDS: Final = 500
"""Records of a batch at most, where there is much to catch up with."""

BATCH_ROWS: Final = 5000
"""Rows of a batch at most that belong to no record."""

PART: Final = ".part"
"""Ends the name of a segment that is being made."""


class SegmentChanged(Exception):  # noqa: N818 - named for what happened
    """Somebody else changed a copy that is being written; the text says what is not as it was left."""


class Disk(NamedTuple):
    """How bytes get to a disk, handed in because disks fail."""

    write: Callable[[int, bytes], int] = os.write
    sync: Callable[[int], None] = os.fdatasync


def next_rows(connection: sqlite3.Connection, after: Cursors, until: Cursors | None = None) -> list[JournalRow]:
    """The next batch of what a journal has after ``after`` and up to ``until`` (None: its end); empty at its end.

    What speaks of events (published, acknowledged) comes once all of these have.
    """
    connection.execute("BEGIN")
    try:
        query = "SELECT number, body, hash FROM records WHERE number > ? AND number <= ? ORDER BY number"
        end = _last_sealed(connection) if until is None else until.records
        records = connection.execute(query, (after.records, min(end, _batch_end(connection, after.records)))).fetchall()
        last = records[-1][0] if records else after.records
        rows = _records(connection, after, records, last)
        if last == end:
            for table in ("meta", "published", "acks"):
                most = last_key(connection, table) if until is None else getattr(until, table)
                query = f"SELECT * FROM {table} WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"  # noqa: S608 - our own names
                found = connection.execute(query, (getattr(after, table), most, BATCH_ROWS))
                rows += [JournalRow(table, tuple(values)) for values in found]
    finally:
        connection.execute("COMMIT")
    return rows


def last_key(connection: sqlite3.Connection, table: str) -> int:
    """The last key of one of the tables that are ``GAPLESS``, 0 if it is empty."""
    key = GAPLESS[table]
    (last,) = connection.execute(f"SELECT coalesce(max({key}), 0) FROM {table}").fetchone()  # noqa: S608 - our own names
    return int(last)


def _last_sealed(connection: sqlite3.Connection) -> int:
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM seals").fetchone()
    return int(last)


def _batch_end(connection: sqlite3.Connection, after: int) -> int:
    """The record with which the next batch ends.

    It is always that of a seal, so that a copy never ends with unsealed records.
    """
    query = "SELECT coalesce(max(number), 0) FROM seals WHERE number > ? AND number <= ?"
    (last,) = connection.execute(query, (after, after + BATCH_RECORDS)).fetchone()
    if not last:
        query = "SELECT coalesce(min(number), ?) FROM seals WHERE number > ?"
        (last,) = connection.execute(query, (after, after)).fetchone()
    return int(last)


def _records(connection: sqlite3.Connection, after: Cursors, records: list[Any], last: int) -> list[JournalRow]:
    """Records with their events, checkpoints and seals, each behind its own."""
    query = "SELECT * FROM checkpoints WHERE number > ? AND number <= ? ORDER BY number"
    checkpoints = {row[0]: row for row in connection.execute(query, (after.checkpoints, last))}
    query = "SELECT * FROM seals WHERE number > ? AND number <= ? ORDER BY number"
    seals = {row[0]: row for row in connection.execute(query, (after.seals, last))}
    events = connection.execute("SELECT seq, number, body FROM events WHERE seq > ? ORDER BY seq", (after.events,))
    event = events.fetchone()
    rows: list[JournalRow] = []
    for record in records:
        rows.append(JournalRow("records", tuple(record)))
        while event is not None and event[1] == record[0]:
            rows.append(JournalRow("events", tuple(event)))
            event = events.fetchone()
        if record[0] in checkpoints:
            rows.append(JournalRow("checkpoints", tuple(checkpoints[record[0]])))
        if record[0] in seals:
            rows.append(JournalRow("seals", tuple(seals[record[0]])))
    events.close()
    return rows


class SegmentWriter:
    """Appends batches to a copy, and begins another segment where one is full."""

    def __init__(self, folder: Path, identity: Identity, reached: CopyPosition, number: int, disk: Disk) -> None:
        self.reached = reached
        """How far the copy has come, as far as synced."""
        self._folder = folder
        self._identity = identity
        self._number = number
        self._disk = disk
        self._path: Path | None = None
        """Of the segment that is appended to, None before the first."""
        self._descriptor: int | None = None
        self._size = 0
        self._full: dict[Path, int] = {}
        """The bytes of each segment that is not appended to any more."""

    @classmethod
    def resume(cls, folder: Path, found: Survey, disk: Disk) -> Self:
        """Go on where a copy ends.

        Whether the last batch ever got to the disk is not known: its sync may have failed, and a sync that fails leaves
        what it was asked for in the kernel's memory alone. So it is written once more, and what follows its mark is
        cut off: that had never counted.

        Raises:
            OSError: the disk refused.
            SegmentDamaged: it is not what it was when it was looked through.
        """
        writer = cls(folder, found.identity, found.reached, found.number, disk)
        writer._full = {path: path.lstat().st_size for path in found.segments if path != found.last}
        if found.last is None:
            return writer
        data = content(found.last, SEGMENT_LIMIT_BYTES)
        segment = read_segment(data)
        if segment.reached != found.reached:
            raise SegmentDamaged(f"{found.last}: changed while it was looked at")
        doubted = segment.batches[-1].first if segment.batches else 0
        descriptor = os.open(found.last, os.O_WRONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        writer._path, writer._descriptor, writer._size = found.last, descriptor, segment.whole_bytes
        try:
            os.ftruncate(descriptor, segment.whole_bytes)
            os.lseek(descriptor, doubted, os.SEEK_SET)
            put(descriptor, data[doubted : segment.whole_bytes], disk)
            # Written at the end wherever that is now, it leaves a file that was cut shorter than it was left.
            fcntl.fcntl(descriptor, fcntl.F_SETFL, fcntl.fcntl(descriptor, fcntl.F_GETFL) | os.O_APPEND)
            there = content(found.last, SEGMENT_LIMIT_BYTES)
        except OSError:
            writer.close()
            raise
        if there != data[: segment.whole_bytes]:
            writer.close()
            raise SegmentDamaged(f"{found.last}: changed while it was opened")
        return writer

    def append(self, rows: list[JournalRow]) -> None:
        """Write rows and sync them.

        Raises:
            OSError: the disk refused; this writer is of no use any more.
            SegmentChanged: as ``look``; nothing was written.
            SegmentDamaged: the rows are not what was committed; nothing was written.
        """
        self.look()
        reached = reached_after(self.reached, rows)
        data = batch_bytes(rows, reached)
        if self._descriptor is None or self._size + len(data) > SEGMENT_BYTES:
            self._descriptor = self._begin_next()
        put(self._descriptor, data, self._disk)
        self._size += len(data)
        self.reached = reached

    def look(self) -> None:
        """See that the segment that is appended to is still the file of its name, and as long as it was left.

        What is open is written to whatever becomes of its name: the bytes would go where they are not found.

        Raises:
            OSError: the disk refused.
            SegmentChanged: it is not.
        """
        if self._path is None or self._descriptor is None:
            return
        named = _size(self._path)
        own, there = os.fstat(self._descriptor), self._path.lstat()
        if (own.st_dev, own.st_ino) != (there.st_dev, there.st_ino):
            raise SegmentChanged(f"{self._path}: another file lies in its place")
        if named != self._size:
            raise SegmentChanged(f"{self._path}: has {named} bytes and was left with {self._size}")

    def look_at_all(self) -> None:
        """The same, of every segment; of those that are full, only how long they are.

        Raises:
            OSError, SegmentChanged: as ``look``.
        """
        for path, size in self._full.items():
            there = _size(path)
            if there != size:
                raise SegmentChanged(f"{path}: has {there} bytes and was left with {size}")
        self.look()

    def close(self) -> None:
        """Let go of the segment."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
        self._descriptor = None

    def _begin_next(self) -> int:
        self.close()
        if self._path is not None:
            self._full[self._path] = self._size
        path = segment_path(self._folder, self._identity.epoch, self._number)
        # Given its name when its beginning is on the disk: a segment that does not begin as one does is a damaged one.
        part, descriptor = _begun_part(path)
        begun = start_bytes(self._identity, self.reached)
        try:
            put(descriptor, begun, self._disk)
            part.rename(path)
            sync_directory(self._folder)
        except OSError:
            os.close(descriptor)
            raise
        self._path, self._size = path, len(begun)
        self._number += 1
        return descriptor


def _size(path: Path) -> int:
    """The bytes of a segment.

    Raises:
        OSError: the disk refused.
        SegmentChanged: it is not there, or no file.
    """
    try:
        found = path.lstat()
    except FileNotFoundError as error:
        raise SegmentChanged(f"{path}: is not there any more") from error
    if not stat.S_ISREG(found.st_mode):
        raise SegmentChanged(f"{path}: is no file any more")
    return found.st_size


def _begun_part(path: Path) -> tuple[Path, int]:
    """The file that a segment is made in, and its descriptor.

    Whatever lies there already goes: a link would lead what is written to another file, and a pipe wait for a reader.

    Raises:
        OSError: the disk refused.
    """
    part = path.with_name(f"{path.name}{PART}")
    part.unlink(missing_ok=True)
    return part, os.open(part, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)


def put(descriptor: int, data: bytes, disk: Disk) -> None:
    """Write all of ``data`` and sync it.

    Raises:
        OSError: the disk refused.
    """
    left = memoryview(data)
    while left:
        left = left[disk.write(descriptor, bytes(left)) :]
    disk.sync(descriptor)


class CopyRepair(NamedTuple):
    """Writes anew what a copy has lost, from a journal that is whole; what is written is read back."""

    folder: Path
    identity: Identity
    connection: sqlite3.Connection
    disk: Disk

    def fill(self, hole: Hole) -> None:
        """Put aside what is damaged, and write what was there; at the copy's end that is done like with anything new.

        Raises:
            OSError: the disk refused.
            SegmentDamaged: the journal has not what was there.
        """
        for path in hole.damaged:
            put_aside(path)
        sync_directory(self.folder)
        if hole.end is None:
            return
        at, numbers = hole.start, list(hole.numbers)
        while at != hole.end and numbers:
            number = numbers.pop(0)
            path = segment_path(self.folder, self.identity.epoch, number)
            at = self._write(path, at, hole.end, SEGMENT_BYTES if numbers else None)
        if at != hole.end:
            raise SegmentDamaged(f"{hole.text}, and the journal has not what was there")
        sync_directory(self.folder)

    def _write(self, path: Path, at: CopyPosition, end: CopyPosition, most_bytes: int | None) -> CopyPosition:
        made = bytearray(start_bytes(self.identity, at))
        while at != end and (most_bytes is None or len(made) < most_bytes):
            rows = next_rows(self.connection, at.rows, end.rows)
            if not rows:
                break
            at = reached_after(at, rows)
            made += batch_bytes(rows, at)
        part, descriptor = _begun_part(path)
        try:
            put(descriptor, bytes(made), self.disk)
        finally:
            os.close(descriptor)
        if read_segment(content(part, SEGMENT_LIMIT_BYTES)).reached != at:
            raise SegmentDamaged(f"{part}: does not read back as it was written")
        part.rename(path)
        return at
