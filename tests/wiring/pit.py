"""A pit: tables with signs, their daemons as processes, and the one link that they share."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from controller.formats.mqtt.envelope import Topics
from controller.io.files.secret_files import write_secret
from controller.io.mqtt.connection import Broker
from firmware_protocols import discovery
from simulators.devices.bet_spots import BetSpotsSimulator
from simulators.devices.sign import SignSimulator
from tests.link.premises import Premises as LinkPremises
from tests.wiring.premises import Ear, Premises

METER = "pit_sevens"
SEVENS = "1 main 10 \n 1 blazing7s 5 \n no_more_bets"
DIAMONDS = f"{SEVENS} \n 7d 7d 7d 8c \n stand \n hole_turned \n 5c \n round_closed"
NOTHING = f"{SEVENS} \n 9h 6c 8s Tc \n stand \n hole_turned \n 5c \n round_closed"
CLEARED = "1 main 0 \n 1 blazing7s 0"
"""What people do after a round; while it is played nobody looks at side zones."""

LINKED_METER = """
[[linked_meters]]
name = "{meter}"
title = "Blazing 7's of the pit"
pool = "{pool}"
fed_by = ["blazing7s"]
link = "127.0.0.1:{port}"
link_key = "{link_key}"
other_links = [{others}]
key_file = "pit.key"

[[signs]]
protocol = "alpha"
port = "{ports}/sign"
meters = ["{meter}"]
captions = ["7S $"]
"""


class PitTable(Premises):
    """A table with a sign, and with the pit's pool for its sevens."""

    def __init__(self, directory: Path, broker: Broker, name: str, link: LinkPremises, *others: LinkPremises) -> None:
        """``others``: further link processes of the same ledger."""
        directory.mkdir()
        self.others = others
        self.name = name
        self.topics = Topics("harbour", name)
        self.link = link
        self.closed = 0
        """Rounds that people have closed."""
        self.sign = SignSimulator(discovery.find("sign", "alpha"))
        write_secret(directory / "pit.key", link.tables[f"harbour/{name}"][1] + b"\n")
        super().__init__(directory, broker, Ear(f"{self.topics.root}/#"))

    def devices(self) -> dict[str, Any]:
        antennas = {"main": 1, "insurance": 2, "blazing7s": 3}
        zones: dict[tuple[int, int | None], tuple[int, str]] = {
            (spot, antenna): (spot, zone) for spot in range(1, 8) for zone, antenna in antennas.items()
        }
        readers = BetSpotsSimulator(discovery.find("bet_spots", "feig_obid"), zones)
        return {**super().devices(), "bet_spots": readers, "beside": {"sign": self.sign}}

    def table_text(self) -> str:
        text = super().table_text().replace('"bj-1"', f'"{self.name}"')
        text = text.replace("insurance = 2}", "insurance = 2, blazing7s = 3}")
        text = text.replace("[shoe]", '[operator]\ndirectory = "."\n\n[shoe]')
        ports, link = self.directory / "ports", self.link
        others = (f'{{link = "127.0.0.1:{one.port}", link_key = "{one.public.decode()}"}}' for one in self.others)
        ways = {"port": link.port, "link_key": link.public.decode(), "others": ", ".join(others)}
        return text + LINKED_METER.format(meter=METER, pool=link.pool, ports=ports, **ways)

    async def plays(self, round_text: str) -> None:
        """Play a round and clear the layout."""
        self.closed += 1
        await self.talk(round_text)
        await self.ear.until(lambda: len(self.ear.outcomes()) >= self.closed)
        await self.talk(CLEARED)

    async def sign_shows(self, text: str) -> None:
        """Wait until a player reads ``text``."""
        assert await self.bench.until(lambda: text in self.sign.shown), self.sign.shown

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[PitTable]:
        """The table at work."""
        async with self.ear.listening(self.broker), self.bench:
            try:
                await self.start()
                yield self
            finally:
                await self.stop()
