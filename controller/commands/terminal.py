"""What commands print: every line leaves through here, with nothing in it that a terminal would obey.

Colour is for people at a terminal: a pipe, a file, ``TERM=dumb`` and ``NO_COLOR`` (https://no-color.org) get the same
text without it. JSON and rows for other programs are never coloured.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Final, Literal, NamedTuple, NoReturn

import click

from controller.formats.text.printable import printable

Style = Literal["", "heading", "bad", "warning", "good"]
"""What a text is to its reader; the colours are here alone."""

LOOKS: Final[Mapping[Style, Mapping[str, Any]]] = {
    "": {},
    "heading": {"bold": True},
    "bad": {"fg": "red", "bold": True},
    "warning": {"fg": "yellow"},
    "good": {"fg": "green"},
}

HEADS: Final[Mapping[str, Style]] = {
    "Round": "heading",
    "IRREGULAR": "bad",
    "IN": "bad",
    "MISSING?": "bad",
    "NOT": "bad",
    "WRONG": "bad",
    "DIFFERENT": "bad",
    "CLOSED": "bad",
    "UNPAIRED": "bad",
    "OPEN": "warning",
    "QUESTION": "warning",
    "WITHDRAWN": "warning",
    "!!": "bad",
}
"""The first words of a table's account that catch a reader's eye (IN DOUBT, NOT CLOSED)."""

AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
"""Of every command that prints what a program may want; docs/guide/commands.md says what each prints."""

REFUSED: Final = 2
"""The exit status of a command that was given what it cannot use."""

SAID_EVERY_SECONDS: Final = 1.0
"""Between two lines that say how far long work is."""

GAP: Final = "  "
"""Between the columns of a table."""


class Column(NamedTuple):
    """The head of a table's column; numbers stand at its right edge."""

    head: str
    is_number: bool = False


class Cell(NamedTuple):
    """What stands in a table."""

    text: str
    style: Style = ""


def say(line: object = "", *, err: bool = False, nl: bool = True, style: Style = "") -> None:
    """Print one line, on standard error with ``err``; a line end within it is shown, and makes no second line."""
    text = printable(line.decode(errors="replace") if isinstance(line, bytes) else str(line))
    if style and is_coloured(sys.stderr if err else sys.stdout, os.environ):
        text = click.style(text, **LOOKS[style])
    _print(text, err=err, nl=nl)


def refuse(*lines: object) -> NoReturn:
    """Say what is wrong with what was given, a line each, and end with status 2."""
    for line in lines:
        say(f"tableside: {line}", err=True)
    sys.exit(REFUSED)


def refuse_address(listen: str, error: OSError) -> NoReturn:
    """Say that ``--listen`` cannot be served, and end with status 2."""
    what = {errno.EADDRINUSE: "; is another program there? Give another port"}
    what[errno.EACCES] = "; a port below 1024 is for root alone: give another port"
    refuse(f"--listen {listen}: {error.strerror or error}{what.get(error.errno or 0, '')}")


def lose_output(error: OSError) -> NoReturn:
    """End with status 2, for standard output takes no more; quietly if its reader has read enough, as ``head`` has."""
    with contextlib.suppress(OSError):
        # What is left in the buffer would fail once more as the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if error.errno == errno.EPIPE:
        sys.exit(REFUSED)
    refuse(f"standard output: {error.strerror}")


def say_account_line(line: str) -> None:
    """Print a line of a table's account; its first word says how it looks."""
    first, *_ = line.split(maxsplit=1) or [""]
    say(line, style=HEADS.get(first, ""))


def say_text(text: str | bytes, *, nl: bool = True) -> None:
    """Print text that was laid out in lines of fields without line ends: JSON, a table; ``nl``: end the last line."""
    *lines, last = (text.decode(errors="replace") if isinstance(text, bytes) else text).split("\n")
    for line in lines:
        say(line)
    if last or nl:
        say(last, nl=nl)


def say_json(value: object) -> None:
    """Print a value as JSON on one line."""
    import msgspec

    say(msgspec.json.encode(value))


def say_table(columns: Sequence[Column], rows: Iterable[Sequence[Cell | str]]) -> None:
    """Print rows of cells under the heads of their columns."""
    for line in table_lines(columns, rows, coloured=is_coloured(sys.stdout, os.environ)):
        _print(line)


def is_coloured(stream: IO[str], environment: Mapping[str, str]) -> bool:
    """Whether who reads ``stream`` wants colour: a person at a terminal who has not asked for none."""
    return stream.isatty() and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"


def table_lines(columns: Sequence[Column], rows: Iterable[Sequence[Cell | str]], *, coloured: bool) -> Iterator[str]:
    """Rows of cells under the heads of their columns, each on one line that ends with its last word."""
    cells = [[Cell(column.head, "heading") for column in columns]]
    cells += [[cell if isinstance(cell, Cell) else Cell(cell) for cell in row] for row in rows]
    shown = [[cell._replace(text=printable(cell.text)) for cell in row] for row in cells]
    widths = [max(len(cell.text) for cell in column) for column in zip(*shown, strict=True)]
    for row in shown:
        words: list[str] = []
        for cell, column, width in zip(row, columns, widths, strict=True):
            blanks = " " * (width - len(cell.text))
            text = click.style(cell.text, **LOOKS[cell.style]) if coloured and cell.style else cell.text
            words.append(blanks + text if column.is_number else text + blanks)
        yield GAP.join(words).rstrip()


def _print(text: str, *, err: bool = False, nl: bool = True) -> None:
    try:
        click.echo(text, err=err, nl=nl)
    except OSError as error:
        if err:
            raise
        lose_output(error)


@contextlib.contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None]]:
    """A bar on standard error while something lasts, for a person at a terminal; given how much of all is done."""
    if not is_coloured(sys.stderr, os.environ):
        yield lambda _done, _all: None
        return
    with click.progressbar(length=1, label=printable(what), file=sys.stderr) as bar:

        def done(count: int, total: int) -> None:
            bar.length = total
            bar.update(count - bar.pos)

        yield done


@contextlib.contextmanager
def said_each_second(done: str) -> Iterator[Callable[[int, int], None]]:
    """Says on standard error how far work on records is, a line a second at most, for a program that waits for it.

    ``done`` is what has been done to them: "read".
    """
    due = 0.0

    def show_progress(count: int, records: int) -> None:
        nonlocal due
        now = time.monotonic()
        if now >= due:
            due = now + SAID_EVERY_SECONDS
            say(f"{count} of {records} records {done}", err=True)

    yield show_progress
