"""A table file that a technician chooses in the browser, held against the format: each mistake with its line.

The text is looked at and forgotten. No file that it names is opened, so no one learns by it what lies on this machine;
``tableside check`` looks at those too, on the table PC.
"""

from __future__ import annotations

import re
from typing import Final

import msgspec

from controller.io.files.table_file import mistakes_in
from controller.web.sign_in import Visitor

FILE_LIMIT_BYTES: Final = 60 * 1024
"""A table file has two."""

NAME: Final = "table file"

PLACED: Final = re.compile(rf"{NAME}:(\d+): (.*)", re.DOTALL)


class TableFileMistake(msgspec.Struct, frozen=True):
    """What is wrong at a line, counted from 1; 0: at none."""

    line: int
    text: str


def checks_table_files(visitor: Visitor) -> bool:
    """Whether somebody may have a file checked: whoever sees a table's lines."""
    return "faults" in visitor.sight.sections


def checked(text: bytes) -> tuple[TableFileMistake, ...]:
    """The mistakes of a table file, in the order of its lines; none: its format is right."""
    if len(text) > FILE_LIMIT_BYTES:
        return (TableFileMistake(0, f"expected at most {FILE_LIMIT_BYTES} bytes"),)
    try:
        lines = mistakes_in(text.decode(), NAME)
    except UnicodeDecodeError as error:
        return (TableFileMistake(text[: error.start].count(b"\n") + 1, "expected text in UTF-8"),)
    found = [(PLACED.fullmatch(line), line) for line in lines]
    return tuple(TableFileMistake(int(at[1]), at[2]) if at else TableFileMistake(0, line) for at, line in found)
