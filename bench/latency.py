"""Byte in to message out: from a card's last byte at the serial port to its event at a subscriber, in milliseconds.

    .venv/bin/python -m bench.latency --cards 200 --runs 3
    .venv/bin/python -m bench.latency --beside before=/work/another-checkout

Card by card in turn, so that whatever else runs here meets all alike: a bare bridge (``bench.bare_bridge``) to a
Mosquitto, one commit of a card's rows to a SQLite file with ``synchronous = FULL``, and the whole daemon (decode,
stamp, step, commit, publish, while it looks at its readers every 25 ms) at which people play seven boxes. The floor of
a card is the bridge's time and the commit's together; what is printed is the daemon's p50 and p99 to the floor's, of
each run, and their median. Bridge, daemon, and devices with people (``bench.played_table``) are processes of their own;
this one only deals the turns and looks at the clock.

``--beside NAME=FOLDER`` runs the daemon of another checkout in the same turns, ``--second-copy FOLDER`` one that keeps
a second copy of its journal there. ``--realtime`` asks for the scheduler's real-time class (chrt), for a machine that
others use too. Prints one JSON object.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import resource
import select
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import tty
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion

from controller.demo.demo import prepare
from controller.demo.table import SITE, TABLE, DemoOptions
from controller.io.mqtt.broker import mosquitto
from controller.io.mqtt.connection import Broker
from firmware_protocols import discovery
from firmware_protocols.cards import DECK
from simulators.devices.shoe import ShoeSimulator
from simulators.people.rack import Rack

LOOK_MS: Final = 25
WARM_UP_CARDS: Final = 40
"""Until a daemon's write-ahead log is written over, as for nearly all of its life, and grows no more."""
STEADY_COMMITS: Final = 20
"""Commits in a row that leave a log as long as it is."""

PATIENCE_S: Final = 30.0
AGAIN_S: Final = 1.0
ROWS: Final = (b"r" * 600, b"e" * 500, b"e" * 500, b"e" * 500, b"s" * 200)
"""About as many rows and bytes as a card without a round has in a table's journal."""

RUNAWAY_US: Final = 3_000_000
"""Of processor time without a wait, in the real-time class, is a program that spins."""

REALTIME: Final = ("chrt", "-r", "1", "prlimit", f"--rttime={RUNAWAY_US}")

Way = Callable[[], float]
"""Deals a card; the milliseconds it took."""


class Tree(NamedTuple):
    """A daemon to measure: its name, the checkout it is of, and where it keeps a second copy of its journal."""

    name: str
    folder: Path
    copies: Path | None = None


class TimedSubscriber:
    """A subscriber that only measures when messages arrive."""

    def __init__(self, broker: Broker, name: str, topic: str) -> None:
        self._received = 0
        self._client = paho.Client(CallbackAPIVersion.VERSION2, client_id=f"heard-{name}")
        self._client.on_message = self._count
        subscribed: list[object] = []
        self._client.on_subscribe = lambda *_: subscribed.append(None)
        self._client.connect(broker.host, broker.port, keepalive=3600)
        self._client.subscribe(topic, qos=0)
        while not subscribed:
            self._client.loop(timeout=0.1)
        heard: Any = self._client.socket()
        self._poll = select.poll()
        self._poll.register(heard, select.POLLIN)

    def _count(self, *_: object) -> None:
        self._received += 1

    def drain(self) -> None:
        """Pass over what has come."""
        while self._poll.poll(0):
            self._client.loop_read()

    def next_ns(self, patience_s: float) -> int | None:
        """When the bytes of the next message came; None if none did in time."""
        before = self._received
        while self._poll.poll(patience_s * 1000):
            came_ns = time.perf_counter_ns()
            self._client.loop_read()
            if self._received > before:
                return came_ns
        return None


class Line:
    """A shoe's serial line: this end of a pseudo-terminal."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._master, slave = os.openpty()
        tty.setraw(slave)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(os.ttyname(slave))
        self._slave = slave
        self._shoe = ShoeSimulator(discovery.find("shoe", "bee_tek"))

    def deal(self) -> int:
        """A card leaves the shoe; when its bytes were written."""
        data = self._shoe.draw(DECK[0])
        began_ns = time.perf_counter_ns()
        os.write(self._master, data)
        return began_ns


def way_of(line: Line, heard: TimedSubscriber) -> Way:
    """A card's way over a line to a subscriber."""

    def dealt() -> float:
        began_ns = line.deal()
        came_ns = heard.next_ns(PATIENCE_S)
        if came_ns is None:
            sys.exit(f"{line.path}: a card was not published within {PATIENCE_S:g} s")
        return (came_ns - began_ns) / 1e6

    return dealt


class People:
    """The people of a table, asked to draw cards in turn."""

    def __init__(self, path: Path, process: subprocess.Popen[bytes], heard: TimedSubscriber) -> None:
        self._path = path
        self._process = process
        self._heard = heard

    def line(self) -> str:
        """What they say next."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().decode().strip()

    def expect(self, word: str) -> None:
        """Wait until they say ``word``."""
        line = self.line()
        if line != word:
            sys.exit(f"{self._path}: said {line!r} where {word!r} was expected; see the logs beside it")

    def card(self) -> float:
        """A card's way from the shoe to a subscriber."""
        self.expect("turn")
        self._heard.drain()
        assert self._process.stdin is not None
        self._process.stdin.write(b"go\n")
        self._process.stdin.flush()
        came_ns = self._heard.next_ns(PATIENCE_S)
        if came_ns is None:
            sys.exit(f"{self._path}: a card was not published within {PATIENCE_S:g} s")
        return (came_ns - int(self.line())) / 1e6


def warm(line: Line, heard: TimedSubscriber) -> None:
    """Deal until a card is published: nobody can tell from a shoe's end of the line whether somebody listens to it."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        line.deal()
        if heard.next_ns(AGAIN_S) is not None:
            return
    sys.exit(f"{line.path}: no card was published within {PATIENCE_S:g} s")


@contextlib.contextmanager
def commits(directory: Path) -> Iterator[Way]:
    """One commit of a card's rows, synced, as a journal's writer does it."""
    connection = sqlite3.connect(directory / "bare.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, body BLOB NOT NULL)")

    def commit() -> float:
        began_ns = time.perf_counter_ns()
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO rows (body) VALUES (?)", [(row,) for row in ROWS])
        connection.execute("COMMIT")
        return (time.perf_counter_ns() - began_ns) / 1e6

    with contextlib.closing(connection):
        grow_log(directory / "bare.sqlite-wal", commit)
        yield commit


def grow_log(log: Path, commit: Way) -> None:
    """Commit until the write-ahead log has been folded into the file: from then on it is written over."""
    size, same = 0, 0
    while same < STEADY_COMMITS:
        commit()
        before, size = size, log.stat().st_size
        same = same + 1 if size == before else 0


class Machine(NamedTuple):
    """What the ways of a run share."""

    broker: Broker
    directory: Path
    before: tuple[str, ...]
    """What is put before each command."""


@contextlib.contextmanager
def process(machine: Machine, log: str, *command: str, folder: Path | None = None) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that is asked to end at the end; ``folder``: the checkout it is of, ours if None.

    It has a process group of its own, for a terminal's signals, but no session: where the kernel weighs sessions
    (``sched_autogroup_enabled``), the place that a program is given behind others holds only within its session.
    """
    environment = {**os.environ, "PYTHONPATH": str(folder or Path.cwd())}
    whole = (*machine.before, sys.executable, *command)
    with (machine.directory / log).open("wb") as output:
        started = subprocess.Popen(
            whole,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=output,
            env=environment,
            cwd=folder,
            process_group=0,
        )
    try:
        yield started
    finally:
        started.terminate()
        started.communicate()


@contextlib.contextmanager
def bridge(machine: Machine) -> Iterator[Way]:
    """The bare bridge."""
    line = Line(machine.directory / "bridge")
    heard = TimedSubscriber(machine.broker, "bridge", "bridge/card")
    command = ("-m", "bench.bare_bridge", str(line.path), str(machine.broker.port), "bridge/card")
    with process(machine, "bridge.log", *command):
        warm(line, heard)
        yield way_of(line, heard)


@contextlib.contextmanager
def daemon(machine: Machine, tree: Tree, boxes: int, seed: int) -> Iterator[Way]:
    """A whole daemon, with people at its table."""
    if tree.copies is None:
        with daemon_of(machine, tree, boxes, seed, "") as way:
            yield way
        return
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(dir=tree.copies))
        yield stack.enter_context(daemon_of(machine, tree, boxes, seed, f'second_copy = "{folder}"\n'))


@contextlib.contextmanager
def daemon_of(machine: Machine, tree: Tree, boxes: int, seed: int, settings: str) -> Iterator[Way]:
    """A daemon whose table file has more ``settings`` of its table."""
    path, broker = machine.directory / tree.name, machine.broker
    wanted = DemoOptions(path, None, seed=seed, speed=1.0, boxes=(boxes, boxes), keypad=True, broker=broker)
    path.mkdir()
    prepare(path, Rack(), broker, wanted)
    file, ports = path / "table.toml", path / "ports"
    text = file.read_text().replace(f'name = "{TABLE}"', f'name = "{tree.name}"')
    text = text.replace("gap_ms = 1", f"gap_ms = {LOOK_MS}").replace("[table]\n", f"[table]\n{settings}", 1)
    file.write_text(text)
    heard = TimedSubscriber(broker, tree.name, f"tableside/v1/{SITE}/{tree.name}/event/card_drawn")
    play = ("-m", "bench.played_table", str(ports), str(boxes), str(seed))
    with process(machine, f"{tree.name}-people.log", *play) as played:
        people = People(path, played, heard)
        people.expect("open")
        run = ("-m", "controller", "run", str(file), "--log-format", "json")
        with process(machine, f"{tree.name}.log", *run, folder=tree.folder):
            people.expect("ready")
            yield people.card


async def one_run(trees: tuple[Tree, ...], given: argparse.Namespace, seed: int) -> dict[str, list[float]]:
    """The milliseconds of each card on each way, dealt in turn."""
    before = REALTIME if given.realtime else ()
    async with mosquitto() as broker:
        with tempfile.TemporaryDirectory(prefix="tableside-latency-") as directory, contextlib.ExitStack() as stack:
            machine = Machine(broker, Path(directory), before)
            ways = {"bridge": stack.enter_context(bridge(machine))}
            ways["commit"] = stack.enter_context(commits(machine.directory))
            for tree in trees:
                ways[tree.name] = stack.enter_context(daemon(machine, tree, given.boxes, seed))
            # The commit of the floor is this process's own, and may no more be kept waiting than a daemon's.
            stack.enter_context(realtime() if given.realtime else contextlib.nullcontext())
            # Nothing else is to run in this process meanwhile.
            return dealt_in_turn(ways, given.cards, given.gap_ms)


@contextlib.contextmanager
def realtime() -> Iterator[None]:
    """This process in the real-time class, as what ``REALTIME`` is put before; killed if it spins."""
    resource.setrlimit(resource.RLIMIT_RTTIME, (RUNAWAY_US, RUNAWAY_US))
    os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1))
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def dealt_in_turn(ways: dict[str, Way], cards: int, gap_ms: float) -> dict[str, list[float]]:
    """The milliseconds of each card on each way, the first few left out."""
    taken: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(-WARM_UP_CARDS, cards):
        for name, way in ways.items():
            spent = way()
            if number >= 0:
                taken[name].append(spent)
            time.sleep(gap_ms / 1000)
    return taken


def percentiles(taken: list[float]) -> dict[str, float]:
    """Median, 99th percentile and worst, in milliseconds."""
    return {
        "median_ms": round(statistics.median(taken), 3),
        "p99_ms": round(percentile(taken), 3),
        "worst_ms": round(max(taken), 3),
    }


def percentile(taken: list[float], share: float = 0.99) -> float:
    """The value below which so much of a sample lies."""
    return sorted(taken)[int(len(taken) * share)]


def ratios(taken: list[float], floor: list[float]) -> dict[str, float]:
    """Median and 99th percentile to those of the floor."""
    return {
        "p50": round(statistics.median(taken) / statistics.median(floor), 2),
        "p99": round(percentile(taken) / percentile(floor), 2),
    }


def compared(runs: list[dict[str, list[float]]], names: list[str]) -> dict[str, object]:
    """The figures of all runs, and each daemon to the floor: in each run, and the median of the runs."""
    floors = [[sum(pair) for pair in zip(one["bridge"], one["commit"], strict=True)] for one in runs]
    found: dict[str, object] = {
        "runs": len(runs),
        "bare_bridge": percentiles([spent for one in runs for spent in one["bridge"]]),
        "bare_commit": percentiles([spent for one in runs for spent in one["commit"]]),
        "floor": percentiles([spent for one in floors for spent in one]),
    }
    for name in names:
        each = [ratios(one[name], floor) for one, floor in zip(runs, floors, strict=True)]
        found[name] = {
            **percentiles([spent for one in runs for spent in one[name]]),
            "to_floor_p50": round(statistics.median(one["p50"] for one in each), 2),
            "to_floor_p99": round(statistics.median(one["p99"] for one in each), 2),
            "of_runs": each,
        }
    return found


async def run(given: argparse.Namespace) -> dict[str, object]:
    """Measure what was asked for."""
    trees = [Tree(name, Path(folder)) for name, _, folder in (one.partition("=") for one in given.beside)]
    trees.append(Tree("daemon", Path.cwd()))
    if given.second_copy is not None:
        trees.append(Tree("copied", Path.cwd(), given.second_copy))
    runs = [await one_run(tuple(trees), given, seed) for seed in range(1, given.runs + 1)]
    return {"cards": given.cards, **compared(runs, [tree.name for tree in trees])}


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=100)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--boxes", type=int, default=7)
    parser.add_argument("--gap-ms", type=float, default=40.0, help="between two cards")
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=FOLDER", help="another checkout")
    parser.add_argument("--second-copy", type=Path, help="a folder on another device")
    parser.add_argument("--realtime", action="store_true")
    print(json.dumps(asyncio.run(run(parser.parse_args())), indent=1))


if __name__ == "__main__":
    main()
