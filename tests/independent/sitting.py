"""One independent table with its daemon: devices on pseudo-terminals, people who play, and an ear at the broker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.independent.answers import answer
from tests.independent.habits import HABITS
from tests.independent.heard import ASKED, WITHDRAWN, Event, Heard
from tests.independent.houses import HOUSES
from tests.independent.lines import Line
from tests.independent.mqtt import Client
from tests.independent.people import People, Round
from tests.independent.people import Place as OnFelt
from tests.independent.programs import PATIENCE_S, SITE, Daemon
from tests.independent.readers import Incoming, Place, Readers, Request, chip

LOOK_S: Final = (0.008, 0.020)
"""What a reader's radio needs for one antenna: a look at a whole layout takes half a second and spans cards."""
DISPLAY_COMMAND: Final = 0xFE


class Seating(NamedTuple):
    """What is played at a table."""

    name: str
    profile: str
    habit: str
    boxes: int
    seed: int
    pace: float = 1.0


class Table:
    """A table's devices, people and ear; ``token`` may change what the shoe says of a card."""

    def __init__(self, folder: Path, seating: Seating) -> None:
        house, habit = HOUSES[seating.profile], HABITS[seating.habit]
        self.seating = seating
        self.folder = folder
        self.heard = Heard()
        self.chance = random.Random(seating.seed)
        self.people = People(
            house, seating.boxes, habit, random.Random(seating.seed + 1), hands=self, pace=seating.pace
        )
        self._requests = Incoming()
        self.readers = Readers(self.people.seats, self._hears)
        self.shoe_line = Line(folder / "shoe", lambda _: None)
        self.readers_line = Line(folder / "readers", self._asked)
        self.keypad_line = Line(folder / "keypad", self._shown)
        self.overheard: dict[OnFelt, list[tuple[bytes, OnFelt | None]]] = {}
        """Records an antenna hears besides its own chips, each while its chip lies at its own place; None: always."""
        self.deaf: dict[tuple[int, str], list[str]] = {}
        """Chips that an antenna does not hear though they lie in its zone."""
        self.token: Callable[[str], list[str]] = lambda face: [f" [Game]<Card:{face.upper()}> "]
        self.missed: set[int] = set()
        """Rounds of which a card left the shoe and nothing was told of it."""
        self.told_at = 0.0
        """When the shoe last told of a card."""
        self.daemon = Daemon(folder, seating.name)
        self._client: Client | None = None
        self._stirred = asyncio.Condition()
        self._questions: dict[int, asyncio.Task[None]] = {}
        self.unanswered: list[str] = []
        """Questions nobody at the table could answer."""
        self._nap: Any = asyncio.sleep

    # --- the devices ----------------------------------------------------------------------------------

    def plug(self) -> None:
        """Connect everything."""
        for line in (self.shoe_line, self.readers_line, self.keypad_line):
            line.plug()

    def _asked(self, data: bytes) -> None:
        for request in self._requests.take(data):
            asyncio.get_running_loop().call_later(self.chance.uniform(*LOOK_S), self._answer, request)

    def _answer(self, request: Request) -> None:
        self.readers_line.say(self.readers.reply(request))

    def _hears(self, place: Place) -> list[bytes]:
        spot, zone = place[0], self.people.house.zones[place[1] - 1]
        lying = [tag for tag in self.people.felt.get((spot, zone), []) if tag not in self.deaf.get((spot, zone), [])]
        records = [*map(chip, lying)]
        for record, of in self.overheard.get((spot, zone), []):
            if of is None or any(chip(tag) == record for tag in self.people.felt.get(of, [])):
                records.append(record)
        return records

    def _shown(self, data: bytes) -> None:
        """The keypad's display: nobody here reads it, questions are heard at the broker."""

    # --- what people do -------------------------------------------------------------------------------

    async def pause(self, seconds: float) -> None:
        """Let time pass."""
        await self._nap(seconds)

    def card(self, card: str, number: int) -> None:
        """A card leaves the shoe, which tells of it."""
        if not self.shoe_line.plugged:
            self.missed.add(number)
            return
        for token in self.token(card):
            self.shoe_line.say(token.encode())
            if "<Card:" in token or "<Game>" in token:
                self.heard.dealt.append(number)
        self.told_at = asyncio.get_running_loop().time()

    async def key(self, letter: str) -> None:
        """Press a key and let it go."""
        self.keypad_line.say(letter.encode())
        await self._nap(0.09)
        self.keypad_line.say(letter.lower().encode())

    # --- what is heard --------------------------------------------------------------------------------

    async def listen(self, port: int) -> None:
        """Hear all that is told of the table."""
        self._client = await Client.connect(port, f"ear-{self.seating.name}")
        await self._client.subscribe(f"tableside/v1/{SITE}/{self.seating.name}/#")

    async def hear(self) -> None:
        """Take what is told until the connection ends."""
        assert self._client is not None
        async for topic, payload in self._client.messages():
            event = self.heard.take(topic, payload)
            if event is not None:
                self._consider(event)
            async with self._stirred:
                self._stirred.notify_all()

    async def until(self, condition: Callable[[], bool], seconds: float = PATIENCE_S) -> None:
        """Wait until something is so."""
        async with asyncio.timeout(seconds), self._stirred:
            await self._stirred.wait_for(condition)

    def _consider(self, event: Event) -> None:
        if event.name == ASKED and self.people.habit.answers:
            number = event.data["question"]
            self._questions[number] = asyncio.create_task(self._reply(event))
        elif event.name == WITHDRAWN and (task := self._questions.pop(event.data["question"], None)):
            task.cancel()

    async def _reply(self, event: Event) -> None:
        """Somebody looks and answers, as the floor does over MQTT."""
        await self._nap(self.chance.uniform(1.0, 2.5) / self.seating.pace)
        data = event.data
        asked = self._round(data["round"])
        said = answer(data["text"], data["choices"], asked, self.people.rounds[-1], missed=asked.number in self.missed)
        if said is None:
            self.unanswered.append(data["text"])
            return
        self.order("answer", question=data["question"], answer=said, who="floor: an independent one")

    def _round(self, number: int) -> Round:
        ours = self.heard.rounds().get(number, 0)
        return self.people.rounds[ours - 1] if ours else self.people.rounds[-1]

    def order(self, verb: str, **fields: Any) -> None:
        """Ask something of the table over MQTT."""
        assert self._client is not None
        self._client.publish(f"tableside/v1/{SITE}/{self.seating.name}/cmd/{verb}", json.dumps(fields).encode())

    def close(self) -> None:
        """Hang up and answer nothing any more."""
        for task in self._questions.values():
            task.cancel()
        if self._client is not None:
            self._client.close()
        for line in (self.shoe_line, self.readers_line, self.keypad_line):
            line.unplug()

    @property
    def ready(self) -> bool:
        """Whether the daemon has told that it hears shoe, keypad and every reader."""
        spots = [f"bet_spots/{spot}" for spot in self.people.seats]
        said = self.heard.statuses
        return all(said.get(f"device/{one}/status", {}).get("state") == "ready" for one in ("shoe", "keypad", *spots))


@contextlib.asynccontextmanager
async def sitting(folder: Path, seating: Seating, port: int) -> AsyncIterator[Table]:
    """A table whose daemon serves its devices; at the end it is stopped, and everything it told has been heard."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - one call on a fresh directory
    table = Table(folder, seating)
    house = table.people.house
    table.daemon.write_table(house, table.people.seats, table.people.habit.options, port, table.people.rack.registry())
    await table.listen(port)
    ear = asyncio.create_task(table.hear())
    table.plug()
    try:
        await table.daemon.start()
        try:
            await table.until(lambda: table.ready or table.daemon.has_ended)
            assert table.ready, table.daemon.log()
            yield table
        finally:
            status = await table.daemon.stop()
        assert status == 0, table.daemon.log()
        await table.until(lambda: table.heard.statuses.get("status", {}).get("state") == "offline")
    finally:
        table.close()
        ear.cancel()
        await asyncio.gather(ear, return_exceptions=True)
