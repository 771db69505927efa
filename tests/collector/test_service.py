"""Many tables, a real broker and a real database, each killed in between: every event is in the database once."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path

import msgspec
import pytest

from controller.collector.intake import COMPLAINTS_LIMIT, REPLAYS_LIMIT, Intake, Limits
from controller.collector.service import CollectionScope, CollectorService, Pauses
from controller.collector.store import Store, TableKey
from controller.formats.journal.records import Identity
from controller.formats.journal.stream import stream_genesis
from controller.formats.orders.requests import Reply
from controller.io.mqtt.broker import find_mosquitto, free_port, mosquitto
from controller.io.mqtt.connection import Broker, ConnectionLost, connected
from controller.reports.audit.durable_follower import StreamPosition
from tests.collector.conftest import Database
from tests.collector.live import live_tables
from tests.collector.recorded import EPOCH, NIGHTS, RecordedTable, Speaker, bodies, renamed
from tests.io import stream_rig
from tests.io.stream_rig import exported, turn

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")

PATIENCE_SECONDS = 60.0
PAUSES = Pauses(tick_seconds=0.1, linger_seconds=0.01)
Named = Callable[[str], Store]


def tables(count: int, epoch: int = EPOCH) -> list[RecordedTable]:
    """So many tables, each with a recorded night."""
    found = []
    for number in range(count):
        identity = Identity("harbour", f"bj-{number + 1}", epoch)
        found.append(RecordedTable(identity, renamed(bodies(NIGHTS[number % len(NIGHTS)]), identity)))
    return found


@contextlib.asynccontextmanager
async def speaking(broker: Broker, of: Sequence[RecordedTable]) -> AsyncIterator[Speaker]:
    async with connected(broker, "5", "tables") as client:
        speaker = Speaker(client, of)
        task = asyncio.create_task(speaker.run())
        try:
            yield speaker
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def collecting(
    broker: Broker,
    store: Store,
    filters: Sequence[str] = ("+/+",),
    consumer: str = "collector",
    pauses: Pauses = PAUSES,
) -> AsyncIterator[CollectorService]:
    service = CollectorService(CollectionScope(broker, filters, consumer), store, random.Random(1), pauses)
    task = asyncio.create_task(service.run())
    try:
        yield service
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        store.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not condition():
            await turn()


def is_kept(service: CollectorService, of: Sequence[RecordedTable]) -> Callable[[], bool]:
    """Whether everything that the tables have sent is in the database."""

    def asked() -> bool:
        kept = service.intake.kept()
        names = [(TableKey(one.identity.site, one.identity.table), one) for one in of]
        return all(
            name in kept and (kept[name].epoch, kept[name].seq) == (one.identity.epoch, one.sent) for name, one in names
        )

    return asked


def is_acknowledged(speaker: Speaker, of: Sequence[RecordedTable]) -> bool:
    return all(speaker.acks.get(one.topics.root) == (one.identity.epoch, one.sent) for one in of)


def once(database: Database, of: Sequence[RecordedTable]) -> None:
    """Every event that was sent is there once, byte for byte, and nothing else is."""
    for one in of:
        where = f"name = '{one.identity.table}' AND epoch = {one.identity.epoch}"
        rows = database.rows(f"SELECT body FROM tableside.events WHERE {where} ORDER BY seq")
        assert [bytes(row[0]) for row in rows] == one.events[: one.sent], one.identity
    ((count,),) = database.rows("SELECT count(*) FROM tableside.events")
    assert count == sum(one.sent for one in of)
    assert database.rows("SELECT sum(cards_wrong) FROM tableside.tables") == [(0,)]


async def test_every_event_of_every_table_once_and_acknowledged(database: Database, store: Named) -> None:
    of = tables(9)
    async with (
        mosquitto() as broker,
        collecting(broker, store("collector")) as service,
        speaking(broker, of) as speaker,
    ):
        await service.listening.wait()
        while any(one.sent < len(one.events) for one in of):
            await speaker.send(40)
        await until(is_kept(service, of))
        await until(lambda: is_acknowledged(speaker, of))
    once(database, of)
    assert database.rows("SELECT text FROM tableside.complaints") == []


async def test_what_was_published_before_it_began_is_asked_for(database: Database, store: Named) -> None:
    of = tables(3)
    async with mosquitto() as broker, speaking(broker, of) as speaker:
        await speaker.send(150)
        async with collecting(broker, store("collector")) as service:
            await until(is_kept(service, of))
            await speaker.send(20)
            await until(is_kept(service, of))
    once(database, of)


async def test_broker_server_and_collector_killed_in_between(database: Database, store: Named) -> None:
    of = tables(6)
    port, chance = free_port(), random.Random(5)
    named = store("collector")
    for turn_number in range(4):
        async with mosquitto(port=port) as broker, contextlib.AsyncExitStack() as stack:
            with contextlib.suppress(ConnectionLost):
                service = await stack.enter_async_context(collecting(broker, named))
                speaker = await stack.enter_async_context(speaking(broker, of))
                await speaker.send(chance.randrange(1, 40))
                await asyncio.to_thread(database.server.kill)
                await speaker.send(chance.randrange(1, 40))
                await asyncio.to_thread(database.server.start)
                await speaker.send(chance.randrange(1, 10))
                if turn_number == 3:
                    await until(is_kept(service, of))
    once(database, of)


async def test_a_live_table_with_people_is_held_to_its_last_event_though_the_server_dies(
    database: Database, store: Named, tmp_path: Path
) -> None:
    async with (
        mosquitto() as broker,
        collecting(broker, store("collector")),
        live_tables(tmp_path, broker, 1, seed=1, speed=200) as live,
        asyncio.timeout(PATIENCE_SECONDS),
    ):
        await asyncio.to_thread(database.server.kill)
        await asyncio.to_thread(database.server.start)
        rounds, events = await live.held(database)
    assert rounds > 0
    assert events > 50
    assert database.rows("SELECT sum(cards_wrong) FROM tableside.tables") == [(0,)]


async def test_a_broker_that_goes_and_comes_again_is_waited_for(database: Database, store: Named) -> None:
    of, port = tables(2), free_port()
    broker = Broker(host="127.0.0.1", port=port)
    async with collecting(broker, store("collector")) as service:
        for _ in range(2):
            async with mosquitto(port=port):
                await until(service.listening.is_set)
                async with speaking(broker, of) as speaker:
                    await speaker.send(30)
                    await until(is_kept(service, of))
            await until(lambda: not service.listening.is_set())
            assert "broker" in service.status()
    once(database, of)


async def test_while_the_database_is_away_what_waits_is_bounded(database: Database, store: Named) -> None:
    of, few = tables(5), PAUSES._replace(limits=Limits(waiting=100))
    async with (
        mosquitto() as broker,
        collecting(broker, store("collector"), pauses=few) as service,
        speaking(broker, of) as speaker,
    ):
        await service.listening.wait()
        await speaker.send(5)
        await until(is_kept(service, of))
        await asyncio.to_thread(database.server.stop)
        most = 0
        for _ in range(10):
            await speaker.send(10)
            await turn()
            most = max(most, service.intake.waiting)
        await until(lambda: service.intake.dropped > 0)
        assert most <= 100
        assert "PostgreSQL" in service.status()
        await asyncio.to_thread(database.server.start)
        await until(is_kept(service, of))
    once(database, of)


async def test_a_new_epoch_begins_and_the_old_one_is_kept(database: Database, store: Named) -> None:
    old, new = tables(1), tables(1, EPOCH + 1000)
    async with mosquitto() as broker, collecting(broker, store("collector")) as service:
        for of in (old, new):
            async with speaking(broker, of) as speaker:
                await speaker.send(60)
                await until(is_kept(service, of))
        async with speaking(broker, old) as speaker:
            await speaker.send(10)
            await until(lambda: service.intake.complained > 1)
        old[0].sent -= 10
        await until(lambda: bool(database.rows("SELECT FROM tableside.complaints WHERE text LIKE '%older journal%'")))
    once(database, [*old, *new])


async def test_a_real_journal_with_its_publisher_and_the_consumer_it_waits_for(
    database: Database, store: Named, tmp_path: Path
) -> None:
    journal = tmp_path / "journal.sqlite"
    name = stream_rig.CONSUMER
    async with (
        mosquitto() as broker,
        collecting(broker, store(name), consumer=name) as service,
        stream_rig.table(journal, broker) as running,
    ):
        await running.deal(120)
        await until(lambda: bool(running.stream_states) and running.stream_states[-1].consumers[0].last_seq == 120)
        assert service.written == 120
    rows = database.rows("SELECT body FROM tableside.events ORDER BY seq")
    assert b"".join(bytes(row[0]) + b"\n" for row in rows) == exported(journal)


async def test_only_the_tables_named_are_collected(database: Database, store: Named) -> None:
    of = tables(2)
    async with mosquitto() as broker, collecting(broker, store("collector"), ("harbour/bj-2",)) as service:
        await service.listening.wait()
        async with speaking(broker, of) as speaker:
            await speaker.send(30)
            await until(is_kept(service, of[1:]))
    once(database, of[1:])


async def test_over_a_bridge_of_brokers(database: Database, store: Named) -> None:
    """Each table PC has a broker of its own, which passes on to the property's what its tables say."""
    of = tables(2)
    port = free_port()
    async with mosquitto(port=port) as broker, contextlib.AsyncExitStack() as stack:
        service = await stack.enter_async_context(collecting(broker, store("collector")))
        for table in of:
            bridge = {
                "connection": f"{table.identity.table}\naddress 127.0.0.1:{port}",
                "bridge_protocol_version": "mqttv50",
                "remote_clientid": table.identity.table,
                "cleansession": "false",
                "topic": "tableside/v1/+/+/event/# out 1\ntopic tableside/v1/+/+/state/# out 1"
                "\ntopic tableside/v1/+/+/reply/# out 1\ntopic tableside/v1/+/+/cmd/# in 1"
                "\ntopic tableside/v1/+/+/ack/+ in 1",
            }
            own = await stack.enter_async_context(mosquitto(bridge))
            speaker = await stack.enter_async_context(speaking(own, [table]))
            await speaker.send(100)
        await until(is_kept(service, of))
    once(database, of)


def test_the_next_table_is_asked_as_soon_as_one_has_sent_what_it_lacked() -> None:
    """After a broker's death every table lacks something, and only so many may send at once."""
    of = tables(REPLAYS_LIMIT + 2)
    intake = Intake("collector", {})
    for one in of:
        one.next(3)
        intake.hear(one.topics.stream, one.stream(), 0)
    assert not list(intake.next_replays(0))
    asked = list(intake.due(0))
    assert len(asked) == REPLAYS_LIMIT
    first, *others = of
    for body in first.events[:2]:
        intake.hear(first.topics.replay("collector"), body, 0)
        assert not list(intake.next_replays(0))
    intake.hear(first.topics.replay("collector"), first.events[2], 0)
    assert [one.topic for one in intake.next_replays(0)] == [others[-2].topics.command("replay")]
    assert not list(intake.next_replays(0))


def test_a_table_whose_answer_ended_before_a_gap_is_asked_for_the_rest_at_once() -> None:
    (one,) = tables(1)
    intake = Intake("collector", {})
    one.next(9)
    for seq in (3, 5):
        intake.hear(f"{one.topics.root}/event/{one.names[seq - 1]}", one.events[seq - 1], 0)
    (asked,) = intake.due(0)
    assert one.again(asked.payload) == ("collector", one.events[:2])
    for body in one.events[:2]:
        intake.hear(one.topics.replay("collector"), body, 0)
    (asked,) = intake.next_replays(0)
    assert one.again(asked.payload) == ("collector", [one.events[3]])


def test_what_a_table_refuses_and_lacks_is_said_with_where_it_is_held() -> None:
    """Of the collector's database, and not of a disk of whoever reads it."""
    (one,) = tables(1)
    intake = Intake("collector", {})
    for topic, body in one.next(2):
        intake.hear(topic, body, 0)
    reply = Reply("refused", "16 replays are under way; ask again", "collector")
    intake.hear(one.topics.reply("replay"), msgspec.json.encode(reply), 0)
    other = msgspec.json.decode(one.stream()) | {"hash": "00" * 32}
    intake.hear(one.topics.stream, msgspec.json.encode(other), 0)
    complaints = [complaint for piece in intake.cut() for complaint in piece.complaints]
    assert complaints == [
        "the table refuses to send events again: 16 replays are under way; ask again",
        "events 1 to 2 in the collector's database are not those of the table",
    ]


class TestHostile:
    """Whoever may write to the topics of events cannot make it forget, grow or stop."""

    def test_names_without_end_are_not_followed(self) -> None:
        intake = Intake("collector", {}, Limits(tables=3))
        for number in range(10):
            intake.hear(f"tableside/v1/harbour/bj-{number}/event/key_read", b"{}", 0)
        assert len(intake.kept()) == 3

    def test_what_is_no_event_is_complained_of_and_complaints_are_bounded(self) -> None:
        intake = Intake(
            "collector",
            {TableKey("harbour", "bj-1"): (StreamPosition(1, 0, stream_genesis(Identity("harbour", "bj-1", 1))), "")},
        )
        for _ in range(3 * COMPLAINTS_LIMIT):
            intake.hear("tableside/v1/harbour/bj-1/event/key_read", b"{", 0)
        pieces = intake.cut()
        assert sum(len(piece.complaints) for piece in pieces) == COMPLAINTS_LIMIT
        assert intake.complained == 3 * COMPLAINTS_LIMIT

    @pytest.mark.parametrize(
        "topic",
        ["tableside/v1/a/b", "tableside/v1/A B/c/event/x", "other/v1/a/b/event/x", "tableside/v1/a/b/state/felt"],
    )
    def test_other_topics_are_nothing(self, topic: str) -> None:
        intake = Intake("collector", {})
        intake.hear(topic, b"{}", 0)
        assert not intake
