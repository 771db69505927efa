"""Many tables over one connection: each followed by the rules of a durable consumer, what is new waiting to be written.

No connection and no database here. What waits is bounded: beyond that events are dropped, which costs nothing but
asking the table for them again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

import msgspec

from controller.collector.store import TableKey, TableWrite
from controller.formats.journal.stream import CONSUMER, ack_bytes, read_stream
from controller.formats.mqtt.envelope import Topics
from controller.io.mqtt.request import read_reply
from controller.reports.audit.durable_follower import (
    NOTHING,
    PATIENCE_SECONDS,
    Follower,
    FollowerActions,
    StreamPosition,
)

AHEAD_LIMIT: Final = 200
"""Events of one table that are held though one before them is missing."""

REPLAYS_LIMIT: Final = 16
"""Tables that are asked at once for what is missing: the broker holds what they all send."""

BATCH_LIMIT: Final = 2_000
"""Events written in one transaction."""

BATCH_LIMIT_BYTES: Final = 8 * 1024 * 1024

COMPLAINTS_LIMIT: Final = 200
"""Complaints that may wait to be written; a flood of them is counted instead."""


DATABASE: Final = "in the collector's database"
"""Where events are held, in words."""


class Limits(NamedTuple):
    """How many tables are followed (names beyond are somebody's flood), and events wait for the database."""

    tables: int = 2_000
    waiting: int = 20_000
    waiting_bytes: int = 64 * 1024 * 1024


class OutboundMessage(NamedTuple):
    """A message for a table: its MQTT topic and its payload."""

    topic: str
    payload: bytes


class _Followed:
    def __init__(self, name: TableKey, consumer: str, held: StreamPosition, head: str) -> None:
        self.name = name
        self.topics = Topics(*name)
        self.follower = Follower(*name, consumer, held, head, ahead_limit=AHEAD_LIMIT, place=DATABASE)
        self.kept, self.kept_head = held, head
        self.acknowledged = NOTHING
        """The last position that was acknowledged on this connection."""


class Intake:
    """Takes what the broker brings, and says what to write, to acknowledge and to ask for."""

    def __init__(
        self,
        consumer: str,
        held: Mapping[TableKey, tuple[StreamPosition, str]],
        limits: Limits = Limits(),  # noqa: B008
    ) -> None:
        self._consumer = consumer
        self._limits = limits
        self._tables = {name: _Followed(name, consumer, *place) for name, place in held.items()}
        self._waiting: deque[TableWrite] = deque()
        self._waiting_events = self._waiting_bytes = 0
        self._waiting_complaints = 0
        self._is_full = False
        self._asked: dict[TableKey, float] = {}
        self._has_been_served = False
        self.dropped = 0
        """Events that were not taken because too many waited; they are asked for again."""
        self.complained = 0
        """Complaints so far, written or not."""

    @property
    def waiting(self) -> int:
        """Events that wait to be written."""
        return self._waiting_events

    def behind(self) -> Mapping[TableKey, bool]:
        """Of each table whether it has events that are not held here."""
        return {name: one.follower.is_behind for name, one in self._tables.items()}

    def kept(self) -> Mapping[TableKey, StreamPosition]:
        """What is in the database of each table."""
        return {name: one.kept for name, one in self._tables.items()}

    def connected(self, at: float) -> None:
        """A connection begins."""
        self._asked.clear()
        for one in self._tables.values():
            one.follower.connected(at)
            one.acknowledged = NOTHING

    def hear(self, topic: str, payload: bytes, at: float) -> None:
        """A message; ``at`` is the collector's own time in seconds."""
        parts = topic.split("/")
        if len(parts) < 6 or parts[:2] != ["tableside", "v1"]:
            return
        one = self._of(TableKey(parts[2], parts[3]), at)
        if one is None:
            return
        match parts[4:]:
            case ["event", _]:
                self._see_event(one, payload, at)
            case ["reply", "replay", consumer] if consumer == self._consumer:
                self._see_event(one, payload, at)
            case ["state", "stream"]:
                now = read_stream(payload)
                if now is not None:
                    self._take(one, one.follower.see_stream(now, at))
            case ["reply", "replay"]:
                reply = read_reply(payload)
                if reply is not None and reply.transaction == self._consumer and reply.status == "refused":
                    self._complain(one, f"the table refuses to send events again: {reply.text}")
            case _:
                pass

    def cut(self) -> list[TableWrite]:
        """What to write next, in order; it no longer waits."""
        found: list[TableWrite] = []
        events = size = 0
        while self._waiting and events < BATCH_LIMIT and size < BATCH_LIMIT_BYTES:
            piece = self._waiting.popleft()
            found.append(piece)
            events += len(piece.events)
            size += sum(map(len, piece.events))
            self._waiting_complaints -= len(piece.complaints)
        self._waiting_events -= events
        self._waiting_bytes -= size
        return list(_joined(found))

    def written(self, pieces: list[TableWrite]) -> None:
        """These are in the database."""
        for piece in pieces:
            one = self._tables[piece.name]
            one.kept = piece.held
            one.kept_head = piece.head or one.kept_head

    def due(self, at: float) -> Iterator[OutboundMessage]:
        """What to acknowledge and to ask for; once a second."""
        self._asked = {name: asked for name, asked in self._asked.items() if self._is_served(name, asked, at)}
        for one in self._tables.values():
            is_wanted = one.follower.ack_due() is not None
            if one.kept.epoch and (is_wanted or one.kept != one.acknowledged):
                one.acknowledged = one.kept
                payload = ack_bytes(one.kept.epoch, one.kept.seq, one.kept.hash, one.kept_head)
                yield OutboundMessage(f"{one.topics.root}/ack/{self._consumer}", payload)
            silence = one.follower.silence(at)
            if silence:
                self._complain(one, silence)
            yield from self._ask(one, at)

    def next_replays(self, at: float) -> Iterator[OutboundMessage]:
        """What to ask for as soon as a table has sent what it was asked for: the next need not wait for a second."""
        if not self._has_been_served:
            return
        self._has_been_served = False
        for one in self._tables.values():
            if len(self._asked) >= REPLAYS_LIMIT:
                return
            yield from self._ask(one, at)

    def _is_served(self, name: TableKey, asked: float, at: float) -> bool:
        return self._tables[name].follower.is_behind and at - asked < 2 * PATIENCE_SECONDS

    def _ask(self, one: _Followed, at: float) -> Iterator[OutboundMessage]:
        if not self._has_room() or (one.name not in self._asked and len(self._asked) >= REPLAYS_LIMIT):
            return
        wanted = one.follower.replay_due(at)
        if wanted is None:
            return
        self._asked[one.name] = at
        asked = msgspec.structs.replace(wanted, transaction=self._consumer)
        yield OutboundMessage(one.topics.command("replay"), msgspec.json.encode(asked))

    def _of(self, name: TableKey, at: float) -> _Followed | None:
        one = self._tables.get(name)
        if one is None and len(self._tables) < self._limits.tables and all(map(CONSUMER.fullmatch, name)):
            one = self._tables[name] = _Followed(name, self._consumer, NOTHING, "")
            one.follower.connected(at)
        return one

    def _see_event(self, one: _Followed, payload: bytes, at: float) -> None:
        if not self._has_room():
            self.dropped += 1
            return
        self._take(one, one.follower.see_event(payload, at))
        if one.name in self._asked:
            self._asked[one.name] = at
            if not one.follower.is_served:
                del self._asked[one.name]
                self._has_been_served = True

    def _has_room(self) -> bool:
        """Whether events may wait; once too many did, no more is taken before half of them are written."""
        if self._waiting_events >= self._limits.waiting or self._waiting_bytes >= self._limits.waiting_bytes:
            self._is_full = True
        elif self._waiting_events < self._limits.waiting // 2 and self._waiting_bytes < self._limits.waiting_bytes // 2:
            self._is_full = False
        return not self._is_full

    def _take(self, one: _Followed, taken: FollowerActions) -> None:
        for complaint in taken.complaints:
            self._complain(one, complaint)
        if taken.new_epoch or taken.events or taken.head:
            begins = bool(taken.new_epoch)
            self._wait(TableWrite(one.name, one.follower.held, taken.events, begins=begins, head=taken.head))
        if taken.differs:
            one.follower.begin_again()
            self._wait(TableWrite(one.name, one.follower.held, put_aside=True))

    def _complain(self, one: _Followed, complaint: str) -> None:
        self.complained += 1
        if self._waiting_complaints < COMPLAINTS_LIMIT:
            self._waiting_complaints += 1
            self._wait(TableWrite(one.name, one.follower.held, complaints=(complaint,)))

    def _wait(self, piece: TableWrite) -> None:
        self._waiting.append(piece)
        self._waiting_events += len(piece.events)
        self._waiting_bytes += sum(map(len, piece.events))

    def __bool__(self) -> bool:
        """Whether something waits to be written."""
        return bool(self._waiting)


def _joined(pieces: list[TableWrite]) -> Iterator[TableWrite]:
    """Pieces of one table that follow each other as one, unless something begins between them."""
    open_pieces: dict[TableKey, TableWrite] = {}
    for piece in pieces:
        before = open_pieces.get(piece.name)
        if before is None or piece.begins or piece.put_aside:
            if before is not None:
                yield before
            open_pieces[piece.name] = piece
            continue
        open_pieces[piece.name] = before._replace(
            held=piece.held,
            events=before.events + piece.events,
            head=piece.head or before.head,
            complaints=before.complaints + piece.complaints,
        )
    yield from open_pieces.values()
