"""Displays that come late, do not read, or cannot be served: none of it is the table's trouble."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import zmq
import zmq.asyncio

from controller.io.displays.line_feed import BACKLOG_LIMIT_BYTES, CLIENTS_LIMIT, LineFeed
from controller.io.displays.tap import QUEUE_LIMIT, DisplayTap
from controller.io.system.clock import SystemClock
from controller.io.system.zmtp_proxy import CONNECTIONS_LIMIT
from tests.io.zmtp_peer import MORE, frame, is_closed, poured, speaking

PATIENCE_S = 20.0


@contextlib.asynccontextmanager
async def running(work: Callable[[], Awaitable[None]]) -> AsyncIterator[None]:
    task = asyncio.ensure_future(work())
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


@contextlib.asynccontextmanager
async def screen(path: Path, prefix: bytes = b"") -> AsyncIterator[zmq.asyncio.Socket]:
    context = zmq.asyncio.Context()
    try:
        found = context.socket(zmq.SUB)
        found.connect(f"ipc://{path}")
        found.subscribe(prefix)
        yield found
    finally:
        context.destroy(linger=0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bj-1.tap"


async def test_a_display_that_comes_late_is_sent_the_latest_of_what_is_retained(path: Path) -> None:
    tap = DisplayTap(path, SystemClock())
    tap.show("a/status", b"old", retained=True)
    tap.show("a/status", b"new", retained=True)
    tap.show("a/event/x", b"gone")
    tap.show("b/status", b"another", retained=True)
    async with running(tap.run), screen(path, b"a/") as late:
        assert await late.recv_multipart() == [b"a/status", b"new"]


async def test_a_second_display_is_sent_it_too(path: Path) -> None:
    tap = DisplayTap(path, SystemClock())
    tap.show("a/status", b"new", retained=True)
    async with running(tap.run), screen(path) as one:
        await one.recv_multipart()
        async with screen(path) as other:
            assert await other.recv_multipart() == [b"a/status", b"new"]


async def test_a_display_that_does_not_read_misses_messages_and_nobody_waits(path: Path) -> None:
    tap = DisplayTap(path, SystemClock())
    tap.show("start", b"", retained=True)
    body = bytes(4096)
    async with running(tap.run), screen(path) as slow:
        await slow.recv_multipart()
        for number in range(20 * QUEUE_LIMIT):
            tap.show(f"n/{number}", body)
        tap.show("end", b"", retained=True)
        # A newcomer hears at once, whatever waits for the other.
        async with screen(path, b"end") as other:
            assert await other.recv_multipart() == [b"end", b""]


async def test_of_displays_without_number_a_few_are_kept_and_the_last_learns_why(path: Path) -> None:
    tap = DisplayTap(path, SystemClock())
    tap.show("a/status", b"new", retained=True)
    async with running(tap.run):
        async with screen(path) as first:
            await first.recv_multipart()
        with contextlib.ExitStack() as kept:
            opened = [
                await asyncio.to_thread(kept.enter_context, speaking(path, b"SUB"))
                for _ in range(3 * CONNECTIONS_LIMIT)
            ]
            async with screen(path) as last:
                assert await last.recv_multipart() == [b"a/status", b"new"]
            assert sum(not is_closed(one) for one in opened) <= CONNECTIONS_LIMIT


async def test_a_subscription_that_never_ends_is_hung_up_on(path: Path) -> None:
    tap = DisplayTap(path, SystemClock())
    tap.show("a/status", b"new", retained=True)
    async with running(tap.run):
        async with screen(path) as first:
            await first.recv_multipart()
        assert await asyncio.to_thread(poured, path, frame(bytes(60_000), MORE), 16 << 20, b"SUB") < 16 << 20
        async with screen(path) as last:
            assert await last.recv_multipart() == [b"a/status", b"new"]


async def test_lines_go_to_everybody_connected(path: Path) -> None:
    feed = LineFeed("127.0.0.1", 0)
    async with running(feed.run):
        await feed.bound.wait()
        ends = [await asyncio.open_connection("127.0.0.1", feed.port) for _ in range(CLIENTS_LIMIT)]
        # One too many is hung up on; by then the others have been taken in.
        reader, last = await asyncio.open_connection("127.0.0.1", feed.port)
        with contextlib.suppress(ConnectionError):
            assert await reader.read() == b""
        feed.say(("S3 DOUBLE $10.00", "HOLE CARD TURNED"))
        for reader, writer in ends:
            assert await reader.readline() == b"S3 DOUBLE $10.00\r\n"
            assert await reader.readline() == b"HOLE CARD TURNED\r\n"
            writer.close()
        last.close()


async def test_an_inserter_that_does_not_read_is_hung_up_on() -> None:
    feed = LineFeed("127.0.0.1", 0)
    async with running(feed.run):
        await feed.bound.wait()
        with socket.socket() as deaf:
            deaf.setblocking(False)
            deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(deaf, ("127.0.0.1", feed.port))
            reader, writer = await asyncio.open_connection("127.0.0.1", feed.port)
            line = "x" * 1000
            sent_bytes = 0
            while sent_bytes < 64 * BACKLOG_LIMIT_BYTES:
                feed.say((line,))
                assert await reader.readline() == f"{line}\r\n".encode()
                sent_bytes += len(line)
            heard = 0
            with contextlib.suppress(ConnectionError):
                while data := await loop.sock_recv(deaf, 65536):
                    heard += len(data)
            assert heard < sent_bytes
            writer.close()


async def test_a_port_that_is_taken_is_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        feed = LineFeed("127.0.0.1", other.getsockname()[1])
        async with running(feed.run):
            feed.say(("nobody hears this",))
            await asyncio.wait((asyncio.ensure_future(feed.bound.wait()),), timeout=0.05)
            assert not feed.bound.is_set()
