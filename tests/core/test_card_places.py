"""Where a round begins, and in which hand of its spot each card lies as published."""

from __future__ import annotations

from controller.core.messages.events import (
    BettingClosed,
    CardDealt,
    CardDrawn,
    HandCompleted,
    RoundClosed,
    RoundStarted,
)
from controller.core.messages.inputs import ShoeChanged
from tests.core.rig import Rig, penn

SPLIT = "1 main 25 \n 3 main 10 \n key no_more_bets \n 8h 9s 7d 8s 9d Td \n 1 main 50"


def hands(rig: Rig, spot: int) -> list[int | None]:
    """The hands of a spot's cards, in the order in which they were published."""
    return [event.hand for event in rig.events if isinstance(event, CardDealt) and event.spot == spot]


def started(rig: Rig) -> list[RoundStarted]:
    return [event for event in rig.events if isinstance(event, RoundStarted)]


def test_the_cards_of_a_split_box_are_published_with_their_hands() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(SPLIT + " \n 3c Tc 8c \n key stand stand hole_turned round_closed")
    assert hands(rig, 1) == [0, 0, 0, 0, 1]
    played = {event.hand: event.cards for event in rig.events if isinstance(event, HandCompleted) and event.spot == 1}
    drawn = [event for event in rig.events if isinstance(event, CardDealt) and event.spot == 1][2:]
    assert all(event.card in played[event.hand or 0] for event in drawn)


def test_the_dealers_cards_are_of_no_hand() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk("1 main 25 \n key no_more_bets \n Th 6d 9s 9d \n key stand hole_turned \n 2c \n key round_closed")
    assert hands(rig, 0) == [None, None, None]


def test_a_card_that_may_lie_in_either_hand_is_published_without() -> None:
    rig = Rig(penn())
    rig.talk(SPLIT + " \n key split \n 3c 4c")
    assert hands(rig, 1) == [0, 0, 0, None]


def test_a_round_is_published_as_it_begins_before_its_first_card() -> None:
    rig = Rig(penn())
    rig.talk("1 main 25 \n 3 main 10 \n 8h")
    kinds = [type(event) for event in rig.events if isinstance(event, RoundStarted | CardDrawn | BettingClosed)]
    assert kinds == [RoundStarted, CardDrawn, BettingClosed]
    assert started(rig) == [RoundStarted(1, None, (1, 3))]


def test_a_round_names_its_shoe_and_is_published_once() -> None:
    rig = Rig(penn(new_shoe_burns=0))
    rig.give(ShoeChanged(rig.now_ns, -1, "Okafor"))
    rig.talk("1 main 25 \n key no_more_bets undo no_more_bets \n 8h")
    assert started(rig) == [RoundStarted(1, 1, (1,)), RoundStarted(2, 1, (1,))]
    assert [event.outcome for event in rig.events if isinstance(event, RoundClosed)] == ["void"]
