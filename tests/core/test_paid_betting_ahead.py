"""The payments of a round in which players bet again while others still play: nobody is accused of what is not due."""

from __future__ import annotations

import pytest

from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from tests.core.alerting import at_table, dealt, kinds, next_bets
from tests.core.rig import Rig


def two_boxes(cards: str) -> Rig:
    """Spot 1 bets 25 and spot 2 10, in a house where every decision has its key."""
    rig = at_table()
    rig.chips(2, "main", 1_000)
    dealt(rig, cards)
    return rig


@pytest.mark.parametrize("bets", ["1 main 25", "1 main 100", "1 main 5 \n 1 main 30"])
def test_a_broken_hand_is_taken_in_play_and_what_lies_there_at_the_last_card_is_the_next_bet(bets: str) -> None:
    """Nineteen hits and breaks; twenty wins against nineteen."""
    rig = two_boxes("9h 8c Kd Jh Tc 9d")
    rig.talk(f"key hit \n 5s \n 1 main 0 \n {bets} \n key hit \n 2s \n key stand hole_turned \n 2 main 20")
    next_bets(rig)
    assert rig.postings() == ["1: spot 1 main -25.00", "1: spot 2 main +10.00"]
    assert kinds(rig) == []


def test_one_that_was_left_lying_is_reported_all_the_same() -> None:
    rig = two_boxes("9h 8c Kd Jh Tc 9d")
    rig.talk("key hit \n 5s \n key hit \n 2s \n key stand hole_turned \n 2 main 20")
    next_bets(rig)
    assert kinds(rig) == ["losing_bet_left"]


def test_what_a_natural_gives_back_of_a_double_that_broke_goes_to_who_has_bet_again() -> None:
    """Nineteen doubles and breaks, and both wagers are taken; the dealer's natural takes the first alone."""
    rig = two_boxes("9h 8c Kd Jh Tc Ad")
    rig.talk("1 main 50 \n key double \n Ks \n 1 main 0 \n 1 main 15 \n key hit \n 2s \n key stand hole_turned")
    rig.talk("2 main 0")
    next_bets(rig)
    assert kinds(rig) == []


def test_a_surrender_taken_and_bet_anew_between_two_looks_was_not_left() -> None:
    """Sixteen gives up; eighteen loses to nineteen."""
    rig = two_boxes("9h 8c Kd 7h Tc 9d")
    rig.key("surrender")
    rig.exchange(1, "main", 4_000, spread_ms=600)
    rig.talk("key stand hole_turned \n 2 main 0")
    next_bets(rig)
    assert kinds(rig) == []


@pytest.mark.parametrize(("look_ms", "found"), [(1_000, []), (100, ["mispay"])])
def test_a_split_of_which_one_hand_was_taken_in_play_is_not_said_to_be_left(look_ms: int, found: list[str]) -> None:
    """Seventeen doubled for 10 breaks and is taken; sixteen wins as the dealer breaks, and nobody sees it paid."""
    rig = at_table()
    dealt(rig, "7h 7s 7d 5s")
    rig.talk("1 main 50 \n key split \n Jc \n 1 main 60 \n key double \n 5d")
    rig.chips(1, "main", 2_500, spread_ms=look_ms)
    rig.talk("9h \n key stand hole_turned \n Kh")
    next_bets(rig)
    assert rig.postings() == ["1: spot 1 main -10.00"]
    assert kinds(rig) == found


@pytest.mark.parametrize("change", ["1 main 15", "1 main 2"])
@pytest.mark.parametrize("gone", ["hit", "surrender"])
def test_the_next_bet_may_be_changed_while_others_have_still_to_play(gone: str, change: str) -> None:
    rig = two_boxes("9h 8c Kd 7h Tc 9d")
    rig.talk("key hit \n Ks" if gone == "hit" else "key surrender")
    rig.talk(f"1 main 0 \n 1 main 5 \n {change} \n key hit \n 2s \n key stand hole_turned \n 2 main 20")
    assert [event.kind for event in rig.events_of(AlertRaised)] == []
    next_bets(rig)
    assert set(kinds(rig)) <= {AlertKind.ROUND_UNENDED.value}
