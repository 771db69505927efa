"""The box's store: one SQLite file of entries, each marked so that only whoever has both keys could have written it.

A mark covers the entry and the mark before, so nothing can be changed, dropped or moved. What it cannot show is that
the last entries are missing: that the table notices, which knows what it has received.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote
from typing import Final

import msgspec

from controller.formats.journal.schema import PAGE_BYTES
from controller.formats.text.safe_parse import own_json
from controller.io.journal.errors import SQLITE_ERRORS, JournalFailed
from controller.io.journal.lock import take_lock
from controller.io.journal.setup import configure
from controller.trigger_box.entries import (
    BoxEntry,
    BoxState,
    ContributionCounted,
    CycleDrawn,
    CycleOpened,
    ImpossibleEntry,
    after,
)
from controller.trigger_box.sealing import Sealer

APPLICATION_ID: Final = 0x54425831
"""In the header of the file: TBX1."""

SCHEMA: Final = (
    """CREATE TABLE entries (
        id INTEGER PRIMARY KEY, kind TEXT NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL, mark BLOB NOT NULL
    ) STRICT""",
    "CREATE UNIQUE INDEX once ON entries (kind, number)",
    """CREATE TRIGGER no_update BEFORE UPDATE ON entries
        BEGIN SELECT RAISE(ABORT, 'a trigger box never changes an entry'); END""",
    """CREATE TRIGGER no_delete BEFORE DELETE ON entries
        BEGIN SELECT RAISE(ABORT, 'a trigger box never drops an entry'); END""",
)

FIRST_MARK: Final = b"tableside.trigger-box.store.v1"


class BoxStoreFailed(Exception):  # noqa: N818 - named for what happened
    """The disk does not take or give entries; nothing may be answered."""


class BoxStoreRefused(Exception):  # noqa: N818 - named for what happened
    """There is no store, it was tampered with, or it belongs to other keys; the text says what to do."""


class BoxStore:
    """The entries of one box. ``state`` is what they leave; ``append`` returns once they are safe on the disk."""

    def __init__(self, path: Path, sealer: Sealer, *, create: bool = False) -> None:
        """Open the store and check every mark.

        Raises:
            StoreRefused: no store there (or one, with ``create``), in use, tampered with, or sealed with other keys.
            StoreFailed: the disk.
        """
        self.path = path
        self._sealer = sealer
        self._lock = _locked(path, create=create)
        self.state = BoxState()
        self._mark = FIRST_MARK
        self._next = 1
        try:
            self._connection = sqlite3.connect(path, isolation_level=None)
            self._set_up(create=create)
            for entry in self._checked():
                self.state = after(self.state, entry)
        except ImpossibleEntry as error:
            self.close()
            raise BoxStoreRefused(f"{path}: entry {self._next}: {error}") from error
        except (*SQLITE_ERRORS, JournalFailed) as error:
            # The text of damaged definitions may be no text at all.
            self.close()
            raise BoxStoreRefused(f"{path}: not the store of a trigger box, or damaged: {error}") from error
        except BoxStoreRefused:
            self.close()
            raise

    def close(self) -> None:
        """Let go of the file."""
        with contextlib.suppress(AttributeError):
            self._connection.close()
        os.close(self._lock)

    def append(self, entries: Sequence[BoxEntry]) -> None:
        """Store entries together, or none of them.

        Raises:
            StoreFailed: they are not stored, or it is not known.
        """
        if not entries:
            return
        mark, state = self._mark, self.state
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            for place, entry in enumerate(entries, start=self._next):
                body = msgspec.json.encode(entry)
                kind, number = _filed(entry, place)
                mark = self._sealer.mark(mark, (str(place).encode(), kind.encode(), str(number).encode(), body))
                self._connection.execute(
                    "INSERT INTO entries VALUES (?, ?, ?, ?, ?)", (place, kind, number, body, mark)
                )
                state = after(state, entry)
            self._connection.execute("COMMIT")
        except (*SQLITE_ERRORS, ImpossibleEntry) as error:
            raise BoxStoreFailed(f"{self.path}: the box cannot store what it did: {error}") from error
        self._mark, self.state, self._next = mark, state, self._next + len(entries)

    def counted(self, number: int) -> ContributionCounted | None:
        """The answer to a contribution."""
        found = self._entry("counted", number)
        return found if isinstance(found, ContributionCounted) else None

    def drawn(self, cycle: int) -> CycleDrawn | None:
        """The draw of a cycle."""
        found = self._entry("drawn", cycle)
        return found if isinstance(found, CycleDrawn) else None

    def opened(self, cycle: int) -> CycleOpened | None:
        """The opening of a cycle."""
        found = self._entry("opened", cycle)
        return found if isinstance(found, CycleOpened) else None

    def entries(self) -> Iterator[BoxEntry]:
        """All entries in order, as stored."""
        for (body,) in self._connection.execute("SELECT body FROM entries ORDER BY id"):
            yield own_json(body, BoxEntry)

    def _entry(self, kind: str, number: int) -> BoxEntry | None:
        try:
            query = "SELECT body FROM entries WHERE kind = ? AND number = ?"
            row = self._connection.execute(query, (kind, number)).fetchone()
        except SQLITE_ERRORS as error:
            raise BoxStoreFailed(f"{self.path}: {error}") from error
        return None if row is None else own_json(row[0], BoxEntry)

    def _set_up(self, *, create: bool) -> None:
        if create:
            self._connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        configure(self._connection, page_limit=None)
        if create:
            self._connection.execute("BEGIN IMMEDIATE")
            for statement in SCHEMA:
                self._connection.execute(statement)
            self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            self._connection.execute("COMMIT")
        (mark,) = self._connection.execute("PRAGMA application_id").fetchone()
        if mark != APPLICATION_ID:
            raise BoxStoreRefused(f"{self.path}: not the store of a trigger box")

    def _checked(self) -> Iterator[BoxEntry]:
        for place, kind, number, body, mark in self._connection.execute("SELECT * FROM entries ORDER BY id"):
            expected = self._sealer.mark(self._mark, (str(place).encode(), kind.encode(), str(number).encode(), body))
            if place != self._next or mark != expected:
                keys = "other keys, or " if place == 1 else ""
                raise BoxStoreRefused(
                    f"{self.path}: entry {self._next} is not what the box wrote ({keys}tampered with)"
                )
            yield own_json(body, BoxEntry)
            self._mark, self._next = mark, self._next + 1


def _filed(entry: BoxEntry, place: int) -> tuple[str, int]:
    """Under which kind and number an entry is found again; each pair once."""
    kind = entry.__struct_config__.tag
    match entry:
        case ContributionCounted(number):
            return str(kind), number
        case CycleDrawn(cycle) | CycleOpened(cycle):
            return str(kind), cycle
        case _:
            return str(kind), place


def _locked(path: Path, *, create: bool) -> int:
    if create == path.exists():
        said = "is there already" if create else "is not there; two people begin one with `tableside mystery begin`"
        raise BoxStoreRefused(f"{path}: a trigger box's store {said}")
    if not create and path.stat().st_mode & 0o077:
        raise BoxStoreRefused(f"{path}: others may read the box's store; run: chmod 600 {quote(str(path))}")
    try:
        if create:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        return take_lock(path, create=False)
    except OSError as error:
        raise BoxStoreRefused(f"{path}: cannot be made: {error.strerror}") from error
    except JournalFailed as error:
        raise BoxStoreRefused(f"{path}: another process has the box's store: {error}") from error
