"""The link as a process: killed and started again, over real sockets with keys; what people type."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import signal
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest
import zmq

from controller.core.meters.awards import Jackpot
from controller.core.meters.meter import UNITS
from controller.core.meters.pool_postings import (
    AwardOutcome,
    ClaimPosting,
    ContributionOutcome,
    WagerPosting,
    WinningRow,
)
from controller.io.system.clock import SystemClock
from controller.pool.ledger import Database, Ledger, LedgerRows
from controller.pool.service import DoesNotAddUp, LinkEndpoint, LinkService
from controller.pool.session import PoolState
from controller.pool.sqlite import SqliteDatabase
from controller.pool.table_end import LinkAddress
from tests.link.premises import BY_TWO, Premises, Table
from tests.link.server import Server, unused_pool

T = TypeVar("T")
WHOLE = ClaimPosting(9, (WinningRow(3, "blazing_7s", "three_diamonds", (1, 1)),))


def begun(folder: Path, count: int = 2) -> Premises:
    premises = Premises(folder, count)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    return premises


def amount(outcome: object) -> Jackpot:
    assert isinstance(outcome, AwardOutcome)
    return outcome.jackpots[0]


async def test_two_tables_feed_one_pool_and_the_first_to_hit_gets_it(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    async with premises.process() as link, premises.table() as one, premises.table("harbour/bj-2") as other:
        first = await one.does(WagerPosting(500, 9, 3, "blazing_7s"))
        assert first.answer.outcome == ContributionOutcome(850_000, 166_666)
        await other.does(WagerPosting(500, 9, 3, "blazing_7s"))
        won = [await one.does(WHOLE), await other.does(WHOLE)]
        assert [amount(one.answer.outcome).cents for one in won] == [1_000_170, 500_000]
        link.terminate()
        assert await link.wait() == 0
    found = premises.does("reconcile", "--json")
    assert found.exit_code == 0
    sums = json.loads(found.output)
    assert sums["paid"] + sums["shown"] + sums["reserved"] == sums["contributed"] + sums["funded"]
    assert sums["reserved"] == 1_500_170 * 10_000


async def test_the_link_is_killed_the_pool_closes_and_is_caught_up_with_exactly(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    async with premises.table() as table:
        async with premises.process() as link:
            await table.does(WagerPosting(500, 9, 3, "blazing_7s"))
            link.kill()
            await link.wait()
        assert (await table.until(closed=True)).closed == "the link is away"
        waiting = [asyncio.create_task(table.does(WagerPosting(100, 9, 3, "blazing_7s"))) for _ in range(5)]
        async with premises.process():
            await asyncio.gather(*waiting)
            assert (await table.until(closed=False)).shown_cents == 1_000_170
    status = json.loads(premises.does("status", "--json").output)
    assert status["tables"] == {"harbour/bj-1": {"epoch": 1, "seq": 6}}


async def test_an_address_that_is_none_is_a_link_that_is_away(tmp_path: Path) -> None:
    public, secret = zmq.curve_keypair()
    table = Table("pit-1", LinkAddress("bad_host!:70", public, secret))
    table.shows = PoolState(0, "")
    task = asyncio.create_task(table.end.run())
    try:
        assert (await table.until(closed=True)).closed == "the link is away"
        table.end.post(WagerPosting(500, 9, 3, "blazing_7s"))
        assert table.end.session.outstanding == 1
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_tables_reach_a_link_over_ipv6(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    text = premises.file.read_text()
    premises.file.write_text(text.replace(f"127.0.0.1:{premises.port}", f"[::1]:{premises.port}"))
    where = LinkAddress(f"[::1]:{premises.port}", premises.public, premises.tables["harbour/bj-1"][1])
    async with premises.process():
        table = Table(premises.pool, where)
        task = asyncio.create_task(table.end.run())
        try:
            assert (await table.does(WagerPosting(500, 9, 3, "blazing_7s"))).answer.number == 1
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def test_a_key_that_is_not_known_gets_nothing(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    stranger = zmq.curve_keypair()[1]
    async with premises.process(), premises.table(key=stranger) as unknown, premises.table() as known:
        unknown.end.post(WagerPosting(500, 9, 3, "blazing_7s"))
        for _ in range(3):
            await known.does(WagerPosting(500, 9, 3, "blazing_7s"))
        assert unknown.settled == []
        assert unknown.shows.closed == "the link is away"
    assert json.loads(premises.does("status", "--json").output)["entries"] == 3


class Hanging:
    """A database that does not answer while its gate is shut."""

    lock = ""

    def __init__(self, database: SqliteDatabase) -> None:
        self._database = database
        self.gate = threading.Event()
        self.gate.set()

    def write(self, work: Callable[[LedgerRows], T]) -> T:
        self.gate.wait()
        return self._database.write(work)

    def read(self, work: Callable[[LedgerRows], T]) -> T:
        self.gate.wait()
        return self._database.read(work)

    def close(self) -> None:
        self._database.close()


def served(where: LinkEndpoint, ledger: Database, audit: Database, pool: str) -> LinkService:
    """A link over two ways to a ledger."""
    return LinkService(where, Ledger(ledger, pool), Ledger(audit, pool), clock=SystemClock(), chance=random.Random(1))


async def test_a_ledger_that_hangs_closes_the_pool_and_opens_it_when_it_answers(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    path = tmp_path / "ledger.sqlite"
    database, audit = Hanging(SqliteDatabase(path)), SqliteDatabase(path)
    tables = {public.decode(): name for name, (public, _) in premises.tables.items()}
    where = LinkEndpoint(f"127.0.0.1:{premises.port}", (tmp_path / "link.key").read_bytes().strip(), tables)
    service = served(where, database, audit, premises.pool)
    task = asyncio.create_task(service.run())
    try:
        async with premises.table() as table, premises.table("harbour/bj-2") as idle:
            await table.does(WagerPosting(500, 9, 3, "blazing_7s"))
            await idle.until(closed=False)
            database.gate.clear()
            waiting = asyncio.create_task(table.does(WagerPosting(500, 9, 3, "blazing_7s")))
            await table.until(closed=True)
            assert (await idle.until(closed=True)).closed == "the ledger does not answer"
            database.gate.set()
            assert (await waiting).answer.number == 2
            assert (await table.until(closed=False)).shown_cents == 1_000_170
            await idle.until(closed=False)
    finally:
        database.gate.set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        database.close()
        audit.close()


async def test_two_link_processes_share_a_pool_in_postgresql(tmp_path: Path, postgresql: Server) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    pool = unused_pool()
    ways = [Premises(tmp_path / name, 1, postgresql.where, pool) for name in ("a", "b")]
    assert ways[0].does("begin", *BY_TWO).exit_code == 0
    deed = WagerPosting(500, 9, 3, "blazing_7s")
    async with ways[0].process(), ways[0].table() as one:
        first = await one.does(deed)
        # The same table over the other process, which knows its account: the same answer, and then the next.
        async with ways[1].process(), ways[1].table(waiting=[deed]) as again:
            assert await again.answer_to(1) == first
            assert (await again.does(deed)).answer.number == 2
    assert ways[0].does("reconcile").exit_code == 0


async def test_one_of_two_links_is_killed_and_the_table_goes_on_over_the_other(
    tmp_path: Path, postgresql: Server
) -> None:
    one = Premises(tmp_path, 2, postgresql.where)
    other = one.beside(2)
    assert one.does("begin", *BY_TWO).exit_code == 0
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(one.process())
        second = await stack.enter_async_context(other.process())
        table = await stack.enter_async_context(one.table(others=[other]))
        beside = await stack.enter_async_context(other.table("harbour/bj-2", others=[one]))
        await asyncio.gather(*(end.does(WagerPosting(500, 9, 3, "blazing_7s")) for end in (table, beside)))
        first.kill()
        await asyncio.gather(*(table.does(WagerPosting(100, 9, 3, "blazing_7s")) for _ in range(5)))
        assert (await table.until(closed=False)).shown_cents == 1_000_000 + (2 * 500 + 5 * 100) * 17 // 100
        assert table.end.address == f"127.0.0.1:{other.port}"
        # One that hangs has what was posted to it, and enters it when it goes on: each deed is in once all the same.
        await stack.enter_async_context(one.process())
        second.send_signal(signal.SIGSTOP)
        await asyncio.gather(
            *(end.does(WagerPosting(33, 9, 3, "blazing_7s")) for end in (table, beside) for _ in range(5))
        )
        assert {end.end.address for end in (table, beside)} == {f"127.0.0.1:{one.port}"}
        second.send_signal(signal.SIGCONT)
        await asyncio.gather(*(end.does(WagerPosting(7, 9, 3, "blazing_7s")) for end in (table, beside)))
        assert [answered.seq for answered in table.settled] == list(range(1, 13))
        assert [answered.seq for answered in beside.settled] == list(range(1, 8))
    found = one.does("reconcile", "--refold", "--json")
    assert found.exit_code == 0, found.output
    wagered = 2 * 500 + 5 * 100 + 10 * 33 + 2 * 7
    assert json.loads(found.output)["contributed"] == wagered * UNITS * 17 // 100 + wagered * UNITS // 30


async def test_a_link_whose_ledger_is_away_is_left_for_one_whose_ledger_is_there(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    path = tmp_path / "ledger.sqlite"
    hanging, audit = Hanging(SqliteDatabase(path)), SqliteDatabase(path)
    tables = {public.decode(): name for name, (public, _) in premises.tables.items()}
    secret = (tmp_path / "link.key").read_bytes().strip()
    away = premises.beside(2)
    where = LinkEndpoint(f"127.0.0.1:{away.port}", secret, tables)
    service = served(where, hanging, audit, premises.pool)
    task = asyncio.create_task(service.run())
    try:
        async with premises.process(), away.table(others=[premises]) as table:
            await table.does(WagerPosting(500, 9, 3, "blazing_7s"))
            hanging.gate.clear()
            assert (await table.does(WagerPosting(500, 9, 3, "blazing_7s"))).answer.number == 2
            assert (await table.until(closed=False)).shown_cents == 1_000_170
            assert table.end.address == f"127.0.0.1:{premises.port}"
    finally:
        hanging.gate.set()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        hanging.close()
        audit.close()


async def test_a_ledger_that_does_not_add_up_is_not_served(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    async with premises.process(), premises.table() as table:
        await table.does(WagerPosting(500, 9, 3, "blazing_7s"))
    connection = sqlite3.connect(tmp_path / "ledger.sqlite")
    with connection:
        connection.execute("UPDATE entries SET units = units - 1")
    connection.close()
    async with premises.process() as link:
        _, output = await link.communicate()
        assert link.returncode == 3
        assert b"ALARM: the ledger does not add up" in output
    found = premises.does("reconcile")
    assert found.exit_code == 3
    assert "tableside: ALARM: harbour/bj-1: its entries contribute" in found.output


async def test_a_ledger_changed_behind_the_link_is_found_while_it_runs_and_tables_are_sent_the_reason(
    tmp_path: Path,
) -> None:
    premises = begun(tmp_path)
    path = tmp_path / "ledger.sqlite"
    database, audit = SqliteDatabase(path), SqliteDatabase(path)
    tables = {public.decode(): name for name, (public, _) in premises.tables.items()}
    secret = (tmp_path / "link.key").read_bytes().strip()
    where = LinkEndpoint(f"127.0.0.1:{premises.port}", secret, tables, reconcile_seconds=0.05)
    service = served(where, database, audit, premises.pool)
    task = asyncio.create_task(service.run())
    try:
        async with premises.table() as table:
            await table.does(WagerPosting(500, 9, 3, "blazing_7s"))
            await table.until(closed=False)
            database.write(lambda rows: rows.do("UPDATE entries SET units = units - ?", [(1,)]))
            assert (await table.until(closed=True)).closed == "the ledger does not add up"
            table.end.post(WagerPosting(500, 9, 3, "blazing_7s"))
            with pytest.raises(DoesNotAddUp, match="its entries contribute"):
                await task
        assert Ledger(audit, premises.pool).standing().number == 1
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        database.close()
        audit.close()


def test_two_people_begin_and_move_a_pool(tmp_path: Path) -> None:
    premises = Premises(tmp_path, 1)
    assert premises.does("begin", "--who", "Ann", "--second", "ann").exit_code == 2
    assert premises.does("status").output.startswith("tableside: ")
    assert premises.does("begin", *BY_TWO).output == "pool pit-1: begun at 10,000.00 by Ann and Ben\n"
    assert premises.does("begin", *BY_TWO).exit_code == 2
    why = ("--why", "sensor 4 was stuck")
    moved = premises.does("adjust", *BY_TWO, *why, "--", "-70000", "equipment_correction")
    assert moved.output == "pool pit-1: entry 1; it shows 9,999.93\n"
    refused = premises.does("adjust", *BY_TWO, *why, "--", "-70000", "funding")
    assert (refused.exit_code, "raised" in refused.output or "goes down" in refused.output) == (2, True)
    assert premises.does("change", *BY_TWO, *why).exit_code == 0
    shown = premises.does("reconcile", "--refold").output
    assert shown.splitlines()[-1] == "reconciled"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        ('pool = "pit-1"', 'pool = "Pit 1"', "link.toml:3: [link] pool: expected"),
        ("base_cents", "bose_cents", "[meter] bose_cents: unknown key; did you mean base_cents?"),
        ("rate = [17, 100]", "rate = [170, 100]", "link.toml:11: [meter] rate: "),
        ('sqlite = "ledger.sqlite"', "", "link.toml:2: [link]: expected sqlite"),
        ("harbour/bj-2", "harbour/bj-1", "[[table]] name: harbour/bj-1 is given twice"),
    ],
)
def test_a_mistake_in_the_file_is_a_line(tmp_path: Path, before: str, after: str, line: str) -> None:
    premises = Premises(tmp_path, 2)
    premises.file.write_text(premises.file.read_text().replace(before, after))
    found = premises.does("status")
    assert found.exit_code == 2
    assert line in found.output


def test_a_key_that_others_may_read_is_refused(tmp_path: Path) -> None:
    premises = begun(tmp_path)
    (tmp_path / "link.key").chmod(0o644)
    found = premises.does("run", "--log-format", "json")
    assert (found.exit_code, "chmod 600" in found.output) == (2, True)
