"""A person's request to a table over MQTT, and the table's reply."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from controller.formats.mqtt.envelope import Topics
from controller.formats.orders.requests import REQUEST_LIMIT_BYTES, Reply
from controller.formats.text.error_words import error_words
from controller.formats.text.safe_parse import json_as, reads_outside
from controller.io.mqtt.connection import Broker, CheckedClient, ConnectionLost, NotGreeted, PublishRefused, connected

REPLY_SECONDS: Final = 5.0
"""How long a table may take to reply: it commits a request to its disk first, which takes milliseconds."""


class NoReply(Exception):  # noqa: N818 - named for what happened
    """The request could not be put to the table, or nothing came back; the text says which."""


class NotReached(NoReply):
    """No broker, or it hung up."""


async def request(
    broker: Broker, topics: Topics, verb: str, body: Mapping[str, Any], seconds: float = REPLY_SECONDS
) -> Reply:
    """Put a request to a table and wait for its reply; ``transaction`` in ``body`` tells this request from all others.

    Raises:
        NoReply: no broker, it refused the request, or no reply came within ``seconds``.
    """
    protocols = broker.protocols()
    try:
        for protocol in protocols:
            try:
                async with connected(broker, protocol, "") as client:
                    return await exchange(client, topics, verb, body, seconds)
            except NotGreeted:
                if protocol == protocols[-1]:
                    raise
    except (ConnectionLost, OSError) as error:
        raise NotReached(f"broker {broker.host}:{broker.port}: {error_words(error)}") from error
    except PublishRefused as error:
        raise NoReply(f"broker {broker.host}:{broker.port}: {error_words(error)}") from error
    raise AssertionError("there is a protocol to try")


async def exchange(client: CheckedClient, topics: Topics, verb: str, body: Mapping[str, Any], seconds: float) -> Reply:
    """Send a request on a connection and wait up to ``seconds`` for its reply.

    Raises:
        NoReply: no reply came in time.
        ConnectionLost, PublishRefused: the request did not arrive.
    """
    await client.subscribe(topics.reply(verb), qos=1)
    await client.publish(topics.command(verb), msgspec.json.encode(body))
    try:
        async with asyncio.timeout(seconds):
            async for message in client.messages:
                reply = read_reply(message.payload)
                if reply is not None and reply.transaction == body["transaction"]:
                    return reply
    except TimeoutError:
        pass
    raise NoReply(f"no reply from {topics.site}/{topics.table}: is its daemon running? (topic {topics.status})")


@reads_outside(None)
def read_reply(payload: object) -> Reply | None:
    """A reply; None for anything else."""
    if not isinstance(payload, bytes):
        return None
    # What a table says of itself is longer than what it was asked.
    reply: Reply = json_as(payload, Reply, limit_bytes=4 * REQUEST_LIMIT_BYTES)
    return reply


def put_request(broker: Broker, topics: Topics, verb: str, body: Mapping[str, Any]) -> Reply:
    """As ``request``, in an event loop of its own."""
    return asyncio.run(request(broker, topics, verb, body))
