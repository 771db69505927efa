"""Byte in to message out: from a card's last byte on the serial line to its event at a subscriber, in milliseconds.

    .venv/bin/python -m bench.latency --cards 300

Two ways in one run, over pseudo-terminals and a Mosquitto started for it: the whole daemon (decode, stamp, step, commit
to disk, publish, while it polls its readers) and a bare bridge that publishes each token as it comes, with nothing in
between. Prints one JSON object with both and their ratio.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import tempfile
import time
import tty
from collections.abc import Callable
from pathlib import Path

from controller.demo import daemon, prepare
from controller.demo_table import SITE, TABLE, Wanted, devices
from controller.io.broker import mosquitto
from controller.io.mqtt import Broker, connected
from firmware_protocols.cards import DECK
from simulators.rack import Rack
from simulators.serve import Station

EVENTS = f"tableside/v1/{SITE}/{TABLE}/event/card_drawn"


async def arrivals(broker: Broker, topic: str, say: Callable[[int], None], cards: int) -> list[float]:
    """Milliseconds from each card to its message, one card at a time."""
    taken: list[float] = []
    async with connected(broker, "5", "bench") as client:
        await client.subscribe(topic, qos=1)
        messages = aiter(client.messages)
        for number in range(cards):
            began = time.perf_counter_ns()
            say(number)
            await anext(messages)
            taken.append((time.perf_counter_ns() - began) / 1e6)
    return taken


async def whole_daemon(broker: Broker, cards: int) -> list[float]:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory)
        wanted = Wanted(path, None, seed=1, speed=1.0, boxes=(1, 1), keypad=True, broker=broker)
        prepare(path, Rack(), broker, wanted)
        async with Station(path / "ports", **devices()) as station, daemon(path):
            assert await station.ready(looks=3), (path / "daemon.log").read_text()
            return await arrivals(broker, EVENTS, lambda n: station.draw(DECK[n % 52]), cards)


async def bare_bridge(broker: Broker, cards: int) -> list[float]:
    master, slave = os.openpty()
    tty.setraw(slave)
    loop = asyncio.get_running_loop()
    async with connected(broker, "5", "bridge") as client:
        loop.add_reader(slave, lambda: client.send("bridge/card", os.read(slave, 4096)))
        try:
            return await arrivals(broker, "bridge/card", lambda _: card_out(master), cards)
        finally:
            loop.remove_reader(slave)
            os.close(master)
            os.close(slave)


def card_out(master: int) -> None:
    os.write(master, b" [Game]<Card:8H> ")


def told(taken: list[float]) -> dict[str, float]:
    ordered = sorted(taken)
    return {
        "median_ms": round(statistics.median(ordered), 3),
        "p99_ms": round(ordered[int(len(ordered) * 0.99)], 3),
        "worst_ms": round(ordered[-1], 3),
    }


async def run(cards: int) -> None:
    async with mosquitto() as broker:
        bridge = told(await bare_bridge(broker, cards))
        table = told(await whole_daemon(broker, cards))
    ratio = round(table["median_ms"] / bridge["median_ms"], 2)
    print(json.dumps({"cards": cards, "bare_bridge": bridge, "daemon": table, "ratio_of_medians": ratio}))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=300)
    asyncio.run(run(parser.parse_args().cards))
