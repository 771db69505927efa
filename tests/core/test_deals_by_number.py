"""As many cards as a deal has, dealt unevenly or soon after a push: a deal where the open round could not take them."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked, RoundStarted
from controller.core.messages.raised_alerts import AlertKind
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, alerts
from tests.core.test_changed_alone import FACE_UP, LOOKS_MS
from tests.core.test_changed_alone import FIRST as EVEN

DEALT = "Th / wait 0.7 / 9c / wait 0.8 / Kd / wait 0.7 / 8s"
FIRST = f"1 main 10 / wait 6 / {DEALT} / wait 2 / 1 main 20 / wait 1.5 / 1 main 0 / wait 1 / 1 main 10 / wait 6"
"""A round of a dealer who deals a card every three quarters of a second."""

PUSHED = "deal 9d Jc 8h 3s / wait 4 / 4d"
"""Seventeen, and the dealer draws to seventeen; the wager lies for the next round."""


def uneven(*faces: str) -> str:
    """The cards of a deal in which the dealer falters."""
    gaps = ("0.5", "1.3", "0.6", "1.2", "0.7")
    return " / ".join(f"{face} / wait {gap}" for face, gap in zip(faces, gaps, strict=False))


def played(profile: str, text: str, cycle_ms: int = 350) -> HumanRig:
    """A first round, and then these acts at a table without keys."""
    rig = keyless(profile, cycle_ms)
    rig.play(f"{FIRST} / {text} / wait 10")
    return rig


@pytest.mark.parametrize(
    "deal",
    ["wait 4 / deal 5h 9h Td 8c", f"wait 10 / {uneven('5h', '9h', 'Td', '8c')}"],
    ids=["even, four seconds after the last card", "uneven"],
)
@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", FACE_UP)
def test_a_wager_that_pushed_and_lies_for_the_next_deal_is_no_winner(profile: str, cycle_ms: int, deal: str) -> None:
    rig = played(profile, f"{PUSHED} / {deal}", cycle_ms)
    assert [one for one in rig.postings() if one.startswith("2: ")] == ["2: spot 1 main +0.00"]
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
def test_a_first_hit_that_follows_the_deal_at_once_makes_no_hits_of_its_cards(cycle_ms: int) -> None:
    """The dealer has twenty-one; without the pause after the deal twelve seems to have drawn the nine."""
    dealt = "6d / wait 0.7 / 2s / wait 0.7 / 6c / wait 0.7 / Jc / wait 5 / 9s / wait 2 / 1 main 0 / wait 1 / 1 main 10"
    again = "Ac / wait 0.7 / Tc / wait 0.7 / 4s / wait 0.7 / 2d / wait 1.2 / Qc / wait 4 / 8c / wait 3.5 / 1 main 0"
    rig = played("hollywood-perryville", f"{dealt} / wait 4 / {again}", cycle_ms)
    assert {one for one in rig.postings() if one.startswith("2: ")} <= {"2: spot 1 main -10.00"}
    assert accused(rig) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(
            f"deal Ts 6h 5d Ah / wait 8 / 1 main 0 / wait 1 / 1 main 15 / wait 6 / {uneven('Qs', '7c', '9d', '8c')}",
            id="a loser bets more",
        ),
        pytest.param(
            "deal Ts 2d 4c 6d / wait 4 / 6c / wait 3 / 7s / wait 3 / 1 main 0 / wait 1 / 1 main 10 / wait 6"
            f" / {uneven('9d', '2d', 'Th', '8c')}",
            id="a loser bets as much",
        ),
        pytest.param(
            f"deal Jc Jc Ts 7d / wait 6 / 1 main 20 / wait 6 / {uneven('Ts', 'Td', 'Jh', '8d')}",
            id="a paid pair of tens is let ride",
        ),
    ],
)
@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", FACE_UP)
def test_where_some_play_could_take_them_nothing_is_settled(profile: str, cycle_ms: int, text: str) -> None:
    rig = played(profile, text, cycle_ms)
    assert [one for one in rig.postings() if one.startswith("2: ")] == []
    assert rig.events_of(QuestionAsked) or AlertKind.ROUND_UNENDED in alerts(rig, *AlertKind)
    assert accused(rig) == []


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", [*FACE_UP, "pitch-h17"])
def test_a_wager_changed_twice_after_a_hit_is_one(profile: str, cycle_ms: int) -> None:
    """Eighteen wins, as the dealer breaks: it is said or left open."""
    changed = "1 main 0 / wait 2 / 1 main 10"
    text = f"deal 3c Qc Kc 6s / wait 5 / Ac / wait 1 / {changed} / wait 1 / {changed} / wait 2 / 4s / wait 3 / Td"
    rig = played(profile, f"{text} / wait 6 / 1 main 20", cycle_ms)
    assert {one for one in rig.postings() if one.startswith("2: ")} <= {"2: spot 1 main +10.00"}
    assert accused(rig) == []


@pytest.mark.parametrize(("seed", "heeded"), [*((seed, True) for seed in range(1, 5)), (1, False)])
def test_so_is_one_of_which_a_slow_reader_shows_one_change(seed: int, *, heeded: bool) -> None:
    """Thirteen gets a two and wins, as the dealer breaks; no half of it was given up."""
    rig = keyless("hollywood-penn-national", 1_000)
    rig.rng.seed(seed)
    rig.change_house(slips_reckoned=heeded)
    changed = "1 main 0 / wait 1 / 1 main 10 / wait 1 / 1 main 0 / wait 3 / 1 main 10"
    rig.play(
        f"{EVEN} / deal 5s Jh 8d 6d / wait 5 / {changed} / wait 2 / 2d / wait 3 / 9s / wait 3 / 1 main 20 / wait 9"
    )
    settled = [one for one in rig.postings() if one.startswith("2: ")]
    assert settled == ([] if heeded else ["2: spot 1 main -5.00"])
    assert accused(rig) == [] or not heeded


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", [*FACE_UP, "pitch-h17"])
def test_a_wager_changed_and_doubled_is_one(profile: str, cycle_ms: int) -> None:
    """Eleven against nineteen."""
    text = "deal 5s Tc 5c 9d / wait 3 / 1 main 0 / wait 2 / 1 main 10 / wait 1 / 1 main 20 / wait 2 / Ac"
    rig = played(profile, text, cycle_ms)
    assert {one for one in rig.postings() if one.startswith("2: ")} <= {"2: spot 1 main +20.00"}
    assert accused(rig) == []


@pytest.mark.parametrize("profile", FACE_UP)
def test_cards_of_a_split_whose_chips_are_reported_only_while_they_wait_begin_no_round(profile: str) -> None:
    """Eights are split: eighteen and seventeen lose to nineteen. Sixteen and a ten would break, and that ends it."""
    split = f"deal 8c Tc 8d 2h / wait 4 / 1 main 20 / wait 0.3 / {uneven('Ts', '9s', '3h', '4h')}"
    rig = played(profile, split, 700)
    assert [one.round for one in rig.events_of(RoundStarted)] == [1, 2]
    assert {one for one in rig.postings() if one.startswith("2: ")} <= {"2: spot 1 main -20.00"}


@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", FACE_UP)
def test_so_is_one_that_is_doubled_once_its_readers_have_reported_the_change(profile: str, cycle_ms: int) -> None:
    text = "deal 5s Tc 5c 9d / wait 3 / 1 main 0 / wait 2 / 1 main 10 / wait 2.5 / 1 main 20 / wait 2 / Ac"
    rig = played(profile, text, cycle_ms)
    assert {one for one in rig.postings() if one.startswith("2: ")} <= {"2: spot 1 main +20.00"}
    assert accused(rig) == []


def test_nobody_is_away_with_his_chips_for_six_seconds() -> None:
    """Fourteen lost to nineteen, and the card after the next bet is the next deal's first."""
    rig = played("borgata", "deal 5s Tc 9c 9d / wait 3 / 1 main 0 / wait 6 / 1 main 10 / wait 3 / Ac / wait 1")
    assert [one for one in rig.postings() if one.startswith("2: ")] == ["2: spot 1 main -10.00"]
