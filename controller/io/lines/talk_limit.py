"""How much a line may say. A device that says more is not silent and not broken: its line is closed for a while.

No device of a table comes near it. Beyond it a device would fill the journal, and the queue that all devices share.
"""

from __future__ import annotations

import random
from typing import Final, NamedTuple

from controller.io.system.backoff import Backoff
from controller.io.system.rate_limits import NANOSECONDS, Allowance

READINGS_PER_SECOND: Final = 100
"""Of one line, on end: ten times what the busiest readers tell."""

READINGS_AT_ONCE: Final = 100
"""Readings that may come together: twice those of all zones on a line. Each takes the table a millisecond or two."""

CARDS_AT_ONCE: Final = 600
"""Of a shoe that keeps what it has drawn: it tells every card."""

READINGS_ON_TRIAL: Final = 100
"""The same for a line that was closed for its talk not long ago."""

BYTES_PER_SECOND: Final = 50_000
"""Of one line: four times what the fastest serial line of a table carries. To read so many takes less than a tenth of
a second, for which everybody else waits."""

CALM_NS: Final = 60 * NANOSECONDS
"""A line that has kept within its allowance for so long is trusted as before, and an alarm is an alarm again."""


class Quota(NamedTuple):
    """How much a line may say: readings a second and at once, at once on trial, and bytes a second."""

    per_second: int = READINGS_PER_SECOND
    at_once: int = READINGS_AT_ONCE
    on_trial: int = READINGS_ON_TRIAL
    bytes_per_second: int = BYTES_PER_SECOND


DEVICE: Final = Quota()
"""Of a device of a table."""

KEEPING_SHOE: Final = Quota(at_once=CARDS_AT_ONCE)
"""Of a shoe that keeps what it has drawn until it hears that it may forget."""


class Talk:
    """What one line has said, over all its openings. Times are monotonic nanoseconds."""

    def __init__(self, chance: random.Random, quota: Quota = DEVICE) -> None:
        self._pauses = Backoff(chance)
        self._quota = quota
        self._closed_ns: int | None = None
        self.is_closed = False
        """Whether this opening has said too much; until ``opened`` nothing more is taken of it."""
        self._forget(quota.at_once)

    def _forget(self, at_once: int) -> None:
        self._readings = Allowance(self._quota.per_second, at_once)
        # A second's worth of bytes at once, by the kilobyte.
        kilobytes = max(1, self._quota.bytes_per_second // 1000)
        self._kilobytes = Allowance(kilobytes, kilobytes)
        self._bytes = 0

    def opened(self, now_ns: int) -> None:
        """The line is open (again)."""
        self.is_closed = False
        on_trial = self._closed_ns is not None and now_ns - self._closed_ns < CALM_NS
        self._forget(self._quota.on_trial if on_trial else self._quota.at_once)

    def reading(self, now_ns: int) -> bool:
        """Take a reading; whether it is within the allowance."""
        self.is_closed = self.is_closed or not self._readings.take(now_ns)
        return not self.is_closed

    def data(self, count: int, now_ns: int) -> bool:
        """Take bytes; whether they are within the allowance."""
        self._bytes += count
        while self._bytes >= 1000 and not self.is_closed:
            self._bytes -= 1000
            self.is_closed = not self._kilobytes.take(now_ns)
        return not self.is_closed

    def closed(self, now_ns: int) -> bool:
        """The line was closed for its talk; whether that is worth an alarm, as it had been calm."""
        was_calm = self._closed_ns is None or now_ns - self._closed_ns >= CALM_NS
        if was_calm:
            self._pauses.reset()
        self._closed_ns = now_ns
        return was_calm

    def pause_seconds(self) -> float:
        """How long such a line stays closed: longer each time."""
        return self._pauses.next_seconds()
