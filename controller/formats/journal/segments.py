"""Segments: the rows of a journal once more, as plain files in a format of their own.

A journal's second copy is a folder of segments. Each begins with ``MAGIC`` and a frame that says whose journal it is
and which rows came before it; then come *batches*: frames of one row each, in the order they were committed, closed by
a *mark* that says how far the copy has come and the chain hash there. What follows the last mark counts for nothing.

A frame is the length of its payload (4 bytes, big-endian), its kind (1 byte), the payload (MessagePack), and the CRC-32
of all of these. A row's payload is the list of its columns as the journal has them, so the hash of a record and the
digest of any other row come with it: a row is held against its check value, its digest or the chain, and its place.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import msgspec

from controller.formats.journal.records import HASH_BYTES, Identity, chain, genesis
from controller.formats.journal.schema import ack_digest, checkpoint_digest, meta_digest, published_digest
from controller.formats.journal.seals import seal_digest

MAGIC: Final = b"tableside.segment.2\n"
"""How every segment begins."""

FRAME_LIMIT: Final = 256 * 1024 * 1024
"""Bytes of a frame; a length beyond is none."""

_START: Final = b"s"
_MARK: Final = b"k"
_MARKED: Final = b"tableside.segment.mark "
"""Leads the payload of a mark, so that one can be looked for behind damage."""

_OVERHEAD: Final = 9
_KINDS: Final = {
    "records": b"r",
    "events": b"e",
    "checkpoints": b"c",
    "seals": b"l",
    "published": b"p",
    "acks": b"a",
    "meta": b"m",
}
_SPARSE: Final = frozenset({"checkpoints", "seals"})
"""Tables whose key is that of a record, and not of every one."""

_TABLES: Final = {kind: table for table, kind in _KINDS.items()}
_COLUMNS: Final[dict[str, Any]] = {
    "records": tuple[int, bytes, bytes],
    "events": tuple[int, int, bytes],
    "checkpoints": tuple[int, bytes, bytes, bytes],
    "seals": tuple[int, bytes, bytes, bytes, bytes],
    "published": tuple[int, int, bytes, bytes],
    "acks": tuple[int, str, int, bytes],
    "meta": tuple[int, str, str, bytes],
}
_Place = tuple[int, int, int, int, int, int, int]


class SegmentDamaged(Exception):  # noqa: N818 - named for what happened
    """A segment is not what was written; the text says where and what is wrong with it."""


class Cursors(NamedTuple):
    """The last key of each table of a journal that a copy has; 0: none. The fields are named as the tables."""

    records: int = 0
    events: int = 0
    checkpoints: int = 0
    seals: int = 0
    published: int = 0
    acks: int = 0
    meta: int = 0

    def is_within(self, other: Cursors) -> bool:
        """Whether ``other`` has come as far in every table."""
        return all(mine <= its for mine, its in zip(self, other, strict=True))


class JournalRow(NamedTuple):
    """A row of a journal: its table and its columns, the key first."""

    table: str
    values: tuple[Any, ...]


class CopyPosition(NamedTuple):
    """How far a copy has come: the rows it has, and the chain hash after its last record."""

    rows: Cursors
    hash: bytes


class Batch(NamedTuple):
    """Rows that were written and synced together, and where these leave the copy; bytes ``first`` to ``end`` - 1."""

    rows: tuple[JournalRow, ...]
    reached: CopyPosition
    first: int
    end: int


class Segment(NamedTuple):
    """What can be read of a segment.

    ``start`` is how far the copy had come before it. ``whole_bytes`` of it are whole, up to the last mark. ``fault``
    says why reading ended before the end of the file, empty if it did not; ``is_torn``: as a write cut off leaves it,
    with no mark behind the fault.
    """

    identity: Identity
    start: CopyPosition
    batches: tuple[Batch, ...]
    whole_bytes: int
    fault: str = ""
    is_torn: bool = False

    @property
    def reached(self) -> CopyPosition:
        """How far the copy has come with this segment."""
        return self.batches[-1].reached if self.batches else self.start


def beginning(identity: Identity) -> CopyPosition:
    """Where the copy of a journal begins."""
    return CopyPosition(Cursors(), genesis(identity))


def start_bytes(identity: Identity, start: CopyPosition) -> bytes:
    """How a segment begins that follows ``start``."""
    whose = (identity.site, identity.table, identity.epoch)
    return MAGIC + _frame(_START, msgspec.msgpack.encode((whose, start.rows, start.hash)))


def batch_bytes(rows: Iterable[JournalRow], reached: CopyPosition) -> bytes:
    """A batch that brings the copy to ``reached``. An event follows its record, or another event of it."""
    frames = [_frame(_KINDS[row.table], msgspec.msgpack.encode(row.values)) for row in rows]
    mark = _frame(_MARK, _MARKED + msgspec.msgpack.encode((reached.rows, reached.hash)))
    return b"".join((*frames, mark))


def reached_after(start: CopyPosition, rows: Iterable[JournalRow]) -> CopyPosition:
    """How far a copy has come with ``rows``.

    Raises:
        SegmentDamaged: a row does not follow, or does not fit its digest or the chain.
    """
    following = _Following(start)
    for row in rows:
        following.take(row)
    return following.close()


def read_start(data: bytes) -> tuple[Identity, CopyPosition, int]:
    """Whose segment it is, what came before it, and where its batches begin; ``data`` may be its first bytes only.

    Raises:
        SegmentDamaged: it does not begin as a segment does.
    """
    if data[: len(MAGIC)] != MAGIC:
        raise SegmentDamaged("byte 0: does not begin as a segment does")
    kind, payload, end = _read_frame(data, len(MAGIC))
    try:
        whose, rows, hashed = msgspec.msgpack.decode(payload, type=tuple[tuple[str, str, int], _Place, bytes])
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SegmentDamaged(f"byte {len(MAGIC)}: does not say whose it is: {error}") from error
    if kind != _START or len(hashed) != HASH_BYTES:
        raise SegmentDamaged(f"byte {len(MAGIC)}: does not say whose it is")
    return Identity(*whose), CopyPosition(Cursors(*rows), hashed), end


def read_segment(data: bytes) -> Segment:
    """What is whole of a segment; every row is held against its digest or the chain, and its place.

    Raises:
        SegmentDamaged: it does not begin as a segment does, so that nothing of it can be placed.
    """
    identity, start, whole = read_start(data)
    batches: list[Batch] = []
    rows: list[JournalRow] = []
    following, at = _Following(start), whole
    while at < len(data):
        begun = at
        try:
            kind, payload, at = _read_frame(data, begun)
            if kind == _MARK:
                reached = _read_mark(payload, following.close())
                batches.append(Batch(tuple(rows), reached, whole, at))
                rows, whole = [], at
            else:
                row = _read_row(kind, payload)
                following.take(row)
                rows.append(row)
        except SegmentDamaged as damage:
            fault = f"byte {begun}: {damage}"
            return Segment(identity, start, tuple(batches), whole, fault, not _has_mark(data, begun))
    fault = f"byte {whole}: a batch without its mark" if whole < len(data) else ""
    return Segment(identity, start, tuple(batches), whole, fault, bool(fault))


# --- frames -------------------------------------------------------------------------------------------


def _frame(kind: bytes, payload: bytes) -> bytes:
    plain = len(payload).to_bytes(4, "big") + kind + payload
    return plain + zlib.crc32(plain).to_bytes(4, "big")


def _read_frame(data: bytes, at: int) -> tuple[bytes, bytes, int]:
    """A frame's kind and payload, and where the next begins."""
    length = int.from_bytes(data[at : at + 4], "big")
    end = at + length + _OVERHEAD
    if length > FRAME_LIMIT or end > len(data):
        raise SegmentDamaged("no whole frame")
    if zlib.crc32(data[at : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
        raise SegmentDamaged("a frame does not fit its check value")
    return data[at + 4 : at + 5], data[at + 5 : end - 4], end


def _read_row(kind: bytes, payload: bytes) -> JournalRow:
    table = _TABLES.get(kind)
    if table is None:
        raise SegmentDamaged(f"a frame of kind {kind!r}")
    try:
        return JournalRow(table, msgspec.msgpack.decode(payload, type=_COLUMNS[table]))
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SegmentDamaged(f"a row of {table} cannot be read: {error}") from error


def _read_mark(payload: bytes, wanted: CopyPosition) -> CopyPosition:
    """How far the copy has come by its own rows, which the mark must agree with."""
    if not payload.startswith(_MARKED):
        raise SegmentDamaged("a mark that is none")
    try:
        rows, hashed = msgspec.msgpack.decode(payload[len(_MARKED) :], type=tuple[_Place, bytes])
    except msgspec.DecodeError as error:
        raise SegmentDamaged(f"a mark cannot be read: {error}") from error
    if CopyPosition(Cursors(*rows), hashed) != wanted:
        raise SegmentDamaged("the mark is not of the rows before it")
    return wanted


def _has_mark(data: bytes, at: int) -> bool:
    """Whether a whole mark lies behind byte ``at``: then what lies there had been synced."""
    found = data.find(_MARKED, at)
    while found >= 0:
        try:
            kind, _, _ = _read_frame(data, found - 5)
        except SegmentDamaged:
            kind = b""
        if kind == _MARK:
            return True
        found = data.find(_MARKED, found + 1)
    return False


# --- rows ---------------------------------------------------------------------------------------------


class _Following:
    """Takes rows in order and holds each against what came before it."""

    def __init__(self, start: CopyPosition) -> None:
        self._at = start.rows._asdict()
        self._hash = start.hash
        self._record: tuple[int, bytes, bytes] | None = None
        self._events: list[bytes] = []

    def take(self, row: JournalRow) -> None:
        """The next row.

        Raises:
            SegmentDamaged: it does not follow.
        """
        table, values = row
        key = values[0]
        if table != "events":
            self._close_record()
        expected = self._at[table] + 1
        if key < expected or (key > expected and table not in _SPARSE):
            raise SegmentDamaged(f"row {key} of {table} where row {expected} is due")
        self._at[table] = key
        match table:
            case "records":
                self._record = (values[0], values[1], values[2])
            case "events":
                if self._record is None or self._record[0] != values[1]:
                    raise SegmentDamaged(f"event {key} does not follow its record {values[1]}")
                self._events.append(values[2])
            case "checkpoints":
                _fits(table, key, values[-1], checkpoint_digest(key, values[1], values[2]))
            case "seals":
                _fits(table, key, values[-1], seal_digest(key, values[1], values[2], values[3]))
            case "published":
                _fits(table, key, values[-1], published_digest(key, values[1], values[2]))
            case "acks":
                _fits(table, key, values[-1], ack_digest(key, values[1], values[2]))
            case _:
                _fits(table, key, values[-1], meta_digest(key, values[1], values[2]))

    def close(self) -> CopyPosition:
        """The batch is over."""
        self._close_record()
        return CopyPosition(Cursors(**self._at), self._hash)

    def _close_record(self) -> None:
        if self._record is None:
            return
        number, body, own = self._record
        if chain(self._hash, number, body, self._events) != own:
            raise SegmentDamaged(f"record {number} or its events: not what was committed, the chain hash differs")
        self._hash, self._record, self._events = own, None, []


def _fits(table: str, key: int, digest: object, wanted: bytes) -> None:
    if digest != wanted:
        raise SegmentDamaged(f"row {key} of {table} does not fit its digest")
