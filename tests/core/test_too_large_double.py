"""Too large a double that is handed back a second before its card, as readers report it: it is one, and no payment."""

from __future__ import annotations

import pytest

from controller.io.files import profile_files
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused
from tests.core.test_deals_by_number import DEALT

FIRST = f"1 main 100 / wait 6 / {DEALT} / wait 2 / 1 main 200 / wait 1.5 / 1 main 0 / wait 1 / 1 main 100 / wait 6"

UNKEYED = {"turn_key": "sometimes", "new_shoe_burns": 0}


def doubled(profile: str, cycle_ms: int, away_s: int, *, heeded: bool = True) -> HumanRig:
    """Eleven is doubled with five too much and gets a ten; the dealer has eleven and draws a nine."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(slips_reckoned=heeded, raises_withdrawn=heeded)
    laid = f"deal 9s 6d 2h 5s / wait 6 / 1 main 205 / wait {away_s} / 1 main 200 / wait 1 / Td / wait 3 / 9c"
    rig.play(f"{FIRST} / {laid} / wait 4 / 1 main 400 / wait 2 / 1 main 100 / wait 6")
    return rig


@pytest.mark.parametrize("away_s", [1, 2, 3])
@pytest.mark.parametrize("cycle_ms", [350, 700, 1_000])
@pytest.mark.parametrize("profile", ["borgata", "pitch-h17"])
def test_it_is_no_payment(profile: str, cycle_ms: int, away_s: int) -> None:
    rig = doubled(profile, cycle_ms, away_s)
    assert {one for one in rig.postings() if one.startswith("2: ")} <= {"2: spot 1 main +200.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("profile", ["borgata", "pitch-h17"])
def test_in_journals_of_before_it_was_one(profile: str) -> None:
    assert accused(doubled(profile, 700, 3, heeded=False)) != []


@pytest.mark.parametrize("awaited", [True, False])
def test_what_comes_beyond_it_is_another_change(*, awaited: bool) -> None:
    """A natural is paid in two movements, the first of them more than its wager."""
    rig = keyless("borgata", 350)
    rig.change_house(doubles_awaited=awaited)
    rig.play("1 main 100 / wait 6 / deal As 7h Kd Th / wait 5 / 1 main 205 / wait 6 / 1 main 250 / wait 6")
    assert rig.table.state.round is not None
    moves = (one.chips_at(0, "main") for one in rig.table.state.round.evidence.observations)
    assert [(one.before, one.after) for one in moves if one is not None] == [(10_000, 20_500), (20_500, 25_000)]


TWO_BOXES = "Th / wait 0.7 / 9h / wait 0.7 / 9c / wait 0.7 / Kd / wait 0.7 / Kh / wait 0.7 / 8s"


def doubled_twice(profile: str, seed: int, back_s: int, *, dated: bool = True) -> HumanRig:
    """Both boxes double eleven with five too much, handed back once the first has its card; all win against twenty."""
    rig = HumanRig(profile_files.load(profile, UNKEYED).rules, {}, seed, cycle_ms=700)
    rig.change_house(doubles_dated=dated)
    rig.reads_display = False
    rig.play(f"1 main 100 / 2 main 100 / wait 6 / {TWO_BOXES} / wait 4 / 1 main 200 / wait 1 / 2 main 200 / wait 1.5")
    rig.play("1 main 0 / wait 1 / 1 main 100 / wait 1 / 2 main 100 / wait 6 / deal 9s 6h 6d 2h 5h 5s / wait 5.6")
    rig.play(f"1 main 205 / wait 1 / 2 main 205 / wait 0.5 / Td / wait {back_s} / 1 main 200 / wait 1 / 2 main 200")
    rig.play("wait 1 / Tc / wait 3 / 9c / wait 4 / 1 main 400 / wait 1.5 / 2 main 400 / wait 2 / 1 main 100 / wait 1")
    rig.play(f"2 main 100 / wait 6 / {TWO_BOXES} / wait 6")
    return rig


@pytest.mark.parametrize("seed", [3, 4, 6])
@pytest.mark.parametrize("back_s", [1, 2])
@pytest.mark.parametrize("profile", ["borgata", "hollywood-perryville"])
def test_what_stays_of_it_was_laid_before_its_card(profile: str, back_s: int, seed: int) -> None:
    rig = doubled_twice(profile, seed, back_s)
    won = {"2: spot 1 main +200.00", "2: spot 2 main +200.00"}
    assert {one for one in rig.postings() if one.startswith("2: ")} <= won
    assert accused(rig) == []


def test_in_journals_of_before_it_was_laid_after_it() -> None:
    """The card was the dealer's third, the double paid out to hands that had stood, and the next card another deal."""
    rig = doubled_twice("borgata", 3, 2, dated=False)
    assert {"2: spot 1 main -100.00", "2: spot 2 main -100.00"} <= set(rig.postings())
    assert accused(rig) != []
