"""The antenna of a main wager hears a side wager's chip until that is taken: it is no double, though moves wait."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import ChipSeenTwice
from controller.core.messages.events import BettingClosed
from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed
from tests.core.quick_readers import QuickReaders, accused, look
from tests.core.rig import MS, SPOTS


@pytest.mark.parametrize(("followed", "due"), [(True, "-25.00"), (False, "-50.00")])
@pytest.mark.parametrize("side", ["five_card_progressive", "lucky_ladies"])
def test_taken_it_leaves_the_wager_as_it_was(side: str, due: str, *, followed: bool) -> None:
    """Spot 1 hits thirteen; spot 4 stands with seventeen, whose double it then was that got the card."""
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = QuickReaders(rules, {"E": 1_000, "T": 2_500, "P": 2_500})
    rig.change_house(wagers_followed=followed, falls_at_cards=followed)
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


@pytest.mark.parametrize(("kept", "cents"), [(True, 1_000), (False, 1_100)])
def test_heard_there_only_since_the_lock_it_is_no_part_of_that_wager(cents: int, *, kept: bool) -> None:
    """The lock waits, as the antenna of insurance hears a chip of the main wager."""
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = QuickReaders(rules, {"E": 500, "F": 500, "P": 100})
    rig.change_house(overheard_kept=kept)
    rig.lay(5, "main", ("E", "F"))
    rig.lay(5, "twenty_one_plus_three", ("P",))
    rig.pass_ms(2_000)
    first_ns = rig.now_ns
    for face in ["Kd", "6d", "Jh", "9s"]:
        rig.give(CardDrawn(rig.now_ns, Card(face)))
        rig.now_ns += 500 * MS
        if face == "Kd":
            look(rig, 5, ("E",), first_ns - 400 * MS, "insurance")
    look(rig, 5, (), first_ns + 800 * MS, "insurance")
    gone_ns = rig.now_ns
    rig.now_ns += 400 * MS
    look(rig, 5, ("E", "F", "P"), gone_ns + 100 * MS)
    rig.pass_ms(3_000)
    rig.give(ChipsConfirmed(SPOTS, rig.now_ns - 1_000 * MS))
    laid = [one for closed in rig.events_of(BettingClosed) for one in closed.wagers]
    assert [(one.bet, one.cents) for one in laid] == [("main", cents), ("twenty_one_plus_three", 100)]
