"""Tables whose dealers press their keys: presses that may be late, changed chips, and what an irregular round takes."""

from __future__ import annotations

from typing import Any

import pytest

from controller.core.messages.events import RoundStarted
from controller.io.files import profile_files
from tests.core.human import HumanRig
from tests.core.quick_readers import accused

LATE_PRESS = (
    "1 main 50 / wait 1 / 2 main 50 / wait 1 / deal 5s 2d 8d 2d 8c 3c / wait 2 / 2 main 100 / wait 1 / Qd / wait 2"
    " / key stand / wait 1 / 3s / wait 1 / key hole_turned / wait 1 / 6s / wait 2 / 2 main 0 / wait 2 / 1 main 0"
    " / wait 1 / key round_closed / wait 5"
)
"""Ten is doubled while seven draws a queen: seventeen pushes, thirteen loses. Or seven stood, and ten got the queen."""

CHANGED = (
    "1 main 50 / wait 1 / 4 main 20 / wait 1 / 5 main 20 / wait 1 / 3 main 10 / wait 1"
    " / deal 4h Ad 5d 4h Qc 3s Js 4h Ts 4s / wait 1 / 4 main = 20 / wait 1 / 4 main 40 / wait 1 / 4 main 20 / wait 1.1"
    " / Qc / wait 2 / key stand / wait 1"
)
"""Nine changes its chips, doubles before its turn, and takes that back before any card."""

BROKEN_BETS_ANEW = (
    "2 main 60 / wait 1 / 5 main 20 / wait 5 / key no_more_bets / wait 1 / deal As 4d Jc 5h 7d 6s / wait 2 / Ks"
    " / wait 3 / Qs / wait 2 / 2 main 0 / wait 1 / 2 main 60 / 5 main 40 / wait 1 / 6h / wait 2 / key hole_turned"
    " / wait 1 / 4s / wait 3 / 5 main 0 / wait 1 / 5 main 20 / wait 2"
)
"""Soft sixteen hits twice, breaks and is taken, bets as much anew, and eleven is doubled at once; fifteen loses."""

NEXT = (
    "key no_more_bets / wait 2 / deal Td Ad 6h 2d 6s 9s / wait 4 / Qs / wait 6 / key hole_turned / wait 1 / 6d / wait 2"
)


def played(
    profile: str, text: str, cycle_ms: int = 350, *, facts: dict[str, bool] | None = None, **options: Any
) -> HumanRig:
    """A table with keys; ``facts``: what a journal of before lacks."""
    rules = profile_files.load(profile, {"new_shoe_burns": 0, "turn_key": "always", **options}).rules
    rig = HumanRig(rules, {}, cycle_ms=cycle_ms)
    rig.change_house(**(facts or {}))
    rig.reads_display = False
    rig.play(text)
    return rig


@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("profile", ["classic-shoe-and-pitch", "borgata"])
def test_whose_card_came_before_a_press_that_may_be_late_is_asked(profile: str, cycle_ms: int) -> None:
    rig = played(profile, LATE_PRESS, cycle_ms, stand_key="always", key_slack=1)
    assert rig.postings() == []
    assert accused(rig) == []


def test_by_a_journal_of_before_the_double_got_it() -> None:
    before = {"movements_joined": False, "keyed_doubles_kept": False}
    rig = played("classic-shoe-and-pitch", LATE_PRESS, facts=before, stand_key="always", key_slack=1)
    assert rig.postings() == ["1: spot 1 main -50.00", "1: spot 2 main +0.00"]


def test_a_press_that_is_never_late_says_whose_it_was() -> None:
    rig = played("classic-shoe-and-pitch", LATE_PRESS, stand_key="always")
    assert rig.postings() == ["1: spot 1 main +0.00", "1: spot 2 main -100.00"]


@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("stand_key", ["always", "sometimes"])
def test_who_changes_chips_and_takes_an_early_double_back_is_not_accused(stand_key: str, cycle_ms: int) -> None:
    assert accused(played("hollywood-perryville", CHANGED, cycle_ms, stand_key=stand_key)) == []


def test_by_a_journal_of_before_the_player_was() -> None:
    before = {"movements_joined": False, "keyed_doubles_kept": False}
    assert accused(played("hollywood-perryville", CHANGED, facts=before, stand_key="always")) != []


KEYED: dict[str, Any] = {"busts_taken": "at_once", "no_more_bets": "always"}


def test_as_much_laid_anew_as_a_card_comes_is_the_next_bet_of_a_hand_that_broke() -> None:
    rig = played("classic-shoe-and-pitch", f"{BROKEN_BETS_ANEW} / {NEXT}", **KEYED)
    lost = ["1: spot 2 main -60.00", "1: spot 5 main -40.00", "2: spot 2 main -60.00", "2: spot 5 main -20.00"]
    assert rig.postings() == lost
    assert rig.irregularities() == []


@pytest.mark.parametrize(("ends", "rounds"), [(True, [1, 2]), (False, [1])])
def test_an_irregular_round_whose_turn_was_keyed_ends_with_the_key_of_the_next_bets(
    rounds: list[int], *, ends: bool
) -> None:
    facts = {"movements_joined": False, "irregular_rounds_end": ends}
    rig = played("classic-shoe-and-pitch", f"{BROKEN_BETS_ANEW} / {NEXT}", facts=facts, **KEYED)
    assert [begun.round for begun in rig.events_of(RoundStarted)] == rounds


def test_an_irregular_round_whose_hole_card_no_key_has_turned_does_not() -> None:
    """Its hole card would be opened: who presses the key may have slipped."""
    facts, closed = {"movements_joined": False}, BROKEN_BETS_ANEW.replace("key hole_turned / ", "")
    rig = played("classic-shoe-and-pitch", f"{closed} / {NEXT}", facts=facts, **KEYED)
    assert [begun.round for begun in rig.events_of(RoundStarted)] == [1]
