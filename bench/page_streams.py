"""Reads as many streams of the pages' server as it is asked to, and draws nothing: browsers on other machines.

    python -m bench.page_streams http://127.0.0.1:8021 harbour/bj-1

A number on its standard input is how many streams it has open from then on; it says ``open`` once each of them has sent
something. What comes is thrown away unread: how long a browser takes is no part of what is measured with it.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import secrets
import sys
from typing import Final

from aiohttp import ClientSession

PONG: Final = b"\x8a\x80" + bytes(4)
"""A browser's answer to a ping, masked with nothing."""

PONG_SECONDS: Final = 8.0
"""The server hangs up on who answers none of its pings, which come each 20 s."""


class Stream(asyncio.Protocol):
    """One stream."""

    def __init__(self) -> None:
        self.first_message = asyncio.get_running_loop().create_future()
        self._is_upgraded = False

    def data_received(self, data: bytes) -> None:
        """The answer to the request, then messages; the first of them may come with the answer."""
        if self.first_message.done():
            return
        assert self._is_upgraded or data.startswith(b"HTTP/1.1 101"), data
        if self._is_upgraded or data.partition(b"\r\n\r\n")[2]:
            self.first_message.set_result(None)
        self._is_upgraded = True


async def opened(client: ClientSession, at: str, table: str) -> asyncio.Transport:
    """A stream that has sent something."""
    async with client.post(f"{at}/api/ticket", headers={"Origin": at}) as answer:
        ticket = (await answer.json())["ticket"]
    address = at.removeprefix("http://")
    host, _, port = address.rpartition(":")
    transport, stream = await asyncio.get_running_loop().create_connection(Stream, host, int(port))
    asked = (
        f"GET /api/live?ticket={ticket}&table={table} HTTP/1.1",
        f"Host: {address}",
        f"Origin: {at}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {base64.b64encode(secrets.token_bytes(16)).decode()}",
        "Sec-WebSocket-Version: 13",
    )
    transport.write("\r\n".join((*asked, "", "")).encode())
    await stream.first_message
    return transport


async def answer_pings(streams: list[asyncio.Transport]) -> None:
    """Until cancelled."""
    while True:
        await asyncio.sleep(PONG_SECONDS)
        for one in streams:
            one.write(PONG)


async def run(at: str, table: str) -> None:
    """Read as many as is said, until nothing more is."""
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    streams: list[asyncio.Transport] = []
    answering = asyncio.create_task(answer_pings(streams))
    async with ClientSession() as client:
        while wanted := await lines.readline():
            while len(streams) > int(wanted):
                streams.pop().abort()
            while len(streams) < int(wanted):
                streams.append(await opened(client, at, table))
            print("open", flush=True)
    answering.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await answering


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], sys.argv[2]))
