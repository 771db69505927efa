"""Simulated devices and people at one table, in a process of their own, who draw a card only when it is their turn.

    python -m bench.played_table PORTS BOXES SEED

Says ``open`` once its ports are there, ``ready`` once a daemon looks at its readers, and ``turn`` before each card that
may be drawn; waits for a line on its standard input, draws, and says when (``time.perf_counter_ns``). The first card of
a round is drawn without asking: until the readers have looked at every zone once more nothing is published of it, by
design.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from controller.demo.table import DemoOptions, devices, script, sevens_meter
from firmware_protocols import discovery
from firmware_protocols.cards import Card
from simulators.devices.shoe import ShoeSimulator
from simulators.people.acts import Act, Draw, Pause, RoundPlayed
from simulators.people.performance import perform
from simulators.people.rack import Rack
from simulators.serve import Station

SPEED: Final = 4.0
"""How much faster than people these are, who would not wait for each other between cards."""

TURN: Final = Pause(2**40)
"""Stands before each card that is drawn in turn."""


class TimedShoe(ShoeSimulator):
    """A shoe that says when a card left it."""

    is_in_turn = False

    def draw(self, card: Card, *, burn: bool = False) -> bytes:
        """A card leaves the shoe."""
        data = super().draw(card, burn=burn)
        if self.is_in_turn:
            self.is_in_turn = False
            print(time.perf_counter_ns(), flush=True)
        return data


def in_turn(acts: Iterator[Act]) -> Iterator[Act]:
    """The acts, with a pause before each card but a round's first."""
    is_dealt = False
    for act in acts:
        match act:
            case RoundPlayed():
                is_dealt = False
            case Draw(burn=False):
                if is_dealt:
                    yield TURN
                is_dealt = True
            case _:
                pass
        yield act


async def run(ports: Path, boxes: int, seed: int) -> None:
    """Play until a signal says to end."""
    loop = asyncio.get_running_loop()
    lines = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    shoe = TimedShoe(discovery.find("shoe", "bee_tek"))
    wanted = DemoOptions(ports, None, seed, SPEED, (boxes, boxes), keypad=True, broker=None)

    async def sleep(seconds: float) -> None:
        if seconds < TURN.milliseconds / 1000 / SPEED:
            await asyncio.sleep(seconds)
            return
        print("turn", flush=True)
        if not await lines.readline():
            raise asyncio.CancelledError
        shoe.is_in_turn = True

    async with Station(ports, **{**devices(), "shoe": shoe}) as station:
        print("open", flush=True)
        if not await station.ready(looks=3):
            sys.exit("the readers are not looked at")
        print("ready", flush=True)
        acts = in_turn(script(wanted, Rack(), sevens_meter()))
        playing = asyncio.ensure_future(perform(acts, station, SPEED, sleep=sleep))
        loop.add_signal_handler(signal.SIGTERM, playing.cancel)
        with contextlib.suppress(asyncio.CancelledError):
            await playing


if __name__ == "__main__":
    asyncio.run(run(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
