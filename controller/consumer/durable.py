"""``watch --durable``: the reference consumer. Its file ends as the table's events are, whatever breaks on the way."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from controller.consumer.watch import LISTED, PATIENCE_SECONDS, SILENT
from controller.formats.journal.stream import ack_bytes, read_stream
from controller.formats.mqtt.envelope import Topics
from controller.formats.text.error_words import error_words
from controller.io.mqtt.connection import (
    Broker,
    CheckedClient,
    Protocol,
    PublishRefused,
    connected,
    own_identifier,
)
from controller.io.mqtt.durable_file import DurableFile
from controller.io.mqtt.reconnection import Reconnection
from controller.io.mqtt.request import read_reply
from controller.io.system.whole_work import in_thread
from controller.reports.audit.durable_follower import Follower, FollowerActions, read_place
from controller.reports.audit.stream_audit import Watcher

BATCH_LIMIT: Final = 500
"""Events written and synced together at most."""

TICK_SECONDS: Final = 1.0
"""Between two acknowledgements, and two looks at what is missing."""


class ConsumerOutput(NamedTuple):
    """Who is informed of what: a line for each event, complaints, and what goes on."""

    show: Callable[[str], None]
    complain: Callable[[str], None]
    tick_seconds: float = TICK_SECONDS
    patience_seconds: float = PATIENCE_SECONDS
    """After so long without a message of the table it is said, once, that there is none."""


class Durable:
    """Follows one table into one file, over any number of connections."""

    def __init__(self, broker: Broker, topics: Topics, consumer: str, file: DurableFile, says: ConsumerOutput) -> None:
        self._broker = broker
        self._topics = topics
        self._consumer = consumer
        self._identifier = own_identifier(f"tableside-consumer-{topics.site}-{topics.table}-{consumer}")
        self._file = file
        self._says = says
        self._follower = Follower(topics.site, topics.table, consumer, file.held, file.head)
        self._watcher = Watcher()
        self._waiting: list[bytes] = []
        self._due = file.held
        """What the file holds once what waits is written."""
        self._refused: set[str] = set()
        self._is_heard = False
        """Whether anything of the table has come, or its absence was reported."""
        self._reconnection = Reconnection(broker, random.Random())  # noqa: S311 - spreads retries, decides nothing

    async def run(self) -> None:
        """Follow until cancelled.

        Raises:
            OSError: the disk refused, or a certificate or key cannot be read.
        """
        if self._file.repaired:
            self._says.complain(f"{self._file.path}: {self._file.repaired}")
        await self._reconnection.keep(self._serve, self._away)

    def _away(self, error: Exception) -> None:
        self._says.complain(f"broker {self._broker.host}:{self._broker.port}: {error_words(error)}")

    async def _serve(self, protocol: Protocol) -> None:
        async with connected(self._broker, protocol, self._identifier) as client:
            self._follower.connected(self._now())
            replay = self._topics.replay(self._consumer)
            for topic in (f"{self._topics.root}/event/#", replay, self._topics.reply("replay"), self._topics.stream):
                await client.subscribe(topic, qos=1)
            self._reconnection.worked()
            ticking = asyncio.create_task(self._tick(client))
            silence = asyncio.get_running_loop().call_later(self._says.patience_seconds, self._report_silence)
            try:
                await self._listen(client)
            finally:
                silence.cancel()
                ticking.cancel()
                await asyncio.gather(ticking, return_exceptions=True)

    def _report_silence(self) -> None:
        if not self._is_heard:
            self._is_heard = True
            self._says.complain(f"{self._topics.root}: {SILENT}{LISTED}")

    async def _listen(self, client: CheckedClient) -> None:
        async for message in client.messages:
            self._is_heard = True
            topic, payload = str(message.topic), message.payload
            if topic == self._topics.stream:
                now = read_stream(payload)
                # What came before it must be in the file before the two are compared.
                await self._flush()
                if now is not None:
                    await self._take(self._follower.see_stream(now, self._now()))
            elif topic == self._topics.reply("replay"):
                self._see_reply(payload)
            else:
                await self._take(self._follower.see_event(payload, self._now()))
            if len(self._waiting) >= BATCH_LIMIT or not len(client.messages):
                await self._flush()
            self._ask(client)

    async def _take(self, taken: FollowerActions) -> None:
        for complaint in taken.complaints:
            self._says.complain(complaint)
        if taken.new_epoch:
            await self._flush()
            await in_thread(self._file.begin, self._follower.started())
            self._says.show(f"{self._file.path}: epoch {taken.new_epoch} begins")
        if taken.head:
            await in_thread(self._file.keep_head, taken.head)
        self._waiting += taken.events
        self._due = self._follower.held
        if taken.differs:
            self._follower.begin_again()
            self._due = self._follower.held
            name = await in_thread(self._file.differs, self._follower.held)
            self._says.complain(f"what was on this disk is now in {name}; everything is asked for again")

    async def _flush(self) -> None:
        """Write what waits, and only then count it as held."""
        if not self._waiting:
            return
        events, self._waiting = self._waiting, []
        await in_thread(self._file.append, events, self._due)
        for body in events:
            name = read_place(body).type.removeprefix("tableside.").removesuffix(".v1")
            seen = self._watcher.see(f"{self._topics.root}/event/{name}", body)
            for line in seen.lines:
                self._says.show(line)
            for complaint in seen.complaints:
                self._says.complain(complaint)

    def _see_reply(self, payload: bytes) -> None:
        reply = read_reply(payload)
        if reply is not None and reply.transaction == self._consumer and reply.status == "refused":
            self._says.complain(f"replay refused: {reply.text}")

    def _ask(self, client: CheckedClient) -> None:
        wanted = self._follower.replay_due(self._now())
        if wanted is not None:
            asked = msgspec.structs.replace(wanted, transaction=self._consumer)
            self._send(client, self._topics.command("replay"), msgspec.json.encode(asked))

    async def _tick(self, client: CheckedClient) -> None:
        while True:
            self._ask(client)
            held = self._follower.ack_due() if not self._waiting else None
            # What is acknowledged is what the file has, never what only came.
            if held is not None and held == self._file.held:
                topic = f"{self._topics.root}/ack/{self._consumer}"
                self._send(client, topic, ack_bytes(held.epoch, held.seq, held.hash, self._file.head))
            silence = self._follower.silence(self._now())
            if silence:
                self._says.complain(silence)
            await asyncio.sleep(self._says.tick_seconds)

    def _send(self, client: CheckedClient, topic: str, payload: bytes) -> None:
        def answered(answer: asyncio.Future[None]) -> None:
            error = None if answer.cancelled() else answer.exception()
            if isinstance(error, PublishRefused) and topic not in self._refused:
                self._refused.add(topic)
                self._says.complain(f"{topic}: refused by the broker: {error}")

        client.send(topic, payload).add_done_callback(answered)

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


async def follow(broker: Broker, topics: Topics, consumer: str, path: Path, says: ConsumerOutput) -> None:
    """Follow a table into the file at ``path`` until cancelled.

    Raises:
        DurableRefused: the file cannot be used.
        OSError: the disk refused.
    """
    file = await asyncio.to_thread(DurableFile, path, topics.site, topics.table)
    try:
        await Durable(broker, topics, consumer, file, says).run()
    finally:
        file.close()
