"""What keeps a connection: which protocols are tried, what is given up, when the pauses are short again."""

from __future__ import annotations

import asyncio
import itertools
import random
import socket
from collections.abc import Callable, Iterator

import pytest
from structlog.testing import capture_logs

from controller.io.mqtt.connection import Broker, ConnectionLost, NotGreeted, Protocol
from controller.io.mqtt.inbox import Inbox
from controller.io.mqtt.reconnection import AbsenceReports, Reconnection
from controller.io.system.clock import SystemClock
from tests.io.broker_rig import TOPICS, Memory, publishing
from tests.io.stream_rig import turn
from tests.io.virtual_time import LoopClock, passes, run_virtual

BROKER = Broker("127.0.0.1", 1883)


class Enough(Exception):  # noqa: N818
    """Ends what would go on for ever."""


def kept(
    answers: Iterator[Exception | None], reconnection: Reconnection | None = None
) -> tuple[list[str], list[float]]:
    """The protocols tried, a dash for each pause, and how long after the begin each pause began.

    Each try meets the next of ``answers``: what is raised, None for a connection that ends of itself.
    """
    found: list[str] = []
    pauses: list[float] = []
    used = reconnection or Reconnection(BROKER, random.Random(1))

    async def play() -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()

        async def serve(protocol: Protocol) -> None:
            error = next(answers, Enough())
            found.append(protocol)
            if error is not None:
                raise error

        def away(_: Exception) -> None:
            found.append("-")
            pauses.append(loop.time() - began)

        with pytest.raises(Enough):
            await used.keep(serve, away)

    run_virtual(play())
    return found, pauses


def test_a_broker_that_is_silent_is_asked_in_the_older_protocol_at_last() -> None:
    tried, _ = kept(iter([NotGreeted("no answer")] * 4))
    assert tried == ["5", "5", "3.1.1", "-", "5", "5"]


def test_a_protocol_that_the_broker_refuses_is_passed_over_until_the_pause() -> None:
    tried, _ = kept(iter([NotGreeted("bad version", said_no=True), ConnectionLost("gone")]))
    assert tried == ["5", "3.1.1", "-", "5"]


@pytest.mark.parametrize("end", [ConnectionLost("gone"), None])
def test_a_connection_that_ended_is_tried_again_after_a_pause_from_the_newest_protocol(end: Exception | None) -> None:
    tried, _ = kept(iter([end, end]))
    assert tried == ["5", "-", "5", "-", "5"]


def test_what_is_no_loss_ends_it() -> None:
    with pytest.raises(OSError, match="certificate"):
        kept(iter([OSError("certificate")]))
    tried, _ = kept(
        iter([OSError("certificate")]), Reconnection(BROKER, random.Random(1), losses=(ConnectionLost, OSError))
    )
    assert tried == ["5", "-", "5"]


def pauses_of(worked: Callable[[Reconnection], None]) -> list[float]:
    reconnection = Reconnection(BROKER, random.Random(1))

    def answers() -> Iterator[Exception]:
        for _ in range(5):
            worked(reconnection)
            yield ConnectionLost("gone")

    _, begun = kept(answers(), reconnection)
    return [after - before for before, after in itertools.pairwise(begun)]


def test_pauses_grow_until_the_connection_has_worked() -> None:
    growing = pauses_of(lambda _: None)
    assert growing == sorted(growing)
    assert growing[-1] > 2.5
    assert max(pauses_of(Reconnection.worked)) <= 0.5


def test_an_absent_broker_is_reported_at_once_and_then_once_a_minute() -> None:
    async def scenario() -> None:
        reports = AbsenceReports(LoopClock(asyncio.get_running_loop()))
        assert reports.is_due("refused")
        await passes(59)
        assert not reports.is_due("refused")
        assert reports.is_due("no such host")
        await passes(59)
        assert not reports.is_due("no such host")
        await passes(1)
        assert reports.is_due("no such host")
        reports.reached()
        assert reports.is_due("no such host")

    run_virtual(scenario())


async def test_a_port_without_a_broker_is_one_line_with_its_address_and_what_to_do() -> None:
    with socket.socket() as bound:
        # Nobody listens at a port that is only bound.
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        with capture_logs() as lines:
            async with publishing(Broker("127.0.0.1", port), Memory()) as publisher, asyncio.timeout(30):
                # Two pauses: each time three protocols are tried.
                while publisher.turns < 7:
                    await turn()
    (line,) = (line for line in lines if line["log_level"] == "warning")
    assert (line["event"], line["broker"]) == ("broker not reached", f"127.0.0.1:{port}")
    assert "Connection refused" in line["reason"]
    assert line["do"] == "start the broker there, or give its host and port in [broker] of the table file"


async def test_orders_that_do_not_come_from_a_broker_that_takes_events_are_reported_with_its_address() -> None:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port = bound.getsockname()[1]
        tried = 0

        def is_reached() -> bool:
            nonlocal tried
            tried += 1
            return tried > 1

        def nothing(*_: object) -> None:
            raise AssertionError

        inbox = Inbox(
            Broker("127.0.0.1", port),
            TOPICS,
            clock=SystemClock(),
            chance=random.Random(1),
            on_command=nothing,
            on_retained=nothing,
            on_status=nothing,
            is_reached=is_reached,
        )
        with capture_logs() as lines:
            running = asyncio.create_task(inbox.run())
            async with asyncio.timeout(30):
                while tried < 3:
                    await turn()
            running.cancel()
            await asyncio.gather(running, return_exceptions=True)
    (line,) = lines
    assert (line["event"], line["broker"], "do" in line) == ("requests not heard", f"127.0.0.1:{port}", True)
