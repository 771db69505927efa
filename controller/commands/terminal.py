"""What commands print: every line leaves through here, with nothing in it that a terminal would obey."""

from __future__ import annotations

import click

from controller.formats.printing import printable


def say(line: object = "", *, err: bool = False, nl: bool = True) -> None:
    """Print one line, on standard error with ``err``; a line end within it is shown, and makes no second line."""
    text = line.decode(errors="replace") if isinstance(line, bytes) else str(line)
    click.echo(printable(text), err=err, nl=nl)


def say_text(text: str | bytes, *, nl: bool = True) -> None:
    """Print text that was laid out in lines of fields without line ends: JSON, a table; ``nl``: end the last line."""
    *lines, last = (text.decode(errors="replace") if isinstance(text, bytes) else text).split("\n")
    for line in lines:
        say(line)
    if last or nl:
        say(last, nl=nl)
