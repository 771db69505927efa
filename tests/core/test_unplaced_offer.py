"""EZ Bust of which another antenna hears a chip until all of it is picked up: the floor says what was wagered."""

from __future__ import annotations

import pytest

from controller.core.messages.events import WagerUnresolved
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed
from tests.core.quick_readers import QuickReaders, accused, look
from tests.core.rig import MS, SPOTS

BUST, TRIPS = "ez_bust", "twenty_one_plus_three"


def offered(up_card: str, *first: str, listed: bool = True) -> QuickReaders:
    """Spot 4 stands with nineteen; a chip of its EZ Bust is heard at the zone beside it, too."""
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = QuickReaders(rules, {"T": 2_500, "E1": 100, "E2": 100, "E3": 200})
    rig.change_house(overheard_kept=listed)
    rig.lay(4, "main", ("T",))
    rig.pass_ms(2_000)
    for face in ["Kd", up_card, "9s", "Th"]:
        rig.give(CardDrawn(rig.now_ns, Card(face)))
        rig.now_ns += 500 * MS
    rig.pass_ms(3_000)
    rig.now_ns += 1_000 * MS
    if first:
        look(rig, 4, first, rig.now_ns - 500 * MS, BUST)
    rig.now_ns += 1_000 * MS
    look(rig, 4, ("E3",), rig.now_ns - 1_200 * MS, TRIPS)
    look(rig, 4, ("E1", "E2", "E3"), rig.now_ns - 1_200 * MS, BUST)
    rig.now_ns += 1_000 * MS
    return rig


def paid(rig: QuickReaders) -> None:
    """Even money is paid, and the round closed."""
    rig.pass_ms(3_000)
    rig.talk("4 main 50")
    rig.pass_ms(3_000)
    rig.talk("4 main 0")
    rig.pass_ms(6_000)
    rig.talk("key round_closed")


@pytest.mark.parametrize("listed", [True, False])
def test_it_is_listed_as_open(*, listed: bool) -> None:
    """The dealer has eighteen."""
    rig = offered("8d", "E1", listed=listed)
    rig.talk("key hole_turned")
    look(rig, 4, (), rig.now_ns - 500 * MS, TRIPS)
    look(rig, 4, (), rig.now_ns - 500 * MS, BUST)
    paid(rig)
    assert "1: spot 4 main +25.00" in rig.postings()
    left = [(one.spot, one.bet, one.wager_cents, one.possible_cents) for one in rig.events_of(WagerUnresolved)]
    assert left == ([(4, BUST, 200, ())] if listed else [])
    assert rig.outcomes() == (["open"] if listed else ["settled"])
    assert accused(rig) == []


@pytest.mark.parametrize("looked", [True, False])
def test_once_its_own_antenna_alone_has_heard_it_it_is_known_what_it_may_come_to(*, looked: bool) -> None:
    rig = offered("6d")
    look(rig, 4, (), rig.now_ns - 500 * MS, TRIPS)
    if looked:
        rig.now_ns += 1_000 * MS
        rig.give(ChipsConfirmed(SPOTS, rig.now_ns - 200 * MS))
    rig.pass_ms(1_000)
    rig.talk("key hole_turned")
    rig.give(CardDrawn(rig.now_ns, Card("2s")))
    rig.pass_ms(2_000)
    look(rig, 4, (), rig.now_ns - 500 * MS, BUST)
    paid(rig)
    # Whether he surrendered while his chips lay between two zones.
    rig.talk("key no")
    assert rig.postings() == ["1: spot 4 main +25.00"]
    left = [(one.spot, one.bet, one.wager_cents, one.possible_cents) for one in rig.events_of(WagerUnresolved)]
    assert left[-1] == (4, BUST, 400, (-400,))
    assert accused(rig) == []
