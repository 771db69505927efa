"""Whose turn it is on a bus: every watched zone as often as the next, and no reader left unheard."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from devices.chips.zones import Asked, Zone

QUIET_NS: Final = 750_000_000
"""A reader of which no zone is watched is asked so often who it is: silent, it is lost within two seconds too."""


class PollPlan:
    """Zones in the order of polling. ``watched`` are names of zones, None for all; ``everything`` overrules it."""

    def __init__(self, zones: Sequence[Zone]) -> None:
        self.watched: frozenset[str] | None = None
        self.everything = False
        self._zones = zones
        self._turn = 0

    def first_due_ns(self) -> int:
        """When something may be asked; perhaps long ago."""
        # Every reader has a zone that is wanted, or is asked who it is for the sake of its first.
        return min(due_ns for zone in self._zones if (due_ns := self._due_ns(zone)) is not None)

    def next(self, now_ns: int) -> Asked | None:
        """What to ask now, if anything may be."""
        for step in range(len(self._zones)):
            place = (self._turn + step) % len(self._zones)
            zone = self._zones[place]
            due_ns = self._due_ns(zone)
            if due_ns is None or due_ns > now_ns:
                continue
            asked = Asked(zone.reader, None, now_ns)
            if not zone.reader.identified or not self._wants(zone):
                # The zone keeps its turn.
                self._turn = place
                return asked
            self._turn = (place + 1) % len(self._zones)
            return replace(asked, zone=zone)
        return None

    def _wants(self, zone: Zone) -> bool:
        return self.watched is None or zone.zone in self.watched or self.everything or not zone.is_known()

    def _due_ns(self, zone: Zone) -> int | None:
        """When this zone, or for its sake its reader, is to be asked; None: not for this zone."""
        reader = zone.reader
        if self._wants(zone):
            return zone.due_ns()
        if zone is reader.zones[0] and not any(map(self._wants, reader.zones)):
            return max(reader.backoff.due_ns, reader.heard_ns + QUIET_NS)
        return None
