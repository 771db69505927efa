"""The chip registry: which chip is worth what, as CSV with the header ``id,value_cents``."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Final

HEADER: Final = ("id", "value_cents")
CHIP_LIMIT: Final = 1_000_000
"""Chips of a registry: more than any house has; a longer file is not one."""

_HEX: Final = re.compile(r"[0-9A-Fa-f]{2,64}")
_CENTS: Final = re.compile(r"[1-9][0-9]{0,11}")


class ChipsRefused(ValueError):  # noqa: N818 - named for what happened
    """The registry has mistakes: ``lines`` has one line of text for each."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


def read_chips(text: str, name: str) -> Mapping[str, int]:
    """Value in cents by chip id (upper-case hex). ``name`` is the file's, for complaints.

    Raises:
        ChipsRefused: listing every line that is not ``hex digits,whole cents above 0``, and every id given twice.
    """
    values: dict[str, int] = {}
    first_lines: dict[str, int] = {}
    mistakes: list[str] = []
    rows = csv.reader(text.splitlines())
    header = next(rows, [])
    if tuple(cell.strip() for cell in header) != HEADER:
        raise ChipsRefused((f"{name}:1: expected the header {','.join(HEADER)}, got {','.join(header)!r}",))
    for row in rows:
        line = rows.line_num
        if not row:
            continue
        complaint = _complaint(row)
        if complaint is None:
            chip = row[0].strip().upper()
            if chip in values:
                complaint = f"chip {chip} was already given on line {first_lines[chip]}"
            elif len(values) == CHIP_LIMIT:
                raise ChipsRefused((f"{name}:{line}: more than {CHIP_LIMIT} chips",))
            else:
                values[chip], first_lines[chip] = int(row[1].strip()), line
        if complaint is not None:
            mistakes.append(f"{name}:{line}: {complaint}")
    if mistakes:
        raise ChipsRefused(tuple(mistakes))
    return values


def _complaint(row: list[str]) -> str | None:
    if len(row) != len(HEADER):
        return f"expected id,value_cents, got {len(row)} columns"
    chip, cents = (cell.strip() for cell in row)
    if not _HEX.fullmatch(chip) or len(chip) % 2:
        return f"id: expected pairs of hex digits, got {chip!r}"
    if not _CENTS.fullmatch(cents):
        return f"value_cents: expected whole cents above 0, got {cents!r}"
    return None
