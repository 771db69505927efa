"""Who has a name at a broker, and does there what the access list alone does not forbid: in real brokers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Final

import aiomqtt
import paho.mqtt.client as paho
import pytest
from paho.mqtt.enums import CallbackAPIVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties

from controller.consumer.durable import ConsumerOutput, Durable
from controller.io.mqtt.broker import LOOPBACK, find_mosquitto, free_port, mosquitto
from controller.io.mqtt.connection import Broker, ConnectionLost, connected
from controller.io.mqtt.durable_file import DurableFile
from tests.campaigns.hostile import resident_bytes
from tests.io.broker_rig import Memory, closed, listening, publishing
from tests.systemd.test_access import may_read, may_write, the_property, with_speaker
from tests.systemd.test_mosquitto import (
    CONFIGS,
    PASSWORD,
    PATIENCE_SECONDS,
    TOPICS,
    as_user,
    bridge_to,
    folder,
    table_broker,
)

__all__ = ["folder"]

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")

ROOT: Final = TOPICS.root
SAID: Final = (
    *(f"{ROOT}/{rest}" for rest in ("status", "info", "event/round_closed", "alert/alert_raised", "state/round")),
    *(f"{ROOT}/{rest}" for rest in ("device/shoe/status", "reply/void", "reply/replay/surveillance")),
)
"""What only the table says."""
ASKED: Final = (f"{ROOT}/cmd/void", f"{ROOT}/ack/surveillance")
STRANGE: Final = (f"{ROOT}/cmd/void/again", f"{ROOT}/ack/a/b", "tableside/v2/harbour/bj-1/status", "elsewhere")
SYSTEM: Final = ("$SYS/broker/version", "$CONTROL/dynamic-security/v1")
EVERY_WAY: Final = ("#", "$SYS/#", "$CONTROL/#", "$share/stolen/#", "tableside/+/+/+/#")

HOARD_BYTES: Final = 64 * 1024 * 1024
PART_BYTES: Final = 250_000
HELD_BYTES: Final = 48 * 1024 * 1024
"""What the table's broker may hold in memory when it is offered that much for a client that is away."""


async def test_every_cell_of_the_tables_list(folder: Path) -> None:
    written = {"table": {*SAID, *ASKED, *STRANGE[:2]}, "bridge": {*ASKED}, "floor": {ASKED[0]}, "stranger": set()}
    read = {
        "table": {f"{ROOT}/status", ASKED[0], ASKED[1], STRANGE[0]},
        "bridge": {*SAID, *ASKED, *STRANGE[:2]},
        "floor": {*SAID, *ASKED, *STRANGE[:2]},
        "stranger": set(),
    }
    topics = (*SAID, *ASKED, *STRANGE)
    access = with_speaker((CONFIGS / "table.acl").read_text())
    async with table_broker(folder, free_port(), access=access, others=("stranger", "everybody")) as broker:
        for user, takes in written.items():
            known = as_user(broker, user)
            assert await may_write(known, (*topics, *SYSTEM)) == takes, user
            speaker = as_user(broker, "everybody")
            assert await may_read(known, speaker, topics, EVERY_WAY) == read[user], user


async def test_a_last_will_is_held_to_the_list_and_so_are_shared_subscriptions(folder: Path) -> None:
    text = with_speaker((CONFIGS / "property.acl").read_text())
    async with the_property(folder, text, ("everybody",)) as house:
        topics = (f"{ROOT}/cmd/void", f"{ROOT}/event/card_drawn", "$SYS/broker/uptime")
        for user, heard in (("surveillance", set(topics[:2])), ("accounting", {topics[1]}), ("stranger", set())):
            found = await may_read(house.known_as(user), house.known_as("everybody"), topics[:2], EVERY_WAY)
            assert found == heard, user
        async with connected(house.known_as("surveillance"), "5", "") as listener:
            await listener.subscribe("#", qos=1)
            for topic in (f"{ROOT}/status", f"{ROOT}/cmd/answer"):
                will = aiomqtt.Will(topic, b"a lie", qos=1, retain=True)
                async with contextlib.AsyncExitStack() as stack:
                    stack.enter_context(contextlib.suppress(ConnectionLost))
                    client = await stack.enter_async_context(connected(house.known_as("pit"), "5", "", will))
                    await client.drop()
            async with asyncio.timeout(PATIENCE_SECONDS):
                async for message in listener.messages:
                    assert str(message.topic) == f"{ROOT}/cmd/answer"
                    break


async def test_nobody_takes_the_tables_connections_by_coming_under_their_names(folder: Path) -> None:
    """A broker hangs up on a client when another comes under its name, and says its last will."""
    async with (
        table_broker(folder, free_port()) as broker,
        listening(as_user(broker, "floor")) as heard,
        publishing(broker, Memory(closed(3))) as publisher,
    ):
        async with asyncio.timeout(PATIENCE_SECONDS):
            await publisher.online.wait()
        for rest in ("", "-requests"):
            async with connected(as_user(broker, "floor"), "5", f"tableside-harbour-bj-1{rest}") as thief:
                await thief.publish(TOPICS.command("hello"))
        publisher.tell_alarms(("the end",))
        await heard.until(TOPICS.status, 2)
        assert [b"online" in payload for payload in heard.payloads(TOPICS.status)] == [True, True]


async def test_nor_a_durable_consumers(folder: Path, tmp_path: Path) -> None:
    shown = Shown()
    memory = Memory(closed(3))
    async with table_broker(folder, free_port()) as broker, contextlib.AsyncExitStack() as stack:
        file = stack.enter_context(contextlib.closing(DurableFile(tmp_path / "events.jsonl", "harbour", "bj-1")))
        floor = as_user(broker, "floor")
        durable = Durable(floor, TOPICS, "surveillance", file, ConsumerOutput(shown.show, shown.complain))
        async with durable_running(durable):
            publisher = await stack.enter_async_context(publishing(broker, memory))
            await shown.until(1)
            async with connected(floor, "5", "tableside-consumer-harbour-bj-1-surveillance") as thief:
                await thief.publish(TOPICS.command("hello"))
            memory.rows += Memory(closed(4)).rows[3:]
            publisher.wake()
            await shown.until(len(shown.lines) + 1)
    assert [one for one in shown.lines if one.startswith("broker ")] == []


class Shown:
    """What a consumer shows and complains of."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._arrived = asyncio.Event()

    def show(self, line: str) -> None:
        self.lines.append(line)
        self._arrived.set()

    complain = show

    async def until(self, count: int) -> None:
        """Wait for so many lines."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(self.lines) < count:
                self._arrived.clear()
                await self._arrived.wait()


@contextlib.asynccontextmanager
async def durable_running(durable: Durable) -> AsyncIterator[None]:
    """A consumer that follows until the end."""
    following = asyncio.create_task(durable.run())
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)


async def test_a_command_kept_by_the_propertys_broker_is_not_carried_out_when_the_bridge_comes_again(
    folder: Path,
) -> None:
    commands: list[tuple[str, bytes]] = []
    async with (
        mosquitto() as hall,
        table_broker(folder, free_port(), bridge_to(hall.port)) as broker,
        listening(hall) as heard,
        publishing(broker, Memory(), commands),
        connected(hall, "5", "hall") as pit,
    ):
        await heard.until(TOPICS.status)
        await pit.publish(TOPICS.command("new-shoe"), b'{"who": "pit"}', retain=True)
        await heard.until(TOPICS.reply("new-shoe"), 1)
        async with connected(hall, "5", "table-pc-1-CHANGE-ME"):
            # The bridge was hung up on, and comes again.
            pass
        refusals = await heard.until(TOPICS.reply("new-shoe"), 2)
        assert all(b"not retained" in one for one in refusals)
    assert commands == []


async def test_who_is_away_and_is_sent_too_much_neither_fills_the_tables_broker_nor_holds_up_the_table(
    folder: Path,
) -> None:
    topic = "tableside/v1/harbour/bj-9/cmd/void"
    async with table_broker(folder, free_port()) as broker:
        floor = as_user(broker, "floor")
        goes_away(floor, topic)
        (process,) = brokers(folder)
        before = resident_bytes(process)
        async with connected(floor, "5", "") as client:
            part = bytes(PART_BYTES)
            for _ in range(HOARD_BYTES // PART_BYTES // 16):
                await asyncio.gather(*(client.send(topic, part) for _ in range(16)))
        assert resident_bytes(process) - before < HELD_BYTES
        async with listening(floor) as heard, publishing(broker, Memory(closed(20))):
            await heard.until(f"{ROOT}/event/round_closed", 20)


def goes_away(broker: Broker, topic: str) -> None:
    """Somebody asks for a topic and goes away, for long."""
    for_long = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]
    for_long.SessionExpiryInterval = 10 * 24 * 3600
    client = paho.Client(CallbackAPIVersion.VERSION2, "hoarder", protocol=paho.MQTTv5)
    client.username_pw_set(broker.username, PASSWORD)
    answered: list[int] = []
    client.on_subscribe = lambda *_: answered.append(1)
    client.connect(LOOPBACK, broker.port, properties=for_long, clean_start=True)
    client.subscribe(topic, 1)
    while not answered:
        client.loop(0.1)
    client.disconnect()


def brokers(directory: Path) -> Iterator[int]:
    """The processes that run on a folder's configuration."""
    for one in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            words = (one / "cmdline").read_bytes().split(b"\0")
            if str(directory / "mosquitto.conf").encode() in words:
                yield int(one.name)
