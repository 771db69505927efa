"""Says at the broker, once, what Home Assistant needs to find its tables; or takes that back."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Final, NamedTuple

from controller.formats.mqtt.envelope import Topics
from controller.io.mqtt.broker_tables import is_table
from controller.io.mqtt.connection import Broker, CheckedClient, connected
from controller.metrics.home_assistant import NODE, TableSnapshot, announcements, hear, stale

HEARD: Final = ("info", "device/#", "state/meters")
"""What is listened to below each table."""

QUIET_SECONDS: Final = 0.5
"""After the last retained message: a broker sends them all at once."""

LISTEN_SECONDS: Final = 20.0
"""At most, however much it sends."""


class AnnouncementOptions(NamedTuple):
    """Which tables (``SITE/TABLE``; ``+`` stands for any) are announced under which prefix; ``remove``: taken back."""

    tables: str
    prefix: str
    currency: str
    remove: bool


async def announce(broker: Broker, options: AnnouncementOptions) -> list[str]:
    """The topics on which something was said, in order.

    Raises:
        ConnectionLost, OSError, PublishRefused: no broker, or it takes no such message.
    """
    async with connected(broker, broker.protocols()[0], "") as client:
        tables, known = await listened(client, options)
        said = [
            one
            for table in sorted(tables, key=str)
            if not options.remove
            for one in announcements(table, tables[table], options.currency, options.prefix)
        ]
        said += stale(known, {one.topic for one in said})
        for topic, payload in said:
            await client.publish(topic, payload, qos=1, retain=True)
    return [one.topic for one in said]


async def listened(client: CheckedClient, options: AnnouncementOptions) -> tuple[dict[Topics, TableSnapshot], set[str]]:
    """What the tables retain, and the topics on which they were announced before."""
    tables: dict[Topics, TableSnapshot] = {}
    known: set[str] = set()
    for rest in HEARD:
        await client.subscribe(f"tableside/v1/{options.tables}/{rest}", qos=1)
    await client.subscribe(f"{options.prefix}/+/+/+/config", qos=1)
    loop = asyncio.get_running_loop()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LISTEN_SECONDS), asyncio.timeout(QUIET_SECONDS) as quiet:
            async for message in client.messages:
                topic, payload = str(message.topic), message.payload
                quiet.reschedule(loop.time() + QUIET_SECONDS)
                if topic.startswith("tableside/v1/"):
                    if is_table(*topic.split("/")[2:4]) and isinstance(payload, bytes):
                        hear(tables, topic, payload)
                elif of_these(topic, options):
                    known.add(topic)
    return tables, known


def of_these(topic: str, options: AnnouncementOptions) -> bool:
    """Whether something was announced here of the tables that are asked for."""
    site, _, table = options.tables.partition("/")
    parts = ("[a-z0-9-]+" if one == "+" else re.escape(one) for one in (site, table))
    return re.fullmatch(NODE + "_".join(parts), topic.removeprefix(f"{options.prefix}/").split("/")[1]) is not None
