"""A journal that does not say what its own readings give: the table does not go on by itself."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import aiomqtt
import msgspec
import pytest

from controller.core.messages.alerts import DeviceAlarm
from controller.core.messages.events import InternalError, RoundClosed
from controller.core.table.desired import Desired
from controller.daemon.recovery import recover
from controller.formats.mqtt.envelope import event_bytes, own_event, read_event
from controller.io.files.key_file import read_key
from controller.io.journal.commit_marker import path_of
from controller.io.journal.journal import Journal
from controller.io.journal.reader import EventRow, Head, JournalEntry, JournalReader
from controller.io.mqtt.connection import Broker, connected
from firmware_protocols.readings import DeviceComplained
from tests.io.virtual_time import passes
from tests.wiring.premises import TOPICS, Ear, Premises, json_of, open_house, ran, scripted
from tests.wiring.strings import KEY, watched

Forge = Callable[[EventRow], bytes]


@pytest.fixture
async def played(tmp_path: Path, broker: Broker) -> AsyncIterator[Premises]:
    """A table that has played a round and was stopped in good order."""
    async with open_house(tmp_path, broker) as house:
        (acts,) = scripted(house.rack, 3, 1)
        await house.perform(acts)
        await house.ear.event(RoundClosed)
        await house.stop()
        yield house


@contextlib.asynccontextmanager
async def asked_again_and_again(client: aiomqtt.Client, verb: str, body: bytes) -> AsyncIterator[None]:
    """Ask as somebody does who may have come before the table listens, until the block ends."""

    async def asking() -> None:
        while True:
            await client.publish(TOPICS.command(verb), body)
            await passes(0.5)

    task = asyncio.create_task(asking())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def forge(house: Premises, forged: Forge) -> Head:
    """Write the journal again, whole in every hash, with the last event replaced."""
    with JournalReader(house.journal) as reader:
        identity, events = reader.identity, list(reader.events())
        last = events.pop()
        events.append(last._replace(body=forged(last)))
        entries = [
            JournalEntry(row.number, row.body, tuple((e.seq, e.body) for e in events if e.number == row.number))
            for row in reader.records()
            if row.number <= last.number
        ]
    house.journal.unlink()
    path_of(house.journal).unlink()
    journal = await Journal.open(house.journal, identity, key=read_key(house.key))
    await journal.commit(entries)
    await journal.close()
    return journal.head


def another_time(row: EventRow) -> bytes:
    return row.body.replace(b'"time":"2', b'"time":"3')


def failure(row: EventRow) -> bytes:
    with_identity = read_event(row.body)
    return event_bytes(InternalError("AssertionError: no such hand"), with_identity.identity, row.seq, 0)


@pytest.mark.parametrize(
    ("forged", "why"),
    [(another_time, "stepped again gives something else"), (failure, "could not be stepped")],
)
async def test_the_table_is_held(played: Premises, forged: Forge, why: str) -> None:
    head = await forge(played, forged)
    log = played.log()
    await played.spawn()
    await played.ear.until(lambda: bool(played.ear.last(TOPICS.state("hold"))))
    hold = json_of(played.ear.last(TOPICS.state("hold")))
    assert why in hold["reason"]
    assert f"record {head.number} " in hold["reason"]
    await played.stop()
    assert "line up" not in played.log().removeprefix(log)
    with JournalReader(played.journal) as reader:
        assert reader.head() == head
    status, _, errors = await ran("verify", str(played.journal))
    assert (status, errors) == (0, "")


async def test_somebody_who_comes_later_learns_of_the_hold(played: Premises) -> None:
    await forge(played, another_time)
    await played.spawn()
    await played.ear.until(lambda: bool(played.ear.last(TOPICS.state("hold"))))
    async with connected(played.broker, "5", "") as client:
        await client.subscribe(TOPICS.state("hold"), qos=1)
        message = await anext(aiter(client.messages))
        assert message.retain
        assert isinstance(message.payload, bytes)
        assert json_of(message.payload)["reason"]


async def test_nobody_can_answer_a_table_on_hold(played: Premises) -> None:
    await forge(played, another_time)
    await played.spawn()
    await played.ear.until(lambda: bool(played.ear.last(TOPICS.state("hold"))))
    before = len(played.ear.messages)
    body = msgspec.json.encode({"question": 1, "answer": "no", "who": "floor"})
    async with connected(played.broker, "5", "") as client, asked_again_and_again(client, "answer", body):
        await played.ear.until(lambda: any("/reply/" in one.topic for one in played.ear.messages[before:]))
    reply = json_of(played.ear.last(TOPICS.reply("answer")))
    assert reply["status"] == "refused"
    assert "hold" in reply["text"]


async def test_a_table_that_may_go_on_clears_the_hold(played: Premises) -> None:
    kept, head = played.journal.read_bytes(), path_of(played.journal).read_bytes()
    await forge(played, another_time)
    await played.spawn()
    await played.ear.until(lambda: bool(played.ear.last(TOPICS.state("hold"))))
    await played.stop()
    played.journal.write_bytes(kept)
    path_of(played.journal).write_bytes(head)
    await played.start()
    await played.ear.until(lambda: played.ear.last(TOPICS.state("hold")) == b"")


async def test_a_table_whose_devices_cannot_be_told_is_held_and_keeps_the_reading(
    tmp_path: Path, broker: Broker
) -> None:
    def unknown() -> Desired:
        raise AssertionError("no such lamp")

    ear = Ear()
    async with ear.listening(broker), watched(tmp_path, broker, ear) as table:
        begun = table.daemon.begin([DeviceComplained("sign", "lamp", "lamp 3", table.hand.now_ns)])
        with pytest.raises(AssertionError, match="no such lamp"):
            await table.daemon.finish(begun._replace(wanted=unknown))
        journal, failed = table.daemon.parts.journal.path, begun.table.state.number + 1
    recovered = recover(journal, KEY)
    assert recovered.hold == f"record {failed} could not be stepped; see its event internal_error"
    with JournalReader(journal) as reader:
        *_, kept, last = [own_event(row.body).event for row in reader.events()]
    assert (kept, last) == (DeviceAlarm("sign", "lamp", "lamp 3"), InternalError("AssertionError: no such lamp"))
