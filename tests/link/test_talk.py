"""Who talks too much on a link's line: it is not listened to for a while, with one alarm, and nobody else waits."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import socket
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import zmq
import zmq.asyncio
from structlog.testing import capture_logs

from controller.core.meters.pool_postings import WagerPosting
from controller.formats.text.safe_parse import LINE_LIMIT
from controller.pool.complaints import LINES_AT_ONCE, Complaints
from controller.pool.service import STRANGERS_LIMIT
from controller.pool.session import WINDOW
from controller.pool.table_end import ANEW_NS, TELLINGS_PER_SECOND, LinkAddress
from controller.pool.turns import MEMBER, POSTINGS_PER_SECOND, POSTINGS_WAIT, Turns
from controller.pool.wire import MESSAGE_LIMIT_BYTES, PoolStatus, PostingRequest, StatusRequest, frames
from tests.io.test_allowances import Hands
from tests.link.premises import BY_TWO, PATIENCE_SECONDS, Premises, Table

SECOND_NS = 1_000_000_000
WAGER = WagerPosting(500, 9, 3, "blazing_7s")


@contextlib.asynccontextmanager
async def member(premises: Premises, name: str, identity: bytes = b"") -> AsyncIterator[zmq.asyncio.Socket]:
    """A table's key, without a table's manners."""
    with zmq.asyncio.Context() as context, context.socket(zmq.DEALER) as found:
        public, secret = premises.tables[name]
        found.set(zmq.LINGER, 0)
        if identity:
            found.set(zmq.IDENTITY, identity)
        found.set(zmq.CURVE_PUBLICKEY, public)
        found.set(zmq.CURVE_SECRETKEY, secret)
        found.set(zmq.CURVE_SERVERKEY, premises.public)
        found.connect(f"tcp://127.0.0.1:{premises.port}")
        yield found


async def test_a_member_that_talks_without_end_is_alarmed_and_the_others_are_answered(tmp_path: Path) -> None:
    """Postings and questions of one key, as fast as they go out: the pool stays open to who plays."""
    premises = Premises(tmp_path, 2)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with (
        premises.process() as link,
        premises.table("harbour/bj-2") as honest,
        member(premises, "harbour/bj-1") as hostile,
    ):
        await honest.does(WAGER)
        babbling = asyncio.create_task(babble(hostile))
        longest_s, alarmed = 0.0, asyncio.create_task(first_alarm(link))
        while not alarmed.done():
            began = time.monotonic()
            await honest.does(WAGER)
            longest_s = max(longest_s, time.monotonic() - began)
        babbling.cancel()
    alarm = await alarmed
    assert (alarm["event"], alarm["table"], alarm["level"]) == (
        "ALARM: a table talks too much",
        "harbour/bj-1",
        "error",
    )
    assert longest_s < 1.75, "the pool would have been closed"


async def test_a_member_whose_message_never_ends_is_hung_up_on(tmp_path: Path) -> None:
    premises = Premises(tmp_path, 2)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with (
        premises.process(),
        premises.table("harbour/bj-2") as honest,
        member(premises, "harbour/bj-1") as hostile,
    ):
        with hostile.get_monitor_socket(zmq.EVENT_DISCONNECTED) as gone:
            await hostile.send_multipart([bytes(MESSAGE_LIMIT_BYTES // 2)] * 1_000)
            assert await gone.poll(1000 * PATIENCE_SECONDS), "a message of 8 MB was taken"
            hostile.disable_monitor()
        await honest.does(WAGER)


async def test_nobody_takes_a_line_by_coming_under_its_name(tmp_path: Path) -> None:
    """The name by which ZeroMQ tells connections apart is whatever a peer says: the first keeps its line."""
    premises = Premises(tmp_path, 2)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with premises.process(), member(premises, "harbour/bj-1", b"a line") as first:
        assert await asked(first)
        async with member(premises, "harbour/bj-2", b"a line") as second:
            assert not await asked(second, seconds=1)
            assert await asked(first)


async def asked(socket_: zmq.asyncio.Socket, seconds: float = PATIENCE_SECONDS) -> bool:
    """Whether the link answers a question."""
    await socket_.send_multipart(frames(StatusRequest()))
    answered = bool(await socket_.poll(1000 * seconds))
    if answered:
        await socket_.recv_multipart()
    return answered


async def test_a_table_cannot_fill_the_links_log(tmp_path: Path) -> None:
    """Garbage and postings that are declined, within what a table may say: the journal would drop everybody's lines."""
    premises = Premises(tmp_path, 1)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with premises.process() as link, member(premises, "harbour/bj-1") as hostile:
        for seq in range(1, 201):
            await hostile.send_multipart([b"tableside.link.v1", b'{"type":"%s"}' % (b"x" * 500)])
            await hostile.send_multipart(frames(PostingRequest(1, seq, WagerPosting(0, 9, 3, "blazing_7s"))))
            assert await hostile.poll(1000 * PATIENCE_SECONDS), "nobody reads the log, and it is full"
            await hostile.recv_multipart()
        link.terminate()
        _, logged = await link.communicate()
    lines = [json.loads(line) for line in logged.splitlines()]
    for event in ("message refused", "ALARM: posting declined"):
        shown = [one for one in lines if one["event"] == event]
        assert LINES_AT_ONCE <= len(shown) < 100, event
        assert all(len(json.dumps(one)) < 2 * LINE_LIMIT for one in shown)


def test_what_the_log_does_not_say_is_counted() -> None:
    clock = Hands()
    complaints = Complaints("pit-1", clock)
    with capture_logs() as lines:
        for seq in range(1, 100):
            complaints.alarm("posting declined", "bj-1", "no\nwager", seq=seq)
        complaints.alarm("posting declined", "bj-2", "no wager", seq=1)
        clock.now_ns += SECOND_NS
        complaints.alarm("posting declined", "bj-1", "no wager", seq=100)
    assert [one["seq"] for one in lines] == [*range(1, LINES_AT_ONCE + 1), 1, 100]
    assert (lines[0]["reason"], lines[-1]["untold"]) == ("no wager", 99 - LINES_AT_ONCE)


async def test_strangers_without_number_do_not_keep_a_table_out(tmp_path: Path) -> None:
    premises = Premises(tmp_path, 2)
    assert premises.does("begin", *BY_TWO).exit_code == 0
    async with premises.process() as link, premises.table("harbour/bj-1") as first:
        await first.does(WAGER)
        with contextlib.ExitStack() as kept:
            for _ in range(6 * STRANGERS_LIMIT):
                kept.enter_context(socket.create_connection(("127.0.0.1", premises.port)))
            async with premises.table("harbour/bj-2") as second:
                await second.does(WAGER)
            await first.does(WAGER)
            assert descriptors(link) < 6 * STRANGERS_LIMIT


def descriptors(process: Process) -> int:
    return sum(1 for _ in Path(f"/proc/{process.pid}/fd").iterdir())


async def babble(saying: zmq.asyncio.Socket) -> None:
    """Say whatever goes out."""
    for number in itertools.count(1):
        await saying.send_multipart(frames(StatusRequest() if number % 2 else PostingRequest(1, number, WAGER)))


async def first_alarm(link: Process) -> dict[str, Any]:
    """What the link's log says first that is an alarm."""
    assert link.stderr is not None
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for line in link.stderr:
            if b"ALARM" in line:
                found: dict[str, Any] = json.loads(line)
                return found
    raise AssertionError("the link ended")


@contextlib.asynccontextmanager
async def hostile_link() -> AsyncIterator[tuple[zmq.asyncio.Socket, Table]]:
    """Somebody who has the link's key, and a table that speaks to them."""
    public, secret = zmq.curve_keypair()
    with zmq.asyncio.Context() as context, context.socket(zmq.ROUTER) as link:
        link.set(zmq.LINGER, 0)
        link.set(zmq.CURVE_SERVER, 1)
        link.set(zmq.CURVE_SECRETKEY, secret)
        port = link.bind_to_random_port("tcp://127.0.0.1")
        table = Table("pit-1", LinkAddress(f"127.0.0.1:{port}", public, zmq.curve_keypair()[1]))
        running = asyncio.create_task(table.end.run())
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                yield link, table
        finally:
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)


async def test_a_link_that_talks_without_end_is_not_listened_to_for_a_while() -> None:
    """Whoever has the link's key: the table takes note of a few words, says so once, and hangs up."""
    shown: list[int | None] = []
    began = time.monotonic()
    async with hostile_link() as (link, table):
        peer, *_ = await link.recv_multipart()
        number = 0
        while not table.alarms:
            number += 1
            await link.send_multipart([peer, *frames(PoolStatus("pit-1", number, number, 1, 0))])
            await asyncio.sleep(0)
            shown.append(table.shows.shown_cents)
        # It is silent for the table from then on, and asked anew later.
        await table.until(closed=True)
        anew, *_ = await link.recv_multipart()
        while anew == peer:
            anew, *_ = await link.recv_multipart()
    assert len(table.alarms) == 1
    assert "too many messages a second" in table.alarms[0]
    # So many at once and so many a second, however slowly this machine runs.
    most = TELLINGS_PER_SECOND * (2 + time.monotonic() - began)
    assert len(set(shown)) <= most < number, "what the pool shows reached the table at every word"


async def test_a_link_whose_message_never_ends_is_hung_up_on() -> None:
    async with hostile_link() as (link, table):
        peer, *_ = await link.recv_multipart()
        with capture_logs() as lines, link.get_monitor_socket(zmq.EVENT_DISCONNECTED) as gone:
            await link.send_multipart([peer, *[bytes(MESSAGE_LIMIT_BYTES // 2)] * 1_000])
            assert await gone.poll(round(ANEW_NS / 2_000_000)), "a message of 8 MB was taken"
            link.disable_monitor()
            # The table says why once it has hung up, and asks anew after that.
            anew = peer
            while anew == peer:
                anew, *_ = await link.recv_multipart()
    assert len(table.alarms) == 1
    closed = [line["reason"] for line in lines if line["event"] == "connection closed"]
    assert any("without an end" in reason for reason in closed), "it was read whole, and then refused"


def test_a_table_at_its_fastest_is_always_heard() -> None:
    """One that catches up: a window of postings, the next with each answer, and its questions."""
    clock = Hands()
    turns: Turns[int] = Turns(["bj-1"], clock, random.Random(1))
    for _ in range(60):
        for _ in range(POSTINGS_PER_SECOND + WINDOW + 3):
            clock.now_ns += SECOND_NS // (POSTINGS_PER_SECOND + WINDOW + 3)
            assert turns.hears("bj-1", 200)


async def test_postings_without_end_wait_behind_each_other_and_nobody_else() -> None:
    clock = Hands()
    turns: Turns[tuple[str, int]] = Turns(["bj-1", "bj-2"], clock, random.Random(1))
    for number in range(10_000):
        turns.put("bj-1", ("bj-1", number))
    turns.put("bj-2", ("bj-2", 1))
    turns.put("bj-2", ("bj-2", 2))
    assert (await turns.batch(5)) == [("bj-1", 0), ("bj-2", 1), ("bj-1", 1), ("bj-2", 2), ("bj-1", 2)]
    assert len(await turns.batch(10_000)) == POSTINGS_WAIT - 3, "what was beyond it was not kept"


async def test_of_more_tables_than_a_transaction_holds_each_has_its_turn() -> None:
    names = [f"bj-{number}" for number in range(6)]
    turns: Turns[str] = Turns(names, Hands(), random.Random(1))
    for name in names * 2:
        turns.put(name, name)
    assert [await turns.batch(4) for _ in range(3)] == [names[:4], [*names[4:], *names[:2]], names[2:]]


@pytest.mark.parametrize("size", [0, MEMBER.bytes_per_second // 100])
def test_who_talked_too_much_is_heard_again_and_alarmed_once_in_a_while(size: int) -> None:
    clock = Hands()
    turns: Turns[int] = Turns(["bj-1"], clock, random.Random(1))
    while turns.hears("bj-1", size):
        pass
    assert not turns.hears("bj-1", 0)
    clock.now_ns += SECOND_NS
    assert turns.hears("bj-1", 0)
