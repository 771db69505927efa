"""What devices last complained of, and what the last look at the program said: kept of the events that were heard."""

from __future__ import annotations

from collections import deque
from typing import Final

import msgspec

from controller.core.messages.alerts import DeviceAlarm, LineErrors
from controller.core.messages.events import DeviceStatusChanged, SoftwareChecked
from controller.formats.mqtt.envelope import Published
from firmware_protocols.readings import HealthState

DEVICES_LIMIT: Final = 64
"""Devices whose faults are kept; a table has a dozen."""


TIMES_LIMIT: Final = 120
"""Complaints of a device whose times are kept: two a minute for an hour."""


class Fault(msgspec.Struct, frozen=True):
    """The last complaint of a device. ``kind``: ``lost`` or ``faulty``, ``alarm`` (its own), ``damaged`` (messages)."""

    seq: int
    time: str
    kind: str
    detail: str


class SoftwareCheck(msgspec.Struct, frozen=True):
    """The last look at the program's files."""

    seq: int
    time: str
    when: str
    passed: bool
    files: int
    detail: str


class Faults(msgspec.Struct, frozen=True):
    """All of it. ``since``: the first event that was heard; of the time before nothing is known."""

    since: str
    devices: dict[str, Fault]
    software: SoftwareCheck | None = None
    times: dict[str, tuple[str, ...]] = {}
    """Of each device when its last complaints were, oldest first."""


class FaultBook:
    """What was heard of one table's devices."""

    def __init__(self) -> None:
        self._since = ""
        self._devices: dict[str, Fault] = {}
        self._times: dict[str, deque[str]] = {}
        self._software: SoftwareCheck | None = None

    def now(self) -> Faults:
        """What is known."""
        times = {device: tuple(kept) for device, kept in sorted(self._times.items())}
        return Faults(self._since, dict(sorted(self._devices.items())), self._software, times)

    def follow(self, one: Published) -> bool:
        """An event was heard; whether anything is known anew."""
        is_first = not self._since
        self._since = self._since or one.time
        match one.event:
            case DeviceStatusChanged(device, state, detail) if state != HealthState.READY:
                self._complain(device, Fault(one.seq, one.time, state, detail))
            case DeviceAlarm(device, _, text):
                self._complain(device, Fault(one.seq, one.time, "alarm", text))
            case LineErrors(device, reason):
                self._complain(device, Fault(one.seq, one.time, "damaged", reason))
            case SoftwareChecked(when, passed, _, files, _, detail):
                self._software = SoftwareCheck(one.seq, one.time, when, passed, files, detail)
            case _:
                return is_first
        return True

    def _complain(self, device: str, fault: Fault) -> None:
        if device in self._devices or len(self._devices) < DEVICES_LIMIT:
            self._devices[device] = fault
            self._times.setdefault(device, deque(maxlen=TIMES_LIMIT)).append(fault.time)
