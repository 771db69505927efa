"""Matrix Orbital display with a 5 x 5 keypad: one byte for a key, commands after 0xFE. RS-232, 19200 8N1.

The module's default key map names the keys ``A`` to ``Y`` row by row; a release is the same letter in lower case.
Commands spoken here (facts from the LK and PK series manuals): 41 reports keys as they happen, 7E 01 reports releases
instead of repeating, 58 clears the screen; text that follows is shown. 47 column row puts the cursor somewhere, where
the text that follows is shown: the table does not say it, other programs do.
"""

from __future__ import annotations

from typing import Final

from firmware_protocols.codec import Line, LineEnd, Wire
from firmware_protocols.framing import WAIT, FramedCodec, FramedWire, Held, ScanResult, Skip, Take, no_words
from firmware_protocols.messages import KeyDown, KeyUp, Message, ReportKeyUps, SendKeysAtOnce, ShowText, ShowTextAt

NAME: Final = "matrix_orbital"

TEXT_LIMIT: Final = 80
"""Characters of the largest display in the family (4 lines of 20, or 2 of 40); more would scroll out of sight."""

COLUMNS_LIMIT: Final = 40
ROWS_LIMIT: Final = 4
"""Places of the family's displays."""

FRAME_LIMIT: Final = TEXT_LIMIT + 4
"""Longest message in bytes: put the cursor somewhere, then a full display of text."""

IDLE_NS: Final = 100_000_000
"""Silence that ends a text: five times what a USB adapter may hold back, and no person notices it on a display."""

KEYS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXY"

_COMMAND: Final = 0xFE
_SEND_AT_ONCE: Final = bytes((_COMMAND, 0x41))
_REPORT_UPS: Final = bytes((_COMMAND, 0x7E, 0x01))
_CLEAR: Final = bytes((_COMMAND, 0x58))
_GO_TO: Final = bytes((_COMMAND, 0x47))
_KEY_BYTES: Final = frozenset((KEYS + KEYS.lower()).encode())
_PRINTABLE: Final = range(0x20, 0x7F)


def _scan_keys(held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
    return Take(1) if held[0] in _KEY_BYTES else Skip(f"no key sends {held[0]:02X}")


def _read_key(data: bytes) -> Message:
    letter = data.decode("ascii")
    return KeyDown(letter) if letter.isupper() else KeyUp(letter.upper())


def _scan_commands(held: Held, silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
    for command in (_SEND_AT_ONCE, _REPORT_UPS):
        if held.startswith(command):
            return Take(len(command))
        if command.startswith(bytes(held)):
            return WAIT
    if _GO_TO.startswith(bytes(held[:2])):
        return _scan_text(held, len(_GO_TO) + 2, silent=silent) if _has_place(held) else Skip("no such place")
    return _scan_text(held, len(_CLEAR), silent=silent) if held.startswith(_CLEAR) else Skip("no command begins here")


def _has_place(held: Held) -> bool:
    """Whether column and row are on a display, as far as they have come."""
    limits = (COLUMNS_LIMIT, ROWS_LIMIT)
    return all(1 <= number <= limit for number, limit in zip(held[len(_GO_TO) :], limits, strict=False))


def _scan_text(held: Held, start: int, *, silent: bool) -> ScanResult:
    if len(held) < start:
        return WAIT
    end, longest = start, start + TEXT_LIMIT
    while end < min(len(held), longest) and held[end] in _PRINTABLE:
        end += 1
    # A text has no end of its own: the next command, a full display or silence ends it.
    whole = silent or end == longest or end < len(held)
    return Take(end) if whole else WAIT


def _read_command(data: bytes) -> Message:
    if data == _SEND_AT_ONCE:
        return SendKeysAtOnce()
    if data == _REPORT_UPS:
        return ReportKeyUps()
    if data.startswith(_GO_TO):
        return ShowTextAt(data[2], data[3], data[4:].decode("ascii"))
    return ShowText(data.removeprefix(_CLEAR).decode("ascii"))


def _write_as_keypad(message: Message) -> bytes:
    match message:
        case KeyDown(key) if len(key) == 1 and key in KEYS:
            return key.encode("ascii")
        case KeyUp(key) if len(key) == 1 and key in KEYS:
            return key.lower().encode("ascii")
        case _:
            raise no_words(NAME, LineEnd.DEVICE, message)


def _write_as_host(message: Message) -> bytes:
    match message:
        case SendKeysAtOnce():
            return _SEND_AT_ONCE
        case ReportKeyUps():
            return _REPORT_UPS
        case ShowText(text) if _fits(text):
            return _CLEAR + text.encode("ascii")
        case ShowTextAt(column, row, text) if 1 <= column <= COLUMNS_LIMIT and 1 <= row <= ROWS_LIMIT and _fits(text):
            return _GO_TO + bytes((column, row)) + text.encode("ascii")
        case _:
            raise no_words(NAME, LineEnd.HOST, message)


def _fits(text: str) -> bool:
    return len(text) <= TEXT_LIMIT and all(ord(letter) in _PRINTABLE for letter in text)


def _end(role: LineEnd) -> Wire:
    if role is LineEnd.HOST:
        return FramedWire(_scan_keys, _read_key, _write_as_host, frame_limit=1)
    return FramedWire(_scan_commands, _read_command, _write_as_keypad, frame_limit=FRAME_LIMIT)


CODEC: Final = FramedCodec(
    name=NAME,
    line=Line(baud=19200),
    idle_ns=IDLE_NS,
    vocabulary=(KeyDown, KeyUp, SendKeysAtOnce, ReportKeyUps, ShowText, ShowTextAt),
    ends=_end,
)
