"""A double that is taken back and laid again before its card is no payment, nor is a split in other chips a bet."""

from __future__ import annotations

import pytest

from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, alerts

NEXT = "wait 6 / deal Th 9c 9d 8s / wait 6"

WITHDRAWN = "6 main 20 / wait 2 / 6 main 10 / wait 2 / 6 main = 20 / wait 1 / 9s / wait 5 / Qd / wait 2 / 6 main 40"

ONE_BOX = (
    f"6 main 10 / wait 4 / deal 5s 8c 6d 4c / wait 5 / {WITHDRAWN} / wait 9 / 6 main 0 / wait 6 / 6 main 10 / {NEXT}"
)

BEHIND_BROKEN = (
    f"3 main 20 / 6 main 10 / wait 4 / deal Qh 5s 8c 3c 6d 4c / wait 6 / 9d / wait 0.4 / 3 main 0 / wait 5"
    f" / {WITHDRAWN} / wait 9 / 6 main 0 / wait 6 / 7 main 10 / {NEXT}"
)

IN_PARTS = (
    "5 main 10 / 7 main 16 / wait 4 / deal 5s 8h 6s 4h Kd 6h / wait 4 / 5 main 20 / wait 1.8 / 5 main 10 / wait 2.3"
    " / 5 main 15 / wait 2.7 / 5 main 20 / wait 1 / Th / wait 4 / 8c / wait 2 / 7 main 0 / wait 2 / 5 main 0 / wait 6"
    f" / 5 main 10 / {NEXT}"
)

SPLIT = (
    "5 main 50 / wait 2 / 8s / wait 0.5 / Kh / wait 0.6 / 8s / wait 1.9 / 9h / wait 4 / 5 main = 100 / wait 1 / 6d"
    " / wait 2.6 / Kh / wait 1.1 / 5 main 50 / wait 1 / 3s / wait 2.2 / 5 main 100 / wait 0.9 / Ts / wait 3.9"
    " / 5 main 200 / wait 2.4 / 5 main 50 / wait 6 / deal 2c 4h 4h Qd / wait 9"
)

PLACES = [(profile, cycle_ms) for profile in ("borgata", "hollywood-penn-national") for cycle_ms in (350, 700, 1_000)]


def played(text: str, profile: str, cycle_ms: int, *, heeded: bool = True) -> HumanRig:
    rig = keyless(profile, cycle_ms)
    rig.change_house(raises_withdrawn=heeded)
    rig.play(text)
    return rig


def settled_first(rig: HumanRig) -> set[str]:
    """What is settled of the first round."""
    return {one.removeprefix("1: ") for one in rig.postings() if one.startswith("1: ")}


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_what_is_laid_again_is_the_double(profile: str, cycle_ms: int) -> None:
    """Eleven gets a nine, and the dealer breaks; a reader that is slow may not show that a double is laid again."""
    rig = played(ONE_BOX, profile, cycle_ms)
    assert settled_first(rig) in ({"spot 6 main +20.00"}, set() if cycle_ms > 350 else None)
    assert accused(rig) == []
    assert alerts(rig, AlertKind.DEALER_AGAINST_RULE) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_it_is_behind_a_broken_hand_too(profile: str, cycle_ms: int) -> None:
    rig = played(BEHIND_BROKEN, profile, cycle_ms)
    assert settled_first(rig) <= {"spot 3 main -20.00", "spot 6 main +20.00"}
    assert accused(rig) == []


@pytest.mark.parametrize(("profile", "cycle_ms"), PLACES)
def test_it_may_be_laid_again_in_parts(profile: str, cycle_ms: int) -> None:
    rig = played(IN_PARTS, profile, cycle_ms)
    assert settled_first(rig) <= {"spot 5 main -20.00", "spot 7 main -16.00"}
    assert accused(rig) == []


@pytest.mark.parametrize(
    ("profile", "cycle_ms"), [*PLACES, ("classic-shoe-and-pitch", 350), ("classic-shoe-and-pitch", 700)]
)
def test_what_stays_of_a_split_in_other_chips_is_its_wager(profile: str, cycle_ms: int) -> None:
    """Both hands of eights: one breaks, for which a chip is changed, and the other is doubled and wins."""
    rig = played(SPLIT, profile, cycle_ms)
    assert settled_first(rig) <= {"spot 5 main +50.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("text", [ONE_BOX, BEHIND_BROKEN, SPLIT])
def test_in_journals_of_before_it_was_a_payment_or_the_next_bet(text: str) -> None:
    rig = played(text, "borgata", 350, heeded=False)
    assert accused(rig)


def test_a_payment_picked_up_is_one_where_nobody_doubles() -> None:
    """Eighteen stands and the dealer has seventeen: nobody doubles a hard eighteen."""
    rig = keyless("borgata", 350)
    rig.play(f"6 main 10 / wait 4 / deal Ts 8c 8d 9c / wait 5 / 6 main 20 / wait 2 / 6 main 10 / {NEXT}")
    assert settled_first(rig) == {"spot 6 main +10.00"}
    assert [one.text for one in rig.events if isinstance(one, AlertRaised)] == []
