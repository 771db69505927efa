"""The ledger in PostgreSQL, for pools whose tables outgrow one machine; several link processes may share it.

A transaction takes the pool's row first (``FOR UPDATE``) and reads everything else after that, so that it sees all that
was committed before it in the order of the row. A connection that breaks, also in the middle of a commit, is made anew
and the same work done again: what was stored is found by its number and answered as it was.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, TypeVar

import psycopg
from psycopg import IsolationLevel
from psycopg.abc import PQGen

from controller.pool.ledger import SCHEMA, TABLES, LedgerFailed, LedgerRefused, Row, on_conflict

ATTEMPTS: Final = 5
"""Times that one piece of work is tried before its failure is told."""

LOCK_TIMEOUT_MS: Final = 5_000
CONNECT_SECONDS: Final = 3
SILENCE_MS: Final = 5_000
"""How long what was sent may stay unacknowledged before the connection is given up (``tcp_user_timeout``)."""

PATIENCE_SECONDS: Final = 8.0
"""How long one answer is waited for, longer than a lock is: a server that hangs keeps its connection and is silent."""

POLL_SECONDS: Final = 0.1
"""Between two looks whether an answer is overdue."""

KEEPALIVE: Final[dict[str, Any]] = {
    "keepalives": 1,
    "keepalives_idle": 2,
    "keepalives_interval": 1,
    "keepalives_count": 3,
    "tcp_user_timeout": SILENCE_MS,
    "connect_timeout": CONNECT_SECONDS,
}
"""A machine that vanishes is missed within seconds; libpq's own would take it two hours."""

REPEATABLE: Final = (psycopg.OperationalError, psycopg.InterfaceError)
"""The connection, the server, or a transaction that another one stood in the way of: done again."""

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
                # What needs no answer is sent with what follows: a transaction waits for its reads and its end alone.
                with connection.pipeline(), connection.transaction():
                    return work(_Rows(connection))
            except Silent as error:
                self.close()
                raise LedgerFailed(f"PostgreSQL: {error}") from error
            except REPEATABLE as error:
                self.close()
                if attempt == ATTEMPTS:
                    raise LedgerFailed(f"PostgreSQL: {_one_line(error)}") from error
            except psycopg.Error as error:
                raise LedgerFailed(f"PostgreSQL: {_one_line(error)}") from error
        raise AssertionError

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            # The server gives up, too, what nobody waits for any more.
            limit_ms = round(self._patience_seconds * 1000)
            settings = f"-c synchronous_commit=on -c lock_timeout={LOCK_TIMEOUT_MS} -c statement_timeout={limit_ms}"
            self._connection = PatientConnection.connect(self._where, autocommit=True, options=settings, **KEEPALIVE)
            self._connection.patience_seconds = self._patience_seconds
        return self._connection


class Silent(psycopg.OperationalError):
    """The server keeps its connection and has not answered for as long as anything is waited for."""


class PatientConnection(psycopg.Connection):
    """A connection that waits for an answer so long and no longer."""

    patience_seconds = PATIENCE_SECONDS

    def wait(self, gen: PQGen[T], interval: float = POLL_SECONDS) -> T:  # type: ignore[override]
        """See ``psycopg.Connection``; what waits is asked again every ``interval`` whether something came."""
        return super().wait(self._within(gen), interval)

    def _within(self, gen: PQGen[T]) -> PQGen[T]:
        until = time.monotonic() + self.patience_seconds
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                if not ready and time.monotonic() >= until:
                    # Nobody knows what became of it: nothing more is said on this connection.
                    self.pgconn.finish()
                    raise Silent(f"no answer within {self.patience_seconds:g} s")
                wanted = gen.send(ready)
        except StopIteration as done:
            result: T = done.value
            return result


class _Rows:
    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def all(self, statement: str, values: Sequence[object] = ()) -> list[Row]:
        return self._connection.execute(_bytes(statement), values).fetchall()

    def do(self, statement: str, rows: Iterable[Sequence[object]]) -> None:
        with self._connection.cursor() as cursor:
            cursor.executemany(_bytes(statement), rows)

    def insert(self, table: str, rows: Sequence[Sequence[object]], update: Sequence[str] = ()) -> None:
        """All rows as a column of values each: one statement to plan and to run, however many there are."""
        if rows:
            columns = ", ".join(f"%s::{kind}[]" for kind in TABLES[table].types.values())
            statement = f"INSERT INTO {table} SELECT * FROM unnest({columns}){on_conflict(table, update)}"  # noqa: S608
            self._connection.execute(statement.encode(), [list(column) for column in zip(*rows, strict=True)])


def _bytes(statement: str) -> bytes:
    return statement.replace("?", "%s").encode()


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
