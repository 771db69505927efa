"""A broken hand of a split is taken while the next is played: what its player lays then is no exchange."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HandsSplit, WagerSettled
from firmware_protocols.readings import ChipsSeen
from tests.core.quick_readers import QuickReaders, accused, deal, draw, table
from tests.core.rig import MS


def taken(rig: QuickReaders, spread_ms: int, face: str) -> None:
    """One of the two chips at box 2 is taken, as a look reports that ends now; this card comes within it."""
    rig.late = True
    since_ns = rig.now_ns
    draw(rig, face, gap_ms=spread_ms - 200)
    rig.now_ns += 200 * MS
    rig.lying[2, "main"] = rig.lying[2, "main"][:1]
    rig.give(ChipsSeen(2, "main", rig.lying[2, "main"], since_ns, rig.now_ns))
    rig.late = False


@pytest.mark.parametrize("card_first", [False, True])
@pytest.mark.parametrize("spread_ms", [700, 1_000])
def test_the_next_hand_is_split_again_as_soon_as_the_broken_one_is_taken(spread_ms: int, *, card_first: bool) -> None:
    """Its first card may come before a look has shown its chips."""
    rig = table("2 main 100", stand_key="always")
    deal(rig, "7c 9d 7d Ts")
    rig.chips(2, "main", 20_000)
    rig.key("split")
    draw(rig, "6d", gap_ms=900)
    rig.pass_ms(2_000)
    rig.key("hit")
    draw(rig, "9h", gap_ms=100)
    rig.pass_ms(800)
    taken(rig, spread_ms, "7h")
    rig.key("split")
    if card_first:
        rig.late = True
        since_ns = rig.now_ns - 300 * MS
        draw(rig, "Tc", gap_ms=spread_ms - 400)
        rig.now_ns += 100 * MS
        rig.values["E0040000000000AA"] = 10_000
        rig.lying[2, "main"] = (*rig.lying[2, "main"], "E0040000000000AA")
        rig.give(ChipsSeen(2, "main", rig.lying[2, "main"], since_ns, rig.now_ns))
        rig.late = False
    else:
        rig.chips(2, "main", 20_000, spread_ms - 300)
        draw(rig, "Tc", gap_ms=300)
    rig.pass_ms(1_000)
    rig.key("stand")
    draw(rig, "Td", gap_ms=400)
    rig.pass_ms(1_000)
    rig.key("stand")
    rig.key("hole_turned")
    rig.pass_ms(4_000)
    rig.talk("2 main 0")
    rig.pass_ms(20_000)
    assert [one.hands for one in rig.events if isinstance(one, HandsSplit)] == [2, 3]
    assert accused(rig) == []
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [-30_000]
