"""What a shell completes, and the line that makes it do so."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from controller.cli import COMMANDS, main
from controller.formats.mqtt.envelope import Topics, status_bytes
from controller.io.files import profile_files
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.broker_tables import known_tables
from controller.io.mqtt.connection import Broker, connected
from tests.core.journals import journal_of
from tests.core.rig import Rig, penn


def completed(*words: str) -> list[str]:
    """What may stand in the place of the last word; files by what was typed of them."""
    *before, last = words
    found = ShellComplete(main, {}, "tableside", "_TABLESIDE_COMPLETE").get_completions(list(before), last)
    return [f"{one.type}:{one.value}" if one.type != "plain" else one.value for one in found]


def test_commands_and_options() -> None:
    assert completed("") == list(COMMANDS)
    assert completed("jack") == ["jackpot"]
    assert completed("jackpot", "") == ["grant", "pay", "refuse", "verify"]
    assert completed("--v") == ["--version"]
    assert completed("report", "x.sqlite", "--s") == ["--since", "--shift"]


def test_commands_are_completed_without_importing_them() -> None:
    asked = """
import sys
from click.shell_completion import ShellComplete
from controller.cli import main

ShellComplete(main, {}, "tableside", "_").get_completions([], "st")
sys.exit("controller.commands.status" in sys.modules)
"""
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


@pytest.mark.parametrize(
    "words", [("profile", "show"), ("par",), ("demo", "--profile"), ("profile", "diff", "borgata")]
)
def test_profiles(words: tuple[str, ...]) -> None:
    assert completed(*words, "") == list(profile_files.names())
    assert completed(*words, "holly") == ["hollywood-penn-national", "hollywood-perryville"]
    assert completed(*words, "house/") == ["file:house/"]


def test_journals_and_their_rounds(tmp_path: Path) -> None:
    rig = Rig(penn(stand_key="always"))
    for _ in range(2):
        rig.talk(
            "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed"
        )
    journal = str(journal_of(rig, tmp_path / "journal.sqlite"))
    (tmp_path / "table.toml").touch()
    for command in ("rounds", "verify", "report"):
        assert completed(command, f"{tmp_path}/") == [journal]
        assert completed(command, f"{tmp_path}/j") == [journal]
        assert completed(command, f"{tmp_path}/t") == [f"file:{tmp_path}/t"]
    assert completed("round", journal, "") == ["1", "2"]
    assert completed("round", str(tmp_path / "table.toml"), "") == []


def test_without_a_broker_no_table_is_suggested() -> None:
    assert completed("void", "--broker", "127.0.0.1:1", "") == []
    assert completed("watch", "--broker", "::", "") == []


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_the_tables_that_a_broker_knows() -> None:
    async with mosquitto() as broker, connected(broker, "5", "tables") as client:
        for name in ("bj-2", "bj-1"):
            await client.publish(Topics("harbour", name).status, status_bytes("online", 1, 0), retain=True)
        await client.publish("tableside/v1/$(reboot) now/bj-3/status", b"{}", retain=True)
        assert await known_tables(broker) == ("harbour/bj-1", "harbour/bj-2")
    assert await known_tables(Broker("127.0.0.1", 1)) == ()


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_what_a_shell_is_given_it_understands(shell: str) -> None:
    done = CliRunner().invoke(main, ["completion", shell])
    assert done.exit_code == 0
    assert "_TABLESIDE_COMPLETE=" in done.output
    assert "\\u00" not in done.output
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=done.output, text=True, check=False).returncode == 0
