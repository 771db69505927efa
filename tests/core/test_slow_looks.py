"""A slow reader shows what several moves at a split box came to: nothing of them is guessed."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked, WagerSettled, WagerUnresolved
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


def split(profile: str, cards: str, **options: str) -> QuickReaders:
    """A pair at box 1 is split for 25 dollars, and the first hand gets a card."""
    rig = table("1 main 25", profile, **options)
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


@pytest.mark.parametrize("profile", PROFILES)
def test_two_doubles_for_less_that_come_to_one(profile: str) -> None:
    """Thirteen doubled for five loses, twenty doubled for five wins."""
    rig = split(profile, "4d 9d 4c 5c", turn_key="always")
    draw(rig, "2c")
    rig.pass_ms(1_500)
    rig.late = True
    since_ns = rig.now_ns
    draw(rig, "7c", "8c", gap_ms=900)
    rig.pass_ms(900)
    shown(rig, 2_500, 2_500, 1_000, since_ns=since_ns)
    rig.late = False
    draw(rig, "8s", gap_ms=800)
    rig.pass_ms(3_000)
    rig.key("hole_turned")
    draw(rig, "4s")
    rig.pass_ms(2_000)
    rig.exchange(1, "main", 3_000)
    rig.pass_ms(2_000)
    rig.exchange(1, "main", 6_000)
    rig.pass_ms(3_000)
    rig.talk("1 main 0 \n key round_closed")
    rig.pass_ms(8_000)
    assert len(dues(rig)) > 2
    assert accused(rig) == []


@pytest.mark.parametrize("profile", PROFILES)
def test_two_doubles_for_less_of_which_one_breaks_and_is_taken(profile: str) -> None:
    """Both for ten: 25 is seen to become 35, and the first hand wins as much as the second loses."""
    rig = table("1 main 25", profile)
    draw(rig, "9s", "6s", "9c", "Td")
    rig.pass_ms(4_000)
    rig.late = True
    since_ns = rig.now_ns
    draw(rig, "Ah", "5c", "Kd", "9h", gap_ms=900)
    rig.pass_ms(900)
    shown(rig, 2_500, 1_000, since_ns=since_ns)
    rig.late = False
    rig.pass_ms(3_000)
    draw(rig, "6d")
    rig.pass_ms(2_000)
    rig.exchange(1, "main", 7_000)
    rig.pass_ms(3_000)
    rig.talk("1 main 0")
    rig.pass_ms(8_000)
    rig.talk("1 main 5")
    rig.pass_ms(8_000)
    draw(rig, "3d", "As", "3h", "7c")
    rig.pass_ms(5_000)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled) and one.round == 1] in ([], [0])


def test_a_double_cleared_in_one_look_while_the_next_box_has_still_to_be_reported() -> None:
    """Box 2 doubles for less, breaks and is cleared; the split of box 4 is reported last."""
    rig = table("2 main 25 \n 4 main 50 \n 8c Ac Ts 6s As 7d", "classic-shoe-and-pitch")
    rig.late = True
    since_ns = rig.now_ns
    draw(rig, "Qs", gap_ms=2_400)
    rig.pass_ms(1_500)
    draw(rig, "9d")
    rig.lying[2, "main"] = ()
    rig.give(ChipsSeen(2, "main", (), since_ns, rig.now_ns))
    draw(rig, "6h", gap_ms=800)
    rig.pass_ms(4_000)
    rig.lying[4, "main"] = (*rig.lying[4, "main"], "E0040000000000F4")
    rig.values["E0040000000000F4"] = 5_000
    rig.give(ChipsSeen(4, "main", rig.lying[4, "main"], since_ns, rig.now_ns))
    rig.late = False
    rig.pass_ms(4_000)
    for act in ("4 main 50", "4 main 100", "4 main 0", "2 main 10", "4 main 20"):
        rig.talk(act)
        rig.pass_ms(2_500)
    rig.pass_ms(15_000)
    draw(rig, "3d", "As", "3h", "4d", "9c", "Td")
    rig.pass_ms(9_000)
    assert [one for one in rig.events if isinstance(one, WagerSettled) and (one.round, one.spot) == (1, 2)] == []


@pytest.mark.parametrize("profile", PROFILES)
def test_cards_just_after_a_split_may_be_its_own(profile: str) -> None:
    """Both hands are doubled unseen; their cards come as evenly as the next deal."""
    rig = table("1 main 25", profile)
    draw(rig, "8c", "Ts", "8h", "7d")
    rig.pass_ms(4_500)
    rig.exchange(1, "main", 5_000)
    rig.pass_ms(1_000)
    draw(rig, "3d", "Td", "Kd", "9c")
    rig.pass_ms(6_000)
    assert [one.text for one in rig.events if isinstance(one, QuestionAsked)] == [
        "Cards came that may be the next deal's: has another round begun?"
    ]


@pytest.mark.parametrize("profile", PROFILES)
def test_two_keyed_doubles_for_less_in_one_look_are_of_no_amount_that_stands_for_others(profile: str) -> None:
    """Both for five: the first hand loses what the second wins."""
    keyed = {"turn_key": "always", "stand_key": "always", "no_more_bets": "always"}
    rig = table("1 main 10 \n key no_more_bets", profile, **keyed)
    draw(rig, "4d", "9d", "4c", "5c")
    rig.pass_ms(4_000)
    rig.exchange(1, "main", 2_000)
    rig.key("split")
    draw(rig, "7c")
    rig.pass_ms(1_500)
    rig.late = True
    since_ns = rig.now_ns
    rig.key("double")
    draw(rig, "2c", "7s", gap_ms=900)
    rig.key("double")
    rig.pass_ms(900)
    rig.lying[1, "main"] = (*rig.lying[1, "main"], "E0040000000000F5")
    rig.values["E0040000000000F5"] = 1_000
    rig.give(ChipsSeen(1, "main", rig.lying[1, "main"], since_ns, rig.now_ns))
    rig.late = False
    draw(rig, "9s", gap_ms=800)
    rig.pass_ms(3_000)
    rig.key("hole_turned")
    draw(rig, "4s")
    rig.pass_ms(4_000)
    rig.talk("key round_closed")
    rig.pass_ms(8_000)
    assert [one for one in rig.events if isinstance(one, WagerSettled)] == []
    assert len(dues(rig)) > 1
