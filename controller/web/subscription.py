"""Listens to a broker for as long as the program runs; a broker that goes away is waited for."""

from __future__ import annotations

import asyncio
import random
from typing import Final

import structlog

from controller.io.mqtt.connection import Broker, LinkLost, NotGreeted, Protocol, connected
from controller.io.system.backoff import Backoff
from controller.web.floor_view import FloorView

TOPICS: Final = ("event/#", "state/#", "status", "info", "device/#")
"""What is listened to below each table; nothing of what people ask is."""

log = structlog.get_logger(__name__)


class Subscription:
    """Hears the tables that ``tables`` names (``SITE/TABLE``; ``+`` stands for any) and hands each message on."""

    def __init__(self, broker: Broker, tables: str, floor: FloorView, chance: random.Random) -> None:
        self._broker = broker
        self._tables = tables
        self._floor = floor
        self._backoff = Backoff(chance)

    async def run(self) -> None:
        """Listen until cancelled."""
        told = ""
        while True:
            reason = ""
            for protocol in self._broker.protocols_for_long():
                try:
                    await self._serve(protocol)
                except NotGreeted as error:
                    reason = str(error)
                except (LinkLost, OSError) as error:
                    reason = str(error)
                    self._backoff.reset()
                    break
                finally:
                    self._floor.link(is_up=False)
            if reason != told:
                log.warning("no broker", broker=f"{self._broker.host}:{self._broker.port}", reason=reason)
            told = reason
            await asyncio.sleep(self._backoff.next_seconds())

    async def _serve(self, protocol: Protocol) -> None:
        async with connected(self._broker, protocol, "") as client:
            for topic in TOPICS:
                await client.subscribe(f"tableside/v1/{self._tables}/{topic}", qos=1)
            log.info("broker reached", broker=f"{self._broker.host}:{self._broker.port}")
            self._floor.link(is_up=True)
            async for message in client.messages:
                payload: object = message.payload
                if isinstance(payload, bytes | bytearray):
                    self._floor.take(str(message.topic), bytes(payload))
        raise LinkLost("the broker went away")
