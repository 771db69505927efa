"""Meters in one round: nothing is paid that was not there, and what is left over is carried."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from controller.core.analysis.stated_meters import StatedMystery, StatedPooledMeter, linked_awards, mystery_awards
from controller.core.game.rules import Rules
from controller.core.meters.awards import Winner

RULES = Rules(name="a table")
WINNERS = st.dictionaries(st.integers(1, 7), st.sampled_from([(1, 1), (1, 10), (1, 3)]), max_size=7)


@given(st.integers(0, 10**9), st.integers(0, 10**6), WINNERS, st.booleans())
def test_the_linked_meter_loses_what_it_pays(
    meter: int, reset: int, shares: dict[int, tuple[int, int]], shared: bool
) -> None:
    winners = [Winner(spot, share) for spot, share in shares.items()]
    awards, after = linked_awards(StatedPooledMeter(meter, reset), winners, shared=shared)
    assert set(awards) == set(shares)
    assert all(cents >= 0 for cents in awards.values())
    resets = sum(share == (1, 1) for share in shares.values())
    if shared:
        resets = min(resets, 1)
    assert meter + resets * reset == sum(awards.values()) + after.meter_cents
    assert after.reset_cents == reset


def test_a_tenth_after_the_whole_is_a_tenth_of_the_reset_value() -> None:
    awards, after = linked_awards(
        StatedPooledMeter(1_000_000, 200_000), [Winner(3, (1, 10)), Winner(6, (1, 1))], shared=True
    )
    assert awards == {6: 1_000_000, 3: 20_000}
    assert after.meter_cents == 180_000


def test_three_who_share_leave_the_odd_cent_in_the_meter() -> None:
    awards, after = linked_awards(StatedPooledMeter(100, 7), [Winner(spot, (1, 1)) for spot in (1, 2, 5)], shared=True)
    assert awards == {1: 33, 2: 33, 5: 33}
    assert after.meter_cents == 8


@given(st.integers(25_000, 99_999), st.integers(1, 30_000), st.integers(25_000, 99_999), st.sets(st.integers(1, 7)))
def test_the_mystery_meter_loses_what_it_pays(meter: int, step: int, trigger: int, spots: set[int]) -> None:
    wagers = [(spot, "five_card_progressive") for spot in spots]
    awards, after = mystery_awards(RULES, StatedMystery(meter, step, trigger, 99_999), wagers)
    assert meter + step * len(wagers) + 25_000 * len(awards) == sum(awards.values()) + after.meter_cents
    assert all(cents <= 100_000 for cents in awards.values())
    assert after.trigger_cents == (99_999 if awards else trigger)


def test_wagers_raise_the_mystery_meter_in_spot_order() -> None:
    wagers = [(5, "a"), (2, "a"), (3, "a")]
    awards, after = mystery_awards(RULES, StatedMystery(30_000, 10, 30_015, 25_015), wagers)
    assert awards == {(3, "a"): 30_020}
    assert after == StatedMystery(25_010, 10, 25_015, 25_015)


def test_a_meter_may_be_hit_twice_in_one_round() -> None:
    awards, after = mystery_awards(RULES, StatedMystery(30_000, 10, 30_000, 25_005), [(1, "a"), (2, "a")])
    assert awards == {(1, "a"): 30_010, (2, "a"): 25_010}
    assert after.meter_cents == 25_000


def test_the_bonus_is_paid_at_the_ceiling_whatever_number_is_given() -> None:
    ceiling = RULES.mystery_ceiling_cents
    awards, after = mystery_awards(RULES, StatedMystery(ceiling - 10, 10, ceiling, 30_000), [(1, "a")])
    assert (awards, after.meter_cents) == ({(1, "a"): ceiling}, RULES.mystery_reset_cents)
    awards, _ = mystery_awards(RULES, StatedMystery(ceiling - 20, 10, ceiling, 30_000), [(1, "a")])
    assert awards == {}
