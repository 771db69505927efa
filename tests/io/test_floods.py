"""More than anybody can read: what the table has to report goes on, and what is too much never reaches the journal."""

from __future__ import annotations

import asyncio
import math
import time

import aiomqtt
import msgspec
import pytest

from controller.formats.orders.requests import Reply
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker, CheckedClient, ConnectionLost, Protocol, connected
from controller.io.mqtt.intake import AS_WORKED_OFF, INBOX_LIMIT, LONGEST_SECONDS, SHARE, STRETCH_NS, Flow, Inbound
from controller.io.system.clock import SystemClock
from controller.io.system.rate_limits import REQUESTS_AT_ONCE, REQUESTS_PER_SECOND, RequestLimit
from tests.io.broker_rig import (
    PATIENCE_SECONDS,
    TOPICS,
    Memory,
    closed,
    first_of_each,
    listening,
    publishing,
)

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")

BODY = msgspec.json.encode({"alert": 1, "who": "M. Okafor", "transaction": "x" * 1000})


@pytest.mark.parametrize("qos", [0, 1])
async def test_a_flood_of_commands_keeps_no_event_waiting_and_is_reported_once(qos: int) -> None:
    memory, commands, floods = Memory(closed(1)), list[tuple[str, bytes]](), list[str]()
    limit = RequestLimit(SystemClock(), floods.append)
    begun = time.monotonic()
    async with (
        mosquitto({"max_queued_messages": "20000"}) as broker,
        listening(broker, f"{TOPICS.root}/event/#") as listener,
        listening(broker, TOPICS.reply("ack")) as replies,
        publishing(broker, memory, commands, limit=limit) as publisher,
        connected(broker, "5", "flood") as flood,
    ):
        await publisher.online.wait()
        for number in range(2, 42):
            answers = [flood.send(TOPICS.command("ack"), BODY, qos=qos) for _ in range(100)]
            memory.rows.append(Memory(closed(number)).rows[-1])
            publisher.wake()
            await asyncio.gather(*answers)
        await memory.until(41)
        await listener.until(f"{TOPICS.root}/event/round_closed", 41)
        assert first_of_each(listener.seqs()) == list(range(1, 42))
        await replies.until(TOPICS.reply("ack"), 1)
        passed = time.monotonic() - begun
        acknowledgements = [
            msgspec.json.decode(payload, type=Reply) for payload in replies.payloads(TOPICS.reply("ack"))
        ]
    assert REQUESTS_AT_ONCE <= len(commands) <= REQUESTS_AT_ONCE + REQUESTS_PER_SECOND * passed + 1
    assert floods == ["ack by MQTT: more than 10 a second; what is beyond is refused"]
    assert {one.status for one in acknowledgements} == {"refused"}
    assert len(acknowledgements) <= 10 + 10 * passed


async def test_who_hears_too_much_for_long_lets_the_broker_forget_it() -> None:
    inbound = Inbound(is_paced=True, flood_seconds=0.2)
    async with (
        mosquitto() as broker,
        connected(broker, "5", "flood") as flood,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        lost = await asyncio.gather(flooded(broker, flood, inbound), return_exceptions=True)
        assert [type(one) for one in lost] == [ConnectionLost]
        assert "messages a second" in str(lost[0])


async def flooded(broker: Broker, flood: CheckedClient, inbound: Inbound) -> None:
    """Hear more than is read, until the end."""
    async with connected(broker, "5", "heard", inbound=inbound) as heard:
        await heard.subscribe("flood", qos=0)
        await flood.publish("flood", b"x")
        async for _ in heard.messages:
            await asyncio.gather(*(flood.send("flood", b"x", qos=0) for _ in range(10)))


def test_reading_takes_a_twentieth_of_the_loop_however_long_a_message_takes() -> None:
    """Each packet takes 1 ms on a machine with much to do: cards have the rest."""
    flow, now_ns, read_ns = Flow(math.inf), 0, 0
    while now_ns < 10_000_000_000:
        wait_ns = round(flow.wait_seconds(now_ns, is_full=False) * 1e9)
        assert wait_ns <= LONGEST_SECONDS * 1e9
        now_ns += wait_ns
        if not wait_ns:
            flow.spend(1_000_000)
            now_ns += 1_000_000
            read_ns += 1_000_000
    assert STRETCH_NS < read_ns <= now_ns / SHARE + 2 * STRETCH_NS


@pytest.mark.parametrize("cost_ns", [0, 1_000_000])
def test_a_flood_goes_on_and_two_bursts_are_none(cost_ns: int) -> None:
    """Whether it is too many, or each takes long; a burst an hour later is another matter."""
    flow, hour_ns = Flow(2.0), 3_600_000_000_000
    for number in (1, 2):
        read(flow, cost_ns, number * hour_ns, 1_000_000_000)
    with pytest.raises(aiomqtt.MqttError, match="messages a second"):
        read(flow, cost_ns, 3 * hour_ns, 10_000_000_000)


def test_one_long_read_is_no_flood() -> None:
    flow = Flow(2.0)
    assert flow.wait_seconds(0, is_full=False) == 0
    flow.spend(500_000_000)
    now_ns = 0
    while wait_seconds := flow.wait_seconds(now_ns, is_full=False):
        now_ns += round(wait_seconds * 1e9)
    assert now_ns < 2_000_000_000


def read(flow: Flow, cost_ns: int, now_ns: int, for_ns: int) -> None:
    """Read for so long what never ends, each message at a cost."""
    end_ns = now_ns + for_ns
    while now_ns < end_ns:
        now_ns += round(flow.wait_seconds(now_ns, is_full=False) * 1e9) + cost_ns + 1
        flow.spend(cost_ns)


@pytest.mark.parametrize("protocol", ["5", "3.1.1"])
async def test_a_message_beyond_all_measure_is_not_taken_in(protocol: Protocol) -> None:
    """A broker of 5 keeps it back; one of 3.1.1 knows no limit, and is hung up on."""
    async with mosquitto() as broker, connected(broker, "5", "other") as other, asyncio.timeout(PATIENCE_SECONDS):
        (received,) = await asyncio.gather(first_heard(broker, protocol, other), return_exceptions=True)
    assert str(received) == {"5": "small", "3.1.1": "the broker sends a message of more than 2000 bytes"}[protocol]


async def first_heard(broker: Broker, protocol: Protocol, other: CheckedClient) -> str:
    """The first of a large and a small message that comes in."""
    async with connected(broker, protocol, "heard", inbound=Inbound(packet_bytes=2000)) as heard:
        await heard.subscribe("a", qos=1)
        await other.publish("a", b"x" * 1_000_000)
        await other.publish("a", b"small")
        return (await anext(aiter(heard.messages))).payload.decode()


async def test_who_only_listens_and_is_slow_leaves_the_rest_at_the_broker_and_hears_it_all() -> None:
    async with (
        mosquitto({"max_queued_messages": "0"}) as broker,
        connected(broker, "5", "flood") as flood,
        connected(broker, "5", "heard", inbound=AS_WORKED_OFF) as heard,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        await heard.subscribe("flood", qos=1)
        for first in range(0, 2000, 100):
            await asyncio.gather(*(flood.send("flood", b"%d" % number) for number in range(first, first + 100)))
        # The broker has taken all of it, and so had the time to pass it on.
        assert heard._queue.qsize() <= INBOX_LIMIT
        come = [(await anext(heard.messages)).payload for _ in range(2000)]
    assert come == [b"%d" % number for number in range(2000)]
