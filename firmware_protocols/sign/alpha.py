"""Alpha Sign Communications Protocol (M-Protocol) of LED signs such as BetaBrite. RS-232, 9600 7E2.

Facts after the maker's manual 9708-8061 and two independent libraries. A packet is at least five NULs (the sign finds
the speed by them), ``01``, a type, a two-digit address, then commands, ``04``. A command is ``02``, its bytes, ``03``
and a checksum: the sum of the bytes from ``02`` to ``03``, both included, as four upper-case hexadecimal digits. The
host says one command in a packet, with its checksum, and understands only that. The sign's end understands what other
programs say too: several commands in a packet, no checksum, locked and unlocked files, other modes, colours and fonts.

The page is TEXT file ``A`` in hold mode, in the middle of the sign; it calls STRING files ``1`` to ``8``, the fields. A
notice is the priority TEXT file ``0``.
"""

from __future__ import annotations

import re
from typing import Final

from firmware_protocols.codec import Line, LineEnd
from firmware_protocols.framing import WAIT, FramedCodec, FramedWire, Held, ScanResult, Skip, Take, fault, no_words
from firmware_protocols.messages import Message
from firmware_protocols.sign_messages import (
    FIELDS_LIMIT,
    UNKNOWN_COMMAND,
    AmountHeld,
    ClearSign,
    LayOutSign,
    ReadAmount,
    ReadSignStatus,
    ResetSign,
    RunPage,
    ShowAmount,
    ShowNotice,
    ShowPage,
    SignStatus,
)

NAME: Final = "alpha"

IDLE_NS: Final = 100_000_000
"""Silence that ends a packet: a hundred characters at 9600 baud."""

HOST_NULS: Final = 5
SIGN_NULS: Final = 20
"""NULs before a packet: the fewest a sign needs, and what signs send themselves."""

STRING_LIMIT: Final = 125
"""Characters a STRING file holds at most (the manual)."""

TEXT_LIMIT: Final = 250
"""Characters we write into a TEXT file at most: more than any sign shows without scrolling."""

FRAME_LIMIT: Final = SIGN_NULS + 300
"""Longest packet of ours in bytes: the NULs, a full TEXT file, and what stands around it."""

CLIENT_FRAME_LIMIT: Final = 1024
"""Longest packet in bytes that a sign's end takes from a program which sends several commands at once."""

ERRORS: Final = {
    0x20: "illegal_command",
    0x10: "checksum",
    0x08: "buffer_overflow",
    0x04: "time_out",
    0x02: "framing",
    0x01: "parity",
}
"""Bits of the status byte; bit 6 is always set."""

_SOH, _STX, _ETX, _EOT, _CALL, _ESC = 0x01, 0x02, 0x03, 0x04, 0x10, 0x1B
_HOST_HEAD: Final = b"Z00\x02"
"""Type and address that the host says (all signs), and the start of its command."""
_SIGN_HEAD: Final = b"000\x02"
"""The same of a sign's answer."""
_BODY: Final = frozenset((*range(0x20, 0x80), _CALL, _ESC))
_CLIENT_BODY: Final = range(0x05, 0x80)
"""Inside a command of other programs: format codes too."""
_TYPES: Final = b"Z^"
"""All signs, and BetaBrite."""
_ADDRESS: Final = b"0?"
"""Digits of the address of all signs; ``?`` is any digit."""
_HEX: Final = b"0123456789ABCDEF"
_ALWAYS_SET: Final = 0x40

_PAGE: Final = b"AA"
_HOLD: Final = b"AA\x1b b"
_FLASH: Final = b"A0\x1b c"
_NO_NOTICE: Final = b"A0"
_CLEAR: Final = b"E$"
_RESET: Final = b"E,"
_RUN: Final = b"E.TUA"
_READ_STATUS: Final = b"F*"
_RUNS: Final = re.compile(rb"E\.[TS][UL]A")
_FILE: Final = re.compile(rb"([ -~])([ABD])[UL]([0-9A-Fa-f]{4})[0-9A-Fa-f]{4}")
_LAYOUT: Final = re.compile(rb"E\$(?:%s)+" % _FILE.pattern)
_MODE: Final = rb"\x1b[ -~](?:n[ -~]|[a-mo-z])"
_FORMATS: Final = re.compile(_MODE + rb"|[\x05-\x07\x09\x14\x1a\x1c\x1e][ -~]|\x1d[ -~]{2}|[\x0c\x0d\x11\x12\x15-\x19]")
"""Heights, flashing, pictures, fonts, colours, spacing, pages, widths and speeds: what changes no letter."""
_PIECES: Final = re.compile(rb"((?:[ -~]*\x10[1-8])*)([ -~]*)")
_PIECE: Final = re.compile(rb"([ -~]*)\x10([1-8])")
_NOTICE: Final = re.compile(rb"[ -~]*")
_FIELD: Final = re.compile(rb"([GH])([1-8])([ -~]*)", re.DOTALL)


def _scan_sign(held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
    """Packets of a sign, at the host's end."""
    nuls = len(held) - len(held.lstrip(b"\0"))
    if nuls == len(held):
        return WAIT
    if nuls < HOST_NULS:
        return Skip("no packet begins here")
    head = bytes((_SOH,)) + _SIGN_HEAD
    start = nuls + len(head)
    if not head.startswith(bytes(held[nuls:start])):
        return Skip("no packet begins here")
    end = start
    while end < len(held) and held[end] in _BODY:
        end += 1
    return WAIT if end >= len(held) else _tail(held, start, end)


def _tail(held: Held, start: int, end: int) -> ScanResult:
    """What follows a command that ends before ``end``: ETX, four digits, EOT."""
    if held[end] != _ETX:
        return Skip(f"{held[end]:02X} inside a packet")
    tail = held[end + 1 : end + 6]
    if any(byte not in (_HEX if place < 4 else (_EOT,)) for place, byte in enumerate(tail)):
        return Skip("no checksum ends the packet")
    if len(tail) < 5:
        return WAIT
    if tail[:4] != _checksum(bytes(held[start : end + 1])):
        return Skip("the checksum does not agree")
    return Take(end + 6)


def _scan_client(held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
    """Packets of any program, at the sign's end."""
    nuls = len(held) - len(held.lstrip(b"\0"))
    head = (bytes((_SOH,)), _TYPES, _ADDRESS, _ADDRESS)
    if nuls < HOST_NULS and nuls < len(held):
        return Skip("no packet begins here")
    if any(byte not in allowed for byte, allowed in zip(held[nuls : nuls + 4], head, strict=False)):
        return Skip("no packet begins here")
    at = nuls + len(head)
    while at < len(held):
        if held[at] == _EOT and at > nuls + len(head):
            return Take(at + 1)
        if held[at] != _STX:
            return Skip(f"{held[at]:02X} inside a packet")
        ended = _command_end(held, at + 1)
        if not isinstance(ended, int):
            return ended
        at = ended
    return WAIT


def _command_end(held: Held, start: int) -> int | ScanResult:
    """Where the command that begins at ``start`` ends, and its ETX and checksum with it, as far as it has them."""
    end = start
    while end < len(held) and held[end] in _CLIENT_BODY:
        end += 1
    if end >= len(held):
        return WAIT
    if held[end] != _ETX:
        return end
    if held[end + 1 : end + 2] in (bytes((_STX,)), bytes((_EOT,))):
        return end + 1
    digits = bytes(held[end + 1 : end + 5])
    if any(digit not in _HEX for digit in digits):
        return Skip("no checksum ends the packet")
    if len(digits) < 4:
        return WAIT
    return end + 5 if digits == _checksum(bytes(held[start : end + 1])) else Skip("the checksum does not agree")


def _checksum(body: bytes) -> bytes:
    """Four digits for a command and its ETX; the STX before them counts too."""
    return b"%04X" % ((_STX + sum(body)) & 0xFFFF)


def _packet(nuls: int, head: bytes, command: bytes) -> bytes:
    body = command + bytes((_ETX,))
    return bytes(nuls) + bytes((_SOH,)) + head + body + _checksum(body) + bytes((_EOT,))


def _command(frame: bytes) -> bytes:
    return frame[frame.index(_STX) + 1 : -6]


# --- what the host says ---------------------------------------------------------------------------------


def _read_as_sign(frame: bytes) -> tuple[Message, ...]:
    first = frame.index(_STX)
    commands = [command.partition(bytes((_ETX,)))[0] for command in frame[first + 1 : -1].split(bytes((_STX,)))]
    return tuple(_read_command(command) or fault(UNKNOWN_COMMAND, command) for command in commands)


def _read_command(command: bytes) -> Message | None:
    plain: dict[bytes, Message] = {
        _CLEAR: ClearSign(),
        _RESET: ResetSign(),
        _NO_NOTICE: ShowNotice(""),
        _READ_STATUS: ReadSignStatus(),
    }
    if command in plain:
        return plain[command]
    if _RUNS.fullmatch(command):
        return RunPage()
    return _layout(command) or _page(command) or _text(command)


def _layout(command: bytes) -> Message | None:
    """Memory with a page and fields of one width. TEXT files besides the page are files that this sign never shows."""
    if not _LAYOUT.fullmatch(command):
        return None
    files = {label: (kind, int(size, 16)) for label, kind, size in _FILE.findall(command, len(_CLEAR))}
    kind, page_bytes = files.get(b"A", (b"", 0))
    widths = {label: size for label, (kind, size) in files.items() if kind == b"B"}
    if kind != b"A" or sorted(widths) != [b"%d" % field for field in range(1, len(widths) + 1)]:
        return None
    if len(widths) > FIELDS_LIMIT or len(set(widths.values())) > 1:
        return None
    width = max(widths.values(), default=0)
    return LayOutSign(page_bytes, len(widths), width) if not widths or 0 < width <= STRING_LIMIT else None


def _page(command: bytes) -> Message | None:
    if not command.startswith(_PAGE) or len(command) > TEXT_LIMIT:
        return None
    found = _PIECES.fullmatch(_FORMATS.sub(b"", command.removeprefix(_PAGE)))
    if found is None:
        return None
    pieces = _PIECE.findall(found[1])
    if [int(field) for _, field in pieces] != list(range(1, len(pieces) + 1)):
        return None
    return ShowPage(tuple(caption.decode("ascii") for caption, _ in pieces), found[2].decode("ascii"))


def _text(command: bytes) -> Message | None:
    if command.startswith(_NO_NOTICE):
        notice = _FORMATS.sub(b"", command.removeprefix(_NO_NOTICE))
        return ShowNotice(notice.decode("ascii")) if _NOTICE.fullmatch(notice) and len(command) <= TEXT_LIMIT else None
    found = _FIELD.fullmatch(command)
    if found is None or len(found[3]) > STRING_LIMIT or (found[1] == b"H" and found[3]):
        return None
    return ShowAmount(int(found[2]), found[3].decode("ascii")) if found[1] == b"G" else ReadAmount(int(found[2]))


def _string_file(field: int, width: int) -> bytes:
    return b"%dBL%04X0000" % (field, width)


def _write_as_host(message: Message) -> bytes:
    command = _command_bytes(message)
    if command is None or len(command) > TEXT_LIMIT:
        raise no_words(NAME, LineEnd.HOST, message)
    return _packet(HOST_NULS, _HOST_HEAD, command)


def _command_bytes(message: Message) -> bytes | None:
    """The command of a message, None where there is none."""
    match message:
        case ClearSign():
            return _CLEAR
        case ResetSign():
            return _RESET
        case RunPage():
            return _RUN
        case ReadSignStatus():
            return _READ_STATUS
        case LayOutSign(size, fields, width) if (
            0 < size <= 0xFFFF and 0 < fields <= FIELDS_LIMIT and 0 < width <= STRING_LIMIT
        ):
            files = b"".join(_string_file(field, width) for field in range(1, fields + 1))
            return b"%sAAU%04XFF00%s" % (_CLEAR, size, files)
        case ShowPage(captions, closing) if len(captions) <= FIELDS_LIMIT and _printable("".join(captions) + closing):
            calls = enumerate(captions, start=1)
            page = b"".join(b"%s%c%d" % (caption.encode(), _CALL, number) for number, caption in calls)
            return _HOLD + page + closing.encode()
        case ShowNotice(text) if _printable(text):
            return _FLASH + text.encode() if text else _NO_NOTICE
        case ShowAmount(field, text) if 0 < field <= FIELDS_LIMIT and _printable(text) and len(text) <= STRING_LIMIT:
            return b"G%d%s" % (field, text.encode())
        case ReadAmount(field) if 0 < field <= FIELDS_LIMIT:
            return b"H%d" % field
        case _:
            return None


def _printable(text: str) -> bool:
    return all(" " <= letter <= "~" for letter in text)


# --- what a sign says -----------------------------------------------------------------------------------


def _read_as_host(frame: bytes) -> Message:
    command = _command(frame)
    if len(command) == 3 and command.startswith(b"E*") and command[2] & _ALWAYS_SET:
        return SignStatus(tuple(sorted(name for bit, name in ERRORS.items() if command[2] & bit)))
    found = _FIELD.fullmatch(command)
    if found is None or found[1] != b"G" or len(found[3]) > STRING_LIMIT:
        return fault("an answer to nothing we ask", frame.lstrip(b"\0"))
    return AmountHeld(int(found[2]), found[3].decode("ascii"))


def _write_as_sign(message: Message) -> bytes:
    match message:
        case SignStatus(errors) if set(errors) <= set(ERRORS.values()) and list(errors) == sorted(set(errors)):
            bits = sum(bit for bit, name in ERRORS.items() if name in errors)
            return _packet(SIGN_NULS, _SIGN_HEAD, b"E*%c" % (_ALWAYS_SET | bits))
        case AmountHeld(field, text) if 0 < field <= FIELDS_LIMIT and _printable(text) and len(text) <= STRING_LIMIT:
            return _packet(SIGN_NULS, _SIGN_HEAD, b"G%d%s" % (field, text.encode()))
        case _:
            raise no_words(NAME, LineEnd.DEVICE, message)


def _end(role: LineEnd) -> FramedWire:
    if role is LineEnd.HOST:
        return FramedWire(_scan_sign, _read_as_host, _write_as_host, frame_limit=FRAME_LIMIT)
    return FramedWire(_scan_client, _read_as_sign, _write_as_sign, frame_limit=CLIENT_FRAME_LIMIT)


CODEC: Final = FramedCodec(
    name=NAME,
    line=Line(baud=9600, data_bits=7, parity="E", stop_bits=2),
    idle_ns=IDLE_NS,
    vocabulary=(
        ClearSign,
        ResetSign,
        LayOutSign,
        ShowPage,
        RunPage,
        ShowAmount,
        ShowNotice,
        ReadSignStatus,
        ReadAmount,
        SignStatus,
        AmountHeld,
    ),
    ends=_end,
)
