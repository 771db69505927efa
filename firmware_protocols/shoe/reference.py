"""The reference shoe, version 2: an open protocol for shoes that lose no card. 115200 8N1 or USB CDC.

docs/reference/reference-shoe.md specifies it.

Everything is asked for by the table PC, but draws and changes of state, which the shoe tells at once. The shoe keeps a
draw until it is acknowledged, so whatever is unplugged, and when, each draw arrives. Its number, and the series of the
memory that gave it, tell it from every other. Neither end needs a clock for that but the table PC.

A frame is a type byte, a body and CRC-16/IBM-3740 over both, high byte first; all of it in COBS (consistent overhead
byte stuffing), so that the byte 00 ends a frame and stands nowhere else. Numbers have the high byte first.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firmware_protocols.cards import Card, Rank, Suit
from firmware_protocols.checksums import IBM_3740
from firmware_protocols.cobs_frames import CobsFrames, read_texts, text_bytes
from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.framing import FramedCodec, FramedWire, fault, no_words
from firmware_protocols.messages import (
    AcknowledgeDraw,
    CardRead,
    CheckShoe,
    IdentifyShoe,
    LockShoe,
    Message,
    SendDraws,
    ShoeAlarm,
    ShoeIdentified,
    ShoeStatus,
    ShowDraws,
)

NAME: Final = "reference"

FRAME_LIMIT: Final = 72
"""Longest frame in bytes, with its COBS byte and the 00 behind it: up to here 16 bits of check are enough."""

IDLE_NS: Final = 50_000_000
"""Silence that ends a frame begun: three times the 16 ms a USB adapter may hold bytes back."""

DRAWS_KEPT: Final = 120
"""Draws a shoe keeps at most: what passes in a round or two while the table PC is away."""

_FRAMES: Final = CobsFrames(FRAME_LIMIT, 2, IBM_3740.of)
_frame = _FRAMES.frame

_IDENTIFY, _CHECK, _SEND, _ACKNOWLEDGE, _LOCK, _SHOW = 0x01, 0x02, 0x03, 0x04, 0x05, 0x06
_IDENTIFIED, _STATUS, _DRAW, _ALARM = 0x81, 0x82, 0x83, 0x84
_AWAKE, _LOCKED, _LID_OPEN, _BURNING = 0x01, 0x02, 0x04, 0x08
_BURNT: Final = 0x01
_UNREAD: Final = 0x00
_ANY_TOKEN: Final = range(0x10000)
_VERSIONS: Final = range(2, 0x100)
_NUMBER: Final = range(0x1_0000_0000)
_SERIAL_LENGTH, _NAME_LENGTH, _CODE_LENGTH, _TEXT_LENGTH = 16, 12, 8, 48

_RANKS: Final = tuple(Rank)
_SUITS: Final = tuple(Suit)


# --- parts of a body --------------------------------------------------------------------------------


def _within(value: int, allowed: range, what: str) -> int:
    if value not in allowed:
        raise ValueError(f"{what} {value} is not {allowed.start} to {allowed.stop - 1}")
    return value


def _no_card(byte: int) -> int:
    if byte not in range(0x100) or byte in _FACES:
        raise ValueError(f"unknown {byte} is not a byte that stands for no card")
    return byte


def _token(token: int) -> bytes:
    return _within(token, _ANY_TOKEN, "token").to_bytes(2, "big")


def _number(value: int, what: str) -> bytes:
    return _within(value, _NUMBER, what).to_bytes(4, "big")


def _of(body: bytes) -> int:
    return int.from_bytes(body, "big")


_IDENTITY_BOUNDS: Final = ((1, _NAME_LENGTH), (1, _NAME_LENGTH), (1, _SERIAL_LENGTH), (1, _NAME_LENGTH))
_ALARM_BOUNDS: Final = ((1, _CODE_LENGTH), (0, _TEXT_LENGTH))


def _card_byte(face: Card | None) -> int:
    if face is None:
        return _UNREAD
    return (_RANKS.index(face.rank) + 1) << 4 | _SUITS.index(face.suit)


_FACES: Final[dict[int, Card | None]] = {_card_byte(face): face for face in (None, *Card)}


# --- the host end -----------------------------------------------------------------------------------


def _identified(body: bytes) -> Message | None:
    first = read_texts(body[2:], _IDENTITY_BOUNDS)
    texts = first if first is not None else read_texts(body[2:-5], _IDENTITY_BOUNDS)
    if texts is None or (first is None and body[-5] not in _VERSIONS):
        return None
    vendor, model, serial, firmware = texts
    version, series = (1, 0) if first is not None else (body[-5], _of(body[-4:]))
    return ShoeIdentified(_of(body[:2]), vendor, model, serial, firmware, series, version)


def _status(body: bytes) -> Message | None:
    if len(body) != 12:
        return None
    flags, waiting = body[6], body[11]
    if flags & ~(_AWAKE | _LOCKED | _LID_OPEN | _BURNING) or waiting > DRAWS_KEPT:
        return None
    return ShoeStatus(
        _of(body[:2]),
        _of(body[2:6]),
        _of(body[7:11]),
        waiting,
        awake=bool(flags & _AWAKE),
        locked=bool(flags & _LOCKED),
        lid_open=bool(flags & _LID_OPEN),
        burning=bool(flags & _BURNING),
    )


def _draw(body: bytes) -> Message | None:
    if len(body) != 10:
        return None
    series, sequence, flags, card = _of(body[:4]), _of(body[4:8]), body[8], body[9]
    # Whatever stands for the card, one has left the shoe under this number, and nothing behind it comes before it.
    face, unknown = (_FACES[card], 0) if card in _FACES else (None, card)
    return CardRead(face, bool(flags & _BURNT), sequence, series, unknown)


def _alarm(body: bytes) -> Message | None:
    texts = read_texts(body, _ALARM_BOUNDS)
    return None if texts is None else ShoeAlarm(*texts)


_Reader = Callable[[bytes], Message | None]
"""What a body means, or None where it means nothing."""

_REPORTS: Final[dict[int, _Reader]] = {_IDENTIFIED: _identified, _STATUS: _status, _DRAW: _draw, _ALARM: _alarm}


def _read(data: bytes, readers: dict[int, _Reader], otherwise: str) -> Message:
    content = _FRAMES.content(data[:-1])
    reader = readers.get(content[0]) if content else None
    message = reader(content[1:]) if content and reader else None
    return fault(otherwise, data) if message is None else message


def _read_report(data: bytes) -> Message:
    return _read(data, _REPORTS, "not a report of a shoe")


def _write_as_host(message: Message) -> bytes:
    match message:
        case IdentifyShoe(token):
            return _frame(_IDENTIFY, _token(token))
        case CheckShoe(token) if token:
            return _frame(_CHECK, _token(token))
        case SendDraws(series):
            return _frame(_SEND, _number(series, "series"))
        case ShowDraws(series):
            return _frame(_SHOW, _number(series, "series"))
        case AcknowledgeDraw(series, sequence):
            return _frame(_ACKNOWLEDGE, _number(series, "series") + _number(sequence, "sequence"))
        case LockShoe(locked):
            return _frame(_LOCK, bytes((locked,)))
        case _:
            raise no_words(NAME, LineEnd.HOST, message)


# --- the shoe's end ---------------------------------------------------------------------------------


def _identify(body: bytes) -> Message | None:
    return IdentifyShoe(int.from_bytes(body, "big")) if len(body) == 2 else None


def _check(body: bytes) -> Message | None:
    return CheckShoe(int.from_bytes(body, "big")) if len(body) == 2 and any(body) else None


def _send(body: bytes) -> Message | None:
    return SendDraws(_of(body)) if len(body) == 4 else None


def _show(body: bytes) -> Message | None:
    return ShowDraws(_of(body)) if len(body) == 4 else None


def _acknowledge(body: bytes) -> Message | None:
    return AcknowledgeDraw(_of(body[:4]), _of(body[4:])) if len(body) == 8 else None


def _lock(body: bytes) -> Message | None:
    return LockShoe(locked=body == b"\1") if body in (b"\0", b"\1") else None


_COMMANDS: Final[dict[int, _Reader]] = {
    _IDENTIFY: _identify,
    _CHECK: _check,
    _SEND: _send,
    _ACKNOWLEDGE: _acknowledge,
    _LOCK: _lock,
    _SHOW: _show,
}


def _read_command(data: bytes) -> Message:
    return _read(data, _COMMANDS, "not a command to a shoe")


def _write_as_shoe(message: Message) -> bytes:
    match message:
        case ShoeIdentified(token, vendor, model, serial, firmware, series, version):
            texts = zip((vendor, model, serial, firmware), _IDENTITY_BOUNDS, strict=True)
            said = _token(token) + b"".join(text_bytes(text, *bounds) for text, bounds in texts)
            if version == 1:
                return _frame(_IDENTIFIED, said)
            said += bytes((_within(version, _VERSIONS, "version"),))
            return _frame(_IDENTIFIED, said + _number(series, "series"))
        case ShoeStatus(token, series, oldest, waiting, awake, locked, lid_open, burning):
            flags = awake * _AWAKE | locked * _LOCKED | lid_open * _LID_OPEN | burning * _BURNING
            kept = _number(oldest, "oldest") + bytes((_within(waiting, range(DRAWS_KEPT + 1), "waiting"),))
            return _frame(_STATUS, _token(token) + _number(series, "series") + bytes((flags,)) + kept)
        case CardRead(face, burn, sequence, series, unknown) if sequence is not None and series is not None:
            numbers = _number(series, "series") + _number(sequence, "sequence")
            card = _no_card(unknown) if unknown else _card_byte(face)
            return _frame(_DRAW, numbers + bytes((burn * _BURNT, card)))
        case ShoeAlarm(code, text):
            return _frame(_ALARM, text_bytes(code, *_ALARM_BOUNDS[0]) + text_bytes(text, *_ALARM_BOUNDS[1]))
        case _:
            raise no_words(NAME, LineEnd.DEVICE, message)


def _end(role: LineEnd) -> Wire:
    if role is LineEnd.HOST:
        return FramedWire(_FRAMES.scan, _read_report, _write_as_host, frame_limit=FRAME_LIMIT)
    return FramedWire(_FRAMES.scan, _read_command, _write_as_shoe, frame_limit=FRAME_LIMIT)


CODEC: Final = FramedCodec(
    name=NAME,
    line=Line(baud=115_200),
    idle_ns=IDLE_NS,
    vocabulary=(
        IdentifyShoe,
        ShoeIdentified,
        CheckShoe,
        ShoeStatus,
        SendDraws,
        ShowDraws,
        CardRead,
        AcknowledgeDraw,
        LockShoe,
        ShoeAlarm,
    ),
    ends=_end,
)
