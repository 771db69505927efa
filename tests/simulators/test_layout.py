"""Chips on zones and sensors: who sees them, and how often they were looked at."""

from __future__ import annotations

import pytest

from firmware_protocols.bet_sensors import modbus_rtu
from firmware_protocols.bet_spots import feig_obid
from firmware_protocols.codec import LineEnd
from firmware_protocols.sensor_messages import ReadSensors
from simulators.devices.bet_sensors import BetSensorsSimulator
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.people.layout import Layout, SensedBet

COIN = ("E004010000000001",)
ZONES: dict[tuple[int, int | None], tuple[int, str]] = {(1, 1): (1, "main"), (1, 2): (1, "bonus")}


def layout() -> tuple[Layout, BetSensorsSimulator]:
    """Main of spot 1 is read, its bonus read and sensed, that of spot 2 sensed."""
    unit = BetSensorsSimulator(modbus_rtu.CODEC)
    readers = BetSpotsSimulator(feig_obid.CODEC, ZONES)
    return Layout(readers, (SensedBet(unit, "bonus", (2, 1)),)), unit


def look(unit: BetSensorsSimulator) -> None:
    unit.receive(modbus_rtu.CODEC.open(LineEnd.HOST).encode(ReadSensors(1)))


def test_a_coin_covers_the_sensor_of_its_spot_until_it_is_taken() -> None:
    made, unit = layout()
    made.lay(2, "bonus", COIN)
    assert (unit.covered, made.content(2, "bonus")) == ({1}, COIN)
    made.lay(2, "bonus", ())
    assert (unit.covered, made.content(2, "bonus")) == (set(), ())


def test_both_see_what_lies_where_both_look() -> None:
    made, unit = layout()
    made.lay(1, "bonus", COIN)
    assert unit.covered == {2}
    assert made.places == ((1, "main"), (1, "bonus"), (2, "bonus"))
    look(unit)
    assert (made.inventories(1, "bonus"), made.inventories(2, "bonus")) == (0, 1)


def test_looks_since_the_last_change_are_counted() -> None:
    made, unit = layout()
    look(unit)
    made.lay(2, "bonus", COIN)
    assert made.steady(2, "bonus") == 0
    look(unit)
    look(unit)
    assert (made.steady(2, "bonus"), made.inventories(2, "bonus")) == (2, 3)


def test_where_nobody_looks_nothing_can_be_laid() -> None:
    made, _ = layout()
    with pytest.raises(ValueError, match="spot 3"):
        made.lay(3, "main", COIN)
    with pytest.raises(ValueError, match="spot 3"):
        made.steady(3, "main")
