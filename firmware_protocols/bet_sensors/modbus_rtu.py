"""Bet sensors as a Modbus RTU server: discrete inputs for wagers, coils for lock and lamps. RS-485, 19200 8E1.

No maker of bet sensors has published what its sensors say, so this is a register map of ours on a real, public protocol
(Modbus Application Protocol 1.1b3, Modbus over Serial Line 1.02), which any input and output block can be wired to:

- discrete inputs 0 to 7: sensor 1 to 8 is covered now; 8 to 15: it was when the unit was locked;
- coil 0: locked; coils 1 to 8: the lamp of sensor 1 to 8.

Coil 0 going on latches the inputs, going off clears them. A frame is address, function, data, CRC-16/Modbus with its
low byte first. RTU separates frames by silence of 3.5 characters (2 ms), which no USB adapter passes on faithfully;
here the function tells a frame's length, and silence only ends what was begun. Functions: read coils (01, always all
nine), read discrete inputs (02, eight or sixteen from input 0), write one coil (05, coil 0 only), write coils (0F, from
coil 0). A unit refuses everything else as the standard says: another function with code 01, other inputs or coils with
02, a quantity or a value that no request may have with 03.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.checksums import MODBUS
from firmware_protocols.codec import Line, LineEnd
from firmware_protocols.framing import WAIT, FramedCodec, FramedWire, Held, MeasuredFrames, Skip, Wait, fault, no_words
from firmware_protocols.messages import Message
from firmware_protocols.sensor_messages import (
    SENSORS_LIMIT,
    AskOtherwise,
    LockSensors,
    ReadSensorOutputs,
    ReadSensors,
    SensorOutputs,
    SensorsLocked,
    SensorsRead,
    SensorsRefused,
    SensorsSet,
    SetSensors,
)

NAME: Final = "modbus_rtu"

IDLE_NS: Final = 50_000_000
"""Silence that ends a frame begun: three times the 16 ms a USB adapter may hold bytes back."""

ADDRESSES: Final = range(1, 248)
"""Units on a line. Address 0 means all of them, and nobody answers to it: it is not used."""

FRAME_LIMIT: Final = 11
"""Longest frame of ours in bytes: nine coils written."""

REQUEST_LIMIT: Final = 256
"""Longest request in bytes that the standard knows."""

_READ_COILS, _READ_INPUTS, _WRITE_COIL, _WRITE_COILS = 0x01, 0x02, 0x05, 0x0F
_REFUSED: Final = 0x80
_ON, _OFF = b"\xff\x00", b"\x00\x00"
_COILS: Final = 1 + SENSORS_LIMIT
_COMMANDS: Final = {
    "read_sensor_outputs": _READ_COILS,
    "read_sensors": _READ_INPUTS,
    "lock_sensors": _WRITE_COIL,
    "set_sensors": _WRITE_COILS,
}
_NAMES: Final = {function: name for name, function in _COMMANDS.items()}
_LENGTHS: Final = {
    **dict.fromkeys((0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x08), 8),
    **dict.fromkeys((0x07, 0x0B, 0x0C, 0x11), 4),
    0x16: 10,
    0x18: 6,
    0x2B: 7,
}
"""Bytes of the standard's requests that always are so long."""
_COUNTED: Final = {0x0F: 6, 0x10: 6, 0x14: 2, 0x15: 2, 0x17: 10}
"""Where the byte stands that counts what follows, in those that are not."""
_BAD_FUNCTION, _BAD_ADDRESS, _BAD_VALUE = 1, 2, 3
_MOST_READ: Final = 2000
_MOST_WRITTEN: Final = 1968
"""Coils or inputs of one request at most (the standard)."""
_NO_FRAME: Final = Skip("no frame begins here")


# --- frames ---------------------------------------------------------------------------------------------


def _intact(frame: Held) -> bool:
    return MODBUS.of(frame[:-2]) == int.from_bytes(frame[-2:], "little")


def _frame(address: int, function: int, data: bytes) -> bytes:
    body = bytes((address, function)) + data
    return body + MODBUS.of(body).to_bytes(2, "little")


def _question_bytes(held: Held) -> int | Wait | Skip:
    """The length of what a host says; see ``MeasuredFrames``."""
    if held[0] not in ADDRESSES:
        return _NO_FRAME
    if len(held) < 2:
        return WAIT
    if held[1] in _LENGTHS:
        return _LENGTHS[held[1]]
    count_at = _COUNTED.get(held[1], 0)
    if not count_at:
        return _NO_FRAME
    if len(held) <= count_at:
        return WAIT
    length = count_at + 3 + held[count_at]
    return length if length <= REQUEST_LIMIT else _NO_FRAME


def _answer_bytes(held: Held) -> int | Wait | Skip:
    """The length of what a unit says; see ``MeasuredFrames``."""
    if held[0] not in ADDRESSES:
        return _NO_FRAME
    if len(held) < 2:
        return WAIT
    if held[1] & _REFUSED:
        return 5 if _is_known(held[1] & ~_REFUSED) else _NO_FRAME
    if held[1] not in _NAMES:
        return _NO_FRAME
    if held[1] in (_WRITE_COIL, _WRITE_COILS):
        return 8
    if len(held) < 3:
        return WAIT
    return 5 + held[2] if held[2] in (1, 2) else _NO_FRAME


def _is_known(function: int) -> bool:
    return function in _LENGTHS or function in _COUNTED


def _named(function: int) -> str:
    return _NAMES.get(function, f"function_{function:02X}")


def _function(command: str) -> int:
    """The function with such a name, 0 if there is none."""
    return next((function for function in (*_LENGTHS, *_COUNTED) if _named(function) == command), 0)


def _word(number: int) -> bytes:
    return number.to_bytes(2, "big")


# --- bits -----------------------------------------------------------------------------------------------


def _packed(bits: tuple[bool, ...]) -> bytes:
    """The first bit lowest in the first byte; what is left of the last byte is zero."""
    value = sum(1 << place for place, bit in enumerate(bits) if bit)
    return value.to_bytes(-(-len(bits) // 8), "little")


def _bits(data: bytes, count: int) -> tuple[bool, ...] | None:
    """``count`` bits, None if ``data`` is not as long as they are or has others set."""
    value = int.from_bytes(data, "little")
    if len(data) != -(-count // 8) or value >> count:
        return None
    return tuple(bool(value >> place & 1) for place in range(count))


def _numbers(value: int) -> tuple[int, ...]:
    return tuple(place + 1 for place in range(SENSORS_LIMIT) if value >> place & 1)


def _byte(numbers: tuple[int, ...]) -> int | None:
    """The sensors as bits, None if they are no sensors' numbers or not in order."""
    value = sum(1 << (number - 1) for number in {*numbers} if 1 <= number <= SENSORS_LIMIT)
    return value if _numbers(value) == numbers else None


# --- what the host says ---------------------------------------------------------------------------------


def _read_as_unit(frame: bytes) -> Message:
    address, function, data = frame[0], frame[1], frame[2:-2]
    return _request_of(address, function, data) or AskOtherwise(address, _named(function), _refusal(function, data))


def _request_of(address: int, function: int, data: bytes) -> Message | None:
    if function == _READ_COILS:
        return ReadSensorOutputs(address) if data == _word(0) + _word(_COILS) else None
    if function == _READ_INPUTS:
        counts = {_word(0) + _word(count): count > SENSORS_LIMIT for count in (SENSORS_LIMIT, 2 * SENSORS_LIMIT)}
        return ReadSensors(address, latched=counts[data]) if data in counts else None
    if function == _WRITE_COIL:
        states = {_word(0) + _ON: True, _word(0) + _OFF: False}
        return LockSensors(address, states[data]) if data in states else None
    if function != _WRITE_COILS:
        return None
    count = int.from_bytes(data[2:4], "big")
    bits = _bits(data[5:], count) if data[:2] == _word(0) and 1 <= count <= _COILS else None
    return None if bits is None else SetSensors(address, bits[0], bits[1:])


def _refusal(function: int, data: bytes) -> int:
    """Why a unit does not do it: the standard's code."""
    if function not in _NAMES:
        return _BAD_FUNCTION
    count = int.from_bytes(data[2:4], "big")
    if function == _WRITE_COIL:
        return _BAD_ADDRESS if data[2:] in (_ON, _OFF) else _BAD_VALUE
    if function == _WRITE_COILS:
        fits = 1 <= count <= _MOST_WRITTEN and len(data) - 5 == -(-count // 8)
        return _BAD_ADDRESS if fits and _bits(data[5:], count) is not None else _BAD_VALUE
    return _BAD_ADDRESS if 1 <= count <= _MOST_READ else _BAD_VALUE


def _otherwise(function: int, code: int) -> bytes | None:
    """Data with which a request of this function is refused so; None: we have none."""
    match function, code:
        case 0x03 | 0x04 | 0x06, 1:
            return _word(0) + _word(1)
        case 0x01 | 0x02, 2 | 3:
            return _word(0x100) + _word(1 if code == _BAD_ADDRESS else 0)
        case 0x05, 2 | 3:
            return _word(0x100) + (_ON if code == _BAD_ADDRESS else _word(1))
        case 0x0F, 2 | 3:
            return _word(0x100) + _word(1 if code == _BAD_ADDRESS else 0) + b"\1\1"
        case _:
            return None


def _write_as_host(message: Message) -> bytes:
    match message:
        case ReadSensorOutputs(address) if address in ADDRESSES:
            return _frame(address, _READ_COILS, _word(0) + _word(_COILS))
        case ReadSensors(address, latched) if address in ADDRESSES:
            return _frame(address, _READ_INPUTS, _word(0) + _word(2 * SENSORS_LIMIT if latched else SENSORS_LIMIT))
        case LockSensors(address, locked) if address in ADDRESSES:
            return _frame(address, _WRITE_COIL, _word(0) + (_ON if locked else _OFF))
        case SetSensors(address, locked, lamps) if address in ADDRESSES and len(lamps) <= SENSORS_LIMIT:
            data = _packed((locked, *lamps))
            return _frame(address, _WRITE_COILS, _word(0) + _word(1 + len(lamps)) + bytes((len(data),)) + data)
        case AskOtherwise(address, command, code) if address in ADDRESSES:
            function = _function(command)
            asked = _otherwise(function, code)
            if asked is not None:
                return _frame(address, function, asked)
        case _:
            pass
    raise no_words(NAME, LineEnd.HOST, message)


# --- what a unit says -----------------------------------------------------------------------------------


def _read_as_host(frame: bytes) -> Message:
    return _answered(frame[0], frame[1], frame[2:-2]) or fault("an answer to nothing we ask", frame)


def _answered(address: int, function: int, data: bytes) -> Message | None:
    if function & _REFUSED:
        return SensorsRefused(address, _named(function & ~_REFUSED), data[0]) if data[0] else None
    if function == _READ_INPUTS:
        return SensorsRead(address, _numbers(data[1]), _numbers(data[2]) if data[0] == 2 else None)
    if function == _READ_COILS:
        bits = _bits(data[1:], _COILS)
        if bits is None:
            return None
        return SensorOutputs(address, bits[0], tuple(place for place, lit in enumerate(bits) if place and lit))
    if function == _WRITE_COIL:
        states = {_word(0) + _ON: True, _word(0) + _OFF: False}
        return SensorsLocked(address, states[data]) if data in states else None
    count = int.from_bytes(data[2:], "big")
    return SensorsSet(address, count - 1) if data[:2] == _word(0) and 1 <= count <= _COILS else None


def _write_as_unit(message: Message) -> bytes:
    said = _answer_frame(message)
    if said is None:
        raise no_words(NAME, LineEnd.DEVICE, message)
    return said


def _answer_frame(message: Message) -> bytes | None:
    """The frame of an answer, None where there is none."""
    match message:
        case SensorsRead(address, live, latched) if address in ADDRESSES:
            data = [_byte(live)] if latched is None else [_byte(live), _byte(latched)]
            known = bytes(byte for byte in data if byte is not None)
            return _frame(address, _READ_INPUTS, bytes((len(data),)) + known) if len(known) == len(data) else None
        case SensorOutputs(address, locked, lamps) if address in ADDRESSES:
            lit = _byte(lamps)
            return (
                None if lit is None else _frame(address, _READ_COILS, b"\2" + (lit << 1 | locked).to_bytes(2, "little"))
            )
        case SensorsLocked(address, locked) if address in ADDRESSES:
            return _frame(address, _WRITE_COIL, _word(0) + (_ON if locked else _OFF))
        case SensorsSet(address, lamps) if address in ADDRESSES and 0 <= lamps <= SENSORS_LIMIT:
            return _frame(address, _WRITE_COILS, _word(0) + _word(1 + lamps))
        case SensorsRefused(address, command, code) if address in ADDRESSES and 0 < code <= 0xFF:
            function = _function(command)
            return _frame(address, _REFUSED | function, bytes((code,))) if function else None
        case _:
            return None


def _end(role: LineEnd) -> FramedWire:
    if role is LineEnd.HOST:
        answers = MeasuredFrames(_answer_bytes, _intact)
        return FramedWire(answers, _read_as_host, _write_as_host, frame_limit=FRAME_LIMIT)
    questions = MeasuredFrames(_question_bytes, _intact)
    return FramedWire(questions, _read_as_unit, _write_as_unit, frame_limit=REQUEST_LIMIT)


CODEC: Final = FramedCodec(
    name=NAME,
    line=Line(baud=19200, parity="E"),
    idle_ns=IDLE_NS,
    vocabulary=(
        ReadSensors,
        ReadSensorOutputs,
        LockSensors,
        SetSensors,
        AskOtherwise,
        SensorsRead,
        SensorOutputs,
        SensorsLocked,
        SensorsSet,
        SensorsRefused,
    ),
    ends=_end,
)
