"""Says in time that the journal's disk fills: a full disk ends the table."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

LOOK_SECONDS: Final = 60.0
"""Between two looks: at 45 kB a round a table writes a few megabytes in an hour."""

LEAST_SHARE: Final = 10
"""Per cent of the disk that should be free."""

LEAST_BYTES: Final = 256 * 1024 * 1024
"""What should be free however large the disk is: days of a table."""


class DiskWatch:
    """Looks at the free space of the disk a file lies on; ``tell`` takes an alarm, or an empty text."""

    def __init__(self, path: Path, tell: Callable[[str], None], stat: Callable[[Path], os.statvfs_result]) -> None:
        self._path = path
        self._tell = tell
        self._stat = stat

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        while True:
            self.look()
            await asyncio.sleep(LOOK_SECONDS)

    def look(self) -> None:
        """Tell how it is."""
        try:
            found = self._stat(self._path.parent)
        except OSError as error:
            self._tell(f"disk of {self._path}: cannot be looked at: {error.strerror}")
            return
        free, whole = found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize
        share = 100 * free // max(1, whole)
        is_low = share < LEAST_SHARE or free < LEAST_BYTES
        self._tell(f"disk of {self._path}: {share} % free ({free // 2**20} MiB)" if is_low else "")
