"""A session behind a paired line: it is driven as it always is, and what it says and hears is authenticated.

Until the device has proved that it has the key, the session does not learn that the line is open. After that, silence
for so long pairs anew: a device that was started again has forgotten the pairing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from devices.outbox import Outbox
from devices.session import Session
from firmware_protocols.codec import LineEnd
from firmware_protocols.paired_line import FrameFault, PairedLine
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, LineDisturbed, Reading

_MS: Final = 1_000_000

HELLO_NS: Final = 500 * _MS
"""Between two beginnings of a pairing that are not answered."""

SILENCE_NS: Final = 1_500 * _MS
"""Without an authentic frame for so long the pairing is begun anew, or said not to come about."""

UNANSWERED: Final = "it does not answer the pairing: it has no pairing key, or another"
TEXTS: Final[dict[FrameFault, str]] = {
    "unpaired": "a frame of a line without pairing was dropped",
    "pairing_refused": "the device has another pairing key, or something between has answered for it",
    "forged": "a frame whose authentication code is wrong was dropped: something between has made or changed it",
    "replayed": "a frame that has come before was dropped: something between has said it again",
}
"""What a complaint says; its code is the key."""


class PairedSession(Outbox):
    """``inner`` behind a paired line; ``fresh`` gives nonces (see ``PairedLine``)."""

    def __init__(self, inner: Session, name: str, key: bytes, fresh: Callable[[], bytes]) -> None:
        super().__init__()
        self._inner = inner
        self._name = name
        self._key = key
        self._fresh = fresh
        self._line: PairedLine | None = None
        self._paired = False
        self._reported_faults: set[FrameFault] = set()
        self._hello_at_ns = 0
        self._heard_ns = 0
        self._is_silent = False

    def connected(self, now_ns: int) -> None:
        """The line is open (again): pair."""
        self._line = PairedLine(LineEnd.HOST, self._key, self._fresh)
        self._paired = self._is_silent = False
        self._reported_faults.clear()
        self._heard_ns = now_ns
        self._unsent = b""
        self._greet(now_ns, again=False)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone."""
        self._line, self._unsent = None, b""
        self._inner.disconnected(now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""
        if self._line is None:
            return
        fed = self._line.feed(data)
        for why in fed.refused:
            self._refused(why, data, now_ns)
        if fed.paired:
            self._paired, self._is_silent, self._heard_ns = True, False, now_ns
            self._inner.connected(now_ns)
        if fed.inside:
            self._heard_ns = now_ns
            self._inner.receive(fed.inside, now_ns)

    def next_deadline(self) -> int | None:
        """When the pairing is begun again, or what the session behind it waits for."""
        if self._line is None:
            return None
        pairing_ns = self._heard_ns + SILENCE_NS if self._paired else self._hello_at_ns
        inner_ns = self._inner.next_deadline() if self._paired else None
        return pairing_ns if inner_ns is None else min(pairing_ns, inner_ns)

    def handle_deadline(self, now_ns: int) -> None:
        """Begin the pairing again; let the session do what is due."""
        if self._line is None:
            return
        if self._paired:
            self._inner.handle_deadline(now_ns)
        silent = now_ns >= self._heard_ns + SILENCE_NS
        if silent and self._paired:
            self._inner.disconnected(now_ns)
            self._paired, self._heard_ns = False, now_ns
            self._greet(now_ns, again=False)
        elif not self._paired and now_ns >= self._hello_at_ns:
            if silent and not self._is_silent:
                self._is_silent = True
                self._readings.append(DeviceHealth(self._name, HealthState.FAULTY, now_ns, UNANSWERED))
            self._greet(now_ns, again=True)

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent, sealed."""
        inside = self._inner.bytes_to_send()
        if self._line is not None and self._paired:
            self._unsent += self._line.seal(inside)
        return super().bytes_to_send()

    def readings(self) -> tuple[Reading, ...]:
        """Take what was learnt since the last call."""
        return (*self._inner.readings(), *super().readings())

    def _greet(self, now_ns: int, *, again: bool) -> None:
        assert self._line is not None, "the line is open"
        self._hello_at_ns = now_ns + HELLO_NS
        self._unsent += self._line.hello(again=again)

    def _refused(self, why: FrameFault, data: bytes, now_ns: int) -> None:
        if why == "noise":
            self._readings.append(LineDisturbed(self._name, "bytes that are no frame", data[:64], now_ns))
        elif why not in self._reported_faults:
            # Once on each opening of the line: whoever stands between could say it a thousand times a second.
            self._reported_faults.add(why)
            self._readings.append(DeviceComplained(self._name, why, TEXTS[why], now_ns))
