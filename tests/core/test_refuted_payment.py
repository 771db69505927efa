"""Chips that only another hole card would explain: no payment, once the hole card counts."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import ChipsUnexplained, RoundIrregular
from controller.core.messages.events import HoleCardRevealed
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from tests.core.rig import Rig

DEALT = "1 main 10 \n Th 6c 9d Td"
"""Nineteen against a six; with ten in the hole the dealer has still to draw."""

GRABBED = {
    "after the turn": f"{DEALT} \n key stand hole_turned \n 1 main 0 \n Kc",
    "before the key of the turn": f"{DEALT} \n key stand \n 1 main 0 \n key hole_turned \n Kc",
    "after a silent stand": f"{DEALT} \n 1 main 0 \n key hole_turned \n Kc",
}


def rig_with(talk: str) -> Rig:
    rig = Rig(profile_files.load("borgata", {}).rules)
    rig.talk(talk)
    return rig


@pytest.mark.parametrize("name", GRABBED)
def test_chips_taken_before_the_dealer_is_done_are_dropped_with_an_alert_and_the_round_goes_on(name: str) -> None:
    rig = rig_with(f"{GRABBED[name]} \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +10.00"]
    assert rig.outcomes() == ["settled"]
    assert len(rig.events_of(ChipsUnexplained)) == 1
    assert AlertKind.PINCHING in {event.kind for event in rig.events if isinstance(event, AlertRaised)}


def test_a_card_after_them_is_no_card_of_the_next_round_and_whose_it_is_is_asked() -> None:
    rig = rig_with(f"{DEALT} \n 1 main 0 \n Kc")
    assert len(rig.events_of(ChipsUnexplained)) == 1
    rig.answer("2")
    rig.talk("key round_closed")
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_with_a_hole_card_that_ends_the_dealers_hand_it_is_the_payment() -> None:
    rig = rig_with("1 main 10 \n Th 6c 9d As \n 1 main 20 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +10.00"]
    assert rig.events_of(ChipsUnexplained) == []


def test_what_no_hole_card_explains_stays_irregular() -> None:
    rig = rig_with(f"{DEALT} \n 1 main 0 \n Kc 2c 3c 4c \n key round_closed round_closed")
    assert len(rig.events_of(RoundIrregular)) == 1
    assert len(rig.events_of(HoleCardRevealed)) == 1
