"""What a journal says about the table to go on with after a stop."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from controller.core.messages.events import InternalError
from controller.core.table.state import State, Table, restore
from controller.formats.journal.records import open_checkpoint, unseal
from controller.formats.journal.state_format import format_name
from controller.formats.mqtt.envelope import own_event
from controller.formats.replay import OtherStateFormat, StoredRecord, again, house_of, read_state
from controller.io.journal.reader import EventRow, JournalReader


class Recovery(NamedTuple):
    """The table after the last record (None: an empty journal), and why it must not go on by itself (empty: it may)."""

    table: Table | None
    hold: str
    last_wall_ns: int = 0
    """The wall time of the last record, 0 if there is none."""


def recover(path: Path, key: bytes) -> Recovery:
    """The table to go on with: the last checkpoint that this version wrote, and every record after it stepped again.

    Raises:
        JournalDamaged, NotAJournal, RecordDamaged: the journal cannot be used.
    """
    # It takes a while the first time, which no round should wait for.
    format_name(State)
    with JournalReader(path) as reader:
        table = at_checkpoint(reader, key)
        number, seq = (0, 0) if table is None else (table.state.number, table.state.seq)
        failed = next((row.number for row in failures(reader, seq)), None)
        last_wall_ns = _last_wall_ns(reader)
        if failed is not None:
            said = f"record {failed} could not be stepped; see its event internal_error"
            return Recovery(table, said, last_wall_ns)
        hold = ""
        # A few rows at a time: where no checkpoint can be read this is the whole epoch.
        rows = (StoredRecord(record.number, record.body, events) for record, events in reader.whole_records(number + 1))
        for after, difference in again(table, rows, reader.identity, key, {}):
            table = after.table or table
            if difference is not None and not hold:
                hold = f"record {difference.number} stepped again gives something else: {difference.text}"
        return Recovery(table, hold, last_wall_ns)


def _last_wall_ns(reader: JournalReader) -> int:
    """The wall time of the last record, behind the last checkpoint or not; 0 if there is none."""
    last = next(iter(reader.records(reader.head().number)), None)
    return 0 if last is None else unseal(last.body, None, {}, reader.identity).wall_ns


def at_checkpoint(reader: JournalReader, key: bytes) -> Table | None:
    """The table of the last checkpoint in this version's format, under the house in force; None: there is none."""
    for number, body in reader.checkpoints_back():
        table = table_of(reader, number, body, key)
        if table is not None:
            return table
    return None


def table_of(reader: JournalReader, number: int, sealed: bytes, key: bytes) -> Table | None:
    """The table of the checkpoint after a record, under the house then in force; None: it is in another format."""
    try:
        state = read_state(open_checkpoint(sealed, key, number, reader.hash_of(number)))
    except OtherStateFormat:
        return None
    return under_its_house(reader, state, key)


def under_its_house(reader: JournalReader, state: State, key: bytes | None) -> Table:
    """The table of a state, under the house that was in force when its epoch began.

    ``key``: the table's, with which the record is held against its seal; None: it is not.
    """
    start = next(iter(reader.records(state.started)))
    return restore(house_of(unseal(start.body, key, {}, reader.identity)), state)


def failures(reader: JournalReader, after: int) -> Iterator[EventRow]:
    """The events behind seq ``after`` that say that our own code failed."""
    rows = reader.events_with(b'"tableside.internal_error.v1"', after)
    return (row for row in rows if isinstance(own_event(row.body).event, InternalError))
