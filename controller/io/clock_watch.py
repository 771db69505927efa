"""Notices when wall time jumps. Nothing is decided by wall time, but people read it in every record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from controller.io.clock import Clock
from firmware_protocols.readings import DeviceComplained

LOOK_SECONDS: Final = 5.0
"""Between two looks."""

STEP_NS: Final = 1_000_000_000
"""A larger difference between two looks is a jump; a clock that is only steered moves 2.5 ms in that time at most."""

log = structlog.get_logger(__name__)


class ClockWatch:
    """Tells each jump of wall time, as an alarm of the device ``clock``."""

    def __init__(self, clock: Clock, deliver: Callable[[DeviceComplained], None]) -> None:
        self._clock = clock
        self._deliver = deliver
        self._offset_ns = self._offset()

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            self.look()

    def look(self) -> None:
        """Tell a jump since the last look."""
        offset_ns = self._offset()
        step_ns, self._offset_ns = offset_ns - self._offset_ns, offset_ns
        if abs(step_ns) > STEP_NS:
            text = f"wall time stepped by {step_ns / 1_000_000_000:+.3f} s"
            log.warning("clock stepped", step_ms=step_ns // 1_000_000)
            self._deliver(DeviceComplained("clock", "stepped", text, self._clock.monotonic_ns()))

    def _offset(self) -> int:
        return self._clock.wall_ns() - self._clock.monotonic_ns()
