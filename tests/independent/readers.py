"""FEIG readers of an independent table, from the pages on wire formats alone.

One line, one reader for each spot (its address), one antenna for each zone. A reader answers when it has looked: what
an answer names is what its antenna hears at that moment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

INVENTORY: Final = 0xB0
SOFTWARE: Final = 0x65
FIELD_RESET: Final = 0x69
OK, EMPTY, REFUSED_LENGTH, UNKNOWN_COMMAND = 0x00, 0x01, 0x81, 0x80
VERSION: Final = bytes.fromhex("03030044530D30")
ANTENNA_NAMED: Final = 0x10

Place = tuple[int, int]
"""A reader's address and one of its antennas; 0: its only one."""


def crc(data: bytes) -> bytes:
    """CRC-16/MCRF4XX, low byte first."""
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ 0x8408 if value & 1 else value >> 1
    return value.to_bytes(2, "little")


class Request(NamedTuple):
    """A whole request, its checksum right."""

    address: int
    control: int
    data: bytes
    advanced: bool


class Incoming:
    """Cuts requests out of what comes; a byte that begins none is dropped."""

    def __init__(self) -> None:
        self._held = b""

    def take(self, data: bytes) -> list[Request]:
        """The requests that are whole now."""
        self._held += data
        found: list[Request] = []
        while (size := self._size()) and len(self._held) >= size:
            frame = self._held[:size]
            if crc(frame[:-2]) != frame[-2:]:
                self._held = self._held[1:]
                continue
            head = 3 if frame[0] == 0x02 else 1
            found.append(Request(frame[head], frame[head + 1], frame[head + 2 : -2], head == 3))
            self._held = self._held[size:]
        return found

    def _size(self) -> int:
        """The length the first byte held claims; 0: not known yet. Drops bytes that cannot begin a frame."""
        while self._held:
            if self._held[0] == 0x02:
                if len(self._held) < 3:
                    return 0
                size, least = int.from_bytes(self._held[1:3], "big"), 7
            else:
                size, least = self._held[0], 5
            if least <= size <= 300:
                return size
            self._held = self._held[1:]
        return 0


def answer(request: Request, status: int, data: bytes = b"") -> bytes:
    """A reader's answer; in an advanced frame if it was asked in one or does not fit another."""
    body = bytes([request.address, request.control, status]) + data
    if request.advanced or len(body) + 3 > 255:
        frame = b"\x02" + (len(body) + 5).to_bytes(2, "big") + body
    else:
        frame = bytes([len(body) + 3]) + body
    return frame + crc(frame)


def chip(tag: str) -> bytes:
    """The record of a chip: ISO 15693, its id as it is written."""
    return b"\x03\x00" + bytes.fromhex(tag)


class Readers:
    """The readers of one line. ``heard`` says what an antenna hears now: records as they go into an answer.

    Without ``antennas`` each has a single one, which no request may name.
    """

    def __init__(
        self, addresses: Sequence[int], heard: Callable[[Place], list[bytes]], *, antennas: bool = True
    ) -> None:
        self._addresses = frozenset(addresses)
        self._heard = heard
        self._antennas = antennas
        self.silent: set[int] = set()
        """Readers that say nothing."""
        self.looks: dict[Place, int] = {}

    def reply(self, request: Request) -> bytes:
        """What the reader asked answers; nothing if it is not there."""
        if request.address not in self._addresses or request.address in self.silent:
            return b""
        if request.control == SOFTWARE:
            return answer(request, OK, VERSION)
        if request.control == FIELD_RESET:
            return answer(request, OK)
        if request.control != INVENTORY or request.data[:1] != b"\x01":
            return answer(request, UNKNOWN_COMMAND)
        named = len(request.data) == 3 and request.data[1] == ANTENNA_NAMED
        if named != self._antennas or (not named and request.data[1:] != b"\0"):
            return answer(request, REFUSED_LENGTH)
        antenna = request.data[2].bit_length() if named else 0
        place = (request.address, antenna)
        self.looks[place] = self.looks.get(place, 0) + 1
        records = self._heard(place)
        if not records:
            return answer(request, EMPTY)
        return answer(request, OK, bytes([len(records)]) + b"".join(records))
