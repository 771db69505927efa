"""The shape of every device session.

A session is driven from outside: bytes and the time go in, bytes to send and readings come out. Time is monotonic
nanoseconds and never goes back. A session never raises on what a device sends.
"""

from __future__ import annotations

from typing import Protocol

from firmware_protocols.readings import Reading


class Session(Protocol):
    """One device on one line."""

    def connected(self, now_ns: int) -> None:
        """The line is open (again); anything remembered about the device's answers is void."""
        ...

    def disconnected(self, now_ns: int) -> None:
        """The line is gone: report the device lost, at once and once."""
        ...

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""
        ...

    def next_deadline(self) -> int | None:
        """When ``handle_deadline`` wants to be called, or None."""
        ...

    def handle_deadline(self, now_ns: int) -> None:
        """The deadline has come (calling early or late does no harm)."""
        ...

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent; empty when there is nothing."""
        ...

    def readings(self) -> tuple[Reading, ...]:
        """Take what was learnt since the last call, in order."""
        ...
