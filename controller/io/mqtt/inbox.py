"""What others ask of a table over MQTT, on a connection of its own: a flood of it keeps no event waiting.

It is read at a bounded pace, and the broker holds the rest back. A client that floods it for long has the connection
made anew, so that the broker lets go of what it holds; what people ask over the operator channel does not come this
way.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import structlog
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from controller.formats.mqtt.envelope import Topics
from controller.io.journal.consumers import Consumers, consumer_of
from controller.io.mqtt.connection import Broker, CheckedClient, ConnectionLost, Protocol, connected, own_identifier
from controller.io.mqtt.intake import Inbound
from controller.io.mqtt.reconnection import AbsenceReports, Reconnection, advice
from controller.io.system.clock import Clock
from controller.io.system.rate_limits import Allowance

if TYPE_CHECKING:
    from aiomqtt import Message

COMMAND_LIMIT_BYTES: Final = 64 * 1024
"""Payload of a command: many times what any command needs."""

PACKET_LIMIT_BYTES: Final = COMMAND_LIMIT_BYTES + 4096
"""A whole message with its topic; MQTT 5 has the broker keep larger ones back."""

FLOOD_SECONDS: Final = 2.0
"""More than can be read for so long, and the connection is made anew."""

ACKS_PER_SECOND: Final = 2
"""Of one consumer; it acknowledges at most once a second. Each is held against the journal."""

ACKS_AT_ONCE: Final = 10

# A bridge that connects anew brings what is retained on its other side as if it were new; with this the broker says so.
_AS_PUBLISHED: Final = SubscribeOptions(qos=1, retainAsPublished=True)

log = structlog.get_logger(__name__)


class Inbox:
    """The connection on which a table hears. ``run`` keeps it until cancelled.

    ``is_reached``: whether the table's events reach the broker, on their own connection.
    ``on_command(verb, payload)`` is called for each command, ``on_retained(verb, payload)`` for one that was published
    retained, ``on_status(payload)`` for each status that anybody says of the table.
    """

    def __init__(
        self,
        broker: Broker,
        topics: Topics,
        *,
        clock: Clock,
        chance: random.Random,
        on_command: Callable[[str, bytes], None],
        on_retained: Callable[[str, bytes], None],
        on_status: Callable[[bytes], None],
        consumers: Consumers | None = None,
        is_reached: Callable[[], bool] = lambda: True,
    ) -> None:
        self._broker = broker
        self._topics = topics
        self._clock = clock
        self._reconnection = Reconnection(broker, chance, losses=(ConnectionLost, OSError))
        self._reports = AbsenceReports(clock)
        self._is_reached = is_reached
        self._on_command = on_command
        self._on_retained = on_retained
        self._on_status = on_status
        self._consumers = consumers
        self._acks: dict[str, Allowance] = {}
        self._identifier = own_identifier(f"tableside-{topics.site}-{topics.table}-requests")
        self.heard = asyncio.Event()
        """Set while the broker passes on what is asked."""

    async def run(self) -> None:
        """Connect and listen, again and again, until cancelled."""
        await self._reconnection.keep(self._serve, self._away)

    def _away(self, error: Exception) -> None:
        # Where events do not reach the broker either, the publisher says so.
        if self._is_reached() and self._reports.is_due(str(error)):
            log.warning("requests not heard", broker=self._broker.address, reason=str(error), **advice(error))

    async def _serve(self, protocol: Protocol) -> None:
        inbound = Inbound(PACKET_LIMIT_BYTES, is_paced=True, flood_seconds=FLOOD_SECONDS)
        async with connected(self._broker, protocol, self._identifier, inbound=inbound) as client:
            for topic in (self._topics.commands, self._topics.acks, self._topics.status):
                is_command = protocol == "5" and topic == self._topics.commands
                how = {"options": _AS_PUBLISHED} if is_command else {"qos": 1}
                for answer in await client.subscribe(topic, **how):
                    if isinstance(answer, ReasonCode) and answer.is_failure:
                        log.error("topic refused by the broker", topic=topic, reason=str(answer))
            self.heard.set()
            self._reconnection.worked()
            self._reports.reached()
            try:
                await self._listen(client)
            finally:
                self.heard.clear()

    async def _listen(self, client: CheckedClient) -> None:
        async for message in client.messages:
            await self._take(message)

    async def _take(self, message: Message) -> None:
        topic, payload, retained = str(message.topic), message.payload, message.retain
        consumer = consumer_of(topic, self._topics.root)
        if consumer is not None and self._consumers is not None and len(payload) <= COMMAND_LIMIT_BYTES:
            name = consumer if self._consumers.knows(consumer) else ""
            allowance = self._acks.setdefault(name, Allowance(ACKS_PER_SECOND, ACKS_AT_ONCE))
            # Said again every few seconds: one that is too much is not missed.
            if allowance.take(self._clock.monotonic_ns()):
                await self._consumers.take_ack(consumer, payload)
        if topic == self._topics.status and not retained:
            self._on_status(payload)
        verb = self._topics.verb(topic)
        if verb is None:
            return
        if len(payload) > COMMAND_LIMIT_BYTES:
            log.warning("command ignored", verb=verb, bytes=len(payload))
            return
        # A retained command would be carried out again at every connection, a bridge's among them.
        on_what = self._on_retained if retained else self._on_command
        on_what(verb, payload)
