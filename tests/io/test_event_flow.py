"""What leaves from memory and what from the journal, in whatever order commits, answers and losses come."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.formats.journal.records import Identity
from controller.io.journal.journal import Journal
from controller.io.journal.reader import EventRow, JournalEntry, JournalReader
from controller.io.journal.verification import verify
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import INFLIGHT_LIMIT, ConnectionLost, PublishRefused
from controller.io.mqtt.event_flow import FRESH_LIMIT, EventFlow
from controller.io.mqtt.publication import OutgoingEvent, leaving
from tests.io.broker_rig import TOPICS, Cuttable, Memory, closed, first_of_each, listening, publishing
from tests.journal_key import KEY

HERE = Identity("harbour", "bj-1", 3)


def event(seq: int) -> OutgoingEvent:
    """Every third is an alert."""
    return OutgoingEvent(seq, b"%d" % seq, ("event", "alert") if seq % 3 == 0 else ("event",))


class Connection:
    """A connection whose broker answers on demand; ``sent`` is what it was handed, one entry for each message."""

    def __init__(self) -> None:
        self.sent: list[int] = []
        self.open: list[asyncio.Future[None]] = []

    def send(self, topic: str, payload: bytes, *, content_type: str) -> asyncio.Future[None]:
        del topic, content_type
        answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(lambda done: done.exception())
        self.sent.append(int(payload))
        self.open.append(answer)
        return answer

    def answer(self, count: int, error: Exception | None = None) -> None:
        """Answer the oldest, all but the last of them well."""
        for place, answer in enumerate(taken := self.open[:count], start=1):
            if error is not None and place == len(taken):
                answer.set_exception(error)
            else:
                answer.set_result(None)
        del self.open[:count]

    def lose(self) -> None:
        """Every answer that waits is a lost connection."""
        for answer in self.open:
            answer.set_exception(ConnectionLost("cut"))
        self.open.clear()


class Table:
    """A journal in memory, a flow from it, and one connection after another; ``taken`` is how far brokers said yes."""

    def __init__(self) -> None:
        self.committed = 0
        self.flow = EventFlow()
        self.connections: list[Connection] = []
        self.connect()

    @property
    def connection(self) -> Connection:
        return self.connections[-1]

    def connect(self) -> None:
        self.flow.end()
        self.connections.append(Connection())
        self.flow.begin(self.connection)

    def commit(self, events: int, *, from_memory: bool = True) -> None:
        """Commit; ``from_memory``: from memory, as by this daemon, or found in the journal, as of before its start."""
        first = self.committed + 1
        self.committed += events
        if from_memory:
            self.flow.offer([event(seq) for seq in range(first, self.committed + 1)])
        else:
            self.flow.lacks = True

    async def turn(self) -> None:
        """A turn of the pump; answers that wait are not waited for."""
        self.flow.send_fresh()
        if self.flow.lacks and not self.flow.is_flying:
            after, limit = self.flow.sent, self.flow.window
            self.flow.lacks = False
            rows = range(after + 1, min(self.committed, after + limit) + 1)
            self.flow.lacks = bool(rows)
            self.flow.take([event(seq) for seq in rows])
        if self.flow.is_flying and not self.connection.open:
            await self.flow.answered()
            self.flow.go_on()


STEPS = st.one_of(
    st.tuples(st.just("commit"), st.integers(1, 40)),
    st.tuples(st.just("found"), st.integers(1, 5)),
    st.tuples(st.just("answer"), st.integers(1, 30)),
    st.tuples(st.just("refuse"), st.integers(1, 5)),
    st.tuples(st.just("turn"), st.just(0)),
    st.tuples(st.just("cut"), st.just(0)),
)


@given(st.lists(STEPS, max_size=60))
def test_each_link_gets_what_follows_what_the_broker_has_in_order_without_a_gap(steps: list[tuple[str, int]]) -> None:
    asyncio.run(played(steps))


async def played(steps: Sequence[tuple[str, int]]) -> None:
    table = Table()
    begun = {0: 0}
    for what, count in steps:
        before = table.flow.reached
        match what:
            case "commit":
                table.commit(count)
            case "found":
                # The journal alone knows of events only before any was published from memory.
                table.commit(count, from_memory=table.committed > 0)
            case "answer":
                table.connection.answer(count)
            case "refuse":
                table.connection.answer(count, PublishRefused("no"))
            case "cut":
                table.connection.lose()
                if table.flow.is_flying:
                    await table.flow.answered()
                table.connect()
                begun[len(table.connections) - 1] = table.flow.reached
            case _:
                await table.turn()
        assert table.flow.reached >= before
        assert table.flow.sent <= table.committed
    await until_all_taken(table)
    for number, connection in enumerate(table.connections):
        assert_in_order(connection.sent, begun[number])
    assert table.flow.reached == table.committed


async def until_all_taken(table: Table) -> None:
    for _ in range(20 + 4 * table.committed):
        await table.turn()
        table.connection.answer(len(table.connection.open))


def assert_in_order(sent: list[int], after: int) -> None:
    """Each event follows the one before it, but where the flow went back after a refusal."""
    for seq in sent:
        assert seq <= after + 1, f"{seq} left and {after + 1} had not"
        after = max(after, seq)


async def test_an_event_published_from_memory_leaves_at_once_and_beyond_the_window_waits() -> None:
    table = Table()
    await table.turn()
    assert not table.flow.lacks
    table.commit(1)
    assert table.connection.sent == [1]
    table.commit(INFLIGHT_LIMIT)
    assert len(table.connection.open) <= INFLIGHT_LIMIT + 1
    before = len(table.connection.sent)
    table.commit(1)
    assert len(table.connection.sent) == before


async def test_a_refused_event_stops_all_behind_it_until_it_is_taken() -> None:
    table = Table()
    await table.turn()
    table.commit(2)
    table.connection.answer(2, PublishRefused("no"))
    failure = await table.flow.answered()
    assert isinstance(failure, PublishRefused)
    assert (table.flow.reached, table.flow.is_halted) == (1, True)
    table.commit(1)
    assert table.connection.sent == [1, 2]
    table.flow.go_on()
    await table.turn()
    assert table.connection.sent == [1, 2, 2]


async def test_what_memory_no_longer_has_comes_from_the_journal() -> None:
    table = Table()
    table.flow.end()
    table.commit(FRESH_LIMIT + 5)
    table.connect()
    await until_all_taken(table)
    assert first_of_each(table.connection.sent) == list(range(1, FRESH_LIMIT + 6))


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_published_from_memory_over_a_link_cut_again_and_again_nothing_is_lost() -> None:
    memory = Memory()
    async with mosquitto() as target, listening(target) as listener:
        wire = Cuttable(target)
        async with wire.open() as broker, publishing(broker, memory) as publisher:
            await publisher.online.wait()
            for last in range(10, 401, 10):
                rows = Memory(closed(last)).rows[last - 10 :]
                memory.rows += rows
                publisher.tell([leaving(row, TOPICS) for row in rows])
                if last % 100 == 0:
                    wire.cut()
                    await memory.until_noted(last - 10)
            await memory.until_noted(400)
        await listener.until_each(400)
    assert first_of_each(listener.seqs()) == list(range(1, 401))


class Unread(Memory):
    """Counts how often the journal is asked for events."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    async def after(self, seq: int, limit: int) -> Sequence[EventRow]:
        self.asked += 1
        return await super().after(seq, limit)


@pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
async def test_what_was_just_committed_is_not_read_back() -> None:
    memory = Unread()
    async with mosquitto() as broker, publishing(broker, memory) as publisher:
        await publisher.online.wait()
        memory.rows = Memory(closed(1)).rows
        publisher.wake()
        await memory.until_noted(1)
        while not publisher.at_rest:
            await memory.until(1)
        asked = memory.asked
        rows = Memory(closed(5)).rows[1:]
        memory.rows += rows
        publisher.tell([leaving(row, TOPICS) for row in rows])
        await memory.until_noted(5)
        assert memory.asked == asked


# --- marks that ride along ---------------------------------------------------------------------------


def entry(number: int) -> JournalEntry:
    """A record with an event."""
    return JournalEntry(number, b"record %d" % number, ((number, b"event %d" % number),))


async def test_the_next_commit_remembers_what_was_published(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    assert await journal.last_published() == 0
    await journal.commit([entry(1), entry(2)])
    journal.note_published(2)
    assert journal.marked() == 0
    await journal.commit([entry(3)])
    assert journal.marked() == await journal.last_published() == 2
    await journal.mark_published(3)
    await journal.close()
    with JournalReader(path) as reader:
        assert reader.last_published() == 3
    assert verify(path).damage is None


async def test_events_of_before_the_start_are_marked_from_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.commit([entry(1), entry(2)])
    await journal.close()
    journal = await Journal.open(path, HERE, key=KEY)
    assert await journal.last_published() == 0
    journal.note_published(2)
    await journal.commit([entry(3)])
    assert journal.marked() == 0
    await journal.mark_published(2)
    journal.note_published(3)
    await journal.commit([entry(4)])
    assert journal.marked() == 3
    await journal.close()
    assert verify(path).damage is None
