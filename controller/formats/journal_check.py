"""Whether a journal is whole: every page, every row, every hash; and where it is not."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from controller.formats.journal_schema import (
    APPLICATION_ID,
    DEFINITIONS,
    FORMAT,
    PAGE_BYTES,
    TABLES,
    checkpoint_digest,
    meta_digest,
    published_digest,
)
from controller.formats.records import Identity, chain, genesis
from controller.formats.sqlite_pages import Header, Image, PageDamaged, Row

WAL_HEADER_BYTES: Final = 32
FRAME_HEADER_BYTES: Final = 24

Order = Literal["<", ">"]


class Damage(Exception):  # noqa: N818 - named for what it is
    """The first thing found wrong; the text says where it is and what is wrong with it."""


class Report(NamedTuple):
    """What a check found. ``damage`` is None for a whole journal, else one line."""

    damage: str | None
    identity: Identity | None = None
    records: int = 0
    events: int = 0
    head: str = ""


def examine(data: bytes) -> Report:
    """Check a journal given as the bytes of its file, the write-ahead log folded in."""
    image = Image(data, PAGE_BYTES)
    try:
        header = image.header()
        roots = _check_definitions(image, header)
        identity = _check_meta(_numbered(image, roots, "meta"), header)
        records, head = _check_chain(image, roots, identity)
        _check_checkpoints(image.rows(roots["checkpoints"]), len(records))
        events = _check_published(_numbered(image, roots, "published"), sum(records))
        image.check_all_visited()
    except (PageDamaged, Damage) as damage:
        return Report(damage=str(damage))
    return Report(damage=None, identity=identity, records=len(records), events=events, head=head.hex())


def wal_damage(data: bytes) -> str | None:
    """What is wrong with a write-ahead log, or None.

    A frame that fails its checksum ends the log (section 4.1), as a power cut in the middle of a transaction does. But
    when another transaction follows, the broken one had been on the disk, and all from there on is lost.
    """
    if len(data) <= WAL_HEADER_BYTES:
        return None
    order: Order = "<" if data[3] % 2 == 0 else ">"
    if data[:3] != b"\x37\x7f\x06" or data[3] not in {0x82, 0x83} or _sum(data[:24], (0, 0), order) != _pair(data, 24):
        return "write-ahead log: its header is damaged"
    salt, running = data[16:24], _pair(data, 24)
    broken, ended = 0, False
    step = FRAME_HEADER_BYTES + PAGE_BYTES
    for at in range(WAL_HEADER_BYTES, len(data) - step + 1, step):
        frame = data[at : at + step]
        ours = frame[8:16] == salt
        if ended and ours:
            return f"write-ahead log: bytes {broken} to {broken + step - 1} are damaged, what follows is lost"
        if not broken and ours:
            running = _sum(frame[FRAME_HEADER_BYTES:], _sum(frame[:8], running, order), order)
        if not ours or running != _pair(frame, 16):
            broken = broken or at
        ended = bool(broken) and (ended or frame[4:8] != bytes(4))
    return None


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
    if str(header.schema_cookie) not in facts.get("schema_version", []):
        raise Damage(f"header: schema cookie {header.schema_cookie}")
    if str(header.library) not in facts.get("sqlite", []):
        raise Damage(f"header: last written by SQLite {header.library}, which never opened this journal")
    try:
        return Identity(site=facts["site"][0], table=facts["table"][0], epoch=int(facts["epoch"][0]))
    except (KeyError, ValueError) as error:
        raise Damage("meta: it does not say whose journal this is") from error


def _check_chain(image: Image, roots: dict[str, int], identity: Identity) -> tuple[list[int], bytes]:
    """How many events each record has, and the last chain hash."""
    events = _numbered(image, roots, "events")
    waiting = next(events, None)
    previous, counts = genesis(identity), list[int]()
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
            first = sum(counts) + 1
            which = f" or its events {first} to {first + len(bodies) - 1}" if bodies else ""
            raise Damage(f"record {row.rowid}{which}: not what was committed, the chain hash differs")
        assert isinstance(own, bytes)
        previous = own
        counts.append(len(bodies))
    if waiting is not None:
        raise Damage(f"event {waiting.rowid}: belongs to record {waiting.columns[1]!r}, which is not there")
    return counts, previous


def _check_checkpoints(rows: Iterator[Row], records: int) -> None:
    previous = 0
    for row in rows:
        columns = row.columns
        if not previous < row.rowid <= records:
            raise Damage(f"checkpoint {row.rowid}: there is no such record, or it is out of order")
        body = columns[1] if len(columns) == 3 and columns[0] is None else None
        if not isinstance(body, bytes) or columns[2] != checkpoint_digest(row.rowid, body):
            raise Damage(f"checkpoint {row.rowid}: does not fit its digest")
        previous = row.rowid


def _check_published(rows: Iterator[Row], events: int) -> int:
    previous = 0
    for row in rows:
        _, seq, digest = row.columns
        if not isinstance(seq, int) or digest != published_digest(row.rowid, seq):
            raise Damage(f"published: row {row.rowid} does not fit its digest")
        if not previous < seq <= events:
            raise Damage(f"published: row {row.rowid} names event {seq} after {previous}, of {events}")
        previous = seq
    return events


def _pair(data: bytes, at: int) -> tuple[int, int]:
    return int.from_bytes(data[at : at + 4], "big"), int.from_bytes(data[at + 4 : at + 8], "big")


def _sum(data: bytes, running: tuple[int, int], order: Order) -> tuple[int, int]:
    """The write-ahead log's checksum (section 4.2)."""
    first, second = running
    numbers = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(numbers[::2], numbers[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
