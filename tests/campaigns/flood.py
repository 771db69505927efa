"""A flood of commands while people play: every card is published in time, and the daemon does not grow.

    python -m tests.campaigns.flood --per-second 5000 --seconds 10

A process of its own sends commands of 2 kB to a real broker, and another on the floor's socket of the operator channel,
as fast as asked; a real table's daemon plays rounds before, to compare with, and meanwhile.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import sqlite3
import sys
import tempfile
import threading
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import paho.mqtt.client as paho
import zmq
from paho.mqtt.enums import CallbackAPIVersion

from controller.core.messages.alerts import DeviceAlarm
from controller.formats.orders.operators import PROTOCOL
from controller.io.mqtt.broker import find_mosquitto, start_mosquitto, stop
from controller.io.mqtt.connection import Broker
from tests.campaigns.hostile import (
    GROWTH_BYTES,
    LATE_SECONDS,
    Besieged,
    TimedEar,
    Watch,
    latest,
    plays,
    stack_task,
)
from tests.wiring.premises import TOPICS, scripted

BODY: Final = json.dumps({"question": 999, "answer": "no", "who": "x", "transaction": "y" * 1900}).encode()
CALM_ROUNDS: Final = 5
VERB: Final = "answer"


class Found(NamedTuple):
    """What came of it."""

    sent: int
    seconds: float
    cards: int
    latest_s: float
    latest_calm_s: float
    growth_bytes: dict[str, int]
    journal_bytes: int
    alarms: tuple[str, ...]
    faults: tuple[str, ...]


class Flooded(Besieged):
    """A table that takes orders over MQTT too."""

    def table_text(self) -> str:
        return super().table_text().replace('directory = "."', 'directory = "."\nmqtt = true')


def paced(per_second: int, seconds: float) -> Any:
    """Numbers, so many a second, as far as this machine can."""
    begun, pause = time.monotonic(), threading.Event()
    count = 0
    while (passed := time.monotonic() - begun) < seconds:
        due = int(per_second * passed)
        while count < due:
            count += 1
            yield count
        pause.wait(0.001)


def flood_mqtt(port: int, per_second: int, seconds: float, qos: int) -> int:
    """Send commands to a broker; how many."""
    client = paho.Client(CallbackAPIVersion.VERSION2, protocol=paho.MQTTv5)
    client.max_inflight_messages_set(20)
    client.connect("127.0.0.1", port)
    client.loop_start()
    sent = 0
    for _ in paced(per_second, seconds):
        # No more is kept here than the broker takes.
        if qos == 0 or len(client._out_messages) < 1000:
            client.publish(f"{TOPICS.root}/cmd/{VERB}", BODY, qos)
            sent += 1
    client.loop_stop()
    return sent


def flood_socket(path: str, per_second: int, seconds: float) -> int:
    """Send requests on a role's socket; how many were taken."""
    sent = 0
    with zmq.Context() as context, context.socket(zmq.DEALER) as socket:
        socket.set(zmq.LINGER, 0)
        socket.connect(f"ipc://{path}")
        for _ in paced(per_second, seconds):
            with contextlib.suppress(zmq.Again):
                frames = [PROTOCOL, f"{TOPICS.site}/{TOPICS.table}".encode(), VERB.encode(), BODY]
                socket.send_multipart(frames, flags=zmq.DONTWAIT)
                sent += 1
    return sent


@contextlib.asynccontextmanager
async def flooder(*words: str) -> AsyncIterator[Process]:
    """This program as a process that floods."""
    command = (sys.executable, "-m", "tests.campaigns.flood", *words)
    process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def campaign(way: str, per_second: int, seconds: float, directory: Path, seed: int) -> Found:
    """Play, flood, and look."""
    mosquitto = find_mosquitto()
    assert mosquitto is not None, "Mosquitto is not installed"
    server, port = await start_mosquitto(mosquitto, directory, {}, None)
    # A consumer of events: one that subscribes to everything has the flood to read too.
    ear = TimedEar(f"{TOPICS.root}/event/#")
    house = Flooded(directory, Broker("127.0.0.1", port), ear)
    try:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(ear.listening(house.broker))
            await stack.enter_async_context(house.bench)
            stack.push_async_callback(house.stop)
            await house.start()
            assert house.process is not None
            processes = {"daemon": house.process, "mosquitto": server}
            rounds = scripted(house.rack, seed, 400)
            calm = Watch(processes)
            calmly = stack_task(stack, calm.look())
            for acts in rounds[:CALM_ROUNDS]:
                await house.perform(acts)
            await house.until_published()
            calmly.cancel()
            first, calm_s, before = len(ear.cards), latest(house, ear, 0), journal_bytes(house)
            watch, over = Watch(processes), asyncio.Event()
            stack_task(stack, watch.look())
            people = asyncio.create_task(plays(house, rounds[CALM_ROUNDS:], over))
            target = str(directory / "floor" / "socket") if way == "socket" else str(port)
            words = ("--flood", way, "--target", target, "--per-second", str(per_second), "--seconds", str(seconds))
            flooding = await stack.enter_async_context(flooder(*words))
            output, _ = await flooding.communicate()
            over.set()
            await people
            daemon = house.process
            await ear.until(lambda: len(ear.cards) >= len(house.timed.drawn) or daemon.returncode is not None)
            growth = {name: watch.most[name] - calm.most[name] for name in processes}
            late_s = latest(house, ear, first)
            faults = [*watch.ended()]
            if late_s > LATE_SECONDS:
                faults.append(f"a card came {late_s:.3f} s late")
            if growth["daemon"] > GROWTH_BYTES:
                faults.append(f"the daemon holds {growth['daemon']} bytes more")
            alarms = [one.event for one in ear.published if isinstance(one.event, DeviceAlarm)]
            texts = tuple(one.text for one in alarms if one.device == "requests")
            if len(texts) != 1:
                faults.append(f"{len(texts)} alarms of the flood, expected one")
            cards, grown = len(ear.cards) - first, journal_bytes(house) - before
            return Found(int(output), seconds, cards, late_s, calm_s, growth, grown, texts, tuple(faults))
    finally:
        await stop(server)


def journal_bytes(house: Besieged) -> int:
    """What the journal's records and events hold."""
    with contextlib.closing(sqlite3.connect(f"file:{house.journal}?mode=ro", uri=True)) as reader:
        found = [reader.execute(f"SELECT coalesce(sum(length(body)), 0) FROM {name}") for name in ("records", "events")]
        return sum(one.fetchone()[0] for one in found)


def main() -> int:
    """See the module."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--way", choices=("qos0", "qos1", "socket"), default="qos0")
    parser.add_argument("--per-second", type=int, default=5000)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flood", choices=("qos0", "qos1", "socket"), help=argparse.SUPPRESS)
    parser.add_argument("--target", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.flood == "socket":
        sys.stdout.write(str(flood_socket(given.target, given.per_second, given.seconds)))
        return 0
    if given.flood is not None:
        sys.stdout.write(str(flood_mqtt(int(given.target), given.per_second, given.seconds, int(given.flood[-1]))))
        return 0
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        Path(folder).chmod(0o755)
        found = asyncio.run(campaign(given.way, given.per_second, given.seconds, Path(folder), given.seed))
    sys.stdout.write(json.dumps(found._asdict(), indent=1) + "\n")
    return 1 if found.faults else 0


if __name__ == "__main__":
    sys.exit(main())
