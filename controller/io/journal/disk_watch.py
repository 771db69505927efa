"""Says in time that the journal's disk fills: first an alarm, then the table is closed for new rounds.

A full disk ends the table in the middle of a round. So while there is still room, the round in play is the last one.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.core.messages.inputs import FitnessLevel
from controller.io.journal.space_reserve import SpaceReserve

LOOK_SECONDS: Final = 5.0
"""Between two looks: at 45 kB a round a table writes little in that time, and other programs may write much."""

WARN_SHARE: Final = 10
"""Per cent of the disk that should be free."""

CLOSE_SHARE: Final = 5
"""Per cent of the disk that must be free for another round."""

PLENTY: Final = 16
"""Free space of this many reserves is enough, whatever share of a large disk it is."""

CLOSE_PART: Final = 4
"""A table is closed when less than a reserve divided by this is free."""

TellFitness = Callable[[FitnessLevel, str], None]


class DiskWatch:
    """Looks at the free space of the disk a journal lies on; ``tell`` receives how fit that leaves the table."""

    def __init__(
        self,
        path: Path,
        reserve: SpaceReserve,
        tell: TellFitness,
        stat: Callable[[Path], os.statvfs_result],
        found: Callable[[int, int], None] = lambda _free, _size: None,
    ) -> None:
        """``found`` receives after each look, how many bytes are free, and of how many."""
        self._path = path
        self._reserve = reserve
        self._tell = tell
        self._stat = stat
        self._found = found
        self._is_closed = False

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Tell how it is, and make the reserve anew where there is room for it again."""
        try:
            found = self._stat(self._path.parent)
        except OSError as error:
            self._tell(FitnessLevel.WARNED, f"disk of {self._path}: cannot be looked at: {error.strerror}")
            return
        free, whole = found.f_bavail * found.f_frsize, max(1, found.f_blocks * found.f_frsize)
        self._found(free, whole)
        lacking = ""
        if not self._reserve.is_there():
            if self.level(free - self._reserve.size, whole) is FitnessLevel.FIT:
                lacking = await asyncio.to_thread(self._reserve.make)
                free -= self._reserve.size
            else:
                lacking = "its reserve is given up"
        level = FitnessLevel.CLOSED if lacking else self.level(free, whole)
        # Opened only where nothing is low any more, so that it is not opened and closed for every round.
        if self._is_closed and level is not FitnessLevel.FIT:
            level = FitnessLevel.CLOSED
        self._is_closed = level is FitnessLevel.CLOSED
        text = f"disk of {self._path}: {100 * free // whole} % free ({free // 2**20} MiB)"
        text = f"{text}, {lacking}" if lacking else text
        self._tell(level, "" if level is FitnessLevel.FIT else f"{text}: free some space")

    def level(self, free: int, whole: int) -> FitnessLevel:
        """How fit the table is with this number of free bytes on its disk."""
        share, reserve = 100 * free / whole, self._reserve.size
        is_plenty = bool(reserve) and free >= PLENTY * reserve
        if free < reserve // CLOSE_PART or (share < CLOSE_SHARE and not is_plenty):
            return FitnessLevel.CLOSED
        if free < reserve or (share < WARN_SHARE and not is_plenty):
            return FitnessLevel.WARNED
        return FitnessLevel.FIT
