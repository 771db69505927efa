"""EZ Bust of which another antenna hears a chip until all of it is picked up: the floor says what was wagered."""

from __future__ import annotations

import pytest

from controller.core.messages.events import WagerUnresolved
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn
from tests.core.quick_readers import QuickReaders, accused, look
from tests.core.rig import MS

BUST, TRIPS = "ez_bust", "twenty_one_plus_three"


@pytest.mark.parametrize("listed", [True, False])
def test_it_is_listed_as_open(*, listed: bool) -> None:
    """Spot 4 stands with nineteen against an eight, and the dealer has eighteen."""
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = QuickReaders(rules, {"T": 2_500, "E1": 100, "E2": 100, "E3": 200})
    rig.change_house(overheard_kept=listed)
    rig.lay(4, "main", ("T",))
    rig.pass_ms(2_000)
    for face in ["Kd", "8d", "9s", "Th"]:
        rig.give(CardDrawn(rig.now_ns, Card(face)))
        rig.now_ns += 500 * MS
    rig.pass_ms(3_000)
    rig.now_ns += 1_000 * MS
    look(rig, 4, ("E1",), rig.now_ns - 500 * MS, BUST)
    rig.now_ns += 1_000 * MS
    look(rig, 4, ("E3",), rig.now_ns - 1_200 * MS, TRIPS)
    look(rig, 4, ("E1", "E2", "E3"), rig.now_ns - 1_200 * MS, BUST)
    rig.now_ns += 1_000 * MS
    rig.talk("key hole_turned")
    look(rig, 4, (), rig.now_ns - 500 * MS, TRIPS)
    look(rig, 4, (), rig.now_ns - 500 * MS, BUST)
    rig.pass_ms(3_000)
    rig.talk("4 main 50")
    rig.pass_ms(3_000)
    rig.talk("4 main 0")
    rig.pass_ms(6_000)
    rig.talk("key round_closed")
    assert "1: spot 4 main +25.00" in rig.postings()
    left = [(one.spot, one.bet, one.wager_cents, one.possible_cents) for one in rig.events_of(WagerUnresolved)]
    assert left == ([(4, BUST, 200, ())] if listed else [])
    assert rig.outcomes() == (["open"] if listed else ["settled"])
    assert accused(rig) == []
