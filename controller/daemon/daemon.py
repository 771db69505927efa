"""The daemon: devices on one side, the journal in the middle, the broker on the other.

Whatever comes in is stamped, stepped and committed together with what it gave; only then does anything leave.
"""

from __future__ import annotations

import asyncio
import functools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

import msgspec
import structlog

from controller.core.messages.events import Event, InternalError
from controller.core.messages.house import House
from controller.core.messages.inputs import (
    DaemonStarted,
    FitnessLevel,
    FitnessReported,
    Input,
    OpeningRefuted,
    RevealRefuted,
    SignedOrder,
    StampedInput,
)
from controller.core.meters.state import Progressives
from controller.core.persons import UNAUTHENTICATED, Authentication
from controller.core.refusal_reason import RefusalReason
from controller.core.step import step
from controller.core.table.desired import Desired
from controller.core.table.ledger import Books
from controller.core.table.state import ProposedRuling, State, Table
from controller.daemon.checkpoint_pace import CheckpointPace
from controller.daemon.closed_rounds import LateRuling, OldRounds, is_late, look_up
from controller.daemon.recovery import Recovery
from controller.formats.journal.records import Identity, chain, seal, seal_checkpoint, stamp
from controller.formats.journal.stream import StreamNow
from controller.formats.mqtt.envelope import Topics, device_bytes, own_event
from controller.formats.mqtt.retained_alerts import alerts_bytes
from controller.formats.mqtt.retained_layout import FeltPicture
from controller.formats.mqtt.retained_meters import meters_bytes
from controller.formats.mqtt.retained_orders import orders_bytes
from controller.formats.mqtt.retained_state import advice_bytes, hold_bytes, info_bytes, round_bytes
from controller.formats.orders.replies import refusal_of, remark_of
from controller.formats.orders.requests import CommandRefused, input_of, read_command, reply_bytes
from controller.formats.orders.signed_orders import Signatures
from controller.formats.replay import payloads, state_bytes
from controller.io.displays.screens import Displays
from controller.io.journal.anchors import Anchors
from controller.io.journal.consumers import ConsumerLog, Consumers
from controller.io.journal.errors import JournalDamaged, JournalFailed
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.lines.supervisor import REASON_LIMIT, LineSupervisor
from controller.io.mqtt.connection import Broker
from controller.io.mqtt.publication import OutgoingEvent, topics_of
from controller.io.mqtt.publisher import OVER_MQTT, EventSource, Publisher
from controller.io.system.clock import Clock
from controller.io.system.randomness import Entropy
from controller.io.system.rate_limits import REBUILDING, RequestLimit
from controller.io.system.supervision import Service, Supervision
from controller.reports.audit.commitment_check import OwnOpenings, TriggerReveals
from controller.reports.device_health import health_line
from firmware_protocols.readings import CardDrawn, DeviceComplained, DeviceHealth, ShoeNumbering

QUEUE_LIMIT: Final = 10_000
"""Readings that may wait to be stepped: minutes of the noisiest table. A full queue means that the disk has stopped."""

BATCH_LIMIT: Final = 64
"""Readings committed in one transaction; more would delay the first of them for nothing."""

log = structlog.get_logger(__name__)


NOT_OVER_MQTT: Final = RefusalReason("not_entitled", "this table takes orders over its operator channel only")
ON_HOLD: Final = RefusalReason("table_on_hold", "the table is on hold; see state/hold")

FELT_EVENTS: Final = 2000
"""Events read at a start for the picture of the felt; several rounds have fewer."""


class QueueFull(Exception):  # noqa: N818 - named for what happened
    """More readings wait than the journal can take."""


class DaemonParts(NamedTuple):
    """What the daemon is made of; everything that can surprise it is handed in."""

    house: House
    version: str
    key: bytes
    journal: Journal
    recovered: Recovery
    broker: Broker
    clock: Clock
    entropy: Entropy
    chance: random.Random
    consumers: tuple[str, ...] = ()
    """The consumers whose acknowledgements are waited for."""


class PendingRequest(NamedTuple):
    """What somebody asked for, the input it became, and who is to be informed what came of it."""

    given: Input
    payload: bytes
    answer: Callable[[bytes], None]
    order: SignedOrder | None = None
    """What the input was made of, where it was signed."""
    rebuilds_for: str | None = None
    """The client who is charged with the time of its step; None: it rebuilds no round."""


class PendingCommit(NamedTuple):
    """Inputs that have been stepped, and whose commit has begun."""

    batch: Sequence[Input]
    table: Table
    wanted: Callable[[], Desired]
    """Works out what the devices should be sent, which may be as late as after the commit."""
    events: Sequence[Event]
    leaving: Sequence[OutgoingEvent]
    replies: Sequence[tuple[Callable[[bytes], None], bytes]]
    committed: asyncio.Future[None]


class Unsteppable(Exception):  # noqa: N818 - named for what happened
    """Our own code failed at a reading: ``before`` is what was stepped, ``failed`` the reading with the failure."""

    def __init__(self, before: list[JournalEntry], failed: JournalEntry) -> None:
        self.before = before
        self.failed = failed


class Daemon:
    """One table."""

    def __init__(self, parts: DaemonParts) -> None:
        self.parts = parts
        self.identity: Identity = parts.journal.identity
        self.topics = Topics(self.identity.site, self.identity.table)
        self.openings = OwnOpenings(self.identity)
        self.table = parts.recovered.table or Table(parts.house, State())
        self.reveals = TriggerReveals(self.identity, self.table.state.progressives.cycle)
        self.fit = {cause: one.level for cause, one in self.table.state.unfit.items()}
        """How fit the table was last reported to be, by cause."""
        self.number = parts.journal.head.number
        self.checkpoints = CheckpointPace(self.number)
        self.desired = Desired()
        self.apply: Callable[[Desired], None] = lambda _: None
        """Receives what the devices should be sent, after each commit that changes it."""
        self.stored: Callable[[CardDrawn | ShoeNumbering], None] = lambda _: None
        """Receives each card, and whose draws come, once the journal has it: the shoe may forget it, or send them."""
        self.felt = FeltPicture()
        self.shown: dict[str, bytes] = {}
        """What the pictures below ``state/`` were last, without their seq."""
        self.displays = Displays(self.topics, parts.clock)
        """Screens and video beside the table; none unless set."""
        self.waiting: asyncio.Queue[Input] = asyncio.Queue(QUEUE_LIMIT)
        self.stirred = asyncio.Event()
        """Set when ``serve`` has something to do."""
        self.is_idle = False
        """Whether ``serve`` waits, so that a reading need not wait for it."""
        self.begun: PendingCommit | Exception | None = None
        """What was stepped while ``serve`` waited, for it to go on with."""
        self.requests: list[PendingRequest] = []
        """Requests of people whose input waits in the queue, or at the table behind readings that wait."""
        self.remarks: Callable[[], Sequence[str]] = tuple
        """What else belongs into ``status``, such as a certificate that ends soon."""
        self.mqtt_orders = True
        """Whether orders are taken over MQTT too, where every client that the broker lets write is believed."""
        self.signatures = Signatures(self.identity)
        """Whose signed orders are taken."""
        self.signed = dict(self.table.state.signed)
        """The highest number of an order that each signing key has given."""
        self.alarms: tuple[str, ...] = ()
        self.meters_shown: Progressives | None = None
        """What the picture of the meters was last made of; a linked meter moves without an event."""
        self.orders_shown: tuple[Books, tuple[ProposedRuling, ...]] | None = None
        """What the picture of the orders was last made of: settled, proposed and withdrawn a few times in a round."""
        self.health: dict[str, DeviceHealth] = {}
        """What each device last said of itself, as far as committed."""
        self.limit = RequestLimit(parts.clock, lambda text: self.tell_trouble("too_many", "requests", text))
        """How much may be asked of the table, over every way."""
        self.old_rounds = OldRounds(functools.partial(look_up, parts.journal.path), self.keep)
        self.anchors = Anchors(parts.journal)
        self.consumers = Consumers(
            parts.consumers,
            ledger_of(parts.journal, self.anchors),
            self.identity,
            session=self.number + 1,
            clock=parts.clock,
            publish=self.tell_stream,
        )
        self.publisher = self.publishing()

    def publishing(self) -> Publisher:
        """What speaks to the broker."""
        parts = self.parts
        return Publisher(
            parts.broker,
            self.topics,
            stream_of(parts.journal),
            session=self.number + 1,
            clock=parts.clock,
            chance=parts.chance,
            on_command=self.command,
            consumers=self.consumers,
            limit=self.limit,
            on_rival=lambda text: self.tell_trouble("name_taken", "broker", text),
        )

    def deliver(self, given: Input) -> None:
        """Take an input, in order of arrival; where nothing is before it, it is stepped and its commit begun at once.

        Raises:
            QueueFull: the disk has stopped.
        """
        if self.is_idle:
            self.is_idle = False
            self.step_now(given)
        else:
            try:
                self.waiting.put_nowait(given)
            except asyncio.QueueFull:
                raise QueueFull(f"{QUEUE_LIMIT} readings wait to be committed") from None
        self.stirred.set()

    def step_now(self, given: Input) -> None:
        """Step an input as it comes, and let out at once what is committed at once; ``serve`` does the rest.

        Whatever fails here is no fault of who brought the input: it ends ``serve``.
        """
        try:
            self.begun = self.begin([given])
            self.tell(self.begun)
        except Exception as error:  # noqa: BLE001 - raised by serve
            self.begun = error

    async def keep(self, given: Input) -> None:
        """Take an input and wait until the journal has it; a table on hold takes none."""
        if self.parts.recovered.hold:
            return
        kept = asyncio.get_running_loop().create_future()
        self.requests.append(PendingRequest(given, b"", lambda _: kept.set_result(None)))
        self.deliver(given)
        await kept

    def tell_stream(self, now: StreamNow) -> None:
        """How far journal, broker and consumers are, and what somebody should see to."""
        self.publisher.retain(self.topics.stream, msgspec.json.encode(now))
        self.publisher.tell_alarms(now.alarms)
        self.alarms = now.alarms

    def tell_fitness(self, cause: str, level: FitnessLevel, text: str) -> None:
        """How fit the table is for another round in one respect: in ``status`` as it is, journaled when it changes."""
        self.consumers.notices[cause] = f"closed for new rounds: {text}" if level is FitnessLevel.CLOSED else text
        if level is not self.fit.get(cause, FitnessLevel.FIT) and not self.parts.recovered.hold:
            self.fit[cause] = level
            self.deliver(FitnessReported(self.parts.clock.monotonic_ns(), cause, level, text))

    def tell_trouble(self, code: str, part: str, text: str) -> None:
        """What a part of the daemon complains of, as a device would."""
        if not self.parts.recovered.hold:
            self.deliver(DeviceComplained(part, code, text, self.parts.clock.monotonic_ns()))

    def command(self, verb: str, payload: bytes) -> None:
        """Carry out what people ask for over MQTT."""
        if self.mqtt_orders:
            self.ask(verb, payload, lambda reply: self.publisher.reply(verb, reply))
        else:
            self.publisher.reply(verb, reply_bytes(payload, NOT_OVER_MQTT))

    def ask(
        self,
        verb: str,
        payload: bytes,
        answer: Callable[[bytes], None],
        vouched: Authentication = UNAUTHENTICATED,
        client: str = OVER_MQTT,
    ) -> None:
        """Carry out what people ask for, and answer once the journal has it; ``vouched``: how they are known."""
        try:
            order, asked, vouched = self.signatures.taken(
                verb, payload, vouched, self.signed, self.parts.clock.wall_ns()
            )
            wanted = read_command(verb, asked)
        except CommandRefused as refused:
            log.warning("order refused", verb=verb, reason=str(refused))
            answer(reply_bytes(payload, refused.reason))
            return
        if self.parts.recovered.hold:
            answer(reply_bytes(payload, ON_HOLD))
            return
        person = wanted.who if vouched.by_own_key() else client
        if (refusal := self.limit.order_refusal(person)) is not None:
            answer(reply_bytes(payload, refusal))
            return
        if order is not None:
            self.signed[order.signed.key] = order.number
        given = input_of(wanted, self.parts.clock.monotonic_ns(), vouched)
        request = PendingRequest(given, payload, answer, order, client if verb in REBUILDING else None)
        if is_late(given, self.table.state):
            give = functools.partial(self.give, request)
            self.old_rounds.take(LateRuling(given, give, lambda reason: answer(reply_bytes(payload, reason))))
        else:
            self.give(request)

    def give(self, request: PendingRequest) -> None:
        """Let the table have what somebody asks for."""
        if request.rebuilds_for is not None:
            self.limit.rebuild_time.given()
        self.requests.append(request)
        self.deliver(request.given)

    def tell_part(self, part: str, error: Exception) -> None:
        """A part of the table has failed, and is started again."""
        text = " ".join(f"{type(error).__name__}: {error}".split())[:REASON_LIMIT]
        self.tell_trouble("started_again", part, text)

    async def run(
        self,
        lines: Sequence[LineSupervisor],
        beside: Sequence[Service] = (),
        *,
        ending: tuple[type[Exception], ...] = (),
        refusals: tuple[type[Exception], ...] = (),
    ) -> None:
        """Run the table, and what goes on ``beside`` it, until cancelled.

        Whatever fails is reported and started again, but for what ends the table: its disk, our own code that steps,
        what is ``ending``, and at the start ``refusals``, which are about what the table file says.

        On hold (the journal says that the table must not go on by itself) only the broker is served: the devices are
        not opened and the journal's records stay as they are.

        Raises:
            ExceptionGroup: of ``JournalFailed`` if storage failed, ``AssertionError`` if our own code did (the reading
                that showed it is in the journal), or one of those given.
        """
        hold = self.parts.recovered.hold
        self.retain(self.topics.state("hold"), hold_bytes(hold))
        services: list[Service] = [("publisher", self.publisher.run), ("consumers", self.consumers.run)]
        services.append(("anchors", self.anchors.run))
        services += [*self.displays.services(), *beside]
        if hold:
            log.error("table on hold", reason=hold)
        else:
            await self.felt_of_before()
            started = DaemonStarted(self.parts.clock.monotonic_ns(), self.parts.version, self.parts.house)
            self.retain(self.topics.info, info_bytes(self.parts.house, self.parts.version))
            await self.commit([started])
            services += [
                ("table", self.serve),
                ("old rounds", self.old_rounds.run),
                *((line.name, line.run) for line in lines),
            ]
        fatal: tuple[type[Exception], ...] = (JournalFailed, JournalDamaged, QueueFull, *ending)
        supervision = Supervision(self.tell_part, fatal=fatal, refusals=refusals, vital=frozenset({"table"}))
        await supervision.run(services)

    def status(self) -> str:
        """How the table is, in one line for people."""
        hold = self.parts.recovered.hold
        if hold:
            return f"on hold: {hold}"
        broker = "broker reached" if self.publisher.online.is_set() else "broker not reached"
        published = f"{self.publisher.reached} of {self.table.state.seq} events published"
        return "; ".join((health_line(self.health), broker, published, *self.alarms, *self.remarks()))

    async def serve(self) -> None:
        """Step and commit what comes, for ever."""
        while True:
            self.is_idle = self.waiting.empty() and self.begun is None
            if self.is_idle:
                await self.stirred.wait()
            self.is_idle = False
            self.stirred.clear()
            if self.begun is not None:
                begun, self.begun = self.begun, None
                await self.finish(begun)
            batch: list[Input] = []
            while len(batch) < BATCH_LIMIT and not self.waiting.empty():
                batch.append(self.waiting.get_nowait())
            if batch:
                await self.commit(batch)

    async def commit(self, batch: Sequence[Input]) -> None:
        """Stamp, step and commit inputs; then let out what they gave."""
        begun: PendingCommit | Exception
        try:
            begun = self.begin(batch)
            self.tell(begun)
        except Exception as error:  # noqa: BLE001 - raised again when it has been written down
            begun = error
        await self.finish(begun)

    def begin(self, batch: Sequence[Input]) -> PendingCommit:
        """Stamp and step inputs, and begin their commit.

        Raises:
            Unsteppable: our own code failed, for the reason that is its cause.
            JournalFailed: storage failed.
        """
        table, wanted = self.table, lambda: self.desired
        entries: list[JournalEntry] = []
        events: list[Event] = []
        leaving: list[OutgoingEvent] = []
        replies: list[tuple[Callable[[bytes], None], bytes]] = []
        for given in batch:
            stamped = self.stamped(given)
            begun_ns = self.parts.clock.monotonic_ns()
            try:
                stepped = step(table, stamped)
                # What cannot be written down was not stepped: it ends the table as a failed step does, and says so.
                entry = self.entry(stamped, stepped.events, table.state.seq)
            except Exception as error:
                raise Unsteppable(entries, self.failure(stamped, table, error)) from error
            table, wanted = stepped.table, stepped.wanted
            entries.append(entry)
            events.extend(stepped.events)
            leaving += self.leaving(entry, stepped.events)
            self.charge(given, self.parts.clock.monotonic_ns() - begun_ns)
            for one, its_events in stepped.taken:
                replies.extend(self.replies(one, its_events, table.state.books))
        committed = self.parts.journal.begin_commit(self.with_checkpoint(entries, table))
        return PendingCommit(batch, table, wanted, events, leaving, replies, committed)

    def tell(self, begun: PendingCommit) -> None:
        """Let the events out if they are committed: first of all, as somebody waits for them and for nothing else."""
        if begun.committed.done() and begun.committed.exception() is None:
            self.publisher.tell(begun.leaving)

    async def finish(self, begun: PendingCommit | Exception) -> None:
        """Wait for the commit, and let out what it gave; or write down and raise what kept it from being begun."""
        if isinstance(begun, Unsteppable):
            await self.parts.journal.commit([*begun.before, begun.failed])
            raise begun.__cause__ or begun
        if isinstance(begun, Exception):
            raise begun
        if not begun.committed.done():
            await begun.committed
            self.tell(begun)
        begun.committed.result()
        self.table = begun.table
        for answer, reply in begun.replies:
            answer(reply)
        for opened in self.openings.refuted(begun.events):
            log.error("a card was opened wrongly", card=opened.card)
            self.deliver(OpeningRefuted(self.parts.clock.monotonic_ns(), opened.card, opened.face))
        for reveal in self.reveals.refuted(begun.events):
            log.error("the trigger box revealed what cannot be", cycle=reveal.cycle, reason=reveal.text)
            self.deliver(RevealRefuted(self.parts.clock.monotonic_ns(), *reveal))
        try:
            desired = begun.wanted()
        except Exception as error:
            # What the table made of the reading is committed; that its devices cannot be told comes behind it.
            stamped = self.stamped(begun.batch[-1])
            await self.parts.journal.commit([self.failure(stamped, begun.table, error)])
            raise
        self.dispatch(begun.events, begun.batch, desired)
        self.displays.show_events(begun.events, [event.body for event in begun.leaving], self.parts.clock.wall_ns())

    def replies(
        self, given: Input, events: Sequence[Event], books: Books
    ) -> Iterator[tuple[Callable[[bytes], None], bytes]]:
        """The reply to the request that brought this input, if one did: what the table made of it."""
        for asked in [one for one in self.requests if one.given is given]:
            self.requests.remove(asked)
            yield asked.answer, reply_bytes(asked.payload, refusal_of(events), remark_of(given, events, books))

    def charge(self, given: Input, took_ns: int) -> None:
        """The step of an input took so long: note it to whom sent it, where it is an order that rebuilds a round."""
        for asked in self.requests:
            if asked.given is given and asked.rebuilds_for is not None:
                self.limit.rebuild_time.stepped(asked.rebuilds_for, took_ns)

    def stamped(self, given: Input) -> StampedInput:
        """The input with its number, times and random bytes."""
        self.number += 1
        clock = self.parts.clock
        nonce = self.parts.entropy.take(32)
        order = next((asked.order for asked in self.requests if asked.given is given), None)
        return stamp(
            given,
            self.identity,
            self.number,
            at_ns=clock.monotonic_ns(),
            wall_ns=clock.wall_ns(),
            nonce=nonce,
            order=order,
        )

    def entry(self, stamped: StampedInput, events: Sequence[Event], seq: int) -> JournalEntry:
        """What is committed of one step; its events follow event ``seq``."""
        bodies = payloads(events, self.identity, seq, stamped.wall_ns)
        numbered = tuple(enumerate(bodies, start=seq + 1))
        return JournalEntry(stamped.number, seal(stamped, self.parts.key, self.identity), numbered, None)

    def leaving(self, entry: JournalEntry, events: Sequence[Event]) -> Iterator[OutgoingEvent]:
        """The events of one step as they are published."""
        for (seq, body), event in zip(entry.events, events, strict=True):
            yield OutgoingEvent(seq, body, topics_of(type(event), self.topics.root))

    def with_checkpoint(self, entries: list[JournalEntry], table: Table) -> list[JournalEntry]:
        """A checkpoint goes with the last entry once a round is over or enough readings have come."""
        last = entries[-1]
        is_over = table.state.round is None and self.table.state.round is not None
        if not self.checkpoints.is_due(last.number, round_over=is_over):
            return entries
        state = state_bytes(table.state)
        self.checkpoints.take(last.number, len(state))
        chained = self.parts.journal.head.hash
        for entry in entries:
            chained = chain(chained, entry.number, entry.body, [body for _, body in entry.events])
        sealed = seal_checkpoint(state, self.parts.key, last.number, chained)
        return [*entries[:-1], last._replace(checkpoint=sealed)]

    def failure(self, stamped: StampedInput, table: Table, error: Exception) -> JournalEntry:
        """Our own code failed: this reading, with nothing but the failure."""
        log.error("step failed", reading=stamped.number, reason=type(error).__name__)
        return self.entry(stamped, (InternalError(f"{type(error).__name__}: {error}"),), table.state.seq)

    def retain(self, topic: str, payload: bytes) -> None:
        """Publish a picture of the table that stays, over MQTT and to the displays."""
        self.publisher.retain(topic, payload)
        self.displays.retained(topic, payload)

    def show(self, name: str, picture: bytes) -> None:
        """Retain a picture below ``state/`` if it shows anything new; ``seq``, its first field, alone is not."""
        _, _, shown = picture.partition(b",")
        if self.shown.get(name) != shown:
            self.shown[name] = shown
            self.retain(self.topics.state(name), picture)

    async def felt_of_before(self) -> None:
        """Take up the felt where the journal has it: chips as the table knows them, cards from the last events."""
        for zone in self.table.state.felt.values():
            self.felt.lay(zone.spot, zone.name, zone.cents)
        seq = max(0, self.table.state.seq - FELT_EVENTS)
        self.felt.follow(own_event(row.body) for row in await self.parts.journal.events_after(seq, FELT_EVENTS))

    def dispatch(self, events: Sequence[Event], batch: Sequence[Input], desired: Desired) -> None:
        """After the commit, when the events have left: device commands first, then the pictures of the table."""
        if desired != self.desired:
            self.desired = desired
            self.apply(desired)
        wall_ns = self.parts.clock.wall_ns()
        for given in batch:
            if isinstance(given, CardDrawn | ShoeNumbering):
                self.stored(given)
            if isinstance(given, DeviceHealth):
                self.health[given.device] = given
                payload = device_bytes(given.state, given.detail, wall_ns)
                self.retain(self.topics.device(given.device), payload)
        if events:
            for seq, event in enumerate(events, start=self.table.state.seq - len(events) + 1):
                self.felt.take(seq, event)
            self.show("felt", msgspec.json.encode(self.felt.now()))
            self.show("round", round_bytes(self.table.house, self.table.state))
            self.show("advice", advice_bytes(self.table.state))
            self.show("alerts", alerts_bytes(self.table.state))
        books = (self.table.state.books, self.table.state.proposed)
        if events and books != self.orders_shown:
            self.orders_shown = books
            self.show("orders", orders_bytes(self.table.house, self.table.state))
        known = self.table.state.progressives
        if known is not self.meters_shown and (known.meters or known.linked):
            self.meters_shown = known
            self.retain(self.topics.state("meters"), meters_bytes(self.table.state))


def stream_of(journal: Journal) -> EventSource:
    """What the publisher needs of the journal."""
    return EventSource(
        journal.last_published,
        journal.events_after,
        journal.mark_published,
        journal.note_published,
        journal.marked,
    )


def ledger_of(journal: Journal, anchors: Anchors) -> ConsumerLog:
    """What consumers need of the journal."""
    return ConsumerLog(
        journal.events_after,
        journal.stream_at,
        journal.last_mark,
        journal.note_ack,
        journal.acks,
        lambda: journal.head.seq,
        anchors.signed_head,
        anchors.shown,
    )
