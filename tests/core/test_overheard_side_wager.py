"""The antenna of a main wager hears a side wager's chip until that is taken: it is no double, though moves wait."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import ChipSeenTwice
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn
from tests.core.quick_readers import QuickReaders, accused, look
from tests.core.rig import MS


@pytest.mark.parametrize(("followed", "due"), [(True, "-25.00"), (False, "-50.00")])
@pytest.mark.parametrize("side", ["five_card_progressive", "lucky_ladies"])
def test_taken_it_leaves_the_wager_as_it_was(side: str, due: str, *, followed: bool) -> None:
    """Spot 1 hits thirteen; spot 4 stands with seventeen, whose double it then was that got the card."""
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = QuickReaders(rules, {"E": 1_000, "T": 2_500, "P": 2_500})
    rig.change_house(wagers_followed=followed)
    rig.lay(1, "main", ("E",))
    rig.lay(4, "main", ("T",))
    rig.lay(4, side, ("P",))
    rig.pass_ms(2_000)
    for face in ["Kd", "Jd", "Jh", "3h", "7h", "9s"]:
        rig.give(CardDrawn(rig.now_ns, Card(face)))
        rig.now_ns += 500 * MS
    rig.now_ns += 500 * MS
    look(rig, 4, ("P", "T"), rig.now_ns - 1_700 * MS)
    rig.now_ns += 1_200 * MS
    look(rig, 4, (), rig.now_ns - 1_500 * MS, side)
    rig.now_ns += 300 * MS
    look(rig, 4, ("T",), rig.now_ns - 1_500 * MS)
    rig.pass_ms(700)
    rig.give(CardDrawn(rig.now_ns, Card("5s")))
    rig.pass_ms(6_000)
    rig.talk("key hole_turned \n 4 main 0 \n 1 main 0")
    rig.pass_ms(6_000)
    rig.talk("key round_closed")
    assert rig.outcomes() == ["settled"]
    assert {"1: spot 1 main -10.00", f"1: spot 4 main {due}"} <= set(rig.postings())
    assert accused(rig) == ([] if followed else [AlertKind.PINCHING])
    assert bool(rig.events_of(ChipSeenTwice)) == followed
