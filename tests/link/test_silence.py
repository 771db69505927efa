"""A PostgreSQL that says nothing: given up in seconds, in a transaction too, and used again when it is back."""

from __future__ import annotations

import asyncio
import contextlib
import random
import time
from collections.abc import Iterator

import psycopg
import pytest
import zmq

from controller.core.meters.pool_postings import ContributionOutcome, WagerPosting
from controller.io.system.clock import SystemClock
from controller.io.system.patient_connection import CONNECT_SECONDS, KEEPALIVE, PatientConnection
from controller.pool.ledger import Ledger, LedgerFailed
from controller.pool.postgresql import ATTEMPTS, PostgresqlDatabase
from controller.pool.postings import LedgerEntry, Posting
from controller.pool.service import LinkEndpoint, LinkService
from tests.link.conftest import PARAMETERS
from tests.link.server import Server, unused_pool

PATIENCE_S = 1.0
LONGEST_S = PATIENCE_S + ATTEMPTS * CONNECT_SECONDS + 10
"""What may pass on a busy machine: far below the quarter of an hour that a connection of libpq's own waits."""


@contextlib.contextmanager
def silent(server: Server) -> Iterator[None]:
    server.pause()
    try:
        yield
    finally:
        server.go_on()


def test_a_server_that_hangs_is_given_up_and_used_again_when_it_goes_on(postgresql: Server) -> None:
    database = PostgresqlDatabase(postgresql.where, create=True, patience_seconds=PATIENCE_S)
    ledger = Ledger(database, unused_pool())
    ledger.open(PARAMETERS)
    first, second = (Posting("harbour/bj-1", 1, seq, WagerPosting(500)) for seq in (1, 2))
    ledger.post([first])
    began = time.monotonic()
    with silent(postgresql):
        with pytest.raises(LedgerFailed, match="PostgreSQL: no answer within 1 s"):
            ledger.post([second])
        with pytest.raises(LedgerFailed, match="PostgreSQL"):
            ledger.books()
    assert time.monotonic() - began < LONGEST_S
    (answer,) = ledger.post([second])
    assert isinstance(answer, LedgerEntry)
    assert isinstance(answer.outcome, ContributionOutcome)
    assert answer.number == 2
    database.close()


def test_a_machine_that_vanishes_is_missed_by_keepalives(postgresql: Server) -> None:
    """The options that libpq is given: its own would miss a cut cable after two hours."""
    connection = PatientConnection.connect(postgresql.where, **KEEPALIVE)
    parameters = connection.info.get_parameters()
    connection.close()
    assert {key: parameters[key] for key in ("keepalives_idle", "keepalives_interval", "keepalives_count")} == {
        "keepalives_idle": "2",
        "keepalives_interval": "1",
        "keepalives_count": "3",
    }
    assert (parameters["tcp_user_timeout"], parameters["connect_timeout"]) == ("5000", "3")
    with psycopg.connect(postgresql.where) as plain:
        assert "tcp_user_timeout" not in plain.info.get_parameters()


async def test_a_link_whose_server_hangs_is_open_again_soon_after_it_goes_on(postgresql: Server) -> None:
    """No work that waits for the server holds up what is asked of it afterwards."""
    pool = unused_pool()
    databases = [
        PostgresqlDatabase(postgresql.where, create=True, patience_seconds=PATIENCE_S) for _ in ("ledger", "audit")
    ]
    ledger, audit = (Ledger(database, pool) for database in databases)
    ledger.open(PARAMETERS)
    service = LinkService(
        LinkEndpoint("127.0.0.1:0", zmq.curve_keypair()[1], {}),
        ledger,
        audit,
        clock=SystemClock(),
        chance=random.Random(1),
    )
    serving = asyncio.create_task(service.run())
    async with asyncio.timeout(LONGEST_S):
        await service.bound.wait()
        with silent(postgresql):
            while not service.closed:  # noqa: ASYNC110 - the link looks at its ledger by itself
                await asyncio.sleep(0)
        assert service.closed == "the ledger cannot be reached"
        while service.closed:  # noqa: ASYNC110
            await asyncio.sleep(0)
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    for database in databases:
        database.close()
