"""A meter by itself: contributions to the last part of a unit, what may lower it, and its life as random steps."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from msgspec.structs import replace

from controller.core.analysis.stated_meters import StatedPooledMeter, linked_awards
from controller.core.meters.awards import AwardStatus, Jackpot, Winner, awards_in_order, pay_winners
from controller.core.meters.meter import (
    FELL,
    UNITS,
    AdjustmentReason,
    Meter,
    MeterContribution,
    MeterPart,
    Parameters,
    Unreasonable,
    opened,
)
from controller.core.refusal_reason import RefusalReason
from tests.progressive.live import why

PLAIN = Parameters(base_cents=100_000, reset_cents=50_000, rate=(17, 100), unreasonable_cents=1_000)
RATES = st.tuples(st.integers(1, 40), st.integers(100, 997))
PARAMETERS = st.builds(
    Parameters,
    base_cents=st.integers(0, 10_000_000),
    reset_cents=st.integers(0, 5_000_000),
    rate=RATES,
    unreasonable_cents=st.integers(50, 2_000),
    limit_cents=st.just(0) | st.integers(10_000_001, 12_000_000),
    hidden_rate=RATES | st.just((0, 1)),
)
WINNERS = st.dictionaries(st.integers(1, 7), st.sampled_from([(1, 1), (1, 10), (1, 3)]), max_size=7)


def raised(meter: Meter, *wagers_cents: int) -> Meter:
    for cents in wagers_cents:
        contributed = meter.after_wager(cents)
        assert isinstance(contributed, MeterContribution)
        meter = contributed.meter
    return meter


def moved(meter: Meter, pool: MeterPart, units: int, reason: AdjustmentReason) -> Meter:
    after = meter.after_adjustment(pool, units, reason)
    assert isinstance(after, Meter), after
    return after


# --- contributions -------------------------------------------------------------------------------------


@given(PARAMETERS, st.lists(st.integers(1, 3_000), max_size=60))
def test_contributions_are_the_rate_times_the_wagers_within_one_unit_in_all(
    parameters: Parameters, wagers: list[int]
) -> None:
    meter = opened("m", replace(parameters, unreasonable_cents=3_000))
    after = raised(meter, *wagers)
    exact = Fraction(*parameters.rate) * sum(wagers) * UNITS
    assert 0 <= exact - after.main.units < 1
    assert exact - after.main.units == Fraction(after.main.owed, after.main.over)
    assert 0 <= Fraction(*parameters.hidden_rate) * sum(wagers) * UNITS - after.hidden.units < 1
    assert after.current_units == meter.current_units + after.main.units
    assert after.wagers == len(wagers)


@given(PARAMETERS, PARAMETERS, st.lists(st.integers(1, 50)), st.lists(st.integers(1, 50)))
def test_a_new_rate_drops_nothing_that_the_old_one_owed(
    old: Parameters, new: Parameters, before: list[int], after: list[int]
) -> None:
    meter = raised(raised(opened("m", old), *before).with_queued_parameters(new), *after)
    exact = (Fraction(*old.rate) * sum(before) + Fraction(*new.rate) * sum(after)) * UNITS
    assert 0 <= exact - meter.main.units < 1
    assert meter.main.over <= old.rate[1] * new.rate[1]


@given(PARAMETERS, st.integers(-100, 10**12))
def test_what_no_wager_can_be_is_not_counted(parameters: Parameters, cents: int) -> None:
    meter = opened("m", parameters)
    given_ = meter.after_wager(cents)
    most = parameters.unreasonable_cents * UNITS
    if isinstance(given_, Unreasonable):
        assert cents <= 0 or given_.units > most
    else:
        assert cents > 0
        assert given_.units + given_.hidden_units <= most


# --- awards --------------------------------------------------------------------------------------------


@given(st.integers(0, 10**9), st.integers(0, 10**6), WINNERS, st.booleans())
def test_in_whole_cents_it_is_the_linked_meter_of_a_scripted_round(
    cents: int, reset_cents: int, shares: dict[int, tuple[int, int]], shared: bool
) -> None:
    winners = [Winner(spot, share) for spot, share in shares.items()]
    expected, after = linked_awards(StatedPooledMeter(cents, reset_cents), winners, shared=shared)
    won, meter = pay_winners(
        opened("m", replace(PLAIN, base_cents=cents, reset_cents=reset_cents)), winners, shared=shared
    )
    assert {one.spot: one.cents for one in won} == expected
    assert meter.current_units == after.meter_cents * UNITS
    assert meter.hits == len(winners)


def test_the_highest_spot_is_evaluated_first_and_a_tenth_lowers_the_meter_for_the_next() -> None:
    won, meter = pay_winners(opened("m", PLAIN), [Winner(2, (1, 10)), Winner(5, (1, 10))], shared=True)
    assert [(one.spot, one.cents, one.shown_cents) for one in won] == [(5, 10_000, 100_000), (2, 9_000, 90_000)]
    assert meter.shown_cents() == 81_000


def test_two_who_win_the_whole_meter_share_it_or_the_second_finds_the_reset_value() -> None:
    winners = [Winner(2, (1, 1)), Winner(5, (1, 1))]
    meter = raised(opened("m", PLAIN), 500)
    shared, after = pay_winners(meter, winners, shared=True)
    assert [(one.spot, one.cents) for one in shared] == [(5, 50_042), (2, 50_042)]
    assert after.current_units == 50_001 * UNITS
    in_turn, after = pay_winners(meter, winners, shared=False)
    assert [(one.spot, one.cents, one.resets) for one in in_turn] == [(5, 100_085, 1), (2, 50_000, 2)]
    assert after.current_units == 50_000 * UNITS


def test_winners_in_the_order_of_evaluation() -> None:
    winners = [Winner(1, (1, 1)), Winner(3, (1, 10)), Winner(6, (1, 1))]
    assert [take.spots for take in awards_in_order(winners, shared=True)] == [(3,), (6, 1)]
    assert [take.spots for take in awards_in_order(winners, shared=False)] == [(6,), (3,), (1,)]


def test_overflow_is_not_shown_not_won_and_carried_into_the_next_meter() -> None:
    parameters = replace(PLAIN, base_cents=99_900, limit_cents=100_000)
    meter = raised(opened("m", parameters), 500, 500)
    assert (meter.current_units, meter.shown_cents()) == (100_070 * UNITS, 100_000)
    assert meter.overflow_units() == 70 * UNITS
    (won,), after = pay_winners(meter, [Winner(1, (1, 1))], shared=True)
    assert won.cents == 100_000
    assert after.current_units == 50_070 * UNITS


def test_parts_of_a_cent_are_carried_over_a_jackpot() -> None:
    meter = raised(opened("m", replace(PLAIN, rate=(1, 3))), 100)
    assert meter.current_units == 100_033 * UNITS + 3_333
    (won,), after = pay_winners(meter, [Winner(1, (1, 1))], shared=True)
    assert won.cents == 100_033
    assert after.current_units == 50_000 * UNITS + 3_333


def test_the_reserve_pays_the_reset_value_before_the_house_does() -> None:
    meter = raised(opened("m", replace(PLAIN, hidden_rate=(1, 2), reset_cents=400)), 500)
    assert meter.reserve_units == 250 * UNITS
    after = meter.after_award(meter.shown_cents()).after_reset()
    assert (after.moved_units, after.funded_units - meter.funded_units) == (250 * UNITS, 150 * UNITS)
    assert after.reserve_units == 0


def test_more_than_a_meter_shows_cannot_be_awarded() -> None:
    with pytest.raises(AssertionError, match="shows 100000 cents"):
        opened("m", PLAIN).after_award(100_001)


def test_a_meter_whose_accounts_were_touched_pays_nothing() -> None:
    meter = raised(opened("m", PLAIN), 500)
    for field in ("current_units", "reserve_units", "funded_units", "won_units", "moved_units", "raised_units"):
        with pytest.raises(AssertionError, match="meter m"):
            replace(meter, **{field: getattr(meter, field) + 1}).after_award(1)
    with pytest.raises(AssertionError, match="rate times the wagers"):
        raised(replace(meter, main=replace(meter.main, cents=meter.main.cents + 1)), 500)


# --- refused awards ------------------------------------------------------------------------------------


def test_a_refused_jackpot_is_put_back_and_its_reset_value_recovered() -> None:
    meter = raised(opened("m", replace(PLAIN, hidden_rate=(3, 100))), 500, 500)
    (won,), hit = pay_winners(meter, [Winner(4, (1, 1))], shared=True)
    on = raised(hit, 500)
    back, recovered = on.after_return(won.cents, won.resets)
    assert recovered == (50_000 * UNITS - 30 * UNITS, 30 * UNITS)
    assert back.current_units == raised(meter, 500).current_units
    assert back.reserve_units == raised(meter, 500).reserve_units


def test_after_the_next_jackpot_the_reset_value_of_a_refused_one_stays_in() -> None:
    (first,), meter = pay_winners(opened("m", PLAIN), [Winner(4, (1, 1))], shared=True)
    _, meter = pay_winners(meter, [Winner(4, (1, 1))], shared=True)
    back, recovered = meter.after_return(first.cents, first.resets)
    assert (back.current_units, recovered) == (150_000 * UNITS, (0, 0))


def test_a_part_that_was_refused_is_put_back_alone() -> None:
    (won,), meter = pay_winners(opened("m", PLAIN), [Winner(4, (1, 10))], shared=True)
    back, recovered = meter.after_return(won.cents, won.resets)
    assert (back.current_units, recovered) == (100_000 * UNITS, (0, 0))


def test_a_jackpot_is_verified_by_one_person_and_paid_by_another() -> None:
    hit = Jackpot(1, "m", 12, 3, "blazing7s", "three_diamonds", 123_456, 1)
    verified = hit.verified("A. Ames")
    assert isinstance(verified, Jackpot)
    assert why(verified.verified("B. Bell")) == "jackpot 1 is verified"
    assert why(verified.paid(" a.  AMES")) == "A. Ames verified jackpot 1; another person must say that it is paid"
    assert why(hit.paid("B. Bell")) == "jackpot 1 is pending; what is paid must be verified first"
    paid = verified.paid("B. Bell")
    assert isinstance(paid, Jackpot)
    assert (paid.standing, paid.cents) == (AwardStatus.PAID, 123_456)
    assert why(paid.refused("C. Cole")) == "jackpot 1 is paid"


# --- people --------------------------------------------------------------------------------------------


def test_a_meter_goes_down_for_the_listed_reasons_only() -> None:
    meter = raised(opened("m", replace(PLAIN, base_cents=99_900, limit_cents=100_000)), 500, 500)
    assert why(meter.after_adjustment("meter", -1, "funding")) == f"a meter goes down for {', '.join(FELL)} only"
    assert moved(meter, "meter", -70 * UNITS, "over_limit_correction").current_units == 100_000 * UNITS
    assert (
        why(meter.after_adjustment("meter", -71 * UNITS, "over_limit_correction"))
        == "only 700000 units lie above the limit"
    )
    assert moved(meter, "meter", -99_900 * UNITS, "seed_recovery").current_units == 170 * UNITS
    assert (
        why(meter.after_adjustment("meter", -99_901 * UNITS, "seed_recovery")) == "the house has 999000000 units in it"
    )
    assert moved(meter, "meter", -1, "equipment_correction").lowered_units == 1
    assert moved(meter, "meter", 5, "equipment_correction").raised_units == 5
    assert moved(meter, "meter", 5, "funding").funded_units == meter.funded_units + 5
    assert (
        why(meter.after_adjustment("meter", 5, "seed_recovery"))
        == "a meter is raised for funding or equipment_correction only"
    )
    assert why(meter.after_adjustment("meter", 0, "funding")) == "nothing is to be moved"
    assert why(meter.after_adjustment("reserve", 5, "funding")) == "a reserve is moved for equipment_correction only"
    assert why(meter.after_adjustment("reserve", -5, "equipment_correction")) == (
        "there is not so much in the reserve: it stands at 0 units"
    )
    assert moved(meter, "reserve", 7, "equipment_correction").reserve_units == 7
    assert why(meter.after_adjustment("meter", 10**19, "funding")) == "no meter holds so much"


def test_parameters_wait_for_the_jackpot_once_anything_was_contributed() -> None:
    new = replace(PLAIN, reset_cents=70_000, rate=(1, 7))
    assert opened("m", PLAIN).with_parameters(new).parameters == new
    meter = raised(opened("m", PLAIN), 500).with_parameters(new)
    assert (meter.parameters, meter.queued) == (PLAIN, new)
    meter = meter.after_award(meter.shown_cents()).after_reset()
    assert (meter.parameters, meter.queued, meter.shown_cents()) == (new, None, 70_000)


WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a rate above the whole": ({"rate": (2, 1)}, "rate"),
    "a rate of nothing": ({"rate": (0, 1)}, "rate"),
    "a rate out of nothing": ({"rate": (0, 0)}, "rate"),
    "rates above the whole": ({"rate": (6, 10), "hidden_rate": (5, 10)}, "hidden_rate"),
    "no bound": ({"unreasonable_cents": 0}, "unreasonable_cents"),
    "a limit below the base": ({"limit_cents": 100_000}, "limit_cents"),
    "a base below nothing": ({"base_cents": -1}, "base_cents"),
    "fifteen digits": ({"reset_cents": 10**14}, "reset_cents"),
}


@pytest.mark.parametrize("name", WRONG)
def test_parameters_no_meter_can_run_on(name: str) -> None:
    fields, key = WRONG[name]
    assert key in [found for found, _ in replace(PLAIN, **fields).mistakes()]
    assert PLAIN.mistakes() == []


# --- its life ------------------------------------------------------------------------------------------


class MeterLife(RuleBasedStateMachine):
    """Any steps in any order: the accounts agree after each, and a meter falls for a listed reason or not at all."""

    def __init__(self) -> None:
        super().__init__()
        self.meter = opened("m", replace(PLAIN, limit_cents=150_000, hidden_rate=(3, 100)))
        self.exact = Fraction(0)
        self.paid_cents = 0
        self.open: list[tuple[int, int | None]] = []
        self.hits = 0

    @rule(cents=st.integers(-1, 20_000))
    def wager(self, cents: int) -> None:
        given_ = self.meter.after_wager(cents)
        if isinstance(given_, MeterContribution):
            assert given_.meter.current_units >= self.meter.current_units
            self.exact += Fraction(*self.meter.parameters.rate) * cents * UNITS
            self.meter = given_.meter

    @rule(shares=WINNERS, shared=st.booleans())
    def hit(self, shares: dict[int, tuple[int, int]], shared: bool) -> None:
        winners = [Winner(spot, share) for spot, share in shares.items()]
        limit = max(self.meter.parameters.limit_cents, (self.meter.queued or self.meter.parameters).limit_cents)
        unlimited = not self.meter.parameters.limit_cents or (
            self.meter.queued is not None and not self.meter.queued.limit_cents
        )
        won, self.meter = pay_winners(self.meter, winners, shared=shared)
        self.hits += len(won)
        self.paid_cents += sum(one.cents for one in won)
        self.open += [(one.cents, one.resets) for one in won]
        assert all(one.cents <= one.shown_cents for one in won)
        assert unlimited or all(one.shown_cents <= limit for one in won)

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def refuse(self, data: st.DataObject) -> None:
        cents, resets = self.open.pop(data.draw(st.integers(0, len(self.open) - 1)))
        self.meter, recovered = self.meter.after_return(cents, resets)
        self.paid_cents -= cents
        assert min(recovered) >= 0

    @rule(
        pool=st.sampled_from(["meter", "reserve"]),
        units=st.integers(-(10**9), 10**9),
        reason=st.sampled_from(["funding", "equipment_correction", "over_limit_correction", "seed_recovery"]),
    )
    def adjust(self, pool: MeterPart, units: int, reason: AdjustmentReason) -> None:
        after = self.meter.after_adjustment(pool, units, reason)
        if isinstance(after, RefusalReason):
            return
        assert units > 0 or reason in FELL
        self.meter = after

    @rule(parameters=PARAMETERS)
    def change(self, parameters: Parameters) -> None:
        in_force_before = self.meter.parameters
        self.meter = self.meter.with_parameters(parameters)
        assert not self.meter.touched or self.meter.parameters == in_force_before

    @invariant()
    def the_accounts_agree(self) -> None:
        meter = self.meter.audited()
        assert 0 <= self.exact - meter.main.units < 1
        assert meter.won_units - meter.returned_units == self.paid_cents * UNITS
        assert meter.hits == self.hits
        assert meter.shown_cents() * UNITS + meter.overflow_units() <= meter.current_units + UNITS


TestMeterLife = MeterLife.TestCase
TestMeterLife.settings = settings(max_examples=60, stateful_step_count=40)
