"""The consumer's file ends as the journal's events are, whatever breaks between them."""

from __future__ import annotations

import asyncio
import contextlib
import random
from pathlib import Path

import msgspec
import pytest

from controller.formats.journal.stream import StreamNow, ack_bytes
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalReader
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import connected
from controller.io.mqtt.durable_file import DurableFile, DurableRefused
from tests.io.broker_rig import PATIENCE_SECONDS, TOPICS, Cuttable, listening
from tests.io.stream_rig import CONSUMER, Table, consumer, exported, table, turn
from tests.journal_key import KEY

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


async def until(running: Table, condition: str) -> StreamNow:
    """Wait until what the table publishes of its stream says so: ``acked``, ``alarm``, ``quiet``."""

    def found(now: StreamNow) -> bool:
        acked = now.consumers[0].last_seq == now.seq == running.journal.head.seq
        return {"acked": acked, "alarm": bool(now.alarms), "quiet": acked and not now.alarms}[condition]

    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (running.stream_states and found(running.stream_states[-1])):
            await turn()
    return running.stream_states[-1]


async def test_the_file_is_what_export_writes_and_the_table_knows_it(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    async with mosquitto() as broker, consumer(tmp_path / "events", broker) as kept:
        async with table(journal, broker) as running:
            await running.deal(75)
            await until(running, "acked")
            assert kept.data() == exported(journal)
            await running.deal(5)
            await kept.until(exported(journal))
            await until(running, "acked")
        again = await Journal.open(journal, key=KEY)
        assert await again.acks() == {CONSUMER: 80}
        await again.close()
    assert kept.complaints == []


async def test_what_was_missed_while_away_is_asked_for_again(tmp_path: Path) -> None:
    """Nobody kept it: the broker has no session of the consumer's, and has taken the events."""
    journal = tmp_path / "journal.sqlite"
    async with mosquitto() as broker, table(journal, broker) as running:
        await running.deal(30)
        async with consumer(tmp_path / "events", broker) as kept:
            await kept.until(exported(journal))
        await running.deal(1300)
        async with consumer(tmp_path / "events", broker) as kept:
            await running.deal(3)
            await kept.until(exported(journal))
            await until(running, "quiet")
    assert kept.complaints == []


@pytest.mark.parametrize("seed", range(3))
async def test_cut_again_and_again_on_both_sides(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    journal = tmp_path / "journal.sqlite"
    async with mosquitto() as target, contextlib.AsyncExitStack() as stack:
        wires = [Cuttable(target), Cuttable(target)]
        near, far = [await stack.enter_async_context(wire.open()) for wire in wires]
        running = await stack.enter_async_context(table(journal, near))
        kept = await stack.enter_async_context(consumer(tmp_path / "events", far))
        for _ in range(6):
            await running.deal(chance.randrange(1, 60))
            for wire in chance.sample(wires, chance.randrange(1, 3)):
                wire.cut()
        await running.deal(1)
        await kept.until(exported(journal))
    assert [one for one in kept.complaints if "broker" not in one] == []


async def test_a_broker_whose_store_is_wiped_loses_nothing(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    async with mosquitto() as first:
        port = first.port
        async with table(journal, first) as running, consumer(tmp_path / "events", first) as kept:
            await running.deal(20)
            await kept.until(exported(journal))
    async with table(journal, first) as running, consumer(tmp_path / "events", first) as kept:
        await running.deal(200)
        async with mosquitto(port=port):
            await kept.until(exported(journal))
            await until(running, "acked")


@pytest.mark.parametrize("cut", [1, 40, 700])
async def test_a_torn_end_is_cut_off_and_fetched_again(tmp_path: Path, cut: int) -> None:
    journal, events = tmp_path / "journal.sqlite", tmp_path / "events"
    async with mosquitto() as broker, table(journal, broker) as running:
        async with consumer(events, broker) as kept:
            await running.deal(10)
            await kept.until(exported(journal))
        events.write_bytes(events.read_bytes()[:-cut])
        async with consumer(events, broker) as kept:
            await kept.until(exported(journal))
    (complaint,) = kept.complaints
    assert "cut off, and asked for again" in complaint


async def test_an_altered_line_is_noticed_and_everything_fetched_again(tmp_path: Path) -> None:
    journal, events = tmp_path / "journal.sqlite", tmp_path / "events"
    async with mosquitto() as broker, table(journal, broker) as running:
        async with consumer(events, broker) as kept:
            await running.deal(10)
            await kept.until(exported(journal))
        altered = events.read_bytes().replace(b'"legal_plays":1', b'"legal_plays":2', 1)
        events.write_bytes(altered)
        async with consumer(events, broker) as kept:
            await kept.until(exported(journal))
            await until(running, "quiet")
    assert (tmp_path / "events.differs-1").read_bytes() == altered
    assert any("are not those of the table" in one for one in kept.complaints)


async def test_a_new_epoch_begins_a_new_file_and_keeps_the_old_one(tmp_path: Path) -> None:
    old, new, events = tmp_path / "old.sqlite", tmp_path / "new.sqlite", tmp_path / "events"
    async with mosquitto() as broker, consumer(events, broker) as kept:
        async with table(old, broker) as running:
            await running.deal(4)
            await kept.until(exported(old))
        async with table(new, broker, epoch=5) as running:
            await running.deal(3)
            await kept.until(exported(new))
        async with table(old, broker) as running:
            await running.deal(2)
            await kept.until_complaint("epoch 3 came after epoch 5")
    assert events.read_bytes() == exported(new)
    assert (tmp_path / "events.3").read_bytes() == b"".join(exported(old).splitlines(keepends=True)[:4])


async def test_acknowledgements_that_cannot_be_true_are_alarms(tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        broker = await stack.enter_async_context(mosquitto())
        somebody = await stack.enter_async_context(connected(broker, "5", "somebody"))
        async with table(tmp_path / "journal.sqlite", broker) as running, listening(broker, TOPICS.status) as listener:
            await running.deal(3)
            ack = f"{TOPICS.root}/ack/{CONSUMER}"
            await running.publisher.online.wait()
            await somebody.publish(ack, ack_bytes(3, 9, bytes(32)))
            assert "an older copy" in (await until(running, "alarm")).alarms[0]
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not any(b"an older copy" in one for one in listener.payloads(TOPICS.status)):
                    await turn()
            await somebody.publish(ack, ack_bytes(3, 3, bytes(32)))
            async with asyncio.timeout(PATIENCE_SECONDS):
                while "holds other events up to event 3" not in running.stream_states[-1].alarms[0]:
                    await turn()
            for nothing in (b"", b"{}", ack_bytes(3, 1, b"short"), ack_bytes(7, 1, bytes(32))):
                await somebody.publish(ack, nothing)
            await somebody.publish(f"{TOPICS.root}/ack/stranger", ack_bytes(3, 3, bytes(32)))
            await somebody.publish(ack, ack_bytes(3, 3, await running.journal.stream_at(3)))
            assert (await until(running, "quiet")).consumers[0].last_seq == 3


async def test_replays_that_cannot_be_are_refused(tmp_path: Path) -> None:
    async with contextlib.AsyncExitStack() as stack:
        broker = await stack.enter_async_context(mosquitto())
        somebody = await stack.enter_async_context(connected(broker, "5", "somebody"))
        async with table(tmp_path / "journal.sqlite", broker) as running, listening(broker) as listener:
            await running.deal(3)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while running.publisher.reached < 3:
                    await turn()
            for wanted, message in (
                ({"consumer": "a b", "epoch": 3, "first_seq": 1}, "consumer: expected"),
                ({"consumer": "ab", "epoch": 2, "first_seq": 1}, "this journal is of epoch 3"),
                ({"consumer": "ab", "epoch": 3, "first_seq": 0}, "first_seq from 1"),
                ({"consumer": "ab", "epoch": 3, "first_seq": 3, "last_seq": 2}, "last_seq not below"),
                ({"consumer": "ab", "epoch": 3, "first_seq": 4}, "has not been published"),
                ({"consumer": "ab"}, "epoch"),
            ):
                before = len(listener.payloads(TOPICS.reply("replay")))
                await somebody.publish(TOPICS.command("replay"), msgspec.json.encode(wanted))
                reply = msgspec.json.decode((await listener.until(TOPICS.reply("replay"), before + 1))[-1])
                assert (reply["status"], message in reply["text"]) == ("refused", True), reply
            asked = {"consumer": "ab", "epoch": 3, "first_seq": 2, "last_seq": 2, "transaction": 7}
            await somebody.publish(TOPICS.command("replay"), msgspec.json.encode(asked))
            (again,) = await listener.until(TOPICS.replay("ab"))
            assert again == listener.payloads(f"{TOPICS.root}/event/round_closed")[1]


def test_one_file_has_one_consumer_and_one_table(tmp_path: Path) -> None:
    first = DurableFile(tmp_path / "events", "harbour", "bj-1")
    with pytest.raises(DurableRefused, match="in use by another consumer"):
        DurableFile(tmp_path / "events", "harbour", "bj-1")
    first.close()
    (tmp_path / "events").write_bytes(b'{"source":"/harbour/bj-2","epoch":1,"seq":1}\n')
    with pytest.raises(DurableRefused, match="holds events of /harbour/bj-2"):
        DurableFile(tmp_path / "events", "harbour", "bj-1")
    with pytest.raises(DurableRefused, match="cannot be opened"):
        DurableFile(tmp_path / "nowhere" / "events", "harbour", "bj-1")


async def test_a_table_asked_to_stop_sends_what_is_committed_before_it_says_goodbye(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    async with mosquitto() as broker, listening(broker) as listener:
        async with table(journal, broker) as running:
            await running.publisher.online.wait()
            await running.deal(300)
            assert running.publisher.reached < 300
        await listener.until(f"{TOPICS.root}/event/round_closed", 300)
        states = [msgspec.json.decode(one)["state"] for one in await listener.until(TOPICS.status, 2)]
    assert states[-1] == "offline"
    assert [name for name, _, _ in listener.messages][-1] == TOPICS.status
    with JournalReader(journal) as reader:
        assert reader.last_published() == 300
