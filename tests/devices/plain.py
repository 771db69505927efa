"""A codec for tests that speaks of every kind of device: a check sum, a blank, JSON, a line feed."""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.messages import (
    CardRead,
    ChipsInventoried,
    KeyDown,
    KeyUp,
    LineFault,
    Message,
    ReaderDone,
    ReaderRefused,
    ReadSoftware,
    ReportKeyUps,
    ResetField,
    SendKeysAtOnce,
    ShoeAlarm,
    ShowText,
    SoftwareRead,
    TakeInventory,
)

_DECODER: Final[msgspec.json.Decoder[Message]] = msgspec.json.Decoder(Message)


class PlainWire:
    """One end; both ends speak alike."""

    limit = 8192

    def __init__(self) -> None:
        self._held = bytearray()

    def held(self) -> int:
        return len(self._held)

    def feed(self, data: bytes) -> tuple[Message, ...]:
        found: list[Message] = []
        for byte in data:
            self._held.append(byte)
            if byte == 0x0A or len(self._held) == self.limit:
                found.append(self._take())
        return tuple(found)

    def idle(self) -> tuple[Message, ...]:
        return (self._take(),) if self._held else ()

    def encode(self, message: Message) -> bytes:
        body = msgspec.json.encode(message)
        return b"%08x %s\n" % (zlib.crc32(body), body)

    def _take(self) -> Message:
        line = bytes(self._held)
        self._held.clear()
        check, _, body = line.removesuffix(b"\n").partition(b" ")
        if line.endswith(b"\n") and check == b"%08x" % zlib.crc32(body):
            return _DECODER.decode(body)
        return LineFault("no plain line", line[:64])


class PlainCodec:
    """See the module."""

    name = "plain"
    line = Line(baud=115_200)
    idle_ns = 20_000_000
    vocabulary: tuple[type[Message], ...] = (
        CardRead,
        ShoeAlarm,
        TakeInventory,
        ChipsInventoried,
        ReadSoftware,
        SoftwareRead,
        ResetField,
        ReaderDone,
        ReaderRefused,
        KeyDown,
        KeyUp,
        SendKeysAtOnce,
        ReportKeyUps,
        ShowText,
    )

    def open(self, role: LineEnd) -> Wire:
        del role
        return PlainWire()


PLAIN: Final = PlainCodec()
