"""What the tests against a real broker share: an outbox in memory, a wire that can be cut, a consumer."""

from __future__ import annotations

import asyncio
import contextlib
import random
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import msgspec

from controller.core.messages.events import Event, RoundClosed
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import Topics, event_bytes
from controller.io.journal.consumers import ConsumerLog, Consumers
from controller.io.journal.reader import EventRow
from controller.io.mqtt.connection import Broker, connected
from controller.io.mqtt.publisher import EventSource, Publisher
from controller.io.system.clock import SystemClock
from controller.io.system.rate_limits import RequestLimit

HERE = Identity(site="harbour", table="bj-1", epoch=3)
TOPICS = Topics(site="harbour", table="bj-1")
PATIENCE_SECONDS = 60.0


def open_to_the_broker(path: Path) -> None:
    """Let Mosquitto read a file of the tests: started by root, it does so as a user of its own."""
    for one in (path, *path.parents):
        if one == Path(tempfile.gettempdir()):
            break
        one.chmod(0o755)


class Memory:
    """A journal's outbox in memory."""

    def __init__(self, events: Sequence[Event] = ()) -> None:
        self.rows = [EventRow(seq, seq, event_bytes(event, HERE, seq, 0)) for seq, event in enumerate(events, start=1)]
        self.marks: list[int] = []
        self.marked = asyncio.Condition()
        self.noted = 0
        """The last event that the broker is known to have, marked or not."""
        self._was_noted = asyncio.Event()

    def stream(self) -> EventSource:
        return EventSource(self.last, self.after, self.mark, self.note, lambda: self.marks[-1] if self.marks else 0)

    def ledger(self) -> ConsumerLog:
        """The same for consumers, of whom none has acknowledged anything."""
        return ConsumerLog(self.after, self.hashed, self.last_mark, self.note_ack, self.acks, lambda: len(self.rows))

    async def hashed(self, _: int) -> bytes:
        return b""

    async def last_mark(self) -> tuple[int, bytes]:
        return await self.last(), b""

    async def note_ack(self, _: str, __: int) -> None:
        pass

    async def acks(self) -> Mapping[str, int]:
        return {}

    async def last(self) -> int:
        return self.marks[-1] if self.marks else 0

    async def after(self, seq: int, limit: int) -> Sequence[EventRow]:
        return self.rows[seq : seq + limit]

    async def mark(self, seq: int) -> None:
        async with self.marked:
            self.marks.append(seq)
            self.marked.notify_all()

    def note(self, seq: int) -> None:
        self.noted = seq
        self._was_noted.set()

    async def until_noted(self, seq: int) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self.noted < seq:
                self._was_noted.clear()
                await self._was_noted.wait()

    async def until(self, seq: int) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS), self.marked:
            await self.marked.wait_for(lambda: bool(self.marks) and self.marks[-1] >= seq)


class Cuttable:
    """A wire to a broker that can be cut, hung and joined again."""

    def __init__(self, target: Broker, *, refuses_5: bool = False) -> None:
        self._target = target
        self._refuses_5 = refuses_5
        self._writers: list[asyncio.StreamWriter] = []
        self._serving: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.slow_greetings = 0
        """Clients that are still to be left without an answer for as long as they wait."""
        self.greeted: list[int] = []
        """The protocols of those that were let through."""
        self.deaf = False
        """Whether what the broker answers is swallowed."""
        self.mute = False
        """Whether what we say is swallowed too."""

    @contextlib.asynccontextmanager
    async def open(self, port: int = 0) -> AsyncIterator[Broker]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", port)
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
        greeting = await reader.read(4096)
        if self._refuses_5 and b"MQTT\x05" in greeting:
            writer.transport.abort()
            return
        if self.slow_greetings:
            self.slow_greetings -= 1
            await reader.read(4096)
            writer.transport.abort()
            return
        self.greeted.append(5 if b"MQTT\x05" in greeting else 4)
        try:
            far_reader, far_writer = await asyncio.open_connection(self._target.host, self._target.port)
        except OSError:
            writer.transport.abort()
            return
        self._writers += [writer, far_writer]
        far_writer.write(greeting)
        await asyncio.gather(self._copy(reader, far_writer, up=True), self._copy(far_reader, writer, up=False))

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, *, up: bool) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                if not (self.mute if up else self.deaf):
                    writer.write(data)
        writer.transport.abort()


class Listener:
    """A consumer that writes down what it gets."""

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes, bool]] = []
        self.ready = asyncio.Event()
        self._arrived = asyncio.Condition()

    async def listen(self, broker: Broker, topic: str = "tableside/#") -> None:
        async with connected(broker, "5", "") as client:
            await client.subscribe(topic, qos=1)
            self.ready.set()
            async for message in client.messages:
                async with self._arrived:
                    self.messages.append((str(message.topic), message.payload, message.retain))
                    self._arrived.notify_all()

    async def until(self, topic: str, count: int = 1) -> list[bytes]:
        async with asyncio.timeout(PATIENCE_SECONDS), self._arrived:
            await self._arrived.wait_for(lambda: len(self.payloads(topic)) >= count)
        return self.payloads(topic)

    async def until_each(self, last: int) -> None:
        """Wait for every event up to ``last``, however often some of them come."""
        async with asyncio.timeout(PATIENCE_SECONDS), self._arrived:
            await self._arrived.wait_for(lambda: set(range(1, last + 1)) <= set(self.seqs()))

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
    broker: Broker,
    memory: Memory,
    commands: list[tuple[str, bytes]] | None = None,
    session: int = 1,
    *,
    consumers: Consumers | None = None,
    limit: RequestLimit | None = None,
    rivals: list[str] | None = None,
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
        consumers=consumers,
        limit=limit,
        on_rival=(rivals if rivals is not None else []).append,
    )
    task = asyncio.create_task(publisher.run())
    try:
        yield publisher
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def closed(count: int) -> list[Event]:
    return [RoundClosed(round=number, dealer=(), legal_plays=1, outcome="settled") for number in range(1, count + 1)]


def first_of_each(seqs: list[int]) -> list[int]:
    return list(dict.fromkeys(seqs))
