"""Chips that pass over a wager: nothing of them stays, and no chip is at two places."""

from __future__ import annotations

from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Act, Lay
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.passed_chips import with_chips_passed
from simulators.people.rack import Rack
from tests.simulators.nights import worth_at_ends


def acts_of(seed: int, per_mille: int, rounds: int = 8) -> tuple[list[Act], Rack, list[int]]:
    """A night's acts, its rack and the spots that chips passed over."""
    rack, touched = Rack(), list[int]()
    acts = play(House(), Random(seed), rack, (1, 4), rounds=rounds, stand_key="never")
    return list(with_chips_passed(acts, Random(~seed), rack, per_mille, touched)), rack, touched


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_no_chip_lies_at_two_places_and_rounds_end_with_what_the_script_has(seed: int) -> None:
    passed, _, _ = acts_of(seed, 300)
    plain, _, touched = acts_of(seed, 0)
    assert touched == []
    assert worth_at_ends(passed) == worth_at_ends(plain)


def test_less_as_much_and_more_than_a_wager_pass_over_it() -> None:
    acts, rack, touched = acts_of(3, 300, rounds=40)
    assert len(touched) > 20
    lays = [act for act in acts if isinstance(act, Lay)]
    over = [
        (rack.value_cents(came.chips) - rack.value_cents(lay.chips), rack.value_cents(lay.chips))
        for came, lay in pairwise(lays)
        if came.spot == lay.spot and came.zone == lay.zone and set(came.chips) > set(lay.chips) and lay.chips
    ]
    assert {came < wager for came, wager in over} == {True, False}
    assert any(came == 2 * wager for came, wager in over)
