"""Whether a journal is whole: every row, every digest, every hash of the chain; and where it is not.

The rows come from whoever reads the file. What SQLite keeps between them, and reads nothing from, is not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

from controller.formats.journal.merkle_tree import NODE_BYTES, CompactRange, leaf_hash
from controller.formats.journal.records import Identity, chained, eight_bytes, genesis, record_lead
from controller.formats.journal.schema import (
    APPLICATION_ID,
    DEFINITIONS,
    FORMAT,
    TABLES,
    ack_digest,
    checkpoint_digest,
    meta_digest,
    published_digest,
)
from controller.formats.journal.seals import seal_digest
from controller.formats.journal.stream import stream_genesis, stream_hash

COPY_COOKIE: Final = 1
"""The schema cookie that SQLite's online backup gives a copy of a journal; a journal begun by us has more."""

COPY_LIBRARIES: Final = range(3_037_000, 4_000_000)
"""The versions of SQLite that may write a copy; what opens a journal as ours notes its own version in it."""

LEAVES_AT_ONCE: Final = 256
"""Held before they are added to the tree, unless a seal or a checkpoint asks for it sooner."""

SqlRow = tuple[Any, ...]
"""The columns of a row as SQLite gives them, the key first."""

BEGUN_WITH: Final = frozenset(
    {"site", "table", "epoch", "created_wall_ns", "format", "key", "follows", "who", "witness", "why", "order"}
)
"""Facts that a journal states once: whose it is, how it was begun and the mark of its key.

Readers go by what is stated last, and nothing seals it: stated again it would give the journal another name, or other
people who began it.
"""

NO_EVENT: Final[SqlRow] = (0, None, b"")
"""Stands behind the last event, and belongs to no record."""


class Contents(NamedTuple):
    """A journal as the library reads it, at one moment."""

    application_id: int
    user_version: int
    schema_cookie: int
    library: int
    """The version of SQLite that last wrote the file's header."""
    definitions: tuple[SqlRow, ...]
    """Type, name, table and statement of each object, in the order of creation."""
    rows: Callable[[str], Iterator[SqlRow]]
    """The rows of a table in the order of their keys."""


class ChainState(NamedTuple):
    """What a whole journal comes to at a record that has a checkpoint: where a check may begin, or what it must reach.

    Two checks, one of which reaches the state with which the other begins, find together what one of both finds.
    """

    records: int
    chain: bytes
    """The chain hash after the last of them."""
    events: int
    mark: int
    """The row of the last mark of what was published among these events; 0: there is none."""
    marked: int
    """The event that it marks, from which the stream is hashed on."""
    stream: bytes
    """The hash of the stream at that event."""
    tree: CompactRange


class Damage(Exception):  # noqa: N818 - named for what it is
    """The first thing found wrong; the text says where it is and what is wrong with it."""


class CheckReport(NamedTuple):
    """What a check found. ``damage`` is None for a whole journal, else one line.

    ``head`` is the chain hash after the last record, ``stream`` the hash of the stream after the last event, in hex.
    """

    damage: str | None
    identity: Identity | None = None
    records: int = 0
    events: int = 0
    head: str = ""
    stream: str = ""
    is_otherwise_sealed: bool = False
    """Whether it is damaged by this alone: not even its first transaction was sealed with the key that was given."""


def examine(contents: Contents, begun: ChainState | None = None) -> CheckReport:
    """Check a journal row by row, or what follows a state that is vouched for; holds a few rows at a time.

    With ``begun`` the rows are those behind it, of the events those behind the one that is marked.
    """
    try:
        _check_definitions(contents)
        identity = _check_meta(contents)
        begun = begun or beginning(identity)
        marks = _Marks(_numbered(contents, "published", begun.mark), begun)
        beside = _Beside(contents.rows("seals"), contents.rows("checkpoints"), begun.tree)
        records, events, head, stream = _check_chain(contents, begun, marks, beside)
        marks.end(events)
        beside.end(records)
        _check_acks(_numbered(contents, "acks"), events)
    except Damage as damage:
        return CheckReport(damage=str(damage))
    return CheckReport(None, identity, records, events, head.hex(), stream.hex())


def beginning(identity: Identity) -> ChainState:
    """The state of a journal before its first record."""
    return ChainState(0, genesis(identity), 0, 0, 0, stream_genesis(identity), CompactRange())


def reaches(contents: Contents, begun: ChainState | None, end: ChainState) -> bool:
    """Whether the records behind one state, None for the beginning, are whole and come to another.

    The rows of ``contents`` are as ``examine`` has them, the records none behind that other state.
    """
    try:
        begun = begun or beginning(_check_meta(contents))
        marks = _Marks(_numbered(contents, "published", begun.mark), begun)
        beside = _Beside(contents.rows("seals"), contents.rows("checkpoints"), begun.tree)
        records, events, head, _ = _check_chain(contents, begun, marks, beside, end.records)
    except Damage:
        return False
    return ChainState(records, head, events, *marks.last, beside.tree()) == end


def _check_definitions(contents: Contents) -> None:
    if (contents.application_id, contents.user_version) != (APPLICATION_ID, FORMAT):
        raise Damage(f"header: application id {contents.application_id:#x}, format {contents.user_version}")
    if len(contents.definitions) != len(DEFINITIONS):
        raise Damage(f"{len(contents.definitions)} definitions, expected {len(DEFINITIONS)}")
    for row, (name, sql) in zip(contents.definitions, DEFINITIONS.items(), strict=True):
        kind, about = ("table", name) if name in TABLES else ("trigger", name.split("_", maxsplit=1)[0])
        if row != (kind, name, about, sql):
            raise Damage(f"the definition of {name} is not ours")


def _numbered(contents: Contents, table: str, after: int = 0) -> Iterator[SqlRow]:
    """The rows of a table whose keys count from 1, behind one of them."""
    for expected, row in enumerate(contents.rows(table), start=after + 1):
        if row[0] != expected:
            raise _gap(table, expected, row[0])
        yield row


def _gap(table: str, expected: int, found: int) -> Damage:
    return Damage(f"{table}: row {expected} is missing, row {found} stands in its place")


def _check_meta(contents: Contents) -> Identity:
    facts: dict[str, list[str]] = {}
    for number, key, value, digest in _numbered(contents, "meta"):
        if not isinstance(key, str) or not isinstance(value, str) or digest != meta_digest(number, key, value):
            raise Damage(f"meta: row {number} does not fit its digest")
        if key in facts and key in BEGUN_WITH:
            raise Damage(f"meta: row {number} states {key} again, which a journal states once")
        facts.setdefault(key, []).append(value)
    # SQLite sets the cookie anew in a copy: 1 by its online backup, one more by VACUUM INTO.
    begun, cookie = facts.get("schema_version", []), contents.schema_cookie
    is_copy = (cookie == COPY_COOKIE or str(cookie - 1) in begun) and contents.library in COPY_LIBRARIES
    if not is_copy and str(cookie) not in begun:
        raise Damage(f"header: schema cookie {cookie}: something changed the journal's definitions")
    if not is_copy and str(contents.library) not in facts.get("sqlite", []):
        raise Damage(f"header: last written by SQLite {contents.library}, which never opened this journal")
    try:
        return Identity(site=facts["site"][0], table=facts["table"][0], epoch=int(facts["epoch"][0]))
    except (KeyError, ValueError) as error:
        raise Damage("meta: it does not say whose journal this is") from error


def _check_chain(
    contents: Contents, begun: ChainState, marks: _Marks, beside: _Beside, last: int | None = None
) -> tuple[int, int, bytes, bytes]:
    """How many records and events there are, the last chain hash, and the hash of the stream.

    ``last``: the number of the last record that is looked at; None: of all.
    """
    events = contents.rows("events")
    seq, stream, waiting = _streamed(events, begun)
    previous, records = begun.chain, begun.records
    for records, (number, body, own) in enumerate(contents.rows("records"), start=begun.records + 1):
        if number != records:
            raise _gap("records", records, number)
        if not isinstance(body, bytes):
            raise Damage(f"record {number}: its body is not bytes")
        before, parts = seq, [record_lead(number, len(body)), body]
        streams: list[bytes] = []
        while waiting[1] == number:
            seq += 1
            place, _, event = waiting
            if place != seq:
                raise _gap("events", seq, place)
            if not isinstance(event, bytes):
                raise Damage(f"event {seq}: its body is not bytes")
            parts += (eight_bytes(len(event)), event)
            stream = stream_hash(stream, event)
            streams.append(stream)
            waiting = next(events, NO_EVENT)
        # What the chain and the tree cover, as ``record_fields`` has it.
        fields = b"".join(parts)
        if chained(previous, fields) != own:
            if waiting[0] > seq + 1:
                raise _gap("events", seq + 1, waiting[0])
            which = f" or its events {before + 1} to {seq}" if streams else ""
            raise Damage(f"record {number}{which}: not what was committed, the chain hash differs")
        previous = own
        beside.pass_record(number, fields)
        if seq > before:
            marks.pass_events(before, streams)
    if last is None and waiting is not NO_EVENT:
        raise Damage(f"event {waiting[0]}: belongs to record {waiting[1]!r}, which is not there")
    return records, seq, previous, stream


def _streamed(events: Iterator[SqlRow], begun: ChainState) -> tuple[int, bytes, SqlRow]:
    """The number of events of a state, the hash of the stream at the last of them, and the event behind it."""
    seq, stream, waiting = begun.marked, begun.stream, next(events, NO_EVENT)
    while seq < begun.events:
        seq += 1
        place, _, event = waiting
        if place != seq or not isinstance(event, bytes):
            raise _gap("events", seq, place)
        stream, waiting = stream_hash(stream, event), next(events, NO_EVENT)
    return seq, stream, waiting


class _Marks:
    """Holds the marks of what was published against the events they mark, as these pass."""

    def __init__(self, rows: Iterator[SqlRow], begun: ChainState) -> None:
        self.last = begun.mark, begun.marked, begun.stream
        """The last mark that has been held: its row, its event and the hash of the stream there."""
        self._rows = rows
        self._next = self._read(begun.marked)
        if self._next is not None and self._next[1] <= begun.events:
            raise Damage(f"published: row {self._next[0]} names event {self._next[1]}, before the check begins")

    def pass_events(self, before: int, streams: list[bytes]) -> None:
        """The events that follow event ``before``, as the hashes of the stream behind each."""
        while self._next is not None and self._next[1] <= before + len(streams):
            row, seq, marked = self._next
            if marked != streams[seq - before - 1]:
                raise Damage(f"published: row {row} has not the hash of the stream at event {seq}")
            self.last = self._next
            self._next = self._read(seq)

    def end(self, events: int) -> None:
        """There are no more events."""
        if self._next is not None:
            raise Damage(f"published: row {self._next[0]} names event {self._next[1]}, of {events}")

    def _read(self, after: int) -> tuple[int, int, bytes] | None:
        """The next mark, which is of an event behind ``after``."""
        row = next(self._rows, None)
        if row is None:
            return None
        number, seq, marked, digest = row
        if not isinstance(seq, int) or not isinstance(marked, bytes):
            raise Damage(f"published: row {number} has the wrong columns")
        if digest != published_digest(number, seq, marked):
            raise Damage(f"published: row {number} does not fit its digest")
        if seq <= after:
            raise Damage(f"published: row {number} names event {seq} after {after}")
        return number, seq, marked


class _Beside:
    """Holds seals and checkpoints against the tree of the records they belong to, as these pass."""

    def __init__(self, seals: Iterator[SqlRow], checkpoints: Iterator[SqlRow], begun: CompactRange) -> None:
        self._seals = seals
        self._checkpoints = checkpoints
        self._grown = begun
        self._leaves: list[bytes] = []
        """Of the records behind it."""
        self._sealed = 0
        self._seal = next(seals, None)
        self._checkpoint = next(checkpoints, None)

    def pass_record(self, number: int, fields: bytes) -> None:
        """The next record, as its hashes cover it (``record_fields``)."""
        self._leaves.append(leaf_hash(fields))
        if len(self._leaves) == LEAVES_AT_ONCE:
            self.tree()
        if self._seal is not None and self._seal[0] == number:
            root, mac, signature, digest = _blobs(self._seal, "seal", 4)
            if digest != seal_digest(number, root, mac, signature) or len(root) != NODE_BYTES:
                raise Damage(f"seal {number}: does not fit its digest")
            if root != self.tree().root():
                raise Damage(f"seal {number}: not the root of the tree of records 1 to {number}")
            self._sealed, self._seal = number, next(self._seals, None)
        if self._checkpoint is not None and self._checkpoint[0] == number:
            sealed, compact_range, digest = _blobs(self._checkpoint, "checkpoint", 3)
            if digest != checkpoint_digest(number, sealed, compact_range):
                raise Damage(f"checkpoint {number}: does not fit its digest")
            if compact_range != self.tree().data():
                raise Damage(f"checkpoint {number}: not the compact range of the tree of records 1 to {number}")
            self._checkpoint = next(self._checkpoints, None)

    def tree(self) -> CompactRange:
        """Of all records that have passed."""
        if self._leaves:
            self._grown, self._leaves = self._grown.appended(*self._leaves), []
        return self._grown

    def end(self, records: int) -> None:
        """There are no more records."""
        for row, what in ((self._seal, "seal"), (self._checkpoint, "checkpoint")):
            if row is not None:
                raise Damage(f"{what} {row[0]}: there is no such record, or it is out of order")
        if self._sealed != records:
            raise Damage(f"records {self._sealed + 1} to {records} are not sealed: nobody with the key wrote them")


def _blobs(row: SqlRow, what: str, count: int) -> list[bytes]:
    """The columns behind a row's key, which are all bytes."""
    found = [one for one in row[1:] if isinstance(one, bytes)]
    if len(found) != count:
        raise Damage(f"{what} {row[0]}: does not fit its digest")
    return found


def _check_acks(rows: Iterator[SqlRow], events: int) -> None:
    last: dict[str, int] = {}
    for number, consumer, seq, digest in rows:
        if not isinstance(consumer, str) or not isinstance(seq, int) or digest != ack_digest(number, consumer, seq):
            raise Damage(f"acks: row {number} does not fit its digest")
        if not last.get(consumer, -1) < seq <= events:
            raise Damage(f"acks: row {number} names event {seq}, of {events}")
        last[consumer] = seq
