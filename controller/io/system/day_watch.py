"""Tells the table which gaming day it is: at its start, when another begins, and when the clock was set to another.

The day is reckoned here and journaled as it was reported, since the tables of time zones change and a replay must not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Final

from controller.core.messages.house import GamingDay
from controller.core.messages.inputs import DayBegan
from controller.formats.text.moments import HouseCalendar
from controller.io.system.clock import Clock
from controller.io.system.clock_watch import is_set

LOOK_SECONDS: Final = 60.0
"""A clock that was set is noticed within that time; the beginning of a day is waited for to the moment."""


class DayWatch:
    """Tells each gaming day of a house once it has begun; a house that said nothing has days of UTC."""

    def __init__(self, day: GamingDay | None, clock: Clock, deliver: Callable[[DayBegan], None]) -> None:
        self._day = day or GamingDay()
        self._clock = clock
        self._deliver = deliver
        self._reported: date | None = None

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            until_next = self.look()
            await asyncio.sleep(min(until_next, LOOK_SECONDS))

    def look(self) -> float:
        """Tell the day if it is another; the seconds until the next begins."""
        wall_ns = self._clock.wall_ns()
        if not is_set(wall_ns):
            return LOOK_SECONDS
        now = datetime.fromtimestamp(wall_ns // 1_000_000_000, UTC)
        house = HouseCalendar(self._day, now)
        today = house.gaming_day(now)
        if today != self._reported:
            self._reported = today
            self._deliver(DayBegan(self._clock.monotonic_ns(), today.isoformat()))
        # The clock shows whole seconds here: half a second more, and the day has begun.
        return (house.begin(today + timedelta(1)) - now).total_seconds() + 0.5
