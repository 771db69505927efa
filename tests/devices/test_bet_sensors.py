"""Bet sensors: what lay on them when betting ended is what the table is sent, whatever line and unit do."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.bet_sensors import BetSensorsSession
from firmware_protocols.bet_sensors import modbus_rtu
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, Reading, WagersSensed
from firmware_protocols.sensor_messages import LockSensors, SetSensors
from simulators.devices.bet_sensors import BetSensorsSimulator
from simulators.devices.wire import NullModem
from simulators.faults.line_faults import Faults, Rates

S = 1_000_000_000
SPOTS = (1, 2, 3, 4, 5, 6, 7)


class Stage:
    """A session and its unit on a line of the protocol's speed."""

    def __init__(self, *, deaf: bool = False, faults: Faults | None = None, spots: tuple[int, ...] = SPOTS) -> None:
        self.session = BetSensorsSession(modbus_rtu.CODEC, "blazing7s", spots)
        self.unit = BetSensorsSimulator(modbus_rtu.CODEC, deaf=deaf)
        self.modem: NullModem[Reading] = NullModem(
            self.session, self.unit, modbus_rtu.CODEC, paced=True, to_device=faults, to_host=faults
        )
        self.modem.connect()
        self.pass_s(1)

    def pass_s(self, seconds: float) -> None:
        self.modem.run_until(self.modem.now_ns + int(seconds * S))

    def sensed(self) -> list[tuple[tuple[int, ...], tuple[int, ...] | None]]:
        readings = [one for one in self.modem.readings if isinstance(one, WagersSensed)]
        assert not any(one.latched for one in readings if not one.lock)
        return [(one.live, one.latched if one.lock else None) for one in readings]

    def states(self) -> list[HealthState]:
        return [one.state for one in self.modem.readings if isinstance(one, DeviceHealth)]

    def complaints(self) -> list[str]:
        return [one.code for one in self.modem.readings if isinstance(one, DeviceComplained)]


def heard_by_a_new_program(unit: BetSensorsSimulator, *locks: int) -> list[WagersSensed]:
    """What a program that begins now hears of a unit that went on, in the second after its table wished these locks."""
    session = BetSensorsSession(modbus_rtu.CODEC, "blazing7s", SPOTS)
    modem: NullModem[Reading] = NullModem(session, unit, modbus_rtu.CODEC, paced=True)
    for lock in locks:
        session.apply(lock)
    modem.connect()
    modem.run_until(S)
    return [one for one in modem.readings if isinstance(one, WagersSensed)]


def test_a_round_from_the_first_wager_to_the_clearing() -> None:
    made = Stage()
    made.unit.lay(1)
    made.unit.lay(3)
    made.pass_s(0.3)
    made.session.apply(1)
    made.pass_s(0.3)
    made.unit.lay(5)
    made.unit.take(1)
    made.session.apply(1, lamps=(1, 3))
    made.pass_s(0.3)
    assert made.unit.lamps == {1, 3}
    made.session.apply(0)
    made.pass_s(0.3)
    assert made.sensed() == [
        ((), None),
        ((1, 3), None),
        ((1, 3), (1, 3)),
        ((3, 5), (1, 3)),
        ((3, 5), None),
    ]
    assert not made.unit.lamps
    assert made.states() == [HealthState.READY]
    assert not made.complaints()


def test_nothing_is_said_twice_that_the_unit_has_done() -> None:
    made = Stage()
    made.session.apply(1, lamps=(2,))
    made.pass_s(10)
    assert [one for one in made.unit.heard if isinstance(one, LockSensors | SetSensors)] == [
        LockSensors(1, locked=True),
        SetSensors(1, locked=True, lamps=(False, True) + 6 * (False,)),
    ]


def test_a_lock_is_known_within_a_fifth_of_a_second() -> None:
    made = Stage()
    made.unit.lay(4)
    made.pass_s(0.5)
    made.session.apply(1)
    made.pass_s(0.2)
    assert made.sensed()[-1] == ((4,), (4,))


def test_the_next_round_is_locked_anew_though_nothing_lay_between() -> None:
    made = Stage()
    made.unit.lay(1)
    made.session.apply(7)
    made.pass_s(0.5)
    made.unit.take(1)
    made.unit.lay(2)
    made.pass_s(0.5)
    made.session.apply(8)
    made.pass_s(0.5)
    latched = [(one.latched, one.lock) for one in made.modem.readings if isinstance(one, WagersSensed) and one.lock]
    assert latched == [((1,), 7), ((1,), 7), ((2,), 8)]
    assert not made.complaints()


def test_a_program_started_again_keeps_what_the_unit_latched() -> None:
    made = Stage()
    made.unit.lay(1)
    made.session.apply(7)
    made.pass_s(0.5)
    made.unit.take(1)
    (reading,) = heard_by_a_new_program(made.unit, 7)
    assert (reading.live, reading.latched, reading.lock) == ((), (1,), 7)


def test_what_a_unit_latched_before_this_program_began_is_not_taken_for_a_later_lock() -> None:
    made = Stage()
    made.unit.lay(1)
    made.session.apply(7)
    made.pass_s(0.5)
    made.unit.take(1)
    readings = heard_by_a_new_program(made.unit, 0, 8)
    assert [(one.latched, one.lock) for one in readings] == [((), 8)]


def test_sensors_are_reported_by_spot() -> None:
    made = Stage(spots=(7, 5, 3))
    for sensor in (1, 3, 8):
        made.unit.lay(sensor)
    made.session.apply(1, lamps=(5, 6))
    made.pass_s(0.5)
    assert made.sensed()[-1] == ((3, 7), (3, 7))
    assert made.unit.lamps == {2}


def test_a_hand_that_passes_over_is_not_reported() -> None:
    made = Stage()
    made.unit.lay(2)
    made.pass_s(0.03)
    made.unit.take(2)
    made.pass_s(1)
    assert made.sensed() == [((), None)]


def test_a_wager_is_dated_between_the_last_look_without_and_the_first_with_it() -> None:
    made = Stage()
    laid_ns = made.modem.now_ns
    made.unit.lay(2)
    made.pass_s(1)
    (seen,) = [one for one in made.modem.readings if isinstance(one, WagersSensed) and one.live]
    assert seen.after_ns <= laid_ns <= seen.by_ns
    assert seen.by_ns - seen.after_ns < 300_000_000


def test_power_lost_while_locked_is_reported_before_what_the_new_lock_latched() -> None:
    made = Stage()
    made.unit.lay(1)
    made.session.apply(1)
    made.pass_s(1)
    made.unit.restart()
    made.unit.lay(6)
    made.pass_s(2)
    assert made.complaints() == ["lock_lost"]
    assert made.unit.locked
    complained = next(place for place, one in enumerate(made.modem.readings) if isinstance(one, DeviceComplained))
    after = [one.latched for one in made.modem.readings[complained:] if isinstance(one, WagersSensed) and one.lock]
    before = [one.latched for one in made.modem.readings[:complained] if isinstance(one, WagersSensed)]
    assert before[-1] == (1,)
    assert after == [(1, 6)]


def test_a_wager_laid_while_the_line_was_away_is_reported_when_it_is_back() -> None:
    made = Stage()
    made.session.apply(1)
    made.pass_s(0.5)
    made.modem.disconnect()
    made.unit.lay(2)
    made.session.apply(0)
    made.pass_s(1)
    made.modem.connect()
    made.pass_s(1)
    assert made.sensed()[-1] == ((2,), None)
    assert made.states() == [HealthState.READY, HealthState.LOST, HealthState.READY]
    assert not made.complaints()


def test_a_unit_that_answers_and_does_nothing_is_faulty_and_what_it_latched_is_not_reported() -> None:
    made = Stage()
    made.unit.lay(2)
    made.unit.deaf = True
    made.session.apply(1)
    made.pass_s(5)
    assert made.states() == [HealthState.READY, HealthState.FAULTY]
    assert all(latched is None for _, latched in made.sensed())
    made.unit.deaf = False
    made.pass_s(15)
    assert made.states()[-1] is HealthState.READY
    assert made.sensed()[-1] == ((2,), (2,))


def test_a_unit_that_refuses_is_faulty_until_it_does_not() -> None:
    made = Stage()
    made.unit.refusing = 4
    made.pass_s(5)
    assert made.states() == [HealthState.READY, HealthState.FAULTY]
    assert not made.complaints()
    made.unit.refusing = None
    made.pass_s(15)
    assert made.states()[-1] is HealthState.READY


def test_a_silent_unit_is_faulty() -> None:
    session = BetSensorsSession(modbus_rtu.CODEC, "blazing7s", SPOTS, address=2)
    unit = BetSensorsSimulator(modbus_rtu.CODEC, address=1)
    modem: NullModem[Reading] = NullModem(session, unit, modbus_rtu.CODEC, paced=True)
    modem.connect()
    modem.run_until(3 * S)
    assert [one.state for one in modem.readings if isinstance(one, DeviceHealth)] == [HealthState.FAULTY]


@pytest.mark.parametrize("spots", [(), (1, 1), tuple(range(1, 10))])
def test_spots_that_no_unit_has_are_refused(spots: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="1 to 8 sensors"):
        BetSensorsSession(modbus_rtu.CODEC, "blazing7s", spots)


@pytest.mark.parametrize("address", [0, 248])
def test_addresses_nobody_answers_to_are_refused(address: int) -> None:
    with pytest.raises(ValueError, match="modbus_rtu"):
        BetSensorsSession(modbus_rtu.CODEC, "blazing7s", SPOTS, address=address)


@settings(max_examples=10, derandomize=True)
@given(
    rounds=st.lists(
        st.tuples(st.sets(st.sampled_from(SPOTS)), st.sets(st.sampled_from(SPOTS))), min_size=1, max_size=4
    ),
    seed=st.integers(0, 2**32),
)
def test_on_a_bad_line_each_lock_is_reported_as_it_was(rounds: list[tuple[set[int], set[int]]], seed: int) -> None:
    faults = Faults(random.Random(seed), Rates(drop=5, flip=5, insert=5, split=50, duplicate=10))
    made = Stage(faults=faults)
    for wagers, later in rounds:
        made.unit.covered = set(wagers)
        made.pass_s(1)
        made.session.apply(1)
        while not made.unit.locked:
            made.pass_s(0.005)
        made.unit.covered = set(later)
        # Every fifth question or answer is lost, and two looks in a row have to agree.
        made.pass_s(5)
        assert made.sensed()[-1] == (tuple(sorted(later)), tuple(sorted(wagers)))
        made.session.apply(0)
        made.pass_s(5)
        assert made.sensed()[-1] == (tuple(sorted(later)), None)
        assert not made.complaints()
