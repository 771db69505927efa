"""What a journal says about the table: the table to go on with after a stop, and the proof by stepping it all again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from controller.core.messages.events import InternalError, TableStarted
from controller.core.table.state import State, Table, restore
from controller.formats.journal.layout import layout_of
from controller.formats.journal.records import open_checkpoint, unseal
from controller.formats.mqtt.envelope import own_event
from controller.formats.replay import (
    Difference,
    Kept,
    OtherLayout,
    again,
    house_of,
    opened_by,
    read_state,
    state_bytes,
)
from controller.io.journal.journal import EventRow, JournalReader, RecordRow


class Recovered(NamedTuple):
    """The table after the last record (None: an empty journal), and why it must not go on by itself (empty: it may)."""

    table: Table | None
    hold: str
    last_wall_ns: int = 0
    """The wall time of the last record, 0 if there is none."""


def recover(path: Path, key: bytes) -> Recovered:
    """The table to go on with: the last checkpoint that this version wrote, and every record after it stepped again.

    Raises:
        JournalDamaged, NotAJournal, RecordDamaged: the journal cannot be used.
    """
    # It takes a while the first time, which no round should wait for.
    layout_of(State)
    with JournalReader(path) as reader:
        table = at_checkpoint(reader, key)
        number, seq = (0, 0) if table is None else (table.state.number, table.state.seq)
        failed = next((row.number for row in failures(reader, seq)), None)
        last_wall_ns = _last_wall_ns(reader)
        if failed is not None:
            said = f"record {failed} could not be stepped; see its event internal_error"
            return Recovered(table, said, last_wall_ns)
        hold = ""
        # A row at a time: where no checkpoint can be read this is the whole epoch.
        rows = kept(reader.records(number + 1), reader.events(seq + 1))
        for after, difference in again(table, rows, reader.identity, key, {}):
            table = after
            if difference is not None and not hold:
                hold = f"record {difference.number} stepped again gives something else: {difference.text}"
        return Recovered(table, hold, last_wall_ns)


def _last_wall_ns(reader: JournalReader) -> int:
    """The wall time of the last record, behind the last checkpoint or not; 0 if there is none."""
    last = next(iter(reader.records(reader.head().number)), None)
    return 0 if last is None else unseal(last.body, None, {}, reader.identity).wall_ns


def at_checkpoint(reader: JournalReader, key: bytes) -> Table | None:
    """The table of the last checkpoint in this version's layout, under the house in force; None: there is none."""
    for number, body in reader.checkpoints_back():
        try:
            state = read_state(open_checkpoint(body, key, number, reader.hash_of(number)))
        except OtherLayout:
            continue
        start = next(iter(reader.records(state.started)))
        return restore(house_of(unseal(start.body, key, {}, reader.identity)), state)
    return None


def failures(reader: JournalReader, after: int) -> Iterator[EventRow]:
    """The events behind seq ``after`` that say that our own code failed."""
    rows = reader.events_with(b'"tableside.internal_error.v1"', after)
    return (row for row in rows if isinstance(own_event(row.body).event, InternalError))


def kept(records: Iterable[RecordRow], events: Iterable[EventRow]) -> Iterator[Kept]:
    """Records with their events; both in order."""
    waiting = iter(events)
    event = next(waiting, None)
    for record in records:
        own: list[bytes] = []
        while event is not None and event.number == record.number:
            own.append(event.body)
            event = next(waiting, None)
        yield Kept(record.number, record.body, tuple(own))


def _checkpoint_difference(
    reader: JournalReader, checkpoint: tuple[int, bytes], table: Table, key: bytes | None
) -> Difference | None:
    """Where a checkpoint is not the table as stepped. Without the key only its digest is looked at, as it is read."""
    number, sealed = checkpoint
    if key is None:
        return None
    written = open_checkpoint(sealed, key, number, reader.hash_of(number))
    try:
        read_state(written)
    except OtherLayout:
        # Of another version: what it holds cannot be compared, only what this one steps.
        return None
    if written == state_bytes(table.state):
        return None
    return Difference(number, 0, "the checkpoint after it is not the table as stepped again")


class Replayed(NamedTuple):
    """What replaying found."""

    records: int
    events: int
    rounds: int
    difference: Difference | None
    versions: tuple[str, ...] = ()
    """The versions of the program that wrote the journal, in the order of their starts."""


def replay(path: Path, key: bytes | None, stepped: Callable[[int, int], None] | None = None) -> Replayed:
    """Step a whole journal again, up to the first difference.

    Without ``key`` the faces come from the openings the journal itself published. ``stepped`` is told how many of its
    records are done.

    Raises:
        JournalDamaged, NotAJournal, RecordDamaged: the journal cannot be read.
    """
    with JournalReader(path) as reader:
        known = {} if key is not None else opened_by(event.body for event in reader.events())
        steps = again(None, kept(reader.records(), reader.events()), reader.identity, key, known)
        count, table = 0, None
        checkpoints = reader.checkpoints()
        checkpoint = next(checkpoints, None)
        records = reader.head().number
        for table, difference in steps:
            count += 1
            if stepped is not None:
                stepped(count, records)
            if checkpoint is not None and checkpoint[0] == table.state.number:
                difference = difference or _checkpoint_difference(reader, checkpoint, table, key)  # noqa: PLW2901
                checkpoint = next(checkpoints, None)
            if difference is not None:
                return Replayed(count, table.state.seq, table.state.rounds, difference, versions_of(reader))
        # A reading may be altered without altering what it gave: the chain tells that too.
        reader.check_chain(0)
        if table is None:
            return Replayed(0, 0, 0, None)
        return Replayed(count, table.state.seq, table.state.rounds, None, versions_of(reader))


def versions_of(reader: JournalReader) -> tuple[str, ...]:
    """The versions of the program that wrote a journal, each once, in the order of their starts."""
    starts = (own_event(row.body).event for row in reader.events_with(b'"tableside.table_started.v1"'))
    return tuple(dict.fromkeys(start.version for start in starts if isinstance(start, TableStarted)))
