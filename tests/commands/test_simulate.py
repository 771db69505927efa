"""What ``tableside simulate`` says while nobody plays, and that it leaves alone a table where somebody does."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from controller.cli import main
from controller.commands.simulate import waiting_for
from controller.demo.demo import alone
from controller.demo.table import DemoOptions, unplayed
from controller.io.files import profile_files


def test_without_a_daemon_people_wait_for_one() -> None:
    unpolled = ("the keypad", "spot 1 main", "spot 2 main")
    assert waiting_for(unpolled, zones=2) == "nobody plays before a daemon polls the devices"


def test_a_zone_that_the_table_file_lacks_is_named() -> None:
    assert waiting_for(("spot 1 five_card_progressive",), zones=4) == (
        "nobody plays before the daemon polls these as well: spot 1 five_card_progressive; "
        "name them in the table file, or simulate with the options that the file was made with"
    )


def test_a_folder_in_which_somebody_plays_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "ports").mkdir()
    (tmp_path / "ports" / "shoe").symlink_to("/dev/null")
    with alone(tmp_path):
        done = CliRunner().invoke(main, ["simulate", str(tmp_path), "--rounds", "1"])
    assert (done.exit_code, done.stdout) == (2, "")
    said = "another demo or simulation is playing here; end it, or give another folder"
    assert done.stderr == f"tableside: {tmp_path}: {said}\n"
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
