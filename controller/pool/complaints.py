"""What the log says of a table's messages: a few lines at once and one a second from then on; the rest is counted.

A log that a table could fill would lose what it says of everybody: the system's journal drops lines of a program that
writes too many, and among them that a pool was won.
"""

from __future__ import annotations

import logging
from collections import Counter, defaultdict
from typing import Final

import structlog

from controller.formats.text.safe_parse import one_line
from controller.io.system.clock import Clock
from controller.io.system.rate_limits import Allowance

LINES_AT_ONCE: Final = 10
"""Of one table, of one kind."""

LINES_PER_SECOND: Final = 1

log = structlog.get_logger(__name__)


class Complaints:
    """Of all tables of a link. A line says under ``untold`` how many of its kind were not written before it."""

    def __init__(self, pool: str, clock: Clock) -> None:
        self._pool = pool
        self._clock = clock
        self._lines: dict[tuple[str, str], Allowance] = defaultdict(lambda: Allowance(LINES_PER_SECOND, LINES_AT_ONCE))
        self._untold: Counter[tuple[str, str]] = Counter()

    def warn(self, event: str, table: str, reason: str) -> None:
        """Write a warning, unless there were too many of its kind."""
        self._tell(logging.WARNING, event, table, reason)

    def alarm(self, event: str, table: str, reason: str, **where: int) -> None:
        """Write an alarm, unless there were too many of its kind."""
        self._tell(logging.ERROR, f"ALARM: {event}", table, reason, **where)

    def _tell(self, level: int, event: str, table: str, reason: str, **where: int) -> None:
        kind = event, table
        if not self._lines[kind].take(self._clock.monotonic_ns()):
            self._untold[kind] += 1
            return
        if untold := self._untold.pop(kind, 0):
            where["untold"] = untold
        log.log(level, event, pool=self._pool, table=table, reason=one_line(reason), **where)
