"""Captures: what passed on a line, with its times, as text that people read and programs play back.

The first line is ``tableside-capture 1``. ``line 9600 8N1`` says how the line was set; ``#`` begins a comment; every
other line is one piece of traffic: nanoseconds since the capture began, ``<`` from the device or ``>`` to it, and the
bytes in hex. Times never go back.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from firmware_protocols.codec import Line

HEADING: Final = "tableside-capture 1"
PIECE_LIMIT_BYTES: Final = 64 * 1024
"""Bytes in one piece: as many as may wait for a line."""

_PIECE: Final = re.compile(r"(\d{1,18}) ([<>]) ((?:[0-9a-f]{2})+)")
_LINE: Final = re.compile(r"line (\d{2,7}) ([5-8])([NEO])([12])")


class CaptureRefused(ValueError):  # noqa: N818 - named for what happened
    """The text is no capture; the message names the line."""


@dataclass(frozen=True)
class Piece:
    """Bytes that passed at once, ``at_ns`` nanoseconds after the capture began."""

    at_ns: int
    from_device: bool
    data: bytes


@dataclass(frozen=True)
class Capture:
    """A whole capture. ``line`` is None where it was not serial or not known."""

    line: Line | None
    pieces: tuple[Piece, ...]


def heading_text(line: Line | None, comment: str = "") -> str:
    """How a capture begins."""
    parts = [HEADING]
    if line is not None:
        parts.append(f"line {line.baud} {line.data_bits}{line.parity}{line.stop_bits}")
    parts += [f"# {one}" for one in comment.splitlines()]
    return "\n".join(parts) + "\n"


def piece_text(piece: Piece) -> str:
    """One piece, with its line's end."""
    return f"{piece.at_ns} {'<' if piece.from_device else '>'} {piece.data.hex()}\n"


def read_capture(lines: Iterable[str]) -> Capture:
    """The capture written in ``lines``.

    Raises:
        CaptureRefused: it is none, or this version of the format does not know it.
    """
    numbered = enumerate((one.rstrip("\r\n") for one in lines), start=1)
    if next(numbered, (0, ""))[1] != HEADING:
        raise CaptureRefused(f"line 1: expected {HEADING}")
    found: list[Piece] = []
    line: Line | None = None
    for number, text in _content(numbered):
        setting = _LINE.fullmatch(text)
        if setting is not None:
            line = Line(int(setting[1]), int(setting[2]), setting[3], int(setting[4]))
            continue
        piece = _read_piece(number, text)
        if found and piece.at_ns < found[-1].at_ns:
            raise CaptureRefused(f"line {number}: time goes back")
        found.append(piece)
    return Capture(line, tuple(found))


def _content(numbered: Iterable[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    return ((number, text) for number, text in numbered if text.strip() and not text.startswith("#"))


def _read_piece(number: int, text: str) -> Piece:
    match = _PIECE.fullmatch(text)
    if match is None:
        raise CaptureRefused(f"line {number}: expected nanoseconds, < or >, and bytes in hex")
    data = bytes.fromhex(match[3])
    if len(data) > PIECE_LIMIT_BYTES:
        raise CaptureRefused(f"line {number}: more than {PIECE_LIMIT_BYTES} bytes at once")
    return Piece(int(match[1]), match[2] == "<", data)
