"""How long to wait before trying again: doubling, bounded, and never in step with anybody else."""

from __future__ import annotations

import random
from typing import Final

FIRST_SECONDS: Final = 0.5
LAST_SECONDS: Final = 10.0
JITTER: Final = 0.25
"""The share by which a pause is shortened at most, so that four devices on one hub do not come back at once."""


class Backoff:
    """Pauses of 0.5 s doubling to 10 s, each shortened by chance by up to a quarter."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._seconds = FIRST_SECONDS

    def next_seconds(self) -> float:
        """The next pause, in seconds."""
        pause = self._seconds * (1 - JITTER * self._chance.random())
        self._seconds = min(LAST_SECONDS, self._seconds * 2)
        return pause

    def reset(self) -> None:
        """It worked: begin again with the shortest pause."""
        self._seconds = FIRST_SECONDS
