"""A connection that is to last: made again and again, with growing pauses, until its owner is cancelled."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import NoReturn

from controller.io.mqtt.connection import Broker, ConnectionLost, NotGreeted, Protocol
from controller.io.system.backoff import Backoff


class Reconnection:
    """Tries the protocols a broker may speak, then pauses and tries again.

    A protocol the broker said no to is passed over until the next pause. ``losses``: what ends a connection and is no
    reason to give up; anything else that ``serve`` raises ends ``keep``.
    """

    def __init__(
        self, broker: Broker, chance: random.Random, *, losses: tuple[type[Exception], ...] = (ConnectionLost,)
    ) -> None:
        self._broker = broker
        self._backoff = Backoff(chance)
        self._losses = losses

    def worked(self) -> None:
        """The connection does what it is for: the next pause is the shortest again."""
        self._backoff.reset()

    async def keep(self, serve: Callable[[Protocol], Awaitable[None]], away: Callable[[Exception], None]) -> NoReturn:
        """Have ``serve`` connect and do its work, again and again, until cancelled.

        ``away`` hears before each pause why there is no connection: ``NotGreeted`` where none came about.
        """
        while True:
            away(await self._tried(serve))
            await asyncio.sleep(self._backoff.next_seconds())

    async def _tried(self, serve: Callable[[Protocol], Awaitable[None]]) -> Exception:
        refused: set[Protocol] = set()
        reason: Exception = ConnectionLost("the broker went away")
        for protocol in self._broker.protocols_for_long():
            if protocol in refused:
                continue
            try:
                await serve(protocol)
            except NotGreeted as error:
                reason = error
                if error.said_no:
                    refused.add(protocol)
            except self._losses as error:
                return error
            else:
                return ConnectionLost("the broker went away")
        return reason
