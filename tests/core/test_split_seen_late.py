"""One look shows a split and a double, the next that a broken hand was taken: nothing of a double was handed back."""

from __future__ import annotations

import pytest

from controller.io.files import profile_files
from tests.core.quick_readers import QuickReaders, accused, draw, look
from tests.core.rig import MS

CHIPS = {"A": 7_500, "B": 7_500, "C": 7_500}


@pytest.mark.parametrize(("followed", "settled"), [(True, ["1: spot 4 main -225.00"]), (False, [])])
def test_both_hands_are_lost(settled: list[str], *, followed: bool) -> None:
    """Eleven is doubled and gets a five, fourteen breaks and is taken; the dealer has nineteen."""
    rules = profile_files.load("hollywood-penn-national", {"turn_key": "sometimes"}).rules
    rig = QuickReaders(rules, dict(CHIPS))
    rig.change_house(wagers_followed=followed, doubles_dated=followed)
    rig.lay(4, "main", ("A",))
    rig.pass_ms(2_000)
    draw(rig, "8s", "9c", "8d", "Th")
    rig.pass_ms(1_000)
    rig.late, since_ns = True, rig.now_ns
    draw(rig, "3h")
    rig.pass_ms(1_000)
    look(rig, 4, ("A", "B", "C"), since_ns)
    draw(rig, "5c", "6d", "Tc", gap_ms=1_000)
    rig.late = False
    rig.pass_ms(2_000)
    look(rig, 4, ("A", "B"), rig.now_ns - 600 * MS)
    rig.pass_ms(6_000)
    rig.talk("key hole_turned \n 4 main 0")
    rig.pass_ms(6_000)
    rig.talk("key round_closed")
    assert rig.postings() == settled
    assert accused(rig) == []
    assert rig.outcomes() == ["settled" if followed else "irregular"]
