"""Whose turn it is on a bus: every watched zone as often as the next, and no reader left unheard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from devices.chips.zones import AntennaZone, Asked

QUIET_NS: Final = 750_000_000
"""A reader of which no zone is watched is asked so often who it is: silent, it is lost within two seconds too."""


class PollPlan:
    """Zones in the order of polling. ``watched`` are names of zones, None for all; ``everything`` overrules it."""

    def __init__(self, zones: Sequence[AntennaZone]) -> None:
        self.watched: frozenset[str] | None = None
        self.everything = False
        self._zones = zones
        self._turn = 0

    def first_due_ns(self, from_ns: int) -> int:
        """When something may be asked, from a moment on."""
        first_ns: int | None = None
        for place in self._places():
            due_ns = self._due_ns(self._zones[place])
            if due_ns is None:
                continue
            if due_ns <= from_ns:
                return from_ns
            first_ns = due_ns if first_ns is None else min(first_ns, due_ns)
        # Every reader has a zone that is wanted, or is asked who it is for the sake of its first.
        assert first_ns is not None
        return first_ns

    def next(self, now_ns: int) -> Asked | None:
        """What to ask now, if anything may be."""
        for place in self._places():
            zone = self._zones[place]
            due_ns = self._due_ns(zone)
            if due_ns is None or due_ns > now_ns:
                continue
            if not zone.reader.identified or not self._wants(zone):
                # The zone keeps its turn.
                self._turn = place
                return Asked(zone.reader, None, now_ns)
            self._turn = (place + 1) % len(self._zones)
            return Asked(zone.reader, zone, now_ns)
        return None

    def _places(self) -> Iterator[int]:
        """The zones by their turn."""
        return chain(range(self._turn, len(self._zones)), range(self._turn))

    def _wants(self, zone: AntennaZone) -> bool:
        return self.watched is None or zone.zone in self.watched or self.everything or not zone.is_known()

    def _due_ns(self, zone: AntennaZone) -> int | None:
        """When this zone, or for its sake its reader, is to be asked; None: not for this zone."""
        reader = zone.reader
        if self._wants(zone):
            return zone.due_ns()
        if zone is reader.zones[0] and not any(map(self._wants, reader.zones)):
            return max(reader.backoff.due_ns, reader.heard_ns + QUIET_NS)
        return None
