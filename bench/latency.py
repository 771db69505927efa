"""Byte in to message out: from a card's last byte on the serial line to its event at a subscriber, in milliseconds.

    .venv/bin/python -m bench.latency --cards 300

Two ways in one run, over pseudo-terminals and a Mosquitto started for it: the whole daemon (decode, stamp, step, commit
to disk, publish, while it polls its readers) and a bare bridge that publishes each token as it comes, with nothing in
between. With ``--second-copy`` two daemons more, card by card in turn, one of which keeps a second copy of its journal
in a folder there. Prints one JSON object with all of them and their ratios.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import statistics
import tempfile
import time
import tty
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

from controller.demo.demo import daemon, prepare
from controller.demo.table import SITE, TABLE, Wanted, devices
from controller.io.mqtt.broker import mosquitto
from controller.io.mqtt.connection import Broker, connected
from firmware_protocols.cards import DECK
from simulators.people.rack import Rack
from simulators.serve import Station

BETWEEN_CARDS_SECONDS = 0.04

Deal = Callable[[int], Awaitable[float]]


@contextlib.asynccontextmanager
async def whole_daemon(broker: Broker, table: str, second_copy: Path | None = None) -> AsyncIterator[Deal]:
    """A daemon at a table of that name; what is yielded deals a card and gives the milliseconds to its message."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory)
        wanted = Wanted(path, None, seed=1, speed=1.0, boxes=(1, 1), keypad=True, broker=broker)
        prepare(path, Rack(), broker, wanted)
        text = (path / "table.toml").read_text().replace(f'name = "{TABLE}"', f'name = "{table}"')
        if second_copy is not None:
            text = text.replace("[table]\n", f'[table]\nsecond_copy = "{second_copy}"\n', 1)
        (path / "table.toml").write_text(text)
        async with (
            Station(path / "ports", **devices()) as station,
            daemon(path),
            connected(broker, "5", f"bench-{table}") as client,
        ):
            assert await station.ready(looks=3), (path / "daemon.log").read_text()
            await client.subscribe(f"tableside/v1/{SITE}/{table}/event/card_drawn", qos=1)
            messages = aiter(client.messages)

            async def deal(number: int) -> float:
                return await until_told(lambda: station.draw(DECK[number % 52]), messages)

            yield deal


async def until_told(say: Callable[[], None], messages: AsyncIterator[object]) -> float:
    """Milliseconds from a card's last byte to its message."""
    began = time.perf_counter_ns()
    say()
    await anext(messages)
    return (time.perf_counter_ns() - began) / 1e6


async def without_copy(broker: Broker, cards: int) -> list[float]:
    async with whole_daemon(broker, TABLE) as deal:
        return [await deal(number) for number in range(cards)]


async def with_and_without_copy(broker: Broker, cards: int, copies: Path) -> tuple[list[float], list[float]]:
    """Card by card at a table without and one with a second copy, so that whatever else runs here meets both alike."""
    plain: list[float] = []
    copied: list[float] = []
    with tempfile.TemporaryDirectory(dir=copies) as folder:
        async with whole_daemon(broker, "plain") as deal, whole_daemon(broker, "copied", Path(folder)) as deal_copied:
            for number in range(cards):
                for taken, dealt in ((plain, deal), (copied, deal_copied)):
                    taken.append(await dealt(number))
                    # No dealer is faster; and the copy of one card must not stand in the way of the other table's next.
                    await asyncio.sleep(BETWEEN_CARDS_SECONDS)
    return plain, copied


async def bare_bridge(broker: Broker, cards: int) -> list[float]:
    master, slave = os.openpty()
    tty.setraw(slave)
    loop = asyncio.get_running_loop()
    async with connected(broker, "5", "bridge") as client:
        loop.add_reader(slave, lambda: client.send("bridge/card", os.read(slave, 4096)))
        try:
            async with connected(broker, "5", "bench") as heard:
                await heard.subscribe("bridge/card", qos=1)
                messages = aiter(heard.messages)
                return [await until_told(lambda: card_out(master), messages) for _ in range(cards)]
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


async def run(cards: int, copies: Path | None) -> None:
    async with mosquitto() as broker:
        bridge = told(await bare_bridge(broker, cards))
        table = told(await without_copy(broker, cards))
        ratio = round(table["median_ms"] / bridge["median_ms"], 2)
        found = {"cards": cards, "bare_bridge": bridge, "daemon": table, "ratio_of_medians": ratio}
        if copies is not None:
            plain, copied = map(told, await with_and_without_copy(broker, cards, copies))
            ratio = round(copied["median_ms"] / plain["median_ms"], 2)
            found |= {"without_copy": plain, "with_second_copy": copied, "ratio_of_medians_with_it": ratio}
    print(json.dumps(found))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cards", type=int, default=300)
    parser.add_argument("--second-copy", type=Path, help="a folder on another device")
    given = parser.parse_args()
    asyncio.run(run(given.cards, given.second_copy))
