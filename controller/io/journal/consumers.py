"""Who has what of the stream: consumers acknowledge, ask for events again, and are missed when they do not.

The journal is the outbox: nothing here, and nothing a broker says, ever takes an event out of it. A PUBACK means that a
broker holds a message in memory; that it is on a consumer's disk only the consumer can say.
"""

from __future__ import annotations

import asyncio
import collections
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final, NamedTuple

import structlog

from controller.formats.journal.records import Identity
from controller.formats.journal.stream import (
    CONSUMER,
    ConsumerNow,
    StreamNow,
    StreamRefused,
    consumer_alarm,
    read_ack,
    read_replay,
)
from controller.formats.journal.tree_heads import claimed
from controller.formats.mqtt.envelope import utc_text
from controller.io.journal.reader import EventRow
from controller.io.system.clock import Clock

TICK_SECONDS: Final = 1.0
"""Between two looks at what has changed: ``state/stream`` is published at most so often."""

BEAT_SECONDS: Final = 5.0
"""``state/stream`` is published at least so often: a consumer that has not heard it for three beats is cut off."""

KEEP_SECONDS: Final = 30.0
"""How far what the journal remembers of a consumer may lag; after a restart the consumer says it again."""

REPLAY_LIMIT: Final = 16
"""Replays under way at once; a consumer has one."""

SAMPLE_LIMIT: Final = 600
"""Seconds for which it is known how far the journal was."""

STRANGER_LIMIT: Final = 100
"""Names that are not configured, each logged once."""

log = structlog.get_logger(__name__)


async def _no_head() -> str:
    return ""


async def believed(who: str, signed: str) -> str:
    """Take a signed head without holding it against anything."""
    del who, signed
    return ""


class ConsumerLog(NamedTuple):
    """What consumers need of the journal: its methods of the same names."""

    events_after: Callable[[int, int], Awaitable[Sequence[EventRow]]]
    stream_at: Callable[[int], Awaitable[bytes]]
    last_mark: Callable[[], Awaitable[tuple[int, bytes]]]
    note_ack: Callable[[str, int], Awaitable[None]]
    acks: Callable[[], Awaitable[Mapping[str, int]]]
    head: Callable[[], int]
    """The last event committed."""
    signed_head: Callable[[], Awaitable[str]] = _no_head
    """The journal's head as it was signed last, empty if it was not."""
    shown: Callable[[str, str], Awaitable[str]] = believed
    """Take a signed head that somebody keeps; what is wrong with it, empty if nothing is (``Anchors.shown``)."""


class ReplayEvents(NamedTuple):
    """Events to send again to a consumer."""

    consumer: str
    rows: Sequence[EventRow]


class _Consumer:
    """What is known of one configured consumer."""

    def __init__(self, acked: int) -> None:
        self.acked = acked
        self.kept = acked
        self.kept_at = 0.0
        self.lacking_since: float | None = None
        self.complaint = ""
        self.head_size = 0


class Consumers:
    """The configured consumers of one table. ``publish`` takes the payload of ``state/stream`` and the alarms in it."""

    def __init__(
        self,
        names: Sequence[str],
        ledger: ConsumerLog,
        identity: Identity,
        *,
        session: int,
        clock: Clock,
        publish: Callable[[StreamNow], None],
        tick_seconds: float = TICK_SECONDS,
    ) -> None:
        self._consumers: dict[str, _Consumer] = {name: _Consumer(0) for name in names}
        self._ledger = ledger
        self._identity = identity
        self._session = session
        self._clock = clock
        self._publish = publish
        self._tick_seconds = tick_seconds
        self._replays: dict[str, tuple[int, int | None]] = {}
        self._samples: collections.deque[tuple[float, int]] = collections.deque(maxlen=SAMPLE_LIMIT)
        self._strangers: set[str] = set()
        self.notices: dict[str, str] = {}
        """Alarms of other parts of the daemon, by what they are about; an empty text is none."""

    async def run(self) -> None:
        """Tell how far everybody is, again and again, until cancelled."""
        kept = await self._ledger.acks()
        for name, one in self._consumers.items():
            one.acked = max(one.acked, kept.get(name, 0))
            one.kept = kept.get(name, 0)
        before, published_at = None, 0.0
        try:
            while True:
                now = await self._look()
                plain = (now.seq, now.published, now.consumers, now.alarms)
                if plain != before or self._seconds() - published_at >= BEAT_SECONDS:
                    before, published_at = plain, self._seconds()
                    self._publish(now)
                await self._keep(KEEP_SECONDS)
                await asyncio.sleep(self._tick_seconds)
        finally:
            await self._keep(0)

    def acked(self) -> dict[str, int]:
        """What each has said it holds, as far as is known by now."""
        return {name: one.acked for name, one in self._consumers.items()}

    def knows(self, name: str) -> bool:
        """Whether a consumer of this name is configured."""
        return name in self._consumers

    async def take_ack(self, name: str, payload: bytes) -> None:
        """Take what a consumer says it holds; what cannot be true is an alarm."""
        one = self._consumers.get(name)
        if one is None:
            if name not in self._strangers and len(self._strangers) < STRANGER_LIMIT:
                self._strangers.add(name)
                log.warning("acknowledgement of a consumer that is not configured", consumer=name[:40])
            return
        try:
            epoch, seq, hashed, signed = read_ack(payload)
        except StreamRefused as refused:
            log.warning("acknowledgement not understood", consumer=name, reason=str(refused))
            return
        # Whatever epoch it speaks of: a head of a later one than this journal's is the plainest sign of all.
        complaint = await self._ledger.shown(f"consumer {name}", signed) if signed else ""
        if epoch == self._identity.epoch:
            complaint = complaint or await self._wrong(name, seq, hashed)
        if complaint and complaint != one.complaint:
            log.error("consumer differs", consumer=name, reason=complaint)
        one.complaint = complaint
        if signed and not complaint:
            _, one.head_size = claimed(signed, self._identity.site, self._identity.table) or (0, 0)
        if not complaint and epoch == self._identity.epoch and seq > one.acked:
            one.acked, one.lacking_since = seq, None

    def take_replay(self, payload: bytes, reached: int) -> None:
        """Take a request for events again, of those up to event ``reached``; a consumer's earlier one is forgotten.

        Raises:
            StreamRefused: it cannot be carried out; the text says why.
        """
        wanted = read_replay(payload, self._identity.epoch)
        if wanted.first_seq > reached:
            raise StreamRefused(f"event {wanted.first_seq} has not been published; the last one was {reached}")
        if wanted.consumer not in self._replays and len(self._replays) >= REPLAY_LIMIT:
            raise StreamRefused(f"{REPLAY_LIMIT} replays are under way; ask again")
        self._replays[wanted.consumer] = (wanted.first_seq, wanted.last_seq)

    async def next_replay(self, reached: int, limit: int) -> ReplayEvents | None:
        """The next events to send again, of those up to event ``reached``; None if no consumer waits for any."""
        for name, (first, last) in list(self._replays.items()):
            end = reached if last is None else min(last, reached)
            rows = await self._ledger.events_after(first - 1, min(limit, end - first + 1)) if first <= end else ()
            if rows:
                return ReplayEvents(name, rows)
            del self._replays[name]
        return None

    def replayed(self, batch: ReplayEvents) -> None:
        """That has been sent again; the next consumer's turn. What was asked anew meanwhile begins where it asks."""
        first, last = self._replays.get(batch.consumer, (0, 0))
        if first == batch.rows[0].seq:
            del self._replays[batch.consumer]
            self._replays[batch.consumer] = (batch.rows[-1].seq + 1, last)

    def forget_replays(self) -> None:
        """The connection was lost: a consumer that still lacks events asks again."""
        self._replays.clear()

    def forget_replay(self, name: str) -> None:
        """A consumer cannot be served."""
        self._replays.pop(name, None)

    # --- looking --------------------------------------------------------------------------------------

    async def _wrong(self, name: str, seq: int, hashed: bytes) -> str:
        head = self._ledger.head()
        if seq > head:
            older = "this journal is an older copy: stop the table and see docs/guide/operations.md, Hold"
            return f"consumer {name} holds event {seq}, and this journal ends with event {head}: {older}"
        if await self._ledger.stream_at(seq) != hashed:
            return f"consumer {name} holds other events up to event {seq} than this journal has"
        return ""

    async def _look(self) -> StreamNow:
        head = self._ledger.head()
        if not self._samples or self._samples[-1][1] != head:
            self._samples.append((self._seconds(), head))
        published, hashed = await self._ledger.last_mark()
        consumers = tuple(self._now(name, one, head) for name, one in sorted(self._consumers.items()))
        alarms = [consumer_alarm(one) for one in consumers]
        alarms += [one.complaint for one in self._consumers.values()]
        alarms += [self.notices[key] for key in sorted(self.notices)]
        return StreamNow(
            epoch=self._identity.epoch,
            session=self._session,
            seq=head,
            published=published,
            hash=hashed.hex(),
            consumers=consumers,
            alarms=tuple(alarm for alarm in alarms if alarm),
            time=utc_text(self._clock.wall_ns()),
            tree_head=await self._ledger.signed_head(),
        )

    def _now(self, name: str, one: _Consumer, head: int) -> ConsumerNow:
        if one.acked >= head:
            one.lacking_since = None
        elif one.lacking_since is None:
            one.lacking_since = next((at for at, seq in self._samples if seq > one.acked), self._seconds())
        oldest = 0 if one.lacking_since is None else int(self._seconds() - one.lacking_since)
        return ConsumerNow(name, one.acked, max(0, head - one.acked), oldest, one.head_size)

    async def _keep(self, seconds: float) -> None:
        for name, one in self._consumers.items():
            if one.acked > one.kept and self._seconds() - one.kept_at >= seconds:
                one.kept, one.kept_at = one.acked, self._seconds()
                await self._ledger.note_ack(name, one.acked)

    def _seconds(self) -> float:
        return self._clock.monotonic_ns() / 1_000_000_000


def consumer_of(topic: str, root: str) -> str | None:
    """The consumer's name in an acknowledgement's topic, None for any other topic."""
    head = f"{root}/ack/"
    name = topic.removeprefix(head)
    return name if topic.startswith(head) and CONSUMER.fullmatch(name) else None
