"""Contracts with a real broker: what the publisher promises, held against Mosquitto, cut links and killed brokers."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import msgspec
import pytest

from controller.core.events import Event, LateWager, RoundClosed
from controller.formats.payloads import Topics, event_bytes
from controller.formats.records import Identity
from controller.io.broker import (
    NoBroker,
    embedded,
    find_mosquitto,
    mosquitto,
    running_broker,
    start_mosquitto,
)
from controller.io.clock import SystemClock
from controller.io.journal_store import EventRow
from controller.io.mqtt import Broker, CheckedClient, LinkLost, NotGreeted, PublishRefused, connected
from controller.io.publisher import Publisher, Stream

HERE = Identity(site="harbour", table="bj-1", epoch=3)
TOPICS = Topics(site="harbour", table="bj-1")
PATIENCE_SECONDS = 20.0

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


class Memory:
    """A journal's outbox in memory."""

    def __init__(self, events: Sequence[Event] = ()) -> None:
        self.rows = [EventRow(seq, seq, event_bytes(event, HERE, seq, 0)) for seq, event in enumerate(events, start=1)]
        self.marks: list[int] = []
        self.marked = asyncio.Condition()

    def stream(self) -> Stream:
        return Stream(self.last, self.after, self.mark)

    async def last(self) -> int:
        return self.marks[-1] if self.marks else 0

    async def after(self, seq: int, limit: int) -> Sequence[EventRow]:
        return self.rows[seq : seq + limit]

    async def mark(self, seq: int) -> None:
        async with self.marked:
            self.marks.append(seq)
            self.marked.notify_all()

    async def until(self, seq: int) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS), self.marked:
            await self.marked.wait_for(lambda: bool(self.marks) and self.marks[-1] >= seq)


class Cuttable:
    """A wire to a broker that can be cut, hung and joined again."""

    def __init__(self, target: Broker) -> None:
        self._target = target
        self._writers: list[asyncio.StreamWriter] = []
        self._serving: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.deaf = False
        """Whether what the broker answers is swallowed."""

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Broker]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            yield msgspec.structs.replace(self._target, port=port)
        finally:
            server.close()
            while self._serving:
                self.cut()
                await asyncio.wait(self._serving, return_when=asyncio.FIRST_COMPLETED, timeout=0.05)

    def cut(self) -> None:
        writers, self._writers = self._writers, []
        for writer in writers:
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)
        self.connections += 1
        self.deaf = False
        try:
            far_reader, far_writer = await asyncio.open_connection(self._target.host, self._target.port)
        except OSError:
            writer.transport.abort()
            return
        self._writers += [writer, far_writer]
        await asyncio.gather(self._copy(reader, far_writer, up=True), self._copy(far_reader, writer, up=False))

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, up: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                if up or not self.deaf:
                    writer.write(data)
        writer.transport.abort()


class Listener:
    """A consumer that writes down what it gets."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes, bool]] = []
        self.ready = asyncio.Event()
        self._came = asyncio.Condition()

    async def listen(self, broker: Broker, topic: str = "tableside/#") -> None:
        async with connected(broker, "5", "") as client:
            await client.subscribe(topic, qos=1)
            self.ready.set()
            async for message in client.messages:
                async with self._came:
                    self.messages.append((str(message.topic), message.payload, message.retain))
                    self._came.notify_all()

    async def until(self, topic: str, count: int = 1) -> list[bytes]:
        async with asyncio.timeout(PATIENCE_SECONDS), self._came:
            await self._came.wait_for(lambda: len(self.payloads(topic)) >= count)
        return self.payloads(topic)

    def payloads(self, topic: str) -> list[bytes]:
        return [payload for name, payload, _ in self.messages if name == topic]

    def seqs(self) -> list[int]:
        return [msgspec.json.decode(payload)["seq"] for name, payload, _ in self.messages if "/event/" in name]


@contextlib.asynccontextmanager
async def listening(broker: Broker, topic: str = "tableside/#") -> AsyncIterator[Listener]:
    listener = Listener()
    task = asyncio.create_task(listener.listen(broker, topic))
    waiting = asyncio.create_task(listener.ready.wait())
    await asyncio.wait((task, waiting), return_when=asyncio.FIRST_COMPLETED)
    try:
        yield listener
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def publishing(
    broker: Broker, memory: Memory, commands: list[tuple[str, bytes]] | None = None, session: int = 1
) -> AsyncIterator[Publisher]:
    heard = commands if commands is not None else []
    publisher = Publisher(
        broker,
        TOPICS,
        memory.stream(),
        session=session,
        clock=SystemClock(),
        chance=random.Random(1),
        on_command=lambda verb, payload: heard.append((verb, payload)),
    )
    task = asyncio.create_task(publisher.run())
    try:
        yield publisher
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def closed(count: int) -> list[Event]:
    return [RoundClosed(round=number, dealer=(), plays=1, outcome="settled") for number in range(1, count + 1)]


def first_of_each(seqs: list[int]) -> list[int]:
    return list(dict.fromkeys(seqs))


# --- the client -------------------------------------------------------------------------------------


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
    for one in (rules, *rules.parents[:3]):
        one.chmod(0o755)
    async with mosquitto({"acl_file": str(rules)}) as broker, connected(broker, "5", "one") as client:
        await client.publish("tableside/allowed", b"1")
        with pytest.raises(PublishRefused, match="Not authorized"):
            await client.publish("tableside/forbidden", b"2")


async def test_a_cut_link_fails_everything_that_waits_and_everything_after() -> None:
    async with mosquitto() as target:
        wire = Cuttable(target)
        async with wire.open() as broker:
            with pytest.raises(LinkLost):  # noqa: PT012 - the connection ends with what was lost in it
                async with connected(broker, "5", "one") as client:
                    wire.deaf = True
                    answers = [client.send("tableside/x", b"%d" % number) for number in range(50)]
                    wire.cut()
                    ends = await asyncio.gather(*answers, return_exceptions=True)
                    assert all(isinstance(end, LinkLost) for end in ends)
                    await client.publish("tableside/x", b"after")


async def test_a_silent_broker_counts_as_lost_by_our_own_timer() -> None:
    async with mosquitto() as broker, connected(broker, "5", "one") as client:
        waiting = asyncio.get_running_loop().create_future()
        client._waiting[77] = waiting
        client._give_up(77)
        with pytest.raises(LinkLost, match="no answer"):
            await waiting
        client._give_up(77)


async def test_no_broker_and_a_broker_that_hangs_up_are_told_at_once() -> None:
    async def hang_up(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    server = await asyncio.start_server(hang_up, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    for _ in range(2):
        with pytest.raises(NotGreeted):
            async with connected(Broker(host="127.0.0.1", port=port), "5", "one"):
                pass
        server.close()


# --- the publisher ----------------------------------------------------------------------------------


async def test_events_go_out_in_order_and_are_marked(protocol: str) -> None:
    memory = Memory(closed(75))
    async with mosquitto() as broker, listening(broker) as listener:
        chosen = msgspec.structs.replace(broker, protocol=protocol)
        async with publishing(chosen, memory) as publisher:
            await memory.until(75)
            memory.rows += Memory(closed(80)).rows[75:]
            publisher.wake()
            await memory.until(80)
        payloads = await listener.until(f"{TOPICS.root}/event/round_closed", 80)
    assert payloads == [row.body for row in memory.rows]
    assert memory.marks == sorted(set(memory.marks))


async def test_sending_begins_after_what_the_broker_already_has() -> None:
    memory = Memory(closed(30))
    memory.marks = [25]
    async with mosquitto() as broker, listening(broker) as listener:
        async with publishing(broker, memory):
            await memory.until(30)
        await listener.until(f"{TOPICS.root}/event/round_closed", 5)
        assert listener.seqs() == [26, 27, 28, 29, 30]


async def test_an_alert_goes_out_twice_with_the_same_bytes() -> None:
    memory = Memory([LateWager(round=1, spot=2, zone="main", before_cents=500, after_cents=1000)])
    async with mosquitto() as broker, listening(broker) as listener:
        async with publishing(broker, memory):
            await memory.until(1)
        (event,) = await listener.until(f"{TOPICS.root}/event/late_wager")
        (alert,) = await listener.until(f"{TOPICS.root}/alert/late_wager")
    assert event == alert == memory.rows[0].body


async def test_status_is_retained_online_and_offline_and_carries_the_session() -> None:
    async with mosquitto() as broker:
        async with publishing(broker, Memory(), session=7) as publisher:
            await publisher.online.wait()
            async with listening(broker) as listener:
                (payload,) = await listener.until(TOPICS.status)
                assert listener.messages[0][2]
                assert msgspec.json.decode(payload)["state"] == "online"
        async with listening(broker) as listener:
            (payload,) = await listener.until(TOPICS.status)
            assert (msgspec.json.decode(payload)["state"], msgspec.json.decode(payload)["session"]) == ("offline", 7)


async def test_the_last_will_speaks_when_the_link_is_cut() -> None:
    async with mosquitto() as target, listening(target) as listener:
        wire = Cuttable(target)
        async with wire.open() as broker, publishing(broker, Memory(), session=7):
            await listener.until(TOPICS.status, 1)
            wire.cut()
            states = [msgspec.json.decode(one)["state"] for one in await listener.until(TOPICS.status, 3)]
            assert states[:3] == ["online", "offline", "online"]


async def test_states_are_retained_and_told_again_on_every_connection() -> None:
    async with mosquitto() as target, listening(target) as listener:
        wire = Cuttable(target)
        async with wire.open() as broker, publishing(broker, Memory()) as publisher:
            publisher.retain(TOPICS.state("round"), b"one")
            await listener.until(TOPICS.state("round"), 1)
            publisher.retain(TOPICS.state("round"), b"two")
            publisher.retain(TOPICS.state("round"), b"two")
            publisher.reply("answer", b"done")
            await listener.until(TOPICS.reply("answer"), 1)
            assert listener.payloads(TOPICS.state("round")) == [b"one", b"two"]
            wire.cut()
            assert await listener.until(TOPICS.state("round"), 3) == [b"one", b"two", b"two"]
        async with listening(target, TOPICS.state("round")) as later:
            assert await later.until(TOPICS.state("round")) == [b"two"]


async def test_commands_are_heard_and_retained_ones_are_not() -> None:
    heard: list[tuple[str, bytes]] = []
    async with mosquitto() as broker, connected(broker, "5", "operator") as operator:
        await operator.publish(TOPICS.command("stop"), b"old", retain=True)
        async with publishing(broker, Memory(), heard) as publisher:
            await publisher.online.wait()
            await operator.publish(TOPICS.command("answer"), bytes(70_000))
            await operator.publish(TOPICS.command("answer"), b"yes")
            async with listening(broker) as listener:
                publisher.reply("answer", b"")
                await listener.until(TOPICS.reply("answer"))
            await operator.publish(TOPICS.command("deal/again"), b"no")
            async with listening(broker) as listener:
                publisher.reply("answer", b"")
                await listener.until(TOPICS.reply("answer"))
    assert heard[0] == ("answer", b"yes")
    assert all(verb != "stop" for verb, _ in heard)


async def test_a_refused_event_holds_back_the_mark_until_it_is_taken(tmp_path: Path) -> None:
    rules = tmp_path / "acl"
    rules.write_text("topic readwrite tableside/#\n")
    for one in (rules, *rules.parents[:3]):
        one.chmod(0o755)
    late = LateWager(round=1, spot=2, zone="main", before_cents=500, after_cents=1000)
    memory = Memory([*closed(3), late, *closed(2)])
    settings = {"acl_file": str(rules)}
    rules.write_text(
        f"topic read tableside/#\ntopic write {TOPICS.status}\ntopic write {TOPICS.root}/event/round_closed\n"
    )
    async with mosquitto(settings) as broker, publishing(broker, memory):
        await memory.until(3)
        port = broker.port
    assert memory.marks == [3]
    rules.write_text("topic readwrite tableside/#\n")
    async with mosquitto(settings, port) as broker, listening(broker) as listener:
        async with publishing(broker, memory):
            await memory.until(6)
        await listener.until(f"{TOPICS.root}/event/round_closed", 2)
        assert listener.seqs() == [4, 5, 6]


@pytest.mark.parametrize("seed", range(3))
async def test_cut_again_and_again_nothing_is_lost_and_the_order_holds(seed: int) -> None:
    chance = random.Random(seed)
    memory = Memory(closed(400))
    async with mosquitto() as target, listening(target) as listener:
        wire = Cuttable(target)
        async with wire.open() as broker, publishing(broker, memory):
            for seq in (chance.randrange(first, first + 60) for first in (20, 120, 240)):
                await memory.until(seq)
                wire.cut()
            await memory.until(400)
        await listener.until(f"{TOPICS.root}/event/round_closed", 400)
        seqs = listener.seqs()
        contents = set(listener.payloads(f"{TOPICS.root}/event/round_closed"))
    assert wire.connections > 3
    assert first_of_each(seqs) == list(range(1, 401))
    assert len(contents) == 400


def is_gapless(seqs: list[int]) -> bool:
    return seqs == list(range(seqs[0], seqs[0] + len(seqs)))


async def test_a_killed_broker_is_replaced_without_a_gap_or_a_step_back(tmp_path: Path) -> None:
    memory = Memory(closed(400))
    program = find_mosquitto()
    assert program is not None
    tmp_path.chmod(0o755)  # noqa: ASYNC240 - one call on a fresh directory
    process, port = await start_mosquitto(program, tmp_path, {}, None)
    first = Broker(host="127.0.0.1", port=port)
    async with listening(first) as before, publishing(first, memory):
        await memory.until(20)
        process.kill()
        await process.wait()
        known = memory.marks[-1]
        async with mosquitto(port=port) as second, listening(second) as after:
            memory.rows += Memory(closed(460)).rows[400:]
            await memory.until(460)
            await after.until(f"{TOPICS.root}/event/round_closed")
            seqs = first_of_each(after.seqs())
    assert is_gapless(first_of_each(before.seqs()))
    assert before.seqs()[0] == 1
    assert known < 400
    assert is_gapless(seqs)


async def test_auto_finds_the_older_protocol_and_keeps_to_it() -> None:
    async with embedded() as broker:
        memory = Memory(closed(3))
        hasty = msgspec.structs.replace(broker, protocol="auto", connect_seconds=0.3)
        async with publishing(hasty, memory):
            await memory.until(3)


async def test_a_given_broker_is_used_as_it_is() -> None:
    given = Broker(host="broker.lan", port=1)
    async with running_broker(given) as broker:
        assert broker is given
    async with running_broker() as broker, connected(broker, "5", "one") as client:
        assert isinstance(client, CheckedClient)
    with pytest.raises(NoBroker, match="does not start"):
        async with mosquitto({"no_such_setting": "1"}):
            pass
