"""How long processes were ready to run and had to wait for a processor, as the kernel counts it."""

from __future__ import annotations

import bisect
import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from tests.io.virtual_time import passes

LOOK_S: Final = 0.01
NANOSECONDS: Final = 1_000_000_000


def waited_ns(process: int) -> int:
    """Of the first thread of a process, since it began; 0 where the kernel does not count it."""
    with contextlib.suppress(OSError):
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[1])
    return 0


class Waits:
    """Looks again and again; ``between`` then reports any time."""

    def __init__(self, processes: Sequence[int]) -> None:
        self._processes = processes
        self._times: list[float] = []
        self._waited: list[int] = []

    async def look(self) -> None:
        """Until cancelled."""
        while True:
            self._times.append(time.monotonic())
            self._waited.append(sum(waited_ns(one) for one in self._processes))
            await passes(LOOK_S)

    def between(self, begin: float, end: float) -> float:
        """Seconds waited between two moments of the monotonic clock."""
        if not self._times:
            return 0.0
        first = max(0, bisect.bisect_right(self._times, begin) - 1)
        last = min(len(self._times) - 1, bisect.bisect_left(self._times, end))
        return (self._waited[last] - self._waited[first]) / NANOSECONDS
