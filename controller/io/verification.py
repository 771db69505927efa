"""Checks a journal file from outside, the way an inspector would."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from controller.formats.journal_check import Report, examine, wal_damage
from controller.formats.journal_schema import PAGE_BYTES
from controller.io.journal_store import JournalDamaged, open_for_reading


def verify(path: Path) -> Report:
    """Check every byte of the journal at ``path``; may be run while a daemon writes it.

    Reads the whole file into memory, so a journal of a gigabyte needs that much.

    Raises:
        NotAJournal: there is none here, or the file is something else.
    """
    try:
        with contextlib.closing(open_for_reading(path)) as connection:
            # One transaction, so that the check of SQLite and ours see the same journal.
            connection.execute("BEGIN")
            data = connection.serialize()
            report = examine(data)
            complaint = report.damage or _sqlite_complaint(connection)
    except JournalDamaged as damage:
        return Report(damage=str(damage).removeprefix(f"{path}: "))
    except (sqlite3.Error, OverflowError) as error:
        return Report(damage=f"cannot be read: {error}")
    complaint = complaint or _file_complaint(path, len(data))
    return report if complaint is None else Report(damage=complaint)


def _sqlite_complaint(connection: sqlite3.Connection) -> str | None:
    (first,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return None if first == "ok" else "SQLite: " + " ".join(str(first).split())


def _file_complaint(path: Path, database_bytes: int) -> str | None:
    """What only the files show: a tail behind the last page, a write-ahead log cut short by damage."""
    log = Path(f"{path}-wal")
    if log.exists():
        # Read twice: a daemon may be appending to it at this moment, damage stays.
        first = wal_damage(log.read_bytes())
        return first if first is None else wal_damage(log.read_bytes())
    size = path.stat().st_size
    if size != database_bytes:
        return f"bytes {database_bytes} to {size - 1}: behind the last page of {PAGE_BYTES} bytes"
    return None
