"""Live tables of a property: daemons of their own, with simulated devices and people, beside the recorded nights."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from controller.io.files import profile_files
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.connection import Broker
from simulators.people.acts import by_round
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.performance import perform
from tests.collector.conftest import Database
from tests.collector.recorded import after
from tests.wiring.premises import PROFILE, Ear, Premises

CONSUMER: Final = "collector"
BOXES: Final = (2, 5)
MOST_ROUNDS: Final = 100_000


class LiveTable(Premises):
    """A table of this name whose daemon publishes to the property's broker and waits for its collector."""

    def __init__(self, directory: Path, broker: Broker, name: str) -> None:
        self.name = name
        super().__init__(directory, broker, Ear())

    def table_text(self) -> str:
        """The table file."""
        text = super().table_text().replace('name = "bj-1"', f'name = "{self.name}"')
        port = f"port = {self.broker.port}\n"
        return text.replace(port, f'{port}consumers = ["{CONSUMER}"]\nprotocol = "5"\n', 1)

    async def start(self) -> None:
        """Start the daemon and wait until it asks its readers."""
        await self.spawn()
        await self.bench.looked()
        assert await self.bench.ready()

    async def play(self, seed: int, speed: float, ends: asyncio.Event) -> None:
        """Let people play at so many times their own pace until the end of a round after ``ends``."""
        house, chance = house_from(profile_files.raw(PROFILE)), random.Random(seed)
        for acts in by_round(play(house, chance, self.rack, BOXES, rounds=MOST_ROUNDS, stand_key="always")):
            await perform(acts, self.bench, speed, sleep=asyncio.sleep, on_round=self.truth.append)
            if ends.is_set():
                return

    def bodies(self) -> list[bytes]:
        """The events of the journal so far."""
        with JournalReader(self.journal) as reader:
            return [row.body for row in reader.events()]

    def is_held(self, database: Database) -> bool:
        """Whether every event of the journal is in the database once, byte for byte."""
        bodies = self.bodies()
        rows = database.rows(f"SELECT body FROM tableside.events WHERE name = '{self.name}' ORDER BY seq")
        return [bytes(row[0]) for row in rows[: len(bodies)]] == bodies


class LiveTables:
    """Live tables that are played at until ``held``; their daemons go on until the block ends."""

    def __init__(self, tables: list[LiveTable], people: list[asyncio.Task[None]], ends: asyncio.Event) -> None:
        self._tables = tables
        self._people = people
        self._ends = ends

    async def held(self, database: Database) -> tuple[int, int]:
        """Let people end their rounds and wait until all that the journals hold is in the database.

        How many rounds were played, and how many events the journals hold.
        """
        self._ends.set()
        await asyncio.gather(*self._people)
        for one in self._tables:
            while not await asyncio.to_thread(one.is_held, database):
                await after(0.5)
        return sum(len(one.truth) for one in self._tables), sum(len(one.bodies()) for one in self._tables)


@contextlib.asynccontextmanager
async def live_tables(folder: Path, broker: Broker, count: int, seed: int, speed: float) -> AsyncIterator[LiveTables]:
    """So many live tables, at which people play at ``speed`` times their own pace."""
    ends, tables = asyncio.Event(), list[LiveTable]()
    async with contextlib.AsyncExitStack() as stack:
        for number in range(1, count + 1):
            directory = folder / f"live-{number}"
            directory.mkdir()
            table = LiveTable(directory, broker, f"live-{number}")
            await stack.enter_async_context(table.bench)
            stack.push_async_callback(table.stop)
            await table.start()
            tables.append(table)
        people = [asyncio.create_task(one.play(seed + at, speed, ends)) for at, one in enumerate(tables)]
        try:
            yield LiveTables(tables, people, ends)
        finally:
            ends.set()
            await asyncio.gather(*people)
