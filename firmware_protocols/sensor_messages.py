"""What passes between a table and a unit of bet sensors, vendor words removed: commands one way, answers the other.

A unit has up to eight sensors, numbered from 1, one under each place for a progressive wager. Open, they tell where a
wager lies; locked, the unit also tells where one lay at the moment of the lock, whatever is put down or taken away
later. Opening it again clears that. Each sensor has a lamp.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.values import Value

SENSORS_LIMIT: Final = 8
"""Sensors of a unit."""


class ReadSensors(Value, frozen=True, tag="read_sensors"):
    """Ask which sensors are covered; ``latched``: and which were when the unit was locked."""

    address: int
    latched: bool = True


class ReadSensorOutputs(Value, frozen=True, tag="read_sensor_outputs"):
    """Ask whether a unit is locked and which of its lamps are lit."""

    address: int


class LockSensors(Value, frozen=True, tag="lock_sensors"):
    """Lock a unit (no more bets), or open it, which clears what it latched. Again the same changes nothing."""

    address: int
    locked: bool


class SetSensors(Value, frozen=True, tag="set_sensors"):
    """Lock or open a unit and light or put out its first lamps, all at once; the other lamps stay as they are."""

    address: int
    locked: bool
    lamps: tuple[bool, ...]


class AskOtherwise(Value, frozen=True, tag="ask_otherwise"):
    """A request of the protocol that a unit does not do, and the ``code`` with which it refuses it.

    ``command`` is named as in ``SensorsRefused``. The table never says it; other programs do.
    """

    address: int
    command: str
    code: int


class SensorsRead(Value, frozen=True, tag="sensors_read"):
    """Answer: the sensors covered now, and those latched (None: not asked); numbers from 1, rising."""

    address: int
    live: tuple[int, ...]
    latched: tuple[int, ...] | None = None


class SensorOutputs(Value, frozen=True, tag="sensor_outputs"):
    """Answer: whether the unit is locked, and the sensors whose lamps are lit; numbers from 1, rising."""

    address: int
    locked: bool
    lamps: tuple[int, ...]


class SensorsLocked(Value, frozen=True, tag="sensors_locked"):
    """Answer: the unit heard that it is to lock or to open."""

    address: int
    locked: bool


class SensorsSet(Value, frozen=True, tag="sensors_set"):
    """Answer: the unit heard about its lock and this number of ``lamps``."""

    address: int
    lamps: int


class SensorsRefused(Value, frozen=True, tag="sensors_refused"):
    """Answer: the unit does not do ``command``, for the reason ``code``.

    It is a command's name, or ``function_03`` where the function is none of those that commands have.
    """

    address: int
    command: str
    code: int


SensorReport = SensorsRead | SensorOutputs | SensorsLocked | SensorsSet | SensorsRefused
"""Everything a unit of bet sensors may say."""

SensorCommand = ReadSensors | ReadSensorOutputs | LockSensors | SetSensors | AskOtherwise
"""Everything a unit of bet sensors may be sent."""
