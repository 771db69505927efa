"""A winner paid too little, or taken, is said where readers look often enough to have shown the right payment."""

from __future__ import annotations

import pytest

from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from tests.core.human import HumanRig
from tests.core.quick_readers import alerts

BETS = "1 main 20 / wait 6 / key no_more_bets / wait 1"
WON = f"{BETS} / deal Th 9c 9d 8s / wait 2 / key stand / wait 2 / key hole_turned / wait 2"
"""Nineteen against seventeen: twenty dollars are due."""
PUSHED = f"2 main 10 / {BETS} / deal Th Td 9c 9d 7h 8s / wait 2 / key stand stand / wait 2 / key hole_turned / wait 2"
NEXT = f"key round_closed / wait 1 / 1 main 0 / wait 2 / {BETS} / deal Th 9c 8d 8s"


def dealt(cycle_ms: int, *, reckoned: bool = True, boxes: int = 1) -> HumanRig:
    """A round that is won at box 1, and pushes at the other, before it is paid."""
    profile = profile_files.load("hollywood-penn-national", {"stand_key": "always", "turn_key": "always"})
    rig = HumanRig(profile.rules, {}, seed=1, cycle_ms=cycle_ms)
    rig.change_house(looks_reckoned=reckoned)
    rig.play(WON if boxes == 1 else PUSHED)
    return rig


def alert_kinds(rig: HumanRig, payment: str) -> list[AlertKind]:
    """What is raised once the winner has been paid so and the next round is dealt."""
    rig.play(f"{payment} / wait 2 / {NEXT}")
    return alerts(rig, *AlertKind)


@pytest.mark.parametrize("cycle_ms", [250, 350, 450])
@pytest.mark.parametrize(
    ("payment", "kind"),
    [
        pytest.param("1 main 30", AlertKind.MISPAY, id="half is paid"),
        pytest.param("1 main 0", AlertKind.WINNING_BET_TAKEN, id="it is taken"),
    ],
)
def test_a_winner_paid_too_little_is_said_of_readers_that_look_often(
    cycle_ms: int, payment: str, kind: AlertKind
) -> None:
    assert alert_kinds(dealt(cycle_ms), payment) == [kind]


def test_other_chips_that_lie_at_a_box_span_three_looks_of_readers_that_look_often() -> None:
    rig = dealt(400, boxes=2)
    assert alert_kinds(rig, "2 main = 10 / wait 2 / 1 main 30") == [AlertKind.MISPAY]


@pytest.mark.parametrize("payment", ["1 main 30", "1 main 0"])
@pytest.mark.parametrize("cycle_ms", [460, 700])
def test_between_looks_far_apart_the_right_payment_may_have_been_picked_up(cycle_ms: int, payment: str) -> None:
    assert alert_kinds(dealt(cycle_ms), payment) == []


def test_in_journals_of_before_an_interval_counts_as_the_time_between_two_looks() -> None:
    assert alert_kinds(dealt(350, reckoned=False), "1 main 30") == []


@pytest.mark.parametrize("cycle_ms", [250, 350, 450, 700])
def test_a_winner_paid_right_and_slowly_picked_up_accuses_nobody(cycle_ms: int) -> None:
    assert alert_kinds(dealt(cycle_ms), "1 main 40") == []
