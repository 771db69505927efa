"""Doubles laid before their hand's turn, and broken hands that bet anew, at tables whose dealers press their keys."""

from __future__ import annotations

from typing import Any

import pytest

from controller.core.messages.raised_alerts import AlertKind
from controller.io.files import profile_files
from tests.core.human import HumanRig
from tests.core.quick_readers import accused

TO_21 = (
    "4 main 20 / wait 1 / 6 main 100 / wait 2 / deal 9c 6d 4s Ks 5d 5h / wait 2 / 6 main 200 / wait 1 / key stand"
    " / wait 1 / Ts / wait 3 / key hole_turned / wait 1 / Td / wait 3 / 6 main 400 / wait 1 / 6 main 100 / wait 1"
    " / key round_closed / wait 5"
)
"""Eleven is doubled while nineteen thinks, and makes 21, as it would by a hit; the dealer has nineteen."""

KNOWN = (
    "4 main 20 / 6 main 20 / wait 5 / deal Tc 9d 8h 9c Td 9h / wait 3 / key stand / wait 2 / key stand / wait 1"
    " / key hole_turned / wait 3 / 4 main 40 / wait 1 / 6 main 40 / wait 1 / 4 main 0 / 6 main 0 / wait 1"
    " / key round_closed / wait 5"
)
"""A round by which the dealer's rhythm is known."""

LAID_AGAIN = (
    "6 main 60 / 1 main 40 / wait 1 / deal Jc 8h Kh Jd 3c Js / wait 1 / 6 main 120 / wait 2 / 6 main 60 / wait 1"
    " / key stand / wait 1 / 6 main 120 / wait 2 / Kd / wait 1 / key hole_turned / wait 2 / 6 main 240 / wait 1"
    " / key round_closed / wait 5"
)
"""Eleven is doubled while twenty thinks, taken back, and doubled again in its turn: 21 beats twenty."""

TO_14 = (
    "5 main 100 / 1 main 60 / wait 4 / deal Jd 7d Kc 7s 3c 9c / wait 4 / 5 main 200 / wait 1 / key stand / wait 1 / 4h"
    " / wait 1 / key hole_turned / wait 3 / 1 main 0 / wait 1 / 5 main 0 / wait 1 / 5 main 60 / wait 1"
    " / key round_closed / wait 5"
)
"""Ten is doubled while seventeen thinks: fourteen loses two hundred to nineteen."""

BETS_ANEW = (
    "6 main 40 / wait 1 / 5 main 50 / wait 3 / deal Qc Ac Qd 4c 7h 5h / wait 2 / key hit / wait 0.5 / Kc / wait 1"
    " / 5 main 0 / wait {away} / 5 main 50 / wait 3 / key hole_turned / wait 1 / Js / wait 2 / 6 main 80 / wait 2"
    " / 6 main 0 / wait 1 / key round_closed / wait 5"
)
"""Fourteen breaks and is taken, and its player bets as much again; the dealer breaks too."""


def played(profile: str, text: str, cycle_ms: int, *, is_kept: bool = True, **options: Any) -> HumanRig:
    """A table with keys; not ``is_kept``: by a journal of before."""
    rules = profile_files.load(profile, {"new_shoe_burns": 0, "turn_key": "always", **options}).rules
    rig = HumanRig(rules, {}, cycle_ms=cycle_ms)
    rig.change_house(second_readings_kept=is_kept)
    rig.reads_display = False
    rig.play(text)
    return rig


@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("before", ["", f"{KNOWN} / "])
@pytest.mark.parametrize("profile", ["pitch-h17", "classic-shoe-and-pitch", "borgata"])
def test_a_double_laid_early_counts_though_its_hand_is_over_when_it_is_told(
    profile: str, before: str, cycle_ms: int
) -> None:
    rig = played(profile, before + TO_21, cycle_ms, stand_key="always")
    assert rig.postings()[-2:] == [f"{1 + bool(before)}: spot 4 main +0.00", f"{1 + bool(before)}: spot 6 main +200.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_its_player_was_accused_and_paid_half() -> None:
    rig = played("borgata", f"{KNOWN} / {TO_21}", 350, is_kept=False, stand_key="always")
    assert rig.postings()[-1] == "2: spot 6 main +100.00"
    assert accused(rig) == [AlertKind.CAPPING]


@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_one_taken_back_and_laid_again_in_its_turn_counts(cycle_ms: int) -> None:
    rig = played("classic-shoe-and-pitch", LAID_AGAIN, cycle_ms, stand_key="always")
    assert rig.postings() == ["1: spot 1 main +0.00", "1: spot 6 main +120.00"]


@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_where_keys_are_pressed_sometimes_it_is_never_settled_as_not_laid(cycle_ms: int) -> None:
    rig = played("hollywood-perryville", TO_14, cycle_ms)
    assert set(rig.postings()) <= {"1: spot 1 main -60.00", "1: spot 5 main -200.00"}
    assert "1: spot 5 main -100.00" in played("hollywood-perryville", TO_14, cycle_ms, is_kept=False).postings()


@pytest.mark.parametrize("away_s", [1, 2, 3])
@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("profile", ["pitch-h17", "borgata"])
def test_a_broken_hand_that_bets_as_much_again_has_not_won(profile: str, cycle_ms: int, away_s: int) -> None:
    rig = played(profile, BETS_ANEW.format(away=away_s), cycle_ms, busts_taken="at_once")
    assert set(rig.postings()) <= {"1: spot 5 main -50.00", "1: spot 6 main +40.00"}
    assert accused(rig) == []


def test_by_a_journal_of_before_it_had() -> None:
    rig = played("pitch-h17", BETS_ANEW.format(away=2), 350, is_kept=False, busts_taken="at_once")
    assert rig.postings() == ["1: spot 5 main +50.00", "1: spot 6 main +40.00"]
