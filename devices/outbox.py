"""What a session has to say to its device and to tell the table, until it is taken."""

from __future__ import annotations

from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, Reading


class Outbox:
    """Bytes and readings in the order in which they came about."""

    def __init__(self) -> None:
        self._unsent = b""
        self._readings: list[Reading] = []

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent; empty when there is nothing."""
        taken, self._unsent = self._unsent, b""
        return taken

    def readings(self) -> tuple[Reading, ...]:
        """Take what was learnt since the last call, in order."""
        taken = tuple(self._readings)
        self._readings.clear()
        return taken


class DeviceOutbox(Outbox):
    """The same of a single device, whose health is reported when it changes."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name
        """What the device is called."""
        self._state: HealthState | None = None

    def _complain(self, code: str, text: str, at_ns: int) -> None:
        self._readings.append(DeviceComplained(device=self.name, code=code, text=text, at_ns=at_ns))

    def _set_state(self, state: HealthState, now_ns: int, detail: str = "") -> None:
        if state is not self._state:
            self._state = state
            self._readings.append(DeviceHealth(device=self.name, state=state, at_ns=now_ns, detail=detail))
