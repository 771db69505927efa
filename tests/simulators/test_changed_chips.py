"""People who change chips in play: what lies there comes to the same, and no chip is at two places."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from simulators.people.acts import Lay
from simulators.people.changed_chips import with_chips_changed
from tests.simulators.nights import assert_rounds_end_as_without, touched_night


@settings(max_examples=30)
@given(st.integers(0, 2**32))
def test_no_chip_lies_at_two_places_and_rounds_end_with_what_the_script_has(seed: int) -> None:
    assert_rounds_end_as_without(with_chips_changed, seed)


def test_wagers_are_changed_and_doubles_laid_too_large() -> None:
    changed, _, touched = touched_night(with_chips_changed, 3, 300, rounds=40)
    plain, _, _ = touched_night(with_chips_changed, 3, 0, rounds=40)
    assert len(touched) > 20
    lays = [act for act in changed if isinstance(act, Lay)]
    too_large = len(lays) - len([act for act in plain if isinstance(act, Lay)]) - 2 * len(touched)
    assert too_large > 0
