"""A slow reader shows what several moves at a split box came to: nothing of them is guessed."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked, WagerSettled, WagerUnresolved
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsSeen, KeyPressed
from tests.core.quick_readers import QuickReaders, accused, draw, table
from tests.core.rig import KEY_OF, MS

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


def next_deal(rig: QuickReaders) -> None:
    """What lies at box 1 is taken or picked up, and the next bet is dealt to."""
    rig.talk("1 main 0")
    rig.pass_ms(3_000)
    rig.talk("1 main 5")
    rig.pass_ms(8_000)
    draw(rig, "3d", "As", "3h", "7c")
    rig.pass_ms(5_000)


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
    next_deal(rig)
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
    next_deal(rig)
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
    next_deal(rig)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled) and one.round == 1] in ([], [0])


PLAYED = (
    *((0, "2c"), (54, "1 -249 -46 30"), (73, "double"), (178, "7c"), (246, "8c"), (254, "1 -49 254 35"), (420, "8s")),
    *((454, "1 151 454 40"), (526, "double"), (564, "2h"), (642, "hole_turned"), (697, "4s"), (723, "6 420 723 20")),
)
"""Hundredths of a second from the first card after a split on, and what comes: a card, a key, or the look at a box that
began and ended at such moments, with the dollars it shows last of those that lay there meanwhile."""


def perform(rig: QuickReaders, played: tuple[tuple[int, str], ...]) -> None:
    """What comes at its times from now on, before readers that report late."""
    rig.late = True
    began_ns = rig.now_ns
    for after, act in played:
        rig.pass_ms((began_ns - rig.now_ns) // MS + 10 * after)
        match act.split():
            case [box, since, until, *dollars] if dollars:
                spot = int(box)
                for one in dollars:
                    rig.lying[spot, "main"] = rig.changed(spot, "main", 100 * int(one))
                look_ns = (began_ns + 10 * int(since) * MS, began_ns + 10 * int(until) * MS)
                rig.give(ChipsSeen(spot, "main", rig.lying[spot, "main"], *look_ns))
            case [key] if key in KEY_OF:
                rig.give(KeyPressed(rig.now_ns, KEY_OF[key]))
            case face:
                rig.give(CardDrawn(rig.now_ns, Card("".join(face))))
    rig.late = False


def test_two_doubles_that_only_another_boxs_late_chips_make_legal() -> None:
    """Box 1 splits fours, doubles both hands for five, loses one and wins the other; box 6 doubles for five as well."""
    rig = table("1 main 15 \n 6 main 15 \n key no_more_bets")
    draw(rig, "4d", "2c", "9d", "4c", "2h", "5c")
    rig.pass_ms(3_000)
    perform(rig, PLAYED)
    rig.pass_ms(2_000)
    rig.talk("6 main 0")
    rig.exchange(1, "main", 2_000)
    rig.exchange(1, "main", 4_000)
    rig.pass_ms(2_000)
    rig.talk("1 main 0 \n key round_closed")
    rig.pass_ms(4_000)
    assert [one for one in rig.events if isinstance(one, WagerSettled) and one.spot == 1] == []


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
    assert [one.text.partition(" Its wagers would be")[0] for one in rig.events if isinstance(one, QuestionAsked)] == [
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


KEYED = {"turn_key": "always", "stand_key": "always"}


def test_a_split_and_the_double_after_it_that_is_laid_in_two_movements() -> None:
    """A look shows the split with a part of the double, the next its rest and its card."""
    rig = table("1 main 10", **KEYED)
    draw(rig, "9c", "5h", "9s", "Th")
    rig.pass_ms(4_000)
    rig.late = True
    since_ns = rig.now_ns
    rig.exchange(1, "main", 1_000)
    rig.key("split")
    draw(rig, "2s")
    rig.pass_ms(300)
    shown(rig, 1_000, 1_000, since_ns=since_ns)
    since_ns = rig.now_ns
    rig.pass_ms(1_000)
    shown(rig, 1_000, 1_000, 700, since_ns=since_ns)
    since_ns = rig.now_ns
    rig.key("double")
    draw(rig, "8s", gap_ms=400)
    rig.pass_ms(400)
    shown(rig, 1_000, 1_000, 700, 50, since_ns=since_ns)
    rig.late = False
    draw(rig, "Kd")
    rig.pass_ms(1_500)
    rig.key("stand")
    rig.key("hole_turned")
    draw(rig, "Ks")
    rig.pass_ms(3_000)
    rig.talk("1 main 55 \n key round_closed \n 1 main 0")
    rig.pass_ms(8_000)
    assert 2_750 in dues(rig)
    assert 2_700 not in {one.net_cents for one in rig.events if isinstance(one, WagerSettled)}
    assert accused(rig) == []


def test_the_rest_of_a_double_is_laid_in_the_look_in_which_it_is_paid() -> None:
    """The last hand of a split is doubled for ten in two movements: five are seen, all ten and their loss are not."""
    rig = split("hollywood-penn-national", "8c 6s 8d Th", **KEYED)
    rig.key("split")
    draw(rig, "Td")
    rig.pass_ms(1_500)
    rig.key("stand")
    draw(rig, "3h")
    rig.pass_ms(600)
    rig.late = True
    since_ns = rig.now_ns
    rig.pass_ms(1_000)
    shown(rig, 2_500, 2_500, 500, since_ns=since_ns)
    since_ns = rig.now_ns
    rig.pass_ms(300)
    rig.key("double")
    draw(rig, "5c", gap_ms=400)
    rig.key("hole_turned")
    draw(rig, "Ah", gap_ms=900)
    rig.pass_ms(900)
    shown(rig, 2_500, 2_500, since_ns=since_ns)
    rig.late = False
    rig.pass_ms(3_000)
    rig.talk("1 main 0 \n key round_closed")
    rig.pass_ms(8_000)
    assert len(dues(rig)) > 2
    assert [one for one in rig.events if isinstance(one, WagerSettled)] == []


BESIDE = (
    *(
        (0, "1 -199 3 35"),
        (2, "double"),
        (73, "Ad"),
        (244, "8h"),
        (380, "8d"),
        (430, "Js"),
        (515, "double"),
        (548, "Jh"),
    ),
    *((609, "2 7 209 30"), (709, "2 207 509 40"), (730, "hole_turned"), (780, "5d"), (830, "6s")),
)


def test_two_doubles_of_a_split_that_is_reported_only_once_it_is_played() -> None:
    """Box 1 doubles; box 2 splits and doubles both hands for five, the first without a key: one wins, one breaks."""
    rig = table("1 main 25 \n 2 main 15 \n key no_more_bets")
    draw(rig, "7s", "3h", "8d", "4d", "3h", "3d")
    rig.pass_ms(3_000)
    perform(rig, BESIDE)
    rig.pass_ms(6_000)
    rig.talk("1 main 70 \n 1 main 0 \n 2 main 0 \n key round_closed")
    rig.pass_ms(8_000)
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled) and one.spot == 2] in ([], [0])
