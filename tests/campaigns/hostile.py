"""Hostile requests to every program and every role while people play: nothing ends, nothing grows, no card comes late.

    python -m tests.campaigns.hostile --requests 1000000 --seed 1

Of the requests one in a hundred goes over the wire to real processes: a table's daemon, over MQTT and on the operator
channel's socket of each role; a pool's link, with a table's own key; ``watch`` and ``watch --durable``, in the table's
name. The rest goes to the same readers in this process, found by the code itself. Before the attack people play in
peace, which is what it is compared with. Beside the requests over the wire come connections that say what no library
would (``raw_lines``), at the operator channel's sockets and its port, the link's port, and the servers of pages and of
figures: greetings cut short, messages that never end, other protocols, half requests, forty at once at each door.
"""

from __future__ import annotations

import argparse
import asyncio
import collections
import contextlib
import json
import random
import sys
import tempfile
import time
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import msgspec

from controller.core.messages.events import CardDrawn
from controller.formats.mqtt.envelope import PayloadRefused
from controller.formats.text.safe_parse import READERS
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.broker import find_mosquitto, free_port, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from firmware_protocols.cards import Card
from tests.campaigns.attack import CONSUMER, Plan, hostile
from tests.formats.outside import put
from tests.io.virtual_time import passes
from tests.link.premises import Premises as LinkPremises
from tests.wiring.premises import PATIENCE_S, TOPICS, Bench, Ear, Message, Premises, program, scripted
from tests.wiring.test_operator import made

WIRE_SHARE: Final = 100
"""One request in so many goes over the wire."""

GROWTH_BYTES: Final = 20 * 1024 * 1024
"""What a process may hold more than in peace."""

LATE_SECONDS: Final = 0.25
"""From the moment a card leaves the shoe to the moment a consumer has it."""

MESSAGES_LIMIT: Final = 1000
"""Other messages that are kept: the attack's own replies come by the thousand."""


AFTER_S: Final = 5.0
LACKS_BYTES: Final = 20_000
"""After so many seconds a durable consumer lacks at most so much of a table that goes on."""


class Found(NamedTuple):
    """What came of it."""

    in_process: int
    over_wire: int
    ways: dict[str, int]
    cards: int
    latest_s: float
    latest_calm_s: float
    growth_bytes: dict[str, int]
    faults: tuple[str, ...]


class TimedBench(Bench):
    """Notes when each card left the shoe."""

    def __init__(self, *args: Any, **keywords: Any) -> None:
        super().__init__(*args, **keywords)
        self.drawn: list[float] = []
        """The moments, in order."""

    def draw(self, card: Card, *, burn: bool = False) -> None:
        self.drawn.append(time.monotonic())
        super().draw(card, burn=burn)


class TimedEar(Ear):
    """Notes when each card was published."""

    def __init__(self, *topics: str) -> None:
        super().__init__(*topics)
        self.cards: list[float] = []
        self.status = b""
        """The table's, as last heard."""

    def hear(self, message: Message) -> None:
        if message.topic == TOPICS.status:
            self.status = message.payload
        if "/event/" in message.topic:
            before = len(self.published)
            # What the attack publishes in the table's name is no event.
            with contextlib.suppress(PayloadRefused):
                super().hear(message)
            self.cards += [time.monotonic() for one in self.published[before:] if isinstance(one.event, CardDrawn)]
        elif len(self.messages) < MESSAGES_LIMIT:
            super().hear(message)


class Besieged(Premises):
    """A table with an operator channel for all roles and a consumer, whose cards are timed."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        self.operator_port = free_port()
        made(directory, "operator")
        person = f"[[operator]]\nname = 'M. Okafor'\nroles = ['floor']\nkeys = ['{made(directory, 'okafor')}']\n"
        (directory / "operators.toml").write_text(person, encoding="utf-8")
        super().__init__(directory, broker, ear)
        self.timed = TimedBench(directory / "ports", patience_s=PATIENCE_S, **self.devices())
        self.bench = self.timed

    def table_text(self) -> str:
        keys = f'listen = "127.0.0.1:{self.operator_port}"\nkey_file = "operator.key"\noperators = "operators.toml"\n'
        text = super().table_text().replace("[shoe]", f'[operator]\ndirectory = "."\n{keys}\n[shoe]')
        port = f"port = {self.broker.port}\n"
        return text.replace(port, f'{port}consumers = ["{CONSUMER}"]\n', 1)


def resident_bytes(process: int) -> int:
    """What a process holds in memory."""
    for line in Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return 1024 * int(line.split()[1])
    return 0


class Watch:
    """What each process holds at most, and whether it is still there."""

    def __init__(self, processes: dict[str, Process]) -> None:
        self.processes = processes
        self.most: collections.Counter[str] = collections.Counter()

    async def look(self) -> None:
        """Look twice a second, until cancelled."""
        pause = asyncio.Event()
        while True:
            for name, process in self.processes.items():
                if process.returncode is None:
                    with contextlib.suppress(OSError):
                        self.most[name] = max(self.most[name], resident_bytes(process.pid))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(pause.wait(), 0.5)

    def ended(self) -> Iterator[str]:
        """Every process that has ended."""
        for name, process in self.processes.items():
            if process.returncode is not None:
                yield f"{name} ended with status {process.returncode}"


async def plays(house: Besieged, rounds: list[list[Any]], until: asyncio.Event) -> None:
    """People play, the whole of the rounds at least once, until asked to stop after a round."""
    for acts in rounds:
        await house.perform(acts)
        if until.is_set():
            return


def latest(house: Besieged, ear: TimedEar, first: int) -> float:
    """The longest time from a card, of those from ``first`` on, to its being published."""
    pairs = list(zip(house.timed.drawn, ear.cards, strict=False))[first:]
    return max((published - drawn for drawn, published in pairs), default=0.0)


async def besiege(directory: Path, requests: int, seed: int) -> tuple[collections.Counter[str], dict[str, Any]]:
    """The part over the wire."""
    mosquitto = find_mosquitto()
    assert mosquitto is not None, "Mosquitto is not installed"
    process, port = await start_mosquitto(mosquitto, directory, {}, None)
    broker = Broker("127.0.0.1", port)
    ear = TimedEar(f"{TOPICS.root}/event/#", TOPICS.status)
    link = linked(directory / "link")
    house = Besieged(directory, broker, ear)
    try:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(ear.listening(broker))
            await stack.enter_async_context(house.bench)
            stack.push_async_callback(house.stop)
            await house.start()
            assert house.process is not None
            kept = directory / "events.jsonl"
            ports = {"operator": house.operator_port, "metrics": free_port(), "web": free_port(), "link": link.port}
            processes = {"daemon": house.process}
            for name, words in beside_it(port, ports, link, kept).items():
                processes[name] = await stack.enter_async_context(beside(directory / f"{name}.log", *words))
            rounds = scripted(house.rack, seed, 400)
            calm = Watch(processes)
            calmly = stack_task(stack, calm.look())
            for acts in rounds[:5]:
                await house.perform(acts)
            await house.until_published()
            calmly.cancel()
            first = len(ear.cards)
            calm_s = latest(house, ear, 0)
            watch = Watch(processes)
            stack_task(stack, watch.look())
            over = asyncio.Event()
            epoch = ear.published[-1].identity.epoch
            plan = Plan(requests, seed, epoch, port, str(directory), link.port, *keys_of(link), ports)
            people = asyncio.create_task(plays(house, rounds[5:], over))
            sent = await attacked(plan)
            over.set()
            await people
            daemon = processes["daemon"]
            await ear.until(lambda: len(ear.cards) >= len(house.timed.drawn) or daemon.returncode is not None)
            growth = {name: watch.most[name] - calm.most[name] for name in processes}
            faults = [*watch.ended(), *[one async for one in differences(house, ear, kept)]]
            return sent, {
                "cards": len(ear.cards) - first,
                "latest_s": latest(house, ear, first),
                "latest_calm_s": calm_s,
                "growth_bytes": growth,
                "faults": faults,
            }
    finally:
        await stop(process)


def beside_it(port: int, ports: dict[str, int], link: LinkPremises, kept: Path) -> dict[str, tuple[str, ...]]:
    """The programs that run beside a table, as they are called."""
    at_broker = ("--broker", f"127.0.0.1:{port}")
    return {
        "link": ("link", "run", str(link.file)),
        "watch": ("watch", *at_broker),
        "durable": ("watch", *at_broker, "--durable", str(kept), "harbour/bj-1"),
        "metrics": ("metrics", *at_broker, "--listen", f"127.0.0.1:{ports['metrics']}"),
        "web": ("web", *at_broker, "--listen", f"127.0.0.1:{ports['web']}"),
    }


async def differences(house: Besieged, ear: TimedEar, kept: Path) -> AsyncIterator[str]:
    """What is wrong with what others have of the table, after somebody has spoken in its name and in theirs."""
    await passes(AFTER_S)
    if b'"online"' not in ear.status:
        yield f"the retained status is {ear.status[:200]!r}"
    with JournalReader(house.journal) as reader:
        wanted = b"".join(row.body + b"\n" for row in reader.events())
    has = content(kept)
    if not wanted.startswith(has) or len(wanted) - len(has) > LACKS_BYTES:
        yield f"the consumer's file is not what the journal has: {len(has)} of {len(wanted)} bytes"


def content(path: Path) -> bytes:
    """What is in a file; nothing, where there is none."""
    return path.read_bytes() if path.exists() else b""


def linked(folder: Path) -> LinkPremises:
    """A pool whose ledger has been begun."""
    folder.mkdir()
    link = LinkPremises(folder, 1)
    assert link.does("begin", "--who", "Ann", "--second", "Ben").exit_code == 0
    return link


def keys_of(link: LinkPremises) -> tuple[str, tuple[str, str]]:
    """The link's public key, and both of a table's."""
    public, secret = link.tables["harbour/bj-1"]
    return link.public.decode(), (public.decode(), secret.decode())


async def attacked(plan: Plan) -> collections.Counter[str]:
    """What an attack sent, by way, when it has ended."""
    words = (sys.executable, "-m", "tests.campaigns.attack")
    process = await asyncio.create_subprocess_exec(*words, stdin=PIPE, stdout=PIPE)
    counts, _ = await process.communicate(msgspec.json.encode(plan))
    assert process.returncode == 0, f"the attack ended with status {process.returncode}"
    return collections.Counter(json.loads(counts))


def stack_task(stack: contextlib.AsyncExitStack, work: Any) -> asyncio.Task[None]:
    """A task that ends with the stack."""
    task: asyncio.Task[None] = asyncio.ensure_future(work)
    stack.callback(task.cancel)
    return task


@contextlib.asynccontextmanager
async def beside(log: Path, *words: str) -> AsyncIterator[Process]:
    """A program that runs beside the table, to be ended at the end."""
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*program(*words), stdout=output, stderr=output)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()


def in_process(requests: int, seed: int) -> collections.Counter[str]:
    """The part in this process: every reader in turn; whatever is neither answer nor refusal raises."""
    chance = random.Random(seed)
    done: collections.Counter[str] = collections.Counter()
    names = sorted(READERS)
    while done.total() < requests:
        for name in names:
            done[name] += put(name, hostile(chance))
    return done


async def campaign(requests: int, seed: int, directory: Path) -> Found:
    """Send them all."""
    over_wire = max(1, requests // WIRE_SHARE)
    sent, found = await besiege(directory, over_wire, seed)
    done = in_process(requests - over_wire, seed)
    faults = found["faults"]
    faults += [
        f"{name} holds {grown} bytes more" for name, grown in found["growth_bytes"].items() if grown > GROWTH_BYTES
    ]
    if found["latest_s"] > LATE_SECONDS:
        faults.append(f"a card came {found['latest_s']:.3f} s late")
    return Found(
        in_process=done.total(),
        over_wire=sent.total(),
        ways=dict(sorted((sent + done).items())),
        cards=found["cards"],
        latest_s=found["latest_s"],
        latest_calm_s=found["latest_calm_s"],
        growth_bytes=found["growth_bytes"],
        faults=tuple(faults),
    )


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--requests", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        found = asyncio.run(campaign(given.requests, given.seed, Path(folder)))
    sys.stdout.write(json.dumps(found._asdict(), indent=1) + "\n")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
