"""Events on their way to the broker: in order, each once on a connection, counted as published when all before it are.

What has just been committed comes from memory (``offer``) and leaves at once if everything before it has left. What
memory has not, or has no longer, comes from the journal (``take``): events from before the start, those a broken
connection left unacknowledged, and those the broker refused.
"""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from controller.formats.mqtt.envelope import CLOUDEVENTS
from controller.io.mqtt.connection import INFLIGHT_LIMIT
from controller.io.mqtt.publication import OutgoingEvent

FRESH_LIMIT: Final = 1000
"""Events kept in memory until the broker takes them; of more the oldest are read from the journal again."""


class EventSender(Protocol):
    """A connection to a broker. ``CheckedClient`` is one."""

    def send(self, topic: str, payload: bytes, *, content_type: str) -> asyncio.Future[None]:
        """Hand a message over at once; the future has the broker's answer."""
        ...


class EventFlow:
    """Hands events over to one connection after another. ``reached`` is the seq of the last event the broker has."""

    def __init__(self) -> None:
        self.reached = 0
        self.lacks = True
        """Whether the journal may have events that come before those in memory."""
        self.sent = 0
        """The seq of the last event handed over on this connection."""
        self.window = INFLIGHT_LIMIT
        """Messages that may be on the way at once."""
        self._connection: EventSender | None = None
        self.is_halted = False
        """Whether an event was refused, and nothing more leaves before ``go_on``."""
        self._fresh: collections.deque[OutgoingEvent] = collections.deque(maxlen=FRESH_LIMIT)
        self._flying: collections.deque[tuple[int, asyncio.Future[None]]] = collections.deque()

    @property
    def is_flying(self) -> bool:
        """Whether answers are waited for."""
        return bool(self._flying)

    def begin(self, connection: EventSender) -> None:
        """There is a connection: go on after the last event that the broker has."""
        self._connection = connection
        self._back_to_reached()
        self.is_halted = False

    def end(self) -> None:
        """The connection is gone."""
        self._connection = None

    def go_on(self) -> None:
        """After a refusal: try again."""
        self.is_halted = False

    def offer(self, events: Iterable[OutgoingEvent]) -> None:
        """Take events that have just been committed, in order, and hand over what may leave."""
        self._fresh.extend(events)
        self.send_fresh()

    def send_fresh(self) -> None:
        """Hand over what memory has next, as far as the window is open."""
        while self._fresh and self._connection is not None and not self.is_halted and len(self._flying) < self.window:
            if self._fresh[0].seq > self.sent + 1:
                self.lacks = True
                return
            self._hand_over(self._connection, self._fresh.popleft())

    def take(self, events: Sequence[OutgoingEvent]) -> None:
        """Hand over what the journal has next; what has left since it was asked is passed over."""
        for event in events:
            if self._connection is not None:
                self._hand_over(self._connection, event)

    async def answered(self) -> BaseException | None:
        """Wait for the answers to what is on the way, and move on over all up to the first that was not taken.

        What befell that one, if there is one: it and all behind it are to be sent again, after ``go_on``.
        """
        try:
            await asyncio.wait([answer for _, answer in self._flying])
        finally:
            # Also when cancelled, as it may be by the very loss that follows a refusal: what was taken stays taken.
            failure = self._advance()
        return failure

    def _hand_over(self, connection: EventSender, event: OutgoingEvent) -> None:
        if event.seq == self.sent + 1:
            self.sent = event.seq
            for topic in event.topics:
                self._flying.append((event.seq, connection.send(topic, event.body, content_type=CLOUDEVENTS)))

    def _advance(self) -> BaseException | None:
        while self._flying and self._flying[0][1].done():
            seq, answer = self._flying.popleft()
            error = answer.exception()
            if error is not None:
                # One at a time after trouble: a broker that hangs up on one may take the answers to others along.
                self.window = 1
                self.is_halted = True
                self._back_to_reached()
                return error
            if not self._flying or self._flying[0][0] != seq:
                self.reached = seq
        if not self._flying:
            self.window = min(INFLIGHT_LIMIT, 2 * self.window)
        return None

    def _back_to_reached(self) -> None:
        self._flying.clear()
        self.sent = self.reached
        self.lacks = True
