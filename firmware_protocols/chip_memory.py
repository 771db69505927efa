"""What a chip carries in its own memory: a mark and its value, for houses without a list of their chips.

Two blocks of four bytes: the mark ``CHP1`` in ASCII, then the value in cents, unsigned, high byte first. Whoever has a
writer can change a chip's memory, so a list kept by the house is the better witness (see
docs/reference/wire-formats.md).
"""

from __future__ import annotations

from typing import Final

FIRST_BLOCK: Final = 0
BLOCKS: Final = 2

_MARK: Final = b"CHP1"
_VALUE_BYTES: Final = 4
_MOST_CENTS: Final = 2 ** (8 * _VALUE_BYTES) - 1


def value_cents(blocks: tuple[str, ...]) -> int | None:
    """The value in these blocks (upper-case hex, from the first); None where there is no mark, or no value above 0."""
    data = bytes.fromhex("".join(blocks))
    if len(data) < len(_MARK) + _VALUE_BYTES or not data.startswith(_MARK):
        return None
    return int.from_bytes(data[len(_MARK) : len(_MARK) + _VALUE_BYTES], "big") or None


def memory_of(cents: int) -> bytes:
    """The bytes that say a value.

    Raises:
        ValueError: the value is not 1 to 4,294,967,295 cents.
    """
    if not 1 <= cents <= _MOST_CENTS:
        raise ValueError(f"a chip's value is 1 to {_MOST_CENTS} cents, not {cents}")
    return _MARK + cents.to_bytes(_VALUE_BYTES, "big")
