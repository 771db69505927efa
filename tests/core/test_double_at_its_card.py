"""A double or split is what lies there as its card comes, also where a part was taken back, exchanged or laid later."""

from __future__ import annotations

import pytest

from controller.core.messages.raised_alerts import AlertKind
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused

LOOKS_MS = [350, 700, 1_000]
NEXT = "1 main 10 / wait 6 / deal Th 9c Kd 8s / wait 10"
TWO = "wait 2 / 2 main 10 / 4 main 10 / wait 6 / deal Th Td 9c Kd Kc 8s / wait 10"

FOR_LESS = "1 main 50 / wait 6 / deal 3s 2s 8h 9d / wait 4 / 1 main 80 / wait 2.2 / 1 main 60 / wait 2.7 / Ac / wait 4"
"""Eleven is doubled for 30.00, of which 20.00 is taken back."""

EXCHANGED = (
    "1 main 50 / 1 main 100 / wait 6 / deal 6c 4d 5c Kh / wait 4 / 1 main 200 / wait 2 / 1 main 100 / wait 4 / 2h"
)
"""A player changes the chips of his wager in play, and lays the new ones first."""

SPLIT = (
    "3 main 10 / wait 6 / deal 3h 5s 3s 8s / wait 3 / 3 main 20 / wait 2 / Ac / wait 2 / 2c / wait 1 / 3h / wait 3 / Qc"
)
OF_SPLIT = (
    f"{SPLIT} / wait 3 / 3 main 30 / wait 2.5 / 3 main 20 / wait 7 / 7s / wait 3.3 / 3 main 0 / wait 4 / 3 main 10"
)
"""The second hand of a split is doubled, which is taken back; the dealer draws to twenty."""

BEFORE = "2 main 10 / 4 main 10 / wait 6 / deal Js 8c 7s 2s 3c Ah / wait 4 / 4 main 20"
"""Eleven at spot 4 is doubled before twelve at spot 2 has played."""

HITS_TWICE = "2 main 10 / 4 main 10 / wait 6 / deal 4s 8c 7s 2s 3c Ah / wait 4 / 4 main 20"


def played(profile: str, cycle_ms: int, text: str, *, awaited: bool = True) -> HumanRig:
    """The acts at a table without keys; not ``awaited``: by a journal of before."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(doubles_awaited=awaited, splits_awaited=awaited)
    rig.play(text)
    return rig


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", ["pitch-h17", "borgata", "classic-shoe-and-pitch"])
def test_what_is_taken_back_of_a_double_was_never_laid(profile: str, cycle_ms: int) -> None:
    rig = played(profile, cycle_ms, f"{FOR_LESS} / Kd / wait 4 / 1 main 0 / wait 4 / {NEXT}")
    assert rig.postings_of(1) == {"spot 1 main -60.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
def test_what_is_taken_back_once_its_card_is_seen_is_pinched(cycle_ms: int) -> None:
    """Eleven is doubled, which makes twelve."""
    seen = "1 main 50 / wait 6 / deal 3s 2s 8h 9d / wait 4 / 1 main 100 / wait 2.7 / Ac / wait 4 / 1 main 80 / wait 6"
    rig = played("borgata", cycle_ms, f"{seen} / Kd / wait 4 / 1 main 0 / wait 4 / {NEXT}")
    assert rig.postings_of(1) == {"spot 1 main -100.00"}
    assert accused(rig) == [AlertKind.PINCHING]


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", ["pitch-h17", "borgata", "hollywood-penn-national"])
def test_new_chips_laid_before_the_old_are_taken_up_are_no_double(profile: str, cycle_ms: int) -> None:
    rig = played(profile, cycle_ms, f"{EXCHANGED} / wait 4 / 9d / wait 4 / 1 main 0 / wait 4 / {NEXT}")
    assert rig.postings_of(1) <= {"spot 1 main -100.00", "spot 1 main +100.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", ["pitch-h17", "borgata"])
def test_a_double_of_a_split_hand_that_is_taken_back_was_no_payment(profile: str, cycle_ms: int) -> None:
    rig = played(profile, cycle_ms, f"{OF_SPLIT} / wait 6 / deal Th 9c Kd 8s / wait 10")
    assert rig.postings_of(1) == {"spot 3 main -20.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("gap_s", [2, 4])
def test_a_split_laid_in_two_movements_is_one(gap_s: int, cycle_ms: int) -> None:
    """Threes at spot 2, split; one hand has eighteen, the other seventeen, and the dealer breaks."""
    deal = f"1 main 10 / 2 main 20 / wait 6 / deal 6d 3c 2d 8h 3h 5s / wait 5 / 2 main 30 / wait {gap_s} / 2 main 40"
    cards = "wait 1.5 / Jc / wait 3 / 2c / wait 2 / 5h / wait 3 / 7s / wait 4 / 7h / wait 1 / 2h / wait 1 / Qd / wait 4"
    paid = "2 main 80 / wait 1 / 1 main 20 / wait 2 / 1 main 0 / 2 main 0 / wait 4"
    last = "1 main 10 / 2 main 10 / wait 6 / deal Th Td 9c Kd Kc 8s / wait 10"
    rig = played("pitch-h17", cycle_ms, f"{deal} / {cards} / {paid} / {last}")
    assert rig.postings_of(1) <= {"spot 1 main +10.00", "spot 2 main +40.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("wait_s", [1.2, 2, 6])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national", "classic-shoe-and-pitch"])
def test_a_double_laid_before_its_turn_waits_for_its_own_card(profile: str, wait_s: float, cycle_ms: int) -> None:
    broke = f"wait {wait_s} / Qh / wait 1 / 2 main 0 / wait 2 / 6c / wait 4 / 4 main 0"
    rig = played(profile, cycle_ms, f"{BEFORE} / {broke} / {TWO}")
    assert rig.postings_of(1) == {"spot 2 main -10.00", "spot 4 main -20.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
def test_so_it_does_while_two_cards_are_drawn_before_it(cycle_ms: int) -> None:
    hits = "wait 2 / 5h / wait 3 / Qh / wait 3 / 6c / wait 4 / 4 main 0 / wait 1.5 / 2 main 20 / wait 2 / 2 main 0"
    rig = played("borgata", cycle_ms, f"{HITS_TWICE} / {hits} / {TWO}")
    assert rig.postings_of(1) == {"spot 2 main +10.00", "spot 4 main -20.00"}


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
def test_a_double_in_its_turn_is_settled_as_before(cycle_ms: int) -> None:
    deal = "2 main 10 / 4 main 10 / wait 6 / deal Js 8c 7s 9s 3c Ah / wait 4 / 4 main 20 / wait 2 / 6c / wait 4"
    rig = played("borgata", cycle_ms, f"{deal} / 4 main 0 / wait 1 / 2 main 20 / wait 3 / 2 main 0 / {TWO}")
    assert rig.postings_of(1) == {"spot 2 main +10.00", "spot 4 main -20.00"}


def test_in_journals_of_before_it_was_what_first_lay() -> None:
    taken = played("borgata", 350, f"{FOR_LESS} / Kd / wait 4 / 1 main 0 / wait 4 / {NEXT}", awaited=False)
    assert taken.postings_of(1) == {"spot 1 main -80.00"}
    broke = "wait 4 / Qh / wait 1 / 2 main 0 / wait 2 / 6c / wait 4 / 4 main 0"
    early = played("borgata", 350, f"{BEFORE} / {broke} / {TWO}", awaited=False)
    assert early.postings_of(1) == {"spot 2 main -10.00", "spot 4 main +20.00"}
