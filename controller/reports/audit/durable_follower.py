"""What a consumer must do to hold every event of a table once, in order, whatever the way to it loses or repeats.

The rules are those of docs/reference/durable-consumers.md: apply what follows the last, drop what does not, ask for
what is missing, acknowledge what is on the disk. No file, no connection here: ``tableside watch --durable`` has both.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import msgspec

from controller.formats.journal.records import Identity
from controller.formats.journal.stream import ConsumerNow, ReplayRequest, StreamNow, stream_genesis, stream_hash
from controller.formats.journal.tree_heads import claimed
from controller.formats.mqtt.envelope import EVENT_LIMIT_BYTES
from controller.formats.text.printable import many
from controller.formats.text.safe_parse import DataRefused, json_as, reads_outside

AHEAD_LIMIT: Final = 1000
"""Events held that came too early; what is beyond is asked for again."""

PATIENCE_SECONDS: Final = 5.0
"""How long a replay may bring nothing before it is asked for again."""

SILENCE_SECONDS: Final = 15.0
"""A table that has not said for so long how far it is, is cut off: it says so every five seconds."""


TOLD_LIMIT: Final = 1000
"""Complaints that are made once, remembered."""

HEAD_LIMIT: Final = 4096
"""Characters of a signed head: many times what one has."""


class EventPlace(msgspec.Struct, frozen=True):
    """What says which event this is; the rest of the envelope is left as it is."""

    source: str
    epoch: int
    seq: int
    type: str = ""


@reads_outside(DataRefused)
def read_place(payload: bytes) -> EventPlace:
    """Which event a payload says it is.

    Raises:
        DataRefused: it is no event.
    """
    place: EventPlace = json_as(payload, EventPlace, limit_bytes=EVENT_LIMIT_BYTES)
    return place


class StreamPosition(NamedTuple):
    """The position of the consumer's disk: it has events 1 to ``seq`` of ``epoch``. Epoch 0: nothing yet."""

    epoch: int
    seq: int
    hash: bytes


NOTHING: Final = StreamPosition(0, 0, b"")


class FollowerActions(NamedTuple):
    """What to do after a message: begin a new file, write these events, tell these complaints."""

    new_epoch: int = 0
    events: tuple[bytes, ...] = ()
    complaints: tuple[str, ...] = ()
    differs: bool = False
    """The table's events are not those on our disk: set them aside and fetch everything again."""
    head: str = ""
    """A signed head of the table's journal that is further than the one we keep: keep it in its place."""


class Follower:
    """Follows the stream of one table; ``held`` is what the disk has."""

    def __init__(
        self,
        site: str,
        table: str,
        consumer: str,
        held: StreamPosition,
        head: str = "",
        *,
        ahead_limit: int = AHEAD_LIMIT,
        place: str = "on this disk",
    ) -> None:
        """``head`` is the furthest signed head that is held, empty if none; ``ahead_limit`` as ``AHEAD_LIMIT``.

        ``place`` is where events are held, in words: complaints name it.
        """
        self._place = place
        self._site, self._table, self._consumer = site, table, consumer
        self.held = held
        self._ahead_limit = ahead_limit
        self._ahead: dict[int, bytes] = {}
        self._known = held.seq
        """The furthest event of this epoch that is known to exist."""
        self._asked_at: float | None = None
        """When we last asked, or what we asked for last moved."""
        self._asked_to: int | None = None
        self._heard_at: float | None = None
        self._silence_reported = False
        self._noted = -1
        """What the table said last of what we hold; -1: nothing, or it does not know us."""
        self._acked = -1
        self._beyond: tuple[float, int] | None = None
        self._complained: set[str] = set()
        self.head = head
        """The furthest signed head of the table's journal that we keep: with each acknowledgement the table sees it."""
        self._headed = claimed(head, site, table) or (0, 0)
        self._is_unshown = bool(head)
        """Whether the table has not said yet that it has seen the head."""

    def see_event(self, payload: bytes, at: float) -> FollowerActions:
        """An event, from wherever it came; ``at`` is the consumer's own time in seconds."""
        try:
            place = read_place(payload)
        except DataRefused as error:
            return FollowerActions(complaints=(f"not an event: {error}",))
        if place.source != f"/{self._site}/{self._table}" or place.seq < 1:
            return FollowerActions(
                complaints=(f"an event of {place.source} came as one of /{self._site}/{self._table}",)
            )
        new_epoch, complaints = self._follow_epoch(place.epoch)
        if place.epoch != self.held.epoch:
            return FollowerActions(complaints=complaints)
        self._known = max(self._known, place.seq)
        # The one that is next always finds room.
        if place.seq == self.held.seq + 1 or (place.seq > self.held.seq and len(self._ahead) < self._ahead_limit):
            self._ahead[place.seq] = payload
        return FollowerActions(new_epoch, tuple(self._following(at)), complaints)

    def see_stream(self, now: StreamNow, at: float) -> FollowerActions:
        """The table says how far it is."""
        self._heard_at, self._silence_reported = at, False
        own = next((one for one in now.consumers if one.consumer == self._consumer), None)
        head = self._further(now.tree_head, own)
        new_epoch, complaints = self._follow_epoch(now.epoch)
        if now.epoch != self.held.epoch:
            return FollowerActions(complaints=complaints, head=head)
        self._noted = -1 if own is None else own.last_seq
        self._known = max(self._known, now.published)
        if now.published == self.held.seq and now.hash != self.held.hash.hex():
            text = f"events 1 to {self.held.seq} {self._place} are not those of the table"
            return FollowerActions(new_epoch, complaints=(*complaints, text), differs=True, head=head)
        complaints += self._older_copy(now.seq, at)
        return FollowerActions(new_epoch, complaints=complaints, head=head)

    @property
    def is_behind(self) -> bool:
        """Whether events are known to exist that are not held."""
        return self._known > self.held.seq

    @property
    def is_served(self) -> bool:
        """Whether what was asked for is still on its way: events are missing, and not all that was asked for came."""
        return self.is_behind and self._asked_at is not None

    def replay_due(self, at: float) -> ReplayRequest | None:
        """What to ask the table for now, None if nothing is missing or the last request is still being served."""
        if not self.is_behind or not self.held.epoch:
            return None
        is_moving = self._asked_at is not None and at - self._asked_at < PATIENCE_SECONDS
        if is_moving:
            return None
        last = min(self._ahead, default=0) - 1
        self._asked_at, self._asked_to = at, last if last > self.held.seq else None
        return ReplayRequest(self._consumer, self.held.epoch, self.held.seq + 1, self._asked_to)

    def ack_due(self) -> StreamPosition | None:
        """What to acknowledge, None if the table knows it."""
        is_known = self._acked == self.held.seq and self._noted in {-1, self.held.seq}
        if not self.held.epoch or (is_known and not self._is_unshown):
            return None
        self._acked, self._is_unshown = self.held.seq, False
        return self.held

    def connected(self, at: float) -> None:
        """A connection begins: what was asked for on the last one will not come."""
        self._asked_at, self._acked, self._heard_at, self._beyond = None, -1, at, None

    def silence(self, at: float) -> str:
        """A complaint if the table has said nothing for long, once; else empty."""
        if self._silence_reported or self._heard_at is None or at - self._heard_at < SILENCE_SECONDS:
            return ""
        self._silence_reported = True
        return f"nothing heard of {self._site}/{self._table} for {SILENCE_SECONDS:.0f} s"

    def started(self) -> StreamPosition:
        """The beginning of the epoch we are in."""
        return self._start(self.held.epoch)

    def begin_again(self) -> None:
        """What was held has been set aside."""
        self.held = self.started()
        self._ahead.clear()
        self._asked_at, self._acked = None, -1

    def _follow_epoch(self, epoch: int) -> tuple[int, tuple[str, ...]]:
        if epoch == self.held.epoch:
            return 0, ()
        before = self.held
        if epoch < before.epoch:
            said = f"epoch {epoch} came after epoch {before.epoch}: an older journal, or somebody else; not taken"
            return 0, self._once(said)
        self.held, self._known = self._start(epoch), 0
        self._ahead.clear()
        self._asked_at, self._acked, self._noted = None, -1, -1
        if not before.epoch:
            return epoch, ()
        held, verb = many(before.seq, "event"), "is" if before.seq == 1 else "are"
        return epoch, (f"epoch {epoch} follows epoch {before.epoch}, of which {held} {verb} {self._place}",)

    def _start(self, epoch: int) -> StreamPosition:
        return StreamPosition(epoch, 0, stream_genesis(Identity(self._site, self._table, epoch)))

    def _older_copy(self, seq: int, at: float) -> tuple[str, ...]:
        """Whether the table lacks what is on this disk. What it said a moment ago may be older than what came."""
        if seq >= self.held.seq:
            self._beyond = None
        elif self._beyond is None:
            self._beyond = at, self.held.seq
        elif at - self._beyond[0] >= PATIENCE_SECONDS and seq < self._beyond[1]:
            lacking = f"the table ends before event {self._beyond[1]}, which is {self._place}"
            return self._once(f"{lacking}: it runs on an older copy")
        return ()

    def _further(self, signed: str, own: ConsumerNow | None) -> str:
        """The head if it is further than the one we keep, which it then is itself.

        Ours is shown first: a journal set back has gone on otherwise, and soon has a head that only looks further.
        """
        if self.head and own is not None and own.head_size != self._headed[1]:
            self._is_unshown = True
            return ""
        place = claimed(signed, self._site, self._table)
        if place is None or place <= self._headed or len(signed) > HEAD_LIMIT:
            return ""
        self.head, self._headed, self._is_unshown = signed, place, True
        return signed

    def _once(self, complaint: str) -> tuple[str, ...]:
        if complaint in self._complained or len(self._complained) >= TOLD_LIMIT:
            return ()
        self._complained.add(complaint)
        return (complaint,)

    def _following(self, at: float) -> list[bytes]:
        found: list[bytes] = []
        while (body := self._ahead.pop(self.held.seq + 1, None)) is not None:
            found.append(body)
            self.held = StreamPosition(self.held.epoch, self.held.seq + 1, stream_hash(self.held.hash, body))
        if found and self._asked_at is not None:
            came = self._asked_to is not None and self.held.seq >= self._asked_to
            self._asked_at = None if came else at
        return found
