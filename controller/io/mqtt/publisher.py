"""Keeps the table's MQTT side alive: status and last will, retained states, commands, and the one stream of events.

Events leave in the order of their seqs. An event counts as published when the broker has acknowledged it and all
before it; after a lost connection or a refusal, sending goes on from the first that does not. So a consumer may see an
event twice, but never a number with two contents, nor a gap that is not filled afterwards.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple

import aiomqtt
import structlog

from controller.core.refusal_reason import RefusalReason
from controller.formats.journal.stream import StreamRefused
from controller.formats.mqtt.envelope import CLOUDEVENTS, Topics, read_status, status_bytes
from controller.formats.orders.requests import VERBS, reply_bytes
from controller.io.journal.consumers import Consumers
from controller.io.journal.reader import EventRow
from controller.io.mqtt.connection import (
    INFLIGHT_LIMIT,
    Broker,
    CheckedClient,
    ConnectionLost,
    NotGreeted,
    Protocol,
    PublishRefused,
    connected,
    own_identifier,
)
from controller.io.mqtt.event_flow import EventFlow
from controller.io.mqtt.inbox import Inbox
from controller.io.mqtt.intake import Inbound
from controller.io.mqtt.publication import OutgoingEvent, OutgoingMessage, first_to_end, leaving
from controller.io.mqtt.reconnection import AbsenceReports, Reconnection, advice
from controller.io.system.backoff import Backoff
from controller.io.system.clock import Clock
from controller.io.system.rate_limits import RequestLimit, RequestVerdict

REPLY_LIMIT: Final = 1000
"""Replies that wait for the broker; older ones are dropped, as their senders have given up."""

GOODBYE_SECONDS: Final = 2.0
"""How long the last status may take."""

DRAIN_SECONDS: Final = 5.0
"""How long a daemon that was stopped goes on sending what is in its journal; the rest waits for the next start."""

MARK_SECONDS: Final = 1.0
"""Between the broker's answer and a note of it in the journal for itself; a commit until then takes it along."""

MARK_LIMIT: Final = 1000
"""Events in a row that were published and not noted as such: after a crash they are published again."""

PACKET_LIMIT_BYTES: Final = 64 * 1024
"""Of what a broker sends where nothing was asked for: its answers."""

REPAIR_SECONDS: Final = 1.0
"""Between two corrections of a status that somebody else has overwritten."""

SAID_LIMIT: Final = 16
"""Own statuses that are remembered: more than can be on their way back from the broker."""

RIVALS_SURE: Final = 2
"""Statuses of somebody else's that show a second daemon. A single one may be our own of an earlier run: a bridge that
connects anew passes it on as new."""

REPLAY: Final = "replay"
"""The verb that asks for events again."""

RETAINED: Final = RefusalReason(
    "malformed", "a retained request is not carried out, for the broker delivers it again: send it not retained"
)
"""Why what was published retained is not done."""

log = structlog.get_logger(__name__)


class EventSource(NamedTuple):
    """Where events come from, and where it is remembered how far they have gone: the journal's methods."""

    last_published: Callable[[], Awaitable[int]]
    events_after: Callable[[int, int], Awaitable[Sequence[EventRow]]]
    mark_published: Callable[[int], Awaitable[None]]
    note_published: Callable[[int], None]
    marked: Callable[[], int]


HEARD_SECONDS: Final = 1.0
"""How long the table waits to say that it is there until it also hears what it is asked."""

OVER_MQTT: Final = "MQTT"
"""All of MQTT counts as one client: a broker does not say which of its clients sent a message."""


class Publisher:
    """The table's connections to its broker, on one of which it speaks and on the other hears what it is asked.

    ``run`` keeps them until cancelled; everything else may be called always.

    ``session`` counts the daemon's starts within the epoch: a consumer ignores a status of a lower one.
    ``on_command(verb, payload)`` is called for each command that comes while connected and is within the ``limit``;
    ``on_rival(text)`` once another daemon is seen to publish as this table.
    """

    def __init__(
        self,
        broker: Broker,
        topics: Topics,
        stream: EventSource,
        *,
        session: int,
        clock: Clock,
        chance: random.Random,
        on_command: Callable[[str, bytes], None],
        consumers: Consumers | None = None,
        limit: RequestLimit | None = None,
        on_rival: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._broker = broker
        self._topics = topics
        self._identifier = own_identifier(f"tableside-{topics.site}-{topics.table}")
        self._stream = stream
        self._session = session
        self._clock = clock
        self._reconnection = Reconnection(broker, chance, losses=(ConnectionLost, PublishRefused, OSError))
        self._reports = AbsenceReports(clock)
        self._on_command = on_command
        self._consumers = consumers
        self._alarms: tuple[str, ...] = ()
        self._status_due = False
        self._limit = limit or RequestLimit(clock, lambda _: None)
        self.online = asyncio.Event()
        """Set while the broker has our status."""
        self._inbox = Inbox(
            broker,
            topics,
            clock=clock,
            chance=chance,
            on_command=self._take_command,
            on_retained=self._refuse_retained,
            on_status=self._repair_status,
            consumers=consumers,
            is_reached=self.online.is_set,
        )
        self._repaired_at = -REPAIR_SECONDS
        self._repair: asyncio.TimerHandle | None = None
        self._said: deque[bytes] = deque(maxlen=SAID_LIMIT)
        self._rivals: set[bytes] = set()
        self._on_rival = on_rival
        self._retained: dict[str, bytes] = {}
        self._unsent: dict[str, None] = {}
        self._replies: list[OutgoingMessage] = []
        self._wanted = asyncio.Event()
        self._flow = EventFlow()
        self._mark_at = 0.0
        self.turns = 0
        """Grows with each thing done: a connection tried, a message handed over."""
        self._waits = False

    @property
    def at_rest(self) -> bool:
        """Whether everything has been handed over and nothing new has come."""
        return self._waits and not self._wanted.is_set()

    @property
    def reached(self) -> int:
        """The seq of the last event known to be with the broker."""
        return self._flow.reached

    def tell(self, events: Sequence[OutgoingEvent]) -> None:
        """Let out events that have just been committed, every one of them and in order; at once if that can be."""
        self._flow.offer(events)
        self._wanted.set()

    def wake(self) -> None:
        """There are new events in the journal."""
        self._flow.lacks = True
        self._wanted.set()

    def retain(self, topic: str, payload: bytes) -> None:
        """Publish ``payload`` retained, now and on every later connection; only the latest per topic is kept."""
        if self._retained.get(topic) != payload:
            self._retained[topic] = payload
            self._unsent[topic] = None
            self._wanted.set()

    def reply(self, verb: str, payload: bytes) -> None:
        """Answer a command, if the broker can be reached soon."""
        self._replies.append(OutgoingMessage(self._topics.reply(verb), payload))
        del self._replies[:-REPLY_LIMIT]
        self._wanted.set()

    def tell_alarms(self, alarms: tuple[str, ...]) -> None:
        """What the status says besides that the table is there."""
        if alarms != self._alarms:
            self._alarms = alarms
            self._status_due = True
            self._wanted.set()

    async def run(self) -> None:
        """Connect, publish and listen, again and again, until cancelled."""
        self._flow.reached = await self._stream.last_published()
        await first_to_end(self._publish(), self._inbox.run())

    async def _publish(self) -> None:
        await self._reconnection.keep(self._connect, self._away)

    def _away(self, error: Exception) -> None:
        event = "broker not reached" if isinstance(error, NotGreeted) else "broker lost"
        if self._reports.is_due(event, str(error)):
            log.warning(event, broker=self._broker.address, reason=str(error), **advice(error))

    async def _connect(self, protocol: Protocol) -> None:
        self.turns += 1
        try:
            await self._serve(protocol)
        finally:
            self.online.clear()
            self._waits = False

    async def _serve(self, protocol: Protocol) -> None:
        offline = status_bytes("offline", self._session, self._clock.wall_ns())
        will = aiomqtt.Will(self._topics.status, offline, qos=1, retain=True)
        async with connected(self._broker, protocol, self._identifier, will, Inbound(PACKET_LIMIT_BYTES)) as client:
            try:
                if self._consumers is not None:
                    self._consumers.forget_replays()
                self._unsent = dict.fromkeys(self._retained)
                await self._send_rest(client)
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(HEARD_SECONDS):
                        await self._inbox.heard.wait()
                await self._say_status(client)
                self.online.set()
                self._reports.reached()
                log.info("broker reached", broker=self._broker.address, protocol=protocol)
                self._flow.begin(client)
                await first_to_end(client.until_lost(), self._pump(client))
            except asyncio.CancelledError:
                await self._drain(client)
                await self._say_goodbye(client)
                raise
            except ConnectionLost:
                raise
            except BaseException:
                # Whatever ends the table, its status must not go on saying that it is there.
                await self._say_goodbye(client)
                raise
            finally:
                self._flow.end()

    async def _say_status(self, client: CheckedClient) -> None:
        self._status_due = False
        online = status_bytes("online", self._session, self._clock.wall_ns(), self._alarms)
        self._said.append(online)
        await client.publish(self._topics.status, online, qos=1, retain=True)

    async def _drain(self, client: CheckedClient) -> None:
        """Send what the journal still has, as far as that can be done soon."""
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                await self._send_rest(client)
                self._flow.lacks = True
                while await self._has_sent_events() and not self._flow.is_halted:
                    pass
                await self._mark()
        except Exception as error:  # noqa: BLE001 - a journal that fails here has ended the table, and there is more to say
            log.warning("not everything was sent", reached=self.reached, reason=str(error))

    async def _say_goodbye(self, client: CheckedClient) -> None:
        offline = status_bytes("offline", self._session, self._clock.wall_ns())
        answer = client.send(self._topics.status, offline, retain=True)
        await asyncio.wait((answer,), timeout=GOODBYE_SECONDS)
        error = answer.exception() if answer.done() else ConnectionLost("no answer")
        if error is not None:
            log.warning("no goodbye", reason=str(error))
            # A proper end of the connection would have the broker throw our last will away.
            await client.drop()

    def _take_command(self, verb: str, payload: bytes) -> None:
        """Pass a command on unless its sender has reached the rate limit."""
        known = verb if verb in VERBS or verb == REPLAY else "unknown commands"
        verdict = self._limit.admit(OVER_MQTT, known)
        if verdict is RequestVerdict.REFUSED:
            self.reply(verb, reply_bytes(payload, self._limit.refusal(OVER_MQTT, known)))
        elif verdict is RequestVerdict.ADMITTED and verb == REPLAY and self._consumers is not None:
            self._take_replay(self._consumers, payload)
        elif verdict is RequestVerdict.ADMITTED:
            self._on_command(verb, payload)

    def _refuse_retained(self, verb: str, payload: bytes) -> None:
        """Refuse what the broker keeps to deliver it again."""
        if self._limit.admit(OVER_MQTT, "retained commands") is RequestVerdict.ADMITTED:
            log.warning("retained command refused", verb=verb)
            self.reply(verb, reply_bytes(payload, RETAINED))

    def _take_replay(self, consumers: Consumers, payload: bytes) -> None:
        refusal: RefusalReason | None = None
        try:
            consumers.take_replay(payload, self.reached)
        except StreamRefused as refused:
            refusal = RefusalReason("malformed", str(refused))
        self.reply(REPLAY, reply_bytes(payload, refusal))

    def _repair_status(self, payload: bytes) -> None:
        """Publish the status again where another message, such as a dropped connection's last will, replaced it."""
        if payload in self._said:
            return
        now = asyncio.get_running_loop().time()
        said = read_status(payload)
        if said is not None and said.state == "online":
            self._note_rival(payload)
        if self._repair is None:
            log.warning("status was overwritten", by=payload[:200].decode(errors="replace"))
            wait_seconds = max(0, self._repaired_at + REPAIR_SECONDS - now)
            self._repair = asyncio.get_running_loop().call_later(wait_seconds, self._repair_now)

    def _note_rival(self, payload: bytes) -> None:
        """Somebody else said that this table is online. Two daemons may both be in their first session."""
        if len(self._rivals) < RIVALS_SURE:
            self._rivals.add(payload)
            if len(self._rivals) == RIVALS_SURE:
                text = f"another daemon publishes as {self._topics.site}/{self._topics.table}: give one another name"
                log.error("name taken", reason=text)
                self._on_rival(text)

    def _repair_now(self) -> None:
        self._repair = None
        self._repaired_at = asyncio.get_running_loop().time()
        self._status_due = True
        self._wanted.set()

    async def _pump(self, client: CheckedClient) -> None:
        pauses = Backoff(random.Random(0))  # noqa: S311 - one table, one broker: nobody to keep out of step with
        # What the last connection had answers to, even if this one is lost at once.
        await self._mark()
        while True:
            self.turns += 1
            self._wanted.clear()
            # Events go first: consumers wait for them, and not for what is remembered or shown.
            sent = await self._has_sent_events()
            if self._flow.is_halted:
                await asyncio.sleep(pauses.next_seconds())
                self._flow.go_on()
            elif sent:
                pauses.reset()
            if self._status_due:
                await self._say_status(client)
            await self._send_rest(client)
            again = await self._send_again(client)
            if self._mark_seconds() <= 0:
                await self._mark()
            if not sent and not again:
                self._waits = True
                await self._until_wanted()
                self._waits = False

    async def _until_wanted(self) -> None:
        """Wait until there is something to send, or to be noted."""
        if self.reached <= self._stream.marked():
            await self._wanted.wait()
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(max(0, self._mark_seconds())):
                await self._wanted.wait()

    async def _send_again(self, client: CheckedClient) -> bool:
        """Send a few events again to a consumer that asked; whether there were any."""
        if self._consumers is None:
            return False
        batch = await self._consumers.next_replay(self.reached, INFLIGHT_LIMIT)
        if batch is None:
            return False
        topic = self._topics.replay(batch.consumer)
        answers = [client.send(topic, row.body, content_type=CLOUDEVENTS) for row in batch.rows]
        await asyncio.wait(answers)
        errors = [error for answer in answers if (error := answer.exception()) is not None]
        for error in errors:
            if not isinstance(error, PublishRefused):
                raise error
        if errors:
            log.error("refused by the broker", topic=topic, reason=str(errors[0]))
            self._consumers.forget_replay(batch.consumer)
        else:
            self._consumers.replayed(batch)
        return True

    async def _send_rest(self, client: CheckedClient) -> None:
        """Retained topics that changed, and replies. A refused one is logged and passed over."""
        while self._unsent or self._replies:
            waiting: list[tuple[str, asyncio.Future[None]]] = []
            for topic in list(self._unsent)[:INFLIGHT_LIMIT]:
                del self._unsent[topic]
                waiting.append((topic, client.send(topic, self._retained[topic], retain=True)))
            replies, self._replies = self._replies[:INFLIGHT_LIMIT], self._replies[INFLIGHT_LIMIT:]
            waiting += [(one.topic, client.send(one.topic, one.payload)) for one in replies]
            await asyncio.wait([answer for _, answer in waiting])
            for topic, answer in waiting:
                error = answer.exception()
                if isinstance(error, PublishRefused):
                    log.error("refused by the broker", topic=topic, reason=str(error))
                elif error is not None:
                    raise error

    async def _has_sent_events(self) -> bool:
        """Send the next events and wait for their answers; false: there were none. A refusal halts the flow.

        Raises:
            ConnectionLost: the connection is gone.
        """
        flow = self._flow
        flow.send_fresh()
        if flow.lacks and not flow.is_flying:
            flow.lacks = False
            if rows := await self._stream.events_after(flow.sent, flow.window):
                flow.lacks = True
                flow.take([leaving(row, self._topics) for row in rows])
        if not flow.is_flying:
            return False
        before = self.reached
        try:
            failure = await flow.answered()
        finally:
            self._note(before)
        if isinstance(failure, PublishRefused):
            log.error("event refused by the broker", seq=self.reached + 1, reason=str(failure))
        elif failure is not None:
            raise failure
        return True

    def _note(self, before: int) -> None:
        """The broker has more than ``before``: have it remembered with the next commit, or in a while."""
        if self.reached > before:
            if before <= self._stream.marked():
                self._mark_at = asyncio.get_running_loop().time() + MARK_SECONDS
            self._stream.note_published(self.reached)
            # Not when merely greeted: some brokers hang up on a client that sends what they refuse.
            self._reconnection.worked()

    def _mark_seconds(self) -> float:
        """How long what is published need not yet be marked as such; 0 or less: it is due."""
        unmarked = self.reached - self._stream.marked()
        if unmarked <= 0:
            return MARK_SECONDS
        return 0 if unmarked >= MARK_LIMIT else self._mark_at - asyncio.get_running_loop().time()

    async def _mark(self) -> None:
        if self.reached > self._stream.marked():
            await self._stream.mark_published(self.reached)
