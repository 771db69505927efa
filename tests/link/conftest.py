"""Both ledgers for the same tests: SQLite in a file, PostgreSQL in a server of the tests' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from controller.core.meters.meter import Parameters
from controller.pool.ledger import Database, Ledger
from controller.pool.postgresql import PostgresqlDatabase
from controller.pool.sqlite import SqliteDatabase
from tests.link.server import Server, unused_pool

PARAMETERS = Parameters(
    base_cents=1_000_000, reset_cents=500_000, rate=(17, 100), unreasonable_cents=100_000, hidden_rate=(1, 30)
)

Reach = Callable[[], Ledger]
"""Another process's way to the same pool: a connection of its own."""


@pytest.fixture(params=["sqlite", "postgresql"])
def reach(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Reach]:
    """A pool that has begun, in each database."""
    opened: list[Database] = []
    pool = unused_pool()
    server: Server | None = request.getfixturevalue("postgresql") if request.param == "postgresql" else None

    def connected(*, create: bool = False) -> Ledger:
        database: Database = (
            PostgresqlDatabase(server.where, create=create)
            if server
            else SqliteDatabase(tmp_path / "ledger.sqlite", create=create)
        )
        opened.append(database)
        return Ledger(database, pool)

    connected(create=True).open(PARAMETERS)
    yield connected
    for database in opened:
        database.close()


@pytest.fixture
def ledger(reach: Reach) -> Ledger:
    return reach()
