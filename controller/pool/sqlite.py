"""The ledger in a SQLite file: the embedded default, for a link process and its tables' pool on one machine."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from controller.formats.journal.schema import PAGE_BYTES
from controller.io.journal.errors import SQLITE_ERRORS, JournalFailed
from controller.io.journal.setup import configure
from controller.pool.ledger import SCHEMA, TABLES, LedgerFailed, LedgerRefused, _LedgerRow, on_conflict

APPLICATION_ID: Final = 0x544C4B31
"""In the header of the file: TLK1."""

BUSY_MS: Final = 5_000
"""How long a transaction waits for another process's; theirs take milliseconds."""

T = TypeVar("T")


class SqliteDatabase:
    """A file in WAL mode, every commit synced before it is answered."""

    lock = ""

    def __init__(self, path: Path, *, create: bool = False) -> None:
        """Open the file, or make it.

        Raises:
            LedgerRefused: it is not there (or is, with ``create``), is no ledger, or is on a disk that cannot hold one.
        """
        self.path = path
        if create == path.exists():
            said = "is there already" if create else "is not there; two people begin it with `tableside link begin`"
            raise LedgerRefused(f"{path}: the ledger {said}")
        try:
            if create:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            # A transaction runs in a thread of its own; to close under one would take the process along.
            self._busy = threading.Lock()
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            if create:
                self._connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
            configure(self._connection, page_limit=None)
            self._connection.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
            if create:
                self._create()
            (mark,) = self._connection.execute("PRAGMA application_id").fetchone()
        except (*SQLITE_ERRORS, JournalFailed, OSError) as error:
            raise LedgerRefused(f"{path}: cannot hold a ledger: {error}") from error
        if mark != APPLICATION_ID:
            self.close()
            raise LedgerRefused(f"{path}: not a ledger")

    def write(self, work: Callable[[_Rows], T]) -> T:
        """See ``Database``."""
        with self._transaction("BEGIN IMMEDIATE"):
            return work(_Rows(self._connection))

    def read(self, work: Callable[[_Rows], T]) -> T:
        """See ``Database``."""
        with self._transaction("BEGIN"):
            return work(_Rows(self._connection))

    def close(self) -> None:
        """Let go of the file, once the transaction under way is over."""
        with self._busy:
            self._connection.close()

    @contextlib.contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        try:
            with self._busy:
                self._connection.execute(begin)
                try:
                    yield
                    self._connection.execute("COMMIT")
                finally:
                    if self._connection.in_transaction:
                        self._connection.execute("ROLLBACK")
        except SQLITE_ERRORS as error:
            raise LedgerFailed(f"{self.path}: {error}") from error

    def _create(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        for statement in SCHEMA:
            self._connection.execute(f"{statement.replace('BIGINT', 'INTEGER')} STRICT")
        self._connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        self._connection.execute("COMMIT")


class _Rows:
    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def all(self, statement: str, values: Sequence[object] = ()) -> list[_LedgerRow]:
        return self._connection.execute(statement, tuple(values)).fetchall()

    def do(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)

    def insert(self, table: str, rows: Sequence[Sequence[object]], update: Sequence[str] = ()) -> None:
        values = ", ".join("?" * len(TABLES[table].types))
        self.do(f"INSERT INTO {table} VALUES ({values}){on_conflict(table, update)}", rows)  # noqa: S608 - our own names
