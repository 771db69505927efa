"""A real PostgreSQL with a database for each test, prepared, and people of each role."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import psycopg
import pytest

from controller.collector.store import Store, prepare
from tests.link.server import Server


class Database(NamedTuple):
    """A database, as each role reaches it."""

    server: Server
    owner: str
    collector: str
    reader: str

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """What a reader is given."""
        with psycopg.connect(self.reader) as connection:
            return connection.execute(query.encode()).fetchall()


ANEW = """
DROP SCHEMA IF EXISTS tableside CASCADE;
DROP SCHEMA IF EXISTS tableside_store CASCADE;
DROP TABLE IF EXISTS tableside_layout
"""


def made(server: Server) -> Database:
    """The database of this server, anew: another one each time would make a killed server's recovery last minutes."""
    owner = server.where
    with psycopg.connect(owner, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE 'test_%'")
        connection.execute(ANEW)
    prepare(owner)
    with psycopg.connect(owner, autocommit=True) as connection:
        for role in ("collector", "reader"):
            if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (f"test_{role}",)).fetchall():
                connection.execute(f"CREATE ROLE test_{role} LOGIN IN ROLE tableside_{role}".encode())
    roles = (owner.replace("user=tableside", f"user=test_{role}") for role in ("collector", "reader"))
    return Database(server, owner, *roles)


@pytest.fixture
def database(postgresql: Server) -> Database:
    return made(postgresql)


@pytest.fixture
def store(database: Database) -> Iterator[Callable[[str], Store]]:
    """Stores by their consumers' names, closed in the end."""
    made: list[Store] = []

    def named(consumer: str) -> Store:
        made.append(Store(database.collector, consumer))
        return made[-1]

    yield named
    for one in made:
        one.close()
