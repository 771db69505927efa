"""Contracts of the client with a real broker."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import aiomqtt
import pytest

from controller.formats.mqtt.envelope import CLOUDEVENTS
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker, CheckedClient, ConnectionLost, NotGreeted, PublishRefused, connected
from controller.io.mqtt.intake import ANYTHING
from controller.io.operators.certificates import make_authority
from tests.io.broker_rig import PATIENCE_SECONDS, Cuttable, listening, open_to_the_broker

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


@pytest.fixture(params=["5", "3.1.1"])
def protocol(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def test_a_publish_ends_with_the_brokers_answer(protocol: str) -> None:
    async with mosquitto() as broker, listening(broker) as listener:
        async with connected(broker, "5" if protocol == "5" else "3.1.1", "one") as client:
            await client.publish("tableside/x", b"hello")
        assert await listener.until("tableside/x") == [b"hello"]


async def test_a_refused_publish_raises(tmp_path: Path) -> None:
    rules = tmp_path / "acl"
    rules.write_text("topic write tableside/allowed\n")
    open_to_the_broker(rules)
    async with mosquitto({"acl_file": str(rules)}) as broker, connected(broker, "5", "one") as client:
        await client.publish("tableside/allowed", b"1")
        with pytest.raises(PublishRefused, match="Not authorized"):
            await client.publish("tableside/forbidden", b"2")


async def test_a_table_asked_to_stop_as_an_answer_comes_stops() -> None:
    async with mosquitto() as broker, connected(broker, "5", "one") as client:
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(client._wait_for(answer, None))
        await asyncio.sleep(0)
        answer.set_result(None)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting


async def test_a_cut_link_fails_everything_that_waits_and_everything_after() -> None:
    async with mosquitto() as target:
        wire = Cuttable(target)
        async with wire.open() as broker:
            with pytest.raises(ConnectionLost):  # noqa: PT012 - the connection ends with what was lost in it
                async with connected(broker, "5", "one") as client:
                    wire.deaf = True
                    answers = [client.send("tableside/x", b"%d" % number) for number in range(50)]
                    wire.cut()
                    ends = await asyncio.gather(*answers, return_exceptions=True)
                    assert all(isinstance(end, ConnectionLost) for end in ends)
                    await client.publish("tableside/x", b"after")


async def test_a_silent_broker_counts_as_lost_by_our_own_timer() -> None:
    async with mosquitto() as broker, connected(broker, "5", "one") as client:
        waiting = asyncio.get_running_loop().create_future()
        client._waiting[77] = waiting
        client._give_up(77)
        with pytest.raises(ConnectionLost, match="no answer"):
            await waiting
        client._give_up(77)


async def test_no_broker_and_a_broker_that_hangs_up_are_reported_at_once() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for _ in range(2):
        with pytest.raises(NotGreeted):
            async with connected(Broker(host="127.0.0.1", port=port), "5", "one"):
                pass
        server.close()


async def test_a_failed_handshake_leaves_no_socket(tmp_path: Path) -> None:
    """Also while somebody still holds what was raised, and with it all that was at work."""
    hung_up = asyncio.Event()

    async def gibberish(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"220 this is a mail server\r\n")
        with contextlib.suppress(ConnectionError):
            while await reader.read(4096):
                pass
        hung_up.set()
        writer.close()

    authority = make_authority(tmp_path, datetime(2026, 1, 1, tzinfo=UTC))
    server = await asyncio.start_server(gibberish, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        broker = Broker(host="127.0.0.1", port=port, tls_ca_file=str(authority.certificate))
        with pytest.raises(NotGreeted) as raised:
            async with connected(broker, "5", "one"):
                pass
        await asyncio.wait_for(hung_up.wait(), 10)
        assert raised.value.__cause__ is not None


async def test_a_message_says_of_what_type_it_is_where_the_protocol_can(protocol: str) -> None:
    async with mosquitto() as broker, connected(broker, "5", "listener") as listener:
        await listener.subscribe("tableside/#", qos=1)
        async with connected(broker, "5" if protocol == "5" else "3.1.1", "one") as client:
            await client.send("tableside/event", b"{}", content_type=CLOUDEVENTS)
            await client.send("tableside/state", b"{}")
        async with asyncio.timeout(60):
            event, state = [await anext(listener.messages), await anext(listener.messages)]
    assert getattr(event.properties, "ContentType", "") == (CLOUDEVENTS if protocol == "5" else "")
    assert getattr(state.properties, "ContentType", "") == ""


class LateExecutor(ThreadPoolExecutor):
    """Says that a connection is made only once it is allowed to: the event loop has read of it meanwhile."""

    def __init__(self) -> None:
        super().__init__(1)
        self.allowed = threading.Event()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **keywords: Any) -> Future[Any]:
        def later() -> Any:
            result = fn(*args, **keywords)
            self.allowed.wait(PATIENCE_SECONDS)
            return result

        return super().submit(later)


async def test_a_link_lost_while_it_is_greeted_is_lost() -> None:
    async def greet_and_hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(bytes([0x20, 3, 0, 0, 0]))
        writer.close()

    server, executor = await asyncio.start_server(greet_and_hang_up, "127.0.0.1", 0), LateExecutor()
    asyncio.get_running_loop().set_default_executor(executor)
    port = server.sockets[0].getsockname()[1]
    client = CheckedClient("127.0.0.1", port, protocol=aiomqtt.ProtocolVersion.V5, timeout=5, inbound=ANYTHING)
    lost, entering = client._disconnected, asyncio.ensure_future(client.__aenter__())
    await asyncio.wait((lost,), timeout=PATIENCE_SECONDS)
    executor.allowed.set()
    with pytest.raises(aiomqtt.MqttError, match="lost as it came about"):
        await entering
    server.close()


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing is closed by the garbage collector, which comes when it likes."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.parametrize("is_cancelled", [False, True], ids=["not greeted in time", "asked to stop"])
async def test_a_connection_given_up_as_it_comes_about_is_closed_at_once(
    is_cancelled: bool,
    uncollected: None,
) -> None:
    """Also while somebody still holds what was raised, and where a thread is still making it."""
    hung_up = asyncio.Event()

    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.read(4096):
            pass
        hung_up.set()
        writer.close()

    server, executor = await asyncio.start_server(say_nothing, "127.0.0.1", 0), LateExecutor()
    broker = Broker(host="127.0.0.1", port=server.sockets[0].getsockname()[1], connect_seconds=0.2)

    async def connect() -> None:
        async with connected(broker, "5", "one"):
            pass

    if is_cancelled:
        asyncio.get_running_loop().set_default_executor(executor)
    entering = asyncio.ensure_future(connect())
    await asyncio.wait((entering,), timeout=0.1 if is_cancelled else None)
    entering.cancel()
    with pytest.raises((NotGreeted, asyncio.CancelledError)) as raised:
        await entering
    executor.allowed.set()
    # The ping that nobody answers closes it too, after five seconds.
    await asyncio.wait_for(hung_up.wait(), 4)
    assert raised.value is not None
    server.close()


@pytest.mark.parametrize("topic", [b"a/\xff\xfe", b"a/\xc0\xaf", b"a/\xed\xa0\x80", b"a/+/#", b""])
async def test_a_broker_whose_topics_are_no_text_is_left(topic: bytes) -> None:
    """Mosquitto hangs up on who publishes such a topic; one that passes it on ends a connection, and nothing else."""
    body = len(topic).to_bytes(2, "big") + topic + b"\x00hello"

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(4096)
        writer.write(bytes([0x20, 3, 0, 0, 0, 0x30, len(body)]) + body)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    broker = Broker(host="127.0.0.1", port=server.sockets[0].getsockname()[1])
    with pytest.raises(ConnectionLost, match=r"utf-8|Invalid topic|Protocol error"):  # noqa: PT012 - as above
        async with connected(broker, "5", "one") as client, asyncio.timeout(PATIENCE_SECONDS):
            async for message in client.messages:
                raise AssertionError(message.topic)
    server.close()
