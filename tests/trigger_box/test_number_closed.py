"""What a box drew is revealed by nothing before it is reached: not on its line, whatever is said, nor by its table."""

from __future__ import annotations

from random import Random

import pytest

from firmware_protocols.trigger_messages import UNITS_PER_CENT
from tests.trigger_box.number_rounds import (
    Asked,
    assert_number_closed,
    assert_table_reveals_no_number,
    random_case,
)


def test_nobody_on_its_line_learns_the_number_by_asking() -> None:
    rng = Random(1)
    counted = sum(assert_number_closed(random_case(rng)) for _ in range(150))
    assert counted > 500


def test_a_contribution_that_reaches_it_reveals_it() -> None:
    """That the test above can fail: the same commands, past the lower trigger."""
    with pytest.raises(AssertionError):
        assert_number_closed(Asked(1, (1, 2), commands=5000), beyond_units=20_000 * UNITS_PER_CENT)


def test_no_event_and_no_picture_of_a_table_depends_on_the_number_before_it_is_reached() -> None:
    assert min(assert_table_reveals_no_number((seed, seed + 1), rounds=6) for seed in range(4)) >= 6


def test_the_hit_reveals_it() -> None:
    with pytest.raises(AssertionError):
        assert_table_reveals_no_number((1, 2), rounds=40, until_hit=False)
