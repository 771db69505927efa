"""A hardware random number generator that does not exist: noise, and every way in which noise may go wrong."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from firmware_protocols.codec import Codec
from simulators.chance import Chance, happens

BIASED_PER_MILLE: Final = 900
"""How many of a biased source's bytes are one and the same."""

DEGRADING_BYTES: Final = 64
"""A degrading source grows one per mille more biased with this number of bytes."""


class Noise(StrEnum):
    """How a source is."""

    HEALTHY = "healthy"
    STUCK = "stuck"
    ALTERNATING = "alternating"
    BIASED = "biased"
    DEGRADING = "degrading"
    NARROW = "narrow"
    TRUNCATED = "truncated"
    ASCII = "ascii"
    RAW = "raw"


class NoiseSimulator:
    """A source that sends when ordered to, as ``noise`` says, which may be changed at any time."""

    def __init__(self, codec: Codec, chance: Chance, noise: Noise = Noise.HEALTHY) -> None:
        del codec
        self._chance = chance
        self.noise = noise
        self._sent = 0

    def emit(self, count: int) -> bytes:
        """The next ``count`` bytes; fewer only of a source that was truncated."""
        if self.noise is Noise.TRUNCATED:
            return b""
        if self.noise is Noise.ASCII:
            return self._text(count)
        return bytes(self._byte() for _ in range(count))

    def receive(self, data: bytes) -> bytes:
        """Nothing is said to a generator, and it answers nothing."""
        del data
        return b""

    def idle(self) -> bytes:
        """As ``receive``."""
        return b""

    def _byte(self) -> int:
        self._sent += 1
        byte = self._chance.randrange(256)
        match self.noise:
            case Noise.STUCK:
                return 0xA5
            case Noise.ALTERNATING:
                return 0x55 if self._sent % 2 else 0xAA
            case Noise.BIASED:
                return 0x81 if happens(self._chance, BIASED_PER_MILLE) else byte
            case Noise.DEGRADING:
                return 0x81 if happens(self._chance, min(1000, self._sent // DEGRADING_BYTES)) else byte
            case Noise.NARROW:
                return byte | 0xF8
            case Noise.RAW:
                return byte if self._sent % 2 else byte & 0x0F
            case _:
                return byte

    def _text(self, count: int) -> bytes:
        """What a generator in a mode for people sends: numbers, a line each."""
        text = b""
        while len(text) < count:
            text += b"%d\r\n" % self._chance.randrange(1024)
        return text[:count]
