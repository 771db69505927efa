"""Checks a journal file from outside, the way an inspector would."""

from __future__ import annotations

import contextlib
import itertools
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from controller.formats.journal.check import CheckReport, Contents, SqlRow, examine
from controller.formats.journal.file_header import HEADER_BYTES, header_damage, library_of
from controller.formats.journal.records import Identity, RecordDamaged, key_mark, open_checkpoint
from controller.formats.journal.schema import PAGE_BYTES
from controller.formats.journal.seals import Seal, Sealing
from controller.formats.journal.wal import HEADER_DAMAGED, first_page, wal_damage
from controller.formats.orders.epoch_authorization import ruling_fault
from controller.formats.orders.operators import ChannelUser
from controller.formats.orders.signed_orders import order_in
from controller.io.files.plain_files import FileRefused, content
from controller.io.journal.commit_marker import HeadFileDamaged, read_head_file
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, JournalUnreadable, cannot_read
from controller.io.journal.reader import JournalReader, open_for_reading

WORK_SECONDS: Final = 0.01
"""A gentle check works so long at a stretch."""

LOG_LIMIT_BYTES: Final = 1024**3
"""Of a write-ahead log: a table's has some megabytes."""

PAUSES: Final = 4
"""How many times as long it pauses then."""

ROWS_AT_ONCE: Final = 50
"""Read between two looks at the clock."""


BEGINNING: Final = "the order that began this epoch"
"""What is not as two operators signed it."""


def verify(
    path: Path,
    key: bytes | None = None,
    *,
    gently: bool = False,
    reading: Callable[[int, int], None] = lambda _read, _records: None,
) -> CheckReport:
    """Check every row of the journal at ``path``; may be run while a daemon writes it. ``gently``: with pauses.

    ``reading`` receives again and again how many records have been read, of how many.

    SQLite looks at every page and how they hang together, the chain at every byte that is in a row. What a flipped bit
    changes in neither is of no effect. With the table's ``key`` also that every transaction was sealed with it.

    Holds the write-ahead log and a few rows in memory, however large the journal is.

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
            log = _log(path)
            (pages,) = connection.execute("PRAGMA page_count").fetchone()
            header = _header(path, log)
            complaint = header_damage(header) or _sqlite_complaint(connection)
            report = CheckReport(complaint) if complaint else examine(_contents(connection, header, gently, reading))
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


def _contents(
    connection: sqlite3.Connection,
    header: bytes,
    gently: bool,  # noqa: FBT001 - as ``verify`` was asked
    reading: Callable[[int, int], None],
) -> Contents:
    """A journal as the library reads it; ``gently``: with pauses."""
    worked_since = time.monotonic()

    def pause() -> None:
        nonlocal worked_since
        worked = time.monotonic() - worked_since
        if worked > WORK_SECONDS:
            time.sleep(PAUSES * worked)
            worked_since = time.monotonic()

    def last_record() -> int:
        (found,) = connection.execute("SELECT ifnull(max(number), 0) FROM records").fetchone()
        return int(found)

    def batches(table: str) -> Iterator[list[SqlRow]]:
        last = last_record() if table == "records" else 0
        cursor = connection.execute(f"SELECT * FROM {table} ORDER BY 1")  # noqa: S608 - our own names
        while found := cursor.fetchmany(ROWS_AT_ONCE):
            yield found
            if last:
                reading(found[-1][0], last)
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
