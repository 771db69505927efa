"""The one place that asks what time it is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from controller.formats.text.moments import HOUR_NS

_Answer = TypeVar("_Answer")


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


def hourly(ask: Callable[[], _Answer], clock: Clock) -> Callable[[], _Answer]:
    """``ask``, asked now and then at most once an hour; between, the last answer."""
    asked_ns = clock.monotonic_ns()
    known = ask()

    def answer() -> _Answer:
        nonlocal asked_ns, known
        if clock.monotonic_ns() - asked_ns >= HOUR_NS:
            asked_ns, known = clock.monotonic_ns(), ask()
        return known

    return answer
