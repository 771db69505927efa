"""A meter at its boundaries: the last unit that may be moved, the last cent of a limit, what is owed across rates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.meters.awards import AwardStatus, Jackpot, Winner, pay_winners
from controller.core.meters.meter import (
    CENTS_LIMIT,
    UNITS,
    Accrual,
    AdjustmentReason,
    Meter,
    MeterContribution,
    MeterPart,
    Parameters,
    Unreasonable,
    opened,
)
from tests.progressive.live import why

PLAIN = Parameters(base_cents=5_000, reset_cents=5_000, rate=(1, 10), unreasonable_cents=10_000)
TOP = CENTS_LIMIT * UNITS


def meter(**fields: Any) -> Meter:
    return opened("m", replace(PLAIN, **fields))


def moved(one: Meter, units: int, reason: AdjustmentReason, pool: MeterPart = "meter") -> Meter:
    after = one.after_adjustment(pool, units, reason)
    assert isinstance(after, Meter), after
    return after


def raised(one: Meter, *wagers_cents: int) -> Meter:
    for cents in wagers_cents:
        given = one.after_wager(cents)
        assert isinstance(given, MeterContribution)
        one = given.meter
    return one


# --- rates --------------------------------------------------------------------------------------------


def test_what_is_owed_at_one_rate_is_owed_at_the_next() -> None:
    thirds = raised(meter(rate=(1, 3)), 100)
    assert Fraction(thirds.main.owed, thirds.main.over) == Fraction(1, 3)
    halves = thirds.with_queued_parameters(replace(PLAIN, rate=(1, 2)))
    assert (halves.main.owed, halves.main.over) == (2, 6)
    assert isinstance(halves.main.owed, int)
    sevenths = raised(halves, 1).with_queued_parameters(replace(PLAIN, rate=(1, 7)))
    assert Fraction(sevenths.main.owed, sevenths.main.over) == Fraction(1, 3)
    assert raised(sevenths, 7, 7, 7).main.owed * 3 == sevenths.main.over


def test_a_stream_owes_less_than_one_unit() -> None:
    assert Accrual((1, 2), 2, owed=1, units=4_999, cents=1, began=(0, -1)).exact()
    assert not Accrual((1, 2), 2, owed=2, units=4_999, cents=1).exact()


def test_very_large_wagers_are_counted_to_the_last_part_of_a_unit() -> None:
    large = raised(meter(rate=(17, 100), unreasonable_cents=CENTS_LIMIT - 1), 10**13 + 1, 10**13 + 3)
    halves = raised(large.with_queued_parameters(replace(large.parameters, rate=(1, 3))), 10**13 + 1)
    assert halves.current_units == (5_000 + 34 * 10**11) * UNITS + 6_800 + (10**13 + 1) * UNITS // 3


def test_a_meter_holds_fourteen_digits_of_cents() -> None:
    assert meter(base_cents=CENTS_LIMIT - 1).shown_cents() == CENTS_LIMIT - 1
    with pytest.raises(AssertionError, match="more than 14 digits"):
        meter(base_cents=CENTS_LIMIT)


def test_one_cent_is_a_wager() -> None:
    assert raised(meter(), 1).current_units == 5_000 * UNITS + 1_000


def test_meter_and_reserve_together_may_rise_by_what_is_reasonable() -> None:
    both = meter(rate=(17, 100), hidden_rate=(3, 100), unreasonable_cents=100)
    assert raised(both, 500).reserve_units == 15 * UNITS
    assert both.after_wager(501) == Unreasonable(501 * 2_000, 100 * UNITS)


# --- limits -------------------------------------------------------------------------------------------


def test_overflow_is_what_stands_above_the_limit_and_nothing_without_one() -> None:
    assert meter().overflow_units() == 0
    assert meter(limit_cents=6_000).overflow_units() == 0
    over = moved(meter(limit_cents=6_000), 1_000 * UNITS + 1, "funding")
    assert (over.overflow_units(), over.shown_cents()) == (1, 6_000)


# --- moved by people --------------------------------------------------------------------------------------

MOVES: list[tuple[int, AdjustmentReason, str]] = [
    (-TOP, "equipment_correction", "no meter holds so much"),
    (TOP - 5_000 * UNITS, "funding", "no meter holds so much"),
    (TOP - 5_000 * UNITS - 1, "funding", ""),
    (2 * 10**10, "funding", ""),
    (1, "over_limit_correction", "a meter is raised for funding or equipment_correction only"),
    (-5_000 * UNITS, "equipment_correction", ""),
    (
        -5_000 * UNITS - 1,
        "equipment_correction",
        "there is not so much in the meter: it stands at 50000000 units",
    ),
]


@pytest.mark.parametrize(("units", "reason", "refused"), MOVES)
def test_the_last_unit_that_may_be_moved(units: int, reason: AdjustmentReason, refused: str) -> None:
    after = meter().after_adjustment("meter", units, reason)
    if refused:
        assert why(after) == refused
    else:
        assert isinstance(after, Meter)
        assert after.current_units == 5_000 * UNITS + units


def test_the_house_takes_back_no_more_than_is_left_of_what_it_put_in() -> None:
    one = moved(raised(meter(), 10_000), -2_000 * UNITS, "seed_recovery")
    assert (
        why(one.after_adjustment("meter", -3_000 * UNITS - 1, "seed_recovery")) == "the house has 30000000 units in it"
    )
    after = moved(one, -3_000 * UNITS, "seed_recovery")
    assert (after.recovered_units, after.current_units) == (5_000 * UNITS, 1_000 * UNITS)


def test_a_reserve_is_put_right_upwards_and_downwards() -> None:
    up = moved(raised(meter(hidden_rate=(1, 10)), 1_000), 50 * UNITS, "equipment_correction", "reserve")
    assert (up.reserve_units, up.reserve_raised_units, up.reserve_lowered_units) == (150 * UNITS, 50 * UNITS, 0)
    down = moved(up, -70 * UNITS, "equipment_correction", "reserve")
    assert (down.reserve_units, down.reserve_raised_units, down.reserve_lowered_units) == (
        80 * UNITS,
        50 * UNITS,
        70 * UNITS,
    )
    again = moved(down, -80 * UNITS, "equipment_correction", "reserve")
    assert (again.reserve_units, again.reserve_raised_units, again.reserve_lowered_units) == (
        0,
        50 * UNITS,
        150 * UNITS,
    )


# --- awards that are refused ------------------------------------------------------------------------------


def test_a_reset_value_is_taken_back_to_its_last_unit() -> None:
    won = meter().after_award(5_000).after_reset()
    empty = moved(won, -5_000 * UNITS, "equipment_correction")
    after, (house, reserve) = empty.after_return(5_000, won.resets)
    assert (house, reserve) == (5_000 * UNITS, 0)
    assert (after.current_units, after.recovered_units, after.reset_by) == (0, 5_000 * UNITS, (0, 0))


def test_of_a_meter_that_two_shared_the_reset_value_is_taken_back_once() -> None:
    won, after = pay_winners(meter(hidden_rate=(1, 10)), [Winner(2, (1, 1)), Winner(5, (1, 1))], shared=True)
    assert [(one.spot, one.cents, one.resets) for one in won] == [(5, 2_500, 1), (2, 2_500, 1)]
    assert (after.hits, after.resets) == (2, 1)
    # The other one won the whole meter, so it had to start again.
    first, back = after.after_return(2_500, 1)
    assert (back, first.current_units) == ((0, 0), 7_500 * UNITS)
    second, back = first.after_return(2_500, 1)
    assert back == (5_000 * UNITS, 0)
    assert (second.current_units, second.reset_by) == (5_000 * UNITS, (0, 0))


def test_who_took_a_part_only_started_nothing_again() -> None:
    won, after = pay_winners(meter(), [Winner(3, (1, 10))], shared=True)
    assert [(one.cents, one.resets) for one in won] == [(500, None)]
    assert (after.hits, after.resets) == (1, 0)


def test_a_meter_that_stands_at_nothing_pays_nothing() -> None:
    won, after = pay_winners(meter(base_cents=0), [Winner(3, (1, 1))], shared=True)
    assert [one.cents for one in won] == [0]
    assert (after.hits, after.current_units) == (1, 5_000 * UNITS)


def test_parameters_wait_from_the_first_award_to_the_next_reset() -> None:
    other = replace(PLAIN, rate=(1, 20))
    assert meter().with_parameters(other).parameters == other
    waiting = meter().after_award(500).with_parameters(other)
    assert (waiting.parameters, waiting.queued) == (PLAIN, other)
    again = raised(meter(), 100).after_award(5_010).after_reset()
    assert again.with_parameters(other).parameters == other


def test_a_payment_names_who_paid() -> None:
    hit = Jackpot(1, "m", 12, 3, "blazing7s", "three_diamonds", 123_456, 1)
    verified = hit.verified("A. Ames")
    assert isinstance(verified, Jackpot)
    paid = verified.paid("B. Bell")
    assert isinstance(paid, Jackpot)
    assert (paid.standing, paid.who) == (AwardStatus.PAID, "B. Bell")


# --- parameters -------------------------------------------------------------------------------------------

CENTS = "expected cents, 0 or more and at most 14 digits"
PART = "expected a part of the wager such as [17, 100], not more than the whole"
AT_LIMIT = "the meter would start at or above its limit"
MISTAKES: list[tuple[dict[str, object], list[tuple[str, str]]]] = [
    ({}, []),
    ({"base_cents": -1}, [("base_cents", CENTS)]),
    ({"reset_cents": CENTS_LIMIT}, [("reset_cents", CENTS)]),
    ({"limit_cents": -1}, [("limit_cents", CENTS)]),
    ({"base_cents": 0, "reset_cents": 0, "limit_cents": 1}, []),
    ({"rate": (1, 1)}, []),
    ({"rate": (17, 1_000_000)}, []),
    ({"rate": (17, 1_000_001)}, [("rate", PART)]),
    ({"rate": (2, 1)}, [("rate", PART)]),
    ({"rate": (-1, 10)}, [("rate", PART)]),
    ({"hidden_rate": (0, 0)}, [("hidden_rate", PART)]),
    ({"rate": (0, 1)}, [("rate", "a meter that nothing raises is none")]),
    ({"rate": (1, 3), "hidden_rate": (2, 3)}, []),
    (
        {"rate": (1, 3), "hidden_rate": (668, 1_000)},
        [("hidden_rate", "with rate it takes more than the whole wager")],
    ),
    ({"unreasonable_cents": 1}, []),
    ({"unreasonable_cents": 0}, [("unreasonable_cents", "expected the most cents that one wager may add")]),
    ({"unreasonable_cents": CENTS_LIMIT}, [("unreasonable_cents", "expected the most cents that one wager may add")]),
    ({"limit_cents": 1}, [("limit_cents", AT_LIMIT)]),
    ({"limit_cents": 5_000}, [("limit_cents", AT_LIMIT)]),
    ({"limit_cents": 5_001}, []),
    ({"base_cents": 0, "limit_cents": 5_000}, [("limit_cents", AT_LIMIT)]),
]


@pytest.mark.parametrize(("fields", "found"), MISTAKES, ids=lambda one: str(one)[:60])
def test_parameters_on_which_no_meter_can_run(fields: dict[str, Any], found: list[tuple[str, str]]) -> None:
    assert replace(PLAIN, **fields).mistakes() == found
