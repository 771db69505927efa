"""The ledger in PostgreSQL, for pools whose tables outgrow one machine; several link processes may share it.

A transaction takes the pool's row first (``FOR UPDATE``) and reads everything else after that, so that it sees all that
was committed before it in the order of the row. A connection that breaks, also in the middle of a commit, is made anew
and the same work done again: what was stored is found by its number and answered as it was.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

import msgspec
import psycopg
from psycopg import IsolationLevel

from controller.io.system.patient_connection import (
    KEEPALIVE,
    PATIENCE_SECONDS,
    REPEATABLE,
    PatientConnection,
    Silent,
    one_line,
    settings,
)
from controller.pool.ledger import SCHEMA, TABLES, LedgerFailed, LedgerRefused, _LedgerRow, on_conflict

ATTEMPTS: Final = 5
"""Times that one piece of work is tried before its failure is reported."""

T = TypeVar("T")


class PostgresqlDatabase:
    """A database named as libpq names one (``host=... dbname=...``); the password from its usual places.

    ``patience_seconds``: how long any one answer is waited for; then the work has failed, and is not begun again.
    """

    lock = " FOR UPDATE"

    def __init__(self, where: str, *, create: bool = False, patience_seconds: float = PATIENCE_SECONDS) -> None:
        """Connect; with ``create``, make the tables where there are none.

        Raises:
            LedgerRefused: no such server or database, or no ledger in it.
        """
        self._where = where
        self._patience_seconds = patience_seconds
        self._connection: PatientConnection | None = None
        try:
            connection = self._connected()
            if create:
                with connection.transaction():
                    for statement in SCHEMA:
                        made = statement.replace("CREATE TABLE", "CREATE TABLE IF NOT EXISTS")
                        connection.execute(made.encode())
            connection.execute("SELECT 1 FROM pools, accounts, entries, awards LIMIT 0")
        except psycopg.Error as error:
            self.close()
            raise LedgerRefused(f"PostgreSQL: {one_line(error)}") from error

    def write(self, work: Callable[[_Rows], T]) -> T:
        """See ``Database``."""
        return self._repeated(work, IsolationLevel.READ_COMMITTED)

    def read(self, work: Callable[[_Rows], T]) -> T:
        """See ``Database``."""
        return self._repeated(work, IsolationLevel.REPEATABLE_READ)

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def _repeated(self, work: Callable[[_Rows], T], level: IsolationLevel) -> T:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                connection = self._connected()
                connection.isolation_level = level
                # What needs no answer is sent with what follows: a transaction waits for its reads and its end alone.
                with connection.pipeline(), connection.transaction():
                    return work(_Rows(connection))
            except Silent as error:
                self.close()
                raise LedgerFailed(f"PostgreSQL: {error}") from error
            except REPEATABLE as error:
                self.close()
                if attempt == ATTEMPTS:
                    raise LedgerFailed(f"PostgreSQL: {one_line(error)}") from error
            except psycopg.Error as error:
                raise LedgerFailed(f"PostgreSQL: {one_line(error)}") from error
        raise AssertionError

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            options = settings(self._patience_seconds)
            self._connection = PatientConnection.connect(self._where, autocommit=True, options=options, **KEEPALIVE)
            self._connection.patience_seconds = self._patience_seconds
        return self._connection


class _Rows:
    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def all(self, statement: str, values: Sequence[object] = ()) -> list[_LedgerRow]:
        return self._connection.execute(_bytes(statement), values).fetchall()

    def do(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        for row in rows:
            self._connection.execute(_bytes(statement), row)

    def insert(self, table: str, rows: Sequence[Sequence[object]], update: Sequence[str] = ()) -> None:
        """All rows in one value: one statement to plan and to run, however many there are."""
        if rows:
            # As JSON, which is made and read in a fraction of the time that arrays of texts take.
            columns = TABLES[table].types
            named = msgspec.json.encode([dict(zip(columns, row, strict=True)) for row in rows]).decode()
            given = f"SELECT * FROM json_populate_recordset(NULL::{table}, %s::json)"  # noqa: S608 - our own names
            statement = f"INSERT INTO {table} {given}{on_conflict(table, update)}"
            self._connection.execute(statement.encode(), (named,))


def _bytes(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()
