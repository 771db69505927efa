"""Notices when this process was held back while shoe and keypad were both telling it something.

A machine that is starved, or stopped for a moment, lets the program read at one moment what came over a longer time.
Each line keeps its own order, and a change of chips carries the inventories between which it happened; but a card and a
key are dated when they are read, and of two that waited on two lines it is not known which came first.

The event loop leaves a mark every ``BEAT_SECONDS``. A reading that finds the last mark older than the bound was read by
a loop that had been away since then, and may have waited as long.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from controller.core.messages.inputs import Input, ReadingsHeld
from controller.io.system.clock import Clock
from firmware_protocols.readings import CardDrawn, KeyPressed, Reading

BEAT_SECONDS: Final = 0.05
"""Between two marks; as much of a pause may go unnoticed."""

log = structlog.get_logger(__name__)


class StallWatch:
    """Hands readings on to ``deliver``, and after them how long the loop was away if their order is not known.

    ``bound_ms``: the shortest absence that is reported; 0: absences are not reported.
    """

    def __init__(self, clock: Clock, deliver: Callable[[Input], None], bound_ms: int) -> None:
        self._clock = clock
        self._deliver = deliver
        self._bound_ns = bound_ms * 1_000_000
        self._marked_ns: int | None = None
        """The last mark; None: there is none yet."""
        self._away: tuple[int, int | None] | None = None
        """The last absence: from the last mark before it to the first mark that came in time, None until then."""
        self._kinds: set[type[CardDrawn | KeyPressed]] = set()
        """What was dated in that absence."""

    async def run(self) -> None:
        """Leave marks until cancelled."""
        loop = asyncio.get_running_loop()
        timer: asyncio.TimerHandle

        def beat() -> None:
            nonlocal timer
            self.mark()
            timer = loop.call_later(BEAT_SECONDS, beat)

        # A timer that calls itself again costs half of what a task that sleeps does, twenty times a second.
        beat()
        try:
            await loop.create_future()
        finally:
            timer.cancel()

    def mark(self) -> None:
        """The loop is here; after an absence, what waited may be read just before this mark or just after it."""
        now_ns, marked_ns = self._clock.monotonic_ns(), self._marked_ns
        if marked_ns is not None and self._is_away(now_ns - marked_ns):
            self._begin(marked_ns)
        elif self._away is not None and self._away[1] is None:
            self._away = (self._away[0], now_ns)
        self._marked_ns = now_ns

    def taken(self, given: Reading) -> None:
        """Hand a reading on.

        Raises:
            Exception: as ``deliver``.
        """
        # As it was read: what becomes of it may take a while.
        now_ns = self._clock.monotonic_ns()
        self._deliver(given)
        # A card that was reported late has its own time from which on it may have left.
        if not isinstance(given, CardDrawn | KeyPressed) or (isinstance(given, CardDrawn) and given.since_ns >= 0):
            return
        marked_ns = self._marked_ns
        if marked_ns is not None and self._is_away(now_ns - marked_ns):
            self._begin(marked_ns)
        if self._away is None:
            return
        since_ns, until_ns = self._away
        # A key is reported when it is let go, and dated when it went down.
        if since_ns <= given.at_ns and (until_ns is None or given.at_ns <= until_ns):
            self._note(type(given), given.at_ns - since_ns)

    def _is_away(self, gap_ns: int) -> bool:
        return bool(self._bound_ns) and gap_ns >= self._bound_ns

    def _begin(self, since_ns: int) -> None:
        if self._away is None or self._away[0] != since_ns:
            self._away, self._kinds = (since_ns, None), set()

    def _note(self, kind: type[CardDrawn | KeyPressed], held_ns: int) -> None:
        if self._kinds == {CardDrawn, KeyPressed} - {kind}:
            log.warning("readings held", held_ms=held_ns // 1_000_000)
            self._deliver(ReadingsHeld(self._clock.monotonic_ns(), held_ns))
        self._kinds.add(kind)
