"""The laws of corrections, over a few nights; ``make campaign-corrections`` tries as many as there is time for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.core.alerts import FloorRefused
from controller.core.events import WagerAdjusted
from controller.core.floor_events import CardSet
from tests.core import nights

SEEDS = (*range(8), 113, 133)
"""The last two left a wager settled that only a wrong name of a card had made certain."""


@pytest.mark.parametrize("law", nights.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_night_obeys_the_law(seed: int, law: Callable[[int], None]) -> None:
    law(seed)


def test_the_nights_are_full_of_corrections() -> None:
    told = [event for seed in SEEDS for event in nights.corrected(seed).events]
    assert sum(isinstance(event, CardSet) for event in told) > 20
    assert any(isinstance(event, WagerAdjusted) for event in told)
    assert not any(isinstance(event, FloorRefused) for event in told)
