"""A table's state as the bytes of a checkpoint, and stepping a journal's records again."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple, TypeVar

import msgspec

from controller.core.messages.events import CardOpened, Event
from controller.core.messages.house import House
from controller.core.messages.inputs import DaemonStarted, StampedInput
from controller.core.step import step
from controller.core.table.state import State, Table
from controller.formats.journal.records import Identity, RecordDamaged, openings, unseal
from controller.formats.journal.state_format import format_name
from controller.formats.mqtt.envelope import event_bytes, own_event
from controller.formats.text.printable import many
from controller.formats.text.safe_parse import DataRefused, own_json
from firmware_protocols.cards import Card

TOGETHER: Final = 128
"""Records that are read, unsealed, stepped and held against their events so many at a time, each of these for all of
them on end: what the processor has just done it does sooner again. One at a time a replay takes a tenth to a quarter
longer. Their tables are let go of meanwhile: of so many at once the processor has to fetch each from afar, and Python
looks through them for cycles again and again."""

Before = TypeVar("Before")
After = TypeVar("After")


class StoredRecord(NamedTuple):
    """A record of the journal with the events it gave, as they lie on the disk."""

    number: int
    body: bytes
    events: tuple[bytes, ...]


class ReplayDifference(NamedTuple):
    """Where stepping again gave something else. ``seq`` is 0 where an event is missing or too many."""

    number: int
    seq: int
    text: str


class SteppedRecord(NamedTuple):
    """A record as it was stepped again: the seq of the last event by then, and how many rounds are over.

    ``table``: the one after it, where that is wanted, and after the last of all; else perhaps None.
    """

    number: int
    seq: int
    rounds: int
    table: Table | None


class OtherStateFormat(ValueError):  # noqa: N818 - named for what was found
    """A checkpoint of another version: read by this one a field would be dropped, or a default taken for one."""


class Checkpoint(msgspec.Struct, frozen=True):
    """A table's state with the name of the format it was written in."""

    format: str = msgspec.field(name="layout")
    state: msgspec.Raw


def state_bytes(state: State) -> bytes:
    """What a checkpoint holds (to be sealed: an open round's hole card is in it)."""
    return msgspec.json.encode(Checkpoint(format_name(State), msgspec.Raw(msgspec.json.encode(state))))


def read_state(data: bytes) -> State:
    """The state of a checkpoint.

    Raises:
        OtherStateFormat: written by a version whose state has another format, or before checkpoints said so.
        RecordDamaged: not such bytes.
    """
    try:
        found = own_json(data, Checkpoint)
    except DataRefused as error:
        raise OtherStateFormat("it says no format") from error
    if found.format != format_name(State):
        raise OtherStateFormat(f"its format is {found.format}, expected {format_name(State)}")
    try:
        state: State = own_json(found.state, State)
    except DataRefused as error:
        raise RecordDamaged(f"a checkpoint cannot be read: {error}") from error
    return state


def house_of(stamped: StampedInput) -> House:
    """The house a start brought.

    Raises:
        RecordDamaged: the record is no start.
    """
    if not isinstance(stamped.input, DaemonStarted):
        raise RecordDamaged(f"record {stamped.number} should be the daemon's start")
    return stamped.input.house


def opened_by(bodies: Iterable[bytes]) -> dict[int, tuple[Card | None, bytes]]:
    """The openings among published events."""
    events = (own_event(body).event for body in bodies if b'"tableside.card_opened.v1"' in body)
    return openings(event for event in events if isinstance(event, CardOpened))


def payloads(events: Iterable[Event], identity: Identity, seq: int, wall_ns: int) -> tuple[bytes, ...]:
    """The bytes of events that follow event ``seq``."""
    return tuple(event_bytes(event, identity, seq + place, wall_ns) for place, event in enumerate(events, start=1))


def again(
    table: Table | None,
    records: Iterable[StoredRecord],
    identity: Identity,
    key: bytes | None,
    known: Mapping[int, tuple[Card | None, bytes]],
    *,
    wanted: Container[int] = (),
) -> Iterator[tuple[SteppedRecord, ReplayDifference | None]]:
    """Step records again, each with its first difference from what was recorded.

    ``table`` is the one before the first record; None at the beginning of an epoch. ``wanted``: the numbers of those
    records after which the table is looked at.

    Raises:
        RecordDamaged: a record cannot be read.
    """
    rows = iter(records)
    while True:
        kept, unread = _each(lambda one: one, islice(rows, TOGETHER))
        stamped, sealed = _each(lambda one: unseal(one.body, key, known, identity), kept)
        if table is None and stamped:
            table = Table(house_of(stamped[0]), State())
        seq = 0 if table is None else table.state.seq
        stepper = _Stepper(table, wanted, stamped[-1].number if stamped else 0)
        given, unstepped = _each(stepper.step, stamped)
        for one, now, (events, after) in zip(kept, stamped, given, strict=False):
            yield after, first_difference(one, payloads(events, identity, seq, now.wall_ns), seq)
            seq = after.seq
        if unstepped is not None:
            said = f"record {stamped[len(given)].number} cannot be stepped: {unstepped}"
            raise RecordDamaged(said) from unstepped
        failed = sealed or unread
        if failed is not None:
            raise failed
        if len(kept) < TOGETHER:
            return
        table = stepper.table


class _Stepper:
    """Steps one input after the other, from a table on, and keeps the tables that are wanted and the ``last``."""

    def __init__(self, table: Table | None, wanted: Container[int], last: int) -> None:
        self.table = table
        self._wanted = wanted
        self._last = last

    def step(self, stamped: StampedInput) -> tuple[tuple[Event, ...], SteppedRecord]:
        """The events of an input, and what else there is to know of its record."""
        assert self.table is not None
        stepped = step(self.table, stamped)
        self.table, state = stepped.table, stepped.table.state
        is_kept = state.number in self._wanted or state.number == self._last
        return stepped.events, SteppedRecord(state.number, state.seq, state.rounds, self.table if is_kept else None)


def _each(work: Callable[[Before], After], values: Iterable[Before]) -> tuple[list[After], Exception | None]:
    """What becomes of each value, up to the first that fails, and that failure: what came before it counts first."""
    made: list[After] = []
    try:
        for value in values:
            made.append(work(value))
    except Exception as failed:  # noqa: BLE001 - raised again when its turn comes
        return made, failed
    return made, None


def first_difference(kept: StoredRecord, given: tuple[bytes, ...], seq: int) -> ReplayDifference | None:
    """Where the events of one record differ from those recorded."""
    if kept.events == given:
        return None
    for place, (was, now) in enumerate(zip(kept.events, given, strict=False), start=1):
        if was != now:
            was_text, now_text = was.decode(errors="replace"), now.decode()
            return ReplayDifference(kept.number, seq + place, f"recorded {was_text}, stepped again {now_text}")
    if len(kept.events) != len(given):
        text = f"recorded {many(len(kept.events), 'event')}, stepped again {len(given)}"
        return ReplayDifference(kept.number, 0, text)
    return None
