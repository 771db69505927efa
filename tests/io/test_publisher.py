"""What the publisher promises, held against a real broker, cut connections and killed brokers."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from controller.core.messages.alerts import BetIncreasedAfterLock
from controller.io.journal.consumers import Consumers
from controller.io.mqtt.broker import NoBroker, embedded, find_mosquitto, mosquitto, running_broker, start_mosquitto
from controller.io.mqtt.connection import INFLIGHT_LIMIT, Broker, CheckedClient, Protocol, connected
from controller.io.mqtt.publisher import MARK_LIMIT
from controller.io.mqtt.request import read_reply
from controller.io.system.clock import SystemClock
from tests.io.broker_rig import (
    HERE,
    TOPICS,
    Cuttable,
    Memory,
    closed,
    first_of_each,
    listening,
    open_to_the_broker,
    publishing,
)

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


@pytest.fixture(params=["5", "3.1.1"])
def protocol(request: pytest.FixtureRequest) -> Protocol:
    found: Protocol = request.param
    return found


async def test_events_go_out_in_order_and_are_marked(protocol: Protocol) -> None:
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


async def test_a_long_replay_leaves_no_more_without_a_mark_than_any_burst() -> None:
    memory = Memory(closed(3000))
    memory.marks = [2999]
    clock = SystemClock()
    consumers = Consumers(("tape",), memory.ledger(), HERE, session=1, clock=clock, publish=lambda _: None)
    wanted = msgspec.json.encode({"consumer": "tape", "epoch": HERE.epoch, "first_seq": 1})
    async with mosquitto() as broker, publishing(broker, memory, consumers=consumers) as publisher:
        await memory.until(3000)
        # As many new events as are sent again: there is always something to send before a mark.
        consumers.take_replay(wanted, 3000)
        memory.rows += Memory(closed(6000)).rows[3000:]
        publisher.wake()
        await memory.until(6000)
    steps = [after - before for before, after in pairwise(memory.marks)]
    assert MARK_LIMIT <= max(steps) < MARK_LIMIT + INFLIGHT_LIMIT


async def test_sending_begins_after_what_the_broker_already_has() -> None:
    memory = Memory(closed(30))
    memory.marks = [25]
    async with mosquitto() as broker, listening(broker) as listener:
        async with publishing(broker, memory):
            await memory.until(30)
        await listener.until(f"{TOPICS.root}/event/round_closed", 5)
        assert listener.seqs() == [26, 27, 28, 29, 30]


async def test_an_alert_goes_out_twice_with_the_same_bytes() -> None:
    memory = Memory([BetIncreasedAfterLock(round=1, spot=2, zone="main", before_cents=500, after_cents=1000)])
    async with mosquitto() as broker, listening(broker) as listener:
        async with publishing(broker, memory):
            await memory.until(1)
        (event,) = await listener.until(f"{TOPICS.root}/event/bet_increased_after_lock")
        (alert,) = await listener.until(f"{TOPICS.root}/alert/bet_increased_after_lock")
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


async def test_states_are_retained_and_published_again_on_every_connection() -> None:
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


async def test_a_command_that_comes_retained_is_refused_the_first_time_too() -> None:
    """The broker keeps it, and a bridge brings it again as if it were new."""
    heard: list[tuple[str, bytes]] = []
    async with (
        mosquitto() as broker,
        connected(broker, "5", "operator") as operator,
        listening(broker) as listener,
        publishing(broker, Memory(), heard) as publisher,
    ):
        await publisher.online.wait()
        await operator.publish(TOPICS.command("new-shoe"), b'{"transaction": 7}', retain=True)
        (refusal,) = await listener.until(TOPICS.reply("new-shoe"))
        reply = read_reply(refusal)
        assert reply is not None
        assert (reply.status, reply.transaction, "not retained" in reply.text) == ("refused", 7, True)
        await operator.publish(TOPICS.command("new-shoe"), b"")
        publisher.reply("answer", b"")
        await listener.until(TOPICS.reply("answer"))
    assert b"transaction" not in b"".join(payload for _, payload in heard)


async def test_a_refused_event_holds_back_the_mark_until_it_is_taken(tmp_path: Path) -> None:
    rules = tmp_path / "acl"
    rules.write_text("topic readwrite tableside/#\n")
    open_to_the_broker(rules)
    late = BetIncreasedAfterLock(round=1, spot=2, zone="main", before_cents=500, after_cents=1000)
    memory = Memory([*closed(3), late, *closed(2)])
    settings = {"acl_file": str(rules)}
    rules.write_text(
        f"topic read tableside/#\ntopic write {TOPICS.status}\ntopic write {TOPICS.root}/event/round_closed\n"
    )
    async with mosquitto(settings) as broker, publishing(broker, memory):
        await memory.until(3)
        port = broker.port
    assert memory.marks[-1] == 3
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
                await memory.until_noted(seq)
                wire.cut()
            await memory.until(400)
        await listener.until_each(400)
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
    open_to_the_broker(tmp_path)
    process, port = await start_mosquitto(program, tmp_path, {}, None)
    first = Broker(host="127.0.0.1", port=port)
    async with listening(first) as before, publishing(first, memory):
        await memory.until_noted(20)
        process.kill()
        await process.wait()
        known = memory.noted
        async with mosquitto(port=port) as second, listening(second) as after:
            memory.rows += Memory(closed(460)).rows[400:]
            await memory.until(460)
            await after.until(f"{TOPICS.root}/event/round_closed")
            seqs = first_of_each(after.seqs())
    assert is_gapless(first_of_each(before.seqs()))
    assert before.seqs()[0] == 1
    assert known < 400
    assert is_gapless(seqs)


async def test_auto_finds_the_older_protocol_at_every_connection() -> None:
    memory = Memory(closed(400))
    async with mosquitto() as target:
        wire = Cuttable(target, refuses_5=True)
        async with wire.open() as broker, publishing(broker, memory):
            await memory.until_noted(20)
            # Twice each: one connection speaks, the other hears.
            assert wire.connections == 4
            wire.cut()
            await memory.until(400)
            assert wire.connections <= 8


async def test_a_broker_that_is_slow_to_greet_once_is_spoken_to_in_5() -> None:
    """With 3.1.1 a refused event looks as if it had been taken."""
    memory = Memory(closed(40))
    async with mosquitto() as target:
        wire = Cuttable(target)
        async with wire.open() as named:
            broker = msgspec.structs.replace(named, connect_seconds=0.5)
            wire.slow_greetings = 2
            async with publishing(broker, memory):
                await memory.until(40)
    assert wire.greeted == [5] * len(wire.greeted)


async def test_the_broker_inside_our_own_loop_takes_events_too() -> None:
    memory = Memory(closed(3))
    async with embedded() as broker, publishing(broker, memory):
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
