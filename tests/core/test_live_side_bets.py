"""Side wagers at the live table: settled once the cards decide them, on the felt or not at all."""

from __future__ import annotations

import pytest

from controller.core.certainty.side_wagers import sides_differ
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    ChipsUnexplained,
    SideBetRefused,
)
from controller.core.messages.events import (
    CardDrawn,
    QuestionAsked,
    QuestionWithdrawn,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.inputs import SetCard
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.table.transaction import Transaction
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.rig import Rig


def penn_rig() -> Rig:
    return Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always"}).rules)


ROUNDS = {
    "a twenty and a flush are paid after the deal": (
        "1 main 10 \n 1 lucky_ladies 5 \n 1 twenty_one_plus_three 5 \n Kh 9h Th 7c \n key stand hole_turned \n 4d",
        ["1: spot 1 lucky_ladies +50.00", "1: spot 1 twenty_one_plus_three +25.00", "1: spot 1 main +0.00"],
    ),
    "queens of hearts wait for the dealer's natural": (
        "1 main 10 \n 1 lucky_ladies 5 \n Qh Kc Qh As \n key stand hole_turned",
        ["1: spot 1 main -10.00", "1: spot 1 lucky_ladies +5000.00"],
    ),
    "ez bust is made after the up card and wins with the break": (
        "1 main 10 \n Th 6c 9d Td \n 1 ez_bust 5 \n key stand hole_turned \n Kc",
        ["1: spot 1 main +10.00", "1: spot 1 ez_bust +5.00"],
    ),
    "ez bust is lost where the dealer stands": (
        "1 main 10 \n Th 6c 9d Td \n 1 ez_bust 5 \n key stand hole_turned \n 4c",
        ["1: spot 1 main -10.00", "1: spot 1 ez_bust -5.00"],
    ),
    "insurance is no ez bust": (
        "1 main 10 \n Th As 9d 6d \n 1 insurance 5 \n key insurance_closed stand hole_turned",
        ["1: spot 1 insurance -5.00", "1: spot 1 main +10.00"],
    ),
    "one seven pays ten dollars for a five dollar wager": (
        "1 main 10 \n 1 blazing7s 5 \n 7h 9c Td 8c \n key stand hole_turned",
        ["1: spot 1 blazing7s +5.00", "1: spot 1 main +0.00"],
    ),
}


@pytest.mark.parametrize("name", ROUNDS)
def test_side_wagers_at_the_table(name: str) -> None:
    talk, expected = ROUNDS[name]
    rig = penn_rig()
    rig.talk(talk)
    rig.key("round_closed")
    assert sorted(rig.postings()) == sorted(expected)
    assert rig.outcomes() == ["settled"]


@pytest.mark.parametrize(("drawn", "posting"), [("Kc", "1: spot 1 ez_bust +5.00"), ("4c", "1: spot 1 ez_bust -5.00")])
def test_ez_bust_is_settled_with_the_dealers_last_card(drawn: str, posting: str) -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n Th 6c 9d 2d \n 1 ez_bust 5 \n key stand hole_turned \n 7s")
    assert rig.postings() == []
    rig.talk(drawn)
    assert posting in rig.postings()


def test_ez_bust_is_returned_when_the_last_hand_has_broken() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n Th 6c 9d 2d \n 1 ez_bust 5 \n key hit \n 7s")
    assert "1: spot 1 ez_bust +0.00" in rig.postings()


def test_a_row_of_the_meter_waits_for_the_progressive() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n 7d 7d 7d 8c \n key stand hole_turned \n 5c \n key round_closed")
    assert rig.outcomes() == ["open"]
    assert [each.bet for each in rig.events if isinstance(each, WagerSettled)] == ["main"]


def test_a_correction_adjusts_a_settled_side_wager_and_settles_none_twice() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 1 lucky_ladies 5 \n 1 twenty_one_plus_three 5 \n Kh 9h Th 7c")
    second = [event.card for event in rig.events_of(CardDrawn)][2]
    rig.give(SetCard(rig.now_ns, second, Card("9c"), "floor", "misread"))
    rig.talk("key stand hole_turned \n 4d \n key round_closed")
    settled = [event.bet for event in rig.events_of(WagerSettled)]
    assert sorted(settled) == ["lucky_ladies", "main", "twenty_one_plus_three"]
    adjusted = rig.events_of(WagerAdjusted)
    assert {(event.bet, event.before_cents, event.net_cents) for event in adjusted} == {
        ("lucky_ladies", 5000, -500),
        ("twenty_one_plus_three", 2500, -500),
    }


def test_while_a_round_is_played_only_the_zones_that_report_it_are_polled() -> None:
    rig = penn_rig()
    watched: list[tuple[str, ...]] = []
    for talk in ("1 main 10", "Th 9c 7d 8c", "key stand hole_turned round_closed"):
        rig.talk(talk)
        watched.append(rig.desired.watched)
    assert watched == [(), ("main", "insurance", "ez_bust"), ()]


TAKEN = {
    "paid and taken after the deal": ("2 lucky_ladies 0 \n 1 lucky_ladies 55 \n 1 lucky_ladies 0", 0),
    "touched before anything decides it": ("3 lucky_ladies 0", 1),
    "a stake for one is collected": ("1 blazing7s 0", 0),
}


@pytest.mark.parametrize("name", TAKEN)
def test_a_decided_side_wager_is_taken_and_paid_without_an_alarm(name: str) -> None:
    talk, alarms = TAKEN[name]
    rig = penn_rig()
    rig.talk("1 main 10 \n 1 lucky_ladies 5 \n 2 main 10 \n 2 lucky_ladies 5 \n 3 main 10 \n 3 lucky_ladies 5")
    rig.talk(f"1 blazing7s 5 \n key no_more_bets \n Kh 8h Qh Kd Th 9c Qh 7c \n {talk}")
    assert len(rig.events_of(ChipsUnexplained, BetIncreasedAfterLock, BetDecreasedAfterLock)) == alarms


def test_a_stake_for_one_is_collected_before_the_deal() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 1 blazing7s 5 \n key no_more_bets \n 1 blazing7s 0 \n 7h 9c Td 8c \n key stand hole_turned")
    rig.key("round_closed")
    assert rig.events_of(ChipsUnexplained, BetIncreasedAfterLock, BetDecreasedAfterLock) == []
    assert sorted(rig.postings()) == ["1: spot 1 blazing7s +5.00", "1: spot 1 main +0.00"]


def test_ez_bust_after_the_first_decision_is_no_wager_and_looks_like_past_posting() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n Th 6c 9d Td \n key stand \n 1 ez_bust 5")
    assert rig.events_of(ChipsUnexplained) == [ChipsUnexplained(1, 1, "ez_bust", 0, 500)]
    assert rig.events_of(SideBetRefused) == []
    rig.talk("key hole_turned \n Kc \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_ez_bust_taken_off_before_the_dealer_is_done_counts_and_is_pinching() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n Th 6c 9d Td \n 1 ez_bust 5 \n key stand \n 1 ez_bust 0 \n key hole_turned \n Kc")
    rig.key("round_closed")
    assert rig.postings() == ["1: spot 1 main +10.00", "1: spot 1 ez_bust +5.00"]
    assert next(event.kind for event in rig.events_of(AlertRaised)) is AlertKind.PINCHING


def test_ez_bust_that_a_lost_reader_may_have_missed_is_not_settled() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 2 main 10 \n Th Tc 6c 9d 9h Td \n 1 ez_bust 5 \n 2 ez_bust 5")
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns, "unplugged"))
    rig.talk("key stand stand hole_turned \n Kc \n key round_closed")
    assert sorted(rig.postings()) == ["1: spot 1 main +10.00", "1: spot 2 ez_bust +5.00", "1: spot 2 main +10.00"]
    assert rig.events_of(WagerUnresolved) == [WagerUnresolved(1, 1, "ez_bust", 500, (500,))]
    assert rig.outcomes() == ["open"]


EITHER_BROKE = """
    1 main 10
    2 main 10
    Th Tc 6c 6d 2d As
    1 ez_bust 5
    key insurance_closed
    8h Kh
"""
"""Sixteen and twelve against a soft 17. Either both hands broke, and EZ Bust is returned; or the first one stood, the
second took both cards, and EZ Bust is lost. Both hands lose either way."""


def test_what_plays_differ_on_in_a_side_wager_alone_is_asked_while_the_round_is_open() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk(EITHER_BROKE)
    assert sorted(rig.postings()) == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]
    assert sides_differ(Transaction(rig.table, rig.stamped[-1]))
    (asked,) = rig.events_of(QuestionAsked)
    assert isinstance(asked, QuestionAsked)
    assert asked.text == "Spot 1: how many cards in hand 1?"
    rig.answer("2")
    assert rig.events_of(QuestionWithdrawn) == []
    rig.key("round_closed")
    assert "1: spot 1 ez_bust -5.00" in rig.postings()
    assert rig.outcomes() == ["settled"]


def test_plays_that_another_hole_card_would_allow_are_not_counted_once_it_is_turned() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    # With a ten in the hole the king might be the dealer's; with an ace it broke the player.
    rig.talk("1 main 10 \n Th 6c 2d As \n 1 ez_bust 5 \n key insurance_closed \n Kc")
    assert not sides_differ(Transaction(rig.table, rig.stamped[-1]))
    rig.key("round_closed")
    assert sorted(rig.postings()) == ["1: spot 1 ez_bust +0.00", "1: spot 1 main -10.00"]


def test_a_wager_on_which_plays_that_are_over_agree_does_not_differ() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 1 lucky_ladies 5 \n Th 6c 9d Td \n 1 ez_bust 5 \n key stand hole_turned \n Kc")
    assert not sides_differ(Transaction(rig.table, rig.stamped[-1]))


def test_plays_that_differ_on_ez_bust_leave_it_open_at_the_close() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk(EITHER_BROKE)
    rig.key("round_closed")
    assert rig.events_of(WagerUnresolved) == [WagerUnresolved(1, 1, "ez_bust", 500, (-500, 0))]
    assert not any(line.startswith("1: spot 1 ez_bust") for line in rig.postings())


def test_nothing_is_said_to_differ_before_the_hole_card_is_turned() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 1 lucky_ladies 5 \n Th 6c 9d Td")
    assert not sides_differ(Transaction(rig.table, rig.stamped[-1]))


def test_a_side_wager_taken_off_during_the_deal_is_pinching() -> None:
    rig = penn_rig()
    rig.talk("1 main 10 \n 1 lucky_ladies 5 \n key no_more_bets \n Kh 9h \n 1 lucky_ladies 0")
    assert rig.events_of(BetDecreasedAfterLock) == [BetDecreasedAfterLock(1, 1, "lucky_ladies", 500, 0)]
