"""The shape of a journal file: tables, the marks in its header, and the digests of rows outside the chain."""

from __future__ import annotations

import hashlib
from typing import Final

APPLICATION_ID: Final = 0x7AB1E51D
"""The header's application id (SQLite file format 1.3.14): what makes a database a journal of ours."""

FORMAT: Final = 3
"""The header's user version: the version of this shape. 3 added ``seals`` and the compact range at each checkpoint."""

PAGE_BYTES: Final = 4096
"""Page size of a journal."""


TABLES: Final[dict[str, str]] = {
    "records": "CREATE TABLE records (number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL) STRICT",
    "events": "CREATE TABLE events (seq INTEGER PRIMARY KEY, number INTEGER NOT NULL, body BLOB NOT NULL) STRICT",
    "checkpoints": (
        "CREATE TABLE checkpoints (number INTEGER PRIMARY KEY, body BLOB NOT NULL, compact_range BLOB NOT NULL,"
        " digest BLOB NOT NULL) STRICT"
    ),
    "seals": (
        "CREATE TABLE seals (number INTEGER PRIMARY KEY, root BLOB NOT NULL, mac BLOB NOT NULL,"
        " signature BLOB NOT NULL, digest BLOB NOT NULL) STRICT"
    ),
    "published": (
        "CREATE TABLE published "
        "(id INTEGER PRIMARY KEY, seq INTEGER NOT NULL, hash BLOB NOT NULL, digest BLOB NOT NULL) STRICT"
    ),
    "acks": (
        "CREATE TABLE acks "
        "(id INTEGER PRIMARY KEY, consumer TEXT NOT NULL, seq INTEGER NOT NULL, digest BLOB NOT NULL) STRICT"
    ),
    "meta": (
        "CREATE TABLE meta "
        "(id INTEGER PRIMARY KEY, key TEXT NOT NULL, value TEXT NOT NULL, digest BLOB NOT NULL) STRICT"
    ),
}
"""Each table's definition; nothing in them is ever changed or deleted."""

GAPLESS: Final[dict[str, str]] = {
    "records": "number",
    "events": "seq",
    "published": "id",
    "acks": "id",
    "meta": "id",
}
"""Tables whose key counts from 1 without a gap, and that key."""


REFUSAL: Final = "RAISE(ABORT, 'append-only')"
"""What an attempt to change a row runs into. By it a journal is known whose mark is damaged."""


def _triggers() -> dict[str, str]:
    made: dict[str, str] = {}
    for table in TABLES:
        for deed in ("UPDATE", "DELETE"):
            name = f"{table}_{deed.lower()}"
            refusal = f"SELECT {REFUSAL}"
            made[name] = f"CREATE TRIGGER {name} BEFORE {deed} ON {table} BEGIN {refusal}; END"
    for table, key in GAPLESS.items():
        name = f"{table}_follow"
        last = f"SELECT coalesce(max({key}), 0) + 1 FROM {table}"  # noqa: S608 - our own names
        refusal = f"SELECT RAISE(ABORT, 'a gap in {table}')"
        made[name] = f"CREATE TRIGGER {name} BEFORE INSERT ON {table} WHEN NEW.{key} <> ({last}) BEGIN {refusal}; END"
    return made


TRIGGERS: Final[dict[str, str]] = _triggers()
"""What makes the tables append-only for every program that opens the file."""

DEFINITIONS: Final[dict[str, str]] = {**TABLES, **TRIGGERS}
"""Every object of the file by name, in the order of creation.

Together they fit on the file's first page: what SQLite moves to other pages leaves bytes behind that are in no row,
where a changed one would not be found.
"""


def checkpoint_digest(number: int, body: bytes, compact_range: bytes) -> bytes:
    """The digest stored beside a checkpoint, so that damage shows without the key."""
    return hashlib.sha256(f"checkpoint {number} {len(body)} ".encode() + body + compact_range).digest()


def published_digest(row: int, seq: int, stream_hash: bytes) -> bytes:
    """The digest stored beside a mark of what was published."""
    return hashlib.sha256(f"published {row} {seq} ".encode() + stream_hash).digest()


def ack_digest(row: int, consumer: str, seq: int) -> bytes:
    """The digest stored beside what a consumer has said it holds."""
    return hashlib.sha256(f"ack {row} {consumer} {seq}".encode()).digest()


def meta_digest(row: int, key: str, value: str) -> bytes:
    """The digest stored beside a fact about the journal."""
    return hashlib.sha256(f"meta {row} {key} {value}".encode()).digest()
