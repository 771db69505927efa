"""Events that nobody acknowledges for days: an alert, then no more rounds, until they are acknowledged."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import structlog

from controller.core.messages.events import RoundClosed
from controller.core.messages.inputs import FitnessLevel
from controller.formats.journal.schema import ack_digest, meta_digest
from controller.formats.journal.stream import ack_bytes
from controller.formats.mqtt.envelope import event_bytes
from controller.io.journal.reader import JournalEntry
from controller.io.mqtt.ack_deadline import AckLimits, Overdue
from controller.io.mqtt.connection import Broker
from tests.campaigns.outage import CountedJournal, OutageLoop
from tests.io.stream_rig import CONSUMER, HERE, Table
from tests.io.virtual_time import LoopClock, passes, run_virtual
from tests.journal_key import KEY

HOUR = 3600.0
TERMS = AckLimits(warn_hours=24, close_hours=168)
NOBODY = Broker(host="127.0.0.1", port=1)
FitnessReports = list[tuple[str, str]]


class Watched:
    """A table in virtual time whose consumer may be silent; ``fitness`` is each level reported."""

    def __init__(self, journal: CountedJournal, consumers: tuple[str, ...]) -> None:
        self.journal = journal
        self.clock = LoopClock(asyncio.get_running_loop())
        self.table = Table(journal, NOBODY, self.clock)
        self.fitness: FitnessReports = [("fit", "")]
        overdue = Overdue(journal, consumers, self.table.consumers.acked, self.clock, TERMS, seconds=600)
        overdue.tell = self._report
        self.task = asyncio.ensure_future(overdue.run())

    def _report(self, level: FitnessLevel, text: str) -> None:
        if self.fitness[-1][0] != level.value:
            self.fitness.append((level.value, text))

    async def deal(self) -> None:
        head = self.journal.head
        event = RoundClosed(round=head.seq + 1, dealer=(), legal_plays=1, outcome="settled")
        body = event_bytes(event, self.journal.identity, head.seq + 1, self.clock.wall_ns())
        await self.journal.commit([JournalEntry(head.number + 1, b"record", ((head.seq + 1, body),))])

    async def acknowledge(self, seq: int) -> None:
        hashed = await self.journal.stream_at(seq)
        await self.table.consumers.take_ack(CONSUMER, ack_bytes(HERE.epoch, seq, hashed))
        await self.journal.note_ack(CONSUMER, seq)


@contextlib.asynccontextmanager
async def watched(path: Path, consumers: tuple[str, ...] = (CONSUMER,)) -> AsyncIterator[Watched]:
    journal = await CountedJournal.open(path, HERE, key=KEY)
    table = Watched(journal, consumers)
    try:
        yield table
    finally:
        table.task.cancel()
        await asyncio.gather(table.task, return_exceptions=True)
        await journal.close()


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_virtual(scenario(), loop=OutageLoop())


def test_seven_days_of_silence_close_the_table_and_an_acknowledgement_opens_it(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with watched(tmp_path / "journal.sqlite") as table:
            await table.deal()
            await passes(23 * HOUR)
            await table.deal()
            assert table.fitness == [("fit", "")]
            await passes(2 * HOUR)
            warned = "consumer surveillance has not acknowledged event 1 for 24 h: at 168 h no more rounds may begin"
            assert table.fitness[1:] == [("warned", warned)]
            await passes(6 * 24 * HOUR - 2 * HOUR)
            assert len(table.fitness) == 2
            await passes(2 * HOUR)
            closed = "consumer surveillance has not acknowledged event 1 for 168 h, at most 168 h are allowed"
            assert table.fitness[2:] == [("closed", closed)]
            # What it holds now leaves one event that is a day younger.
            await table.acknowledge(1)
            await passes(HOUR)
            assert [level for level, _ in table.fitness[3:]] == ["warned"]
            assert "event 2 for 14" in table.fitness[3][1]
            await table.acknowledge(2)
            await passes(HOUR)
            assert table.fitness[4:] == [("fit", "")]

    run(scenario)


def test_the_days_count_over_restarts_and_what_was_acknowledged_too(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "journal.sqlite"
        async with watched(path) as table:
            for _ in range(2):
                await table.deal()
            await passes(HOUR)
            await table.acknowledge(1)
        await passes(7 * 24 * HOUR)
        async with watched(path) as table:
            await passes(1)
            assert [level for level, _ in table.fitness] == ["fit", "closed"]
            assert "event 2 for 169 h" in table.fitness[1][1]
            await table.acknowledge(2)
            await passes(HOUR)
        async with watched(path) as table:
            await passes(HOUR)
            assert table.fitness == [("fit", "")]

    run(scenario)


def test_a_consumer_that_is_configured_later_is_waited_for_from_then_on(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "journal.sqlite"
        async with watched(path, ()) as table:
            await table.deal()
            await passes(30 * 24 * HOUR)
            assert table.fitness == [("fit", "")]
        async with watched(path) as table:
            await passes(23 * HOUR)
            assert table.fitness == [("fit", "")]
            await passes(2 * HOUR)
        async with watched(path) as table:
            await passes(1)
            assert [level for level, _ in table.fitness] == ["fit", "warned"]

    run(scenario)


def state(path: Path, fact: str, value: str) -> None:
    """Add a fact to a journal as somebody without its key would."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        (row,) = connection.execute("SELECT max(id) + 1 FROM meta").fetchone()
        connection.execute("INSERT INTO meta VALUES (?, ?, ?, ?)", (row, fact, value, meta_digest(row, fact, value)))


@pytest.mark.parametrize("stated", ["x", "", "-5", "1e18", "\N{ARABIC-INDIC DIGIT ONE}", "9" * 19, "9" * 5000])
def test_where_the_journal_does_not_say_since_when_a_consumer_is_waited_for_it_has_acknowledged_nothing(
    stated: str, tmp_path: Path
) -> None:
    async def scenario() -> None:
        path = tmp_path / "journal.sqlite"
        async with watched(path, ("books", CONSUMER)) as table:
            await table.deal()
            await passes(HOUR)
            await table.acknowledge(1)
        state(path, "consumer books", stated)
        await passes(30 * HOUR)
        with structlog.testing.capture_logs() as logs:
            async with watched(path, ("books", CONSUMER)) as table:
                await passes(HOUR)
                warned = "consumer books has not acknowledged event 1 for 31 h: at 168 h no more rounds may begin"
                assert table.fitness == [("fit", ""), ("warned", warned)]
                # The other is looked after as before.
                await table.deal()
                await passes(170 * HOUR)
                assert [level for level, _ in table.fitness[2:]] == ["closed"]
                assert not table.task.done()
        (line,) = logs
        assert (line["log_level"], line["fact"]) == ("warning", "consumer books")
        assert "verify" in line["do"]

    run(scenario)


async def closed_until_acknowledged(path: Path) -> dict[str, int]:
    """After 200 hours the table does not open until its consumer acknowledges event 1; the acknowledgements then."""
    await passes(200 * HOUR)
    async with watched(path) as table:
        await passes(HOUR)
        assert [level for level, _ in table.fitness] == ["fit", "closed"]
        await table.acknowledge(1)
        await passes(HOUR)
        assert [level for level, _ in table.fitness] == ["fit", "closed", "fit"]
        return await table.journal.acks()


def test_a_consumer_of_which_nothing_is_known_is_heard_again_when_it_acknowledges(tmp_path: Path) -> None:
    async def scenario() -> None:
        path = tmp_path / "journal.sqlite"
        async with watched(path) as table:
            await table.deal()
            await passes(HOUR)
        state(path, f"consumer {CONSUMER}", "x")
        await closed_until_acknowledged(path)

    run(scenario)


@pytest.mark.parametrize("said", [2, 2**63 - 1])
def test_an_acknowledgement_of_an_event_that_is_not_there_hides_no_silence_and_ends_no_table(
    said: int, tmp_path: Path
) -> None:
    async def scenario() -> None:
        path = tmp_path / "journal.sqlite"
        async with watched(path) as table:
            await table.deal()
            await passes(HOUR)
        with contextlib.closing(sqlite3.connect(path)) as connection, connection:
            connection.execute("INSERT INTO acks VALUES (1, ?, ?, ?)", (CONSUMER, said, ack_digest(1, CONSUMER, said)))
        assert await closed_until_acknowledged(path) == {CONSUMER: 1}

    run(scenario)
