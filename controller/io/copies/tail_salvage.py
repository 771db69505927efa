"""The end of a damaged journal: what it committed after its copy ends, taken over where every record can be proven.

A second copy follows its journal by some milliseconds, and a backup by a day. What the damaged journal holds beyond it
is whole wherever the damage lies elsewhere. A record is taken only with all its events, only if its chain hash follows
from the record before it, and so from the copy's last: any other bytes give another hash. At the first that does not
follow nothing more is taken. Whether that is all there was is for the head file to say.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeVar

from controller.formats.journal.records import chain
from controller.formats.journal.seals import Seal, Sealing, seal_digest
from controller.io.copies.restore_from_copy import INSERT
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, NotAJournal
from controller.io.journal.reader import EventRow, Head, JournalReader, event_rows, open_for_reading
from controller.io.journal.setup import add_meta, configure, library_version

Found = TypeVar("Found")

RecordColumns = tuple[int, bytes, bytes]
"""Number, body and chain hash of a record."""

RECORDS: Final = "SELECT number, body, hash FROM records WHERE number > ? ORDER BY number"


def take_tail(part: Path, damaged: Path, key: bytes) -> int:
    """Add to the journal at ``part`` the records of ``damaged`` that follow its last one; how many.

    Only whole transactions are taken, each by its seal one that was written with the table's ``key``.

    Only what lies behind the last record of ``part`` is read of ``damaged``, which is not changed.

    Raises:
        JournalDamaged: ``part`` cannot be read.
        OSError: ``part`` cannot be written.
    """
    with JournalReader(part) as reader:
        head, sealing = reader.head(), Sealing(key, reader.identity)
    try:
        source = open_for_reading(damaged)
    except (JournalDamaged, NotAJournal):
        return 0
    taken = 0
    try:
        with contextlib.closing(source), contextlib.closing(sqlite3.connect(part, isolation_level=None)) as target:
            configure(target, page_limit=None)
            target.execute("BEGIN IMMEDIATE")
            for rows, seal in transactions(source, head, sealing):
                for record, events in rows:
                    target.execute(INSERT["records"], record)
                    target.executemany(INSERT["events"], events)
                target.execute(INSERT["seals"], seal)
                taken += len(rows)
            if not taken:
                return 0
            add_meta(target, "sqlite", library_version())
            target.execute("COMMIT")
            target.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except SQLITE_ERRORS as error:
        raise OSError(f"the damaged journal's end cannot be added: {error}") from error
    return taken


def transactions(
    source: sqlite3.Connection, head: Head, sealing: Sealing
) -> Iterator[tuple[list[tuple[RecordColumns, list[EventRow]]], Seal]]:
    """The transactions after ``head``, each with its seal, up to the first that the table has not written."""
    rows: list[tuple[RecordColumns, list[EventRow]]] = []
    for record, events in following(source, head):
        rows.append((record, events))
        seal = _seal_of(source, record[0])
        if seal is None:
            continue
        if not sealing.is_ours(seal, record[2]):
            return
        yield rows, seal
        rows = []


def _seal_of(source: sqlite3.Connection, number: int) -> Seal | None:
    """The seal of a record, as far as it can be read; what is wrong with it shows when it is checked."""
    try:
        row = source.execute("SELECT * FROM seals WHERE number = ?", (number,)).fetchone()
    except SQLITE_ERRORS:
        return None
    if row is None or not all(isinstance(one, bytes) for one in row[1:]):
        return None
    seal = Seal(*row)
    return seal if seal.digest == seal_digest(number, seal.root, seal.mac, seal.signature) else None


def following(source: sqlite3.Connection, head: Head) -> Iterator[tuple[RecordColumns, list[EventRow]]]:
    """The records after ``head``, each with its events, up to the first that does not follow from the one before."""
    previous, number, seq = head.hash, head.number, head.seq
    events = readable(event_rows(source, seq + 1, -1))
    waiting = next(events, None)
    for found in readable(record_rows(source, number)):
        number += 1
        own: list[EventRow] = []
        while waiting is not None and waiting.number == number and waiting.seq == seq + 1:
            own.append(waiting)
            seq += 1
            waiting = next(events, None)
        bodies = [event.body for event in own]
        plain = all(isinstance(body, bytes) for body in (found[1], *bodies))
        if found[0] != number or not plain or chain(previous, number, found[1], bodies) != found[2]:
            return
        yield (number, found[1], found[2]), own
        previous = found[2]


def record_rows(source: sqlite3.Connection, number: int) -> Iterator[tuple[int, bytes, bytes]]:
    """Number, body and hash of the records after ``number``, in order."""
    yield from source.execute(RECORDS, (number,))


def readable(rows: Iterator[Found]) -> Iterator[Found]:
    """Rows of a damaged journal, up to where it cannot be read."""
    with contextlib.suppress(*SQLITE_ERRORS):
        yield from rows
