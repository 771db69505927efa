"""The chip registry: which chip is worth what, as CSV with the header ``id,value_cents``.

A third column ``elsewhere`` says of chips that do not belong on the tables where the house keeps them (``vault``).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from controller.formats.text.toml_schema import BYTE_ORDER_MARK

HEADER: Final = ("id", "value_cents")
ELSEWHERE: Final = "elsewhere"
PLACE_LIMIT: Final = 60
"""Characters of the name of a place."""
CHIP_LIMIT: Final = 1_000_000
"""Chips of a registry: more than any house has; a longer file is not one."""

_HEX: Final = re.compile(r"[0-9A-Fa-f]{2,64}")
_CENTS: Final = re.compile(r"[1-9][0-9]{0,11}")


class ChipsRefused(ValueError):  # noqa: N818 - named for what happened
    """The registry has mistakes: ``lines`` has one line of text for each."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class Registry(NamedTuple):
    """Value in cents by chip id (upper-case hex), and of the chips that are kept elsewhere, where."""

    values: Mapping[str, int]
    elsewhere: Mapping[str, str]


def read_chips(text: str, name: str) -> Registry:
    """A registry. ``name`` is the file's, for complaints.

    Raises:
        ChipsRefused: listing every line that is not ``hex digits,whole cents above 0``, and every id given twice.
    """
    values: dict[str, int] = {}
    elsewhere: dict[str, str] = {}
    first_lines: dict[str, int] = {}
    mistakes: list[str] = []
    # Spreadsheets put a byte order mark before their CSV.
    rows = csv.reader(text.removeprefix(BYTE_ORDER_MARK).splitlines())
    header = next(rows, [])
    columns = tuple(cell.strip() for cell in header)
    if columns not in {HEADER, (*HEADER, ELSEWHERE)}:
        raise ChipsRefused((f"{name}:1: expected the header {','.join(HEADER)}, got {','.join(header)!r}",))
    for row in rows:
        line = rows.line_num
        if not row:
            continue
        complaint = _complaint(row, len(columns))
        if complaint is None:
            chip = row[0].strip().upper()
            if chip in values:
                complaint = f"chip {chip} was already given on line {first_lines[chip]}"
            elif len(values) == CHIP_LIMIT:
                raise ChipsRefused((f"{name}:{line}: more than {CHIP_LIMIT} chips",))
            else:
                values[chip], first_lines[chip] = int(row[1].strip()), line
                if len(row) > len(HEADER) and row[2].strip():
                    elsewhere[chip] = row[2].strip()
        if complaint is not None:
            mistakes.append(f"{name}:{line}: {complaint}")
    if mistakes:
        raise ChipsRefused(tuple(mistakes))
    return Registry(values, elsewhere)


def _complaint(row: list[str], columns: int) -> str | None:
    if len(row) != columns:
        return f"expected {','.join((*HEADER, ELSEWHERE)[:columns])}, got {len(row)} columns"
    chip, cents, *place = (cell.strip() for cell in row)
    if not _HEX.fullmatch(chip) or len(chip) % 2:
        return f"id: expected pairs of hex digits, got {chip!r}"
    if not _CENTS.fullmatch(cents):
        return f"value_cents: expected whole cents above 0, got {cents!r}"
    if place and not (len(place[0]) <= PLACE_LIMIT and place[0].isprintable()):
        return f"elsewhere: expected nothing, or a place in at most {PLACE_LIMIT} characters"
    return None
