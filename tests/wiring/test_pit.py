"""Two tables on one pool, all of it real but the devices: the link and a table killed in play, and not a unit lost."""

from __future__ import annotations

import asyncio
import contextlib
import json
from functools import partial
from pathlib import Path

from controller.core.messages.events import WagerSettled, WagerUnresolved
from controller.core.messages.meter_events import JackpotHit, JackpotPaid, JackpotVerified, MeterClosed, MeterReopened
from controller.core.messages.pool_events import ContributionPosted, JackpotClaimed, PoolEntryRecorded, VerdictPosted
from controller.daemon.replay import replay
from controller.io.files.key_file import read_key
from controller.io.mqtt.connection import Broker
from tests.link.premises import BY_TWO
from tests.link.premises import Premises as LinkPremises
from tests.link.server import Server
from tests.wiring.pit import DIAMONDS, METER, NOTHING, PitTable
from tests.wiring.premises import json_of, ran

UNITS = 10_000


def begun(folder: Path, where: str) -> LinkPremises:
    """A pool that two people have begun; ``where``: the PostgreSQL of its ledger, else it is a file."""
    folder.mkdir()
    premises = LinkPremises(folder, 4, where)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    return premises


def picture(table: PitTable) -> dict[str, object]:
    """What the table's retained picture says of the pool."""
    found: dict[str, object] = json_of(table.ear.last(table.topics.state("meters")))["linked"][0]
    return found


def is_closed(table: PitTable) -> bool:
    return picture(table)["closed"] == "the link is away"


async def all_of(*works: object) -> None:
    await asyncio.gather(*works)  # type: ignore[call-overload]


async def meters_of(table: PitTable) -> str:
    """What ``tableside meters`` says of the table; in a process of its own, for it prints while others here do."""
    status, output, errors = await ran("meters", str(table.journal))
    assert status == 0, errors
    return output


async def replays(table: PitTable) -> None:
    """The table's journal stepped again gives the same, without a link."""
    found = await asyncio.to_thread(replay, table.journal, read_key(table.key))
    assert found.difference is None
    assert found.rounds == table.closed


async def test_link_and_table_are_killed_in_play_and_every_unit_is_there(
    tmp_path: Path, broker: Broker, postgresql: Server
) -> None:
    """Two pits at once, one with its ledger in a file and one with it in PostgreSQL."""
    pits = (
        (begun(tmp_path / "file", ""), ("bj-1", "bj-2")),
        (begun(tmp_path / "server", postgresql.where), ("bj-3", "bj-4")),
    )
    await all_of(
        *(evening(link, [PitTable(tmp_path / name, broker, name, link) for name in names]) for link, names in pits)
    )


async def evening(link: LinkPremises, tables: list[PitTable]) -> None:
    """Two tables play for a pool, link and one table are killed, everybody is back, and it all adds up."""
    one, other = tables
    async with contextlib.AsyncExitStack() as stack:
        async with link.process() as process:
            await all_of(*(stack.enter_async_context(table.open()) for table in tables))
            await both_put_in(tables)
            process.kill()
            await process.wait()
        await all_of(*map(sees_it_closed, tables))
        # Local play goes on; what is owed is kept, over the death of a daemon as well.
        await all_of(*(table.plays(DIAMONDS) for table in tables))
        await one.kill()
        assert "2 wait for the link" in await meters_of(one)
        await one.start()
        await one.plays(NOTHING)
        assert one.ear.events(JackpotHit) == other.ear.events(JackpotHit) == []
        await one.sign_shows("CLOSED")
        await stack.enter_async_context(link.process())
        await all_of(caught_up(one, 4), caught_up(other, 3))
        await all_of(*(judged(table, "verify", "A. Ames", "cards seen") for table in tables))
        await judged(one, "pay", "B. Bell", "hand pay")
        await one.ear.event(PoolEntryRecorded, 6)
        await other.ear.event(PoolEntryRecorded, 4)
        shown = link_shows(link)
        for table in tables:
            await table.sign_shows(f"{shown // 100:,}.{shown % 100:02d}")
            await table.assert_published_once()
    # Whoever was committed first got the pool with what had been committed before, the other its reset value.
    least, most = sorted(event.cents for table in tables for event in table.ear.events(JackpotHit))
    assert least < 500_500
    assert most > 1_000_000
    for table in tables:
        assert "none missing, none twice" in await meters_of(table)
        await replays(table)
    assert_adds_up(link, tables)


async def test_one_of_two_links_is_killed_in_play_and_the_linked_bet_goes_on_over_the_other(
    tmp_path: Path, broker: Broker, postgresql: Server
) -> None:
    one = begun(tmp_path / "link", postgresql.where)
    other = one.beside(2)
    table = PitTable(tmp_path / "bj-1", broker, "bj-1", one, other)
    async with contextlib.AsyncExitStack() as stack:
        first = await stack.enter_async_context(one.process())
        await stack.enter_async_context(other.process())
        await stack.enter_async_context(table.open())
        await table.ear.event(MeterReopened, meter=METER)
        await table.plays(NOTHING)
        await table.ear.event(PoolEntryRecorded, 1)
        first.kill()
        await first.wait()
        await table.plays(DIAMONDS)
        hit = await table.ear.event(JackpotHit)
        settled = await table.ear.event(WagerSettled, bet="blazing7s", round=hit.round)
        assert (hit.cents, settled.net_cents) == (1_000_170, 999_670)
        await table.sign_shows("JACKPOT $10,001.70 SPOT 1")
        await table.assert_published_once()
    await replays(table)
    assert_adds_up(other, [table])


async def both_put_in(tables: list[PitTable]) -> None:
    """The pool is open at both tables, and each shows what the other put in."""
    for table in tables:
        await table.ear.event(MeterReopened, meter=METER)
        await table.sign_shows("10,000.00")
    await all_of(*(table.plays(NOTHING) for table in tables))
    for table in tables:
        await table.sign_shows("10,001.70")


async def sees_it_closed(table: PitTable) -> None:
    """The table says that the pool cannot be won, everywhere it says something of it.

    It said so twice before the link was first heard: when it started, and when its link had not answered at once.
    """
    assert (await table.ear.event(MeterClosed, 3, meter=METER)).reason == "the link is away"
    await table.sign_shows("CLOSED")
    await table.ear.until(partial(is_closed, table))


async def caught_up(table: PitTable, postings: int) -> None:
    """Everything the table owed is answered, its hit among it, and the pool is open again."""
    hit = await table.ear.event(JackpotHit)
    await table.ear.event(PoolEntryRecorded, postings)
    await table.ear.event(MeterReopened, 2, meter=METER)
    settled = await table.ear.event(WagerSettled, bet="blazing7s", round=hit.round)
    assert settled.net_cents == hit.cents - 500
    assert [event.round for event in table.ear.events(WagerUnresolved)] == [hit.round]


async def judged(table: PitTable, verb: str, who: str, why: str) -> None:
    """People at a table say what they made of its jackpot; a reply that a busy machine delays is no refusal."""
    words = ("jackpot", verb, f"harbour/{table.name}", "1", "--who", who, "--why", why)
    role = "surveillance" if verb == "verify" else "floor"
    status, output, errors = await ran(*words, "--operator", str(table.directory / role / "socket"))
    assert (status, output) == (0, "accepted\n") or "no reply" in errors, output + errors
    await table.ear.event(JackpotVerified if verb == "verify" else JackpotPaid)


def link_shows(link: LinkPremises) -> int:
    found: int = json.loads(link.does("status", "--json").output)["shown_cents"]
    return found


def assert_adds_up(link: LinkPremises, tables: list[PitTable]) -> None:
    """The ledger against itself, stepped again, and against what each table says it collected and won."""
    journals = [word for table in tables for word in ("--journal", str(table.journal))]
    found = link.does("reconcile", "--refold", "--json", *journals)
    assert found.exit_code == 0, found.output
    sums = json.loads(found.output)
    assert sums["paid"] + sums["shown"] + sums["reserved"] == sums["contributed"] + sums["funded"]
    status = json.loads(link.does("status", "--json").output)
    for table in tables:
        wagers = table.ear.events(ContributionPosted)
        claims = table.ear.events(JackpotClaimed)
        verdicts = table.ear.events(VerdictPosted)
        own = sums["tables"][f"harbour/{table.name}"]
        assert (
            own["entries"]
            == len(wagers) + len(claims) + len(verdicts)
            == status["tables"][f"harbour/{table.name}"]["seq"]
        )
        entered = sum(event.units + event.hidden_units for event in table.ear.events(PoolEntryRecorded))
        assert own["contributed"] == entered
        won = sum(event.cents for event in table.ear.events(JackpotHit)) * UNITS
        assert own["paid"] + own["reserved"] == won
        assert own["paid"] == (won if table.ear.events(JackpotPaid) else 0)
    wagered = sum(event.wager_cents for table in tables for event in table.ear.events(ContributionPosted))
    main = wagered * UNITS * 17 // 100
    assert sums["contributed"] == main + wagered * UNITS // 30
