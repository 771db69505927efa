"""Frames of our own protocols: a type byte, a body and a check over both, in COBS, with the byte 00 behind.

COBS (consistent overhead byte stuffing) keeps 00 out of the frame, so that 00 ends a frame and stands nowhere else: a
damaged frame costs itself only. The check has its high byte first.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cobs import cobs

from firmware_protocols.framing import WAIT, Held, ScanResult, Skip, Take

END: Final = 0x00
"""The byte behind every frame."""

PRINTABLE: Final = range(0x20, 0x7F)
"""Bytes that a text may have: printable ASCII."""


@dataclass(frozen=True, slots=True)
class CobsFrames:
    """Frames of at most ``limit`` bytes, with their COBS byte and the 00, and a check of ``check_bytes`` bytes."""

    limit: int
    check_bytes: int
    check: Callable[[bytes], int]

    def content(self, frame: Held) -> bytes | None:
        """Type and body of a frame without its end; None where COBS or check do not agree."""
        try:
            data: bytes = cobs.decode(bytes(frame))
        except cobs.DecodeError:
            return None
        body, check = data[: -self.check_bytes], data[-self.check_bytes :]
        return body if body and self.check(body) == int.from_bytes(check, "big") else None

    def scan(self, held: Held, _silent: bool) -> ScanResult:  # noqa: FBT001 (the shape of ``Scan``)
        """See ``firmware_protocols.framing.Scan``."""
        end = held.find(END, 0, self.limit)
        if end < 0:
            return WAIT
        if end == 0:
            return Skip("an empty frame")
        return Skip("the checksum does not agree") if self.content(held[:end]) is None else Take(end + 1)

    def frame(self, kind: int, body: bytes = b"") -> bytes:
        """The frame of type ``kind`` (0 to 255).

        Raises:
            ValueError: it would be longer than the limit.
        """
        data = bytes((kind,)) + body
        whole: bytes = cobs.encode(data + self.check(data).to_bytes(self.check_bytes, "big")) + bytes((END,))
        if len(whole) > self.limit:
            raise ValueError(f"a frame of {len(whole)} bytes is longer than the {self.limit} allowed")
        return whole


def text_bytes(text: str, shortest: int, longest: int) -> bytes:
    """A text as a byte that counts and as many of printable ASCII.

    Raises:
        ValueError: it is not ``shortest`` to ``longest`` printable ASCII characters.
    """
    if not shortest <= len(text) <= longest or any(ord(letter) not in PRINTABLE for letter in text):
        raise ValueError(f"{text!r} is not {shortest} to {longest} printable ASCII characters")
    return bytes((len(text),)) + text.encode("ascii")


def read_texts(data: bytes, bounds: tuple[tuple[int, int], ...]) -> list[str] | None:
    """As many texts as there are bounds (shortest, longest), filling ``data`` to the last byte; else None."""
    found: list[str] = []
    for shortest, longest in bounds:
        length = data[0] if data else -1
        text, data = data[1 : 1 + length], data[1 + length :]
        if length != len(text) or not shortest <= length <= longest or any(byte not in PRINTABLE for byte in text):
            return None
        found.append(text.decode("ascii"))
    return None if data else found
