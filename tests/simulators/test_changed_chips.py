"""People who change chips in play: what lies there comes to the same, and no chip is at two places."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Act, Lay
from simulators.people.changed_chips import with_chips_changed
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.rack import Rack
from tests.simulators.nights import worth_at_ends


def acts_of(seed: int, per_mille: int, rounds: int = 8) -> tuple[list[Act], Rack, list[int]]:
    """A night's acts, its rack and the spots whose wagers were changed."""
    rack, touched = Rack(), list[int]()
    acts = play(House(), Random(seed), rack, (1, 4), rounds=rounds, stand_key="never")
    return list(with_chips_changed(acts, Random(~seed), rack, per_mille, touched)), rack, touched


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_no_chip_lies_at_two_places_and_rounds_end_with_what_the_script_has(seed: int) -> None:
    changed, _, _ = acts_of(seed, 300)
    plain, _, touched = acts_of(seed, 0)
    assert touched == []
    assert worth_at_ends(changed) == worth_at_ends(plain)


def test_wagers_are_changed_and_doubles_laid_too_large() -> None:
    changed, _, touched = acts_of(3, 300, rounds=40)
    plain, _, _ = acts_of(3, 0, rounds=40)
    assert len(touched) > 20
    lays = [act for act in changed if isinstance(act, Lay)]
    too_large = len(lays) - len([act for act in plain if isinstance(act, Lay)]) - 2 * len(touched)
    assert too_large > 0
