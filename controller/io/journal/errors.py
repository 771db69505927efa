"""What keeps a journal from being used: its disk, its bytes, or that it is none; and which of them SQLite means."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path
from typing import Final

SQLITE_ERRORS: Final = (sqlite3.Error, UnicodeDecodeError)
"""What SQLite raises, and Python where SQLite's own text quotes bytes of a damaged file that are no text."""


class JournalFailed(Exception):  # noqa: N818 - named for what happened
    """Storage failed or refused; the text says what to do. The journal takes nothing more."""


class JournalDamaged(Exception):  # noqa: N818
    """The file is a journal, and damaged; the text says where."""


class NotAJournal(Exception):  # noqa: N818
    """There is no such file, or it is not a journal."""


class JournalUnreadable(NotAJournal):
    """It cannot be looked at now, as its disk or this machine's memory is full, or its folder cannot be written.

    Nothing is known against it.
    """


REFUSED_TO_LOOK: Final = frozenset(
    {
        "SQLITE_FULL",
        "SQLITE_NOMEM",
        "SQLITE_CANTOPEN",
        "SQLITE_IOERR_NOMEM",
        "SQLITE_IOERR_WRITE",
        "SQLITE_IOERR_SHMOPEN",
        "SQLITE_IOERR_SHMSIZE",
        "SQLITE_IOERR_SHMMAP",
    }
)
"""Results of SQLite (https://www.sqlite.org/rescode.html) that speak of this machine and not of the file.

Reading a journal that has a write-ahead log needs room for its index beside it.
"""


def cannot_read(path: Path, error: Exception) -> JournalDamaged | JournalUnreadable:
    """What is said of a journal whose reading ended in one of ``SQLITE_ERRORS``."""
    name = getattr(error, "sqlite_errorname", "")
    if name not in REFUSED_TO_LOOK:
        return JournalDamaged(f"{path}: {error}")
    advice = "free space on its disk, then try again"
    if name == "SQLITE_CANTOPEN" and _lacks_a_place_for_an_index(path):
        advice = "its folder cannot be written: copy it with its -wal and -head to one that can, and use the copy"
    said = f"{advice}; nothing is known against the journal"
    return JournalUnreadable(f"{path}: cannot be looked at: {error} ({name}): {said}")


def _lacks_a_place_for_an_index(path: Path) -> bool:
    """Whether a write-ahead log lies where its index cannot be made, as on a medium that is read-only."""
    return Path(f"{path}-wal").exists() and not os.access(path.parent, os.W_OK)
