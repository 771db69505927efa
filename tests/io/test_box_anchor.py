"""A journal set back at a table whose trigger box is all there is outside: the box shows the later head."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.daemon.startup import opened
from controller.formats.journal.records import Identity
from controller.formats.journal.seals import Sealing
from controller.io.journal.anchors import Anchors
from controller.io.journal.box_anchor import BoxAnchor
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.system.clock import SystemClock
from devices.trigger.mystery_trigger import TriggerTable
from firmware_protocols.trigger_messages import HeadKept, KeepHead
from tests.devices.trigger_rig import MS, Make, Rig, in_c, needs_cc, proper, simulated
from tests.io.broker_rig import PATIENCE_SECONDS
from tests.io.stream_rig import HERE, MARKS, turn
from tests.io.test_anchors import noted, put_back, set_aside
from tests.journal_key import KEY

every_box = pytest.mark.parametrize("make", [simulated, proper, pytest.param(in_c, marks=needs_cc)])

RENEW_SECONDS = 0.01


class Table:
    """A table's journal and its trigger box, which keeps its store from table to table."""

    def __init__(self, journal: Journal, rig: Rig) -> None:
        self.journal, self.rig = journal, rig
        self.anchors = Anchors(journal)
        self.notices: list[str] = []
        self.shown: list[HeadKept] = []
        assert journal.sealing is not None
        epoch = journal.identity.epoch
        self.anchor = BoxAnchor(
            self.anchors, journal.sealing, epoch, self.keep, self.notices.append, renew_seconds=RENEW_SECONDS
        )
        rig.restart(TriggerTable("harbour", "bj-1", epoch))
        rig.session.head_shown = self.show

    def show(self, head: HeadKept) -> None:
        self.shown.append(head)
        self.anchor.shown(head)

    def keep(self, head: KeepHead) -> None:
        self.rig.session.keep_head(head, self.rig.now_ns)

    async def deal(self, records: int, body: bytes = b"record") -> None:
        for _ in range(records):
            await self.journal.commit([JournalEntry(self.journal.head.number + 1, body)])

    async def until_kept(self) -> None:
        """Until the box keeps the head the journal has now."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not self.shown or self.shown[-1].size != self.journal.head.number:
                self.rig.run(50 * MS)
                await turn()

    async def ended(self) -> str:
        task = asyncio.create_task(self.anchors.run())
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not task.done():
                self.rig.run(50 * MS)
                await turn()
        with pytest.raises(JournalDamaged) as damage:
            await task
        return str(damage.value)


@contextlib.asynccontextmanager
async def table(path: Path, rig: Rig, epoch: int = 3) -> AsyncIterator[Table]:
    storage = await opened(path, Identity("harbour", "bj-1", epoch), KEY, MARKS, SystemClock())
    running = Table(storage.journal, rig)
    task = asyncio.create_task(running.anchor.run())
    try:
        yield running
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await storage.close()


async def played(path: Path, rig: Rig) -> Path:
    """A journal of ten records, whose head the box keeps; a copy of it with four."""
    async with table(path, rig) as running:
        await running.deal(4)
        await running.until_kept()
    older = set_aside(path, path.parent / "older")
    async with table(path, rig) as running:
        await running.deal(6)
        await running.until_kept()
    return older


@every_box
async def test_a_journal_set_back_is_found_by_the_box_alone(tmp_path: Path, make: Make) -> None:
    path, rig = tmp_path / "journal.sqlite", Rig(make)
    put_back(path, await played(path, rig))
    async with table(path, rig) as running:
        why = await running.ended()
    assert "the trigger box keeps a signed head of record 10, and this journal ends with record 4" in why
    assert noted(path)
    with pytest.raises(JournalDamaged, match="the trigger box keeps a signed head of record 10"):
        async with table(path, rig):
            pass


@every_box
async def test_one_that_went_on_past_the_head_while_the_box_was_away_is_found_too(tmp_path: Path, make: Make) -> None:
    path, rig = tmp_path / "journal.sqlite", Rig(make)
    put_back(path, await played(path, rig))
    rig.box.power_cycle()
    async with table(path, rig) as running:
        await running.deal(20, b"another record")
        assert "of record 10 with other records up to it than this journal has" in await running.ended()
        running.rig.run(5_000 * MS)
        assert [one.size for one in running.shown] == [10]


@every_box
async def test_a_box_started_again_shows_the_head_and_an_honest_journal_goes_on(tmp_path: Path, make: Make) -> None:
    path, rig = tmp_path / "journal.sqlite", Rig(make)
    await played(path, rig)
    rig.box.power_cycle()
    async with table(path, rig) as running:
        await running.deal(1)
        await running.until_kept()
        assert [one.size for one in running.shown] == [10, 11]
        assert set(running.notices) == {""}
        assert not running.anchors.is_set_back


async def test_a_head_the_table_did_not_sign_is_an_alarm_and_ends_nothing(tmp_path: Path) -> None:
    path, rig = tmp_path / "journal.sqlite", Rig(simulated)
    strange = Sealing(bytes([1] * 32), HERE).seal(50, bytes(32), bytes(32))
    async with table(path, rig) as running:
        await running.deal(2)
        await running.until_kept()
        for head in (HeadKept(3, 50, strange.root, strange.signature), HeadKept(3, 2**62, bytes(32), bytes(64))):
            running.notices.clear()
            running.anchor.shown(head)
            async with asyncio.timeout(PATIENCE_SECONDS):
                # What was asked of the box before may be answered still, and says nothing.
                while not any(running.notices):
                    await turn()
            notice = next(filter(None, running.notices))
            assert "the trigger box keeps no head that this table has signed" in notice
        assert not running.anchors.is_set_back
    assert not noted(path)


async def test_a_box_that_keeps_none_yet_is_no_alarm(tmp_path: Path) -> None:
    async with table(tmp_path / "journal.sqlite", Rig(simulated)) as running:
        await running.deal(1)
        await running.until_kept()
        assert [one.size for one in running.shown] == [0, 1]
        assert set(running.notices) == {""}
