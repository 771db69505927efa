"""The codec interface: one vendor's wire protocol, spoken in either role.

A codec never raises on bytes and never holds more than ``Wire.limit`` of them.
"""

from __future__ import annotations

from enum import Enum
from typing import Protocol

from firmware_protocols.messages import Message
from firmware_protocols.values import Value


class LineEnd(Enum):
    """Which end of the line we are: the table PC or the device."""

    HOST = "host"
    DEVICE = "device"


class Line(Value, frozen=True, tag="line"):
    """Settings of a serial line. ``parity`` is N, E or O.

    ``knock`` are speeds at which the line is opened and closed before it is opened for use: what some devices on USB,
    where a speed means nothing else, take for a command.
    """

    baud: int
    data_bits: int = 8
    parity: str = "N"
    stop_bits: int = 1
    knock: tuple[int, ...] = ()

    def bits_per_byte(self) -> int:
        """Bits on the wire for one byte, start and stop bits included."""
        return 1 + self.data_bits + (self.parity != "N") + self.stop_bits


class Wire(Protocol):
    """One end of one line: keeps the bytes of a message that has not yet come whole."""

    @property
    def limit(self) -> int:
        """The most bytes it ever holds."""
        ...

    def held(self) -> int:
        """Bytes held now, at most ``limit``."""
        ...

    def feed(self, data: bytes) -> tuple[Message, ...]:
        """Take bytes as they came; the messages they complete, in order. Never raises on any bytes.

        What is no message becomes a ``LineFault``. How the bytes are cut into calls does not matter.
        """
        ...

    def idle(self) -> tuple[Message, ...]:
        """Say that the line has been silent for long enough that a message begun will not be finished.

        What is held is given up (and read again from its second byte on, lest a wrong length swallow a good frame).
        """
        ...

    def encode(self, message: Message) -> bytes:
        """The bytes of a message this end may send.

        Raises:
            ValueError: the protocol has no words for it, or a field is out of range.
        """
        ...


class Codec(Protocol):
    """A vendor's protocol. Each codec module has one, named ``CODEC``."""

    @property
    def name(self) -> str:
        """The name configuration uses: the module's name."""
        ...

    @property
    def line(self) -> Line:
        """The line settings the device has as delivered."""
        ...

    @property
    def idle_ns(self) -> int:
        """Silence after which ``Wire.idle`` should be called, in nanoseconds."""
        ...

    @property
    def vocabulary(self) -> tuple[type[Message], ...]:
        """The message types it has words for, besides ``LineFault``."""
        ...

    def open(self, role: LineEnd) -> Wire:
        """A fresh end of a line."""
        ...
