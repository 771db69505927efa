"""A unit of bet sensors that does not exist: coins are laid and taken, and the lock latches where they lie."""

from __future__ import annotations

from typing import Final, assert_never

from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.framing import named
from firmware_protocols.messages import Command, Message
from firmware_protocols.sensor_messages import (
    SENSORS_LIMIT,
    AskOtherwise,
    LockSensors,
    ReadSensorOutputs,
    ReadSensors,
    SensorCommand,
    SensorOutputs,
    SensorsLocked,
    SensorsRead,
    SensorsRefused,
    SensorsSet,
    SetSensors,
)

HEARD_LIMIT: Final = 10_000
"""Questions and commands remembered: minutes of them, and no more however long the night."""


class BetSensorsSimulator:
    """One unit, open and dark as after power-up. ``deaf``: it answers commands and does not carry them out."""

    def __init__(self, codec: Codec, *, address: int = 1, deaf: bool = False) -> None:
        self._codec = codec
        self._address = address
        self.deaf = deaf
        self.refusing: int | None = None
        """The code with which it refuses everything, as a unit with a fault of its own does."""
        self.covered: set[int] = set()
        """The sensors on which something lies, from 1."""
        self.heard: list[Command] = []
        """Everything it was sent and asked, in order; the last of it where that is long."""
        self.looks = 0
        """How often it was asked which sensors are covered."""
        self.restart()

    def restart(self) -> None:
        """Lose power and come back: open, dark, nothing latched. What lies on it lies on it."""
        self._wire = self._codec.open(LineEnd.DEVICE)
        self.locked = False
        self.latched: tuple[int, ...] = ()
        self.lamps: set[int] = set()

    def lay(self, sensor: int) -> None:
        """Put a wager on a sensor (1 to 8)."""
        if not 1 <= sensor <= SENSORS_LIMIT:
            raise ValueError(f"a sensor is 1 to {SENSORS_LIMIT}, not {sensor}")
        self.covered.add(sensor)

    def take(self, sensor: int) -> None:
        """Take what lies on a sensor, if anything does."""
        self.covered.discard(sensor)

    def receive(self, data: bytes) -> bytes:
        """Questions and commands, with their answers."""
        return self._answers(self._wire.feed(data))

    def idle(self) -> bytes:
        """The line has been silent: a frame begun is given up."""
        return self._answers(self._wire.idle())

    def _answers(self, messages: tuple[Message, ...]) -> bytes:
        said = b""
        for message in messages:
            if not isinstance(message, SensorCommand):
                continue
            if message.address != self._address:
                continue
            self.heard.append(message)
            del self.heard[:-HEARD_LIMIT]
            said += self._wire.encode(self._answer(message))
        return said

    def _answer(self, message: SensorCommand) -> Message:
        if isinstance(message, AskOtherwise):
            return SensorsRefused(self._address, message.command, message.code)
        if self.refusing is not None:
            return SensorsRefused(self._address, named(message), self.refusing)
        match message:
            case ReadSensors(latched=latched):
                self.looks += 1
                live = tuple(sorted(self.covered))
                return SensorsRead(self._address, live, self.latched if latched else None)
            case ReadSensorOutputs():
                return SensorOutputs(self._address, self.locked, tuple(sorted(self.lamps)))
            case LockSensors(locked=locked):
                self._lock(locked=locked)
                return SensorsLocked(self._address, locked)
            case SetSensors(locked=locked, lamps=lamps):
                self._lock(locked=locked)
                if not self.deaf:
                    given = set(range(1, len(lamps) + 1))
                    self.lamps = self.lamps - given | {number for number in given if lamps[number - 1]}
                return SensorsSet(self._address, len(lamps))
            case _:
                assert_never(message)

    def _lock(self, *, locked: bool) -> None:
        if self.deaf or locked == self.locked:
            return
        self.locked = locked
        self.latched = tuple(sorted(self.covered)) if locked else ()
