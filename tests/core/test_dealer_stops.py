"""A dealer who stops for some seconds within a deal: the cards before may be no hits, and settle nothing."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked
from controller.core.messages.raised_alerts import AlertKind
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, alerts
from tests.core.test_changed_alone import FACE_UP

LOOKS_MS = [350, 700, 1_000]

PAID = "wait 6 / deal Th 9c 8c 9d / wait 10"

RAISED = "5 main 50 / wait 6 / deal Jh 9c 8s As / wait 3.5 / 5 main 0 / wait 2.1 / 5 main 60 / wait 1.6 / 5 main 100"
"""Eighteen loses to twenty, and its player bets twice as much in two movements."""

RIDES = "5 main 50 / wait 6 / deal Qh 8d Kd Qc / wait 3.4 / 5 main 100 / wait 1.5"
"""A pair of tens beats eighteen, and its player lets wager and payment ride."""

TWELVE = "5 main 50 / wait 6 / deal 2h 9c Td 8s"
CHANGED = "5 main 0 / wait 2 / 5 main 50 / wait 3.4"

PUSHED = "5 main 50 / wait 6 / deal Jh Qs Kd Ks"


def played(profile: str, text: str, cycle_ms: int, *, heeded: bool = True) -> HumanRig:
    """The acts at a table without keys; not ``heeded``: by a journal of before."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(slips_reckoned=heeded)
    rig.play(f"{text} / {PAID}")
    return rig


@pytest.mark.parametrize(
    ("text", "due"),
    [
        pytest.param(f"{RAISED} / wait 3.4 / deal 8c 3s / wait 2.4 / deal 2s Qd", "-50", id="more is bet"),
        pytest.param(f"{RAISED} / wait 3.4 / deal 8c 3s / wait 6 / deal 2s Qd", "-50", id="more is bet, long"),
        pytest.param(f"{RIDES} / wait 4 / 6d / wait 2.9 / deal Ts 8d Tc", "+50", id="a payment rides, one card"),
        pytest.param(f"{RIDES} / wait 4 / deal 7d 8d 9s / wait 2.5 / Ad", "+50", id="a payment rides, three cards"),
        pytest.param(f"{PUSHED} / wait 4 / 7c / wait 2.9 / deal 9h Td 8c", "+0", id="a push lies, one card"),
        pytest.param(f"{PUSHED} / wait 4 / deal 7c 9h / wait 6 / deal Td 8c", "+0", id="a push lies, two cards, long"),
    ],
)
@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", FACE_UP)
def test_nothing_is_settled_by_the_cards_before(profile: str, cycle_ms: int, text: str, due: str) -> None:
    rig = played(profile, text, cycle_ms)
    assert {one for one in rig.postings() if one.startswith("1: ")} <= {f"1: spot 5 main {due}.00"}
    assert rig.events_of(QuestionAsked) or AlertKind.ROUND_UNENDED in alerts(rig, *AlertKind)
    assert accused(rig) == []
    assert AlertKind.SETTLEMENT_DISPUTED not in alerts(rig, *AlertKind)


def test_in_journals_of_before_they_were_hits() -> None:
    rig = played("borgata", f"{RAISED} / wait 3.4 / deal 8c 3s / wait 2.4 / deal 2s Qd", 700, heeded=False)
    assert "1: spot 5 main -100.00" in rig.postings()


@pytest.mark.parametrize(
    ("text", "cycle_ms"),
    [
        pytest.param(f"{PUSHED} / wait 4 / deal 7c 9h / wait 6 / deal Td 8c", 700, id="taken by no play"),
        pytest.param(f"{TWELVE} / wait 2 / {CHANGED} / 5c / wait 0.9 / 3d / wait 6 / deal 2s Qd", 350, id="changed"),
        pytest.param(f"{TWELVE} / wait 3 / 5 main = 100 / wait 5 / deal 5c 3d / wait 6 / deal 2s", 700, id="raised"),
    ],
)
@pytest.mark.parametrize("profile", FACE_UP)
def test_a_person_says_whose_cards_those_before_a_long_stop_are(profile: str, text: str, cycle_ms: int) -> None:
    rig = played(profile, text, cycle_ms)
    assert len(rig.events_of(QuestionAsked)) == 1
    assert rig.postings() == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{TWELVE} / wait 5 / 5c / wait 0.5 / 3d", id="nobody touched the wager"),
        pytest.param(f"{TWELVE} / wait 2 / {CHANGED} / 5c / wait 1.5 / 3d", id="changed, and parted by a pause"),
    ],
)
@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", FACE_UP)
def test_two_cards_are_hits(profile: str, cycle_ms: int, text: str) -> None:
    """Twelve gets a five and a three, and the dealer has seventeen."""
    rig = played(profile, f"{text} / wait 8 / 5 main 100 / wait 2 / 5 main 50", cycle_ms)
    assert rig.postings()[0] == "1: spot 5 main +50.00"
    assert rig.events_of(QuestionAsked) == []


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("deal 5h 3c 6d 9s / wait 3 / 5 main = 100 / wait 2 / 7d / wait 0.9 / 9h", id="a double"),
        pytest.param("deal Th 9c Td 8s / wait 4 / 5 main 100 / wait 0.1 / Kc / wait 0.5 / 9d", id="a late split"),
    ],
)
@pytest.mark.parametrize("cycle_ms", LOOKS_MS)
@pytest.mark.parametrize("profile", FACE_UP)
def test_cards_after_chips_that_take_them_raise_no_question(profile: str, cycle_ms: int, text: str) -> None:
    rig = played(profile, f"5 main 50 / wait 6 / {text} / wait 6 / 5 main 0", cycle_ms)
    assert rig.events_of(QuestionAsked) == []


STOPS_AT_FIRST = (
    "5 main 60 / wait 6 / deal 3d / wait {stop} / deal 9s Jc 7d / wait 4 / 3h / wait 2 / 6s / wait 4 / 5 main 0"
    " / wait 2 / 5 main 20 / wait 6 / deal 3c / wait {stop} / deal Ts 5d 4s / wait 3 / 4h / wait 2 / 8h / wait 2"
    " / 8s / wait 4 / 5 main 40 / wait 8 / deal 7s Qs 7s As / wait 3.7 / 5 main 80 / wait 1.2 / 5d / wait 1.4"
    " / 9d / wait 1.6 / 8s / wait 1.7 / Kh / wait 8 / 5 main 0 / wait 2 / 5 main 100 / wait 7 / deal 6d 5h Kh Qc"
    " / wait 4 / 4s / wait 6"
)
"""The first two deals have a stop each; in the third round sevens are split, and get four cards."""


@pytest.mark.parametrize("stop_s", [2.5, 3.5])
def test_stops_in_the_first_deals_do_not_make_a_slow_dealer_whose_hits_are_a_deal(stop_s: float) -> None:
    rig = keyless("classic-shoe-and-pitch")
    rig.play(STOPS_AT_FIRST.format(stop=stop_s))
    assert (rig.postings(), accused(rig)) == ([], [])


def test_in_journals_of_before_they_did() -> None:
    rig = keyless("classic-shoe-and-pitch")
    rig.change_house(stops_set_apart=False)
    rig.play(STOPS_AT_FIRST.format(stop=2.5))
    assert rig.postings() == ["3: spot 5 main -80.00"]
