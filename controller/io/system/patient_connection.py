"""A connection to PostgreSQL that waits so long and no longer, whatever became of the server or the network.

psycopg is an extra: this module is imported by what needs it alone.
"""

from __future__ import annotations

import time
from typing import Any, Final, TypeVar

import psycopg
from psycopg.abc import PQGen

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


def settings(patience_seconds: float) -> str:
    """What a session is sent when it begins: the server, too, gives up what is no longer awaited."""
    limit_ms = round(patience_seconds * 1000)
    return f"-c synchronous_commit=on -c lock_timeout={LOCK_TIMEOUT_MS} -c statement_timeout={limit_ms}"


def one_line(error: Exception) -> str:
    """What went wrong, on one line."""
    return " ".join(str(error).split())


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
                    # Its outcome is not known: nothing more is said on this connection.
                    self.pgconn.finish()
                    raise Silent(f"no answer within {self.patience_seconds:g} s")
                wanted = gen.send(ready)
        except StopIteration as done:
            result: T = done.value
            return result
