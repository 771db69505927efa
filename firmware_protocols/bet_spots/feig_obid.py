"""FEIG OBID readers (i-scan and classic-pro), ISO host mode: the chips on bet spots. 38400 8E1, RS-232 or RS-485.

One bus carries several readers; a reader's COM-ADR is its spot, its antennas are the spot's zones. The reader speaks
only when asked and its answer does not repeat what was asked beyond the control byte, so the host end remembers the
one question outstanding; an answer to anything else is a fault.

Format (facts from the manuals H60301, H40801, H90400 and H90701): a standard frame is length, COM-ADR, control byte,
data, CRC; an advanced frame begins with 02 and has a two-byte length, high byte first. The length counts the whole
frame. Answers carry a status byte before their data. CRC-16/MCRF4XX over all before it, low byte first. No standard
frame is two bytes long, so the first byte tells the two apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, assert_never

from firmware_protocols import framing
from firmware_protocols.checksums import MCRF4XX
from firmware_protocols.codec import Line, Role, Wire
from firmware_protocols.messages import (
    ChipsInventoried,
    Message,
    ReaderDone,
    ReaderRefused,
    ReadSoftware,
    ResetField,
    SoftwareRead,
    TakeInventory,
)

NAME: Final = "feig_obid"

FRAME_LIMIT: Final = 4096
"""Longest frame in bytes: 255 records (all that the count byte can announce) of an ISO 15693 chip take 2,559."""

IDLE_NS: Final = 50_000_000
"""Silence that ends a frame begun: three times the 16 ms a USB adapter may hold bytes back."""

ANY_ADDRESS: Final = 255
"""A request to it is answered by whichever reader is there; only for a line with a single reader."""

ANTENNAS: Final = range(1, 9)

_SOFTWARE, _RF_RESET, _ISO_COMMAND = 0x65, 0x69, 0xB0
_CONTROL_OF: Final = {"read_software": _SOFTWARE, "reset_field": _RF_RESET, "take_inventory": _ISO_COMMAND}
_INVENTORY: Final = 0x01
_MODE_MORE, _MODE_ANTENNA = 0x80, 0x10
_ADVANCED: Final = 0x02
_STANDARD_LIMIT: Final = 255
_STANDARD_SHORTEST, _ADVANCED_SHORTEST = 5, 7

_OK, _NO_TRANSPONDER, _RF_ERROR, _RF_WARNING = 0x00, 0x01, 0x83, 0x84
_BUFFER_OVERFLOW, _MORE_DATA, _ISO_ERROR = 0x93, 0x94, 0x95
_STATUSES_WITH_CHIPS: Final = frozenset((_OK, _RF_WARNING, _MORE_DATA))
_STATUSES_WITH_DATA: Final = _STATUSES_WITH_CHIPS | {_RF_ERROR, _BUFFER_OVERFLOW, _ISO_ERROR}

STATUS_TEXTS: Final = {
    _OK: "done",
    _NO_TRANSPONDER: "no chip in the field",
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
    _RF_ERROR: "radio communication failed",
    _RF_WARNING: "radio disturbed, data may be incomplete",
    _BUFFER_OVERFLOW: "more chips than the reader can hold",
    _MORE_DATA: "more data waiting",
    _ISO_ERROR: "the chip refused (ISO 15693)",
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


# --- frames -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Frame:
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
    return length if control in _CONTROL_OF.values() else framing.Skip(f"control byte {control:02X} is not one of ours")


def _intact(frame: framing.Held) -> bool:
    return MCRF4XX.of(frame[:-2]) == int.from_bytes(frame[-2:], "little")


_FRAMES: Final = framing.MeasuredFrames(_measure, _intact)


def _parse(frame: bytes) -> _Frame:
    advanced = frame[0] == _ADVANCED
    at = 3 if advanced else 1
    return _Frame(frame[at], frame[at + 1], frame[at + 2 : -2], advanced)


def _build(frame: _Frame) -> bytes:
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


# --- chip records -----------------------------------------------------------------------------------

_ISO_15693, _MODE_3, _GEN2 = 0x03, 0x09, 0x84
_ISO_15693_LENGTH: Final = 8
_ANTENNA_BLOCKS: Final = (7, 8)
"""Bytes per antenna behind a Gen2 record: manuals and programs differ, so both are tried."""

_Record = tuple[str, int]
"""A chip id and where the next record begins."""


def _record(data: bytes, at: int) -> _Record | None:
    head = data[at : at + 3]
    if head[:1] == bytes((_ISO_15693,)):
        begin, length = at + 2, _ISO_15693_LENGTH
    elif len(head) == 3 and head[0] in (_MODE_3, _GEN2) and head[2]:
        begin, length = at + 3, head[2]
    else:
        return None
    end = begin + length
    # A record cut short ends beyond the data, which ``_records`` refuses.
    return data[begin:end].hex().upper(), end


def _record_by_antenna(block: int) -> Callable[[bytes, int], _Record | None]:
    def read(data: bytes, at: int) -> _Record | None:
        if data[at + 1 : at + 2] != bytes((_GEN2,)):
            return None
        found = _record(data, at + 1)
        if found is None or found[1] >= len(data):
            return None
        chip, count_at = found
        return chip, count_at + 1 + data[count_at] * block

    return read


def _records(data: bytes, read: Callable[[bytes, int], _Record | None]) -> tuple[str, ...] | None:
    chips: list[str] = []
    at = 1
    for _ in range(data[0]):
        found = read(data, at)
        if found is None:
            return None
        chip, at = found
        chips.append(chip)
    return tuple(chips) if at == len(data) else None


def _chips(data: bytes, *, by_antenna: bool) -> tuple[str, ...] | None:
    """The ids in an inventory's data; None unless exactly one reading of it fits to the last byte."""
    if not data:
        return None
    readings = [_records(data, _record)]
    if by_antenna:
        readings += [_records(data, _record_by_antenna(block)) for block in _ANTENNA_BLOCKS]
    found = set(readings) - {None}
    return found.pop() if len(found) == 1 else None


def _chip_record(chip: str) -> bytes:
    data = bytes.fromhex(chip)
    if data.hex().upper() != chip or not 1 <= len(data) <= 255:
        raise ValueError(f"chip id {chip!r} is not 1 to 255 bytes in upper-case hex")
    if len(data) == _ISO_15693_LENGTH and data[0] == 0xE0:
        return bytes((_ISO_15693, 0x00)) + data
    return bytes((_MODE_3, 0x00, len(data))) + data


def _chip_records(chips: tuple[str, ...]) -> bytes:
    if len(chips) > 255:
        raise ValueError(f"{len(chips)} chips do not fit into one answer")
    return bytes((len(chips),)) + b"".join(map(_chip_record, chips))


# --- the host end -----------------------------------------------------------------------------------


_Question = TakeInventory | ReadSoftware | ResetField
_Answer = ChipsInventoried | SoftwareRead | ReaderDone | ReaderRefused


def _inventory_body(antenna: int | None, *, more: bool) -> bytes:
    mode = _MODE_MORE if more else 0
    if antenna is None:
        return bytes((_INVENTORY, mode))
    if antenna not in ANTENNAS:
        raise ValueError(f"antenna {antenna} is not 1 to 8")
    # The antenna byte is a bit field: bit 0 is antenna 1.
    return bytes((_INVENTORY, mode | _MODE_ANTENNA, 1 << (antenna - 1)))


def _request(question: _Question) -> _Frame:
    if not 0 <= question.address <= ANY_ADDRESS:
        raise ValueError(f"address {question.address} is not 0 to 255")
    match question:
        case TakeInventory(antenna=antenna, more=more):
            body = _inventory_body(antenna, more=more)
        case ReadSoftware() | ResetField():
            body = b""
        case _:
            assert_never(question)
    return _Frame(question.address, _CONTROL_OF[framing.named(question)], body, advanced=False)


def _status_text(status: int, data: bytes) -> str:
    text = STATUS_TEXTS.get(status, "unknown status")
    if status == _ISO_ERROR and data:
        return f"{text}: {ISO_ERROR_TEXTS.get(data[0], 'unknown error')} ({data[0]:02X})"
    return text


def _answer(asked: _Question, address: int, status: int, data: bytes) -> Message | str:
    """What an answer means, or why it is none."""
    if data and status not in _STATUSES_WITH_DATA:
        return f"status {status:02X} carries no data"
    match asked:
        case TakeInventory() if status == _NO_TRANSPONDER or (status == _RF_WARNING and not data):
            return ChipsInventoried(address, (), doubtful=status == _RF_WARNING)
        case TakeInventory(antenna=antenna) if status in _STATUSES_WITH_CHIPS:
            chips = _chips(data, by_antenna=antenna is not None)
            if chips is None:
                return "the chip records do not fill the answer"
            return ChipsInventoried(address, chips, more=status == _MORE_DATA, doubtful=status == _RF_WARNING)
        case ReadSoftware() if status == _OK:
            return SoftwareRead(address, data.hex().upper()) if data else "the version is missing"
        case ResetField() if status == _OK:
            return "a reset carries no data" if data else ReaderDone(address, framing.named(asked))
        case _:
            return ReaderRefused(address, framing.named(asked), status, _status_text(status, data))


class _HostEnd:
    """Remembers the question outstanding until it is answered or another is asked."""

    def __init__(self) -> None:
        self._asked: _Question | None = None
        self._request = b""

    def write(self, message: Message) -> bytes:
        if not isinstance(message, _Question):
            raise framing.no_words(NAME, Role.HOST, message)
        self._request = _build(_request(message))
        self._asked = message
        return self._request

    def read(self, data: bytes) -> Message:
        frame, asked = _parse(data), self._asked
        if asked is None:
            return framing.fault("an answer though nothing was asked", data)
        if data == self._request:
            return framing.fault("our own request came back", data)
        if frame.control != _CONTROL_OF[framing.named(asked)]:
            return framing.fault(f"an answer with control byte {frame.control:02X} to {framing.named(asked)}", data)
        if asked.address not in (frame.address, ANY_ADDRESS) or frame.address == ANY_ADDRESS:
            return framing.fault(f"reader {frame.address} answered though reader {asked.address} was asked", data)
        if not frame.body:
            return framing.fault("an answer without a status", data)
        answer = _answer(asked, frame.address, frame.body[0], frame.body[1:])
        if isinstance(answer, str):
            return framing.fault(answer, data)
        self._asked = None
        return answer


# --- the device end ---------------------------------------------------------------------------------


def _asked_inventory(address: int, body: bytes) -> TakeInventory | None:
    if len(body) < 2 or body[0] != _INVENTORY or body[1] & ~(_MODE_MORE | _MODE_ANTENNA):
        return None
    more = bool(body[1] & _MODE_MORE)
    selected = body[2:]
    if not body[1] & _MODE_ANTENNA:
        return None if selected else TakeInventory(address, more=more)
    # One antenna at a time is all that the table asks for, so several bits are not understood.
    if len(selected) != 1 or selected[0].bit_count() != 1:
        return None
    return TakeInventory(address, selected[0].bit_length(), more)


def _reply(message: Message) -> tuple[str, int, bytes]:
    """Command answered, status and data of an answer."""
    match message:
        case ChipsInventoried(chips=(), more=False, doubtful=False):
            return "take_inventory", _NO_TRANSPONDER, b""
        case ChipsInventoried(chips=chips, more=more, doubtful=doubtful) if not (more and doubtful):
            status = _MORE_DATA if more else _RF_WARNING if doubtful else _OK
            return "take_inventory", status, _chip_records(chips)
        case SoftwareRead(version=version) if version and bytes.fromhex(version).hex().upper() == version:
            return "read_software", _OK, bytes.fromhex(version)
        case ReaderDone(command="reset_field"):
            return "reset_field", _OK, b""
        case ReaderRefused(command="take_inventory", status=status) if status in (
            _STATUSES_WITH_CHIPS | {_NO_TRANSPONDER}
        ):
            raise ValueError(f"status {status:02X} does not refuse an inventory")
        case ReaderRefused(command=command, status=status) if command in _CONTROL_OF and 0 < status <= 255:
            return command, status, b"\x0f" if status == _ISO_ERROR else b""
        case _:
            raise framing.no_words(NAME, Role.DEVICE, message)


class _DeviceEnd:
    """All readers of one bus; answers in advanced frames whoever asked in one."""

    def __init__(self) -> None:
        self._asked_in_advanced = False

    def read(self, data: bytes) -> Message:
        frame = _parse(data)
        question: Message | None = None
        if frame.control == _ISO_COMMAND:
            question = _asked_inventory(frame.address, frame.body)
        elif not frame.body:
            question = ReadSoftware(frame.address) if frame.control == _SOFTWARE else ResetField(frame.address)
        if question is None:
            return framing.fault("a request that is not understood", data)
        self._asked_in_advanced = frame.advanced
        return question

    def write(self, message: Message) -> bytes:
        command, status, data = _reply(message)
        assert isinstance(message, _Answer)
        if not 0 <= message.address < ANY_ADDRESS:
            raise ValueError(f"a reader's address is 0 to 254, not {message.address}")
        body = bytes((status,)) + data
        return _build(_Frame(message.address, _CONTROL_OF[command], body, self._asked_in_advanced))


def _end(role: Role) -> Wire:
    end = _HostEnd() if role is Role.HOST else _DeviceEnd()
    return framing.FramedWire(_FRAMES, end.read, end.write, frame_limit=FRAME_LIMIT)


CODEC: Final = framing.FramedCodec(
    name=NAME,
    line=Line(baud=38400, parity="E"),
    idle_ns=IDLE_NS,
    vocabulary=(TakeInventory, ReadSoftware, ResetField, ChipsInventoried, SoftwareRead, ReaderDone, ReaderRefused),
    ends=_end,
)
