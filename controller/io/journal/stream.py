"""The stream of events as it lies in a journal: read and checked, marked as published, acknowledged by consumers."""

from __future__ import annotations

import collections
import sqlite3
from collections.abc import Iterable, Iterator
from typing import Final

from controller.formats.journal.records import Identity, chain, genesis
from controller.formats.journal.schema import ack_digest, published_digest
from controller.formats.journal.stream import stream_genesis, stream_hash
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, cannot_read
from controller.io.journal.reader import EventRow, JournalReader, event_rows

RECENT_LIMIT: Final = 1000
"""Committed events kept in memory until they are marked as published."""

CHECKED_AT_ONCE: Final = 1000
"""Events read between two looks at their records."""

HASHED_AT_ONCE: Final = 500
"""Events: a few milliseconds of the writer's thread."""

StreamMark = tuple[int, bytes]
"""An event's seq and the hash of the stream there; seq 0 is the beginning."""


def checked_events(connection: sqlite3.Connection, identity: Identity, after: int, limit: int) -> tuple[EventRow, ...]:
    """Up to ``limit`` events following event ``after``, each held against the chain hash of its record.

    Raises:
        JournalDamaged: one of them is not what was committed.
    """
    rows = tuple(event_rows(connection, after + 1, limit))
    if not rows:
        return ()
    if [row.seq for row in rows] != list(range(after + 1, after + 1 + len(rows))):
        raise JournalDamaged(f"an event that follows event {after} is missing")
    around = [
        *_same_record(connection, rows[0], "<", "DESC")[::-1],
        *rows,
        *_same_record(connection, rows[-1], ">", "ASC"),
    ]
    bodies: dict[int, list[bytes]] = {}
    for row in around:
        bodies.setdefault(row.number, []).append(row.body)
    for number, own in bodies.items():
        _check_record(connection, identity, number, own)
    return rows


def every_checked_event(reader: JournalReader, first: int = 1, last: int | None = None) -> Iterator[EventRow]:
    """The events from seq ``first`` to ``last`` (None: the last there is), each held against its record's chain hash.

    What is counted from these is what was committed; ``JournalReader.events`` gives whatever the file says.

    Raises:
        JournalDamaged: the journal cannot be read, or one of them is not what was committed; those given are.
    """
    end = reader.head().seq
    last = end if last is None else min(last, end)
    seq = first - 1
    while seq < last:
        try:
            rows = checked_events(reader.connection, reader.identity, seq, min(CHECKED_AT_ONCE, last - seq))
        except JournalDamaged as error:
            raise JournalDamaged(f"{reader.path}: {error}") from error
        except SQLITE_ERRORS as error:
            raise cannot_read(reader.path, error) from error
        yield from rows
        seq = rows[-1].seq


def _same_record(connection: sqlite3.Connection, at: EventRow, side: str, order: str) -> list[EventRow]:
    """The events beside ``at`` that belong to its record."""
    found: list[EventRow] = []
    query = f"SELECT seq, number, body FROM events WHERE seq {side} ? ORDER BY seq {order}"  # noqa: S608 - our own words
    for row in connection.execute(query, (at.seq,)):
        if row[1] != at.number:
            break
        found.append(EventRow(*row))
    return found


def _check_record(connection: sqlite3.Connection, identity: Identity, number: int, events: list[bytes]) -> None:
    query = "SELECT number, body, hash FROM records WHERE number IN (?, ?) ORDER BY number"
    found = {row[0]: (row[1], row[2]) for row in connection.execute(query, (number - 1, number))}
    before = genesis(identity) if number == 1 else found.get(number - 1, (b"", b""))[1]
    body, own = found.get(number, (b"", b""))
    if chain(before, number, body, events) != own:
        raise JournalDamaged(f"record {number} or its events are not what was committed")


def last_mark(connection: sqlite3.Connection, identity: Identity) -> StreamMark:
    """The last event marked as published.

    Raises:
        JournalDamaged: the mark is not what was written.
    """
    # The last mark is the highest: reading one row, where the maximum would read them all.
    row = connection.execute("SELECT id, seq, hash, digest FROM published ORDER BY id DESC LIMIT 1").fetchone()
    return _mark(row, identity)


def mark_at(connection: sqlite3.Connection, identity: Identity, seq: int) -> StreamMark:
    """The last mark that is not behind event ``seq``.

    Raises:
        JournalDamaged: the mark is not what was written.
    """
    (last,) = connection.execute("SELECT coalesce(max(id), 0) FROM published").fetchone()
    # Marks lie in the order of their events: a search by halves needs no index.
    low, high = 0, int(last)
    while low < high:
        middle = (low + high + 1) // 2
        row = connection.execute("SELECT seq FROM published WHERE id = ?", (middle,)).fetchone()
        low, high = (middle, high) if row is not None and row[0] <= seq else (low, middle - 1)
    return _mark(
        connection.execute("SELECT id, seq, hash, digest FROM published WHERE id = ?", (low,)).fetchone(), identity
    )


def _mark(row: tuple[int, int, bytes, bytes] | None, identity: Identity) -> StreamMark:
    if row is None:
        return 0, stream_genesis(identity)
    number, seq, hashed, digest = row
    if published_digest(number, seq, hashed) != digest:
        raise JournalDamaged(f"published: row {number} does not fit its digest")
    return seq, hashed


def stream_at(
    connection: sqlite3.Connection, identity: Identity, seq: int, start: StreamMark | None = None
) -> StreamMark:
    """Event ``seq`` and the hash of the stream there, going on from ``start`` or the nearest mark.

    Raises:
        JournalDamaged: an event on the way is missing or not what was committed.
    """
    at, hashed = mark_at(connection, identity, seq) if start is None else start
    while at < seq:
        rows = checked_events(connection, identity, at, min(seq - at, 1000))
        if not rows:
            raise JournalDamaged(f"event {at + 1} is missing")
        for row in rows:
            hashed = stream_hash(hashed, row.body)
        at = rows[-1].seq
    return at, hashed


def piece_of_stream(connection: sqlite3.Connection, *, identity: Identity, seq: int, start: StreamMark) -> StreamMark:
    """As ``stream_at``, but so few events on from ``start`` that other work does not wait long for it."""
    return stream_at(connection, identity, min(seq, start[0] + HASHED_AT_ONCE), start)


def mark_published(connection: sqlite3.Connection, identity: Identity, seq: int) -> StreamMark:
    """Mark every event up to ``seq`` as published; lower than before changes nothing. The last mark.

    Raises:
        JournalDamaged: as ``stream_at``.
    """
    last = last_mark(connection, identity)
    if seq <= last[0]:
        return last
    return add_mark(connection, stream_at(connection, identity, seq, last))


def add_mark(connection: sqlite3.Connection, mark: StreamMark) -> StreamMark:
    """Mark every event up to that of ``mark`` as published, whose hash is known; lower than before changes nothing."""
    # The last mark is the highest: reading one row, where the maximum would read them all.
    last, seq = connection.execute("SELECT id, seq FROM published ORDER BY id DESC LIMIT 1").fetchone() or (0, 0)
    if mark[0] > seq:
        row = last + 1
        connection.execute("INSERT INTO published VALUES (?, ?, ?, ?)", (row, *mark, published_digest(row, *mark)))
    return mark


class StreamProgress:
    """How far the broker has taken the stream, and the stream's hash there, as far as memory tells.

    Events are taken (``add``) as they are committed; a gap, as after a start, is closed by a mark from the journal
    (``at``).
    """

    def __init__(self) -> None:
        self.mark: StreamMark = (0, b"")
        """The last event passed; its hash is empty until it is known."""
        self._recent: collections.deque[tuple[int, bytes]] = collections.deque(maxlen=RECENT_LIMIT)

    def add(self, events: Iterable[tuple[int, bytes]]) -> None:
        """These have been committed, in order."""
        self._recent.extend(events)

    def at(self, mark: StreamMark) -> None:
        """The journal says so."""
        if mark[0] >= self.mark[0]:
            self.mark = mark

    def move_on(self, seq: int) -> None:
        """The broker has every event up to ``seq``; what memory has a gap before is left to the journal."""
        at, hashed = self.mark
        while hashed and at < seq and self._recent and self._recent[0][0] <= at + 1:
            number, body = self._recent.popleft()
            if number == at + 1:
                at, hashed = number, stream_hash(hashed, body)
        self.mark = at, hashed


def note_ack(connection: sqlite3.Connection, consumer: str, seq: int) -> None:
    """Keep what a consumer says it holds; lower than before changes nothing."""
    if seq > read_acks(connection).get(consumer, -1):
        (row,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM acks").fetchone()
        connection.execute("INSERT INTO acks VALUES (?, ?, ?, ?)", (row, consumer, seq, ack_digest(row, consumer, seq)))


def read_acks(connection: sqlite3.Connection) -> dict[str, int]:
    """What each consumer last said it holds.

    Nobody holds an event that is not there yet: a row that says so was added by a program that lacks the key, and would
    keep a consumer's silence from ever being seen. ``verify`` names the row.
    """
    (last,) = connection.execute("SELECT coalesce(max(seq), 0) FROM events").fetchone()
    found = connection.execute("SELECT consumer, max(seq) FROM acks WHERE seq <= ? GROUP BY consumer", (last,))
    return dict(found)
