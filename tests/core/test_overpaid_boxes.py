"""A surrendered, a split or a declared box that gets more than it can be due; and what people rightly do there."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.inputs import DeclareBox
from controller.core.messages.raised_alerts import AlertKind
from controller.core.surveillance.payment_judgement import PaymentTerms, judge
from controller.core.table.payments import WagerDue, ZoneContent, ZoneHistory
from tests.core.alerting import kinds, next_bets, raised
from tests.core.rig import Rig, penn

KEYED = {"stand_key": "always", "no_more_bets": "always", "turn_key": "always"}
SURRENDERED = "1 main 100 \n key no_more_bets \n Th Ts 6d 9c \n key surrender hole_turned"
SPLIT = "1 main 100 \n key no_more_bets \n 8h 7s 8d Td \n 1 main 200 \n key split \n"
BOTH_WIN = f"{SPLIT} Th \n key stand \n Ts \n key stand hole_turned"
WIN_AND_DOUBLE_LOST = f"{SPLIT} Th \n key stand \n 3s \n 1 main 300 \n key double \n 5c \n key hole_turned"


def table(talk: str, *, bounded: bool = True) -> Rig:
    rig = Rig(penn(**KEYED))
    rig.change_house(payments_bounded=bounded, payments_by_course=bounded)
    rig.talk(talk)
    rig.pass_ms(2_000)
    return rig


def moved(rig: Rig, contents: tuple[int, ...], spot: int = 1) -> None:
    """A zone's contents, in dollars, one after the other, each for a while; then the next bets."""
    for dollars in contents:
        rig.chips(spot, "main", 100 * dollars)
        rig.pass_ms(4_500)
    next_bets(rig)


def paid(rig: Rig) -> list[tuple[str, int | None, int | None]]:
    return [(alert.kind.value, alert.net_cents, alert.paid_cents) for alert in raised(rig)]


# --- a surrendered box ------------------------------------------------------------------------------


@pytest.mark.parametrize("contents", [(200,), (5_100, 0)])
def test_who_gave_up_half_and_is_paid_besides_is_reported(contents: tuple[int, ...]) -> None:
    rig = table(SURRENDERED)
    moved(rig, contents)
    assert paid(rig) == [("mispay", -5_000, 100 * contents[0] - 10_000)]


def test_what_leaves_before_half_is_taken_may_have_been_a_bet_too_early() -> None:
    rig = table(SURRENDERED)
    moved(rig, (5_100, 100, 50))
    assert paid(rig) == [("chips_unexplained", -5_000, 500_000)]


@pytest.mark.parametrize(
    "contents",
    [(50, 0), (0,), (0, 50, 0), (150, 50, 0), (0, 5_000), (50, 5_050)],
    ids=["half taken", "by hand", "back", "laid beside first", "bet anew", "pressed"],
)
def test_half_given_back_in_any_way_is_no_alert(contents: tuple[int, ...]) -> None:
    rig = table(SURRENDERED)
    moved(rig, contents)
    assert kinds(rig) == []


def test_chips_of_another_box_that_are_carried_on_at_once_pay_no_surrender() -> None:
    rig = table(SURRENDERED)
    rig.chips(1, "main", 60_000)
    rig.pass_ms(1_000)
    rig.chips(1, "main", 10_000)
    moved(rig, (50, 0))
    assert kinds(rig) == []


def test_chips_that_come_once_the_round_is_closed_are_bets() -> None:
    rig = table(SURRENDERED)
    rig.talk("key round_closed")
    rig.pass_ms(1_000)
    rig.talk("1 main 50 \n 1 main 500")
    rig.pass_ms(4_500)
    rig.talk("5 main 10 \n key no_more_bets")
    assert kinds(rig) == []


def test_nor_do_those_that_were_laid_there_in_two_stacks() -> None:
    rig = table(SURRENDERED)
    for dollars in (600, 700, 100):
        rig.chips(1, "main", 100 * dollars)
        rig.pass_ms(700)
    moved(rig, (50, 0))
    assert kinds(rig) == []


# --- a split box ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("talk", "contents", "found"),
    [
        (BOTH_WIN, (1_100, 0), (20_000, 90_000)),
        (BOTH_WIN, (600,), (20_000, 40_000)),
        (WIN_AND_DOUBLE_LOST, (5_300, 0), (-10_000, 500_000)),
    ],
)
def test_a_split_box_that_gets_more_than_its_hands_can_win_is_reported(
    talk: str, contents: tuple[int, ...], found: tuple[int, int]
) -> None:
    rig = table(talk)
    moved(rig, contents)
    assert paid(rig) == [("mispay", *found)]


@pytest.mark.parametrize(
    ("talk", "contents"),
    [
        (BOTH_WIN, (400, 0)),
        (BOTH_WIN, (300, 400, 900)),
        (WIN_AND_DOUBLE_LOST, (100, 200, 0)),
        (WIN_AND_DOUBLE_LOST, (400, 200)),
        (WIN_AND_DOUBLE_LOST, (500, 200)),
        (WIN_AND_DOUBLE_LOST, (200, 5_200)),
        (WIN_AND_DOUBLE_LOST, (250, 350, 150)),
        (WIN_AND_DOUBLE_LOST, (400, 1_000, 800)),
    ],
    ids=[
        "at once",
        "in steps, and pressed",
        "taken, paid",
        "paid, taken",
        "changed up",
        "pressed",
        "bit by bit",
        "paid, pressed, taken",
    ],
)
def test_a_split_box_that_is_paid_in_any_way_is_no_alert(talk: str, contents: tuple[int, ...]) -> None:
    rig = table(talk)
    moved(rig, contents)
    assert kinds(rig) == []


def test_chips_of_another_box_that_are_carried_on_at_once_pay_no_split() -> None:
    rig = table(WIN_AND_DOUBLE_LOST)
    rig.chips(1, "main", 90_000)
    rig.pass_ms(1_000)
    rig.chips(1, "main", 30_000)
    moved(rig, (200, 0))
    assert kinds(rig) == []


LAID = ("one", "two", "three", "fifty")
SPLIT_AND_DOUBLED = (ZoneContent(0, 0, 0, 100, LAID[:1]), ZoneContent(1, 1, 2, 300, LAID, came_cents=200))
"""A wager of 100 split, with a hand doubled, before the last card."""


@pytest.mark.parametrize(("left", "overpaid"), [(50, True), (150, False)])
def test_a_split_box_is_overpaid_for_certain_only_until_what_it_lost_is_taken(left: int, *, overpaid: bool) -> None:
    looks = (
        *SPLIT_AND_DOUBLED,
        ZoneContent(1, 8, 9, 300 - left, LAID[:3], left_cents=left),
        ZoneContent(2, 10, 11, 5_300, (*LAID[:3], "more"), came_cents=5_000 + left),
    )
    terms = PaymentTerms(5, split=True, hands=2, bounded=True)
    found = judge(ZoneHistory(1, "main", 100, looks), WagerDue(1, "main", 100, -100, 3), terms)
    assert (found is not None) is overpaid


@pytest.mark.parametrize("closed", [False, True])
def test_what_comes_to_a_split_once_the_round_is_closed_is_a_bet(*, closed: bool) -> None:
    looks = (
        *SPLIT_AND_DOUBLED,
        ZoneContent(1, 8, 9, 5_300, (*LAID, "more"), came_cents=5_000, closed=closed),
        ZoneContent(2, 10, 11, 0, (), left_cents=5_300, closed=closed),
    )
    owed = WagerDue(1, "main", 100, -100, 3)
    found = judge(ZoneHistory(1, "main", 100, looks), owed, PaymentTerms(5, split=True, hands=2, bounded=True))
    assert (found is not None) is not closed


# --- a declared box ---------------------------------------------------------------------------------


@pytest.mark.parametrize("contents", [(), (500, 0), (1_025, 1_000), (500, 1_500), (500, 0, 1_500), (5_000, 0)])
def test_of_a_declared_box_no_payment_is_judged_for_its_stake_may_be_put_up_late(contents: tuple[int, ...]) -> None:
    """Spot 5 plays 500 without chips against seventeen and wins; a tip, a press or the next bet may lie there, too."""
    rig = table("1 main 10")
    rig.give(DeclareBox(rig.now_ns, 5, 50_000, "M. Okafor", "plays on credit"))
    rig.talk("key no_more_bets \n 9h Th 7s 8d Td Tc \n key stand stand hole_turned")
    rig.pass_ms(2_000)
    moved(rig, contents, spot=5)
    assert kinds(rig) == []


def test_a_declared_natural_is_not_said_to_be_unpaid_as_it_may_be_paid_out_of_sight() -> None:
    rig = Rig(replace(penn(**KEYED), settled_before_play="naturals"))
    rig.talk("1 main 10")
    rig.give(DeclareBox(rig.now_ns, 5, 50_000, "M. Okafor", "plays on credit"))
    rig.talk("key no_more_bets \n 5h Ah 7s 8d Td Tc \n key hit \n 4c \n key stand")
    rig.pass_ms(2_000)
    assert AlertKind.PROCEDURE_LATE not in {alert.kind for alert in raised(rig)}


# --- journals of before -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("talk", "contents"), [(SURRENDERED, (5_100, 0)), (BOTH_WIN, (1_100, 0)), (WIN_AND_DOUBLE_LOST, (5_300, 0))]
)
def test_in_a_journal_of_before_no_such_payment_was_reported(talk: str, contents: tuple[int, ...]) -> None:
    rig = table(talk, bounded=False)
    moved(rig, contents)
    assert kinds(rig) == []
