"""How a journal is opened to be gone on with, and what a commit appends to it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from controller.formats.journal.merkle_tree import CompactRange
from controller.formats.journal.records import Identity, genesis, key_mark
from controller.formats.journal.schema import checkpoint_digest
from controller.formats.journal.seals import Seal, Sealing
from controller.io.journal.commit_marker import HeadFile, HeadFileDamaged, read_head_file
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, JournalFailed
from controller.io.journal.reader import Head, JournalEntry, JournalReader
from controller.io.journal.setup import begin, is_blank, refuse_leftovers
from controller.io.journal.stream import StreamMark, add_mark
from controller.io.journal.writer_jobs import SharedWork


class WritableJournal(NamedTuple):
    """A journal that may be written; ``sealing`` is None without the table's key."""

    identity: Identity
    meta: dict[str, str]
    head: Head
    tree: CompactRange
    head_file: HeadFile
    sealing: Sealing | None


class ChainedEntry(NamedTuple):
    """An entry, its chain hash, and the compact range of the tree behind it if it has a checkpoint."""

    entry: JournalEntry
    hash: bytes
    compact_range: bytes


def not_ours(reader: JournalReader, site: str, table: str, key: bytes | None) -> str:
    """Why a journal is not that of this table with this key, and what to do; empty: it is. None: any key is right."""
    path, found = reader.path, reader.identity
    if (site, table) != (found.site, found.table):
        return f"{path}: this is the journal of {found.site}/{found.table}, not of {site}/{table}"
    if key is not None and reader.meta.get("key", key_mark(key)) != key_mark(key):
        return f"{path}: sealed with another key than the table file names; put the right key back"
    return ""


def prepare(path: Path, identity: Identity | None, key: bytes | None, created_wall_ns: int) -> WritableJournal:
    """Look a journal through from its last checkpoint on; begin it for ``identity`` if there is none.

    Raises:
        JournalFailed, NotAJournal, JournalDamaged: as ``Journal.open``.
    """
    try:
        if identity is not None:
            refuse_leftovers(path)
            if is_blank(path):
                begin(path, identity, created_wall_ns)
        noted = read_head_file(path)
    except HeadFileDamaged as error:
        raise JournalDamaged(str(error)) from error
    except (*SQLITE_ERRORS, OSError) as error:
        raise JournalFailed(f"{path}: cannot be begun: {error}") from error
    with JournalReader(path) as reader:
        found = reader.identity
        wanted = found if identity is None else identity
        if refused := not_ours(reader, wanted.site, wanted.table, key):
            raise JournalFailed(refused)
        checkpoint = reader.last_checkpoint()
        reader.check_chain(0 if checkpoint is None else checkpoint[0])
        reader.check_log(noted)
        sealing = None if key is None else Sealing(key, found)
        if sealing is not None:
            reader.check_seals(sealing)
        head, meta, tree = reader.head(), reader.meta, reader.tree()
    try:
        return WritableJournal(found, meta, head, tree, HeadFile.open(path, Head(0, genesis(found), 0)), sealing)
    except OSError as error:
        raise JournalFailed(f"{path}: its head file cannot be opened: {error.strerror}") from error


class AppendTransaction(NamedTuple):
    """A transaction to append: its entries, where they leave the journal, and what else is due to be remembered."""

    followed: Sequence[ChainedEntry]
    head: Head
    passed: StreamMark | None
    """The last event known to be with the broker, if that is to be marked."""
    seal: SharedWork[Seal]
    """Its seal, which need not be made before the rows are in."""


def insert(appended: AppendTransaction, connection: sqlite3.Connection) -> Head:
    """Append a transaction and seal it; the head of the journal behind it."""
    followed, head, passed, seal = appended
    for entry, own, compact_range in followed:
        connection.execute("INSERT INTO records VALUES (?, ?, ?)", (entry.number, entry.body, own))
        events = [(seq, entry.number, body) for seq, body in entry.events]
        connection.executemany("INSERT INTO events VALUES (?, ?, ?)", events)
        if entry.checkpoint is not None:
            digest = checkpoint_digest(entry.number, entry.checkpoint, compact_range)
            row = (entry.number, entry.checkpoint, compact_range, digest)
            connection.execute("INSERT INTO checkpoints VALUES (?, ?, ?, ?)", row)
    if passed is not None:
        add_mark(connection, passed)
    connection.execute("INSERT INTO seals VALUES (?, ?, ?, ?, ?)", seal.result())
    return head
