"""How a journal file is begun, and how its writer sets it up: every setting is read back."""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path
from typing import Final

from controller.formats.journal.records import Identity
from controller.formats.journal.schema import APPLICATION_ID, DEFINITIONS, FORMAT, PAGE_BYTES, meta_digest
from controller.formats.journal.wal import WAL_HEADER_BYTES
from controller.io.journal.errors import SQLITE_ERRORS, JournalFailed
from controller.io.journal.reader import uri

SYNCHRONOUS_FULL: Final = 2

WAL_CHECKPOINT_PAGES: Final = 1000
"""Pages in the write-ahead log at which it is folded into the file."""

WAL_LIMIT_BYTES: Final = 64 * 1024 * 1024
"""What the write-ahead log shrinks back to."""


def refuse_leftovers(path: Path) -> None:
    """Refuse to begin a journal where one was: the file is gone or empty, and what lay beside it is still there.

    Raises:
        JournalFailed: the text says what to do.
    """
    if path.exists() and path.stat().st_size:
        return
    left = [f"{path}{suffix}" for suffix in ("-head", ".new") if Path(f"{path}{suffix}").exists()]
    if has_frames(Path(f"{path}-wal")):
        left.append(f"{path}-wal")
    if left:
        advice = "put the journal back (tableside restore), or begin a new epoch (tableside begin-epoch)"
        raise JournalFailed(f"{path}: the journal is missing, and {left[0]} is there: {advice}")


def begin(path: Path, identity: Identity, created_wall_ns: int) -> None:
    """Make an empty file a journal. A file left half begun by a power cut counts as empty."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        define(connection)
        (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
        facts = {
            "site": identity.site,
            "table": identity.table,
            "epoch": str(identity.epoch),
            "created_wall_ns": str(created_wall_ns),
            "format": str(FORMAT),
            "schema_version": str(cookie),
            "sqlite": library_version(),
        }
        for key, value in facts.items():
            add_meta(connection, key, value)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def define(connection: sqlite3.Connection) -> None:
    """Give an empty file the shape of a journal, in a transaction that is left open."""
    connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
    configure(connection, page_limit=None)
    connection.execute("BEGIN IMMEDIATE")
    for definition in DEFINITIONS.values():
        connection.execute(definition)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")


def is_blank(path: Path) -> bool:
    """Whether nothing was ever begun here."""
    if path.stat().st_size == 0:
        return True
    # What was begun by half may have to be rolled back. A log must not be touched before it has been looked at; one
    # without a frame is what a power cut leaves of the very first. Where neither is there nothing need be made beside
    # the file, and so there is no need of room.
    log, undo = Path(f"{path}-wal"), Path(f"{path}-journal")
    mode = "mode=ro" if has_frames(log) else "mode=rw" if log.exists() or undo.exists() else "mode=ro&immutable=1"
    try:
        with contextlib.closing(sqlite3.connect(uri(path, mode), uri=True)) as connection:
            (objects,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except SQLITE_ERRORS:
        return False
    return bool(objects == 0)


def has_frames(log: Path) -> bool:
    """Whether there is a write-ahead log with anything behind its header."""
    try:
        return log.stat().st_size > WAL_HEADER_BYTES
    except FileNotFoundError:
        return False


def add_meta(connection: sqlite3.Connection, key: str, value: str, *, again: bool = False) -> None:
    """Add a fact about the journal, unless it is known; ``again``: also if it was true once before."""
    if again or connection.execute("SELECT 1 FROM meta WHERE key = ? AND value = ?", (key, value)).fetchone() is None:
        (row,) = connection.execute("SELECT coalesce(max(id), 0) + 1 FROM meta").fetchone()
        connection.execute("INSERT INTO meta VALUES (?, ?, ?, ?)", (row, key, value, meta_digest(row, key, value)))


def library_version() -> str:
    """The SQLite library's version as a file's header names it."""
    major, minor, patch = sqlite3.sqlite_version_info[:3]
    return str(major * 1_000_000 + minor * 1_000 + patch)


def configure(connection: sqlite3.Connection, page_limit: int | None) -> None:
    """Set what a writer needs and read each setting back.

    Raises:
        JournalFailed: this SQLite or this disk does not take a setting.
    """
    wanted: dict[str, int | str] = {
        "journal_mode": "wal",
        "synchronous": SYNCHRONOUS_FULL,
        "secure_delete": 1,
        "wal_autocheckpoint": WAL_CHECKPOINT_PAGES,
        "journal_size_limit": WAL_LIMIT_BYTES,
        "cell_size_check": 1,
        "trusted_schema": 0,
        "foreign_keys": 1,
        "recursive_triggers": 1,
        "mmap_size": 0,
        "busy_timeout": 0,
    }
    if page_limit is not None:
        wanted["max_page_count"] = page_limit
    for name, value in wanted.items():
        connection.execute(f"PRAGMA {name} = {value}")
        row = connection.execute(f"PRAGMA {name}").fetchone()
        # A library built without memory mapping answers nothing: that is what was asked for.
        if row is not None and row[0] != value:
            raise JournalFailed(
                f"PRAGMA {name} is {row[0]}, {value} was asked for: use a local disk and SQLite 3.37 on"
            )
    (page,) = connection.execute("PRAGMA page_size").fetchone()
    if page != PAGE_BYTES:
        raise JournalFailed(f"the journal has pages of {page} bytes, expected {PAGE_BYTES}")
