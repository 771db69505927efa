"""What the program says of itself, and what it makes of a word mistyped."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from controller.cli import COMMANDS, GROUPS, main
from controller.io.files import profile_files


@pytest.mark.parametrize(("typed", "meant"), [("statu", "status"), ("begin_epoch", "begin-epoch"), ("chek", "check")])
def test_a_command_that_there_is_not_is_guessed(typed: str, meant: str) -> None:
    done = CliRunner().invoke(main, [typed])
    assert done.exit_code == 2
    assert f"No such command '{typed}'." in done.output
    assert "Did you mean" in done.output
    assert f"'{meant}'" in done.output
    assert "Did you mean" not in CliRunner().invoke(main, ["xyzzy"]).output


@pytest.mark.parametrize("typed", [("profile", "show", "hollywood"), ("demo", "--profile", "hollywood")])
def test_a_profile_that_there_is_not_is_guessed_and_all_are_named(typed: tuple[str, ...]) -> None:
    done = CliRunner().invoke(main, list(typed))
    assert done.exit_code == 2
    printed = " ".join(done.output.split())
    assert all(name in printed for name in profile_files.names())
    assert "; did you mean hollywood-penn-national or hollywood-perryville?" in printed


@pytest.mark.parametrize("table", ["harbour", "harbour/", "/bj-1", "harbour/bj-1/state", "harbour/#"])
def test_a_table_to_be_watched_is_named_by_site_and_name(table: str) -> None:
    done = CliRunner().invoke(main, ["watch", table, "--broker", "127.0.0.1:1"])
    assert (
        done.exit_code,
        f"expected SITE/TABLE, such as harbour/bj-1 or harbour/+, got '{table}'" in done.output,
    ) == (2, True)


@pytest.mark.parametrize("words", [(), ("rounds",), ("meter", "adjust"), ("adjust",)])
def test_help_is_asked_for_in_short_too(words: tuple[str, ...]) -> None:
    short, full = (CliRunner().invoke(main, [*words, one]) for one in ("-h", "--help"))
    assert (short.exit_code, short.output) == (0, full.output)
    assert "  -h, --help  " in full.output


def test_the_help_lists_every_command_once_in_its_group() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.splitlines()
    assert [line[:-1] for line in lines if re.match(r"\w.*:$", line)] == ["Options", *GROUPS]
    assert [line.split()[0] for line in lines if re.match(r"  [a-z]", line)] == list(COMMANDS)
    assert max(map(len, lines)) < 80


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_listed_is_there(name: str) -> None:
    done = CliRunner().invoke(main, [name, "--help"])
    assert done.exit_code == 0
    assert f"main {name}" in done.output
