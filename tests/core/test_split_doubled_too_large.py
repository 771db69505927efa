"""A pair of nines is split and its second hand doubled with ten too much, handed back before its card or after it.

The split is reported only after its first card, and a king would break the hand that had been doubled instead.
"""

from __future__ import annotations

import pytest

from controller.core.messages.events import HoleCardRevealed
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused

OTHERS = "Th / wait 0.8 / 9d / wait 0.8 / Ah / wait 0.8 / Ts / wait 0.8 / 8c / wait 0.8 / Th"
LAID = "6 main 100 / wait 0.6 / 1 main 100 / wait 6"
FIRST = f"{LAID} / {OTHERS} / wait 17.6 / 1 main 0 / wait 0.9 / 6 main 0 / wait 6.4 / {LAID}"
DEALT = "6s / wait 0.8 / 9c / wait 0.8 / 5c / wait 0.8 / 5c / wait 0.8 / 9h / wait 0.8 / Tc / wait 4.9"
DOUBLED = "1 main 210 / wait 1.2 / 1 main 200 / wait 2 / Ks / wait 2.5"
SPLIT = "6 main 210 / wait 1.9 / 6 main 200 / wait 1.9 / Kc"


def split(text: str, *, heeded: bool = True) -> HumanRig:
    """Box 1 doubles eleven, box 6 splits its nines against fifteen; a king comes to the first of them."""
    rig = keyless("hollywood-perryville", 350)
    rig.change_house(splits_awaited=heeded)
    rig.play(f"{FIRST} / {DEALT} / {DOUBLED} / {SPLIT} / wait 6.4 / {text}")
    return rig


HANDED_BACK = "2d / wait 1.6 / 6 main 310 / wait 1.8 / 6h / wait 1.1 / 6 main 300 / wait 6.1 / Tc"
PAID = "wait 2.3 / 6 main 600 / wait 1.3 / 1 main 400 / wait 2.1 / 6 main 100 / wait 1.2 / 1 main 100 / wait 6"


def test_the_hole_card_is_not_turned_while_the_second_hand_waits() -> None:
    assert [one.round for one in split("wait 1").events_of(HoleCardRevealed)] == [1]


def test_in_journals_of_before_the_pause_turned_it() -> None:
    assert [one.round for one in split("wait 1", heeded=False).events_of(HoleCardRevealed)] == [1, 2]


def test_no_wager_is_settled_as_lost() -> None:
    rig = split(f"{HANDED_BACK} / {PAID} / {OTHERS} / wait 6")
    won = {"2: spot 1 main +200.00", "2: spot 6 main +300.00"}
    assert {one for one in rig.postings() if one.startswith("2: ")} <= won
    assert accused(rig) == []


def test_in_journals_of_before_the_doubled_hand_was_the_next_deals() -> None:
    rig = split(f"{HANDED_BACK} / {PAID}", heeded=False)
    assert "2: spot 6 main -200.00" in rig.postings()
    assert accused(rig) != []


def won_alone(profile: str, cycle_ms: int, *, heeded: bool = True) -> HumanRig:
    """One box does so and hands ten back well before the card, and is paid 300."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(splits_awaited=heeded)
    rig.play("1 main 100 / wait 6 / deal Th 9c Kd 8s / wait 2 / 1 main 200 / wait 1.5 / 1 main 0 / wait 1 / 1 main 100")
    rig.play("wait 6 / deal 9s 6d 9h Tc / wait 6 / 1 main 200 / wait 2 / Kc / wait 4 / 2d / wait 1.6 / 1 main 310")
    rig.play("wait 3.2 / 1 main 300 / wait 1 / 6h / wait 6 / Tc / wait 4 / 1 main 600 / wait 2 / 1 main 100 / wait 9")
    rig.play("deal Th 9c Kd 8s / wait 6")
    return rig


@pytest.mark.parametrize("cycle_ms", [350, 700, 1_000])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-perryville"])
def test_what_is_handed_back_before_the_card_accuses_nobody(profile: str, cycle_ms: int) -> None:
    rig = won_alone(profile, cycle_ms)
    assert "2: spot 1 main +300.00" in rig.postings()
    assert accused(rig) == []


def test_in_journals_of_before_it_accused_the_dealer() -> None:
    rig = won_alone("borgata", 700, heeded=False)
    assert [one for one in rig.postings() if one.startswith("2: ")] == []
    assert accused(rig) != []
