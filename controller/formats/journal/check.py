"""Whether a journal is whole: every page, every row, every hash; and where it is not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from controller.formats.journal.merkle_tree import NODE_BYTES, CompactRange
from controller.formats.journal.records import Identity, chain, genesis
from controller.formats.journal.schema import (
    APPLICATION_ID,
    DEFINITIONS,
    FORMAT,
    PAGE_BYTES,
    TABLES,
    ack_digest,
    checkpoint_digest,
    meta_digest,
    published_digest,
)
from controller.formats.journal.seals import seal_digest
from controller.formats.journal.sqlite_pages import Header, Image, PageDamaged, Row
from controller.formats.journal.stream import stream_genesis, stream_hash
from controller.formats.journal.tree_heads import record_leaf

COPY_COOKIE: Final = 1
"""The schema cookie that SQLite's online backup gives a copy of a journal; a journal begun by us has more."""

LIBRARIES: Final = range(3_037_000, 4_000_000)
"""Versions of SQLite that may have written a copy: 3.37, the first with STRICT tables, and whatever comes in 3."""


class Damage(Exception):  # noqa: N818 - named for what it is
    """The first thing found wrong; the text says where it is and what is wrong with it."""


class Report(NamedTuple):
    """What a check found. ``damage`` is None for a whole journal, else one line.

    ``head`` is the chain hash after the last record, ``stream`` the hash of the stream after the last event, in hex.
    """

    damage: str | None
    identity: Identity | None = None
    records: int = 0
    events: int = 0
    head: str = ""
    stream: str = ""


def examine(data: bytes) -> Report:
    """Check a journal given as the bytes of its file, the write-ahead log folded in."""
    try:
        image = Image.of(data, PAGE_BYTES)
    except PageDamaged as damage:
        return Report(damage=str(damage))
    return examine_pages(image)


def examine_pages(image: Image) -> Report:
    """Check a journal page by page; holds a few pages at a time."""
    try:
        header = image.header()
        roots = _check_definitions(image, header)
        identity = _check_meta(_numbered(image, roots, "meta"), header)
        marks = _Marks(_numbered(image, roots, "published"), identity)
        beside = _Beside(image.rows(roots["seals"]), image.rows(roots["checkpoints"]))
        records, events, head = _check_chain(image, roots, identity, marks, beside)
        marks.end()
        beside.end(records)
        _check_acks(_numbered(image, roots, "acks"), events)
        image.check_all_visited()
    except (PageDamaged, Damage) as damage:
        return Report(damage=str(damage))
    return Report(None, identity, records, events, head.hex(), marks.stream.hex())


def _check_definitions(image: Image, header: Header) -> dict[str, int]:
    if (header.application_id, header.user_version) != (APPLICATION_ID, FORMAT):
        raise Damage(f"header: application id {header.application_id:#x}, format {header.user_version}")
    if header.change_counter != header.valid_for:
        raise Damage(f"header: change counter {header.change_counter} was valid for {header.valid_for}")
    roots: dict[str, int] = {}
    rows = list(image.rows(1))
    if len(rows) != len(DEFINITIONS):
        raise Damage(f"page 1: {len(rows)} definitions, expected {len(DEFINITIONS)}")
    for row, (name, sql) in zip(rows, DEFINITIONS.items(), strict=True):
        is_table = name in TABLES
        about = name if is_table else name.split("_", maxsplit=1)[0]
        root = row.columns[3] if len(row.columns) == 5 else None
        wanted = ("table" if is_table else "trigger", name, about, root if is_table else 0, sql)
        if row.columns != wanted or not isinstance(root, int) or row.rowid != len(roots) + 1:
            raise Damage(f"page 1: the definition of {name} is not ours")
        roots[name] = root
    return roots


def _numbered(image: Image, roots: dict[str, int], table: str) -> Iterator[Row]:
    """The rows of a table whose keys count from 1."""
    for expected, row in enumerate(image.rows(roots[table]), start=1):
        if row.rowid != expected:
            raise Damage(f"{table}: row {expected} is missing, row {row.rowid} stands in its place")
        if len(row.columns) != TABLES[table].count(",") + 1 or row.columns[0] is not None:
            raise Damage(f"{table}: row {expected} has the wrong columns")
        yield row


def _check_meta(rows: Iterator[Row], header: Header) -> Identity:
    facts: dict[str, list[str]] = {}
    for row in rows:
        _, key, value, digest = row.columns
        if not isinstance(key, str) or not isinstance(value, str) or digest != meta_digest(row.rowid, key, value):
            raise Damage(f"meta: row {row.rowid} does not fit its digest")
        facts.setdefault(key, []).append(value)
    # Neither field bears on any row. SQLite sets both anew in a copy: 1 by its online backup, one more by VACUUM INTO.
    begun = facts.get("schema_version", [])
    is_copied = header.schema_cookie == COPY_COOKIE or str(header.schema_cookie - 1) in begun
    is_copy = is_copied and header.library in LIBRARIES
    if not is_copy and str(header.schema_cookie) not in begun:
        raise Damage(f"header: schema cookie {header.schema_cookie}")
    if not is_copy and str(header.library) not in facts.get("sqlite", []):
        raise Damage(f"header: last written by SQLite {header.library}, which never opened this journal")
    try:
        return Identity(site=facts["site"][0], table=facts["table"][0], epoch=int(facts["epoch"][0]))
    except (KeyError, ValueError) as error:
        raise Damage("meta: it does not say whose journal this is") from error


def _check_chain(
    image: Image, roots: dict[str, int], identity: Identity, marks: _Marks, beside: _Beside
) -> tuple[int, int, bytes]:
    """How many records and events there are, and the last chain hash."""
    events = _numbered(image, roots, "events")
    waiting = next(events, None)
    previous, records, seq = genesis(identity), 0, 0
    for row in _numbered(image, roots, "records"):
        _, body, own = row.columns
        if not isinstance(body, bytes):
            raise Damage(f"record {row.rowid}: its body is not bytes")
        bodies: list[bytes] = []
        while waiting is not None and waiting.columns[1] == row.rowid:
            if not isinstance(waiting.columns[2], bytes):
                raise Damage(f"event {waiting.rowid}: its body is not bytes")
            bodies.append(waiting.columns[2])
            waiting = next(events, None)
        if chain(previous, row.rowid, body, bodies) != own:
            which = f" or its events {seq + 1} to {seq + len(bodies)}" if bodies else ""
            raise Damage(f"record {row.rowid}{which}: not what was committed, the chain hash differs")
        assert isinstance(own, bytes)
        previous = own
        beside.pass_record(row.rowid, body, bodies)
        for event in bodies:
            seq += 1
            marks.pass_event(seq, event)
        records += 1
    if waiting is not None:
        raise Damage(f"event {waiting.rowid}: belongs to record {waiting.columns[1]!r}, which is not there")
    return records, seq, previous


class _Marks:
    """Holds the marks of what was published against the events they mark, as these pass."""

    def __init__(self, rows: Iterator[Row], identity: Identity) -> None:
        self.stream = stream_genesis(identity)
        self._rows = rows
        self._seq = 0
        self._next = self._read()

    def pass_event(self, seq: int, body: bytes) -> None:
        """The next event."""
        self.stream = stream_hash(self.stream, body)
        self._seq = seq
        if self._next is None or self._next[1] != seq:
            return
        row, _, marked = self._next
        if marked != self.stream:
            raise Damage(f"published: row {row} has not the hash of the stream at event {seq}")
        self._next = self._read()

    def end(self) -> None:
        """There are no more events."""
        if self._next is not None:
            raise Damage(f"published: row {self._next[0]} names event {self._next[1]}, of {self._seq}")

    def _read(self) -> tuple[int, int, bytes] | None:
        row = next(self._rows, None)
        if row is None:
            return None
        _, seq, marked, digest = row.columns
        if not isinstance(seq, int) or not isinstance(marked, bytes):
            raise Damage(f"published: row {row.rowid} has the wrong columns")
        if digest != published_digest(row.rowid, seq, marked):
            raise Damage(f"published: row {row.rowid} does not fit its digest")
        if seq <= self._seq:
            raise Damage(f"published: row {row.rowid} names event {seq} after {self._seq}")
        return row.rowid, seq, marked


class _Beside:
    """Holds seals and checkpoints against the tree of the records they belong to, as these pass."""

    def __init__(self, seals: Iterator[Row], checkpoints: Iterator[Row]) -> None:
        self._seals = seals
        self._checkpoints = checkpoints
        self._tree = CompactRange()
        self._sealed = 0
        self._seal = next(seals, None)
        self._checkpoint = next(checkpoints, None)

    def pass_record(self, number: int, body: bytes, events: list[bytes]) -> None:
        """The next record."""
        self._tree = self._tree.appended(record_leaf(number, body, events))
        if self._seal is not None and self._seal.rowid == number:
            root, mac, signature, digest = _blobs(self._seal, "seal", 4)
            if digest != seal_digest(number, root, mac, signature) or len(root) != NODE_BYTES:
                raise Damage(f"seal {number}: does not fit its digest")
            if root != self._tree.root():
                raise Damage(f"seal {number}: not the root of the tree of records 1 to {number}")
            self._sealed, self._seal = number, next(self._seals, None)
        if self._checkpoint is not None and self._checkpoint.rowid == number:
            sealed, compact_range, digest = _blobs(self._checkpoint, "checkpoint", 3)
            if digest != checkpoint_digest(number, sealed, compact_range):
                raise Damage(f"checkpoint {number}: does not fit its digest")
            if compact_range != self._tree.data():
                raise Damage(f"checkpoint {number}: not the compact range of the tree of records 1 to {number}")
            self._checkpoint = next(self._checkpoints, None)

    def end(self, records: int) -> None:
        """There are no more records."""
        for row, what in ((self._seal, "seal"), (self._checkpoint, "checkpoint")):
            if row is not None:
                raise Damage(f"{what} {row.rowid}: there is no such record, or it is out of order")
        if self._sealed != records:
            raise Damage(f"records {self._sealed + 1} to {records} are not sealed: nobody with the key wrote them")


def _blobs(row: Row, what: str, count: int) -> list[bytes]:
    """The columns behind a row's key, which are all bytes."""
    found = [one for one in row.columns[1:] if isinstance(one, bytes)]
    if len(found) != count or len(row.columns) != count + 1 or row.columns[0] is not None:
        raise Damage(f"{what} {row.rowid}: does not fit its digest")
    return found


def _check_acks(rows: Iterator[Row], events: int) -> None:
    last: dict[str, int] = {}
    for row in rows:
        _, consumer, seq, digest = row.columns
        if not isinstance(consumer, str) or not isinstance(seq, int) or digest != ack_digest(row.rowid, consumer, seq):
            raise Damage(f"acks: row {row.rowid} does not fit its digest")
        if not last.get(consumer, -1) < seq <= events:
            raise Damage(f"acks: row {row.rowid} names event {seq}, of {events}")
        last[consumer] = seq
