"""The data of FEIG OBID answers: chip records and memory blocks; private to the ``feig_obid`` codecs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

_ISO_15693, _MODE_3, _GEN2 = 0x03, 0x09, 0x84
_ISO_15693_LENGTH: Final = 8
_ANTENNA_BLOCKS: Final = (7, 8)
"""Bytes per antenna behind a Gen2 record: manuals and programs differ, so both are tried."""

_OWN: Final = frozenset((_ISO_15693, _MODE_3, _GEN2))
"""Types of tag that chips are made of."""

_FIXED: Final = {0x00: (1, 9), 0x06: (0, 8), 0x07: (14, 19), 0x08: (4, 8), 0x0A: (1, 9), 0x0B: (1, 9)}
"""Foreign tags with an id of their own, by type: where it begins and ends behind the type, and the record with it."""

_LEAST_RECORD: Final = 5

_ISO_14443_A, _ISO_14443_B, _INNOVATRON = 0x04, 0x05, 0x10


class Tags(NamedTuple):
    """The tags in an inventory's data: ids in order, and the types of those that have none to be known by.

    ``whole``: nothing else was in the data. Otherwise a tag of a type nobody knows the length of hid what came behind.
    """

    ids: tuple[str, ...]
    nameless: tuple[int, ...] = ()
    whole: bool = True


class _Record(NamedTuple):
    id: str
    """Empty: the tag has none to be known by."""
    kind: int
    end: int
    """Where the next record begins."""


_Reader = Callable[[bytes, int], _Record | None]


def _own(data: bytes, at: int) -> _Record | None:
    """A record of a type that chips are made of."""
    head = data[at : at + 3]
    if head[:1] == bytes((_ISO_15693,)):
        begin, length = at + 2, _ISO_15693_LENGTH
    elif len(head) == 3 and head[0] in (_MODE_3, _GEN2) and head[2]:
        begin, length = at + 3, head[2]
    else:
        return None
    end = begin + length
    # A record cut short ends beyond the data, which ``_records`` refuses.
    return _Record(data[begin:end].hex().upper(), head[0], end)


def _known(data: bytes, at: int) -> _Record | None:
    """A record of any type whose length is known. Lengths: manuals, and Amarok79/InlayTester (MIT)."""
    kind = data[at] if at < len(data) else -1
    if kind in _OWN:
        return _own(data, at)
    if kind in _FIXED:
        begin, end = _FIXED[kind]
        return _Record(data[at + 1 + begin : at + 1 + end].hex().upper(), kind, at + 1 + end)
    # Phones and many cards give a new number each time they are asked, so theirs is none to know them by.
    if kind == _ISO_14443_A and at + 1 < len(data):
        return _Record("", kind, at + 3 + (10 if data[at + 1] & 0x04 else 7))
    if kind == _ISO_14443_B:
        return _Record("", kind, at + 10)
    if kind == _INNOVATRON and at + 11 < len(data):
        return _Record("", kind, at + 12 + data[at + 11])
    return None


def _by_antenna(read: _Reader, block: int) -> _Reader:
    """As UHF readers send them when asked for antennas: flags before, what each antenna heard behind."""

    def read_one(data: bytes, at: int) -> _Record | None:
        found = read(data, at + 1)
        if found is None or found.end >= len(data):
            return None
        return found._replace(end=found.end + 1 + data[found.end] * block)

    return read_one


def _records(data: bytes, at: int, count: int, read: _Reader) -> tuple[_Record, ...] | None:
    """``count`` records from ``at`` that fill the data to the last byte."""
    found: list[_Record] = []
    for _ in range(count):
        one = read(data, at)
        if one is None:
            return None
        at = one.end
        found.append(one)
    return tuple(found) if at == len(data) else None


def _tags(found: tuple[_Record, ...], *, whole: bool = True) -> Tags:
    return Tags(tuple(one.id for one in found if one.id), tuple(one.kind for one in found if not one.id), whole)


def tags_in(data: bytes, *, by_antenna: bool) -> Tags | None:
    """The tags in an inventory's data; None unless exactly one reading of it fits to the last byte.

    Foreign tags are looked for only where chips alone do not fit, and a tag of an unknown length only where no known
    one fits.
    """
    if not data:
        return None
    for read in (_own, _known):
        ways = [read, *(_by_antenna(read, block) for block in _ANTENNA_BLOCKS if by_antenna)]
        found = {_tags(one) for way in ways if (one := _records(data, 1, data[0], way)) is not None}
        if found:
            return found.pop() if len(found) == 1 else None
    return _around_an_unknown(data)


def _around_an_unknown(data: bytes) -> Tags | None:
    """The tags before a tag of unknown length, and those behind it where only one length lets them fit."""
    before: list[_Record] = []
    at, count = 1, data[0]
    while len(before) < count and (one := _known(data, at)) is not None:
        before.append(one)
        at = one.end
    # A tag has at least an id of four bytes behind its type.
    if len(before) == count or at + _LEAST_RECORD > len(data) or data[at] in _OWN:
        return None
    unknown = _Record("", data[at], 0)
    left = count - len(before) - 1
    ends = range(at + _LEAST_RECORD, len(data) + 1)
    behind = [found for end in ends if (found := _records(data, end, left, _known)) is not None]
    whole = {_tags((*before, unknown, *found)) for found in behind}
    return whole.pop() if len(whole) == 1 else _tags((*before, unknown), whole=False)


def _chip_record(chip: str) -> bytes:
    data = bytes.fromhex(chip)
    if data.hex().upper() != chip or not 1 <= len(data) <= 255:
        raise ValueError(f"chip id {chip!r} is not 1 to 255 bytes in upper-case hex")
    if len(data) == _ISO_15693_LENGTH and data[0] == 0xE0:
        return bytes((_ISO_15693, 0x00)) + data
    return bytes((_MODE_3, 0x00, len(data))) + data


def _nameless_record(kind: int, drawn: int) -> bytes:
    number = drawn.to_bytes(4, "big")
    match kind:
        case 0x04:
            return bytes((kind, 0x00, 0x00, 0x08)) + number + b"\0\0"
        case 0x05:
            return bytes((kind, 0, 0, 0, 0, 0)) + number
        case 0x10:
            return bytes((kind, *number, 0, 0, 0, 0, 0, 0, 0))
        case 0x11:
            return bytes((kind, 0x01, *number))
        case _:
            raise ValueError(f"a tag of type {kind:02X} cannot be made up")


def chip_records(chips: tuple[str, ...], nameless: tuple[int, ...] = (), drawn: int = 0) -> bytes:
    """The data of an inventory's answer; ``drawn`` is the number that tags without one of their own give this time.

    Raises:
        ValueError: an id is none, a type cannot be made up, or there are more than 255.
    """
    count = len(chips) + len(nameless)
    if count > 255:
        raise ValueError(f"{count} chips do not fit into one answer")
    strangers = (_nameless_record(kind, drawn) for kind in nameless)
    return bytes((count,)) + b"".join((*strangers, *map(_chip_record, chips)))


# --- memory blocks ----------------------------------------------------------------------------------

MOST_BLOCKS: Final = 32
_MOST_BLOCK_DATA: Final = 128
"""Bytes of memory in one answer (manuals): 32 blocks of 4."""

Blocks = tuple[tuple[str, ...], tuple[int, ...]]
"""Contents in upper-case hex, and the security byte of each block."""


def blocks_in(data: bytes, wanted: int) -> Blocks | None:
    """The blocks in an answer's data; None unless they are as many as were wanted and fill it to the last byte."""
    if len(data) < 2:
        return None
    count, size = data[:2]
    step = 1 + size
    if count != wanted or not size or len(data) != 2 + count * step:
        return None
    starts = range(2, len(data), step)
    return tuple(data[at + 1 : at + step].hex().upper() for at in starts), tuple(data[at] for at in starts)


def block_records(blocks: tuple[str, ...], security: tuple[int, ...]) -> bytes:
    """The data of an answer with memory blocks.

    Raises:
        ValueError: there are none or too many, they are not of one size, or their security bytes are not as many.
    """
    contents = [bytes.fromhex(block) for block in blocks]
    sizes = {len(content) for content in contents}
    if [content.hex().upper() for content in contents] != list(blocks) or len(sizes) != 1 or not min(sizes):
        raise ValueError(f"blocks {blocks!r} are not upper-case hex of one size")
    if len(contents) != len(security) or any(byte not in range(256) for byte in security):
        raise ValueError(f"{len(contents)} blocks need a security byte each, not {security!r}")
    if len(contents) > MOST_BLOCKS or sum(map(len, contents)) > _MOST_BLOCK_DATA:
        raise ValueError(f"more than {MOST_BLOCKS} blocks or {_MOST_BLOCK_DATA} bytes do not fit into one answer")
    records = (bytes((byte,)) + content for byte, content in zip(security, contents, strict=True))
    return bytes((len(contents), min(sizes))) + b"".join(records)
