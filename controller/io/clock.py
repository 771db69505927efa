"""The one place that asks what time it is."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Two times: one for deadlines that never goes back, one for people."""

    def monotonic_ns(self) -> int:
        """Nanoseconds that never go back, from an arbitrary start."""
        ...

    def wall_ns(self) -> int:
        """Nanoseconds since 1970-01-01 UTC; may jump."""
        ...


class SystemClock:
    """The machine's clocks."""

    def monotonic_ns(self) -> int:
        """As ``Clock.monotonic_ns``; the same clock the event loop uses."""
        return time.monotonic_ns()

    def wall_ns(self) -> int:
        """As ``Clock.wall_ns``."""
        return time.time_ns()
