"""Checkpoints: one after each round, and a large one no oftener than its size is worth."""

from __future__ import annotations

import pytest

from controller.daemon.checkpoint_pace import CHECKPOINT_READINGS, RECORD_BYTES, SMALL_STATE_BYTES, CheckpointPace

ROUND, NIGHT = 80, 80 * 600
"""Readings of a round at seven boxes, and of a night of them."""


def taken(state_bytes: int) -> int:
    """How many checkpoints a night has whose state takes so much."""
    pace, count = CheckpointPace(0), 0
    for number in range(1, NIGHT + 1):
        if pace.is_due(number, round_over=number % ROUND == 0):
            pace.take(number, state_bytes)
            count += 1
    return count


def test_a_table_has_one_after_each_round() -> None:
    assert taken(SMALL_STATE_BYTES) == NIGHT // ROUND


@pytest.mark.parametrize("slips", [5_000, 20_000, 100_000])
def test_however_many_slips_it_remembers_they_weigh_no_more_than_the_readings(slips: int) -> None:
    state_bytes = 164 * slips
    records = NIGHT * RECORD_BYTES
    assert records / 3 < taken(state_bytes) * (state_bytes - SMALL_STATE_BYTES) <= records + state_bytes


def test_a_round_without_end_has_them_too() -> None:
    pace = CheckpointPace(7)
    assert not pace.is_due(7 + CHECKPOINT_READINGS - 1, round_over=False)
    assert pace.is_due(7 + CHECKPOINT_READINGS, round_over=False)
