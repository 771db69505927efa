"""A slow reader shows what several moves at a split box came to: nothing of them is guessed."""

from __future__ import annotations

import pytest

from controller.core.messages.events import WagerSettled, WagerUnresolved
from firmware_protocols.readings import ChipsSeen
from tests.core.quick_readers import QuickReaders, accused, draw, table

PROFILES = ("hollywood-penn-national", "hollywood-perryville")


def shown(rig: QuickReaders, *cents: int, since_ns: int) -> None:
    """A look at box 1 that began then ends now: chips of these values lie there, those that lay there first."""
    lying = rig.lying[1, "main"]
    kept = tuple(chip for chip, one in zip(lying, cents, strict=False) if rig.values[chip] == one)
    new = tuple(f"E004{one:08X}{len(rig.values):04X}" for one in cents[len(kept) :])
    rig.values.update(zip(new, cents[len(kept) :], strict=True))
    rig.lying[1, "main"] = (*kept, *new)
    rig.give(ChipsSeen(1, "main", tuple(sorted(rig.lying[1, "main"])), since_ns, rig.now_ns))


def split(profile: str, cards: str) -> QuickReaders:
    """A pair at box 1 is split for 25 dollars, and the first hand gets a card."""
    rig = table("1 main 25", profile)
    draw(rig, *cards.split())
    rig.pass_ms(4_000)
    rig.exchange(1, "main", 2_500)
    rig.pass_ms(2_000)
    shown(rig, 2_500, 2_500, since_ns=rig.now_ns - 500_000_000)
    rig.pass_ms(2_000)
    return rig


def dues(rig: QuickReaders) -> set[int]:
    """What box 1 was settled for or may be due, in cents."""
    settled = {one.net_cents for one in rig.events if isinstance(one, WagerSettled) and one.round == 1}
    return settled.union(
        *(one.possible_cents for one in rig.events if isinstance(one, WagerUnresolved) and one.round == 1)
    )


@pytest.mark.parametrize("slow", [True, False])
@pytest.mark.parametrize("profile", PROFILES)
def test_a_broken_hand_taken_and_a_double_for_less_of_the_next(profile: str, *, slow: bool) -> None:
    rig = split(profile, "Tc Ts Td 9h")
    draw(rig, "6d")
    rig.pass_ms(1_500)
    rig.late = True
    since_ns = rig.now_ns
    draw(rig, "Kd", gap_ms=700)
    rig.pass_ms(1_000)
    if not slow:
        shown(rig, 2_500, since_ns=since_ns + 800_000_000)
        since_ns = rig.now_ns
    draw(rig, "7d", gap_ms=500)
    rig.pass_ms(900)
    shown(rig, 2_500, 1_400, since_ns=since_ns)
    rig.late = False
    draw(rig, "6h", gap_ms=600)
    rig.pass_ms(3_000)
    rig.talk("1 main 0")
    rig.pass_ms(3_000)
    rig.talk("1 main 5")
    rig.pass_ms(8_000)
    draw(rig, "3d", "As", "3h", "7c")
    rig.pass_ms(5_000)
    assert -6_400 in dues(rig)
    assert accused(rig) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_a_double_that_breaks_and_is_taken_between_two_looks(profile: str) -> None:
    rig = split(profile, "8c 6s 8d Th")
    draw(rig, "6d")
    rig.pass_ms(1_500)
    rig.late = True
    since_ns = rig.now_ns
    draw(rig, "8s", gap_ms=1_000)
    rig.pass_ms(900)
    shown(rig, 2_500, since_ns=since_ns)
    rig.late = False
    draw(rig, "Kd", gap_ms=1_000)
    rig.pass_ms(7_000)
    draw(rig, "4c")
    rig.pass_ms(2_000)
    rig.talk("1 main 0")
    rig.pass_ms(3_000)
    rig.talk("1 main 5")
    rig.pass_ms(8_000)
    draw(rig, "3d", "As", "3h", "7c")
    rig.pass_ms(5_000)
    assert {-7_500, -5_000} <= dues(rig)
    assert accused(rig) == []
