"""What a table published of its must-hit-by meter, out of lines of text: its events by number, and what they tell."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeVar, assert_never, get_args

from controller.core.messages.events import Event
from controller.core.messages.meter_events import (
    ContributionMade,
    JackpotHit,
    MysteryCommitted,
    MysteryDisputed,
    MysteryRevealed,
)
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import (
    EVENT_LIMIT_BYTES,
    TYPE_PREFIX,
    TYPE_SUFFIX,
    Envelope,
    PayloadRefused,
    own_event,
)
from controller.formats.text.printable import many
from controller.formats.text.safe_parse import DataRefused, json_of, own_json, reads_outside
from controller.reports.audit.mystery_meter import MeterFold, Moved
from controller.reports.audit.sequence_audit import Complaint, Delivery, EventNumbers, HashMark, Range
from firmware_protocols.values import tag_of

E = TypeVar("E", bound=Event)

MYSTERY_ROW: Final = "must_hit_by_mystery"
"""The row of the awards that a must-hit-by meter pays."""

_KINDS: Final = frozenset(
    tag_of(kind) for kind in (*get_args(Moved), MysteryCommitted, MysteryRevealed, MysteryDisputed)
)


class NotEvents(ValueError):  # noqa: N818 - named for what it is
    """The input holds no events of a table."""


class _At(NamedTuple):
    seq: int
    event: Event


class TableEvents:
    """The events of one table: their numbers, and those that bear on its mystery."""

    def __init__(self, identity: Identity, first: int, marks: Iterable[HashMark]) -> None:
        self.identity, self.first = identity, first
        self.faults: list[str] = []
        found: dict[int, bytes] = {}
        for epoch, seq, digest in marks:
            if epoch in {None, identity.epoch} and found.setdefault(seq, digest) != digest:
                self.faults.append(f"two hashes of the stream were published for event {seq}")
        self.numbers = EventNumbers(identity, first, found)
        self.borne: list[_At] = []

    def take(self, envelope: Envelope, raw: bytes) -> None:
        """Take an event; one that was delivered twice counts once."""
        seq = envelope.seq
        delivery = self.numbers.take(seq, raw)
        match delivery:
            case Delivery.BEFORE | Delivery.AGAIN:
                return
            case Delivery.OTHER_FORM:
                self.faults.append(f"event {seq} came twice with different contents")
                return
            case Delivery.NEW:
                pass
            case _:
                assert_never(delivery)
        if envelope.id != f"{self.identity.text()}/{seq}":
            self._wrong(seq, f"event {seq} calls itself {envelope.id}")
        if envelope.type.removeprefix(TYPE_PREFIX).removesuffix(TYPE_SUFFIX) not in _KINDS:
            return
        try:
            self.borne.append(_At(seq, own_event(raw).event))
        except PayloadRefused as error:
            self._wrong(seq, f"event {seq}: {error}")

    def _wrong(self, seq: int, text: str) -> None:
        self.numbers.complaints.append(Complaint(Range(seq, seq), text))


def read_lines(lines: Iterable[bytes], *, first: int = 1, marks: Iterable[HashMark] = ()) -> TableEvents:
    """Events as lines of JSON, each an envelope; what stands before its first brace (a topic) is passed over.

    Other JSON is passed over, and what begins as JSON and is none is a fault: it may have been an event. Events before
    ``first`` are left out. ``marks`` is what the table said of its stream.

    Raises:
        NotEvents: no line is an event, or they are of several tables or epochs.
    """
    events: TableEvents | None = None
    damaged: list[int] = []
    for number, line in enumerate(lines, start=1):
        raw = line[line.find(b"{") :].strip() if b"{" in line else b""
        try:
            envelope = _envelope(raw)
        except DataRefused:
            damaged += [number] * bool(raw)
            continue
        if envelope is None:
            continue
        identity = _identity(envelope, number)
        events = events or TableEvents(identity, first, marks)
        if identity != events.identity:
            raise NotEvents(f"line {number}: an event of {identity.text()} among those of {events.identity.text()}")
        events.take(envelope, raw)
    if events is None:
        raise NotEvents("no line is an event of a table")
    if damaged:
        events.faults.append(f"cut short or damaged: {many(len(damaged), 'line')}, first line {damaged[0]}")
    return events


@reads_outside(DataRefused)
def _envelope(raw: bytes) -> Envelope | None:
    """What is said to be an event; None: JSON of something else."""
    json_of(raw, limit_bytes=EVENT_LIMIT_BYTES)
    try:
        envelope: Envelope = own_json(raw, Envelope)
    except DataRefused:
        return None
    return envelope if bytes(envelope.data)[:1] == b"{" else None


def _identity(envelope: Envelope, line: int) -> Identity:
    parts = [part for part in envelope.source.split("/") if part]
    if len(parts) < 2:
        raise NotEvents(f"line {line}: the source {envelope.source!r} names no table")
    return Identity(parts[-2], parts[-1], envelope.epoch)


class Mystery:
    """A table's must-hit-by meter, as its events tell it in the order of their numbers."""

    def __init__(self, table_events: TableEvents, missing: Sequence[Range]) -> None:
        self.identity, self.first = table_events.identity, table_events.first
        self.committed: dict[int, tuple[int, MysteryCommitted]] = {}
        self.revealed: dict[int, tuple[int, MysteryRevealed]] = {}
        self.made: dict[int, tuple[int, ContributionMade]] = {}
        self.hits: dict[int, tuple[int, JackpotHit]] = {}
        """By the contribution that won."""
        self.remarks: list[Complaint] = []
        """What is no fault, and people should know."""
        self.stood: dict[int, int | None] = {}
        """What the table's meter stood at when a cycle was committed to; None: events are missing before."""
        self.complaints: list[Complaint] = [*table_events.numbers.complaints]
        self.complaints += [Complaint(one, f"{one.text()}: not given") for one in missing]
        self.fold = MeterFold(whole=table_events.first == 1)
        self._whole = not missing
        self._gaps = sorted(missing, reverse=True)
        self._after_gap = False
        self._jackpots = 0
        events = sorted(table_events.borne, key=lambda one: one.seq)
        self.meter = _mystery_meter(events)
        for seq, event in events:
            while self._gaps and self._gaps[-1].first < seq:
                self._gaps.pop()
                self._after_gap = True
            self._take(seq, event)
        self.numbers, self.won = sorted(self.made), sorted(self.hits)
        """Of all contributions, and of those that won."""

    def _take(self, seq: int, event: Event) -> None:
        if isinstance(event, JackpotHit):
            self._counted(seq, event)
        if getattr(event, "meter", self.meter) != self.meter:
            return
        match event:
            case MysteryCommitted(_, cycle):
                self.stood[cycle] = None if self._after_gap else self.fold.units
                self._once(self.committed, cycle, seq, event, f"a commitment for cycle {cycle}")
            case MysteryRevealed(_, cycle):
                self._once(self.revealed, cycle, seq, event, f"a reveal of cycle {cycle}")
            case MysteryDisputed(_, reason):
                self._remark(seq, f"box and table disagreed: {reason}")
            case ContributionMade():
                self._contributed(seq, event)
            case JackpotHit(row=row) if row == MYSTERY_ROW:
                if event.number:
                    self._once(self.hits, event.number, seq, event, f"an award for contribution {event.number}")
                else:
                    self._remark(seq, f"jackpot {event.jackpot} of {event.cents} cents was {event.rule}")
            case _:
                pass
        if isinstance(event, Moved):
            self.complaints += self.fold.take(seq, event, after_gap=self._after_gap)
            self._after_gap = False

    def _contributed(self, seq: int, event: ContributionMade) -> None:
        last = next(reversed(self.made), 0)
        if event.number and event.number < last:
            self._wrong(seq, f"contribution {event.number} after contribution {last}")
        if event.number or event.units:
            self._once(self.made, event.number, seq, event, f"contribution {event.number}")

    def _counted(self, seq: int, event: JackpotHit) -> None:
        """Awards of all meters of the table are counted together."""
        known, self._jackpots = self._jackpots, event.jackpot
        if self._whole and (known or self.first == 1) and event.jackpot != known + 1:
            self._wrong(seq, f"jackpot {event.jackpot} follows jackpot {known}")

    def _once(self, found: dict[int, tuple[int, E]], key: int, seq: int, event: E, what: str) -> None:
        if key in found:
            self._wrong(seq, f"{what} was there before, at event {found[key][0]}")
        found.setdefault(key, (seq, event))

    def _wrong(self, seq: int, text: str) -> None:
        self.complaints.append(Complaint(Range(seq, seq), f"event {seq}: {text}"))

    def _remark(self, seq: int, text: str) -> None:
        self.remarks.append(Complaint(Range(seq, seq), f"event {seq}: {text}"))


def _mystery_meter(events: Sequence[_At]) -> str:
    """The name of the meter that a trigger box counts too; empty: there is none."""
    for _, event in events:
        if isinstance(event, MysteryCommitted | MysteryRevealed) or (
            isinstance(event, ContributionMade) and event.number
        ):
            return event.meter
    return ""
