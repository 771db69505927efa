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

import functools
from typing import Final, assert_never

from firmware_protocols import framing
from firmware_protocols.bet_spots import _feig_frames as frames
from firmware_protocols.bet_spots import _feig_records as records
from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.messages import (
    ChipBlocksRead,
    ChipsInventoried,
    LineFault,
    Message,
    ReadChipBlocks,
    ReaderDone,
    ReaderRefused,
    ReadSoftware,
    ResetField,
    SoftwareRead,
    TakeInventory,
)

NAME: Final = "feig_obid"

FRAME_LIMIT: Final = frames.FRAME_LIMIT
STATUS_TEXTS: Final = frames.STATUS_TEXTS

IDLE_NS: Final = 50_000_000
"""Silence that ends a frame begun: three times the 16 ms a USB adapter may hold bytes back."""

ANY_ADDRESS: Final = 255
"""A request to it is answered by whichever reader is there; only for a line with a single reader."""

ANTENNAS: Final = range(1, 9)

REQUESTS_KEPT: Final = 256
"""Requests whose bytes are remembered: every zone of a table, with and without more to come, and a few chips."""
ANSWERS_KEPT: Final = 64
"""Answers whose meaning is remembered: what every zone of a table last said, twice."""

_CONTROL_OF: Final = {
    "read_software": frames.SOFTWARE,
    "reset_field": frames.RF_RESET,
    "take_inventory": frames.ISO_COMMAND,
    "read_chip_blocks": frames.ISO_COMMAND,
}
_INVENTORY, _READ_BLOCKS = 0x01, 0x23
_MODE_MORE, _MODE_ANTENNA = 0x80, 0x10
_MODE_ADDRESSED, _MODE_SECURITY = 0x01, 0x08
_ID_BYTES: Final = 8
_BYTE: Final = range(256)

_Question = TakeInventory | ReadChipBlocks | ReadSoftware | ResetField
_Answer = ChipsInventoried | ChipBlocksRead | SoftwareRead | ReaderDone | ReaderRefused


# --- the host end -----------------------------------------------------------------------------------


def _inventory_body(antenna: int | None, *, more: bool) -> bytes:
    mode = _MODE_MORE if more else 0
    if antenna is None:
        return bytes((_INVENTORY, mode))
    if antenna not in ANTENNAS:
        raise ValueError(f"antenna {antenna} is not 1 to 8")
    # The antenna byte is a bit field: bit 0 is antenna 1.
    return bytes((_INVENTORY, mode | _MODE_ANTENNA, 1 << (antenna - 1)))


def _blocks_body(question: ReadChipBlocks) -> bytes:
    chip = bytes.fromhex(question.chip)
    if len(chip) != _ID_BYTES or chip.hex().upper() != question.chip:
        raise ValueError(f"chip id {question.chip!r} is not {_ID_BYTES} bytes in upper-case hex")
    if question.first_block not in _BYTE or not 1 <= question.blocks <= records.MOST_BLOCKS:
        raise ValueError(f"{question.blocks} blocks from {question.first_block} is not 1 to 32 blocks from 0 to 255")
    mode = _MODE_ADDRESSED | (_MODE_SECURITY if question.security else 0)
    return bytes((_READ_BLOCKS, mode)) + chip + bytes((question.first_block, question.blocks))


def _request(question: _Question, *, advanced: bool) -> frames.Frame:
    if not 0 <= question.address <= ANY_ADDRESS:
        raise ValueError(f"address {question.address} is not 0 to 255")
    match question:
        case TakeInventory(antenna=antenna, more=more):
            body = _inventory_body(antenna, more=more)
        case ReadChipBlocks():
            body = _blocks_body(question)
        case ReadSoftware() | ResetField():
            body = b""
        case _:
            assert_never(question)
    return frames.Frame(question.address, _CONTROL_OF[framing.named(question)], body, advanced)


@functools.lru_cache(maxsize=REQUESTS_KEPT)
def _request_bytes(question: _Question, *, advanced: bool) -> bytes:
    """A request as it is sent. A table asks the same few again and again, forty times a second."""
    return frames.build(_request(question, advanced=advanced))


def _answer(asked: _Question, address: int, status: int, data: bytes) -> Message | str:
    """What an answer means, or why it is none."""
    if data and status not in frames.STATUSES_WITH_DATA:
        return f"status {status:02X} carries no data"
    match asked:
        case TakeInventory() if status == frames.NO_TRANSPONDER or (status == frames.RF_WARNING and not data):
            return ChipsInventoried(address, (), doubtful=status == frames.RF_WARNING)
        case TakeInventory(antenna=antenna) if status in frames.STATUSES_WITH_CHIPS:
            tags = records.tags_in(data, by_antenna=antenna is not None)
            if tags is None:
                return "the chip records do not fill the answer"
            doubtful = status == frames.RF_WARNING or not tags.whole
            return ChipsInventoried(address, tags.ids, status == frames.MORE_DATA, doubtful, tags.nameless)
        case ReadChipBlocks(blocks=wanted) if status == frames.OK:
            blocks = records.blocks_in(data, wanted)
            return "the blocks do not fill the answer" if blocks is None else ChipBlocksRead(address, *blocks)
        case ReadSoftware() if status == frames.OK:
            return SoftwareRead(address, data.hex().upper()) if data else "the version is missing"
        case ResetField() if status == frames.OK:
            return "a reset carries no data" if data else ReaderDone(address, framing.named(asked))
        case _:
            return ReaderRefused(address, framing.named(asked), status, frames.status_text(status, data))


@functools.lru_cache(maxsize=ANSWERS_KEPT)
def _meaning(data: bytes, asked: _Question) -> Message:
    """What a whole frame says to a question. A zone where nothing changes answers the same again and again."""
    frame = frames.parse(data)
    if frame.control != _CONTROL_OF[framing.named(asked)]:
        return framing.fault(f"an answer with control byte {frame.control:02X} to {framing.named(asked)}", data)
    if asked.address not in (frame.address, ANY_ADDRESS) or frame.address == ANY_ADDRESS:
        return framing.fault(f"reader {frame.address} answered though reader {asked.address} was asked", data)
    if not frame.body:
        return framing.fault("an answer without a status", data)
    answer = _answer(asked, frame.address, frame.body[0], frame.body[1:])
    return framing.fault(answer, data) if isinstance(answer, str) else answer


class _HostEnd:
    """Remembers the question outstanding until it is answered or another is asked."""

    def __init__(self, name: str, *, advanced: bool) -> None:
        self._name = name
        self._advanced = advanced
        self._asked: _Question | None = None
        self._request = b""

    def write(self, message: Message) -> bytes:
        if not isinstance(message, _Question):
            raise framing.no_words(self._name, LineEnd.HOST, message)
        self._request = _request_bytes(message, advanced=self._advanced)
        self._asked = message
        return self._request

    def read(self, data: bytes) -> Message:
        asked = self._asked
        if asked is None:
            return framing.fault("an answer though nothing was asked", data)
        if data == self._request:
            return framing.fault("our own request came back", data)
        answer = _meaning(data, asked)
        if not isinstance(answer, LineFault):
            self._asked = None
        return answer


# --- the device end ---------------------------------------------------------------------------------


def _asked_inventory(address: int, mode: int, selected: bytes) -> TakeInventory | None:
    if mode & ~(_MODE_MORE | _MODE_ANTENNA):
        return None
    more = bool(mode & _MODE_MORE)
    if not mode & _MODE_ANTENNA:
        return None if selected else TakeInventory(address, more=more)
    # One antenna at a time is all that the table asks for, so several bits are not understood.
    if len(selected) != 1 or selected[0].bit_count() != 1:
        return None
    return TakeInventory(address, selected[0].bit_length(), more)


def _asked_blocks(address: int, mode: int, rest: bytes) -> ReadChipBlocks | None:
    if mode & ~_MODE_SECURITY != _MODE_ADDRESSED or len(rest) != _ID_BYTES + 2:
        return None
    first_block, blocks = rest[_ID_BYTES:]
    if not 1 <= blocks <= records.MOST_BLOCKS:
        return None
    security = bool(mode & _MODE_SECURITY)
    return ReadChipBlocks(address, rest[:_ID_BYTES].hex().upper(), first_block, blocks, security)


def _question(frame: frames.Frame) -> Message | None:
    address, control, body = frame.address, frame.control, frame.body
    if control == frames.SOFTWARE:
        return None if body else ReadSoftware(address)
    if control == frames.RF_RESET:
        return None if body else ResetField(address)
    if len(body) < 2:
        return None
    if body[0] == _INVENTORY:
        return _asked_inventory(address, body[1], body[2:])
    return _asked_blocks(address, body[1], body[2:]) if body[0] == _READ_BLOCKS else None


def _reply(name: str, message: Message, drawn: int) -> tuple[str, int, bytes]:
    """Command answered, status and data of an answer; ``drawn``: see ``records.chip_records``."""
    match message:
        case ChipsInventoried(chips=(), more=False, doubtful=False, nameless=()):
            return "take_inventory", frames.NO_TRANSPONDER, b""
        case ChipsInventoried(chips=chips, more=more, doubtful=doubtful, nameless=nameless) if not (more and doubtful):
            status = frames.MORE_DATA if more else frames.RF_WARNING if doubtful else frames.OK
            return "take_inventory", status, records.chip_records(chips, nameless, drawn)
        case ChipBlocksRead(blocks=blocks, security=security):
            return "read_chip_blocks", frames.OK, records.block_records(blocks, security)
        case SoftwareRead(version=version) if version and bytes.fromhex(version).hex().upper() == version:
            return "read_software", frames.OK, bytes.fromhex(version)
        case ReaderDone(command="reset_field"):
            return "reset_field", frames.OK, b""
        case ReaderRefused(command="take_inventory", status=status) if status in (
            frames.STATUSES_WITH_CHIPS | {frames.NO_TRANSPONDER}
        ):
            raise ValueError(f"status {status:02X} does not refuse an inventory")
        case ReaderRefused(command=command, status=status) if command in _CONTROL_OF and 0 < status <= 255:
            return command, status, b"\x0f" if status == frames.ISO_ERROR else b""
        case _:
            raise framing.no_words(name, LineEnd.DEVICE, message)


class _DeviceEnd:
    """All readers of one bus; answers in advanced frames whoever asked in one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._asked_in_advanced = False
        self._answers = 0

    def read(self, data: bytes) -> Message:
        frame = frames.parse(data)
        question = _question(frame)
        if question is None:
            return framing.fault("a request that is not understood", data)
        self._asked_in_advanced = frame.advanced
        return question

    def write(self, message: Message) -> bytes:
        self._answers += 1
        command, status, data = _reply(self._name, message, self._answers)
        assert isinstance(message, _Answer)
        if not 0 <= message.address < ANY_ADDRESS:
            raise ValueError(f"a reader's address is 0 to 254, not {message.address}")
        body = bytes((status,)) + data
        return frames.build(frames.Frame(message.address, _CONTROL_OF[command], body, self._asked_in_advanced))


def codec(name: str, *, advanced: bool) -> framing.FramedCodec:
    """A codec for these readers; ``advanced``: its host end asks in advanced frames."""

    def end(role: LineEnd) -> Wire:
        one = _HostEnd(name, advanced=advanced) if role is LineEnd.HOST else _DeviceEnd(name)
        return framing.FramedWire(frames.FRAMES, one.read, one.write, frame_limit=FRAME_LIMIT)

    return framing.FramedCodec(
        name=name,
        line=Line(baud=38400, parity="E"),
        idle_ns=IDLE_NS,
        vocabulary=(
            TakeInventory,
            ChipsInventoried,
            ReadChipBlocks,
            ChipBlocksRead,
            ReadSoftware,
            SoftwareRead,
            ResetField,
            ReaderDone,
            ReaderRefused,
        ),
        ends=end,
    )


CODEC: Final = codec(NAME, advanced=False)
