"""A table that posts more than can be laid: the link enters it, and names the table."""

from __future__ import annotations

import asyncio
from pathlib import Path

from structlog.testing import capture_logs

from controller.core.meters.pool_postings import WagerPosting
from controller.pool.complaints import Complaints
from controller.pool.ledger import Ledger
from controller.pool.posting_rates import AGAIN_NS, OWED, PostingRates
from controller.pool.service import LinkEndpoint
from controller.pool.sqlite import SqliteDatabase
from tests.io.test_allowances import Hands
from tests.link.premises import BY_TWO, Premises
from tests.link.test_process import served

SECOND_NS = 1_000_000_000
EVENT = "ALARM: more postings than a table lays"


def entered(rates: PostingRates, clock: Hands, table: str, count: int, per_second: int) -> None:
    for _ in range(count):
        clock.now_ns += SECOND_NS // per_second
        rates.note_entry(table)


def test_a_table_at_play_and_one_that_catches_up_are_not_named() -> None:
    clock = Hands()
    rates = PostingRates(Complaints("pit-1", clock), clock)
    with capture_logs() as lines:
        entered(rates, clock, "bj-1", OWED, 500)
        entered(rates, clock, "bj-1", OWED, 1)
        entered(rates, clock, "bj-2", 10 * OWED, 1)
    assert lines == []


def test_a_table_that_posts_without_end_is_named_once_in_an_hour() -> None:
    clock = Hands()
    rates = PostingRates(Complaints("pit-1", clock), clock)
    with capture_logs() as lines:
        entered(rates, clock, "bj-1", OWED + 500, 500)
        clock.now_ns += AGAIN_NS
        entered(rates, clock, "bj-1", OWED, 500)
    assert [(one["event"], one["table"]) for one in lines] == [(EVENT, "bj-1"), (EVENT, "bj-1")]
    assert lines[0]["beyond"] == 1
    assert lines[1]["beyond"] > 1


async def test_the_link_enters_them_and_says_whose_they_are(tmp_path: Path) -> None:
    premises = Premises(tmp_path, 2)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    path = tmp_path / "ledger.sqlite"
    database, audit = SqliteDatabase(path), SqliteDatabase(path)
    tables = {public.decode(): name for name, (public, _) in premises.tables.items()}
    secret = (tmp_path / "link.key").read_bytes().strip()
    where = LinkEndpoint(f"127.0.0.1:{premises.port}", secret, tables, owed=3)
    with capture_logs() as lines:
        link = asyncio.create_task(served(where, database, audit, premises.pool).run())
        try:
            async with premises.table("harbour/bj-1") as table, premises.table("harbour/bj-2") as other:
                for number in range(1, 9):
                    await table.does(WagerPosting(500, number, 3, "blazing_7s"))
                await other.does(WagerPosting(500, 9, 3, "blazing_7s"))
        finally:
            link.cancel()
            await asyncio.gather(link, return_exceptions=True)
            database.close()
    assert [one["table"] for one in lines if one["event"] == EVENT] == ["harbour/bj-1"]
    assert Ledger(audit, premises.pool).books().entries == 9
    audit.close()
