"""A wager that pushed and is pressed by as much looks, between two looks, as one that won and was paid."""

from __future__ import annotations

import pytest

from controller.core.messages.events import WagerSettled
from tests.core.human import HumanRig, keyless

TWO_ACES = "1 main 10 / 2 main 10 / wait 6 / deal Th Ah Tc 7s 4s 7d / wait 2 / Ac / wait 1.5 / 3s / wait 4"
"""Seventeen, which pushes, and nineteen; or, if others drew the ace and the three, eighteen twice, which wins."""
PRESSED = "2 main 20 / wait 1.5 / 2 main 10 / wait 1 / 1 main 20 / wait 8 / deal Th 9c 8c 9d 8d Td / wait 10"
"""Box 2 is paid and takes its ten; who has pushed at box 1 lays ten more for the next deal."""


def dealt(profile: str, cycle_ms: int, *, reckoned: bool = True, withdrawn: bool = True) -> HumanRig:
    """A round of which only the payments say who drew, and the next deal."""
    rig = keyless(profile, cycle_ms, is_reckoned=reckoned)
    rig.change_house(raises_withdrawn=reckoned and withdrawn)
    rig.play(f"{TWO_ACES} / {PRESSED}")
    return rig


def due_at_box_1(rig: HumanRig) -> list[int]:
    return [one.net_cents for one in rig.events if isinstance(one, WagerSettled) and (one.round, one.spot) == (1, 1)]


@pytest.mark.parametrize("cycle_ms", [350, 500, 700, 1_000])
@pytest.mark.parametrize("profile", ["hollywood-penn-national", "hollywood-perryville", "borgata"])
def test_a_press_of_a_wager_that_may_have_pushed_is_no_payment(profile: str, cycle_ms: int) -> None:
    assert due_at_box_1(dealt(profile, cycle_ms)) == []


def test_in_journals_of_before_it_counts_as_one() -> None:
    assert due_at_box_1(dealt("borgata", 350, reckoned=False)) == [1_000]


def test_nor_does_it_in_those_that_took_what_went_for_a_payment() -> None:
    assert due_at_box_1(dealt("borgata", 350, withdrawn=False)) == []
