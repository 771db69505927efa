"""A table at a real broker without its devices: what a rig emitted is published as the daemon would publish it."""

from __future__ import annotations

import asyncio
import contextlib
import random
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from typing import Final

import msgspec

from controller.core.messages.events import Event
from controller.formats.journal.records import Identity
from controller.formats.journal.signed_note import Verifier
from controller.formats.mqtt.envelope import Topics, device_bytes, event_bytes, event_name, status_bytes
from controller.formats.mqtt.retained_alerts import alerts_bytes
from controller.formats.mqtt.retained_layout import FeltPicture
from controller.formats.mqtt.retained_meters import meters_bytes
from controller.formats.mqtt.retained_orders import orders_bytes
from controller.formats.mqtt.retained_state import advice_bytes, hold_bytes, info_bytes, round_bytes
from controller.formats.orders.operators import ChannelUser
from controller.io.mqtt.connection import Broker, CheckedClient, connected
from controller.io.system.clock import SystemClock
from controller.io.system.notify import Notifier
from controller.web.server import ServerAddress
from controller.web.service import Source, WebParts, serve
from controller.web.whole_floor import ReadFloor
from tests.core.rig import Rig

HERE: Final = Identity("harbour", "bj-1", 1_795_259_812)
PATIENCE_S: Final = 30.0


class Stage:
    """Publishes what a rig has emitted since it was last asked, pictures and events, as table ``harbour/bj-1``."""

    def __init__(self, client: CheckedClient, rig: Rig, identity: Identity = HERE) -> None:
        self.rig = rig
        self.identity = identity
        self.topics = Topics(identity.site, identity.table)
        self._client = client
        self._felt = FeltPicture()
        self._published = 0

    async def open(self) -> None:
        """Say that the table runs, and how its devices are."""
        await self.retain(self.topics.status, status_bytes("online", 1, self._now()))
        await self.retain(self.topics.info, info_bytes(self.rig.house, "0.1.0"))
        for device in ("shoe", "keypad", "bet_spots/1"):
            await self.device(device, "ready", "")
        await self.publish()

    async def talk(self, text: str) -> None:
        """Let the rig hear this, and publish what it emits."""
        self.rig.talk(text)
        await self.publish()

    async def publish(self) -> None:
        """Publish what the rig has emitted since."""
        fresh: list[Event] = self.rig.events[self._published :]
        for seq, event in enumerate(fresh, start=self._published + 1):
            self._felt.take(seq, event)
            body = event_bytes(event, self.identity, seq, self._now())
            await self._client.publish(f"{self.topics.root}/event/{event_name(event)}", body)
        self._published += len(fresh)
        state = self.rig.table.state
        await self.retain(self.topics.state("felt"), msgspec.json.encode(self._felt.now()))
        await self.retain(self.topics.state("round"), round_bytes(self.rig.house, state))
        await self.retain(self.topics.state("advice"), advice_bytes(state))
        await self.retain(self.topics.state("alerts"), alerts_bytes(state))
        await self.retain(self.topics.state("orders"), orders_bytes(self.rig.house, state))
        if state.progressives.meters:
            await self.retain(self.topics.state("meters"), meters_bytes(state))

    async def device(self, name: str, state: str, detail: str) -> None:
        """A device is in this state now."""
        await self.retain(self.topics.device(name), device_bytes(state, detail, self._now()))

    async def hold(self, reason: str) -> None:
        """The table is on hold; empty: no longer."""
        await self.retain(self.topics.state("hold"), hold_bytes(reason))

    async def retain(self, topic: str, payload: bytes) -> None:
        """Publish a picture that stays."""
        await self._client.publish(topic, payload, 1, True)

    def _now(self) -> int:
        return SystemClock().wall_ns()


@contextlib.asynccontextmanager
async def staged(broker: Broker, rig: Rig, identity: Identity = HERE) -> AsyncIterator[Stage]:
    """A table at the broker that has published everything its rig emitted so far."""
    async with connected(broker, "5", "") as client:
        stage = Stage(client, rig, identity)
        await stage.open()
        yield stage


@contextlib.asynccontextmanager
async def pages(
    broker: Broker,
    *journals: Path,
    signers: Mapping[str, ChannelUser] | None = None,
    texts: Path | None = None,
    tls: ssl.SSLContext | None = None,
    read_floor: ReadFloor | None = None,
    verifiers: tuple[Verifier, ...] = (),
) -> AsyncIterator[str]:
    """The program that serves the pages of every table at the broker, and of journals; ``signers`` may sign in.

    ``texts`` is a folder with words in other languages; ``tls`` is what HTTPS is served with,
    ``read_floor`` reads the whole floor; the heads of journals are held against ``verifiers``.
    """
    ready: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    around = WebParts(SystemClock(), random.Random(1), Notifier({}))
    say: Callable[[str], None] = ready.set_result
    source = Source(broker, "+/+", journals, signers, texts, read_floor, verifiers)
    task = asyncio.create_task(serve(source, ServerAddress("127.0.0.1", 0, tls=tls), around, say))
    try:
        await asyncio.wait((ready, task), timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            task.result()
        yield ready.result().rstrip("/")
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
