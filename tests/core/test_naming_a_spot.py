"""A digit names the spot of the key that follows it; a digit alone names nothing for long."""

from __future__ import annotations

from controller.core.messages.events import HandCompleted
from controller.io.files import profile_files
from tests.core.rig import Rig


def two_boxes() -> Rig:
    """Ten and twelve against a nine, at a table where no key need be pressed; somebody has pressed the digit 2."""
    rig = Rig(profile_files.load("borgata", {"no_more_bets": "sometimes"}).rules)
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n 5h 6h 9c 5d 6d 8s")
    rig.pass_ms(3_000)
    rig.talk("key 2")
    return rig


def completed(rig: Rig) -> list[tuple[int, int]]:
    return [(event.spot, event.total) for event in rig.events if isinstance(event, HandCompleted)]


def test_the_key_that_follows_speaks_of_the_spot() -> None:
    rig = two_boxes()
    rig.talk("key hit \n 7d \n key stand")
    assert completed(rig) == [(1, 10), (2, 19)]


def test_after_a_card_a_key_speaks_of_the_hand_in_play() -> None:
    rig = two_boxes()
    rig.talk("7d \n key hit \n 2c \n key stand")
    assert completed(rig) == []


def test_five_seconds_later_too() -> None:
    rig = two_boxes()
    rig.pass_ms(5_001)
    rig.talk("key hit \n 7d")
    assert completed(rig) == []
    assert rig.table.state.spot_named == 0
