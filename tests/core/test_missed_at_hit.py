"""The key *hit*, and no card while play goes on: people are asked whether one was missed."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import KeyUndone, QuestionAsked, QuestionWithdrawn, RoundClosed, WagerSettled
from controller.core.messages.inputs import AnswerQuestion
from tests.core.rig import Rig, penn

DEALT = "1 main 10 \n 2 main 10 \n key no_more_bets \n 5h 9h 7c 6d 9d Tc"


def asked(rig: Rig) -> list[tuple[int | None, str]]:
    return [(event.spot, event.text) for event in rig.events if isinstance(event, QuestionAsked)]


def kinds(rig: Rig, kind: type) -> int:
    return sum(isinstance(event, kind) for event in rig.events)


@pytest.mark.parametrize("goes_on", ["key stand", "key hit", "key 2 stand", "key hole_turned"])
def test_play_that_goes_on_without_the_card_of_a_hit_is_asked_about(goes_on: str) -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit \n" + goes_on)
    assert asked(rig) == [(1, "Was a card missed for spot 1?")]
    assert rig.desired.display == "Card missed at hit? yes/no"
    assert not kinds(rig, RoundIrregular)


def test_the_hand_of_a_split_box_is_named() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 10 \n key no_more_bets \n 8h 7c 8d Tc \n 1 main 20 \n key split \n 3c")
    rig.talk("key stand \n 2c \n key hit stand")
    assert asked(rig) == [(1, "Was a card missed for spot 1, hand 2?")]


def test_a_missed_card_goes_to_the_floor() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit stand yes")
    (irregular,) = rig.events_of(RoundIrregular)
    assert isinstance(irregular, RoundIrregular)
    assert irregular.reason == "a card was missed after the key hit"
    assert rig.table.state.books[-1].rows[0].net_cents is None


def test_a_key_pressed_by_mistake_counts_no_more() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit stand no stand hole_turned round_closed")
    assert kinds(rig, KeyUndone) == 1
    assert not kinds(rig, RoundIrregular)
    due = {event.spot: event.net_cents for event in rig.events if isinstance(event, WagerSettled)}
    assert due == {1: -1000, 2: 1000}
    assert rig.outcomes() == ["settled"]


def test_the_operators_answer_does_the_same() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit stand")
    rig.give(AnswerQuestion(rig.now_ns, 1, "no", "Okafor"))
    rig.pass_ms(100)
    assert kinds(rig, KeyUndone) == 1
    assert not kinds(rig, RoundIrregular)


def test_the_question_goes_when_the_dealer_takes_the_keys_back() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit stand undo \n Tc \n key stand hole_turned round_closed")
    assert kinds(rig, QuestionWithdrawn) == 1
    assert rig.outcomes() == ["settled"]


def test_nobody_who_answers_leaves_it_to_the_floor() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit stand stand hole_turned round_closed no_more_bets \n 2c")
    assert [event.outcome for event in rig.events_of(RoundClosed)] == ["irregular"]


def test_a_shoe_that_numbers_its_draws_has_missed_none() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.change_house(shoe_numbers_cards=True)
    rig.talk(DEALT + " \n key hit stand")
    assert asked(rig) == []
    assert kinds(rig, RoundIrregular) == 1


def test_no_other_contradiction_is_asked_about() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit \n Tc \n key double stand")
    assert asked(rig) == []


def test_what_was_answered_is_not_asked_in_the_next_questions_name() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(DEALT + " \n key hit stand yes")
    assert rig.table.state.round is not None
    assert rig.table.state.round.questions.missed_after == 0
