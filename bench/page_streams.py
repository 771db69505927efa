"""Reads as many streams of the pages' server as it is told, and draws nothing: browsers on other machines.

    python -m bench.page_streams http://127.0.0.1:8021 harbour/bj-1 20

Says ``open`` once every stream has told something.
"""

from __future__ import annotations

import asyncio
import sys

from aiohttp import ClientSession, ClientWebSocketResponse


async def opened(client: ClientSession, at: str, table: str) -> ClientWebSocketResponse:
    """A stream that has told something."""
    async with client.post(f"{at}/api/ticket", headers={"Origin": at}) as answer:
        ticket = (await answer.json())["ticket"]
    stream = await client.ws_connect(f"{at}/api/live?ticket={ticket}&table={table}", headers={"Origin": at})
    await stream.receive_str()
    return stream


async def read(stream: ClientWebSocketResponse) -> None:
    """Until it ends."""
    async for _ in stream:
        pass


async def run(at: str, table: str, count: int) -> None:
    """Read all of them until told to end."""
    async with ClientSession() as client:
        streams = [await opened(client, at, table) for _ in range(count)]
        print("open", flush=True)
        await asyncio.gather(*map(read, streams))


if __name__ == "__main__":
    asyncio.run(run(sys.argv[1], sys.argv[2], int(sys.argv[3])))
