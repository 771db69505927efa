"""What a real table does to its devices: a chip between two antennas, a card in a pocket, a cable pulled.

Nobody at the table notices any of it, and everybody goes on as before.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from typing import Final

from tests.independent.lines import Line
from tests.independent.people import Place
from tests.independent.readers import chip
from tests.independent.sitting import Table

TAGS: Final = (
    "0300E016100012345678",
    "0000E0161000123456AB",
    "0400443EA1B2C3D4E5F6",
    "0512345678A1B2C3D4E5",
    "06E016100012345678",
)
"""Cards in pockets as a reader answers them: ISO 15693 of another maker, I-Code 1, ISO 14443 A and B, I-Code EPC."""

BETWEEN_S: Final = (1.0, 9.0)
"""How long a chip lies between two antennas until somebody nudges it."""
POCKET_S: Final = (1.0, 5.0)
PULLED_S: Final = (1.0, 4.0)
SAID_S: Final = 0.2
"""What was said so long ago has been read: a cable takes nothing with it."""


class Unkindness:
    """Such things at one table, one after the other; ``every_s`` seconds between them in the middle."""

    def __init__(self, table: Table, every_s: float) -> None:
        self._table = table
        self._every_s = every_s
        self._chance = random.Random(table.seating.seed + 2)
        self.happened: list[str] = []

    async def go_on(self) -> None:
        """Until the table is left."""
        while True:
            await self._table.pause(self._chance.uniform(0, 2 * self._every_s))
            match self._chance.choices(("between", "pocket", "shoe", "keypad"), (10, 6, 1, 1))[0]:
                case "between":
                    await self.between()
                case "pocket":
                    await self.pocket()
                case "shoe":
                    await self.pull("shoe", self._table.shoe_line)
                case _:
                    await self.pull("keypad", self._table.keypad_line)

    async def between(self) -> None:
        """A chip that lies so that the antenna beside its own hears it too."""
        lying = [place for place, chips in sorted(self._table.people.felt.items()) if chips]
        if not lying:
            return
        place = self._chance.choice(lying)
        tag = self._chance.choice(self._table.people.felt[place])
        beside = self._beside(place)
        self.happened.append(f"{tag} of {place} heard at {beside}")
        await self._overheard(beside, chip(tag), self._chance.uniform(*BETWEEN_S), of=place)

    async def pocket(self) -> None:
        """Somebody with a card in the pocket leans over a zone."""
        people = self._table.people
        place = self._chance.choice(people.seats), self._chance.choice(people.house.zones)
        record = self._chance.choice(TAGS)
        self.happened.append(f"{record} at {place}")
        await self._overheard(place, bytes.fromhex(record), self._chance.uniform(*POCKET_S))

    async def pull(self, name: str, line: Line) -> None:
        """A cable comes loose and is put back."""
        self.happened.append(f"{name} pulled")
        while asyncio.get_running_loop().time() - self._table.reported_at < SAID_S:
            await self._table.pause(SAID_S)
        line.unplug()
        try:
            await self._table.pause(self._chance.uniform(*PULLED_S))
        finally:
            line.plug()

    def _beside(self, place: Place) -> Place:
        spot, zone = place
        zones, seats = self._table.people.house.zones, self._table.people.seats
        others = [(spot, one) for one in zones if one != zone]
        others += [(one, zone) for one in seats if abs(one - spot) == 1]
        return self._chance.choice(others)

    async def _overheard(self, at: Place, record: bytes, seconds: float, of: Place | None = None) -> None:
        """A record at an antenna for so long; a chip no longer than it lies in its own zone."""
        table = self._table
        table.overheard.setdefault(at, []).append((record, of))
        try:
            await table.pause(seconds)
        finally:
            table.overheard[at].remove((record, of))


@contextlib.asynccontextmanager
async def unkind(table: Table, every_s: float = 12.0) -> AsyncIterator[Unkindness]:
    """Such things happen within the block."""
    found = Unkindness(table, every_s)
    task = asyncio.create_task(found.go_on())
    try:
        yield found
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
