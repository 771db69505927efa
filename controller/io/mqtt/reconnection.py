"""A connection that is to last: made again and again, with growing pauses, until its owner is cancelled."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final, NoReturn

from controller.io.mqtt.connection import Broker, ConnectionLost, NotGreeted, Protocol
from controller.io.system.backoff import Backoff
from controller.io.system.clock import Clock

SAID_AGAIN_NS: Final = 60_000_000_000
"""A broker that stays away for the same reason is reported once in this time; it is tried some seven times."""

UNREACHED: Final = "start the broker there, or give its host and port in [broker] of the table file"
REFUSED: Final = "the broker hung up: its log says why; see its access rules, and [broker] in the table file"


class AbsenceReports:
    """Which reports of an absent broker are due: each new one, and the same again after a minute."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._last: tuple[str, ...] = ()
        self._said_ns = 0

    def is_due(self, *report: str) -> bool:
        """Whether to say this now; what is due counts as said."""
        now_ns = self._clock.monotonic_ns()
        if report == self._last and now_ns - self._said_ns < SAID_AGAIN_NS:
            return False
        self._last, self._said_ns = report, now_ns
        return True

    def reached(self) -> None:
        """The broker is there: whatever comes next is new."""
        self._last = ()


def advice(error: Exception) -> dict[str, str]:
    """What to do about a broker that does not greet us, as a field of the log; a connection that broke comes again."""
    if not isinstance(error, NotGreeted):
        return {}
    return {"do": REFUSED if error.said_no else UNREACHED}


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
