"""Notices when wall time jumps. Nothing is decided by wall time, but people read it in every record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from controller.io.system.clock import Clock
from firmware_protocols.readings import DeviceComplained

LOOK_SECONDS: Final = 5.0
"""Between two looks."""

BUILT_NS: Final = 1_760_000_000_000_000_000
"""A time before this program was written (October 2025, in ns since 1970): a clock that shows less has not been set."""

STEP_NS: Final = 1_000_000_000
"""A larger difference between two looks is a jump; a clock that is only steered moves 2.5 ms in that time at most."""

log = structlog.get_logger(__name__)


def is_set(wall_ns: int) -> bool:
    """Whether a clock shows a time at which this program can be running."""
    return wall_ns >= BUILT_NS


class ClockWatch:
    """Tells each jump of wall time, as an alarm of the device ``clock``; also a step back behind ``last_wall_ns``."""

    def __init__(self, clock: Clock, deliver: Callable[[DeviceComplained], None], last_wall_ns: int = 0) -> None:
        self._clock = clock
        self._deliver = deliver
        self._last_wall_ns = last_wall_ns
        self._offset_ns = self._offset()

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        self.look_at_start()
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look_at_start(self) -> None:
        """Tell a clock that was never set, or that is behind what the journal already has."""
        now_ns = self._clock.wall_ns()
        behind_ns = self._last_wall_ns - now_ns
        if not is_set(now_ns):
            self._tell("unset", "wall time has not been set since the machine started")
        elif behind_ns > STEP_NS:
            self._tell("stepped", f"wall time is {behind_ns / 1_000_000_000:.3f} s behind the journal's last record")

    def look(self) -> None:
        """Tell a jump since the last look."""
        offset_ns = self._offset()
        step_ns, self._offset_ns = offset_ns - self._offset_ns, offset_ns
        if abs(step_ns) > STEP_NS:
            text = f"wall time stepped by {step_ns / 1_000_000_000:+.3f} s"
            self._tell("stepped", text)

    def _tell(self, code: str, text: str) -> None:
        log.warning("clock", code=code, detail=text)
        self._deliver(DeviceComplained("clock", code, text, self._clock.monotonic_ns()))

    def _offset(self) -> int:
        return self._clock.wall_ns() - self._clock.monotonic_ns()
