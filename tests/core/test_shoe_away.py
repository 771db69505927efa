"""A shoe that does not number its draws is away: nobody may hear of a card, so nothing is settled, nobody accused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import CardsMayBeMissing, RoundIrregular
from controller.core.messages.events import BetsLocked, QuestionAsked
from controller.core.messages.inputs import Started
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.table.state import State, Table
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.rig import Rig, penn

DEALT = "1 main 10 \n key no_more_bets \n Th 9c 2d 8s"
PLAYED = "key stand hole_turned"


def health(rig: Rig, state: HealthState) -> None:
    rig.give(DeviceHealth("shoe", state, rig.now_ns))
    rig.pass_ms(1_000)


def away() -> Rig:
    """Twelve against a nine; the shoe's cable is pulled, and the player draws an eight that nobody hears of."""
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT)
    health(rig, HealthState.LOST)
    return rig


def alerts(rig: Rig) -> list[str]:
    return [str(event.kind) for event in rig.told(AlertRaised) if isinstance(event, AlertRaised)]


def test_nothing_is_settled_and_the_round_is_not_closed_while_it_is_away() -> None:
    rig = away()
    rig.talk(f"{PLAYED} \n 1 main 20 \n 1 main 0 \n key round_closed")
    assert (rig.postings(), rig.outcomes()) == ([], [])


@pytest.mark.parametrize(
    ("answer", "posted", "outcome"), [("no", ["1: spot 1 main -10.00"], "settled"), ("yes", [], "irregular")]
)
def test_back_again_a_person_says_whether_a_card_is_missing(answer: str, posted: list[str], outcome: str) -> None:
    rig = away()
    rig.talk(f"{PLAYED} \n 1 main 0 \n key round_closed")
    health(rig, HealthState.READY)
    assert len(rig.told(QuestionAsked)) == 1
    rig.answer(answer)
    rig.pass_ms(1_000)
    assert (rig.postings(), rig.outcomes()) == (posted, [outcome])


def test_bets_locked_meanwhile_leave_the_round_to_the_floor() -> None:
    rig = away()
    rig.talk(f"{PLAYED} \n 1 main 0 \n 1 main 50 \n key no_more_bets")
    assert [event.reason for event in rig.told(RoundIrregular) if isinstance(event, RoundIrregular)] == [
        "it ended while the shoe was not connected"
    ]
    assert rig.outcomes() == ["irregular"]
    assert [event.round for event in rig.told(BetsLocked) if isinstance(event, BetsLocked)] == [1, 2]


def test_who_is_paid_for_a_card_that_nobody_heard_of_is_not_accused() -> None:
    rig = away()
    rig.talk("1 main 20 \n 1 main 0")
    assert set(alerts(rig)) <= {"chips_unexplained", "bet_touched"}
    assert "chips_unexplained" in alerts(rig)


def test_a_round_whose_bets_are_locked_meanwhile_waits_too() -> None:
    rig = Rig(penn(stand_key="always"))
    health(rig, HealthState.LOST)
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n 2 main 0 \n 2 main 10")
    assert len(rig.told(BetsLocked)) == 1
    assert alerts(rig) == ["chips_unexplained", "bet_touched"]
    health(rig, HealthState.READY)
    assert [event.round for event in rig.told(CardsMayBeMissing) if isinstance(event, CardsMayBeMissing)] == [1]
    rig.answer("no")
    rig.talk("Th 5h 9c 2d 6d 8s \n key stand stand hole_turned \n 1 main 0 \n 2 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]


def test_a_shoe_that_numbers_its_draws_brings_them_later_and_nothing_waits() -> None:
    rig = Rig(penn(stand_key="always"))
    house = replace(rig.house, shoe_numbers_cards=True)
    rig.house, rig.table = house, Table(house, State())
    rig.give(Started(rig.now_ns, "test", house))
    rig.talk(DEALT)
    health(rig, HealthState.LOST)
    rig.talk(f"{PLAYED} \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert rig.told(RoundIrregular) == []
