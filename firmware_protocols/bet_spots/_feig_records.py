"""The data of FEIG OBID answers: chip records and memory blocks; private to the ``feig_obid`` codecs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

_ISO_15693, _MODE_3, _GEN2 = 0x03, 0x09, 0x84
_ISO_15693_LENGTH: Final = 8
_ANTENNA_BLOCKS: Final = (7, 8)
"""Bytes per antenna behind a Gen2 record: manuals and programs differ, so both are tried."""

_Record = tuple[str, int]
"""A chip id and where the next record begins."""


def _record(data: bytes, at: int) -> _Record | None:
    head = data[at : at + 3]
    if head[:1] == bytes((_ISO_15693,)):
        begin, length = at + 2, _ISO_15693_LENGTH
    elif len(head) == 3 and head[0] in (_MODE_3, _GEN2) and head[2]:
        begin, length = at + 3, head[2]
    else:
        return None
    end = begin + length
    # A record cut short ends beyond the data, which ``_records`` refuses.
    return data[begin:end].hex().upper(), end


def _record_by_antenna(block: int) -> Callable[[bytes, int], _Record | None]:
    def read(data: bytes, at: int) -> _Record | None:
        if data[at + 1 : at + 2] != bytes((_GEN2,)):
            return None
        found = _record(data, at + 1)
        if found is None or found[1] >= len(data):
            return None
        chip, count_at = found
        return chip, count_at + 1 + data[count_at] * block

    return read


def _records(data: bytes, read: Callable[[bytes, int], _Record | None]) -> tuple[str, ...] | None:
    chips: list[str] = []
    at = 1
    for _ in range(data[0]):
        found = read(data, at)
        if found is None:
            return None
        chip, at = found
        chips.append(chip)
    return tuple(chips) if at == len(data) else None


def chips_in(data: bytes, *, by_antenna: bool) -> tuple[str, ...] | None:
    """The ids in an inventory's data; None unless exactly one reading of it fits to the last byte."""
    if not data:
        return None
    readings = [_records(data, _record)]
    if by_antenna:
        readings += [_records(data, _record_by_antenna(block)) for block in _ANTENNA_BLOCKS]
    found = set(readings) - {None}
    return found.pop() if len(found) == 1 else None


def _chip_record(chip: str) -> bytes:
    data = bytes.fromhex(chip)
    if data.hex().upper() != chip or not 1 <= len(data) <= 255:
        raise ValueError(f"chip id {chip!r} is not 1 to 255 bytes in upper-case hex")
    if len(data) == _ISO_15693_LENGTH and data[0] == 0xE0:
        return bytes((_ISO_15693, 0x00)) + data
    return bytes((_MODE_3, 0x00, len(data))) + data


def chip_records(chips: tuple[str, ...]) -> bytes:
    """The data of an inventory's answer.

    Raises:
        ValueError: an id is none, or there are more than 255.
    """
    if len(chips) > 255:
        raise ValueError(f"{len(chips)} chips do not fit into one answer")
    return bytes((len(chips),)) + b"".join(map(_chip_record, chips))


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
