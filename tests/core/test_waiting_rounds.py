"""Rounds that end with a question open: they wait for its answer while the next ones are played."""

from __future__ import annotations

from controller.core.messages.alerts import AnswerRefused
from controller.core.messages.events import CardDrawn, QuestionWithdrawn, RoundClosed, RoundPending
from controller.core.messages.inputs import SetCard
from controller.core.table.transaction import Transaction
from firmware_protocols.cards import Card
from firmware_protocols.readings import KeyPressed
from tests.core.rig import KEY_OF, Rig, penn

WHO_GOT_THE_NINE = """
    1 main 10
    2 main 10
    5h 5c Tc 6d 5s 7s
    9c
    key hole_turned round_closed
"""
"""Eleven and ten against seventeen, and a nine that either of the two may have taken: one of them wins."""

NEXT = "1 main 0 \n 2 main 0 \n 3 main 20 \n Th 9c Kd 8s"


def waiting(rig: Rig) -> list[int]:
    return [each.number for each in rig.table.state.waiting]


def waits(rig: Rig) -> list[int]:
    return [event.round for event in rig.events if isinstance(event, RoundPending)]


def test_the_answer_settles_the_round_that_waited_and_leaves_the_open_one_alone() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE + NEXT)
    assert (rig.postings(), waiting(rig)) == ([], [1])
    open_round = rig.table.state.round
    rig.answer("3")
    assert sorted(rig.postings()) == ["1: spot 1 main +10.00", "1: spot 2 main -10.00"]
    assert (waiting(rig), rig.outcomes()) == ([], ["settled"])
    assert rig.table.state.round == open_round
    rig.talk("key stand hole_turned round_closed")
    assert rig.postings()[-1] == "2: spot 3 main +20.00"


def test_a_waiting_round_is_judged_beside_the_open_one() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE + NEXT)
    transaction = Transaction(rig.table, rig.stamped[-1])
    open_round, lattice = transaction.round(), transaction.lattice()
    (waited,) = transaction.state.waiting
    with transaction.judging(waited):
        tried = transaction.savepoint()
        transaction.change_evidence(trouble="for the floor")
        assert (transaction.round().number, transaction.round().evidence.trouble) == (1, "for the floor")
        assert transaction.lattice() is not lattice
        assert transaction.state.round is open_round
        transaction.roll_back(tried)
        assert transaction.round() is waited
    assert (transaction.round(), transaction.lattice(), transaction.left) == (open_round, lattice, (waited,))


def test_an_answer_that_is_none_of_the_choices_changes_nothing() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE + NEXT)
    before = rig.table.state.waiting
    rig.answer("7")
    assert [event.reason for event in rig.events if isinstance(event, AnswerRefused)] == ["the answers are 2, 3"]
    assert (rig.table.state.waiting, rig.postings()) == (before, [])


def test_answers_may_come_in_any_order() -> None:
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    rig.talk(WHO_GOT_THE_NINE)
    assert waiting(rig) == [1, 2]
    rig.answer("2")
    assert (waiting(rig), rig.outcomes()) == ([1], ["settled"])
    assert sorted(rig.postings()) == ["2: spot 1 main -10.00", "2: spot 2 main +10.00"]


def test_of_more_than_three_the_oldest_is_left_to_the_floor() -> None:
    rig = Rig(penn())
    for _ in range(4):
        rig.talk(WHO_GOT_THE_NINE)
    assert waits(rig) == [1, 2, 3, 4]
    assert waiting(rig) == [2, 3, 4]
    assert [event.question for event in rig.events if isinstance(event, QuestionWithdrawn)] == [1]
    assert [(event.round, event.outcome) for event in rig.events if isinstance(event, RoundClosed)] == [(1, "open")]
    assert rig.postings() == []


def test_a_correction_that_leaves_no_legal_play_hands_a_waiting_round_to_the_floor() -> None:
    """With a five in the hole the dealer has fifteen and should have drawn."""
    rig = Rig(penn())
    rig.talk(WHO_GOT_THE_NINE)
    hole = [event.card for event in rig.events_of(CardDrawn)][5]
    rig.give(SetCard(rig.now_ns, hole, Card("5s"), "floor", "misread"))
    assert (waiting(rig), rig.outcomes(), rig.postings()) == ([], ["irregular"], [])


def test_a_round_with_an_unread_card_goes_to_the_floor_when_the_close_is_pressed_twice() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 10 \n Th 9c")
    rig.card(None)
    rig.talk("8s \n key stand round_closed")
    assert rig.outcomes() == []
    rig.give(KeyPressed(rig.now_ns, KEY_OF["round_closed"]))
    assert (rig.outcomes(), rig.postings()) == (["irregular"], [])
