"""The proof of a journal by stepping it again: every reading, and every event and checkpoint compared byte by byte.

A checkpoint holds all that is remembered, so the records between two of them can be stepped by themselves: a process
that has the key steps the segments of a long journal on all processors. Each segment is compared with the checkpoint at
its end, and the next begins with that one, so that together they prove what one pass from the first record proves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Final, NamedTuple

from controller.core.messages.events import TableStarted
from controller.core.table.state import Table
from controller.daemon.kept_states import KeptStates, StatesFolder
from controller.daemon.recovery import table_of
from controller.formats.journal.records import RecordDamaged, open_checkpoint
from controller.formats.mqtt.envelope import own_event
from controller.formats.replay import (
    OtherStateFormat,
    ReplayDifference,
    StoredRecord,
    again,
    opened_by,
    read_state,
    state_bytes,
)
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.reader import ChainCheck, JournalReader
from controller.io.system.processes import processes
from firmware_protocols.values import tag_of

ALONE_RECORDS: Final = 20_000
"""A journal of no more is stepped in one piece: some seconds, and other processes take a while to begin."""

SEGMENTS_EACH: Final = 4
"""Segments for each processor, so that none of them waits long for the last one."""

ProgressListener = Callable[[int, int], None]
"""Called with the number of records that have been stepped, and the number of all records."""


class ReplayResult(NamedTuple):
    """The result of a replay: counts of the whole journal, or up to the first difference."""

    records: int
    events: int
    rounds: int
    difference: ReplayDifference | None
    versions: tuple[str, ...] = ()
    """The versions of the program that wrote the journal, in the order of their starts."""
    resumed: int = 0
    """Records up to this one were stepped by an earlier replay and are as they were then; 0: all were stepped."""
    kept: int = 0
    """States that were kept for the next one."""


class ReplaySegment(NamedTuple):
    """Records that can be stepped by themselves: those behind ``after``, where a checkpoint is, or 0, to ``last``."""

    after: int
    last: int


class ReplaySegmentResult(NamedTuple):
    """The result of stepping a segment: the counts at its end, or at the first difference in it."""

    records: int
    events: int
    rounds: int
    difference: ReplayDifference | None
    damage: str = ""
    """What the chain says of it, where nothing differs."""
    resumed: int = 0
    """As in ``ReplayResult``."""
    kept: int = 0
    """As in ``ReplayResult``."""


def replay(
    path: Path,
    key: bytes | None,
    listener: ProgressListener | None = None,
    *,
    jobs: int = 1,
    alone: int = ALONE_RECORDS,
    workers: Callable[[int], Executor] = processes,
    until: int | None = None,
    states: StatesFolder | None = None,
) -> ReplayResult:
    """Step a whole journal again, or to record ``until``, up to the first difference, with this number of ``workers``.

    Without ``key`` the faces come from the openings the journal itself published, no checkpoint can be read, and one
    does it all; so it is where there are no more than ``alone`` records. ``listener`` is called with how many are done.
    ``states``: a folder in which what is stepped without the key is kept, and from which it is gone on.

    Raises:
        JournalDamaged, NotAJournal, RecordDamaged: the journal cannot be read.
    """
    with JournalReader(path) as reader:
        records = reader.head().number if until is None else until
        segments = [ReplaySegment(0, records)]
        if key is not None and jobs > 1 and records > alone:
            segments = list(segments_of(reader, records, jobs * SEGMENTS_EACH, key))
        if len(segments) == 1:
            count = None if listener is None else lambda done: listener(done, records)
            found = [stepped_again(reader, segments[0], key, count, states)]
        else:
            with workers(min(jobs, len(segments))) as pool:
                found = stepped_apart(path, segments, key, listener, pool)
        last = found[-1]
        if last.difference is None and last.damage:
            # A reading may be altered without altering what it gave: the chain tells that too.
            raise JournalDamaged(last.damage)
        ended = (last.records, last.events, last.rounds, last.difference)
        return ReplayResult(*ended, versions_of(reader), last.resumed, last.kept)


def segments_of(reader: JournalReader, records: int, wanted: int, key: bytes) -> Iterator[ReplaySegment]:
    """A journal in this number of segments of about one size, or in fewer where checkpoints are few."""
    after, least = 0, -(-records // wanted)
    for number in reader.checkpoint_numbers():
        if number - after >= least and number < records and can_begin_at(reader, number, key):
            yield ReplaySegment(after, number)
            after = number
    yield ReplaySegment(after, records)


def can_begin_at(reader: JournalReader, number: int, key: bytes) -> bool:
    """Whether the checkpoint after a record can be read; what is wrong with one is said when it is come to."""
    try:
        _, sealed = next(reader.checkpoints(number))
        read_state(open_checkpoint(sealed, key, number, reader.hash_of(number)))
    except (OtherStateFormat, RecordDamaged, JournalDamaged):
        return False
    return True


def stepped_apart(
    path: Path, segments: list[ReplaySegment], key: bytes | None, listener: ProgressListener | None, pool: Executor
) -> list[ReplaySegmentResult]:
    """What the segments came to, in order, up to the first that differs or is damaged."""
    found: list[ReplaySegmentResult] = []
    damaged: ReplaySegmentResult | None = None
    waiting: list[Future[ReplaySegmentResult]] = [pool.submit(stepped_in, path, one, key) for one in segments]
    try:
        for segment, one in zip(segments, waiting, strict=True):
            found.append(one.result())
            if listener is not None:
                listener(segment.last, segments[-1].last)
            if found[-1].difference is not None:
                return found
            damaged = damaged or (found[-1] if found[-1].damage else None)
    finally:
        for one in waiting:
            one.cancel()
    return [*found, damaged] if damaged is not None else found


def stepped_in(path: Path, segment: ReplaySegment, key: bytes | None) -> ReplaySegmentResult:
    """A segment stepped by a process of its own."""
    with JournalReader(path) as reader:
        return stepped_again(reader, segment, key, None)


def stepped_again(
    reader: JournalReader,
    segment: ReplaySegment,
    key: bytes | None,
    listener: Callable[[int], None] | None,
    states: StatesFolder | None = None,
) -> ReplaySegmentResult:
    """Step the records of a segment, up to the first difference."""
    known = {} if key is not None else opened_by(event.body for event in reader.events())
    kept = KeptStates(states, reader, segment.last, known) if states is not None and key is None else None
    begun = begun_at(reader, segment, key) if kept is None else kept.begun()
    count = segment.after if begun is None else begun.state.number
    resumed = 0 if kept is None else count
    seq, rounds = (0, 0) if begun is None else (begun.state.seq, begun.state.rounds)
    checkpoints = reader.checkpoints(count + 1)
    checkpoint = next(checkpoints, None)
    wanted = set(reader.checkpoint_numbers())
    chained = ChainCheck(reader, count)
    rows = passing(reader, ReplaySegment(count, segment.last), chained, kept)
    for stepped, difference in again(begun, rows, reader.identity, key, known, wanted=wanted):
        count, seq, rounds = count + 1, stepped.seq, stepped.rounds
        if listener is not None:
            listener(count)
        if checkpoint is not None and checkpoint[0] == stepped.number and stepped.table is not None:
            difference = difference or _checkpoint_difference(reader, checkpoint, stepped.table, key)  # noqa: PLW2901
            checkpoint = next(checkpoints, None)
            if kept is not None and difference is None and not chained.damage():
                kept.keep(stepped.table)
        if difference is not None:
            damage = ""
            break
    else:
        difference, damage = None, chained.damage()
    return ReplaySegmentResult(count, seq, rounds, difference, damage, resumed, 0 if kept is None else kept.count)


def begun_at(reader: JournalReader, segment: ReplaySegment, key: bytes | None) -> Table | None:
    """The table before a segment's first record; None at the beginning of the epoch."""
    if not segment.after or key is None:
        return None
    _, sealed = next(reader.checkpoints(segment.after))
    return table_of(reader, segment.after, sealed, key)


def passing(
    reader: JournalReader, segment: ReplaySegment, chained: ChainCheck, kept: KeptStates | None = None
) -> Iterator[StoredRecord]:
    """The records of a segment as they are stepped, their chain hashes held against what they cover."""
    for record, events in reader.whole_records(segment.after + 1, segment.last):
        chained.take(record, events)
        stored = StoredRecord(record.number, record.body, events)
        if kept is not None:
            kept.take(stored)
        yield stored


def _checkpoint_difference(
    reader: JournalReader, checkpoint: tuple[int, bytes], table: Table, key: bytes | None
) -> ReplayDifference | None:
    """Where a checkpoint is not the table as stepped. Without the key only its digest is looked at, as it is read."""
    number, sealed = checkpoint
    if key is None:
        return None
    written = open_checkpoint(sealed, key, number, reader.hash_of(number))
    now = state_bytes(table.state)
    if written == now:
        return None
    try:
        read_state(written)
    except OtherStateFormat:
        # Of another version: what it holds cannot be compared, only what this one steps.
        return None
    return ReplayDifference(number, 0, "the checkpoint after it is not the table as stepped again")


def versions_of(reader: JournalReader) -> tuple[str, ...]:
    """The versions of the program that wrote a journal, each once, in the order of their starts."""
    starts = (own_event(row.body).event for row in reader.events_named([((tag_of(TableStarted),), 1)]))
    return tuple(dict.fromkeys(start.version for start in starts if isinstance(start, TableStarted)))
