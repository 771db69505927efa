"""Which tables a broker knows: those that have said there how they are."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Final

import msgspec

from controller.formats.text.toml_schema import Name
from controller.io.mqtt.connection import Broker, ConnectionLost, connected

QUIET_SECONDS: Final = 0.2
"""After the last retained message: a broker sends them all at once."""

LISTEN_SECONDS: Final = 1.0
"""At most, however much it sends."""

CONNECT_SECONDS: Final = 1.0
"""Somebody waits at a keyboard."""


async def known_tables(broker: Broker) -> tuple[str, ...]:
    """The tables as ``site/name``, in the order of their names; none where the broker cannot be reached."""
    found: set[str] = set()
    hurried = msgspec.structs.replace(broker, connect_seconds=CONNECT_SECONDS)
    with contextlib.suppress(ConnectionLost, OSError, TimeoutError):
        async with connected(hurried, broker.protocols()[0], "") as client:
            await client.subscribe("tableside/v1/+/+/status", qos=0)
            async with asyncio.timeout(LISTEN_SECONDS), asyncio.timeout(QUIET_SECONDS) as quiet:
                async for message in client.messages:
                    site, table = str(message.topic).split("/")[2:4]
                    if message.retain and is_table(site, table):
                        found.add(f"{site}/{table}")
                        quiet.reschedule(asyncio.get_running_loop().time() + QUIET_SECONDS)
    return tuple(sorted(found))


def is_table(site: str, table: str) -> bool:
    """Whether these are names a table may have; what else stands in a topic is not offered to a shell."""
    try:
        msgspec.convert((site, table), tuple[Name, Name])
    except msgspec.ValidationError:
        return False
    return True
