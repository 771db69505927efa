"""What is published for an event, and what goes on together until one part of it ends."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable
from typing import NamedTuple

import aiomqtt

from controller.core.messages.alerts import Alert
from controller.core.messages.events import Event
from controller.formats.mqtt.envelope import Topics, own_event
from controller.io.journal.reader import EventRow
from controller.io.mqtt.connection import ConnectionLost
from firmware_protocols.values import tag_of


class OutgoingMessage(NamedTuple):
    """A message to publish."""

    topic: str
    payload: bytes


class OutgoingEvent(NamedTuple):
    """A committed event, and the topics it is published on."""

    seq: int
    body: bytes
    topics: tuple[str, ...]


@functools.cache
def topics_of(kind: type[Event], root: str) -> tuple[str, ...]:
    """Where events of a kind are published: once as an event, and an alert once more."""
    name = tag_of(kind)
    topics = (f"{root}/event/{name}",)
    return (*topics, f"{root}/alert/{name}") if issubclass(kind, Alert) else topics


def leaving(row: EventRow, topics: Topics) -> OutgoingEvent:
    """A journaled event as it is published."""
    return OutgoingEvent(row.seq, row.body, topics_of(type(own_event(row.body).event), topics.root))


async def first_to_end(*works: Awaitable[None]) -> None:
    """Run all until one ends; cancel the rest; raise what ended it."""
    tasks = [asyncio.ensure_future(work) for work in works]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    try:
        for task in done:
            task.result()
    except aiomqtt.MqttError as error:
        raise ConnectionLost(str(error)) from error
