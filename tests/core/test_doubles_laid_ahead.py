"""Tables without keys: doubles in several movements, before their hand's turn or on changed chips, and taken back."""

from __future__ import annotations

import pytest

from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused

BEFORE = (
    "{0} main 10 / wait 5 / Th / wait 0.5 / 9c / wait 0.5 / Kd / wait 0.5 / 8s / wait 4 / {0} main 20 / wait 2"
    " / {0} main 0 / wait 2 / "
)
"""A round that shows the dealer's rhythm."""

IN_PARTS = BEFORE.format(1) + (
    "1 main 20 / 6 main 30 / wait 5 / Ah / wait 0.6 / 2s / wait 0.6 / 5s / wait 0.6 / 4h / wait 0.6 / 9s / wait 0.6"
    " / 7s / wait 4 / 6 main 45 / wait 2 / 6 main 60 / wait 2 / Jh / wait 5 / 5h / wait 4 / Ad / wait 1 / Jd / wait 3"
    " / 6 main 120 / wait 1 / 1 main 40 / wait 75"
)
"""Eleven is doubled while soft fifteen, which hits, has its turn; the dealer breaks."""

PARTS_TAKEN_BACK = BEFORE.format(2) + (
    "2 main 10 / 4 main 100 / wait 5 / 4d / wait 0.6 / 6s / wait 0.6 / 9c / wait 0.6 / 6h / wait 0.6 / 5s / wait 0.6"
    " / 9d / wait 5 / 4 main 150 / wait 1 / 2h / wait 0.6 / 4 main 200 / wait 2 / 4 main 100 / wait 0.3 / Jh / wait 1.5"
    " / 2 main 0 / wait 3 / 8c / wait 6 / 4 main 200 / wait 2.5 / 4 main 0 / wait 3 / 2 main 10"
    " / wait 5 / Th / wait 0.6"
    " / 9c / wait 0.6 / Kd / wait 0.6 / 8s / wait 4 / 2 main 20 / wait 75"
)
"""Eleven is doubled in two movements while ten hits twice and breaks; taken back, it hits and beats eighteen."""

TAKEN_BACK_AT_ITS_TURN = BEFORE.format(2) + (
    "2 main 100 / 5 main 30 / wait 5 / 6s / wait 0.5 / 8h / wait 0.5 / Ts / wait 0.5 / Td / wait 0.5 / 2h / wait 0.5"
    " / 7s / wait 5 / 5 main 60 / wait 1 / Tc / wait 0.5 / 2 main 0 / wait {} / 5 main 30 / wait 4 / 7s / wait 6"
    " / 2 main 100 / wait 5 / 9c / wait 0.5 / 9h / wait 0.5 / Kd / wait 0.5 / Kc / wait 0.5 / Kh"
    " / wait 0.5 / 8s / wait 75"
)
"""Ten is doubled while sixteen draws a ten and breaks; then it hits seven instead, and pushes against seventeen."""

CHANGED_AND_DOUBLED = BEFORE.format(2).replace("Th / wait 0.5", "Th / wait 0.7") + (
    "2 main 20 / wait 5 / 5s / wait 2 / 8c / wait 1 / 5s / wait 1.5 / Ac / wait 5 / 2 main 0 / wait 3 / 2 main 20"
    " / wait 3 / 2 main 25 / wait 2 / 2 main 40 / wait 1 / 9c / wait 0.2 / 2 main 20 / wait 8 / 2 main 10 / wait 1.5"
    " / 2s / wait 1.5 / Qs / wait 1 / Qh / wait 1.5 / 2h / wait 6 / 9c / wait 6 / Ts / wait 4 / 2 main 20 / wait 9"
)
"""The chips of ten are changed and doubled in two movements; nineteen pushes, and half of it is taken up."""

TAKEN_BACK_BEFORE_PAYMENT = BEFORE.format(1) + (
    "1 main 10 / 3 main 100 / 6 main 20 / wait 5 / 3h / wait 0.5 / Ad / wait 0.5 / 8h / wait 0.5 / 6s / wait 0.5 / 2h"
    " / wait 0.5 / Ad / wait 0.5 / 2d / wait 0.5 / 4s / wait 3 / 8c / wait 2 / 6 main 40 / wait 0.5 / 3 main 200"
    " / wait 1 / Td / wait 0.5 / 6 main 20 / wait 0.5 / Kd / wait 2 / 7d / wait 4 / 3c / wait 1 / Js / wait 2"
    " / 6 main 40 / wait 0.5 / 3 main 400 / wait 0.5 / 1 main 20 / wait 1 / 1 main 0 / wait 0.5 / 3 main 0 / wait 1"
    " / 3 main 50 / wait 1 / 3 main 100 / 1 main 10 / wait 1 / 3 main 0 / wait 1 / 3 main 100 / wait 75"
)
"""Ten is doubled while aces are split, and then only hits: seventeen is paid as much as the double was."""

NEXT_BET_RAISED = BEFORE.format(1) + (
    "1 main 30 / 2 main 30 / 6 main 30 / wait 3.9 / 2s / wait 0.9 / 6h / wait 0.8 / Th / wait 0.8 / 8d / wait 0.9 / 5c"
    " / wait 0.7 / Ks / wait 0.8 / 7h / wait 0.8 / 2s / wait 5 / 5d / wait 2.2 / 8c / wait 3.5 / 9c / wait 1.5"
    " / 2 main 0 / wait 2 / 2 main 30 / wait 0.7 / 4s / wait 1.7 / 2 main 40 / wait 0.5 / Js / wait 3 / 6 main 45"
    " / wait 2 / 6 main 60 / wait 1 / 1 main 45 / wait 0.5 / 6 main 30 / wait 1 / 1 main 60"
    " / wait 2 / 1 main 30 / wait 9"
)
"""Sixteen breaks, is taken, and its player bets as much anew, and then more; the two others win."""


def played(profile: str, text: str, *, are_followed: bool = True) -> HumanRig:
    """A table without keys; not ``are_followed``: by a journal of before."""
    rig = keyless(profile, 350)
    rig.change_house(movements_joined=are_followed)
    rig.play(text)
    return rig


@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national", "classic-shoe-and-pitch"])
def test_a_double_laid_before_its_turn_in_two_movements_is_one(profile: str) -> None:
    rig = played(profile, IN_PARTS)
    assert rig.postings()[1:] == ["2: spot 1 main +20.00", "2: spot 6 main +60.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_the_hand_before_it_had_stood() -> None:
    assert "2: spot 1 main -20.00" in played("borgata", IN_PARTS, are_followed=False).postings()


@pytest.mark.parametrize("profile", ["borgata", "classic-shoe-and-pitch"])
def test_what_was_laid_before_its_turn_in_two_movements_is_taken_back_in_one(profile: str) -> None:
    rig = played(profile, PARTS_TAKEN_BACK)
    assert rig.postings()[1:3] == ["2: spot 2 main -10.00", "2: spot 4 main +100.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_it_stood() -> None:
    assert "2: spot 4 main +200.00" in played("borgata", PARTS_TAKEN_BACK, are_followed=False).postings()


@pytest.mark.parametrize("seconds", [0.3, 1, 2.5])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-penn-national"])
def test_a_double_laid_before_its_turn_is_taken_back_once_that_has_come(profile: str, seconds: float) -> None:
    rig = played(profile, TAKEN_BACK_AT_ITS_TURN.format(seconds))
    assert rig.postings()[1:] == ["2: spot 2 main -100.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_its_taking_back_was_a_payment() -> None:
    assert "2: spot 5 main +60.00" in played("borgata", TAKEN_BACK_AT_ITS_TURN.format(1), are_followed=False).postings()


def test_a_wager_whose_chips_were_changed_is_doubled_in_two_movements() -> None:
    rig = played("hollywood-perryville", CHANGED_AND_DOUBLED)
    assert rig.postings()[1:] == ["2: spot 2 main +0.00", "3: spot 2 main +10.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_it_was_the_next_bet() -> None:
    rig = played("hollywood-perryville", CHANGED_AND_DOUBLED, are_followed=False)
    assert "2: spot 2 main -20.00" in rig.postings()


def test_a_double_that_was_taken_back_does_not_say_what_was_paid() -> None:
    assert played("hollywood-perryville", TAKEN_BACK_BEFORE_PAYMENT).postings()[1:] == []


def test_by_a_journal_of_before_its_chips_were_the_payment() -> None:
    rig = played("hollywood-perryville", TAKEN_BACK_BEFORE_PAYMENT, are_followed=False)
    assert "2: spot 6 main +0.00" in rig.postings()


def test_the_next_bet_of_a_broken_hand_may_be_raised() -> None:
    rig = played("hollywood-penn-national", NEXT_BET_RAISED)
    assert rig.postings()[1:] == []
    assert accused(rig) == []


def test_by_a_journal_of_before_its_player_had_given_up() -> None:
    rig = played("hollywood-penn-national", NEXT_BET_RAISED, are_followed=False)
    assert "2: spot 2 main -15.00" in rig.postings()
