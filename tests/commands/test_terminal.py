"""What others sent is shown on a terminal and never obeyed by it."""

from __future__ import annotations

import io
import json
import logging
import re
from pathlib import Path
from typing import Final

import click
import pytest
import structlog
from click.testing import CliRunner

from controller.commands import link
from controller.commands.terminal import Cell, Column, is_coloured, say, say_text, table_lines
from controller.core.messages.floor_events import BoxDeclared
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Topics, event_bytes
from controller.formats.text.printable import printable
from controller.io.system.log import Format, configure_log
from controller.reports.audit.stream_audit import Watcher

HOSTILE: Final = "\x1b]0;owned\x07\x1b[2J\r\nround 1: \x9b31m\u202eneve\u2028\x00\x7f"


def printed(*texts: str) -> str:
    @click.command()
    def command() -> None:
        for text in texts:
            say(text)

    return CliRunner().invoke(command).stdout


def test_nothing_that_is_printed_is_obeyed() -> None:
    out = printed(f"who={HOSTILE}")
    assert out.count("\n") == 1
    assert out[:-1].isprintable()
    assert out.startswith("who=\\u001b]0;owned\\u0007\\u001b[2J\\u000d\\u000around 1: \\u009b31m\\u202eneve\\u2028")


@pytest.mark.parametrize("field", ["who", "why"])
def test_watch_shows_a_request_in_one_line(field: str) -> None:
    names = {"who": "M. Okafor", "why": "cash"} | {field: HOSTILE.replace(" ", "")}
    event = BoxDeclared(1, 3, 2500, names["who"], names["why"])
    body = event_bytes(event, Identity("harbour", "bj-1", 1), 1, 0)
    seen = Watcher().see(Topics("harbour", "bj-1").event(event), body)
    assert not seen.complaints
    out = printed(*seen.lines)
    assert out.count("\n") == 1
    assert out[:-1].isprintable()


def test_json_stays_json_of_the_same_value() -> None:
    value = {"who": HOSTILE, "name": "Åse \U0001f0a1 \U000e0001"}
    shown = printable(json.dumps(value, ensure_ascii=False))
    assert shown.isprintable()
    assert json.loads(shown) == value
    assert "Åse" in shown


def test_half_a_character_is_shown() -> None:
    assert printable("a\ud800b") == "a\\ud800b"


def test_text_in_lines_keeps_its_lines() -> None:
    @click.command()
    def command() -> None:
        say_text("one\ntwo\x1b\n", nl=False)
        say_text(b"three")

    assert CliRunner().invoke(command).stdout == "one\ntwo\\u001b\nthree\n"


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_line_of_the_log_is_one_line(form: Format) -> None:
    out = io.StringIO()
    handlers, level = logging.root.handlers, logging.root.level
    try:
        configure_log(form, stream=out)
        structlog.get_logger().warning("order refused", who=HOSTILE)
    finally:
        structlog.reset_defaults()
        logging.root.handlers, logging.root.level = handlers, level
    logged = out.getvalue()
    assert logged.count("\n") == 1
    assert logged[:-1].isprintable()
    assert "owned" in logged


class Screen(io.StringIO):
    """A terminal with somebody before it."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "coloured"),
    [
        (Screen(), {"TERM": "xterm"}, True),
        (Screen(), {"TERM": "xterm", "NO_COLOR": ""}, True),
        (Screen(), {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (Screen(), {"TERM": "dumb"}, False),
        (io.StringIO(), {"TERM": "xterm"}, False),
    ],
)
def test_colour_is_for_people_who_want_it(stream: io.StringIO, environment: dict[str, str], *, coloured: bool) -> None:
    assert is_coloured(stream, environment) is coloured


COLUMNS: Final = (Column("round", is_number=True), Column("outcome"))
ROWS: Final = (("9", Cell("settled", "good")), ("10", Cell(f"[red]{HOSTILE}", "bad")))


def test_a_table_is_plain_text_in_columns_for_a_pipe() -> None:
    head, first, second = table_lines(COLUMNS, ROWS, coloured=False)
    assert (head, first) == ("round  outcome", "    9  settled")
    assert second == f"   10  [red]{printable(HOSTILE)}"


def test_a_table_in_colour_obeys_nothing_that_stands_in_it() -> None:
    lines = list(table_lines(COLUMNS, ROWS, coloured=True))
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in lines]
    assert plain == list(table_lines(COLUMNS, ROWS, coloured=False))
    assert "".join(plain).isprintable()
    assert lines[1] == "    9  \x1b[32msettled\x1b[0m"


@pytest.mark.parametrize("option", ["--who", "--second", "--why"])
def test_who_moves_a_pool_and_why_reads_as_it_is(option: str, tmp_path: Path) -> None:
    """It stands in the pool's ledger for years, and two people gave their names for it."""
    given = {"--who": "A. Bell", "--second": "B. Lee", "--why": "counted"}
    given[option] = f"{given[option]}\u202e"
    words = [word for pair in given.items() for word in pair]
    file = tmp_path / "link.toml"
    file.touch()
    for verb, more in (("adjust", ["5", "funding"]), ("change", [])):
        ran = CliRunner().invoke(link.command, [verb, *words, str(file), *more])
        assert ran.exit_code == 2
        assert f"Invalid value for '{option}': expected plain text on one line, got the unseen character U+202E" in (
            " ".join(ran.output.split())
        )
