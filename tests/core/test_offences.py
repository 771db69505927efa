"""Offences planted at human timing: a small part of ``make campaign-offences``, in seconds."""

from __future__ import annotations

import pytest

from bench.house_offences import SETTINGS, Committed
from bench.offences import Timed, clean, is_findable, plant, rig_of, rounds_of
from bench.opening_offences import plant_openings
from tests.core.human import HumanRig


@pytest.mark.parametrize("kind", [kind for kind in SETTINGS if kind != "insurance_too_large"])
def test_what_can_be_found_is_found(kind: str) -> None:
    found = plant(kind, 4, seed=7)
    assert found.planted == 4
    assert found.findable == found.found == 4


def test_too_much_insurance_is_found() -> None:
    found = plant("insurance_too_large", 1, seed=7)
    assert (found.planted, found.found) == (1, 1)


@pytest.mark.parametrize("kind", ["cards_missing", "sensor_disagrees", "device_swapped", "wager_outside_limits"])
def test_honest_people_raise_nothing_at_the_houses_where_it_is_planted(kind: str) -> None:
    assert clean(15, seed=3, kind=kind)["false_alarms"] == {}


@pytest.mark.parametrize("cycle_ms", [350, 450])
def test_honest_people_raise_nothing_at_their_own_pace(cycle_ms: int) -> None:
    assert clean(40, seed=11, cycle_ms=cycle_ms)["false_alarms"] == {}


def test_a_card_opened_as_another_is_found_and_a_true_opening_is_none() -> None:
    rig, rack = rig_of(3, 350, SETTINGS["capping"])
    score = plant_openings(rig, rounds_of(rack, 3, (2, 4), SETTINGS["capping"]), 5, seed=3)
    assert (score["found"], score["false_alarms"]) == (5, 0)


def test_a_chip_that_nobody_looked_at_twice_is_not_findable() -> None:
    rig, _ = rig_of(1, 350, SETTINGS["capping"])
    assert isinstance(rig, HumanRig)
    unseen = Committed([], 1, "main", 0)
    assert not is_findable(rig, "capping", unseen, Timed(rig.now_ns, 0))
