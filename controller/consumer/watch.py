"""``watch``: listen to a broker and say what the tables do, and what about it cannot be true."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from controller.io.mqtt.connection import Broker, ConnectionLost, NotGreeted, connected
from controller.io.mqtt.intake import AS_WORKED_OFF
from controller.reports.audit.stream_audit import Watcher, lines_of

PATIENCE_SECONDS: Final = 5.0
"""By then a broker has sent what it retains."""

SILENT: Final = (
    "the broker retains nothing here: no such table has ever reached it, or this user may not read it;"
    " waiting for a first message"
)

LISTED: Final = " (`tableside watch` without a table shows all that the broker has)"

EVERY_TABLE: Final = "tableside/v1/+/+/#"


async def watch(
    broker: Broker,
    topic: str,
    show: Callable[[str], None],
    complain: Callable[[str], None],
    *,
    as_json: bool,
    patience_s: float = PATIENCE_SECONDS,
) -> None:
    """Listen to ``topic`` until cancelled; ``as_json``: show each message as a JSON object.

    Says once if nothing has come after ``patience_s``: what is retained of a table comes at once.

    Raises:
        ConnectionLost: no broker, or the connection to it was lost.
    """
    watcher = Watcher()
    protocols = broker.protocols()
    for protocol in protocols:
        try:
            async with connected(broker, protocol, "", inbound=AS_WORKED_OFF) as client:
                await client.subscribe(topic, qos=1)
                unheard = f"{topic}: {SILENT}{'' if topic == EVERY_TABLE else LISTED}"
                silence = asyncio.get_running_loop().call_later(patience_s, complain, unheard)
                async for message in client.messages:
                    silence.cancel()
                    seen = watcher.see(str(message.topic), message.payload)
                    for line in lines_of(str(message.topic), message.payload, seen, as_json=as_json):
                        show(line)
                    for complaint in seen.complaints:
                        complain(complaint)
        except NotGreeted:
            if protocol == protocols[-1]:
                raise
    raise ConnectionLost("the broker went away")


def run_watch(
    broker: Broker, topic: str, show: Callable[[str], None], complain: Callable[[str], None], *, as_json: bool
) -> None:
    """As ``watch``, in an event loop of its own."""
    asyncio.run(watch(broker, topic, show, complain, as_json=as_json))
