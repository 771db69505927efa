"""What a bad line does to bytes: loses, changes, adds, tears and repeats them, by a seeded chance."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Final

_PER_MILLE: Final = 1000


@dataclass(frozen=True, slots=True)
class Rates:
    """How often, in per mille: ``drop``, ``flip`` (one bit), ``insert`` (a stray byte before), ``split`` of bytes.

    ``duplicate`` is of whole pieces: what is sent at once comes twice.

    Raises:
        ValueError: a rate is not 0 to 1000.
    """

    drop: int = 0
    flip: int = 0
    insert: int = 0
    split: int = 0
    duplicate: int = 0

    def __post_init__(self) -> None:
        for rate in (self.drop, self.flip, self.insert, self.split, self.duplicate):
            if not 0 <= rate <= _PER_MILLE:
                raise ValueError(f"a rate is 0 to 1000 per mille, got {rate}")


NO_FAULTS: Final = Rates()
"""A good line."""


class Faults:
    """Disturbs what passes; ``rates`` may be changed at any time."""

    def __init__(self, chance: random.Random, rates: Rates = NO_FAULTS) -> None:
        self._chance = chance
        self.rates = rates

    def disturb(self, data: bytes) -> tuple[bytes, ...]:
        """The pieces in which ``data`` arrives; perhaps none."""
        pieces = [bytearray()]
        for byte in data:
            if self._happens(self.rates.split):
                pieces.append(bytearray())
            if self._happens(self.rates.insert):
                pieces[-1].append(self._chance.randrange(256))
            if self._happens(self.rates.drop):
                continue
            flipped = byte ^ (1 << self._chance.randrange(8)) if self._happens(self.rates.flip) else byte
            pieces[-1].append(flipped)
        if self._happens(self.rates.duplicate):
            pieces += [bytearray(piece) for piece in pieces]
        return tuple(bytes(piece) for piece in pieces if piece)

    def _happens(self, per_mille: int) -> bool:
        return per_mille > 0 and self._chance.randrange(_PER_MILLE) < per_mille
