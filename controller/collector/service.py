"""The collector's process: a broker on one side, the database on the other, and acknowledgements once it has committed.

While the database is away what comes is held up to a limit and then dropped; while the broker is away nothing comes.
Both are waited for. What was not taken is asked for again, so neither is a loss.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import structlog

from controller.collector.intake import Intake, Limits, OutboundMessage
from controller.collector.store import Store, StoreFailed, StoreRefused, TableKey, TableWrite, TakenOver
from controller.formats.text.error_words import error_words
from controller.formats.text.printable import many
from controller.io.mqtt.connection import (
    Broker,
    CheckedClient,
    Protocol,
    PublishRefused,
    connected,
    own_identifier,
)
from controller.io.mqtt.intake import AS_WORKED_OFF
from controller.io.mqtt.reconnection import Reconnection
from controller.io.system.backoff import Backoff
from controller.reports.audit.durable_follower import StreamPosition

TICK_SECONDS: Final = 1.0
"""Between two looks at what to acknowledge and to ask for."""

LINGER_SECONDS: Final = 0.05
"""How long is waited for more before what came is written: one sync of the disk for all of it."""

REFUSED_LIMIT: Final = 1_000
"""Topics that the broker refused, each reported once."""

log = structlog.get_logger(__name__)


class Pauses(NamedTuple):
    """What is waited for, and how much waits; tests wait less."""

    tick_seconds: float = TICK_SECONDS
    linger_seconds: float = LINGER_SECONDS
    limits: Limits = Limits()


class CollectionScope(NamedTuple):
    """Which tables of which broker are collected, and the name by which they are acknowledged."""

    broker: Broker
    filters: Sequence[str]
    consumer: str


class CollectorService:
    """Collects the tables of a broker until cancelled."""

    def __init__(
        self,
        collected: CollectionScope,
        store: Store,
        chance: random.Random,
        pauses: Pauses = Pauses(),  # noqa: B008
    ) -> None:
        self._broker, self._filters, self._consumer = collected
        self._identifier = own_identifier(f"tableside-collector-{self._consumer}")
        self._store = store
        self._backoff = Backoff(chance)
        self._reconnection = Reconnection(self._broker, chance)
        self._pauses = pauses
        self._work = asyncio.Event()
        self._refused: set[str] = set()
        self.intake = Intake(self._consumer, {})
        self.written = 0
        """Events committed since the start."""
        self.batches = 0
        self.database_trouble = ""
        """Why nothing is written now; empty: it is."""
        self.broker_trouble = "not connected yet"
        self.listening = asyncio.Event()
        """Set while subscribed."""

    def status(self) -> str:
        """How the collector is, for people."""
        trouble = "; ".join(one for one in (self.broker_trouble, self.database_trouble) if one)
        tables = len(self.intake.kept())
        kept = f"{many(tables, 'table')}, {many(self.written, 'event')}"
        return f"{trouble or 'collecting'}: {kept}, {self.intake.waiting} waiting"

    async def run(self) -> None:
        """Collect.

        Raises:
            StoreRefused: the database cannot be used.
            OSError: a certificate or key cannot be read.
        """
        first = True
        while True:
            held = await self._opened(may_refuse=first)
            first = False
            self.intake = Intake(self._consumer, held, self._pauses.limits)
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._follow())
                    group.create_task(self._write())
            except* TakenOver as error:
                log.warning("begins again from what the database has", reason=str(error.exceptions[0]))

    async def _opened(self, *, may_refuse: bool) -> dict[TableKey, tuple[StreamPosition, str]]:
        while True:
            try:
                found = await asyncio.to_thread(self._store.open)
            except (StoreFailed, StoreRefused) as error:
                if may_refuse and isinstance(error, StoreRefused):
                    raise
                self._database_lost(str(error))
                await asyncio.sleep(self._backoff.next_seconds())
            else:
                self._database_there()
                return found

    async def _follow(self) -> None:
        await self._reconnection.keep(self._serve, self._broker_lost)

    def _broker_lost(self, error: Exception) -> None:
        self.listening.clear()
        self.broker_trouble = f"broker {self._broker.host}:{self._broker.port}: {error_words(error)}"
        log.error("broker away", reason=self.broker_trouble)

    async def _serve(self, protocol: Protocol) -> None:
        async with connected(self._broker, protocol, self._identifier, inbound=AS_WORKED_OFF) as client:
            self.intake.connected(self._now())
            self._refused.clear()
            for one in self._filters:
                for rest in ("event/+", f"reply/replay/{self._consumer}", "reply/replay", "state/stream"):
                    await client.subscribe(f"tableside/v1/{one}/{rest}", qos=1)
            self.broker_trouble = ""
            self.listening.set()
            self._reconnection.worked()
            log.info("collects", tables=list(self._filters), broker=self._broker.address)
            ticking = asyncio.create_task(self._tick(client))
            try:
                async for message in client.messages:
                    self.intake.hear(str(message.topic), message.payload, self._now())
                    self._send(client, self.intake.next_replays(self._now()))
                    if self.intake:
                        self._work.set()
            finally:
                ticking.cancel()
                await asyncio.gather(ticking, return_exceptions=True)

    async def _tick(self, client: CheckedClient) -> None:
        while True:
            self._send(client, self.intake.due(self._now()))
            if self.intake:
                self._work.set()
            await asyncio.sleep(self._pauses.tick_seconds)

    def _send(self, client: CheckedClient, messages: Iterable[OutboundMessage]) -> None:
        for one in list(messages):
            client.send(one.topic, one.payload).add_done_callback(self._answered(one.topic))

    def _answered(self, topic: str) -> Callable[[asyncio.Future[None]], None]:
        def done(answer: asyncio.Future[None]) -> None:
            error = None if answer.cancelled() else answer.exception()
            if isinstance(error, PublishRefused) and topic not in self._refused and len(self._refused) < REFUSED_LIMIT:
                self._refused.add(topic)
                log.error("refused by the broker", topic=topic, reason=str(error))

        return done

    async def _write(self) -> None:
        while True:
            await self._work.wait()
            await asyncio.sleep(self._pauses.linger_seconds)
            self._work.clear()
            while pieces := self.intake.cut():
                for piece in pieces:
                    for complaint in piece.complaints:
                        log.error("ALARM", table=piece.name.text(), complaint=complaint)
                self.written += await self._committed(pieces)
                self.batches += 1
                self.intake.written(pieces)

    async def _committed(self, pieces: list[TableWrite]) -> int:
        """How many events were written; tried until they are."""
        while True:
            writing = asyncio.create_task(asyncio.to_thread(self._store.write, pieces))
            try:
                count = await asyncio.shield(writing)
            except (StoreFailed, StoreRefused) as error:
                self._database_lost(str(error))
                await asyncio.sleep(self._backoff.next_seconds())
            except asyncio.CancelledError:
                # A thread cannot be cancelled: the connection may not be used before it is done.
                with contextlib.suppress(Exception):
                    await writing
                raise
            else:
                self._database_there()
                return count

    def _database_lost(self, reason: str) -> None:
        if not self.database_trouble:
            log.error("database away", reason=reason)
        self.database_trouble = reason

    def _database_there(self) -> None:
        if self.database_trouble:
            log.info("database is there again")
        self.database_trouble = ""
        self._backoff.reset()

    def _now(self) -> float:
        return asyncio.get_running_loop().time()
