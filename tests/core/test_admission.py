"""What is no wager at the lock, what is outside the limits, and who comes in the middle of a shoe."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.game.wager import Basis
from controller.core.messages.alerts import (
    AnswerRefused,
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    CardOutsideRound,
    ChipsUnexplained,
    MidShoeEntry,
    RoundIrregular,
    SideBetRefused,
    SideBetWithoutMain,
    WagerOutsideLimits,
)
from controller.core.messages.events import BettingClosed, QuestionAsked, RoundClosed, WagerSettled
from controller.core.messages.inputs import AdjustWager, DeclareBox, VoidRound
from controller.io.files import profile_files
from firmware_protocols.readings import KeyPressed
from tests.core.rig import KEY_OF, Rig

ALERTS = (WagerOutsideLimits, SideBetWithoutMain, SideBetRefused, MidShoeEntry)


def penn(**options: object) -> Rig:
    return Rig(profile_files.load("hollywood-penn-national", {"stand_key": "always", **options}).rules)


def pitch(**rules: Any) -> Rig:
    found = profile_files.load("pitch-h17", {"stand_key": "always"}).rules
    return Rig(replace(found, player_cards="face_up", **rules))


def locked(rig: Rig) -> list[tuple[tuple[int, str, int], ...]]:
    return [
        tuple((wager.spot, wager.bet, wager.cents) for wager in event.wagers) for event in rig.events_of(BettingClosed)
    ]


# --- limits -----------------------------------------------------------------------------------------

SIGN = {"minimum_cents": 1000, "maximum_cents": 50_000, "side_maximum_cents": 2500}


def test_wagers_outside_the_sign_are_reported_at_the_lock_and_stand() -> None:
    rig = penn(**SIGN)
    rig.talk("1 main 5 \n 2 main 10 \n 3 main 500 \n 4 main 501 \n 4 lucky_ladies 26 \n 2 lucky_ladies 25")
    assert rig.events_of(*ALERTS) == []
    rig.key("no_more_bets")
    assert rig.events_of(*ALERTS) == [
        WagerOutsideLimits(1, 1, "main", 500, 1000, 50_000),
        WagerOutsideLimits(1, 4, "main", 50_100, 1000, 50_000),
        WagerOutsideLimits(1, 4, "lucky_ladies", 2600, None, 2500),
    ]
    assert sum(len(wagers) for wagers in locked(rig)) == 6


def test_a_wager_outside_the_sign_is_settled_in_its_entirety() -> None:
    rig = penn(**SIGN)
    rig.talk("1 main 600 \n key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned round_closed")
    assert rig.postings() == ["1: spot 1 main +600.00"]


def test_a_limit_that_is_not_set_refuses_nothing() -> None:
    rig = penn(minimum_cents=500)
    rig.talk("1 main 500000 \n 1 lucky_ladies 9000 \n key no_more_bets")
    assert rig.events_of(*ALERTS) == []


def test_limits_are_reported_once_and_of_the_bets_as_they_lay_at_the_lock() -> None:
    rig = penn(**SIGN)
    rig.talk("1 main 600 \n 1 main 100 \n key no_more_bets \n Th 9c 9d 8s \n 1 main 200")
    assert rig.events_of(*ALERTS) == []


def test_a_side_wager_made_after_the_deal_has_the_same_limit() -> None:
    rig = penn(**SIGN)
    rig.talk("1 main 10 \n 2 main 10 \n Th Td 6c 9d 9h Ts \n 1 ez_bust 26 \n 2 ez_bust 25")
    assert rig.events_of(*ALERTS) == [WagerOutsideLimits(1, 1, "ez_bust", 2600, None, 2500)]


# --- side wagers that are none ----------------------------------------------------------------------


def test_a_side_wager_without_a_main_wager_is_no_wager() -> None:
    rig = penn()
    rig.talk("1 main 10 \n 2 lucky_ladies 5 \n key no_more_bets \n Kh 9c Qd 8s \n key stand hole_turned round_closed")
    assert rig.events_of(*ALERTS) == [SideBetWithoutMain(1, 2, "lucky_ladies", 500)]
    assert locked(rig) == [((1, "main", 1000),)]
    assert rig.outcomes() == ["settled"]
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_beside_a_box_without_chips_a_side_wager_stands() -> None:
    rig = penn()
    rig.give(DeclareBox(rig.now_ns, 2, 1000, "floor", "match play"))
    rig.talk("1 main 10 \n 2 lucky_ladies 5 \n key no_more_bets")
    assert rig.events_of(*ALERTS) == []
    assert locked(rig) == [((1, "main", 1000), (2, "main", 1000), (2, "lucky_ladies", 500))]


def test_a_wager_with_one_stake_is_refused_at_another() -> None:
    rig = penn()
    rig.talk("1 main 10 \n 1 blazing7s 10 \n key no_more_bets \n 7h 9c Td 8c \n key stand hole_turned round_closed")
    sentence = "blazing7s is made for 500 cents, not 1000"
    assert rig.events_of(*ALERTS) == [SideBetRefused(1, 1, "blazing7s", 1000, "blazing7s.stake_cents", sentence)]
    assert rig.postings() == ["1: spot 1 main +0.00"]


def test_no_ez_bust_against_another_up_card() -> None:
    rig = penn()
    rig.talk("1 main 10 \n Th 9c 9d 8s \n 1 ez_bust 5 \n key stand hole_turned round_closed")
    sentence = "ez_bust is not offered against an up card of 9"
    assert rig.events_of(*ALERTS) == [SideBetRefused(1, 1, "ez_bust", 500, "ez_bust.up_cards", sentence)]
    assert rig.events_of(BetIncreasedAfterLock, ChipsUnexplained) == []
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_no_ez_bust_without_a_main_wager() -> None:
    rig = penn()
    rig.talk("1 main 10 \n Th 6c 9d Ts \n 2 ez_bust 5")
    assert rig.events_of(*ALERTS, BetIncreasedAfterLock) == [SideBetWithoutMain(1, 2, "ez_bust", 500)]


# --- in the middle of a shoe ------------------------------------------------------------------------

FIRST = "1 main 10 \n key no_more_bets \n Th 9c 9d 8s \n key stand hole_turned \n 1 main 20 \n key round_closed"
NEWCOMER = f"{FIRST} \n 1 main 10 \n 4 main 25 \n key no_more_bets"
TEXT = "Spot 4 came in mid shoe: dealt in?"


def test_who_did_not_bet_the_last_round_is_asked_about_where_entry_is_refused() -> None:
    rig = pitch()
    rig.talk(NEWCOMER)
    assert rig.events_of(MidShoeEntry, QuestionAsked) == [
        MidShoeEntry(2, 4, 2500),
        QuestionAsked(1, 2, 4, TEXT, ("yes", "no")),
    ]
    assert len(locked(rig)) == 1
    assert rig.desired.display == TEXT


def test_nobody_is_asked_about_where_entry_is_allowed() -> None:
    rig = pitch(mid_shoe_entry="allowed")
    rig.talk(NEWCOMER)
    assert rig.events_of(*ALERTS, QuestionAsked) == []
    assert locked(rig)[1] == ((1, "main", 1000), (4, "main", 2500))


def test_a_newcomer_who_was_not_dealt_in_is_in_no_box() -> None:
    rig = pitch()
    rig.talk(f"{NEWCOMER} \n key no \n Th 9c 9d 8s \n key stand hole_turned round_closed")
    assert locked(rig)[1] == ((1, "main", 1000),)
    assert rig.postings()[1:] == ["2: spot 1 main +10.00"]
    assert rig.outcomes() == ["settled", "settled"]
    assert [event.basis for event in rig.events_of(WagerSettled)] == [
        Basis.EVIDENCE,
        Basis.ANSWER,
    ]


def test_a_newcomer_whom_somebody_let_in_plays() -> None:
    rig = pitch()
    rig.talk(f"{NEWCOMER} \n key yes \n Th Kh 9c 9d Qs 8s \n key stand stand hole_turned round_closed")
    assert locked(rig)[1] == ((1, "main", 1000), (4, "main", 2500))
    assert rig.postings()[1:] == ["2: spot 1 main +10.00", "2: spot 4 main +25.00"]


@pytest.mark.parametrize(("answer", "wagers"), [("no", 1), ("yes", 2)])
def test_until_it_is_said_nothing_of_the_round_is_published(answer: str, wagers: int) -> None:
    """The answer comes after the cards, and only then it is known whose they were."""
    cards = {"no": "Th 9c 9d 8s", "yes": "Th Kh 9c 9d Qs 8s"}[answer]
    rig = pitch()
    rig.talk(NEWCOMER)
    before = len(rig.events)
    rig.talk(cards)
    assert {type(event).__name__ for event in rig.events[before:]} == {"CardDrawn"}
    rig.talk(f"key {answer} {'stand ' * wagers} hole_turned round_closed")
    assert len(rig.postings()) == 1 + wagers
    assert rig.outcomes() == ["settled", "settled"]


def test_a_new_shoe_lets_everybody_in() -> None:
    rig = pitch()
    rig.talk(f"{FIRST} \n key burn \n 2c \n 1 main 10 \n 4 main 25 \n key no_more_bets")
    assert rig.events_of(*ALERTS) == []
    assert len(locked(rig)) == 2


def test_a_new_dealer_is_no_new_shoe() -> None:
    rig = pitch()
    rig.talk(FIRST)
    rig.give(KeyPressed(rig.now_ns, KEY_OF["burn"], held=True))
    rig.talk("2c \n 1 main 10 \n 4 main 25 \n key no_more_bets")
    assert rig.events_of(*ALERTS) == [MidShoeEntry(2, 4, 2500)]


def test_who_bet_the_last_round_goes_on_and_who_sat_out_waits() -> None:
    rig = pitch()
    rig.talk(f"{NEWCOMER} \n key yes \n Th Kh 9c 9d Qs 8s \n key stand stand hole_turned round_closed")
    rig.talk("1 main 0 \n key no_more_bets \n Kh 9c Qs 8s \n key stand hole_turned round_closed")
    rig.talk("1 main 10 \n key no_more_bets")
    assert rig.events_of(MidShoeEntry) == [MidShoeEntry(2, 4, 2500), MidShoeEntry(4, 1, 1000)]


def test_two_newcomers_are_asked_about_one_after_the_other() -> None:
    rig = pitch()
    rig.talk(f"{FIRST} \n 1 main 10 \n 3 main 10 \n 4 main 25 \n key no_more_bets no yes")
    assert [event.spot for event in rig.events_of(QuestionAsked)] == [3, 4]
    assert locked(rig)[1] == ((1, "main", 1000), (4, "main", 2500))


def test_with_nobody_dealt_in_there_is_no_round() -> None:
    rig = pitch()
    rig.talk(f"{FIRST} \n 1 main 0 \n 4 main 25 \n key no_more_bets \n Th \n key no")
    assert rig.outcomes() == ["settled", "void"]
    assert len(rig.events_of(CardOutsideRound)) == 1


def test_what_is_no_wager_may_be_handed_back_unalerted() -> None:
    rig = penn()
    rig.talk("1 main 10 \n 2 lucky_ladies 5 \n key no_more_bets \n 2 lucky_ladies 0 \n Th 9c 9d 8s \n 2 lucky_ladies 5")
    assert rig.events_of(BetDecreasedAfterLock, BetIncreasedAfterLock) == [
        BetIncreasedAfterLock(1, 2, "lucky_ladies", 0, 500)
    ]


@pytest.mark.parametrize("order", ["4 main 0 \n key no", "key no \n 4 main 0"])
def test_a_newcomers_chips_may_be_handed_back_unalerted(order: str) -> None:
    rig = pitch()
    rig.talk(f"{NEWCOMER} \n {order} \n Th 9c 9d 8s \n key stand hole_turned round_closed")
    assert rig.events_of(BetDecreasedAfterLock, ChipsUnexplained) == []
    assert rig.postings()[1:] == ["2: spot 1 main +10.00"]


def test_only_yes_and_no_are_answers() -> None:
    rig = pitch()
    rig.talk(NEWCOMER)
    rig.answer("maybe")
    assert rig.events_of(AnswerRefused) == [AnswerRefused(1, "maybe", "the answers are yes and no", "not_a_choice")]
    assert len(locked(rig)) == 1


def test_if_nobody_says_the_round_goes_to_the_floor_with_every_wager_on_the_books() -> None:
    rig = pitch()
    rig.talk(f"{NEWCOMER} \n Th 9c 9d 8s \n key hole_turned round_closed")
    assert rig.outcomes() == ["settled"]
    rig.talk("1 main 30 \n key no_more_bets \n Kd")
    assert rig.events_of(RoundIrregular) == [RoundIrregular(2, "nobody said whether spot 4 was dealt in")]
    assert rig.events_of(RoundClosed)[1] == RoundClosed(2, (), 0, "irregular")
    assert locked(rig)[1] == ((1, "main", 1000), (4, "main", 2500))
    rig.give(AdjustWager(rig.now_ns, 2, 1, "main", 1000, "floor", "seen on the felt"))
    assert rig.postings()[1:] == ["2: spot 1 main +10.00"]


def test_a_voided_round_asks_nobody() -> None:
    rig = pitch()
    rig.talk(NEWCOMER)
    rig.give(VoidRound(rig.now_ns, 2, "floor", "misdeal"))
    assert rig.outcomes() == ["settled", "void"]
    rig.answer("yes")
    assert rig.events_of(AnswerRefused) == [AnswerRefused(1, "yes", "no such question is open", "no_such_question")]
