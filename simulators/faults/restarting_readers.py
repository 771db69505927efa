"""Readers that begin anew while people play: silent at first, and then they repeat what they said last."""

from __future__ import annotations

from typing import Final

from simulators.chance import Chance
from simulators.faults.stray_chips import Place

_MS: Final = 1_000_000

SILENT_MS: Final = (300, 1_000)
"""How long a reader that has begun anew answers nothing."""

STALE_MS: Final = (100, 900)
"""How long it then gives its last inventory of each zone, before it looks again."""


class RestartingReaders:
    """``every_looks``: one look in this many is the last before its reader begins anew."""

    def __init__(self, chance: Chance, every_looks: int = 10_000) -> None:
        self._chance = chance
        self._every = every_looks
        self._begun: dict[int, tuple[int, int]] = {}
        self._said: dict[Place, tuple[str, ...]] = {}

    def answer(self, reader: int, place: Place, chips: tuple[str, ...], now_ns: int) -> tuple[str, ...] | None:
        """What a reader says of a zone in which its antenna hears these chips; None: it does not answer."""
        silent_ns, stale_ns = self._begun.get(reader, (now_ns, now_ns))
        if now_ns < silent_ns:
            return None
        if now_ns < stale_ns and place in self._said:
            return self._said[place]
        if self._chance.randrange(self._every) == 0:
            silent_ns = now_ns + self._between(SILENT_MS)
            self._begun[reader] = silent_ns, silent_ns + self._between(STALE_MS)
        self._said[place] = chips
        return chips

    def _between(self, bounds_ms: tuple[int, int]) -> int:
        shortest, longest = bounds_ms
        return (shortest + self._chance.randrange(longest - shortest)) * _MS
