"""The power is cut while people play: what was published is in the journal afterwards, whatever the disk forgot.

    python -m tests.campaigns.power --recordings 20 --cuts 250 --seed 1

A SIGKILL leaves what the kernel has; a power cut leaves what was synced, and of the rest what it likes. So the real
daemon runs on pseudo-terminals under strace, which writes down everything it does to its journal's directory and
everything it sends. From that, for instants chosen by chance, the directory is built as a disk without any order may
leave it (``tests/campaigns/power_disk.py``), and a start is made of it.

What must hold: the start goes through; every event that had left for the broker, every card the shoe had been asked to
forget and every record of a commit that had returned is there, as it was; nothing else than what was recorded is
there. Each recording but the first begins on what a cut left of the one before.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from controller.demo.table import DemoOptions, devices, script, sevens_meter, table_file
from controller.formats.journal.wal import WAL_HEADER_BYTES
from controller.io.files.key_file import read_key
from controller.io.journal.commit_marker import read_head_file
from controller.io.mqtt.broker import find_mosquitto, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from simulators.people.acts import Act
from tests.campaigns.crews import Piece, options, pieces, work_off
from tests.campaigns.known_outside import NOTHING, KnownOutside, known_at_each
from tests.campaigns.power_disk import Disks
from tests.campaigns.power_judge import JOURNAL, Judge
from tests.campaigns.recording import (
    BESIDE,
    Opened,
    Operation,
    Removed,
    Renamed,
    Sized,
    SyncDone,
    Written,
    accounts,
    recorded,
)
from tests.io.virtual_time import passes
from tests.wiring.premises import Bench, Ear, Premises, program

OTHER_DEVICE: Final = "/dev/shm"
PER_HOUSE: Final = 4
"""Recordings of one house, each on what the one before left."""

RECORDS: Final = 500
"""Of a recording: with that many the log is folded in and begun anew while the table runs."""

STEPPED: Final = 0.2
"""Of so many starts the table is stepped again as well: most of what a start costs, and none of the disk's business."""

START_S: Final = 900.0
PATIENCE_S: Final = 3.0
"""How long people wait for readers that nobody asks any more; what they were at is then left as it is."""


class Outcome(NamedTuple):
    """What a house came to."""

    recordings: int
    cuts: int
    writes: int
    syncs: int
    logs: int
    """Times that the write-ahead log was begun anew over an earlier one's frames, without a start between."""
    records: int
    events: int
    told: int
    """Events seen leaving for the broker."""
    forgotten: int
    """Cards the shoe was asked to forget."""
    ways: dict[str, int]
    begun_anew: int
    """Cuts so early that there was no journal yet, and nothing had been published."""
    faults: tuple[str, ...]


class House(Premises):
    """A table with a sign, a trigger box and a shoe that hears what it may forget; its journal lies by itself."""

    def __init__(self, directory: Path, broker: Broker, seed: int) -> None:
        (directory / "state").mkdir()
        self.copy = Path(tempfile.mkdtemp(dir=OTHER_DEVICE, prefix="tableside-power-copy-"))
        self.wanted = DemoOptions(directory, None, seed, 1.0, (2, 3), True, broker, shoe="reference", jackpots=True)
        super().__init__(directory, broker, Ear())
        self.journal = directory / "state" / JOURNAL
        self.bench = Bench(directory / "ports", patience_s=PATIENCE_S, **self.devices())

    def devices(self) -> dict[str, Any]:
        return devices("reference", wanted=self.wanted)

    def table_text(self) -> str:
        text = table_file(self.directory, self.broker, keypad=True, shoe="reference", wanted=self.wanted)
        text = text.replace(f'"{JOURNAL}"', f'"state/{JOURNAL}"')
        return text.replace("[table]\n", f'[table]\nsecond_copy = "{self.copy}"\n', 1)

    def contents(self) -> dict[str, bytes]:
        """Every file of the journal's directory and of the copy's."""
        return contents(self.journal.parent) | {BESIDE + name: data for name, data in contents(self.copy).items()}

    def lay(self, files: dict[str, bytes]) -> None:
        """Have nothing but these files in both directories."""
        for path in (*self.journal.parent.iterdir(), *self.copy.iterdir()):
            path.unlink()
        for name, data in files.items():
            if name.startswith(BESIDE):
                (self.copy / name.removeprefix(BESIDE)).write_bytes(data)
            elif not name.endswith("-reserve"):
                (self.journal.parent / name).write_bytes(data)

    async def people(self) -> None:
        """Rounds without end; nobody at the table notices when the daemon is gone."""
        waiting: list[Act] = []
        for act in script(self.wanted, self.rack, sevens_meter()):
            waiting.append(act)
            if len(waiting) >= 5:
                with contextlib.suppress(AssertionError):
                    await self.perform(waiting)
                waiting = []


class Recording(NamedTuple):
    """A run of the daemon: what lay there before, what it did, and what its journal came to."""

    before: dict[str, bytes]
    operations: list[Operation]
    after: dict[str, bytes]
    known: KnownOutside
    """What the outside knew before it began."""


async def record(house: House, records: int, known: KnownOutside, number: int) -> Recording:
    """Run the daemon until it has taken so many records more, then kill it."""
    state = house.journal.parent
    before = house.contents()
    trace = house.directory / "trace"
    trace.unlink(missing_ok=True)
    command = recorded(trace, program("run", str(house.table_file), "--log-format", "json"))
    with (house.directory / "daemon.log").open("ab") as output:
        process = await asyncio.create_subprocess_exec(*command, stdout=output, stderr=output)
    wanted = known.record + records
    end = time.monotonic() + START_S
    ending = signal.SIGKILL
    try:
        while (noted := read_head_file(house.journal)) is None or noted.number < wanted:
            assert process.returncode is None, house.log()
            assert time.monotonic() < end, f"{noted} of {wanted} records; {house.log()[-2000:]}"
            await passes(0.01)
        # Every third is asked to stop, so that what a stop does to the files is cut as well.
        ending = signal.SIGTERM if number % 3 == 1 else signal.SIGKILL
    finally:
        if process.returncode is None:
            os.kill(_child(process.pid), ending)
        await process.wait()
    after = house.contents()
    readings = list(accounts(trace, state, house.copy))
    trace.unlink()
    # Of a write that was under way at the kill what lies there says whether it happened.
    found = next((one for one in readings if led_to(before, one) == settled(after)), readings[0])
    return Recording(before, found, after, known)


def led_to(before: dict[str, bytes], done: Sequence[Operation]) -> dict[str, bytes]:
    """What lies in the directory when all of it has been done."""
    disk = Disks(before)
    for operation in done:
        disk.take(operation)
    return settled(disk.now())


def is_log_begun(operation: Written) -> bool:
    """Whether a write-ahead log begins with it, for the first time or anew."""
    return operation.name.endswith("-wal") and operation.offset == 0 and len(operation.data) == WAL_HEADER_BYTES


def settled(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files that only operations change: what is mapped into memory is written without one."""
    return {name: data for name, data in files.items() if not name.endswith("-shm")}


def _child(tracer: int) -> int:
    (child,) = Path(f"/proc/{tracer}/task/{tracer}/children").read_text().split()
    return int(child)


def contents(directory: Path) -> dict[str, bytes]:
    """Every file of a directory."""
    return {path.name: path.read_bytes() for path in directory.iterdir()}


def at_the_end(recording: Recording, chance: random.Random) -> dict[str, bytes]:
    """What a cut leaves when the run has ended; before it, the recording gives what then lay there."""
    disk = Disks(recording.before)
    for operation in recording.operations:
        disk.take(operation)
    seen, there = settled(disk.now()), settled(recording.after)
    assert seen == there, f"the recording does not give what lay there: {seen.keys()}, {there.keys()}"
    return forgetful(disk.cut(chance)[1], chance)


def instants(done: Sequence[Operation], cuts: int, chance: random.Random) -> list[int]:
    """Before which operations the power is cut: half any, half near those that make, drop, size or name a file."""
    rare = [place for place, operation in enumerate(done) if isinstance(operation, Opened | Sized | Renamed | Removed)]
    found = [chance.randint(0, len(done)) for _ in range(cuts - cuts // 2)]
    found += [chance.choice(rare) + chance.randint(-1, 6) for _ in range(cuts // 2)]
    return [min(max(place, 0), len(done)) for place in found]


def forgetful(left: dict[str, bytes], chance: random.Random) -> dict[str, bytes]:
    """The index of the log is written through memory, where nobody sees it: it may be gone, blank, or anything."""
    names = [name for name in left if name.endswith("-shm")]
    for name in names:
        size = chance.choice((0, 32768, 65536))
        left[name] = chance.choice((bytes(size), chance.randbytes(size), left[name]))
        if chance.random() < 0.3:
            del left[name]
    return left


class Account:
    """What comes together over the recordings of a house."""

    def __init__(self) -> None:
        self.counts: collections.Counter[str] = collections.Counter()
        self.ways: collections.Counter[str] = collections.Counter()
        self.faults: list[str] = []

    async def cut(self, recording: Recording, key: bytes, cuts: int, chance: random.Random) -> None:
        """Cut the power ``cuts`` times."""
        judge = Judge(recording.after, key)
        moments = list(known_at_each(recording.operations, recording.known, judge.events))
        places = collections.Counter(instants(recording.operations, cuts, chance))
        disk = Disks(recording.before)
        for place, known in enumerate(moments):
            for _ in range(places[place]):
                await self._one(judge, disk, known, place, chance)
            if place < len(recording.operations):
                disk.take(recording.operations[place])
        written = sum(isinstance(operation, Written) for operation in recording.operations)
        self.counts.update(recordings=1, cuts=cuts, writes=written, records=len(judge.records))
        begun = [
            operation
            for operation in recording.operations
            if isinstance(operation, Written) and is_log_begun(operation)
        ]
        self.counts.update(logs=max(0, len(begun) - 1))
        self.counts.update(syncs=sum(isinstance(operation, SyncDone) for operation in recording.operations))
        self.counts.update(events=len(judge.events), told=len(moments[-1].events - recording.known.events))
        self.counts.update(forgotten=len(moments[-1].cards - recording.known.cards))

    async def _one(self, judge: Judge, disk: Disks, known: KnownOutside, place: int, chance: random.Random) -> None:
        way, left = disk.cut(chance)
        fault, records = await judge.fault(forgetful(left, chance), known, is_stepped=chance.random() < STEPPED)
        self.ways[way] += 1
        self.counts["begun_anew"] += not records
        if fault:
            self.faults.append(f"cut before operation {place}, {way}: {fault}")


async def house(directory: Path, recordings: int, cuts: int, seed: int, records: int = RECORDS) -> Outcome:
    """Record one house so many times, and cut each recording so often."""
    program_path = find_mosquitto()
    assert program_path is not None, "Mosquitto is not installed"
    (directory / "broker").mkdir()
    for one in (directory, directory / "broker"):
        one.chmod(0o755)
    process, port = await start_mosquitto(program_path, directory / "broker", {}, None)
    chance, account, known = random.Random(seed), Account(), NOTHING
    table = House(directory, Broker(host="127.0.0.1", port=port), seed)
    key, found = read_key(table.key), list[Recording]()
    try:
        async with table.bench:
            playing = asyncio.create_task(table.people())
            for number in range(recordings):
                found.append(await record(table, records, known, number))
                assert not playing.done(), playing.exception()
                known = list(known_at_each(found[-1].operations, known, Judge(found[-1].after, key).events))[-1]
                table.lay(at_the_end(found[-1], chance))
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
    finally:
        await stop(process)
        shutil.rmtree(table.copy)
    for recording in found:
        await account.cut(recording, key, cuts, chance)
    counts = {name: account.counts[name] for name in Outcome._fields if name not in {"ways", "faults"}}
    return Outcome(**counts, ways=dict(account.ways), faults=tuple(account.faults))


def work(piece: Piece) -> dict[str, Any]:
    """One house's outcome."""
    with tempfile.TemporaryDirectory(prefix="tableside-power-") as directory:
        return asyncio.run(house(Path(directory), PER_HOUSE, piece.size // PER_HOUSE, piece.seed))._asdict()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cuts", type=int, default=10_000)
    parser.add_argument("--per-house", type=int, default=1000)
    options(parser)
    given = parser.parse_args()
    began = time.monotonic()
    found = work_off(pieces(given.cuts, given.seed, given.per_house), work, given.jobs, given.file)
    names = [name for name in Outcome._fields if name not in {"ways", "faults"}]
    total = {name: sum(one[name] for one in found) for name in names}
    ways = sum((collections.Counter(one["ways"]) for one in found), collections.Counter[str]())
    faults = [fault for one in found for fault in one["faults"]]
    print(json.dumps(total | {"ways": ways, "faults": faults}))
    print(f"{total['cuts']} cuts, {len(faults)} faults; {time.monotonic() - began:.0f} s in this run")
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
