"""The laws of corrections, over a few nights; ``make campaign-corrections`` tries as many as there is time for."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.core.messages.alerts import CardsMayBeMissing, OrderRefused
from controller.core.messages.events import DeviceStatusChanged, WagerAdjusted
from controller.core.messages.floor_events import CardSet
from controller.core.messages.meter_events import ContributionMade
from controller.core.messages.pool_events import ContributionPosted
from tests.core import nights
from tests.core.full_nights import FullNight

SEEDS = (*range(8), 113, 133)
"""The last two left a wager settled that only a wrong name of a card had made certain."""
FULL = (0, 3, 9, 11, 710_073)
"""At the ninth and the last a reader was lost after the cards had ended every offer: insurance, and what the aggregate
limit holds, stay as they were settled."""


@pytest.mark.parametrize("law", nights.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_night_obeys_the_law(seed: int, law: Callable[[int], None]) -> None:
    law(seed)


@pytest.mark.parametrize("law", nights.LAWS, ids=lambda law: law.__name__)
@pytest.mark.parametrize("seed", FULL)
def test_a_night_at_a_full_table_obeys_the_law(seed: int, law: Callable[..., None]) -> None:
    law(seed, FullNight)


def test_full_tables_have_meters_limits_lost_readers_restarts_and_cards_face_down() -> None:
    tables = [FullNight(seed) for seed in range(60)]
    assert {one.rules.player_cards for one in tables} == {"face_up", "face_down"}
    assert {bool(one.rules.aggregate_limit_cents) for one in tables} == {True, False}
    events = [event for seed in FULL for event in nights.played(FullNight(seed), nights.untouched).events]
    kinds = {type(event) for event in events}
    assert kinds >= {ContributionMade, ContributionPosted, DeviceStatusChanged, CardsMayBeMissing}


def test_the_nights_are_full_of_corrections() -> None:
    events = [event for seed in SEEDS for event in nights.corrected(seed).events]
    assert sum(isinstance(event, CardSet) for event in events) > 20
    assert any(isinstance(event, WagerAdjusted) for event in events)
    assert not any(isinstance(event, OrderRefused) for event in events)
