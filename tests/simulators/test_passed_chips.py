"""Chips that pass over a wager: nothing of them stays, and no chip is at two places."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Lay
from simulators.people.passed_chips import with_chips_passed
from tests.simulators.nights import assert_rounds_end_as_without, touched_night


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_no_chip_lies_at_two_places_and_rounds_end_with_what_the_script_has(seed: int) -> None:
    assert_rounds_end_as_without(with_chips_passed, seed)


def test_less_as_much_and_more_than_a_wager_pass_over_it() -> None:
    acts, rack, touched = touched_night(with_chips_passed, 3, 300, rounds=40)
    assert len(touched) > 20
    lays = [act for act in acts if isinstance(act, Lay)]
    over = [
        (rack.value_cents(came.chips) - rack.value_cents(lay.chips), rack.value_cents(lay.chips))
        for came, lay in pairwise(lays)
        if came.spot == lay.spot and came.zone == lay.zone and set(came.chips) > set(lay.chips) and lay.chips
    ]
    assert {came < wager for came, wager in over} == {True, False}
    assert any(came == 2 * wager for came, wager in over)
