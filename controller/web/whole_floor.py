"""A gaming day of the whole floor out of the collector's database: asked in a thread, for all pages at once.

The database is handed in as a function: the pages know neither its driver nor its views.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from controller.formats.text.moments import TODAY, NoMoment
from controller.reports.floor_day import FloorDay

KEPT_SECONDS: Final = 5.0
"""How long a day is given again as it was read, and a failure as it was met, however many pages ask."""

DAYS_LIMIT: Final = 64
"""Days that are kept."""

log = structlog.get_logger(__name__)


class FloorUnread(Exception):  # noqa: N818 - named for what happened
    """The database cannot be read; the text says why, for the log."""


class FloorRefused(Exception):  # noqa: N818
    """There is no such day or no database of one; the text says why, on one line, for a page."""


ReadFloor = Callable[[str], FloorDay]
"""A gaming day by its name; blocks. It raises ``FloorUnread`` and ``NoMoment``."""


class WholeFloor:
    """The floor as pages are given it. ``now`` is monotonic seconds."""

    def __init__(self, read: ReadFloor | None, now: Callable[[], float]) -> None:
        self._read = read
        self._now = now
        self._kept: dict[str, tuple[float, FloorDay | FloorUnread]] = {}
        self._one_at_a_time = asyncio.Lock()
        self._complaint = ""

    @property
    def is_collected(self) -> bool:
        """Whether a database was named."""
        return self._read is not None

    async def day(self, asked: str) -> FloorDay:
        """A gaming day: a date, ``yesterday``, or ``today`` (also where it is empty).

        Raises:
            FloorRefused: no database was named, or it is no day.
            FloorUnread: the database cannot be read.
        """
        day = asked or TODAY
        async with self._one_at_a_time:
            made, known = self._kept.get(day, (0.0, None))
            if known is None or self._now() >= made + KEPT_SECONDS:
                known = await self._read_anew(day)
                while len(self._kept) >= DAYS_LIMIT:
                    del self._kept[next(iter(self._kept))]
                self._kept.pop(day, None)
                self._kept[day] = (self._now(), known)
        if isinstance(known, FloorUnread):
            raise known
        return known

    async def _read_anew(self, day: str) -> FloorDay | FloorUnread:
        if self._read is None:
            raise FloorRefused("no database of the whole floor was named; see: tableside web --collected")
        try:
            found = await asyncio.to_thread(self._read, day)
        except NoMoment as error:
            raise FloorRefused(str(error)) from error
        except FloorUnread as error:
            if self._complaint != str(error):
                self._complaint = str(error)
                log.warning("whole floor cannot be read", reason=self._complaint)
            return error
        if self._complaint:
            self._complaint = ""
            log.info("whole floor can be read again")
        return found
