"""The ledger in PostgreSQL, for pools whose tables outgrow one machine; several link processes may share it.

A transaction takes the pool's row first (``FOR UPDATE``) and reads everything else after that, so that it sees all that
was committed before it in the order of the row. A connection that breaks, also in the middle of a commit, is made anew
and the same work done again: what was stored is found by its number and answered as it was.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

import psycopg
from psycopg import IsolationLevel

from controller.link.ledger import SCHEMA, LedgerFailed, LedgerRefused, Row

ATTEMPTS: Final = 5
"""Times that one piece of work is tried before its failure is told."""

LOCK_TIMEOUT_MS: Final = 5_000
CONNECT_SECONDS: Final = 3

REPEATABLE: Final = (psycopg.OperationalError, psycopg.InterfaceError)
"""The connection, the server, or a transaction that another one stood in the way of: done again."""

T = TypeVar("T")


class PostgresqlDatabase:
    """A database named as libpq names one (``host=... dbname=...``); the password from its usual places."""

    lock = " FOR UPDATE"

    def __init__(self, where: str, *, create: bool = False) -> None:
        """Connect; with ``create``, make the tables where there are none.

        Raises:
            LedgerRefused: no such server or database, or no ledger in it.
        """
        self._where = where
        self._connection: psycopg.Connection | None = None
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
            raise LedgerRefused(f"PostgreSQL: {_one_line(error)}") from error

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
                with connection.transaction():
                    return work(_Rows(connection))
            except REPEATABLE as error:
                self.close()
                if attempt == ATTEMPTS:
                    raise LedgerFailed(f"PostgreSQL: {_one_line(error)}") from error
            except psycopg.Error as error:
                raise LedgerFailed(f"PostgreSQL: {_one_line(error)}") from error
        raise AssertionError

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            settings = f"-c synchronous_commit=on -c lock_timeout={LOCK_TIMEOUT_MS}"
            self._connection = psycopg.connect(
                self._where, autocommit=True, connect_timeout=CONNECT_SECONDS, options=settings
            )
        return self._connection


class _Rows:
    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def all(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(_bytes(statement), values).fetchall()

    def do(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_bytes(statement), rows)


def _bytes(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
