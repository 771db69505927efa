"""A side wager that only bet sensors see, from the coin on a simulated sensor to the settlement a broker delivers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.core.messages.events import BettingClosed, DeviceStatusChanged, RoundClosed
from controller.core.messages.meter_events import ContributionMade, MeterReopened
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.demo.table import devices
from controller.io.mqtt.connection import Broker
from firmware_protocols.bet_sensors import modbus_rtu
from simulators.devices.bet_sensors import BetSensorsSimulator
from simulators.people.layout import SensedBet
from tests.wiring.premises import PATIENCE_S, Bench, Ear, Premises, open_house, ran

BET = "blazing7s"
SPOTS = (1, 2, 3)
SECTIONS = """
[[meters]]
name = "sevens"
fed_by = ["blazing7s"]
rate = [17, 100]
base_cents = 1000000
reset_cents = 1000000
unreasonable_cents = 200

[[bet_sensors]]
protocol = "modbus_rtu"
port = "{ports}/sensors"
bet = "blazing7s"
spots = [1, 2, 3]
"""


class SensedTable(Premises):
    """A table whose Blazing 7's lies on sensors alone."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        self.unit = BetSensorsSimulator(modbus_rtu.CODEC)
        given = {**devices(), "beside": {"sensors": self.unit}, "sensed": (SensedBet(self.unit, BET, SPOTS),)}
        self.bench = Bench(directory / "ports", patience_s=PATIENCE_S, **given)
        with self.table_file.open("a", encoding="utf-8") as table:
            table.write(SECTIONS.format(ports=directory / "ports"))


@pytest.fixture
async def table(tmp_path: Path, broker: Broker) -> AsyncIterator[SensedTable]:
    async with open_house(tmp_path, broker, SensedTable) as premises:
        assert isinstance(premises, SensedTable)
        await premises.ear.event(MeterReopened, meter="sevens")
        yield premises


def locked(ear: Ear, number: int) -> dict[int, int]:
    """Blazing 7's wagers of a round, as published."""
    (event,) = [one for one in ear.events(BettingClosed) if one.round == number]
    return {one.spot: one.cents for one in event.wagers if one.bet == BET}


async def test_coins_on_sensors_are_wagers_that_contribute_and_are_settled(table: SensedTable) -> None:
    ear, unit = table.ear, table.unit
    await table.talk(f"1 main 25\n2 main 10\n1 {BET} 5\n2 {BET} 5\nno_more_bets")
    await ear.event(BettingClosed, round=1)
    assert locked(ear, 1) == {1: 500, 2: 500}
    assert await table.bench.until(lambda: unit.lamps == {1, 2})
    assert unit.locked
    await table.talk("7h\n9c\n8d\nTd\n8c\nTs\nstand\nstand\nhole_turned\nround_closed")
    await ear.event(RoundClosed, round=1)
    assert await table.bench.until(lambda: not unit.locked and not unit.lamps)
    due = {(spot, bet): cents for (_, spot, bet), (_, cents) in ear.due().items()}
    assert due == {(1, "main"): -2500, (1, BET): 500, (2, "main"): -1000, (2, BET): -500}
    assert [(one.spot, one.wager_cents) for one in ear.events(ContributionMade)] == [(1, 500), (2, 500)]

    # The unit is unplugged: the next round's coins count for nothing, and it is said before the first card.
    await table.talk(f"1 {BET} 0\n2 {BET} 0\n2 {BET} 5")
    table.bench.unplug("sensors")
    await ear.event(DeviceStatusChanged, device="bet_sensors", state="lost")
    await table.perform(table.acts("no_more_bets"))
    alert = await ear.event(AlertRaised, zone=BET)
    assert (alert.kind, alert.round) == (AlertKind.SENSORS_SILENT, 2)
    assert alert.text.startswith(f"{BET}: bet_sensors does not answer")
    await table.perform(table.acts("7h\n9c\n8d\nTd\n8c\nTs\nstand\nstand\nhole_turned\nround_closed"))
    await ear.event(RoundClosed, round=2)
    assert locked(ear, 2) == {}

    # Plugged in again, everything is as before; and the night is replayed to the byte.
    table.bench.plug("sensors")
    await ear.event(DeviceStatusChanged, 2, device="bet_sensors", state="ready")
    await table.perform(table.acts("no_more_bets"))
    await ear.event(BettingClosed, round=3)
    assert locked(ear, 3) == {2: 500}
    await table.stop()
    status, output, errors = await ran("replay", str(table.journal), "--key", str(table.key))
    assert (status, errors) == (0, ""), output
    assert "the same" in output
