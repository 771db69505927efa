"""Who is let in: a page of ours under a name of ours, so many at once, and nobody who does not read."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import resource
from collections.abc import AsyncIterator, Mapping
from typing import Final

import msgspec
import pytest
import structlog
from aiohttp import ClientSession, ClientWebSocketResponse, WSServerHandshakeError, web

from controller.io.system.clock import SystemClock
from controller.web.admission import CONNECTIONS_LIMIT, TICKET_SECONDS, TICKETS_LIMIT, HostNames, Tickets
from controller.web.floor_view import FloorView
from controller.web.request_log import REASON_LIMIT, RequestLog
from controller.web.server import (
    MESSAGES_AT_ONCE,
    MESSAGES_PER_SECOND,
    PARTS,
    ServerAddress,
    application,
    serving,
)

PATIENCE_S: Final = 30.0


class Served:
    """Pages of tables that nobody is heard of, and where they are."""

    def __init__(self, floor: FloorView, sockets: Mapping[web.WebSocketResponse, bool], port: int) -> None:
        self.floor = floor
        self.sockets = sockets
        self.port = port
        self.at = f"http://127.0.0.1:{port}"


@pytest.fixture
async def served() -> AsyncIterator[Served]:
    floor = FloorView(SystemClock())
    app = application(floor, HostNames(("pit.property.example",), 0), Tickets(lambda: 0.0), body_seconds=0.2)
    async with serving(app, ServerAddress("127.0.0.1", 0)) as port:
        yield Served(floor, app[PARTS].sockets, port)


@pytest.fixture
async def client() -> AsyncIterator[ClientSession]:
    async with ClientSession() as session:
        yield session


async def ticket(client: ClientSession, at: str) -> str:
    async with client.post(f"{at}/api/ticket", headers={"Origin": at}) as answer:
        assert answer.status == 200
        return str((await answer.json())["ticket"])


async def opened(client: ClientSession, at: str, table: str = "*") -> ClientWebSocketResponse:
    where = f"{at}/api/live?ticket={await ticket(client, at)}&table={table}"
    return await client.ws_connect(where, headers={"Origin": at})


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1:1", "localhost.evil.example", "pit.property.example.evil"])
async def test_another_name_for_this_address_is_refused(host: str, served: Served, client: ClientSession) -> None:
    async with client.get(served.at, headers={"Host": host}) as answer:
        assert answer.status == 421


@pytest.mark.parametrize(
    "host", ["pit.property.example", "pit.property.example:443", "localhost:{port}", "[::1]:{port}"]
)
async def test_our_own_names_are_served(host: str, served: Served, client: ClientSession) -> None:
    async with client.get(served.at, headers={"Host": host.format(port=served.port)}) as answer:
        assert answer.status == 200


@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://127.0.0.1:1", "file://", "evil://localhost"]
)
async def test_another_sites_page_gets_no_token_and_no_stream(
    origin: str | None, served: Served, client: ClientSession
) -> None:
    headers = {} if origin is None else {"Origin": origin}
    async with client.post(f"{served.at}/api/ticket", headers=headers) as answer:
        assert answer.status == 403
    with pytest.raises(WSServerHandshakeError) as refused:
        await client.ws_connect(f"{served.at}/api/live?ticket={await ticket(client, served.at)}", headers=headers)
    assert refused.value.status == 403


async def test_a_token_opens_one_stream(served: Served, client: ClientSession) -> None:
    token = await ticket(client, served.at)
    where, headers = f"{served.at}/api/live?ticket={token}", {"Origin": served.at}
    async with client.ws_connect(where, headers=headers) as stream:
        assert json.loads(await stream.receive_str())["tables"] == {}
    for again in (where, f"{served.at}/api/live", f"{served.at}/api/live?ticket=guessed"):
        with pytest.raises(WSServerHandshakeError) as refused:
            await client.ws_connect(again, headers=headers)
        assert refused.value.status == 403


def test_a_token_is_good_for_a_short_while_and_not_without_end() -> None:
    now = 100.0
    tickets = Tickets(lambda: now)
    token = tickets.issue("page")
    now += TICKET_SECONDS
    assert tickets.redeem(token) is None
    tokens = [tickets.issue("page") for _ in range(TICKETS_LIMIT + 1)]
    assert [tickets.redeem(one) for one in (tokens[0], tokens[1])] == [None, "page"]


@pytest.mark.parametrize(
    "path",
    [
        "/assets/../server.py",
        "/assets/%2e%2e/server.py",
        "/assets/vendor/preact-htm.d.ts",
        "/assets//etc/passwd",
        "/assets/",
        "/api",
        "/api/live/x",
    ],
)
async def test_nothing_but_the_pages_files_is_served(path: str, served: Served, client: ClientSession) -> None:
    async with client.get(f"{served.at}{path}", headers={"Origin": served.at}) as answer:
        assert answer.status in (403, 404)


@pytest.mark.parametrize("path", ["/", "/table/harbour/bj-1", "/assets/main.js", "/nowhere"])
async def test_every_answer_forbids_what_is_not_ours(path: str, served: Served, client: ClientSession) -> None:
    async with client.get(f"{served.at}{path}") as answer:
        policy = answer.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert "Server" not in answer.headers


async def test_a_browser_keeps_a_file_until_it_changes(served: Served, client: ClientSession) -> None:
    async with client.get(f"{served.at}/assets/main.js") as first:
        tag = first.headers["ETag"]
    async with client.get(f"{served.at}/assets/main.js", headers={"If-None-Match": tag}) as again:
        assert again.status == 304


async def test_a_page_that_speaks_on_the_stream_is_hung_up_on(served: Served, client: ClientSession) -> None:
    stream = await opened(client, served.at)
    await stream.send_str("{}")
    async with asyncio.timeout(PATIENCE_S):
        async for _ in stream:
            pass
    assert stream.closed


async def test_a_page_that_does_not_read_is_hung_up_on_and_another_is_sent_all(
    served: Served, client: ClientSession
) -> None:
    token = await ticket(client, served.at)
    asked = {"Host": f"127.0.0.1:{served.port}", "Origin": served.at, "Upgrade": "websocket", "Connection": "Upgrade"}
    asked |= {"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="}
    lines = [f"GET /api/live?ticket={token} HTTP/1.1", *(f"{name}: {value}" for name, value in asked.items()), "", ""]
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    writer.write("\r\n".join(lines).encode())
    assert (await reader.readline()).startswith(b"HTTP/1.1 101")
    writer.transport.pause_reading()  # type: ignore[attr-defined]
    async with await opened(client, served.at) as reading:
        assert len(served.sockets) == 2
        async with asyncio.timeout(PATIENCE_S):
            for number in itertools.count():
                reason = msgspec.json.encode({"reason": f"{number} " + "x" * 900_000})
                served.floor.take("tableside/v1/harbour/bj-1/state/hold", reason)
                while f"{number} xx" not in await reading.receive_str():
                    pass
                if len(served.sockets) == 1:
                    break
    writer.transport.abort()
    with contextlib.suppress(ConnectionError):
        await writer.wait_closed()


async def test_ten_thousand_connections_are_refused_and_the_pages_go_on(served: Served, client: ClientSession) -> None:
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(10_000, (most - 500) // 2)
    writers: list[asyncio.StreamWriter] = []
    chance = random.Random(1)
    for _ in range(wanted):
        with contextlib.suppress(ConnectionError):
            _, writer = await asyncio.open_connection("127.0.0.1", served.port)
            writers.append(writer)
            if chance.random() < 0.5:
                writer.write(b"GET / HTTP/1.1\r\nHost: ")
    for writer in writers:
        writer.transport.abort()
    assert wanted > CONNECTIONS_LIMIT * 2
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(OSError):
                async with client.get(served.at) as answer:
                    assert answer.status == 200
                    return


READ: Final = ("/api/sign-in", "/api/table-file")
"""What reads a body, also of somebody who is not signed in."""


@pytest.mark.parametrize("path", READ)
@pytest.mark.parametrize("announced", ["Content-Length: 60000", "Transfer-Encoding: chunked"])
async def test_who_announces_what_they_do_not_send_is_not_waited_for(
    path: str, announced: str, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: {served.at}\r\n{announced}\r\n\r\n"
    writer.write(head.encode())
    async with asyncio.timeout(PATIENCE_S):
        assert (await reader.readline()).startswith(b"HTTP/1.1 408 ")
    writer.transport.abort()
    assert caplog.records == []


async def test_who_goes_before_the_request_is_whole_is_no_fault_of_ours(
    served: Served, client: ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    _, writer = await asyncio.open_connection("127.0.0.1", served.port)
    head = f"POST /api/sign-in HTTP/1.1\r\nHost: 127.0.0.1:{served.port}\r\nOrigin: {served.at}\r\n"
    writer.write(f"{head}Content-Length: 60000\r\n\r\nhalf".encode())
    async with client.get(served.at):
        pass
    writer.transport.abort()
    for _ in range(3):
        async with client.get(served.at) as answer:
            assert answer.status == 200
    assert caplog.records == []


async def test_a_deals_cards_are_sent_as_they_fall_and_then_ten_a_second(served: Served, client: ClientSession) -> None:
    """Four at once on a new page; a machine that is busy is given five tries."""
    loop, numbers, spent = asyncio.get_running_loop(), itertools.count(), []

    async def publish(reading: ClientWebSocketResponse, messages: int) -> float:
        began = loop.time()
        for _ in range(messages):
            reason = f"card {next(numbers)}."
            served.floor.take("tableside/v1/harbour/bj-1/state/hold", msgspec.json.encode({"reason": reason}))
            while reason not in await reading.receive_str():
                pass
        return loop.time() - began

    for _ in range(5):
        async with await opened(client, served.at) as reading:
            # What is known when a page comes is the first of them.
            await reading.receive_str()
            spent.append(await publish(reading, MESSAGES_AT_ONCE - 1))
            rest = await publish(reading, MESSAGES_PER_SECOND)
            assert rest > (MESSAGES_PER_SECOND - MESSAGES_AT_ONCE) / MESSAGES_PER_SECOND
        if spent[-1] < 1 / MESSAGES_PER_SECOND:
            return
    raise AssertionError(spent)


NO_REQUESTS: Final = (
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    b"GET\r\n\r\n",
    b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost x\r\n\r\n",
    b"GET /%zz\x00 HTTP/1.1\r\nHost: x\x00y\r\n\r\n",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 20_000 + b"\r\n\r\n",
    b"POST /api/ticket HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST /api/ticket HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"POST /api/sign-in HTTP/1.1\r\nHost: %b\r\nOrigin: http://%b\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
)


@pytest.mark.parametrize("sent", NO_REQUESTS, ids=lambda one: repr(one[:16]))
async def test_what_is_no_request_is_one_line_of_the_log(
    sent: bytes, served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    with structlog.testing.capture_logs() as logs:
        reader, writer = await asyncio.open_connection("127.0.0.1", served.port)
        writer.write(sent.replace(b"%b", b"localhost:%d" % served.port))
        async with asyncio.timeout(PATIENCE_S):
            answer = await reader.read()
        writer.close()
    assert answer.split()[1].startswith(b"4"), answer
    assert caplog.records == []
    for line in logs:
        assert (line["event"], line["log_level"], "\n" in line["reason"]) == ("no request", "info", False)
        assert 0 < len(line["reason"]) <= REASON_LIMIT
    assert len(logs) <= 1


@pytest.mark.parametrize("path", READ)
@pytest.mark.parametrize("announced", ["gzip", "deflate"])
async def test_what_is_not_compressed_as_announced_is_refused_and_one_line_of_the_log(
    path: str, announced: str, served: Served, client: ClientSession, caplog: pytest.LogCaptureFixture
) -> None:
    reason = f"Can not decode content-encoding: {announced}"
    headers = {"Origin": served.at, "Content-Encoding": announced}
    with structlog.testing.capture_logs() as logs:
        async with client.post(
            served.at + path, headers=headers, data=b"\x1f\x8b\x08 a hand of 21 and no gzip"
        ) as answer:
            said = f"what came with the request is not as its head says: {reason}\n"
            assert (answer.status, await answer.text()) == (400, said)
        async with client.get(served.at) as answer:
            assert answer.status == 200
    (line,) = logs
    assert (line["event"], line["log_level"], line["reason"]) == ("no request", "info", reason)
    assert caplog.records == []


def test_a_fault_of_ours_is_logged_whole(caplog: pytest.LogCaptureFixture) -> None:
    RequestLog().exception("Error handling request", exc_info=KeyError("a table"))
    assert caplog.records[0].exc_info is not None
