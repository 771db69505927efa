"""Recorded nights sent again by tables of other names: their events, what they say of their stream, and replays."""

from __future__ import annotations

import asyncio
import functools
import gzip
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from controller.core.messages.events import CardDrawn, CardOpened
from controller.formats.journal.records import Identity, commit, openings
from controller.formats.journal.stream import ConsumerNow, StreamNow, stream_genesis, stream_hash
from controller.formats.mqtt.envelope import Topics, event_bytes, event_name, nanoseconds, own_event
from controller.io.mqtt.connection import CheckedClient

JOURNALS: Final = Path(__file__).parents[1] / "golden/journals"
NIGHTS: Final = tuple(sorted(path.name.partition(".")[0] for path in JOURNALS.glob("*.json.gz")))
EPOCH: Final = 1795259812


SAID_SECONDS: Final = 0.5
"""Between two times that a table says how far it is."""


async def after(seconds: float) -> None:
    """Let others go on for so long: tables keep their own time."""
    loop = asyncio.get_running_loop()
    passed = loop.create_future()

    def is_over() -> None:
        # Whoever waits may have been cancelled in the very turn of the loop in which the time is up.
        if not passed.done():
            passed.set_result(None)

    timer = loop.call_later(seconds, is_over)
    try:
        await passed
    finally:
        timer.cancel()


@functools.cache
def night(name: str) -> dict[str, Any]:
    """What was read of a kept journal when it was written."""
    found: dict[str, Any] = json.loads(gzip.decompress((JOURNALS / f"{name}.json.gz").read_bytes()))
    return found


def bodies(name: str) -> list[bytes]:
    """The events of a kept journal."""
    return [line.encode() for line in night(name)["events"]]


def renamed(events: Sequence[bytes], identity: Identity) -> list[bytes]:
    """The same events as another table would have published them, commitments included."""
    published = [own_event(body) for body in events]
    opened = openings(one.event for one in published if isinstance(one.event, CardOpened))
    found = []
    for one in published:
        event = one.event
        if isinstance(event, CardDrawn) and event.card in opened:
            event = msgspec.structs.replace(event, commitment=commit(*opened[event.card], identity, event.card))
        found.append(event_bytes(event, identity, one.seq, nanoseconds(one.time)))
    return found


class RecordedTable:
    """A table that sends recorded events; what it has sent it will send again."""

    def __init__(self, identity: Identity, events: Sequence[bytes]) -> None:
        self.identity = identity
        self.topics = Topics(identity.site, identity.table)
        self.events = list(events)
        self.names = [event_name(own_event(body).event) for body in self.events]
        self.sent = 0
        self.acknowledged: dict[str, int] = {}
        """By consumer: the event of this epoch up to which it has all."""
        self._hashes = [stream_genesis(identity)]
        for body in self.events:
            self._hashes.append(stream_hash(self._hashes[-1], body))

    def next(self, count: int) -> list[tuple[str, bytes]]:
        """The next events to send, with their topics."""
        first, self.sent = self.sent, min(len(self.events), self.sent + count)
        return [(f"{self.topics.root}/event/{self.names[at]}", self.events[at]) for at in range(first, self.sent)]

    def stream(self) -> bytes:
        """What it says of its stream."""
        hashed = self._hashes[self.sent].hex()
        # As a table lists its consumers: one whose acknowledgement was lost on the way sees it, and repeats it.
        consumers = tuple(ConsumerNow(name, seq, self.sent - seq, 0) for name, seq in self.acknowledged.items())
        now = StreamNow(self.identity.epoch, 1, self.sent, self.sent, hashed, consumers, (), "")
        return msgspec.json.encode(now)

    def again(self, asked: bytes) -> tuple[str, list[bytes]]:
        """Who asked, and what it asked for."""
        wanted = json.loads(asked)
        last = min(wanted.get("last_seq") or self.sent, self.sent)
        return str(wanted["consumer"]), self.events[wanted["first_seq"] - 1 : last]


class Speaker:
    """Speaks for tables over one connection; answers what is asked of them."""

    def __init__(self, client: CheckedClient, tables: Sequence[RecordedTable]) -> None:
        self._client = client
        self._tables = {table.topics.root: table for table in tables}
        self.acks: dict[str, tuple[int, int]] = {}
        """By table: the epoch and seq last acknowledged."""
        self.replays = 0

    async def run(self) -> None:
        """Say how far the tables are each half second; answer."""
        for root in self._tables:
            await self._client.subscribe(f"{root}/cmd/replay", qos=1)
            await self._client.subscribe(f"{root}/ack/+", qos=1)
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            group.create_task(self._say_streams())

    async def send(self, count: int) -> None:
        """The next events of each table, in turn."""
        for table in self._tables.values():
            await self.send_for(table, table.next(count))

    async def send_for(self, table: RecordedTable, messages: Sequence[tuple[str, bytes]]) -> None:
        """These events of a table, whose night may be another than before."""
        self._tables[table.topics.root] = table
        for topic, body in messages:
            self._client.send(topic, body)
        await after(0)

    async def _say_streams(self) -> None:
        while True:
            for table in self._tables.values():
                self._client.send(table.topics.stream, table.stream(), retain=True)
            await after(SAID_SECONDS)

    async def _listen(self) -> None:
        async for message in self._client.messages:
            topic = str(message.topic)
            root, _, rest = topic.partition("/cmd/")
            if rest == "replay":
                self.replays += 1
                table = self._tables[root]
                consumer, events = table.again(message.payload)
                for body in events:
                    self._client.send(table.topics.replay(consumer), body)
            else:
                root, _, consumer = topic.partition("/ack/")
                ack = json.loads(message.payload)
                self.acks[root] = (ack["epoch"], ack["last_seq"])
                if ack["epoch"] == self._tables[root].identity.epoch:
                    self._tables[root].acknowledged[consumer] = ack["last_seq"]
