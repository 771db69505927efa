"""Checks a journal file from outside, the way an inspector would.

A long one is checked by several processes, each of which checks the records between two of its checkpoints. There the
compact range of the tree is kept, and the hash of the stream is marked where events were published, so that a check may
begin. Each process says only whether its records are whole and come to the state with which the next begins. What is
wrong, and where, a check from the first record on says.
"""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor
from functools import partial
from pathlib import Path
from typing import Final

from controller.formats.journal.check import ChainState, CheckReport, Contents, SqlRow, examine, reaches
from controller.formats.journal.file_header import HEADER_BYTES, header_damage, library_of
from controller.formats.journal.merkle_tree import CompactRange
from controller.formats.journal.records import Identity, RecordDamaged, key_mark, open_checkpoint
from controller.formats.journal.schema import PAGE_BYTES
from controller.formats.journal.seals import Seal, Sealing
from controller.formats.journal.wal import HEADER_DAMAGED, first_page, wal_damage
from controller.formats.orders.epoch_authorization import ruling_fault
from controller.formats.orders.operators import ChannelUser
from controller.formats.orders.signed_orders import order_in
from controller.io.files.plain_files import FileRefused, content
from controller.io.journal.commit_marker import HeadFileDamaged, read_head_file
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, JournalUnreadable, NotAJournal, cannot_read
from controller.io.journal.reader import JournalReader, open_for_reading
from controller.io.system.processes import processes

WORK_SECONDS: Final = 0.01
"""A gentle check works so long at a stretch."""

LOG_LIMIT_BYTES: Final = 1024**3
"""Of a write-ahead log: a table's has some megabytes."""

PAUSES: Final = 4
"""How many times as long it pauses then."""

ROWS_AT_ONCE: Final = 50
"""Read between two looks at the clock."""


ALONE_RECORDS: Final = 200_000
"""A journal of no more is checked by one process: in a second, and others take half of one to begin."""

KEYS: Final = {"records": "number", "events": "seq", "published": "id", "seals": "number", "checkpoints": "number"}
"""The key of each table that is read from some row on."""

LEAST_KEY: Final = -(2**63)
"""No row of SQLite has a lesser one."""

ReadContents = Callable[[sqlite3.Connection, ChainState | None, int | None], Contents]
"""A journal as it is read behind a state, None for the beginning, to a record, None for the last."""


LAST_KEY: Final = 2**63 - 1
"""No row of SQLite has a larger one."""

BEGINNING: Final = "the order that began this epoch"
"""What is not as two operators signed it."""


def verify(
    path: Path,
    key: bytes | None = None,
    *,
    gently: bool = False,
    reading: Callable[[int, int], None] = lambda _read, _records: None,
    jobs: int = 1,
    alone: int = ALONE_RECORDS,
    workers: Callable[[int], Executor] = processes,
) -> CheckReport:
    """Check every row of the journal at ``path``; may be run while a daemon writes it. ``gently``: with pauses.

    ``reading`` receives again and again how many records have been read, of how many. A journal of more than ``alone``
    records is checked by so many processes as ``jobs`` says, ``workers`` and this one, which reads the last part.

    SQLite looks at every page and how they hang together, the chain at every byte that is in a row; a flipped bit that
    neither sees is of no effect. With the table's ``key`` also that every transaction was sealed with it. Holds the
    write-ahead log and a few rows in memory, however large the journal is.

    Raises:
        NotAJournal: there is none here, the file is something else, or it cannot be looked at now.
        OSError: it cannot be read.
    """
    # Read before the journal is: a daemon at work moves both on, the head file last.
    try:
        noted = read_head_file(path)
    except HeadFileDamaged as damage:
        return CheckReport(damage=str(damage))
    try:
        with contextlib.closing(open_for_reading(path)) as connection:
            # One transaction, so that the check of SQLite and ours see the same journal. While it lasts no page of the
            # file is overwritten but with what the log has for it, and the log does not begin anew.
            connection.execute("BEGIN")
            connection.execute("SELECT count(*) FROM meta").fetchone()
            log, jobs = _log(path), 1 if gently or _last_record(connection) <= alone else jobs
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            header = _header(path, log)
            complaint = header_damage(header) or _sqlite_complaint(connection)
            whole, parts = partial(_contents, connection, header, reading, gently=gently), states(connection, jobs)
            report = CheckReport(complaint) if complaint else _examined(path, whole, header, parts, workers)
            complaint = report.damage or _file_complaint(path, log, pages)
    except JournalDamaged as damage:
        return CheckReport(damage=str(damage).removeprefix(f"{path}: "))
    except SQLITE_ERRORS as error:
        if isinstance(cannot_read(path, error), JournalUnreadable):
            raise cannot_read(path, error) from error
        return CheckReport(damage=f"cannot be read: {error}")
    except OverflowError as error:
        return CheckReport(damage=f"cannot be read: {error}")
    if complaint in {None, HEADER_DAMAGED} and noted is not None:
        # A power cut in the first write to a log that begins anew tears its header: nothing of it had been committed.
        with JournalReader(path) as reader:
            complaint = reader.lost_since(noted)
    if complaint is None and key is not None and report.identity is not None:
        sealing = Sealing(key, report.identity)
        complaint = _foreign(path, sealing, key)
        if complaint is not None:
            with JournalReader(path) as reader:
                return CheckReport(complaint, is_otherwise_sealed=not reader.is_begun_with(sealing))
    return report if complaint is None else CheckReport(damage=complaint)


def orders(path: Path, signers: Mapping[str, ChannelUser] | None = None) -> tuple[int, str | None]:
    """How many orders of a whole journal are signed, and the first that is not as it was signed; None: all are.

    ``signers``: also whether each key is that of the person named, and may order that.
    """
    with JournalReader(path) as reader:
        if fault := ruling_fault(reader.meta, reader.identity, signers):
            return 0, f"{BEGINNING}: {fault}"
        return orders_in((row.body for row in reader.records(1)), reader.identity, signers)


def orders_in(
    bodies: Iterable[bytes], identity: Identity, signers: Mapping[str, ChannelUser] | None = None
) -> tuple[int, str | None]:
    """The same of the bodies of records, in order."""
    used = set[tuple[str, int]]()
    for body in bodies:
        found = order_in(body, identity, signers)
        if found is None:
            continue
        if not found.wrong and (found.key, found.number) in used:
            found = found._replace(wrong="it was carried out before")
        if found.wrong:
            return len(used), f"record {found.record}: signed order: {found.wrong}"
        used.add((found.key, found.number))
    return len(used), None


def _foreign(path: Path, sealing: Sealing, key: bytes) -> str | None:
    """What was not written with the table's key, records first; None if all was."""
    try:
        with JournalReader(path) as reader:
            reader.check_seals(sealing, every=True)
            return _exchanged_beside(reader, sealing, key)
    except JournalDamaged as damage:
        return str(damage).removeprefix(f"{path}: ")


def _exchanged_beside(reader: JournalReader, sealing: Sealing, key: bytes) -> str | None:
    """What lies beside records that are the table's, and is not: a mark, a signature, a checkpoint; None if nothing.

    Everybody can make their digests anew, and no seal covers them. Without the mark and the last checkpoint the table
    does not start, without the last signature nothing of it can be proven to others.

    Raises:
        JournalDamaged: it cannot be read.
    """
    if (mark := reader.meta.get("key", key_mark(key))) != key_mark(key):
        return f"meta: key {mark[:80]!r} is not the mark of the key that sealed every transaction"
    signatures = (unsigned(seal, sealing) for seal in reader.seals())
    checkpoints = (unopened(number, sealed, key, reader.hash_of(number)) for number, sealed in reader.checkpoints())
    return next((found for found in itertools.chain(signatures, checkpoints) if found), None)


def unsigned(seal: Seal, sealing: Sealing) -> str:
    """What is wrong with the signature of a seal, in one line; empty: nothing is."""
    said = f"seal {seal.number}: its signature was not made with the table's key: its head proves nothing to others"
    return "" if sealing.is_signed(seal) else said


def unopened(number: int, sealed: bytes, key: bytes, chain_hash: bytes) -> str:
    """What is wrong with the checkpoint after record ``number``, in one line; empty: it opens with the table's key."""
    try:
        open_checkpoint(sealed, key, number, chain_hash)
    except RecordDamaged:
        return f"checkpoint {number}: was not sealed with the table's key: no start and no replay gets past it"
    return ""


def _log(path: Path) -> bytes:
    try:
        return content(f"{path}-wal", LOG_LIMIT_BYTES)
    except FileRefused as refused:
        if refused.is_absent:
            return b""
        raise


def _examined(
    path: Path,
    whole: Callable[..., Contents],
    header: bytes,
    parts: list[ChainState],
    workers: Callable[[int], Executor],
) -> CheckReport:
    """What a check of a journal finds, the records before each of the states by a worker."""
    if parts:
        with workers(len(parts)) as pool:
            read = partial(_part, header)
            ends = zip([None, *parts], parts, strict=False)
            others = [pool.submit(is_whole_between, path, read, begun, end) for begun, end in ends]
            report = examine(whole(parts[-1]), parts[-1])
            if report.damage is None and all(other.result() for other in others):
                return report
    return examine(whole())


def _part(header: bytes, connection: sqlite3.Connection, begun: ChainState | None, last: int | None) -> Contents:
    """A part of a journal as another process reads it."""
    return _contents(connection, header, lambda _read, _records: None, begun, last)


def _last_record(connection: sqlite3.Connection) -> int:
    (found,) = connection.execute("SELECT ifnull(max(number), 0) FROM records").fetchone()
    return int(found)


def _contents(
    connection: sqlite3.Connection,
    header: bytes,
    reading: Callable[[int, int], None],
    begun: ChainState | None = None,
    last: int | None = None,
    *,
    gently: bool = False,
) -> Contents:
    """A journal as the library reads it, behind a state to the ``last`` record; ``gently``: with pauses."""
    worked_since = time.monotonic()

    def pause() -> None:
        nonlocal worked_since
        worked = time.monotonic() - worked_since
        if worked > WORK_SECONDS:
            time.sleep(PAUSES * worked)
            worked_since = time.monotonic()

    def batches(table: str) -> Iterator[list[SqlRow]]:
        until = _last_record(connection) if table == "records" else 0
        most = last if last is not None and table == "records" else LAST_KEY
        key = KEYS.get(table, "id")
        query = f"SELECT * FROM {table} WHERE {key} >= ? AND {key} <= ? ORDER BY 1"  # noqa: S608 - our own names
        cursor = connection.execute(query, (first_key(begun, table), most))
        while found := cursor.fetchmany(ROWS_AT_ONCE):
            yield found
            if until:
                reading(found[-1][0], until)
            if gently:
                pause()

    def rows(table: str) -> Iterator[SqlRow]:
        return itertools.chain.from_iterable(batches(table))

    def number(name: str) -> int:
        (found,) = connection.execute(f"PRAGMA {name}").fetchone()
        return int(found)

    definitions = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid").fetchall()
    marks = number("application_id"), number("user_version"), number("schema_version"), library_of(header)
    return Contents(*marks, tuple(definitions), rows)


def states(connection: sqlite3.Connection, wanted: int) -> list[ChainState]:
    """States that part a journal into so many pieces of about one size, or fewer; empty: it is checked in one piece."""
    found: list[ChainState] = []
    try:
        records = _last_record(connection)
        for part in range(1, wanted):
            state = _state_from(connection, records * part // wanted)
            before, published = (found[-1].records, found[-1].events) if found else (0, 0)
            # From a mark of the part before that one the stream would be hashed on through all of it.
            if state is not None and before < state.records < records and state.marked >= published:
                found.append(state)
    except (*SQLITE_ERRORS, LookupError, TypeError, ValueError):
        # Where it cannot be read as a whole journal can, the check from its first record on says why.
        return []
    return found


def first_key(state: ChainState | None, table: str) -> int:
    """The key from which on the rows of a table are read where a check begins with a state."""
    if state is None or table not in KEYS:
        return LEAST_KEY
    return 1 + {"events": state.marked, "published": state.mark}.get(table, state.records)


def is_whole_between(path: Path, read: ReadContents, begun: ChainState | None, end: ChainState) -> bool:
    """Whether the records of a journal between two states are whole; for a process of its own."""
    try:
        with contextlib.closing(open_for_reading(path)) as connection:
            connection.execute("BEGIN")
            return reaches(read(connection, begun, end.records), begun, end)
    except (*SQLITE_ERRORS, JournalDamaged, NotAJournal, OSError, OverflowError):
        return False


def _state_from(connection: sqlite3.Connection, record: int) -> ChainState | None:
    """The state at the first checkpoint from a record on; None: there is none."""
    row = connection.execute(
        "SELECT number, compact_range FROM checkpoints WHERE number >= ? ORDER BY number LIMIT 1", (record,)
    ).fetchone()
    if row is None:
        return None
    number, compact_range = row
    (chain,) = connection.execute("SELECT hash FROM records WHERE number = ?", (number,)).fetchone()
    events = _last(connection, "SELECT number FROM events WHERE seq = ?", "events", number)
    mark = _last(connection, "SELECT seq FROM published WHERE id = ?", "published", events)
    if not mark:
        return None
    marked, stream = connection.execute("SELECT seq, hash FROM published WHERE id = ?", (mark,)).fetchone()
    return ChainState(number, chain, events, mark, marked, stream, CompactRange.read(number, compact_range))


def _last(connection: sqlite3.Connection, query: str, table: str, most: int) -> int:
    """The key of the last row of a table that has no more than so much in its column, as they only grow; 0: none."""
    (above,) = connection.execute(f"SELECT ifnull(max({KEYS[table]}), 0) + 1 FROM {table}").fetchone()  # noqa: S608 - our own names
    below = 0
    while above - below > 1:
        middle = (below + above) // 2
        (found,) = connection.execute(query, (middle,)).fetchone()
        below, above = (middle, above) if found <= most else (below, middle)
    return int(below)


def _header(path: Path, log: bytes) -> bytes:
    """The header that counts. A power cut before a log is folded in for the first time leaves the file's half made."""
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if header_damage(header) is None:
        return header
    page = first_page(log)
    return header if page is None else page[:HEADER_BYTES]


def _sqlite_complaint(connection: sqlite3.Connection) -> str | None:
    (first,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    return None if first == "ok" else "SQLite: " + " ".join(str(first).split())


def _file_complaint(path: Path, log: bytes, pages: int) -> str | None:
    """What only the files show: a tail behind the last page, a write-ahead log cut short by damage."""
    if log:
        # Read twice: a daemon may be appending to it at this moment, damage stays.
        first = wal_damage(log)
        return first if first is None else wal_damage(_log(path))
    size = path.stat().st_size
    if size != pages * PAGE_BYTES:
        return f"bytes {pages * PAGE_BYTES} to {size - 1}: behind the last page of {PAGE_BYTES} bytes"
    return None
