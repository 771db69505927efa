"""Bet sensors and a trigger box in C, each written from its page alone, before the sessions of the table."""

from __future__ import annotations

import random
import shutil

import pytest

from devices.bet_sensors import BetSensorsSession
from firmware_protocols.bet_sensors import modbus_rtu
from firmware_protocols.codec import LineEnd
from firmware_protocols.readings import MysteryAnswered, MysteryCommitted, Reading, WagersSensed
from firmware_protocols.sensor_messages import AskOtherwise, SensorsRefused
from simulators.devices.wire import NullModem
from tests.devices.trigger_rig import Rig, S, assert_in_order
from tests.devices.trigger_rig import in_c as box_in_c
from tests.firmware.piped import BoxInC, SensorsInC
from tests.firmware.units import SensorTable, box_night, sensor_night
from tests.trigger_box.rig import SMALL

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler here: run .ci/servers")


def test_what_lay_on_the_sensors_at_the_lock_is_reported_whatever_is_laid_later() -> None:
    table = SensorTable(1)
    for sensor in (1, 3):
        table.unit.lay(sensor)
    table.pass_s(1)
    table.wish(7)
    table.unit.take(1)
    table.unit.lay(5)
    table.session.apply(7, lamps=(1, 3))
    table.pass_s(1)
    reading = table.sensed()
    assert reading is not None
    assert (reading.live, reading.latched, reading.lock) == ((3, 5), (1, 3), 7)
    assert table.unit.lamps == {1, 3}
    table.wish(0)
    table.pass_s(1)
    reading = table.sensed()
    assert reading is not None
    assert (reading.live, reading.latched, reading.lock) == ((3, 5), (), 0)


@pytest.mark.parametrize(
    ("asked", "code"), [("function_03", 1), ("read_sensors", 2), ("lock_sensors", 2), ("set_sensors", 3)]
)
def test_a_unit_refuses_what_it_does_not_do_with_the_standards_codes(asked: str, code: int) -> None:
    wire = modbus_rtu.CODEC.open(LineEnd.HOST)
    replies = wire.feed(SensorsInC().receive(wire.encode(AskOtherwise(1, asked, code))))
    assert replies == (SensorsRefused(1, asked, code),)


def test_a_unit_at_another_address_is_silent() -> None:
    session = BetSensorsSession(modbus_rtu.CODEC, "blazing7s", (1, 2), address=2)
    modem: NullModem[Reading] = NullModem(session, SensorsInC(address=1), modbus_rtu.CODEC, paced=True)
    modem.connect()
    modem.run_until(S)
    assert not [one for one in modem.readings if isinstance(one, WagersSensed)]


def test_a_night_of_the_sensors() -> None:
    counted, wrong = sensor_night(1, 40)
    assert wrong == []
    assert sum(counted.values()) == 40


@pytest.mark.parametrize("seed", range(3))
def test_a_night_of_the_box(seed: int) -> None:
    counted, wrong, cuts = box_night(seed, 40)
    assert wrong == []
    assert cuts > 0
    assert sum(counted.values()) == 40


def test_an_answer_that_the_power_went_in_was_never_said_and_is_counted_once() -> None:
    """At each byte of the record of a contribution in turn."""
    chance = random.Random(3)
    for cut in range(31):
        rig = Rig(box_in_c)
        assert isinstance(rig.box, BoxInC)
        rig.run(S)
        rig.box.cut_after(cut)
        rig.contribute(chance.randrange(1, SMALL.most_units))
        rig.run(3 * S)
        assert rig.box.cuts == 1
        assert [type(one) for one in rig.journal.read][:2] == [MysteryCommitted, MysteryAnswered]
        assert len(rig.journal.answers()) == 1
        assert_in_order(rig.journal, SMALL)
