"""FEIG OBID frames and the status bytes in them; private to the ``feig_obid`` codecs, whose format they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_protocols import framing
from firmware_protocols.checksums import MCRF4XX

FRAME_LIMIT: Final = 4096
"""Longest frame in bytes: 255 records (all that the count byte can announce) of an ISO 15693 chip take 2,559."""

SOFTWARE, RF_RESET, ISO_COMMAND = 0x65, 0x69, 0xB0
"""Control bytes."""

_CONTROLS: Final = frozenset((SOFTWARE, RF_RESET, ISO_COMMAND))
_ADVANCED: Final = 0x02
_STANDARD_LIMIT: Final = 255
_STANDARD_SHORTEST, _ADVANCED_SHORTEST = 5, 7

OK, NO_TRANSPONDER, RF_ERROR, RF_WARNING = 0x00, 0x01, 0x83, 0x84
BUFFER_OVERFLOW, MORE_DATA, ISO_ERROR = 0x93, 0x94, 0x95
"""Status bytes that are more than a refusal."""

STATUSES_WITH_CHIPS: Final = frozenset((OK, RF_WARNING, MORE_DATA))
STATUSES_WITH_DATA: Final = STATUSES_WITH_CHIPS | {RF_ERROR, BUFFER_OVERFLOW, ISO_ERROR}

STATUS_TEXTS: Final = {
    OK: "done",
    NO_TRANSPONDER: "no chip in the field",
    0x02: "data from the chip failed their check",
    0x03: "writing to the chip failed",
    0x04: "no such address on the chip",
    0x05: "wrong type of chip for this command",
    0x08: "authentication failed",
    0x0B: "chips answered on top of each other",
    0x0E: "general error",
    0x10: "the reader's settings memory failed",
    0x11: "a parameter is out of range",
    0x13: "login needed",
    0x14: "login failed",
    0x15: "protected against reading",
    0x16: "protected against writing",
    0x17: "the reader's firmware must be activated",
    0x80: "unknown command",
    0x81: "wrong length of command",
    0x82: "command not available now",
    RF_ERROR: "radio communication failed",
    RF_WARNING: "radio disturbed, data may be incomplete",
    BUFFER_OVERFLOW: "more chips than the reader can hold",
    MORE_DATA: "more data waiting",
    ISO_ERROR: "the chip refused (ISO 15693)",
    0x96: "the chip refused (ISO 14443)",
    0xF1: "hardware warning",
}
"""Status bytes in words; others are said to be unknown."""

ISO_ERROR_TEXTS: Final = {
    0x01: "command not supported",
    0x02: "command not recognised",
    0x03: "option not supported",
    0x0F: "unknown error",
    0x10: "block not available",
    0x11: "block already locked",
    0x12: "block locked",
    0x13: "block not programmed",
    0x14: "block not locked",
}
"""The error byte that follows status 95, in words."""


def status_text(status: int, data: bytes) -> str:
    """A status in words, with the chip's own error where it came with one."""
    text = STATUS_TEXTS.get(status, "unknown status")
    if status == ISO_ERROR and data:
        return f"{text}: {ISO_ERROR_TEXTS.get(data[0], 'unknown error')} ({data[0]:02X})"
    return text


# --- frames -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Frame:
    """A frame taken apart: ``body`` is what stands between control byte and check."""

    address: int
    control: int
    body: bytes
    advanced: bool


def _measure(held: framing.Held) -> int | framing.Wait | framing.Skip:
    advanced = held[0] == _ADVANCED
    header = 3 if advanced else 1
    if len(held) < header:
        return framing.WAIT
    length = int.from_bytes(held[1:3], "big") if advanced else held[0]
    shortest = _ADVANCED_SHORTEST if advanced else _STANDARD_SHORTEST
    if not shortest <= length <= FRAME_LIMIT:
        return framing.Skip("no frame is as long as this")
    if len(held) < header + 2:
        return framing.WAIT
    # Judging the control byte at once keeps a stray byte from being waited for as if it were a length.
    control = held[header + 1]
    return length if control in _CONTROLS else framing.Skip(f"control byte {control:02X} is not one of ours")


def _intact(frame: framing.Held) -> bool:
    return MCRF4XX.of(frame[:-2]) == int.from_bytes(frame[-2:], "little")


FRAMES: Final = framing.MeasuredFrames(_measure, _intact)
"""Scanner for frames of either kind."""


def parse(frame: bytes) -> Frame:
    """Take a whole, intact frame apart."""
    advanced = frame[0] == _ADVANCED
    at = 3 if advanced else 1
    return Frame(frame[at], frame[at + 1], frame[at + 2 : -2], advanced)


def build(frame: Frame) -> bytes:
    """The bytes of a frame; one that does not fit into a standard frame is an advanced one.

    Raises:
        ValueError: it is longer than ``FRAME_LIMIT``.
    """
    rest = bytes((frame.address, frame.control)) + frame.body
    standard_length = 1 + len(rest) + 2
    if frame.advanced or standard_length > _STANDARD_LIMIT:
        length = standard_length + 2
        if length > FRAME_LIMIT:
            raise ValueError(f"a frame of {length} bytes is longer than the {FRAME_LIMIT} allowed")
        data = bytes((_ADVANCED,)) + length.to_bytes(2, "big") + rest
    else:
        data = bytes((standard_length,)) + rest
    return data + MCRF4XX.of(data).to_bytes(2, "little")
