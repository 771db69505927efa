"""Naturals and side wagers that a card has settled before play: what is reported when they were not."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.io.files import profile_files
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.alerting import raised
from tests.core.rig import Rig

HOUSES = ("hollywood-penn-national", "hollywood-perryville")
NATURAL = "1 main 10 \n 2 main 10 \n key no_more_bets \n Ah 5h 7c Kd 6d Tc"
LADIES = "1 main 10 \n 1 lucky_ladies 5 \n key no_more_bets \n Th 7c Kd Tc"


def rules_of(house: str, **more: Any) -> Rules:
    rules = profile_files.load(house).rules
    return replace(rules, options=replace(rules.options, stand_key="always"), **more)


def late(rig: Rig) -> list[tuple[int | None, str | None]]:
    """The spots and zones it was reported of."""
    return [(one.spot, one.zone) for one in of_procedure(rig)]


def of_procedure(rig: Rig) -> list[AlertRaised]:
    return [one for one in raised(rig) if one.kind is AlertKind.PROCEDURE_LATE]


@pytest.mark.parametrize("house", HOUSES)
def test_a_card_before_a_natural_is_paid_is_reported(house: str) -> None:
    rig = Rig(rules_of(house))
    rig.talk(NATURAL + " \n key hit")
    assert late(rig) == []
    rig.talk("2c")
    (alert,) = of_procedure(rig)
    assert (alert.spot, alert.zone, alert.severity) == (1, "main", Severity.NOTICE)
    rig.talk("1 main 25 \n 3c \n key stand hole_turned")
    assert late(rig) == [(1, "main")]


@pytest.mark.parametrize("house", HOUSES)
def test_a_natural_that_is_paid_first_is_not(house: str) -> None:
    rig = Rig(rules_of(house))
    rig.talk(NATURAL + " \n 1 main 25 \n 1 main 0 \n key hit \n 2c \n key stand hole_turned")
    assert late(rig) == []


@pytest.mark.parametrize("house", HOUSES)
def test_play_before_a_side_wager_is_settled_is_reported(house: str) -> None:
    rig = Rig(rules_of(house))
    rig.talk(LADIES + " \n key stand")
    assert late(rig) == [(1, "lucky_ladies")]
    paid = Rig(rules_of(house))
    paid.talk(LADIES + " \n 1 lucky_ladies 25 \n 1 lucky_ladies 0 \n key stand hole_turned")
    assert late(paid) == []


@pytest.mark.parametrize("house", ["borgata", "classic-shoe-and-pitch", "pitch-h17"])
def test_a_card_that_sets_no_order_has_none_reported(house: str) -> None:
    rig = Rig(rules_of(house))
    rig.talk(NATURAL + " \n key hit \n 2c \n key stand hole_turned")
    assert late(rig) == []


@pytest.mark.parametrize("up", ["Tc", "As"])
def test_a_natural_that_waits_for_the_hole_card_is_not_late(up: str) -> None:
    rig = Rig(rules_of("hollywood-penn-national"))
    rig.talk(NATURAL.replace("7c", up).replace("Tc", "9c", up == "As") + " \n key hit \n 2c \n key stand hole_turned")
    assert late(rig) == []


def test_chips_that_a_reader_may_have_missed_are_not() -> None:
    rig = Rig(rules_of("hollywood-penn-national"))
    rig.talk(NATURAL)
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns))
    rig.talk("key hit \n 2c \n key stand hole_turned")
    assert late(rig) == []


def test_a_win_that_the_aggregate_limit_may_lower_is_not_known_before_play() -> None:
    rig = Rig(rules_of("hollywood-penn-national", aggregate_limit_cents=2000))
    rig.talk(LADIES + " \n key stand hole_turned")
    assert late(rig) == []
