"""What the page of commands lists is there, and nothing else is."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path, PurePath
from typing import Any, Final

import click
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.commands.client import with_channel
from controller.formats.config.client_file import ClientSection, read_client
from controller.reports.audit.stream_audit import PAYLOAD_LIMIT, TOPIC_LIMIT
from tests.core.journals import journal_of
from tests.core.rig import Rig, penn
from tests.docs.pages import page, sections

SECTIONS: Final = sections(page("commands.md"))
JSON: Final = SECTIONS["JSON"].rows()
CODE: Final = re.compile(r"`([^`]+)`")
CLIENT: Final = SECTIONS["Where the broker is, and who asks"]


@click.command()
@with_channel
def reach(**_: Any) -> None:
    """The options of every command that orders something of a table."""


def test_the_settings_of_a_client_are_listed() -> None:
    options = {option.name: option for option in reach.params if isinstance(option, click.Option)}
    listed = [[cell.strip("`") for cell in row[:3]] for row in CLIENT.rows()]
    assert [row[0] for row in listed] == list(ClientSection.__struct_fields__)
    assert listed == [[name, options[name].opts[0], options[name].envvar] for name, _, _ in listed]


def test_what_watch_cuts_is_said() -> None:
    page_text = " ".join(sections(page("operations.md"))["What tableside watch shows"].text.split())
    assert f"longer than {PAYLOAD_LIMIT} characters, of a topic {TOPIC_LIMIT}, is cut" in page_text


def test_the_words_of_a_settlement_are_in_the_glossary() -> None:
    words = {one.strip() for row in sections(page("glossary.md"))["Glossary"].rows() for one in row[0].split(",")}
    assert {"surrender", "insurance", "even money", "evidence", "basis", "due"} <= words


def test_the_client_file_shown_can_be_read() -> None:
    (shown,) = CLIENT.blocks("toml client")
    assert read_client(shown, "client.toml", PurePath("/home/weber")).tls_ca_file == "/home/weber/ca.pem"


def commands(command: click.Command = main, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Every command that can be typed, those of groups with their group's name."""
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    context = click.Context(command)
    for name in command.list_commands(context):
        below = command.get_command(context, name)
        assert below is not None
        yield from commands(below, (*path, name))


def test_every_command_prints_json_or_says_why_not() -> None:
    taking = {name for name, command in commands() if any("--json" in option.opts for option in command.params)}
    listed = {name for row in JSON if len(row) == 3 for name in CODE.findall(row[0])}
    without = {name for row in JSON if len(row) == 2 for name in CODE.findall(row[1])}
    assert listed == taking
    assert without == {name for name, _ in commands()} - taking


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25\nkey no_more_bets\nTh")
    rig.chips(1, "main", 5000)
    rig.talk("7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed")
    return journal_of(rig, tmp_path_factory.mktemp("json") / "journal.sqlite")


@pytest.mark.parametrize(
    "words",
    [
        ("status", "JOURNAL"),
        ("alerts", "JOURNAL"),
        ("rounds", "JOURNAL"),
        ("round", "JOURNAL", "1"),
        ("meters", "JOURNAL"),
        ("verify", "JOURNAL"),
        ("replay", "JOURNAL"),
        ("backup", "JOURNAL", "COPY"),
        ("profile list",),
        ("profile show", "borgata"),
        ("profile diff", "borgata", "pitch-h17"),
        ("devices", "/dev/null", "--no-ask"),
        ("rng report", "--draws", "1000"),
    ],
    ids=lambda words: words[0],
)
def test_the_keys_listed_are_those_printed(words: tuple[str, ...], journal: Path, tmp_path: Path) -> None:
    (row,) = [row for row in JSON if words[0] in CODE.findall(row[0])]
    named = CODE.findall(re.sub(r"\([^)]*\)", "", row[2].partition(";")[0]))
    files = {"JOURNAL": str(journal), "COPY": str(tmp_path / "copy.sqlite")}
    done = CliRunner().invoke(main, [*words[0].split(), *(files.get(word, word) for word in words[1:]), "--json"])
    printed = json.loads(done.stdout)
    assert isinstance(printed, list) is row[1].startswith("a list")
    assert set(printed[0] if isinstance(printed, list) else printed) == set(named)
