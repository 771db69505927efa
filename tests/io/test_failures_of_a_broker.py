"""What brokers do to a table in the field, provoked with a real one."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import msgspec
import pytest

from controller.formats.mqtt.envelope import status_bytes
from controller.io.journal.errors import JournalFailed
from controller.io.journal.reader import EventRow
from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import connected
from tests.io.broker_rig import PATIENCE_SECONDS, TOPICS, Cuttable, Memory, closed, first_of_each, listening, publishing
from tests.io.stream_rig import turn

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


async def test_14_a_link_that_swallows_every_answer_is_given_up_and_nothing_is_lost() -> None:
    memory = Memory(closed(3))
    async with mosquitto() as target, listening(target) as listener:
        wire = Cuttable(target)
        async with wire.open() as broker, publishing(broker, memory) as publisher:
            await memory.until(3)
            wire.deaf = True
            memory.rows += Memory(closed(40)).rows[3:]
            publisher.wake()
            # The keep-alive finds it: nothing was closed, and TCP would wait for a quarter of an hour.
            await memory.until(40)
        assert wire.connections >= 2
        # Those whose answers were swallowed came twice.
        await listener.until_each(40)
        assert first_of_each(listener.seqs()) == list(range(1, 41))


@pytest.mark.parametrize("lie", [status_bytes("offline", 7, 0), status_bytes("offline", 3, 0), b"", b"rubbish"])
async def test_15_a_status_that_somebody_else_has_overwritten_is_said_again(lie: bytes) -> None:
    """Most of all a last will that comes after we are back."""
    async with (
        mosquitto() as broker,
        connected(broker, "5", "other") as other,
        listening(broker) as listener,
        publishing(broker, Memory(), session=7) as publisher,
    ):
        await publisher.online.wait()
        await other.publish(TOPICS.status, lie, retain=True)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while len(listener.payloads(TOPICS.status)) < 3:
                await turn()
        status = msgspec.json.decode(listener.payloads(TOPICS.status)[2])
        assert (status["state"], status["session"]) == ("online", 7)


async def test_15_two_clients_with_one_name_lose_nothing_and_do_not_spin() -> None:
    """Their client ids differ, so the broker throws neither out."""
    ones, others = Memory(closed(60)), Memory(closed(60))
    async with mosquitto() as target, listening(target) as listener:
        wire = Cuttable(target)
        async with wire.open() as broker, publishing(broker, ones), publishing(broker, others):
            await asyncio.gather(ones.until(60), others.until(60))
        assert wire.connections < 40
        await listener.until(f"{TOPICS.root}/event/round_closed", 120)
        assert first_of_each(listener.seqs()) == list(range(1, 61))


async def test_15_a_status_that_is_overwritten_twice_within_a_second_is_said_again_too() -> None:
    async with (
        mosquitto() as broker,
        connected(broker, "5", "other") as other,
        publishing(broker, Memory(), session=7) as publisher,
    ):
        await publisher.online.wait()
        async with listening(broker, TOPICS.status) as listener:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not listener.payloads(TOPICS.status):
                    await turn()
            for _ in range(2):
                count = len(listener.payloads(TOPICS.status))
                await other.publish(TOPICS.status, status_bytes("offline", 7, 0), retain=True)
                async with asyncio.timeout(PATIENCE_SECONDS):
                    while len(listener.payloads(TOPICS.status)) < count + 2:
                        await turn()
                assert msgspec.json.decode(listener.payloads(TOPICS.status)[-1])["state"] == "online"


@pytest.mark.parametrize("session", [1, 2])
async def test_15_two_daemons_of_one_name_notice_each_other(session: int) -> None:
    """Of two journals: no lock keeps them apart, and both may be in their first session."""
    ones: list[str] = []
    others: list[str] = []
    async with (
        mosquitto() as broker,
        publishing(broker, Memory(), session=1, rivals=ones) as one,
        publishing(broker, Memory(), session=session, rivals=others),
    ):
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not (ones and others):
                await turn()
        # Said once, however long they go on.
        turns = one.turns
        async with asyncio.timeout(PATIENCE_SECONDS):
            while one.turns < turns + 3:
                await turn()
    text = f"another daemon publishes as {TOPICS.site}/{TOPICS.table}: give one another name"
    assert (ones, others) == ([text], [text])


async def test_15_a_status_of_an_earlier_run_that_a_bridge_brings_again_is_no_other_daemon() -> None:
    rivals: list[str] = []
    earlier = status_bytes("online", 6, 0)
    async with (
        mosquitto() as broker,
        connected(broker, "5", "bridge") as bridge,
        listening(broker) as listener,
        publishing(broker, Memory(), session=7, rivals=rivals) as publisher,
    ):
        await publisher.online.wait()
        for session in (3, 5):
            await bridge.publish(TOPICS.status, earlier, retain=True)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while len(listener.payloads(TOPICS.status)) < session:
                    await turn()
    assert rivals == []


class Failing(Memory):
    """A journal whose disk fails once a test says so."""

    failed = False

    async def after(self, seq: int, limit: int) -> Sequence[EventRow]:
        if self.failed:
            raise JournalFailed("the disk is gone")
        return await super().after(seq, limit)


@pytest.mark.parametrize("ends", ["by itself", "with the others"])
async def test_36_a_table_that_dies_of_its_disk_is_offline(ends: str) -> None:
    """The broker throws the last will away when a connection ends properly: somebody has to say it."""
    memory = Failing(closed(3))
    async with mosquitto() as broker, listening(broker, TOPICS.status) as listener:
        async with publishing(broker, memory, session=7) as publisher:
            await memory.until(3)
            memory.failed = True
            if ends == "by itself":
                publisher.wake()
            # The rest of the table ends for the same reason, and takes the publisher along.
            async with asyncio.timeout(PATIENCE_SECONDS):
                while ends == "by itself" and publisher.online.is_set():
                    await turn()
        await listener.until(TOPICS.status, 2)
        states = [msgspec.json.decode(payload)["state"] for payload in listener.payloads(TOPICS.status)]
        assert states == ["online", "offline"]


async def test_36_a_goodbye_that_is_not_answered_leaves_it_to_the_last_will() -> None:
    memory = Memory(closed(3))
    async with mosquitto() as target, listening(target, TOPICS.status) as listener:
        wire = Cuttable(target)
        async with wire.open() as broker:
            async with publishing(broker, memory, session=7):
                await memory.until(3)
                wire.deaf = wire.mute = True
            await listener.until(TOPICS.status, 2)
        states = [msgspec.json.decode(payload)["state"] for payload in listener.payloads(TOPICS.status)]
        assert states == ["online", "offline"]
