"""A shoe that does not number its draws is away: nobody may hear of a card, so nothing is settled, nobody accused."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import CardsMayBeMissing, RoundIrregular
from controller.core.messages.events import BettingClosed, CardOpened, DealUnconfirmed, QuestionAsked
from controller.core.messages.inputs import DaemonStarted
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.table.state import State, Table
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.rig import Rig, penn
from tests.core.test_next_deal import deal, table

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
    return [str(event.kind) for event in rig.events_of(AlertRaised)]


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
    assert len(rig.events_of(QuestionAsked)) == 1
    rig.answer(answer)
    rig.pass_ms(1_000)
    assert (rig.postings(), rig.outcomes()) == (posted, [outcome])


def test_bets_locked_meanwhile_leave_the_round_to_the_floor() -> None:
    rig = away()
    rig.talk(f"{PLAYED} \n 1 main 0 \n 1 main 50 \n key no_more_bets")
    assert [event.reason for event in rig.events_of(RoundIrregular)] == ["it ended while the shoe was not connected"]
    assert rig.outcomes() == ["irregular"]
    assert [event.round for event in rig.events_of(BettingClosed)] == [1, 2]


def test_who_is_paid_for_a_card_that_nobody_heard_of_is_not_accused() -> None:
    rig = away()
    rig.talk("1 main 20 \n 1 main 0")
    assert set(alerts(rig)) == {"chips_unexplained"}


def test_a_round_whose_bets_are_locked_meanwhile_waits_too() -> None:
    rig = Rig(penn(stand_key="always"))
    health(rig, HealthState.LOST)
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n 2 main 0 \n 2 main 10")
    assert len(rig.events_of(BettingClosed)) == 1
    assert alerts(rig) == ["chips_unexplained"] * 2
    health(rig, HealthState.READY)
    assert [event.round for event in rig.events_of(CardsMayBeMissing)] == [1]
    rig.answer("no")
    rig.talk("Th 5h 9c 2d 6d 8s \n key stand stand hole_turned \n 1 main 0 \n 2 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]


def test_a_shoe_that_numbers_its_draws_brings_them_later_and_nothing_waits() -> None:
    rig = Rig(penn(stand_key="always"))
    house = replace(rig.house, shoe_numbers_cards=True)
    rig.house, rig.table = house, Table(house, State())
    rig.give(DaemonStarted(rig.now_ns, "test", house))
    rig.talk(DEALT)
    health(rig, HealthState.LOST)
    rig.talk(f"{PLAYED} \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert rig.events_of(RoundIrregular) == []


def between_rounds(before: str, after: str = "") -> Rig:
    """Bets are laid while the shoe is away between two rounds; the rest comes once it is back."""
    rig = Rig(penn(turn_key="sometimes"))
    health(rig, HealthState.LOST)
    rig.talk(before)
    health(rig, HealthState.READY)
    rig.talk(after)
    return rig


def asked(rig: Rig) -> int:
    return len(rig.events_of(QuestionAsked))


def test_a_card_after_it_need_not_be_the_first_of_its_round() -> None:
    rig = between_rounds("1 main 10", "2d 8s")
    assert asked(rig) == 1
    rig.talk("1 main 0")
    assert alerts(rig) == ["chips_unexplained"]
    rig.answer("yes")
    assert [event.round for event in rig.events_of(RoundIrregular)] == [1]


def test_answered_that_none_was_drawn_the_round_goes_on() -> None:
    rig = between_rounds("1 main 10", "Th 9c 2d 8s")
    rig.answer("no")
    rig.talk("key stand hole_turned \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main -10.00"]


@pytest.mark.parametrize(
    ("before", "after"),
    [("", "1 main 10 \n Th"), ("1 main 10", "key no_more_bets \n Th"), ("1 main 10", "1 main 0 \n 1 main 20 \n Th")],
    ids=["bets came later", "locked by the key", "bet anew"],
)
def test_nothing_is_asked_where_no_deal_can_have_begun(before: str, after: str) -> None:
    assert asked(between_rounds(before, after)) == 0


@pytest.mark.parametrize("began", ["key no_more_bets", ""])
def test_it_is_asked_once_and_of_no_later_round(began: str) -> None:
    rig = between_rounds("1 main 10", f"{began} \n Th")
    once = asked(rig)
    if once:
        rig.answer("no")
    rig.talk("9c 2d 8s \n key stand hole_turned \n 1 main 0 \n 1 main 10 \n key round_closed \n Th")
    assert (rig.outcomes(), asked(rig)) == (["settled"], once)


def test_nor_of_a_shoe_that_numbers_its_draws() -> None:
    rig = Rig(penn())
    house = replace(rig.house, shoe_numbers_cards=True)
    rig.house, rig.table = house, Table(house, State())
    rig.give(DaemonStarted(rig.now_ns, "test", house))
    health(rig, HealthState.LOST)
    rig.talk("1 main 10")
    health(rig, HealthState.READY)
    rig.talk("Th")
    assert asked(rig) == 0


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("yes", "cards were drawn while the table was not listening"),
        ("no", "it ended with its hole card turned after fewer cards than its deal has"),
        ("", "nobody said whether cards were missed"),
    ],
)
@pytest.mark.parametrize("key", ["", "key no_more_bets \n "], ids=["by the card", "by the key"])
def test_its_hole_card_turned_the_next_deal_ends_a_round_of_which_too_few_cards_were_heard(
    key: str, answer: str, reason: str
) -> None:
    """*Round closed* is forgotten. What nobody could count stays closed, and the next round is published."""
    rig = Rig(penn(stand_key="always", turn_key="always"))
    rig.talk("1 main 10 \n key no_more_bets \n Th 9c")
    health(rig, HealthState.LOST)
    health(rig, HealthState.READY)
    if answer:
        rig.answer(answer)
    rig.talk("8s \n key stand hole_turned \n 1 main 0 \n 1 main 50")
    rig.pass_ms(8_000)
    rig.talk(f"{key}Td 3c 4d 5d")
    assert [event.reason for event in rig.events_of(RoundIrregular)] == [reason]
    assert rig.outcomes() == ["irregular"]
    assert [event.round for event in rig.events_of(BettingClosed)] == [1, 2]
    assert rig.events_of(CardOpened) == []


def test_away_between_two_rounds_it_leaves_the_next_deal_unconfirmed_and_no_other() -> None:
    rig = table()
    rig.talk("1 main 0 \n key round_closed")
    health(rig, HealthState.LOST)
    health(rig, HealthState.READY)
    for _ in range(2):
        rig.talk("1 main 10")
        deal(rig, "Th 9c Kd 8s")
        rig.talk("key hole_turned \n 1 main 20 \n 1 main 0 \n key round_closed")
    assert rig.events_of(DealUnconfirmed) == [DealUnconfirmed(2, "the shoe was not connected")]
    assert rig.outcomes() == ["settled", "settled", "settled"]
