"""Seven boxes whose readers are all lost, and nobody presses a key: more is left open than can be followed in time."""

from __future__ import annotations

import pytest

from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, DeviceHealth, HealthState
from tests.core.quick_readers import table
from tests.core.rig import Rig

CARDS = "2s Qd 8h Kc 5s As 3s 9h 8c 7s 8c 7d 5h 7h 6d 5s 2c 7h Qc Kc 7s"
"""Seven boxes and the dealer twice, and five cards more."""

TOO_MUCH = "the times of the readings leave too many orders open"


def dealt(cards: str, lost: int, *, bounded: bool = True) -> Rig:
    rig = table("\n".join(f"{spot} main 10" for spot in range(1, 8)), "hollywood-penn-national")
    rig.change_house(unwatched_bounded=bounded)
    for spot in range(1, lost + 1):
        rig.give(DeviceHealth(f"bet_spots/{spot}", HealthState.LOST, rig.now_ns, "no answer"))
    rig.late = True
    for card in cards.split():
        rig.pass_ms(900)
        rig.give(CardDrawn(rig.now_ns, Card(card)))
    return rig


def trouble(rig: Rig) -> str:
    """Why the round is the floor's; empty: it is not."""
    round_now = rig.table.state.round
    assert round_now is not None, "the cards are a round's"
    return round_now.evidence.trouble


def test_the_round_is_the_floor_s() -> None:
    assert trouble(dealt(CARDS, 7)) == TOO_MUCH


@pytest.mark.parametrize("lost", [0, 1, 2])
def test_while_few_are_lost_it_is_followed(lost: int) -> None:
    assert trouble(dealt(CARDS, lost)) == ""


def test_in_journals_of_before_it_was_followed_however_long_that_took() -> None:
    assert trouble(dealt(CARDS, 7, bounded=False)) == ""
