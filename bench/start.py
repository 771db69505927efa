"""How long a start takes with a long journal: from the program's call to its ``online`` at the broker.

    .venv/bin/python -m bench.start --events 5000000        # four gigabytes and some minutes to write them

A table begins its journal and stops. The journal is then filled with the records of played rounds, written again under
new numbers and chained and sealed as a daemon does, and ends with a true reading and its checkpoint. The first start
after that finds nothing in memory (the kernel is asked to forget the file); the later ones do. Beside them, in turn,
a table whose journal is new starts as well. Prints one JSON object: seconds, and the size of the journal.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from bench.latency import REALTIME
from bench.replay import RecordingRig, recorded
from controller.core.messages.inputs import DeadlinePassed
from controller.core.step import step
from controller.core.table.state import Table
from controller.daemon.recovery import recover
from controller.demo.demo import prepare
from controller.demo.table import SITE, TABLE, DemoOptions
from controller.formats.journal.records import chain, seal, seal_checkpoint, stamp
from controller.formats.replay import payloads, state_bytes
from controller.io.files.key_file import read_key
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.mqtt.broker import mosquitto
from controller.io.mqtt.connection import Broker, connected
from simulators.people.rack import Rack

TOGETHER: Final = 2_000
PATIENCE_S: Final = 120.0


@contextlib.asynccontextmanager
async def started(directory: Path, broker: Broker, before: tuple[str, ...]) -> AsyncIterator[float]:
    """A daemon of the table there; the seconds until it said that it is online.

    ``before`` is put before its command.
    """
    async with connected(broker, broker.protocols()[0], "") as client:
        await client.subscribe(f"tableside/v1/{SITE}/{TABLE}/status", qos=1)
        began = time.monotonic()
        log = (directory / "daemon.log").open("ab")
        command = (
            *before,
            sys.executable,
            "-m",
            "controller",
            "run",
            str(directory / "table.toml"),
            "--log-format",
            "json",
        )
        # As where it is installed, its modules are left compiled.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        process = await asyncio.create_subprocess_exec(*command, stdout=log, stderr=log, env=environment)
        try:
            async with asyncio.timeout(PATIENCE_S):
                async for message in client.messages:
                    if not message.retain and b"online" in bytes(message.payload):
                        break
            yield time.monotonic() - began
        finally:
            process.send_signal(signal.SIGTERM)
            await process.wait()
            log.close()


async def seconds(directory: Path, broker: Broker, before: tuple[str, ...]) -> float:
    """How long a start took."""
    async with started(directory, broker, before) as taken:
        return taken


def renumbered(rig: RecordingRig, number: int, seq: int, events: int) -> Iterator[JournalEntry]:
    """So many events, with the records that gave them, under the numbers that follow these."""
    for entry in itertools.cycle(rig.entries[1:]):
        if events <= 0:
            return
        events -= len(entry.events)
        number += 1
        bodies = tuple(body for _, body in entry.events)
        yield JournalEntry(number, entry.body, tuple(enumerate(bodies, start=seq + 1)), None)
        seq += len(bodies)


async def fill(directory: Path, rig: RecordingRig, events: int) -> None:
    """Fill the journal there, all of it published, and end it with a reading and a checkpoint that are true."""
    path, key = directory / "journal.sqlite", read_key(directory / "table.key")
    found = recover(path, key)
    assert found.table is not None
    assert not found.hold
    table = found.table
    journal = await Journal.open(path, None, key=key)
    here = journal.identity
    filling = renumbered(rig, table.state.number, table.state.seq, events)
    while together := tuple(itertools.islice(filling, TOGETHER)):
        await journal.commit(together)
        head = journal.head
    table = Table(table.house, replace(table.state, number=head.number, seq=head.seq), table.lattice)
    wall_ns = found.last_wall_ns + 1
    now_ns = time.monotonic_ns()
    last = stamp(DeadlinePassed(now_ns), here, head.number + 1, at_ns=now_ns, wall_ns=wall_ns, nonce=bytes(32))
    stepped = step(table, last)
    bodies, body = payloads(stepped.events, here, head.seq, wall_ns), seal(last, key, here)
    hashed = chain(head.hash, last.number, body, bodies)
    kept = seal_checkpoint(state_bytes(stepped.table.state), key, last.number, hashed)
    await journal.commit((JournalEntry(last.number, body, tuple(enumerate(bodies, start=head.seq + 1)), kept),))
    await journal.mark_published(journal.head.seq)
    await journal.close()


async def measured(given: argparse.Namespace) -> dict[str, object]:
    """The starts of a table with a long journal and of one with a new journal, in turn."""
    rig, before = recorded(given.rounds, (7, 7), "always", 1), REALTIME if given.realtime else ()
    with tempfile.TemporaryDirectory(prefix="tableside-start-", dir=given.directory) as folder:
        async with mosquitto() as broker:
            long, new = Path(folder) / "long", Path(folder) / "new"
            for directory in (long, new):
                directory.mkdir()
                wanted = DemoOptions(directory, None, seed=1, speed=1.0, boxes=(7, 7), keypad=True, broker=broker)
                prepare(directory, Rack(), broker, wanted)
                await seconds(directory, broker, before)
            began = time.monotonic()
            await fill(long, rig, given.events)
            filled_s = time.monotonic() - began
            journal = long / "journal.sqlite"
            with journal.open("rb") as file:
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            first = await seconds(long, broker, before)
            beside = [
                (await seconds(long, broker, before), await seconds(new, broker, before)) for _ in range(given.starts)
            ]
            later, fresh = (statistics.median(one) for one in zip(*beside, strict=True))
            return {
                "events": given.events,
                "journal_mb": journal.stat().st_size // 1_000_000,
                "filled_s": round(filled_s),
                "first_s": round(first, 2),
                "later_s": round(later, 2),
                "new_journal_s": round(fresh, 2),
                "later_to_new": round(later / fresh, 2),
            }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=5_000_000)
    parser.add_argument("--rounds", type=int, default=40, help="played rounds whose records are written again")
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--realtime", action="store_true", help="ask for the scheduler's real-time class (chrt)")
    parser.add_argument("--directory", type=Path, help="where the journals are written; default: the temporary folder")
    print(json.dumps(asyncio.run(measured(parser.parse_args()))))
