"""What ``tableside simulate`` says while nobody plays."""

from __future__ import annotations

from controller.commands.simulate import waiting_for


def test_without_a_daemon_people_wait_for_one() -> None:
    unpolled = ("the keypad", "spot 1 main", "spot 2 main")
    assert waiting_for(unpolled, zones=2) == "nobody plays before a daemon polls the devices"


def test_a_zone_that_the_table_file_lacks_is_named() -> None:
    assert waiting_for(("spot 1 five_card_progressive",), zones=4) == (
        "nobody plays before the daemon polls these as well: spot 1 five_card_progressive; "
        "name them in the table file, or simulate with the options that the file was made with"
    )
