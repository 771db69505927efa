"""The fields of a SQLite file's header that every journal has alike.

A library that reads overlooks what would only keep another from writing, so these bytes are held against what they must
be. The format: https://www.sqlite.org/fileformat2.html, section 1.3.
"""

from __future__ import annotations

from typing import Final

from controller.formats.journal.schema import PAGE_BYTES

HEADER_BYTES: Final = 100

_FIXED: Final = {
    (0, 16): (b"SQLite format 3\x00",),
    (16, 18): (PAGE_BYTES.to_bytes(2, "big"),),
    # A copy, or a journal whose disk refused it, may not say that it is written with a log; opened, it will.
    (18, 20): (b"\x02\x02", b"\x01\x01"),
    (20, 24): (b"\x00\x40\x20\x20",),
    (32, 40): (bytes(8),),
    (44, 60): (b"\x00\x00\x00\x04" + bytes(8) + b"\x00\x00\x00\x01",),
    (64, 68): (bytes(4),),
    (72, 92): (bytes(20),),
}
"""What may stand in the bytes from the first up to the second place."""

_CHANGE_COUNTER: Final = slice(24, 28)
_VALID_FOR: Final = slice(92, 96)
"""The change counter at which the number of the library was written: whoever writes the one writes the other."""

_LIBRARY: Final = slice(96, 100)


def library_of(data: bytes) -> int:
    """The version of SQLite that last wrote the header, as in 3045001."""
    return int.from_bytes(data[_LIBRARY], "big")


def header_damage(data: bytes) -> str | None:
    """What is wrong with the first bytes of a journal's file, or None."""
    for (first, end), wanted in _FIXED.items():
        if data[first:end] not in wanted:
            return f"bytes {first} to {end - 1}: the file's header has {data[first:end].hex()}"
    if data[_CHANGE_COUNTER] != data[_VALID_FOR]:
        return f"header: change counter {data[_CHANGE_COUNTER].hex()} was valid for {data[_VALID_FOR].hex()}"
    return None
