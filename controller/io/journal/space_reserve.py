"""The reserve: a file beside the journal that holds room, given up when the disk is nearly full.

With the room it held the round in play can be finished and journaled; then the table is closed for new ones
(``controller/io/journal/disk_watch.py``) until there is space again and the reserve has been made anew.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import structlog

SUFFIX: Final = "-reserve"

SAFE_BYTES: Final = 8 * 1024 * 1024
"""What must be free before a transaction: a write-ahead log of 4 MB and its folding in, doubled."""

LOOK_SECONDS: Final = 1.0
"""Between two looks at the disk; what fills it faster is refused by the disk, and the reserve given up then."""

log = structlog.get_logger(__name__)

_Work = Callable[[sqlite3.Connection], Any]


class SpaceReserve:
    """Room of ``size`` bytes beside ``journal``; 0: no reserve is kept. ``stat`` tells how full the disk is.

    ``seconds`` is a clock that only goes forward.
    """

    def __init__(
        self,
        journal: Path,
        size: int,
        stat: Callable[[Path], os.statvfs_result] = os.statvfs,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = Path(f"{journal}{SUFFIX}")
        self.size = size
        self._stat = stat
        self._seconds = seconds
        self._looked_at = -LOOK_SECONDS

    @property
    def safe_bytes(self) -> int:
        """Less free than this, and the reserve is given up; a small reserve guards a small disk."""
        return min(SAFE_BYTES, self.size)

    def is_there(self) -> bool:
        """Whether the whole reserve is there, or no reserve is wanted."""
        try:
            return self.path.stat().st_size >= self.size
        except OSError:
            return not self.size

    def free_bytes(self) -> int:
        """What is free on the disk besides it.

        Raises:
            OSError: the disk cannot be looked at.
        """
        found = self._stat(self.path.parent)
        return found.f_bavail * found.f_frsize

    def make(self) -> str:
        """Take the room, if it is not taken; why that cannot be, or an empty text."""
        if self.is_there():
            return ""
        try:
            descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                # Blocks, not a length: what was only promised would be refused when it is needed.
                os.posix_fallocate(descriptor, 0, self.size)
            finally:
                os.close(descriptor)
        except OSError as error:
            self.give_up()
            return f"{self.path}: no room for the reserve of {self.size // 2**20} MiB: {error.strerror}"
        return ""

    def give_up(self) -> bool:
        """Let the room go; whether there was any."""
        try:
            self.path.unlink()
        except OSError:
            return False
        log.error("reserve given up", reserve=str(self.path), bytes=self.size)
        return True

    def keep_clear(self) -> None:
        """Let the room go if the disk has too little left for a transaction, as it was found at most a second ago."""
        now = self._seconds()
        if now - self._looked_at < LOOK_SECONDS:
            return
        self._looked_at = now
        try:
            is_full = self.free_bytes() < self.safe_bytes
        except OSError:
            return
        if is_full:
            self.give_up()


def transacted(connection: sqlite3.Connection, works: Sequence[_Work], reserve: SpaceReserve | None) -> list[Any]:
    """Do everything in one transaction; what each gave.

    If the disk has no room, the reserve is given up and everything is done once more: what was refused was rolled back
    before anything was synced, unlike after a failed sync, which is never tried again.

    Raises:
        sqlite3.Error: the disk refused.
    """
    if reserve is not None:
        reserve.keep_clear()
    try:
        return _once(connection, works)
    except sqlite3.OperationalError as error:
        is_full = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
        if reserve is None or not is_full or not reserve.give_up():
            raise
        if connection.in_transaction:
            connection.execute("ROLLBACK")
    return _once(connection, works)


def _once(connection: sqlite3.Connection, works: Sequence[_Work]) -> list[Any]:
    connection.execute("BEGIN IMMEDIATE")
    answers = [work(connection) for work in works]
    connection.execute("COMMIT")
    return answers
