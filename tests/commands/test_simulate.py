"""What ``tableside simulate`` says while nobody plays, and that it leaves alone a table where somebody does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

from controller.cli import main
from controller.commands.simulate import waiting_for
from controller.demo.demo import alone
from controller.demo.table import DemoOptions, unplayed
from controller.io.files import profile_files


def test_without_a_daemon_people_wait_for_one() -> None:
    unpolled = ("the keypad", "spot 1 main", "spot 2 main")
    assert waiting_for(unpolled, unpolled, zones=2) == "nobody plays before a daemon polls the devices"


def test_a_zone_that_the_table_file_lacks_is_named() -> None:
    before = ("spot 1 main", "spot 1 five_card_progressive")
    assert waiting_for(before, before[1:], zones=4) == (
        "nobody plays before the daemon polls these as well: spot 1 five_card_progressive; "
        "name them in the table file, or simulate with the options that the file was made with"
    )


def test_zones_of_a_daemon_that_has_just_begun_to_poll_are_not_named() -> None:
    before = ("the keypad", "spot 1 main", "spot 2 main")
    assert waiting_for(before, ("spot 2 main",), zones=2) == ""
    assert waiting_for(("spot 1 main",), ("spot 2 main",), zones=2) == ""


def test_the_truth_of_an_earlier_simulation_is_kept(tmp_path: Path) -> None:
    truth = tmp_path / "truth.json"
    truth.write_text("of last week")
    done = CliRunner().invoke(main, ["simulate", str(tmp_path), "--rounds", "1"])
    assert (done.exit_code, done.stdout) == (2, "")
    message = "is there already, from an earlier simulation; move it away with its journal, or give another folder"
    assert done.stderr == f"tableside: {truth}: {message}\n"
    assert [one.name for one in tmp_path.iterdir()] == ["truth.json"]
    assert truth.read_text() == "of last week"


def test_a_simulation_in_which_nobody_played_leaves_no_truth(tmp_path: Path) -> None:
    folder = tmp_path / "a table"
    command = [sys.executable, "-m", "controller", "simulate", str(folder), "--rounds", "1"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        ready = running.stdout.readline()
        beside = running.stdout.readline()
        running.terminate()
        rest = running.stdout.read()
    assert (running.returncode, ready[:9]) == (0, "ports in ")
    # To be copied as it stands, whatever the folder is called.
    assert beside == f"run beside this: tableside run '{folder / 'table.toml'}'\n"
    assert rest == f"0 rounds played; {folder / 'truth.json'} is not written\n"
    assert not (folder / "truth.json").exists()


def test_a_folder_in_which_somebody_plays_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ports").mkdir()
    (tmp_path / "ports" / "shoe").symlink_to("/dev/null")
    with alone(tmp_path):
        done = CliRunner().invoke(main, ["simulate", str(tmp_path), "--rounds", "1"])
    assert (done.exit_code, done.stdout) == (2, "")
    message = "another demo or simulation is playing here; end it, or give another folder"
    assert done.stderr == f"tableside: {tmp_path}: {message}\n"
    assert [one.name for one in tmp_path.rglob("*")] == ["ports", "shoe"]


def test_side_wagers_that_nobody_will_lay_are_named(tmp_path: Path) -> None:
    def options(profile: str, *, jackpots: bool = False, sensors: bool = False) -> DemoOptions:
        return DemoOptions(tmp_path, 1, 1, 1.0, (1, 7), True, None, "bee_tek", profile, jackpots, sensors)

    assert unplayed(options("borgata")) == ()
    plain = unplayed(options("hollywood-penn-national"))
    assert plain == profile_files.load("hollywood-penn-national").rules.side_bets
    with_jackpots = tuple(bet for bet in plain if bet not in {"blazing7s", "five_card_progressive"})
    assert unplayed(options("hollywood-penn-national", jackpots=True)) == with_jackpots
    assert unplayed(options("hollywood-penn-national", jackpots=True, sensors=True)) == with_jackpots


def test_ports_that_cannot_be_made_are_named(tmp_path: Path) -> None:
    (tmp_path / "ports").write_text("no folder")
    done = CliRunner().invoke(main, ["simulate", str(tmp_path), "--rounds", "1"])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == f"tableside: {tmp_path / 'ports'}: File exists\n"
