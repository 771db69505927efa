"""A real journal with its publisher, and the reference consumer beside it, in one event loop."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import random
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from controller.consumer.durable import ConsumerOutput, follow
from controller.core.messages.events import RoundClosed
from controller.daemon.daemon import ledger_of, stream_of
from controller.daemon.startup import opened
from controller.formats.journal.records import Identity, key_mark
from controller.formats.journal.stream import StreamNow
from controller.formats.mqtt.envelope import event_bytes
from controller.io.journal.anchors import Anchors
from controller.io.journal.consumers import Consumers
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.io.mqtt.connection import Broker
from controller.io.mqtt.publisher import Publisher
from controller.io.system.clock import Clock, SystemClock
from tests.io.broker_rig import PATIENCE_SECONDS, TOPICS
from tests.journal_key import KEY

CONSUMER = "surveillance"
TICK_SECONDS = 0.02
HERE = Identity("harbour", "bj-1", 3)
MARKS = {"key": key_mark(KEY), "configuration": "c", "software": "s"}


class Table:
    """A journal that is published; ``deal`` commits events."""

    def __init__(
        self, journal: Journal, broker: Broker, clock: Clock, session: int = 1, tick_seconds: float = TICK_SECONDS
    ) -> None:
        self.journal = journal
        self.anchors = Anchors(journal)
        self.stream_states: collections.deque[StreamNow] = collections.deque(maxlen=10)
        self.consumers = Consumers(
            (CONSUMER,),
            ledger_of(journal, self.anchors),
            journal.identity,
            session=session,
            clock=clock,
            publish=self._publish,
            tick_seconds=tick_seconds,
        )
        self.publisher = Publisher(
            broker,
            TOPICS,
            stream_of(journal),
            session=session,
            clock=clock,
            chance=random.Random(1),
            on_command=lambda *_: None,
            consumers=self.consumers,
        )

    def _publish(self, now: StreamNow) -> None:
        self.stream_states.append(now)
        self.publisher.retain(TOPICS.stream, msgspec.json.encode(now))
        self.publisher.tell_alarms(now.alarms)

    async def deal(self, events: int, record: bytes = b"record") -> None:
        for _ in range(events):
            head = self.journal.head
            event = RoundClosed(round=head.seq + 1, dealer=(), legal_plays=1, outcome="settled")
            body = event_bytes(event, self.journal.identity, head.seq + 1, 0)
            await self.journal.commit([JournalEntry(head.number + 1, record, ((head.seq + 1, body),))])
        self.publisher.wake()


@contextlib.asynccontextmanager
async def table(path: Path, broker: Broker, epoch: int = 3) -> AsyncIterator[Table]:
    """A table's daemon, as far as publication goes."""
    storage = await opened(path, Identity("harbour", "bj-1", epoch), KEY, MARKS, SystemClock())
    journal = storage.journal
    running = Table(journal, broker, SystemClock())
    tasks = [asyncio.create_task(work()) for work in (running.publisher.run, running.consumers.run)]
    try:
        yield running
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await journal.close()


class Kept:
    """The consumer's file and what it complained of."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.complaints: list[str] = []

    def data(self) -> bytes:
        return self.path.read_bytes() if self.path.exists() else b""

    async def until(self, wanted: bytes) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.data() != wanted:
                await turn()

    async def until_complaint(self, part: str) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not any(part in one for one in self.complaints):
                await turn()


async def turn() -> None:
    """Let others go on for a moment."""
    passed = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.01, passed.set_result, None)
    await passed


@contextlib.asynccontextmanager
async def consumer(path: Path, broker: Broker) -> AsyncIterator[Kept]:
    """``tableside watch --durable``."""
    kept = Kept(path)
    task = asyncio.create_task(
        follow(broker, TOPICS, CONSUMER, path, ConsumerOutput(lambda _: None, kept.complaints.append, TICK_SECONDS))
    )
    try:
        yield kept
    finally:
        task.cancel()
        # What ended it before is why the test waited in vain.
        with contextlib.suppress(asyncio.CancelledError):
            await task


def exported(journal: Path, first: int = 1) -> bytes:
    """What ``tableside export --events`` writes."""
    with JournalReader(journal) as reader:
        return b"".join(row.body + b"\n" for row in reader.events(first))
