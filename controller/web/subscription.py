"""Listens to a broker for as long as the program runs; a broker that goes away is waited for."""

from __future__ import annotations

import random
from typing import Final

import structlog

from controller.io.mqtt.connection import Broker, ConnectionLost, Protocol, connected
from controller.io.mqtt.reconnection import Reconnection
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
        self._reconnection = Reconnection(broker, chance, losses=(ConnectionLost, OSError))
        self._logged = ""

    async def run(self) -> None:
        """Listen until cancelled."""
        await self._reconnection.keep(self._serve, self._away)

    def _away(self, error: Exception) -> None:
        self._floor.link(is_up=False)
        if (reason := str(error)) != self._logged:
            log.warning("no broker", broker=self._broker.address, reason=reason)
        self._logged = reason

    async def _serve(self, protocol: Protocol) -> None:
        async with connected(self._broker, protocol, "") as client:
            for topic in TOPICS:
                await client.subscribe(f"tableside/v1/{self._tables}/{topic}", qos=1)
            log.info("broker reached", broker=self._broker.address)
            self._floor.link(is_up=True)
            self._reconnection.worked()
            async for message in client.messages:
                payload: object = message.payload
                if isinstance(payload, bytes | bytearray):
                    self._floor.take(str(message.topic), bytes(payload))
