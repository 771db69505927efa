"""The trigger box protocol: an open one of ours, for a line or a local socket. docs/reference/mystery-trigger.md.

The table asks; the box answers, and tells of itself what a hit brings with it. A frame is a type byte, a body and
CRC-32/ISO-HDLC over both, high byte first; all of it in COBS, with the byte 00 behind. Numbers have 8 bytes, tokens 2,
high byte first; a text is a byte that counts and as many of printable ASCII.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from firmware_protocols.cobs_frames import CobsFrames, read_texts, text_bytes
from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.framing import FramedCodec, FramedWire, fault, no_words
from firmware_protocols.messages import Message
from firmware_protocols.trigger_messages import (
    CheckTrigger,
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    GreetTrigger,
    HeadKept,
    KeepHead,
    OpenCycle,
    RecallCycle,
    RecallHead,
    TriggerAlarm,
    TriggerCondition,
    TriggerGreeted,
    TriggerStatus,
)

NAME: Final = "tableside"

FRAME_LIMIT: Final = 128
"""Longest frame in bytes, with its COBS byte and the 00 behind it; a signed head, the longest, has 119."""

IDLE_NS: Final = 50_000_000
"""Silence that ends a frame begun: three times the 16 ms a USB adapter may hold bytes back."""

NUMBER_LIMIT: Final = 1 << 63
"""Numbers are below this: a store may keep them with a sign."""

_FRAMES: Final = CobsFrames(FRAME_LIMIT, 4, zlib.crc32)
_NAME, _SERIAL, _FIRMWARE, _CODE, _TEXT = (1, 32), (1, 16), (1, 12), (1, 16), (0, 64)
_ZERO_ALLOWED: Final = frozenset({"epoch", "drawn_cents", "start_units", "award_cents"})
_CONDITIONS: Final = tuple(TriggerCondition)


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a message lies in a frame: numbers and bytes by ``struct`` in the order of its fields, then its texts."""

    kind: int
    message: type[Any]
    fixed: str
    fields: tuple[str, ...]
    texts: tuple[tuple[str, tuple[int, int]], ...] = ()

    def body(self, message: Message) -> bytes:
        """The body; ``ValueError`` for what the layout has no room for."""
        values = [_packed(name, getattr(message, name)) for name in self.fields]
        for name, text, code in zip(self.fields, values, _codes(self.fixed), strict=True):
            if code.endswith("s") and len(text) != int(code[:-1]):
                raise ValueError(f"{name} has {len(text)} bytes, expected {code[:-1]}")
        try:
            fixed = struct.pack(f">{self.fixed}", *values)
        except struct.error as error:
            raise ValueError(f"{type(message).__name__}: {error}") from error
        return fixed + b"".join(text_bytes(getattr(message, name), *bounds) for name, bounds in self.texts)

    def read(self, body: bytes) -> Message | None:
        """The message a body means, None where it means nothing."""
        size = struct.calcsize(f">{self.fixed}")
        texts = read_texts(body[size:], tuple(bounds for _, bounds in self.texts))
        if len(body) < size or texts is None:
            return None
        values = zip(self.fields, struct.unpack(f">{self.fixed}", body[:size]), strict=True)
        named_texts = dict(zip((name for name, _ in self.texts), texts, strict=True))
        try:
            message: Message = self.message(**{name: _unpacked(name, value) for name, value in values}, **named_texts)
            _check(message)
        except (ValueError, IndexError):
            return None
        return message


def _codes(fixed: str) -> list[str]:
    """``"HQ32s"`` -> ``["H", "Q", "32s"]``."""
    codes: list[str] = []
    digits = ""
    for letter in fixed:
        digits = digits + letter if letter.isdigit() else digits
        if not letter.isdigit():
            codes.append(digits + letter)
            digits = ""
    return codes


def _packed(name: str, value: Any) -> Any:  # noqa: ANN401 - what a field holds
    return _CONDITIONS.index(value) if name == "condition" else int(value) if name == "hit" else value


def _unpacked(name: str, value: Any) -> Any:  # noqa: ANN401 - what a field holds
    if name == "hit":
        return (False, True)[value]
    return _CONDITIONS[value] if name == "condition" else value


def _check(message: Message) -> None:
    """Refuse, with ``ValueError``, numbers that mean nothing."""
    numbers = {name: value for name in message.__struct_fields__ if type(value := getattr(message, name)) is int}
    may_be_zero = _ZERO_ALLOWED | ({"cycle", "number"} if isinstance(message, GreetTrigger | TriggerStatus) else set())
    if isinstance(message, TriggerStatus):
        may_be_zero |= {"token"}
    if isinstance(message, HeadKept):
        may_be_zero |= {"size"}
    for name, value in numbers.items():
        if not (name not in may_be_zero) <= value < NUMBER_LIMIT:
            raise ValueError(f"{name} {value} is out of range")
    if isinstance(message, ContributionAnswered) and message.hit != (message.award_cents > 0):
        raise ValueError("an award and a hit go together")


_COMMANDS: Final = (
    _Layout(0x01, GreetTrigger, "HQQQ", ("token", "epoch", "cycle", "number"), (("site", _NAME), ("table", _NAME))),
    _Layout(0x02, CheckTrigger, "H", ("token",)),
    _Layout(0x03, OpenCycle, "Q32s", ("cycle", "share")),
    _Layout(0x04, Contribute, "QQ", ("number", "amount_units")),
    _Layout(0x05, RecallCycle, "Q", ("cycle",)),
    _Layout(0x06, KeepHead, "QQ32s64s", ("epoch", "size", "root", "signature")),
    _Layout(0x07, RecallHead, "", ()),
)

_REPORTS: Final = (
    _Layout(
        0x81,
        TriggerGreeted,
        "HQQQ",
        ("token", "reset_cents", "ceiling_cents", "most_units"),
        (("serial", _SERIAL), ("firmware", _FIRMWARE)),
    ),
    _Layout(0x82, TriggerStatus, "HBQQ", ("token", "condition", "cycle", "number")),
    _Layout(
        0x83,
        CycleCommitted,
        "QQQQ32s",
        ("cycle", "start_units", "reset_cents", "ceiling_cents", "commitment"),
    ),
    _Layout(0x84, ContributionAnswered, "QQQQB", ("number", "cycle", "meter_units", "award_cents", "hit")),
    _Layout(0x85, CycleRevealed, "QQQ32s", ("cycle", "number", "drawn_cents", "key")),
    _Layout(0x86, TriggerAlarm, "", (), (("code", _CODE), ("text", _TEXT))),
    _Layout(0x87, HeadKept, "QQ32s64s", ("epoch", "size", "root", "signature")),
)


class _End:
    """What one end says and hears."""

    def __init__(self, role: LineEnd, says: Iterable[_Layout], hears: Iterable[_Layout]) -> None:
        self.role = role
        self.says = {layout.message: layout for layout in says}
        self.hears = {layout.kind: layout for layout in hears}

    def read(self, data: bytes) -> Message:
        """What a whole frame means."""
        content = _FRAMES.content(data[:-1])
        layout = self.hears.get(content[0]) if content else None
        message = layout.read(content[1:]) if content and layout else None
        if message is None:
            return fault(f"not a message for the {self.role.value} end of a trigger box's line", data)
        return message

    def write(self, message: Message) -> bytes:
        """The frame of a message."""
        layout = self.says.get(type(message))
        if layout is None:
            raise no_words(NAME, self.role, message)
        _check(message)
        return _FRAMES.frame(layout.kind, layout.body(message))


_ENDS: Final = {
    LineEnd.HOST: _End(LineEnd.HOST, _COMMANDS, _REPORTS),
    LineEnd.DEVICE: _End(LineEnd.DEVICE, _REPORTS, _COMMANDS),
}


def _open(role: LineEnd) -> Wire:
    return FramedWire(_FRAMES.scan, _ENDS[role].read, _ENDS[role].write, frame_limit=FRAME_LIMIT)


CODEC: Final = FramedCodec(
    name=NAME,
    line=Line(baud=115_200),
    idle_ns=IDLE_NS,
    vocabulary=tuple(layout.message for layout in (*_COMMANDS, *_REPORTS)),
    ends=_open,
)
