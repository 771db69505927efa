"""Builds a journal anew of its second copy: row for row what was committed."""

from __future__ import annotations

import contextlib
import sqlite3
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from controller.formats.journal.check import CheckReport
from controller.formats.journal.schema import TABLES
from controller.formats.journal.seals import Seal, Sealing
from controller.formats.journal.segments import SegmentDamaged
from controller.formats.mqtt.envelope import TYPE_PREFIX, TYPE_SUFFIX
from controller.formats.orders.epoch_authorization import ruling_fault
from controller.formats.orders.operators import ChannelUser
from controller.io.copies.segment_folder import Survey, batches, survey
from controller.io.journal.errors import SQLITE_ERRORS
from controller.io.journal.reader import unsealed
from controller.io.journal.setup import add_meta, define, library_version
from controller.io.journal.verification import BEGINNING, PAUSES, orders_in, unopened, unsigned

INSERT: Final = {
    table: f"INSERT INTO {table} VALUES ({', '.join('?' * (text.count(',') + 1))})"  # noqa: S608 - our own names
    for table, text in TABLES.items()
}


def rebuild(folder: Path, target: Path) -> None:
    """Write the journal that ``folder`` is the second copy of to ``target``, which must not be there.

    Raises:
        NoCopy: there is no copy here.
        SegmentDamaged: it is damaged, the text says up to where it is whole; or it changed while it was read.
        OSError: it cannot be read, or the disk refused.
    """
    found = survey(folder)
    if found.holes:
        raise SegmentDamaged(f"{found.damage}; the copy is whole to record {found.whole.rows.records} only")
    try:
        with contextlib.closing(sqlite3.connect(target, isolation_level=None)) as connection:
            define(connection)
            for batch in batches(found):
                for row in batch.rows:
                    connection.execute(INSERT[row.table], row.values)
            # Another library than any that wrote the journal would be taken for damage.
            add_meta(connection, "sqlite", library_version())
            (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
            add_meta(connection, "schema_version", str(cookie))
            connection.execute("COMMIT")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except SQLITE_ERRORS as error:
        raise OSError(f"the journal cannot be built: {error}") from error


def foreign_in(found: Survey, key: bytes) -> str | None:
    """Which records of a whole copy were not written with the table's key; None if all were.

    Raises:
        SegmentDamaged, OSError: it cannot be read.
    """
    sealing, hashed, sealed = Sealing(key, found.identity), b"", 0
    for batch in batches(found):
        for row in batch.rows:
            if row.table == "records":
                hashed = row.values[2]
            elif row.table == "seals":
                if not sealing.is_ours(Seal(*row.values), hashed):
                    return unsealed(sealed + 1, found.reached.rows.records)
                sealed = row.values[0]
    records = found.reached.rows.records
    return None if sealed == records else unsealed(sealed + 1, records)


def exchanged_in(found: Survey, key: bytes) -> str | None:
    """The first signature or checkpoint beside the table's records that its key did not make; None if it made all.

    Raises:
        SegmentDamaged, OSError: it cannot be read.
    """
    sealing, hashed = Sealing(key, found.identity), b""
    for batch in batches(found):
        for row in batch.rows:
            wrong = ""
            if row.table == "records":
                hashed = row.values[2]
            elif row.table == "checkpoints":
                wrong = unopened(row.values[0], row.values[1], key, hashed)
            elif row.table == "seals":
                wrong = unsigned(Seal(*row.values), sealing)
            if wrong:
                return wrong
    return None


def orders_of_copy(folder: Path, signers: Mapping[str, ChannelUser] | None = None) -> tuple[int, str | None]:
    """How many orders of a whole copy are signed, and the first that is not as it was signed; None: all are.

    Raises:
        NoCopy, SegmentDamaged, OSError: there is none here, or it cannot be read.
    """
    found = survey(folder)
    facts = {row.values[1]: row.values[2] for batch in batches(found) for row in batch.rows if row.table == "meta"}
    if fault := ruling_fault(facts, found.identity, signers):
        return 0, f"{BEGINNING}: {fault}"
    bodies = (row.values[1] for batch in batches(found) for row in batch.rows if row.table == "records")
    return orders_in(bodies, found.identity, signers)


def events_of_copy(folder: Path, kinds: Collection[str]) -> Iterator[bytes]:
    """The events of these kinds in a whole copy, in order.

    Raises:
        NoCopy, SegmentDamaged, OSError: there is none here, or it cannot be read.
    """
    wanted = tuple(f'"type":"{TYPE_PREFIX}{kind}{TYPE_SUFFIX}"'.encode() for kind in kinds)
    for batch in batches(survey(folder)):
        for row in batch.rows:
            if row.table == "events" and any(kind in row.values[2] for kind in wanted):
                yield row.values[2]


def verify_copy(folder: Path, key: bytes | None = None, *, gently: bool = False) -> CheckReport:
    """Check every byte of a second copy; its head is the journal's. ``gently``: with pauses, a segment at a time.

    With the table's ``key`` also that every transaction was sealed with it.

    Raises:
        NoCopy: there is none here.
        OSError: it cannot be read.
    """
    worked_since = time.monotonic()

    def pause() -> None:
        nonlocal worked_since
        time.sleep(PAUSES * (time.monotonic() - worked_since))
        worked_since = time.monotonic()

    found = survey(folder, between=pause if gently else lambda: None)
    rows, hashed = found.whole
    if found.holes:
        return CheckReport(damage=f"{found.damage}; whole to record {rows.records}")
    foreign = None if key is None else foreign_in(found, key)
    if foreign is not None:
        return CheckReport(foreign, is_otherwise_sealed=foreign == unsealed(1, rows.records))
    if key is not None and (exchanged := exchanged_in(found, key)) is not None:
        return CheckReport(exchanged)
    return CheckReport(None, found.identity, rows.records, rows.events, hashed.hex())
