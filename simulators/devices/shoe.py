"""A card shoe that does not exist: it says what is drawn from it."""

from __future__ import annotations

from typing import Final

from firmware_protocols.cards import Card
from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import CardRead, ShoeAlarm

SEQUENCE_NUMBERS: Final = 256
"""Draw numbers before a shoe with numbers begins again: one byte."""


class ShoeSimulator:
    """Each method gives the bytes the shoe sends on its own. ``numbered``: it numbers its draws (0 to 255)."""

    def __init__(self, codec: Codec, *, numbered: bool = False) -> None:
        self._wire = codec.open(LineEnd.DEVICE)
        self._numbered = numbered
        self._draws = 0

    def draw(self, card: Card, *, burn: bool = False) -> bytes:
        """A card leaves the shoe. A shoe whose protocol knows no burns tells a burnt card like any other."""
        sequence = self._next_number()
        if burn:
            try:
                return self._wire.encode(CardRead(face=card, burn=True, sequence=sequence))
            except ValueError:
                pass
        return self._wire.encode(CardRead(face=card, sequence=sequence))

    def misread(self) -> bytes:
        """A card leaves the shoe and cannot be read."""
        return self._wire.encode(CardRead(face=None, sequence=self._next_number()))

    def alarm(self, code: str, text: str) -> bytes:
        """The shoe complains.

        Raises:
            ValueError: the protocol has no such code.
        """
        return self._wire.encode(ShoeAlarm(code=code, text=text))

    def receive(self, data: bytes) -> bytes:
        """A shoe listens to nobody."""
        del data
        return b""

    def idle(self) -> bytes:
        """The line has been silent; that means nothing to a shoe."""
        return b""

    def _next_number(self) -> int | None:
        if not self._numbered:
            return None
        number = self._draws % SEQUENCE_NUMBERS
        self._draws += 1
        return number
