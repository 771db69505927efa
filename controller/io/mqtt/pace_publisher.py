"""The pace of the last hour, published once a minute from the journal for the pit, retained on ``state/pace``.

It reads the journal as a consumer does, on a cursor of its own, so that a card never waits for it.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

import msgspec

from controller.core.messages.events import Event
from controller.formats.mqtt.envelope import nanoseconds, own_event, utc_text
from controller.formats.mqtt.retained_state import PaceNow
from controller.formats.text.moments import HOUR_NS
from controller.io.journal.reader import EventRow
from controller.io.system.clock import Clock
from controller.reports.pace import Pace, figures, pace_after
from controller.reports.recent_takings import NO_EDGES, RecentTakings

EVERY_SECONDS: Final = 60.0

ROWS_AT_ONCE: Final = 500

EVENTS_LIMIT: Final = 20_000
"""Events kept: four times what a fast table tells in an hour."""

BEFORE_NS: Final = HOUR_NS
"""So much older events are read too at the start: the beginnings of the rounds that closed within the hour."""

ReadEvents = Callable[[int, int], Awaitable[Sequence[EventRow]]]
"""``read(seq, limit)``: committed events following ``seq``, in order, at most ``limit``."""


class PaceBoard:
    """Keeps the events of the last hour and tells their figures."""

    def __init__(
        self,
        read: ReadEvents,
        head: Callable[[], int],
        clock: Clock,
        tell: Callable[[bytes], None],
        *,
        edges: Mapping[str, Fraction] = NO_EDGES,
    ) -> None:
        """``edges``: what the house keeps of a bet on average, per unit laid before the deal."""
        self._read = read
        self._head = head
        self._clock = clock
        self._tell = tell
        self._edges = edges
        self._seq = 0
        self._kept: deque[tuple[int, Event]] = deque(maxlen=EVENTS_LIMIT)
        self._taken = RecentTakings()

    async def run(self) -> None:
        """Tell the figures each minute, until cancelled.

        Raises:
            JournalFailed: the journal can no longer be read.
        """
        self._seq = await self._before(self._clock.wall_ns() - HOUR_NS - BEFORE_NS)
        while True:
            self._tell(await self.look())
            await asyncio.sleep(EVERY_SECONDS)

    async def look(self) -> bytes:
        """Read what is new, forget what is older than an hour; the payload of ``state/pace``."""
        while rows := await self._read(self._seq, ROWS_AT_ONCE):
            self._seq = rows[-1].seq
            for row in rows:
                published = own_event(row.body)
                self._kept.append((nanoseconds(published.time), published.event))
                self._taken.take(published)
        now_ns = self._clock.wall_ns()
        since_ns = now_ns - HOUR_NS
        while self._kept and self._kept[0][0] < since_ns:
            self._kept.popleft()
        self._taken.forget(since_ns)
        pace = Pace()
        for at_ns, event in self._kept:
            pace = pace_after(pace, event, at_ns)
        shown = figures(pace, self._taken.figures(self._edges))
        return msgspec.json.encode(PaceNow(self._seq, shown, utc_text(now_ns)))

    async def _before(self, moment_ns: int) -> int:
        """The last event published before a moment, 0 if none: found by halving, for a journal may hold a year."""
        low, high = 0, self._head()
        while low < high:
            middle = (low + high + 1) // 2
            rows = await self._read(middle - 1, 1)
            if rows and nanoseconds(own_event(rows[0].body).time) < moment_ns:
                low = middle
            else:
                high = middle - 1
        return low
