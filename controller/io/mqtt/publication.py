"""What is published for an event, and what goes on together until one part of it ends."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import NamedTuple

import aiomqtt

from controller.formats.mqtt.envelope import Topics, event_name, is_alert, own_event
from controller.io.journal.reader import EventRow
from controller.io.mqtt.connection import LinkLost


class Outgoing(NamedTuple):
    """A message to publish."""

    topic: str
    payload: bytes


def messages_of(row: EventRow, topics: Topics) -> tuple[Outgoing, ...]:
    """What is published for a journaled event: once as an event, and once more if it wants a person's eye."""
    event = own_event(row.body).event
    name = event_name(event)
    messages = (Outgoing(f"{topics.root}/event/{name}", row.body),)
    return (*messages, Outgoing(f"{topics.root}/alert/{name}", row.body)) if is_alert(event) else messages


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
        raise LinkLost(str(error)) from error
