"""A card not read that nobody names, where dealers key the turn: the lock of the next bets ends its round."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import KeyRefused, RoundIrregular
from controller.core.messages.events import CardOpened, RoundStarted
from tests.core.test_hole_card import Table, table

NEXT = "1 main 20 \n key no_more_bets \n Th 9c 6d 8s \n key stand hole_turned round_closed"


def unread() -> Table:
    """The deal is confirmed by its rhythm; the card that the player then draws is not read, and he stands on it."""
    rig = table(stand_key="always")
    for faces in ("Th 9c 6d 8s", "5h 9c 6d 8s"):
        rig.talk("1 main 10 \n key no_more_bets")
        rig.deal(faces)
        if faces.startswith("T"):
            rig.talk("key stand hole_turned round_closed \n 1 main 0")
    rig.card(None)
    rig.talk("key stand")
    return rig


@pytest.mark.parametrize("closed", ["", "round_closed"], ids=["forgotten", "refused"])
def test_no_more_bets_hands_the_round_to_the_floor_and_begins_the_next(closed: str) -> None:
    rig = unread()
    rig.talk(f"key hole_turned {closed} \n {NEXT}")
    assert [event.reason for event in rig.events_of(RoundIrregular)] == ["a card could not be read"]
    assert rig.events_of(KeyRefused) == []
    assert rig.outcomes() == ["settled", "irregular", "settled"]
    assert rig.postings() == ["1: spot 1 main -10.00", "3: spot 1 main -20.00"]


def test_before_the_turn_the_key_is_a_slip_of_the_finger_and_opens_nothing() -> None:
    rig = unread()
    opened = len(rig.events_of(CardOpened))
    rig.talk("1 main 20 \n key no_more_bets no_more_bets")
    assert rig.outcomes() == ["settled"]
    assert len(rig.events_of(CardOpened)) == opened
    assert len(rig.events_of(RoundStarted)) == 2
