"""One look shows a split and a double, the next that a broken hand was taken: nothing of a double was handed back."""

from __future__ import annotations

import pytest

from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen
from tests.core.quick_readers import QuickReaders, accused
from tests.core.rig import MS

CHIPS = {"A": 7_500, "B": 7_500, "C": 7_500}


def draw(rig: QuickReaders, faces: str) -> None:
    """These cards leave the shoe, one a second."""
    for face in faces.split():
        rig.give(CardDrawn(rig.now_ns, Card(face)))
        rig.now_ns += 1_000 * MS


def seen(rig: QuickReaders, chips: str, since_ns: int) -> None:
    """A look at spot 4 that began then shows these chips."""
    rig.lying[4, "main"] = tuple(chips)
    rig.give(ChipsSeen(4, "main", tuple(chips), since_ns, rig.now_ns))


@pytest.mark.parametrize("followed", [True, False])
def test_both_hands_are_lost(*, followed: bool) -> None:
    """Eleven is doubled and gets a five, fourteen breaks and is taken; the dealer has nineteen."""
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = QuickReaders(rules, dict(CHIPS))
    rig.change_house(wagers_followed=followed)
    rig.lay(4, "main", ("A",))
    rig.pass_ms(2_000)
    draw(rig, "8s 9c 8d Th")
    rig.pass_ms(1_000)
    since_ns = rig.now_ns
    rig.now_ns += 500 * MS
    draw(rig, "3h")
    seen(rig, "ABC", since_ns)
    rig.now_ns += 300 * MS
    draw(rig, "5c 6d Tc")
    rig.pass_ms(2_000)
    seen(rig, "AB", rig.now_ns - 600 * MS)
    rig.pass_ms(6_000)
    rig.talk("key hole_turned \n 4 main 0")
    rig.pass_ms(6_000)
    rig.talk("key round_closed")
    settled = [one for one in rig.postings() if "main" in one]
    assert (settled == ["1: spot 4 main -225.00"]) == followed
    assert accused(rig) == [] or not followed
