"""TrueRNG hardware generators (ubld.it): a bare stream of random bytes over USB CDC, from the moment DTR is set.

There are no frames and nothing is said to the device. The stream is cut into blocks of 64 bytes only to be handed on;
where a block begins means nothing. The Pro and the Pro V2 send in one of several modes, and keep it. It is chosen by a
knock, as the vendor's program does it (truerng_mode.py): the port is opened and closed at 110, 300 and 110 baud, and
the speed of the next opening is the mode; 300 is the normal one. Other models take no notice of speeds. Those of the
bytes are USB's in any case.

What a noise source would not send in the age of the universe is no noise: a block of text (wrong mode), one whose top
bits are all clear (a line of seven data bits), one of a single value (stuck), one of which every other byte has four
clear bits above (the samples of its converter as they are). Each is a line fault that says so.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.framing import WAIT, FramedCodec, FramedWire, Held, ScanResult, Take, fault, no_words
from firmware_protocols.messages import Message, NoiseTaken

NAME: Final = "truerng"

BLOCK_BYTES: Final = 64
"""Bytes handed on together: enough that text in them is no chance (98 of 256 values, 64 times: 1 in 10^26)."""

NORMAL_MODE: Final = 300
KNOCK: Final = (110, 300, 110)
"""Speeds that announce the choice of a mode, and the one that chooses the normal mode."""

IDLE_NS: Final = 500_000_000
"""Silence after which a block begun is given up; the slowest mode fills a block in 40 ms."""

_TEXT: Final = bytes((*range(0x20, 0x7F), 0x09, 0x0A, 0x0D))
_SAMPLE_HIGH: Final = 0x10
"""Above the high byte of a sample, which has 12 bits (the vendor's text modes write 0x0RRR)."""
_SEVEN_BITS: Final = bytes(range(0x80))


def _scan(held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
    return Take(BLOCK_BYTES) if len(held) >= BLOCK_BYTES else WAIT


def _read(block: bytes) -> Message:
    if block.count(block[0]) == len(block):
        return fault(f"{BLOCK_BYTES} times the same byte: the noise source is stuck", block)
    if not block.translate(None, _TEXT):
        return fault("text, not noise: the generator is in an ASCII mode; unplug it", block)
    if not block.translate(None, _SEVEN_BITS):
        return fault("the top bit is never set: the line drops it, or this is no noise source", block)
    if any(all(byte < _SAMPLE_HIGH for byte in block[begin::2]) for begin in (0, 1)):
        return fault("samples of a converter, not noise: the generator is in a raw mode; unplug it", block)
    return NoiseTaken(block)


def _read_nothing(block: bytes) -> Message:
    return fault("nothing is said to a noise source", block)


def _write_as_host(message: Message) -> bytes:
    raise no_words(NAME, LineEnd.HOST, message)


def _write_as_device(message: Message) -> bytes:
    if not isinstance(message, NoiseTaken):
        raise no_words(NAME, LineEnd.DEVICE, message)
    if len(message.data) != BLOCK_BYTES or not isinstance(_read(message.data), NoiseTaken):
        raise ValueError(f"{NAME} sends noise in blocks of {BLOCK_BYTES} bytes")
    return message.data


def _open(role: LineEnd) -> Wire:
    if role is LineEnd.HOST:
        return FramedWire(_scan, _read, _write_as_host, frame_limit=BLOCK_BYTES)
    return FramedWire(_scan, _read_nothing, _write_as_device, frame_limit=BLOCK_BYTES)


CODEC: Final = FramedCodec(
    name=NAME, line=Line(baud=NORMAL_MODE, knock=KNOCK), idle_ns=IDLE_NS, vocabulary=(NoiseTaken,), ends=_open
)
