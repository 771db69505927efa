"""One independent table with its daemon: devices on pseudo-terminals, people who play, and an ear at the broker."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.independent.answers import answer
from tests.independent.habits import HABITS
from tests.independent.heard import ASKED, NOT_CLOSED, UNREAD, WITHDRAWN, Event, Heard, Token
from tests.independent.houses import HOUSES
from tests.independent.lines import Line
from tests.independent.mqtt import Client
from tests.independent.people import People
from tests.independent.people import Place as OnFelt
from tests.independent.programs import PATIENCE_S, SITE, Daemon
from tests.independent.readers import Incoming, Place, Readers, Request, chip
from tests.independent.rounds import Round

LOOK_S: Final = (0.008, 0.020)
"""What a reader's radio needs for one antenna: a look at a whole layout takes half a second and spans cards."""
CARD: Final = re.compile(r"<Card:\w+>|<Game>")

WORN_ONE_IN: Final = 50
"""Of so many presses one is of a key whose contacts bounce as it goes down."""
"""What the program takes for a card, read or not."""


class Seating(NamedTuple):
    """What is played at a table."""

    name: str
    profile: str
    habit: str
    boxes: int
    seed: int
    pace: float = 1.0
    single: bool = False
    """Whether each zone has a reader of its own, with a single antenna."""


class Table:
    """A table's devices, people and ear; ``token`` may change what the shoe says of a card."""

    def __init__(self, folder: Path, seating: Seating, made: type[People] = People) -> None:
        house, habit = HOUSES[seating.profile], HABITS[seating.habit]
        self.seating = seating
        self.folder = folder
        self.heard = Heard()
        self.chance = random.Random(seating.seed)
        self.people = made(house, seating.boxes, habit, random.Random(seating.seed + 1), hands=self, pace=seating.pace)
        self._requests = Incoming()
        self.places = places(self.people, single=seating.single)
        self.readers = Readers([place[0] for place in self.places], self._hears, antennas=not seating.single)
        self.shoe_line = Line(folder / "shoe", lambda _: None)
        self.readers_line = Line(folder / "readers", self._asked)
        self.keypad_line = Line(folder / "keypad", self._shown)
        self.overheard: dict[OnFelt, list[tuple[bytes, OnFelt | None]]] = {}
        """Records an antenna hears besides its own chips, each while its chip lies at its own place; None: always."""
        self.misheard: Callable[[list[bytes]], list[bytes]] = lambda records: records
        """What becomes of the records of one look."""
        self.garbled: Callable[[bytes], bytes] = lambda reply: reply
        """What becomes of a reader's answer on the line."""
        self.late: Callable[[Request], float] = lambda _: 0.0
        """Seconds by which a reader answers late."""
        self._worn = random.Random(seating.seed + 4)
        self.releases = True
        """Whether the keypad reports that a key has come up."""
        self.token: Callable[[str], list[str]] = lambda face: [f" [Game]<Card:{face.upper()}> "]
        self.missed: set[int] = set()
        """Rounds of which a card left the shoe and nothing was reported of it."""
        self.reported_at = 0.0
        """When the shoe last reported a card."""
        self.daemon = Daemon(folder, seating.name)
        self._client: Client | None = None
        self._stirred = asyncio.Condition()
        self._questions: dict[int, asyncio.Task[None]] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.refusals = 0
        self.names_cards = True
        """Whether the floor names a card that was not read."""
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
            seconds = self.chance.uniform(*LOOK_S) + self.late(request)
            asyncio.get_running_loop().call_later(seconds, self._answer, request)

    def _answer(self, request: Request) -> None:
        self.readers_line.say(self.garbled(self.readers.reply(request)))

    def _hears(self, place: Place) -> list[bytes]:
        at = self.places[place]
        records = [chip(tag) for tag in self.people.felt.get(at, [])]
        for record, of in self.overheard.get(at, []):
            if of is None or any(chip(tag) == record for tag in self.people.felt.get(of, [])):
                records.append(record)
        return self.misheard(records)

    def _shown(self, data: bytes) -> None:
        """The keypad's display: nobody here reads it, questions are heard at the broker."""

    # --- what people do -------------------------------------------------------------------------------

    async def pause(self, seconds: float) -> None:
        """Let time pass."""
        await self._nap(seconds)

    def card(self, card: str, number: int) -> None:
        """A card leaves the shoe, which reports it."""
        if not self.shoe_heard:
            self.missed.add(number)
        if not self.shoe_line.plugged:
            return
        for token in self.token(card):
            self.shoe_line.say(token.encode())
            if CARD.search(token):
                self.heard.tokens.append(Token(number, card, self.shoe_heard))
        self.reported_at = asyncio.get_running_loop().time()

    async def key(self, letter: str) -> None:
        """Press a key and let it go."""
        self.keypad_line.say(letter.encode())
        if self.releases and self._worn.randrange(WORN_ONE_IN) == 0:
            await self._nap(0.004)
            self.keypad_line.say(letter.lower().encode() + letter.encode())
        await self._nap(0.09)
        if self.releases:
            self.keypad_line.say(letter.lower().encode())

    # --- what is heard --------------------------------------------------------------------------------

    async def listen(self, port: int) -> None:
        """Hear all that is published of the table."""
        self._client = await Client.connect(port, f"ear-{self.seating.name}")
        await self._client.subscribe(f"tableside/v1/{SITE}/{self.seating.name}/#")

    async def hear(self) -> None:
        """Take what is sent until the connection ends."""
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
        elif event.name == NOT_CLOSED:
            self.refusals += 1
        elif event.name == UNREAD and self.people.habit.answers and self.names_cards:
            self._tasks.append(asyncio.create_task(self._name(event.data["card"])))

    async def _name(self, card: int) -> None:
        """The floor has been called, and names a card that the shoe could not read."""
        await self._nap(self.chance.uniform(2.0, 4.0) / self.seating.pace)
        place = self.heard.places()[card]
        self.order(
            "set-card", card=card, face=self.heard.tokens[place].face, who="floor: an independent one", why="seen"
        )

    async def _reply(self, event: Event) -> None:
        """Somebody looks and answers, as the floor does over MQTT."""
        await self._nap(self.chance.uniform(1.0, 2.5) / self.seating.pace)
        data = event.data
        asked = self._round(data["round"])
        # Whoever is asked whether cards were drawn thinks of the next round's first cards too.
        missed = any(number >= asked.number for number in self.missed)
        reply = answer(data["text"], data["choices"], asked, self.people.rounds[-1], missed=missed)
        if reply is None:
            self.unanswered.append(data["text"])
            return
        self.order("answer", question=data["question"], answer=reply, who="floor: an independent one")

    def _round(self, number: int) -> Round:
        ours = self.heard.rounds().get(number, 0)
        return self.people.rounds[ours - 1] if ours else self.people.rounds[-1]

    def order(self, verb: str, **fields: Any) -> None:
        """Ask something of the table over MQTT."""
        assert self._client is not None
        self._client.publish(f"tableside/v1/{SITE}/{self.seating.name}/cmd/{verb}", json.dumps(fields).encode())

    def close(self) -> None:
        """Hang up and answer nothing any more."""
        for task in [*self._questions.values(), *self._tasks]:
            task.cancel()
        if self._client is not None:
            self._client.close()
        for line in (self.shoe_line, self.readers_line, self.keypad_line):
            line.unplug()

    @property
    def shoe_heard(self) -> bool:
        """Whether the shoe's cards arrive, as its lamp shows."""
        status = self.heard.statuses.get("device/shoe/status", {})
        return self.shoe_line.plugged and status.get("state") == "ready"

    @property
    def ready(self) -> bool:
        """Whether the daemon has reported that it hears shoe, keypad and every reader."""
        spots = {f"bet_spots/{address}" for address, _ in self.places}
        statuses = self.heard.statuses
        return all(
            statuses.get(f"device/{one}/status", {}).get("state") == "ready" for one in ("shoe", "keypad", *spots)
        )


class NotSeated(Exception):  # noqa: N818 - named for what happened
    """The table's daemon did not come up in time: the machine is starved, and nothing was played."""


def places(people: People, *, single: bool) -> dict[Place, OnFelt]:
    """Which zone each antenna sees: a reader for each spot, or for each zone."""
    zones = people.house.zones
    if not single:
        return {(spot, at): (spot, zone) for spot in people.seats for at, zone in enumerate(zones, start=1)}
    on_felt = [(spot, zone) for spot in people.seats for zone in zones]
    return {(10 + number, 0): place for number, place in enumerate(on_felt)}


def described(table: Table) -> str:
    """What the table file says of the readers."""
    if table.seating.single:
        rows = (f'{{address = {a}, spot = {s}, zone = "{z}"}}' for (a, _), (s, z) in table.places.items())
        return f"zones = [{', '.join(rows)}]"
    antennas = ", ".join(f"{zone} = {number}" for number, zone in enumerate(table.people.house.zones, start=1))
    return f"spots = {table.people.seats}\nantennas = {{{antennas}}}"


@contextlib.asynccontextmanager
async def sitting(folder: Path, seating: Seating, port: int, made: type[People] = People) -> AsyncIterator[Table]:
    """A table whose daemon serves its devices; at the end it is stopped, and everything it published has been heard."""
    folder.mkdir(parents=True, exist_ok=True)  # noqa: ASYNC240 - one call on a fresh directory
    table = Table(folder, seating, made)
    people = table.people
    table.daemon.write_table(seating.profile, described(table), people.habit.options, port, people.rack.registry())
    await table.listen(port)
    ear = asyncio.create_task(table.hear())
    table.plug()
    try:
        await table.daemon.start()
        try:
            try:
                await table.until(lambda: table.ready or table.daemon.has_ended)
            except TimeoutError as error:
                raise NotSeated(f"{folder}: its daemon did not come up in time") from error
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
