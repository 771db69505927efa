"""The daemon is killed at random instants while people play, its consumer and its broker now and then as well.

    python -m tests.campaigns.kill --kills 10000 --seed 1 --file build/kills.jsonl

What must hold: every record seen in the journal after a kill is there at the end, with its hash; every settlement is
published once; the consumer's file is byte for byte what ``export`` writes; the journal is whole and, stepped again,
the same; the second copy, on another device, is whole and has every record.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import random
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.core.messages.events import RoundClosed, WagerSettled
from controller.daemon.replay import replay
from controller.formats.mqtt.envelope import read_event
from controller.io.files import profile_files
from controller.io.files.key_file import read_key
from controller.io.journal.commit_marker import read_head_file
from controller.io.journal.errors import JournalDamaged, NotAJournal
from controller.io.journal.reader import Head, JournalReader
from controller.io.journal.verification import verify
from controller.io.mqtt.broker import find_mosquitto, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from simulators.people.acts import Act
from simulators.people.dealer import play
from simulators.people.house import house_from
from tests.campaigns.crews import Piece, options, pieces, work_off
from tests.campaigns.nursery import Nursery
from tests.campaigns.second_copies import copy_fault, folder_elsewhere
from tests.io.virtual_time import passes
from tests.wiring.premises import PROFILE, Ear, Premises

PER_HOUSE: Final = 100
"""Kills after which another house is opened: a journal is read whole at each start, and should not grow for ever."""

CONSUMER: Final = "surveillance"
PATIENCE_S: Final = 120.0
START_S: Final = 10.0
STARTED: Final = 20
"""Records of a start: the start itself, the devices' states, the chips read afresh. What follows is play."""


class Outcome(NamedTuple):
    """What a house came to."""

    kills: int
    consumer_kills: int
    broker_kills: int
    starts_killed: int
    """Kills before the daemon had committed anything since its start."""
    records: int
    events: int
    rounds: int
    settled: int
    faults: tuple[str, ...]


class Campaign:
    """One house."""

    def __init__(self, directory: Path, copy: Path, nursery: Nursery, broker: Broker, seed: int) -> None:
        self.copy = copy
        self.chance = random.Random(seed)
        self.nursery = nursery
        self.house = Premises(directory, broker, Ear())
        text = self.house.table_file.read_text().replace("[table]\n", f'[table]\nsecond_copy = "{copy}"\n', 1)
        port = f"port = {broker.port}\n"
        self.house.table_file.write_text(text.replace(port, f'{port}consumers = ["{CONSUMER}"]\n', 1))
        self.kept = directory / "consumer.jsonl"
        self.heads: list[Head] = []
        self.faults: list[str] = []
        self.counts: collections.Counter[str] = collections.Counter()
        self.daemon = self.consumer = 0

    async def start_daemon(self) -> None:
        log = self.house.directory / "daemon.log"
        self.daemon = await self.nursery.spawn("run", str(self.house.table_file), "--log-format", "json", log=log)

    async def start_consumer(self) -> None:
        at = ("--broker", f"{self.house.broker.host}:{self.house.broker.port}", "--consumer", CONSUMER)
        log = self.house.directory / "consumer.log"
        self.consumer = await self.nursery.spawn("watch", *at, "--durable", str(self.kept), "harbour/bj-1", log=log)

    async def people(self) -> None:
        """Rounds without end."""
        chance = random.Random(self.chance.random())
        house = house_from(profile_files.raw(PROFILE))
        acts = play(house, chance, self.house.rack, (2, 3), rounds=100_000, stand_key="always")
        waiting: list[Act] = []
        for act in acts:
            waiting.append(act)
            if len(waiting) >= 5:
                with contextlib.suppress(AssertionError):
                    await self.house.perform(waiting)
                waiting = []

    def look(self, *, killed: bool) -> None:
        """Read how far the journal had come."""
        try:
            with JournalReader(self.house.journal) as reader:
                head = reader.head()
        except (NotAJournal, JournalDamaged) as error:
            if self.heads:
                self.faults.append(f"after {self.heads[-1].number} records: {error}")
            return
        before = self.heads[-1].number if self.heads else 0
        if killed and head.number == before:
            self.counts["starts_killed"] += 1
        self.heads.append(head)

    async def until_playing(self, records: int = 0, patience_s: float = START_S) -> None:
        """Wait until the daemon has taken readings of people's, and so many more."""
        wanted = STARTED + records + (self.heads[-1].number if self.heads else 0)
        end = time.monotonic() + patience_s
        while time.monotonic() < end:
            noted = read_head_file(self.house.journal)
            if noted is not None and noted.number >= wanted:
                return
            await passes(0.01)

    async def kill_daemon(self) -> None:
        if await self.nursery.has_ended(self.daemon):
            status = await self.nursery.end(self.daemon, 0)
            self.faults.append(f"the daemon ended by itself with status {status}")
        else:
            await self.nursery.end(self.daemon)
        self.counts["kills"] += 1
        self.look(killed=True)

    async def caught_up(self) -> None:
        """Wait until the broker has everything and the consumer's file too."""
        end = time.monotonic() + PATIENCE_S
        wanted = b"-"
        while wanted != (self.kept.read_bytes() if self.kept.exists() else b""):
            if time.monotonic() > end:
                self.faults.append("the consumer's file is not what the journal has")
                return
            await passes(0.2)
            with JournalReader(self.house.journal) as reader:
                wanted = b"".join(row.body + b"\n" for row in reader.events())

    def judge(self) -> Outcome:
        """Hold everything against everything, once nothing runs any more."""
        report = verify(self.house.journal)
        if report.damage is not None:
            self.faults.append(f"damaged: {report.damage}")
        settled: collections.Counter[tuple[int, int, str]] = collections.Counter()
        rounds = 0
        with JournalReader(self.house.journal) as reader:
            for head in self.heads:
                if head.number and reader.hash_of(head.number) != head.hash:
                    self.faults.append(f"record {head.number} is not what it was")
            wanted = b""
            for row in reader.events():
                wanted += row.body + b"\n"
                event = read_event(row.body).event
                rounds += isinstance(event, RoundClosed)
                if isinstance(event, WagerSettled):
                    settled[event.round, event.spot, event.bet] += 1
        self.faults += [f"settled {times} times: {wager}" for wager, times in settled.items() if times > 1]
        if wanted != self.kept.read_bytes():
            self.faults.append("the consumer's file differs at the end")
        key = read_key(self.house.key)
        lacking = copy_fault(self.copy, report, key)
        if lacking:
            self.faults.append(lacking)
        found = replay(self.house.journal, key)
        if found.difference is not None:
            self.faults.append(f"stepped again: record {found.difference.number}: {found.difference.text[:200]}")
        return Outcome(
            kills=self.counts["kills"],
            consumer_kills=self.counts["consumer_kills"],
            broker_kills=self.counts["broker_kills"],
            starts_killed=self.counts["starts_killed"],
            records=report.records,
            events=report.events,
            rounds=rounds,
            settled=len(settled),
            faults=tuple(self.faults),
        )


LONGER: Final = (0,) * 9 + (200,)
"""How many records more than those of a start a daemon may live, in a long campaign."""


class Task(NamedTuple):
    """What befalls one house."""

    kills: int
    seed: int
    longer: tuple[int, ...]


async def house(directory: Path, nursery: Nursery, kills: int, seed: int, longer: tuple[int, ...] = LONGER) -> Outcome:
    """Kill the daemon of one house so many times."""
    with folder_elsewhere(directory) as copy:
        return await _house(directory, copy, nursery, Task(kills, seed, longer))


async def _house(directory: Path, copy: Path, nursery: Nursery, task: Task) -> Outcome:
    program = find_mosquitto()
    assert program is not None, "Mosquitto is not installed"
    settings = directory / "broker"
    settings.mkdir()
    for one in (directory, settings):
        one.chmod(0o755)
    process, port = await start_mosquitto(program, settings, {}, None)
    campaign = Campaign(directory, copy, nursery, Broker(host="127.0.0.1", port=port), task.seed)
    chance = campaign.chance
    async with campaign.house.bench:
        await campaign.start_daemon()
        await campaign.start_consumer()
        playing = asyncio.create_task(campaign.people())
        for _ in range(task.kills):
            # A fifth of the kills come while the daemon starts, the others while it plays, some a round later.
            if chance.random() < 0.8:
                await campaign.until_playing(chance.choice(task.longer))
            await passes(chance.uniform(0, 0.3))
            await campaign.kill_daemon()
            if chance.random() < 0.2:
                await nursery.end(campaign.consumer)
                campaign.counts["consumer_kills"] += 1
                await campaign.start_consumer()
            if chance.random() < 0.05:
                process.kill()
                await process.wait()
                campaign.counts["broker_kills"] += 1
                process, _ = await start_mosquitto(program, settings, {}, port)
            await campaign.start_daemon()
        # A daemon that is asked to stop before it can hear that ends as one that is killed.
        await campaign.until_playing(patience_s=PATIENCE_S)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        await campaign.caught_up()
        status = await nursery.end(campaign.daemon, signal.SIGTERM)
        if status:
            campaign.faults.append(f"asked to stop, the daemon ended with status {status}")
        await campaign.caught_up()
        await nursery.end(campaign.consumer)
    await stop(process)
    return campaign.judge()


async def one_house(piece: Piece) -> Outcome:
    """A house of its own, with a nursery of its own."""
    nursery = await Nursery.open()
    try:
        with tempfile.TemporaryDirectory(prefix="tableside-kill-") as directory:
            return await house(Path(directory), nursery, piece.size, piece.seed)
    finally:
        await nursery.close()


def work(piece: Piece) -> dict[str, Any]:
    """One house's outcome."""
    return asyncio.run(one_house(piece))._asdict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10_000)
    parser.add_argument("--per-house", type=int, default=PER_HOUSE)
    options(parser)
    given = parser.parse_args()
    began = time.monotonic()
    found = work_off(pieces(given.kills, given.seed, given.per_house), work, given.jobs, given.file)
    total = {name: sum(one[name] for one in found) for name in Outcome._fields[:-1]}
    faults = [fault for one in found for fault in one["faults"]]
    print(json.dumps(total | {"faults": faults}))
    print(f"{total['kills']} kills, {len(faults)} faults; {time.monotonic() - began:.0f} s in this run")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
