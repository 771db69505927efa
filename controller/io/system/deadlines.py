"""Tells the table when a moment it waits for has passed, so that a silence is a reading like any other."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from controller.core.messages.inputs import DeadlinePassed, Input
from controller.core.table.desired import Desired
from controller.io.system.clock import Clock

GRACE_NS: Final = 20_000_000
"""How long after the moment it is reported: what was sent before it has come off its line by then."""


class Deadlines:
    """Hands ``DeadlinePassed`` to ``deliver`` once the moment that the table wants has passed."""

    def __init__(self, clock: Clock, deliver: Callable[[Input], None]) -> None:
        self._clock = clock
        self._deliver = deliver
        self._wanted_ns = 0
        self._changed = asyncio.Event()

    def apply(self, desired: Desired) -> None:
        """The table wants another moment, or none."""
        if desired.deadline_ns != self._wanted_ns:
            self._wanted_ns = desired.deadline_ns
            self._changed.set()

    async def run(self) -> None:
        """Wait for one moment after another, until cancelled."""
        while True:
            self._changed.clear()
            left_s = (self._wanted_ns + GRACE_NS - self._clock.monotonic_ns()) / 1e9 if self._wanted_ns else None
            try:
                async with asyncio.timeout(None if left_s is None else max(left_s, 0)):
                    await self._changed.wait()
            except TimeoutError:
                # Another moment may have been wished for while the wait for the one before was being ended.
                if not 0 < self._wanted_ns <= self._clock.monotonic_ns() - GRACE_NS:
                    continue
                passed_ns, self._wanted_ns = self._wanted_ns, 0
                self._deliver(DeadlinePassed(passed_ns))
