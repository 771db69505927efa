"""A null modem in memory: the host's session at one end, a simulated device at the other, and a clock that is set.

Nothing here waits: ``run_until`` carries out what would happen up to a moment, in order, and ends.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from itertools import count
from typing import Final, Generic, Protocol, TypeVar

from firmware_protocols.codec import Codec
from simulators.faults.line_faults import Faults

PIECE_BYTES: Final = 8
"""Bytes that come together on a paced line: what a UART collects before it speaks up."""

LATENCY_NS: Final = 1_000_000
"""From one end to the other on a line without pacing: the millisecond a USB adapter takes."""

MOST_STEPS_AT_ONCE: Final = 1000
"""Steps without the clock moving. Nothing sensible takes a tenth of it: more means that somebody spins."""

Reading_co = TypeVar("Reading_co", covariant=True)
R = TypeVar("R")


class Host(Protocol[Reading_co]):
    """The end with the questions: any device session has this shape. Times are nanoseconds."""

    def connected(self, now_ns: int) -> None:
        """The line is open."""

    def disconnected(self, now_ns: int) -> None:
        """The line is gone."""

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""

    def next_deadline(self) -> int | None:
        """When to call ``handle_deadline``, or None."""

    def handle_deadline(self, now_ns: int) -> None:
        """The deadline has come."""

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent."""
        ...

    def readings(self) -> tuple[Reading_co, ...]:
        """Take what was learnt."""
        ...


class Device(Protocol):
    """The end with the answers: any simulated device has this shape."""

    def receive(self, data: bytes) -> bytes:
        """Bytes came; the bytes it answers at once."""
        ...

    def idle(self) -> bytes:
        """The line has been silent for as long as ends a message; the bytes it answers."""
        ...


class SpinningError(AssertionError):
    """A session keeps asking to be called without the clock moving."""


class NullModem(Generic[R]):
    """Joins ``host`` and ``device``. ``readings`` collects all that the host has learnt.

    ``paced``: bytes take the time the codec's line speed makes them take, ``piece_bytes`` (at least 1) arriving
    together; else everything takes ``LATENCY_NS``. What is said while the line is not open, or is on its way when it is
    cut, is lost.
    """

    def __init__(
        self,
        host: Host[R],
        device: Device,
        codec: Codec,
        *,
        paced: bool = False,
        piece_bytes: int = PIECE_BYTES,
        to_host: Faults | None = None,
        to_device: Faults | None = None,
        start_ns: int = 0,
    ) -> None:
        self.readings: list[R] = []
        self.now_ns = start_ns
        self._host = host
        self._device = device
        self._idle_ns = codec.idle_ns
        self._byte_ns = codec.line.bits_per_byte() * 1_000_000_000 // codec.line.baud if paced else 0
        self._piece_bytes = piece_bytes
        self._to_host = to_host
        self._to_device = to_device
        self._open = False
        self._connections = 0
        self._planned: list[tuple[int, int, Callable[[], None]]] = []
        self._number = count()
        self._host_free_ns = self._device_free_ns = start_ns
        self._device_heard_ns: int | None = None

    def connect(self) -> None:
        """Plug in."""
        self._open = True
        self._connections += 1
        self._host.connected(self.now_ns)
        self._collect()

    def disconnect(self) -> None:
        """Unplug: what is on its way is lost."""
        self._open = False
        self._device_heard_ns = None
        self._host.disconnected(self.now_ns)
        self._collect()

    def at(self, at_ns: int, action: Callable[[], None]) -> None:
        """Do something when the clock gets there."""
        heapq.heappush(self._planned, (at_ns, next(self._number), action))

    def say(self, data: bytes) -> None:
        """The device sends of its own accord, now."""
        self._device_free_ns = self._send(data, self._device_free_ns, self._to_host, self._deliver_to_host)

    def run_until(self, until_ns: int) -> None:
        """Let everything happen that happens up to ``until_ns``.

        Raises:
            SpinningError: the host asks to be called again and again at the same moment.
        """
        steps = 0
        while (next_ns := self._next_ns()) is not None and next_ns <= until_ns:
            steps = steps + 1 if next_ns <= self.now_ns else 0
            if steps > MOST_STEPS_AT_ONCE:
                raise SpinningError(f"{steps} steps at {self.now_ns} ns")
            self.now_ns = max(self.now_ns, next_ns)
            self._step()
        self.now_ns = max(self.now_ns, until_ns)

    def _next_ns(self) -> int | None:
        times = [self._planned[0][0]] if self._planned else []
        host_ns = self._host.next_deadline() if self._open else None
        if host_ns is not None:
            times.append(host_ns)
        if self._device_heard_ns is not None:
            times.append(self._device_heard_ns + self._idle_ns)
        return min(times, default=None)

    def _step(self) -> None:
        if self._planned and self._planned[0][0] <= self.now_ns:
            heapq.heappop(self._planned)[2]()
        elif self._device_heard_ns is not None and self._device_heard_ns + self._idle_ns <= self.now_ns:
            self._device_heard_ns = None
            self.say(self._device.idle())
        else:
            self._host.handle_deadline(self.now_ns)
        self._collect()

    def _collect(self) -> None:
        self.readings += self._host.readings()
        data = self._host.bytes_to_send()
        self._host_free_ns = self._send(data, self._host_free_ns, self._to_device, self._deliver_to_device)

    def _send(self, data: bytes, free_ns: int, faults: Faults | None, deliver: Callable[[bytes], None]) -> int:
        if not data or not self._open:
            return free_ns
        at_ns = max(self.now_ns, free_ns)
        for whole in faults.disturb(data) if faults else (data,):
            step = self._piece_bytes if self._byte_ns else len(whole)
            for start in range(0, len(whole), step):
                piece = whole[start : start + step]
                at_ns += len(piece) * self._byte_ns
                self.at(at_ns + (0 if self._byte_ns else LATENCY_NS), self._arrival(piece, deliver))
        return at_ns

    def _arrival(self, piece: bytes, deliver: Callable[[bytes], None]) -> Callable[[], None]:
        connection = self._connections

        def arrive() -> None:
            if self._open and self._connections == connection:
                deliver(piece)

        return arrive

    def _deliver_to_host(self, data: bytes) -> None:
        self._host.receive(data, self.now_ns)

    def _deliver_to_device(self, data: bytes) -> None:
        self._device_heard_ns = self.now_ns
        self.say(self._device.receive(data))
