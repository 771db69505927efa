"""A daemon on strings: clock, chance and readings are handed in, and everything that leaves it is kept.

The round has two boxes against an ace; one breaks and is taken, one stands, and a key turns the hole card.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import io
import json
import random
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from msgspec.structs import replace

from controller.core.messages.house import House
from controller.core.table.desired import Desired
from controller.core.table.keymap import DEFAULT_KEYS
from controller.daemon.checkpoint_pace import CHECKPOINT_READINGS
from controller.daemon.daemon import Daemon, DaemonParts
from controller.daemon.recovery import Recovery
from controller.formats.journal.records import Identity
from controller.io.files import profile_files
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.connection import Broker
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, KeyPressed, Reading
from tests.wiring.premises import PROFILE, TOPICS, Ear, json_of

MS = 1_000_000
IDENTITY = Identity(TOPICS.site, TOPICS.table, 1)
KEY = bytes(range(32))
SPOTS = tuple(range(1, 8))
CHIPS = {"E0040150AA000001": 1000, "E0040150AA000002": 2500}
HOLE_PLACE = 5
SCRIPT = """
    lay 2 main E0040150AA000001
    lay 5 main E0040150AA000002
    key P
    card Th Tc As 6d 9s ??
    key Q
    card Td
    lay 2 main
    key L
"""

Messages = dict[str, list[bytes]]
"""Payloads by topic."""


class Played(NamedTuple):
    """One playing as the world saw it before the turn."""

    face: Card
    hole: int
    """The number of the hole card's reading."""
    messages: list[Messages]
    """What went out over MQTT, by the reading after which it did."""
    screens: list[Desired]
    log: list[str]
    records: dict[int, bytes]
    checkpoint: bytes
    """Taken in the middle of the round, after the hole card was drawn."""
    files: bytes
    """The journal as it lay on the disk."""
    turned: Messages
    """What went out with the turn."""

    def hole_drawn(self) -> dict[str, Any]:
        """The event that revealed the hole card."""
        topic = f"{TOPICS.root}/event/card_drawn"
        drawn = [json.loads(body)["data"] for each in self.messages for body in each.get(topic, ())]
        (found,) = [event for event in drawn if event["card"] == self.hole]
        event: dict[str, Any] = found
        return event

    def hole_opened(self) -> dict[str, Any]:
        """The event that opened it."""
        opened = [json.loads(body)["data"] for body in self.turned[f"{TOPICS.root}/event/card_opened"]]
        (found,) = [event for event in opened if event["card"] == self.hole]
        event: dict[str, Any] = found
        return event


PICTURES = tuple(TOPICS.state(name) for name in ("round", "advice", "alerts"))
"""What is retained anew after every step that published something."""


class Hand:
    """A clock moved by hand, and chance that is none."""

    def __init__(self) -> None:
        self.now_ns = 1_000 * MS
        self.taken = 0

    def monotonic_ns(self) -> int:
        return self.now_ns

    def wall_ns(self) -> int:
        return 1_790_000_000_000_000_000 + self.now_ns

    def take(self, count: int) -> bytes:
        self.taken += 1
        return hashlib.shake_256(str(self.taken).encode()).digest(count)


def script(hand: Hand, face: Card) -> Iterator[Reading]:
    """The round as it is read, half a second from reading to reading, the readers confirming each but the last."""
    lines = [line.split() for line in SCRIPT.strip().splitlines()]
    words = [[kind, each] for kind, *rest in lines for each in (rest if kind == "card" else [" ".join(rest)])]
    for place, (kind, text) in enumerate(words):
        hand.now_ns += 500 * MS
        match kind:
            case "lay":
                spot, zone, *chips = text.split()
                yield ChipsSeen(int(spot), zone, tuple(chips), hand.now_ns - MS, hand.now_ns)
            case "key":
                yield KeyPressed(hand.now_ns, text)
            case _:
                yield CardDrawn(hand.now_ns, face if text == "??" else Card(text))
        if place + 1 < len(words):
            hand.now_ns += 500 * MS
            yield ChipsConfirmed(SPOTS, hand.now_ns)


class Watched:
    """A daemon, and what left it since one last looked."""

    def __init__(self, daemon: Daemon, hand: Hand, ear: Ear) -> None:
        self.daemon = daemon
        self.hand = hand
        self.ear = ear
        self.seen = len(ear.messages)
        self.screens: list[Desired] = []
        daemon.apply = self.screens.append

    async def give(self, reading: Reading) -> Messages:
        """Let one reading in and wait until all it gave is out."""
        seq = self.daemon.table.state.seq
        await self.daemon.commit([reading])
        state = self.daemon.table.state
        if state.seq > seq:
            await self.ear.until(lambda: self.out(state.seq))
        new, self.seen = self.ear.messages[self.seen :], len(self.ear.messages)
        found: Messages = {}
        for message in new:
            # How far the stream is goes out by the clock, whatever was read.
            if message.topic == TOPICS.stream:
                continue
            found.setdefault(message.topic, []).append(message.payload)
        return found

    def out(self, seq: int) -> bool:
        new = self.ear.messages[self.seen :]
        events = {json_of(one.payload)["seq"]: one for one in new if "/event/" in one.topic}
        alerts = {json_of(one.payload)["seq"] for one in new if "/alert/" in one.topic}
        heard = {one.topic: one.payload.partition(b",")[2] for one in self.ear.messages if one.topic in PICTURES}
        # A picture that shows nothing new is not sent again.
        shown = {topic: self.daemon.shown.get(topic.rsplit("/", 1)[1]) for topic in PICTURES}
        return seq in events and heard == shown and alerts <= set(events)


@contextlib.asynccontextmanager
async def watched(directory: Path, broker: Broker, ear: Ear, *, bound: bool = False) -> AsyncIterator[Watched]:
    """A table with a new journal, whose daemon is connected to ``broker``; ``bound``: its orders take two persons."""
    hand = Hand()
    profile = profile_files.load(PROFILE, {"stand_key": "always"})
    readers: dict[str, tuple[int, ...]] = {f"bet_spots/{spot}": (spot,) for spot in SPOTS}
    house = House(profile.rules, CHIPS, DEFAULT_KEYS, profile.hash, readers)
    if bound:
        house = replace(house, two_persons=True, orders_bounded=True, proposals_bound=True)
    journal = await Journal.open(directory / "journal.sqlite", IDENTITY, key=KEY)
    daemon = Daemon(DaemonParts(house, "test", KEY, journal, Recovery(None, ""), broker, hand, hand, random.Random(1)))
    before = len(ear.messages)
    running = asyncio.create_task(daemon.run([]))
    first = (TOPICS.status, *PICTURES, f"{TOPICS.root}/event/table_started")
    try:
        await ear.until(lambda: set(first) <= {one.topic for one in ear.messages[before:]})
        yield Watched(daemon, hand, ear)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await journal.close()
        await ear.until(lambda: json_of(ear.last(TOPICS.status))["state"] == "offline")


async def play(directory: Path, broker: Broker, ear: Ear, log: io.StringIO, face: Card) -> Played:
    """Play the round with ``face`` in the hole, turn it, and close."""
    log.seek(0)
    log.truncate()
    messages: list[Messages] = []
    cards: list[int] = []
    async with watched(directory, broker, ear) as table:
        for reading in script(table.hand, face):
            messages.append(await table.give(reading))
            if isinstance(reading, CardDrawn):
                cards.append(table.daemon.number)
                # Makes a checkpoint due with the next reading: it holds the open round, hole card and all.
                table.daemon.checkpoints.taken_at -= CHECKPOINT_READINGS * (len(cards) == HOLE_PLACE + 1)
        lines, screens = timeless(log), list(table.screens)
        files = b"".join((directory / name).read_bytes() for name in ("journal.sqlite", "journal.sqlite-wal"))
        with JournalReader(directory / "journal.sqlite") as reader:
            records = {row.number: row.body for row in reader.records()}
            checkpoint = reader.last_checkpoint()
        table.hand.now_ns += 500 * MS
        turned = await table.give(KeyPressed(table.hand.now_ns, "S"))
    hole = cards[HOLE_PLACE]
    assert checkpoint is not None
    assert checkpoint[0] > hole
    return Played(face, hole, messages, screens, lines, records, checkpoint[1], files, turned)


def timeless(log: io.StringIO) -> list[str]:
    """The log's lines without the one thing that is allowed to differ."""
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    return [json.dumps({key: line[key] for key in line if key != "timestamp"}) for line in lines]
