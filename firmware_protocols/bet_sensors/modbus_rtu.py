"""Bet sensors as a Modbus RTU server: discrete inputs for wagers, coils for lock and lamps. RS-485, 19200 8E1.

No maker of bet sensors has published what its sensors say, so this is a register map of ours on a real, public protocol
(Modbus Application Protocol 1.1b3, Modbus over Serial Line 1.02), which any input and output block can be wired to:

- discrete inputs 0 to 7: sensor 1 to 8 is covered now; 8 to 15: it was when the unit was locked;
- coil 0: locked; coils 1 to 8: the lamp of sensor 1 to 8.

Coil 0 going on latches the inputs, going off clears them. A frame is address, function, data, CRC-16/Modbus with its
low byte first. RTU separates frames by silence of 3.5 characters (2 ms), which no USB adapter passes on faithfully;
here the function tells a frame's length, and silence only ends what was begun. Functions: read coils (01, always all
nine), read discrete inputs (02, eight or sixteen from input 0), write one coil (05, coil 0 only), write coils (0F, from
coil 0).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firmware_protocols.checksums import MODBUS
from firmware_protocols.codec import Line, Role
from firmware_protocols.framing import WAIT, FramedCodec, FramedWire, Held, MeasuredFrames, Skip, Wait, fault, no_words
from firmware_protocols.messages import Message
from firmware_protocols.sensor_messages import (
    SENSORS_LIMIT,
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
"""Longest frame in bytes: nine coils written."""

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
    if held[1] != _WRITE_COILS:
        return 8 if held[1] in _NAMES else _NO_FRAME
    if len(held) < 7:
        return WAIT
    return 9 + held[6] if held[6] in (1, 2) else _NO_FRAME


def _answer_bytes(held: Held) -> int | Wait | Skip:
    """The length of what a unit says; see ``MeasuredFrames``."""
    if held[0] not in ADDRESSES:
        return _NO_FRAME
    if len(held) < 2:
        return WAIT
    if held[1] & ~_REFUSED not in _NAMES:
        return _NO_FRAME
    if held[1] & _REFUSED:
        return 5
    if held[1] in (_WRITE_COIL, _WRITE_COILS):
        return 8
    if len(held) < 3:
        return WAIT
    return 5 + held[2] if held[2] in (1, 2) else _NO_FRAME


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
    return _asked(frame[0], frame[1], frame[2:-2]) or fault("a request we never make", frame)


def _asked(address: int, function: int, data: bytes) -> Message | None:
    if function == _READ_COILS:
        return ReadSensorOutputs(address) if data == _word(0) + _word(_COILS) else None
    if function == _READ_INPUTS:
        counts = {_word(0) + _word(count): count > SENSORS_LIMIT for count in (SENSORS_LIMIT, 2 * SENSORS_LIMIT)}
        return ReadSensors(address, latched=counts[data]) if data in counts else None
    if function == _WRITE_COIL:
        states = {_word(0) + _ON: True, _word(0) + _OFF: False}
        return LockSensors(address, states[data]) if data in states else None
    count = int.from_bytes(data[2:4], "big")
    bits = _bits(data[5:], count) if data[:2] == _word(0) and 1 <= count <= _COILS else None
    return None if bits is None else SetSensors(address, bits[0], bits[1:])


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
        case _:
            raise no_words(NAME, Role.HOST, message)


# --- what a unit says -----------------------------------------------------------------------------------


def _read_as_host(frame: bytes) -> Message:
    return _answered(frame[0], frame[1], frame[2:-2]) or fault("an answer to nothing we ask", frame)


def _answered(address: int, function: int, data: bytes) -> Message | None:
    if function & _REFUSED:
        return SensorsRefused(address, _NAMES[function & ~_REFUSED], data[0]) if data[0] else None
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
    said = _said(message)
    if said is None:
        raise no_words(NAME, Role.DEVICE, message)
    return said


def _said(message: Message) -> bytes | None:
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
        case SensorsRefused(address, command, code) if (
            address in ADDRESSES and command in _COMMANDS and 0 < code <= 0xFF
        ):
            return _frame(address, _REFUSED | _COMMANDS[command], bytes((code,)))
        case _:
            return None


def _end(role: Role) -> FramedWire:
    if role is Role.HOST:
        return _wire(_answer_bytes, _read_as_host, _write_as_host)
    return _wire(_question_bytes, _read_as_unit, _write_as_unit)


def _wire(
    measure: Callable[[Held], int | Wait | Skip], read: Callable[[bytes], Message], write: Callable[[Message], bytes]
) -> FramedWire:
    return FramedWire(MeasuredFrames(measure, _intact), read, write, frame_limit=FRAME_LIMIT)


CODEC: Final = FramedCodec(
    name=NAME,
    line=Line(baud=19200, parity="E"),
    idle_ns=IDLE_NS,
    vocabulary=(
        ReadSensors,
        ReadSensorOutputs,
        LockSensors,
        SetSensors,
        SensorsRead,
        SensorOutputs,
        SensorsLocked,
        SensorsSet,
        SensorsRefused,
    ),
    ends=_end,
)
