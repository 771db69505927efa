"""A table's journal is set back while a pool has its postings: the pool closes before it swallows a wager.

    python -m tests.campaigns.set_back --count 20 --seed 1

A real table plays for a real link's pool. At some moment it is stopped and its journal copied; it plays on, is stopped
or killed, and the older journal is put back with its own head file. What must hold: the table does not start, or its
pool is closed for as long as it plays; no entry of the ledger is taken for a wager that it was not made for; and with
the true journal back the pool opens, with every posting in it once.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from controller.core.messages.pool_events import PoolEntryRecorded
from controller.io.mqtt.broker import find_mosquitto, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from controller.pool.ledger import Ledger
from controller.pool.sqlite import SqliteDatabase
from tests.link.premises import BY_TWO
from tests.link.premises import Premises as LinkPremises
from tests.wiring.pit import NOTHING, PitTable
from tests.wiring.premises import PATIENCE_S, Ear, json_of

PARTS: Final = ("", "-head", "-wal", "-shm")
"""Of a journal."""

REFUSED: Final = 2
WHY: Final = "the ledger has entries this journal never made"
NAME: Final = "bj-1"


class Plan(NamedTuple):
    """Rounds before the copy, rounds that the copy lacks, rounds on the older journal; whether it is killed between."""

    before: int
    lacked: int
    after: int
    is_killed: bool


def planned(chance: random.Random) -> Plan:
    """By chance."""
    return Plan(chance.randrange(3), chance.randrange(1, 4), chance.randrange(1, 4), chance.random() < 0.5)


def lay(journal: Path, source: Path) -> None:
    """Put a copied journal in place of what is there."""
    for part in PARTS:
        Path(f"{journal}{part}").unlink(missing_ok=True)
        if (source / f"journal{part}").exists():
            shutil.copy(source / f"journal{part}", f"{journal}{part}")


def take(journal: Path, target: Path) -> None:
    """Copy a journal that nobody writes."""
    target.mkdir()
    for part in PARTS:
        if Path(f"{journal}{part}").exists():
            shutil.copy(f"{journal}{part}", target / f"journal{part}")


class SetBackTrial:
    """One table, one pool, and what was wrong."""

    def __init__(self, directory: Path, broker: Broker) -> None:
        (directory / "link").mkdir()
        self.link = LinkPremises(directory / "link", 1)
        assert self.link.does("begin", *BY_TWO).exit_code == 0
        self.table = PitTable(directory / NAME, broker, NAME, self.link)
        self.faults: list[str] = []

    def posted(self) -> int:
        """Postings of the table's that the ledger has."""
        with contextlib.closing(SqliteDatabase(self.link.folder / "ledger.sqlite")) as database:
            account = Ledger(database, self.link.pool).books().accounts.get(f"harbour/{NAME}")
        return 0 if account is None else account.seq

    async def play(self, rounds: int, *, is_killed: bool = False) -> None:
        """A time at the table, heard by somebody new; every wager of it is posted before it ends."""
        table = self.table
        before = self.posted()
        table.ear, table.starts, table.closed = Ear(f"{table.topics.root}/#"), 0, 0
        async with table.open():
            if not await self.until_pool(""):
                self.faults.append("the pool does not open")
            for _ in range(rounds):
                await table.plays(NOTHING)
            await table.ear.event(PoolEntryRecorded, rounds) if rounds else None
            if is_killed:
                await table.kill()
        if self.posted() != before + rounds:
            self.faults.append(f"{self.posted() - before} of {rounds} wagers are in the ledger")

    async def play_older(self, rounds: int) -> bool:
        """The same on a journal that was set back; whether the table started."""
        table = self.table
        before = self.posted()
        table.ear, table.starts, table.closed = Ear(f"{table.topics.root}/#"), 0, 0
        async with table.ear.listening(table.broker), table.bench:
            await table.spawn()
            assert table.process is not None
            ended = asyncio.create_task(table.process.wait())
            closed = asyncio.create_task(self.until_pool(WHY))
            await asyncio.wait((ended, closed), return_when=asyncio.FIRST_COMPLETED)
            if ended.done():
                closed.cancel()
                if ended.result() != REFUSED:
                    self.faults.append(f"the table ended with status {ended.result()}")
                return False
            if not closed.result():
                self.faults.append(f"the pool is not closed: {table.ear.last(table.topics.state('meters'))!r}")
            for _ in range(rounds):
                await table.plays(NOTHING)
            if table.ear.events(PoolEntryRecorded):
                self.faults.append("a wager was taken for entered")
            await table.stop()
        if self.posted() != before:
            self.faults.append("the ledger took a posting of the older journal")
        return True

    async def until_pool(self, closed: str) -> bool:
        """Wait until the pool is closed for this reason, or open where it is empty."""
        topic = self.table.topics.state("meters")

        def is_so() -> bool:
            state = self.table.ear.last(topic)
            return state is not None and (json_of(state)["linked"][0].get("closed") or "") == closed

        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE_S / 3):
                await self.table.ear.until(is_so)
                return True
        return False


async def one(directory: Path, broker: Broker, plan: Plan) -> tuple[bool, list[str]]:
    """One trial: whether the table started on the older journal, and what was wrong."""
    trial = SetBackTrial(directory, broker)
    async with trial.link.process():
        await trial.play(plan.before)
        take(trial.table.journal, directory / "older")
        await trial.play(plan.lacked, is_killed=plan.is_killed)
        take(trial.table.journal, directory / "true")
        lay(trial.table.journal, directory / "older")
        started = await trial.play_older(plan.after)
        lay(trial.table.journal, directory / "true")
        await trial.play(1)
    return started, trial.faults


async def campaign(count: int, seed: int) -> tuple[int, list[str]]:
    """So many; how often the table started, and what was wrong."""
    program = find_mosquitto()
    assert program is not None, "Mosquitto is not installed"
    chance, started, wrong = random.Random(seed), 0, list[str]()
    for _ in range(count):
        plan = planned(chance)
        with tempfile.TemporaryDirectory(prefix="tableside-set-back-") as name:
            Path(name).chmod(0o755)  # noqa: ASYNC240 - one call on a fresh directory
            process, port = await start_mosquitto(program, Path(name), {}, None)
            try:
                has_started, faults = await one(Path(name), Broker(host="127.0.0.1", port=port), plan)
            finally:
                await stop(process)
        started += has_started
        wrong += [f"{plan}: {fault}" for fault in faults]
        print(plan, "started" if has_started else "refused", *faults, sep="; ", file=sys.stderr, flush=True)
    return started, wrong


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    began = time.monotonic()
    started, wrong = asyncio.run(campaign(given.count, given.seed))
    print("\n".join(wrong), end="\n" if wrong else "")
    print(f"{given.count} journals set back, {started} starts, {len(wrong)} faults; {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
