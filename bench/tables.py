"""Tables on one machine: what each daemon takes of processor and memory in play, and what that does to a card.

    .venv/bin/python -m bench.tables --tables 1 4 8 --seconds 30

Each table is a real daemon with a journal of its own; simulated devices and people are in a process of their own, at
the pace of people (a card in 0.6 s). The readers are looked at every 25 ms, as fast as a bus at 38,400 baud allows. All
publish to one Mosquitto. While they play ``bench.latency`` runs one table more beside them: a card's way from its last
byte to a subscriber. Processor time and memory are the daemons' alone, not of what simulates their devices; both share
the machine's processors, so the card's way is longer here than on a machine that only runs tables. Prints a JSON
object for each number of tables.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from controller.demo.demo import daemon, prepare
from controller.demo.table import TABLE, DemoOptions, devices, script, sevens_meter
from controller.io.mqtt.broker import mosquitto
from controller.io.mqtt.connection import Broker
from simulators.people.performance import perform
from simulators.people.rack import Rack
from simulators.serve import Station

LOOK_MS: Final = 25
WARM_UP_S: Final = 5.0
TICKS: Final = os.sysconf("SC_CLK_TCK")


async def one_table(number: int, broker: Broker, directory: Path) -> None:
    """A table where people play until the process is stopped; says its daemon's process number once it serves."""
    wanted = DemoOptions(directory, None, seed=number, speed=1.0, boxes=(1, 7), keypad=True, broker=broker)
    rack = Rack()
    prepare(directory, rack, broker, wanted)
    file = directory / "table.toml"
    text = file.read_text(encoding="utf-8").replace(f'name = "{TABLE}"', f'name = "bench-{number}"')
    file.write_text(text.replace("gap_ms = 1", f"gap_ms = {LOOK_MS}"), encoding="utf-8")
    async with Station(directory / "ports", **devices()) as station, daemon(directory) as process:
        if not await station.ready(looks=3):
            sys.exit(f"table {number} does not serve its devices; see {directory / 'daemon.log'}")
        print(process.pid, flush=True)
        await perform(script(wanted, rack, sevens_meter()), station, 1.0, sleep=asyncio.sleep, on_round=lambda _: None)


@contextlib.asynccontextmanager
async def tables(count: int, broker: Broker, directory: Path) -> AsyncIterator[list[int]]:
    """So many tables at play; the process numbers of their daemons."""
    async with contextlib.AsyncExitStack() as stack:
        people = []
        for number in range(1, count + 1):
            command = [sys.executable, "-m", "bench.tables", "--play", str(number)]
            command += ["--port", str(broker.port), "--directory", str(directory / str(number))]
            process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
            stack.push_async_callback(ended, process)
            people.append(process)
        pids = []
        for process in people:
            assert process.stdout is not None
            line = await process.stdout.readline()
            if not line:
                sys.exit("a table ended before it served its devices")
            pids.append(int(line))
        await asyncio.sleep(WARM_UP_S)
        yield pids


async def ended(process: asyncio.subprocess.Process) -> None:
    """Stop a table; its daemon is stopped in good order first."""
    if process.returncode is None:
        process.terminate()
    await process.wait()


def busy_s(pid: int) -> float:
    """Processor time of a process, in seconds (proc(5): utime and stime)."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def own_mb(pid: int) -> float:
    """Memory that is this process's alone, and its share of what is shared, in megabytes (proc(5): Pss)."""
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(f"process {pid} does not tell its memory")


async def latency(cards: int) -> dict[str, dict[str, float]]:
    """``bench.latency`` beside the tables."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "bench.latency", "--runs", "1", "--cards", str(cards)), stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    found: dict[str, dict[str, float]] = json.loads(output)
    return found


async def measured(count: int, seconds: float, cards: int) -> dict[str, object]:
    """One number of tables."""
    with tempfile.TemporaryDirectory(prefix="tableside-tables-") as directory:
        async with mosquitto() as broker, tables(count, broker, Path(directory)) as pids:
            began, before = time.monotonic(), [busy_s(pid) for pid in pids]
            await asyncio.sleep(seconds)
            spent = time.monotonic() - began
            shares = [(busy_s(pid) - was) / spent for pid, was in zip(pids, before, strict=True)]
            memory = [own_mb(pid) for pid in pids]
            found = await latency(cards)
    return {
        "tables": count,
        "processor_share_each": round(statistics.mean(shares), 4),
        "processor_share_all": round(sum(shares), 3),
        "memory_mb_each": round(statistics.mean(memory), 1),
        "card": found["daemon"],
        "bare_bridge": found["bare_bridge"],
    }


async def run(given: argparse.Namespace) -> None:
    if given.play:
        playing = asyncio.ensure_future(
            one_table(given.play, Broker(host="127.0.0.1", port=given.port), given.directory)
        )
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, playing.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await playing
        return
    for count in given.tables:
        print(json.dumps(await measured(count, given.seconds, given.cards)), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 4, 8, 16])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--cards", type=int, default=200)
    parser.add_argument("--play", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--port", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--directory", type=Path, help=argparse.SUPPRESS)
    asyncio.run(run(parser.parse_args()))
