"""The head file: beside a journal, how far it had come at the last commit.

A journal that lost its end (a bit flipped in the last transaction of the write-ahead log, the log deleted, an older
copy put in its place) is a whole journal that ends early; nothing in it shows that. The head file does. It is written
after each commit and not synced: after a power cut it may lag behind the journal, and so notice less, but it is never
ahead of it, so that a journal that ends before its head file has lost something. Only its making is synced, with both
slots blank: from then on its length and its blocks stay, and what a power cut undoes leaves slots that can be read.
A file whose length was on the disk and its content not would be taken for a damaged one, and stop a whole journal.
It knows of records only: a last note of what was published, lost in the same way, has the events published again.

Two slots of 128 bytes are written in turn, so that one torn by a power cut leaves the other: a mark, the record's
number, the last event's seq (8 bytes each), the record's chain hash, and SHA-256 over these.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from controller.io.files.plain_files import FileRefused, content
from controller.io.journal.reader import Head

MARK: Final = b"tableside.head.1"
SLOT_BYTES: Final = 128
SIZE_LIMIT_BYTES: Final = 32 * SLOT_BYTES
"""Of a file of two slots, with room for what a later version may append."""

SUFFIX: Final = "-head"


class HeadFileDamaged(Exception):  # noqa: N818 - named for what happened
    """There is a head file and no slot of it can be read."""


class HeadFile:
    """Writes the head file of a journal; used by the journal's writer alone."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._slot = 0

    @classmethod
    def open(cls, journal: Path, blank: Head, sync: Callable[[int], None] = os.fsync) -> Self:
        """The head file beside ``journal``, made if there is none, with ``blank``: the head of an empty journal.

        Raises:
            OSError: it cannot be opened, or the disk refused.
        """
        descriptor = os.open(path_of(journal), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            size = os.fstat(descriptor).st_size
            if size < 2 * SLOT_BYTES:
                slots = 2 * head_bytes(blank)
                kept = size // SLOT_BYTES * SLOT_BYTES
                os.pwrite(descriptor, slots[kept:], kept)
                for synced in (descriptor, os.open(journal.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)):
                    try:
                        sync(synced)
                    finally:
                        if synced != descriptor:
                            os.close(synced)
        except OSError:
            os.close(descriptor)
            raise
        return cls(descriptor)

    def write(self, head: Head) -> None:
        """Note a head that has been committed.

        Raises:
            OSError: the disk refused, or took only a part.
        """
        data = head_bytes(head)
        if os.pwrite(self._descriptor, data, self._slot * SLOT_BYTES) != len(data):
            raise OSError("the head file was written by half")
        self._slot ^= 1

    def close(self) -> None:
        """Let go of the file."""
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


def path_of(journal: Path) -> Path:
    """Where the head file of a journal lies."""
    return Path(f"{journal}{SUFFIX}")


def head_bytes(head: Head) -> bytes:
    """A slot."""
    plain = MARK + head.number.to_bytes(8, "big") + head.seq.to_bytes(8, "big") + head.hash
    return (plain + hashlib.sha256(plain).digest()).ljust(SLOT_BYTES, b"\x00")


def read_head_file(journal: Path) -> Head | None:
    """The furthest head noted beside a journal, None if there is no head file, or one that nothing was written to.

    Raises:
        HeadFileDamaged: there is one and neither slot can be read.
        OSError: it cannot be read.
    """
    try:
        data = content(path_of(journal), SIZE_LIMIT_BYTES)
    except FileRefused as error:
        if error.is_absent:
            return None
        raise
    if not any(data):
        return None
    slots = [_read_slot(data[at : at + SLOT_BYTES]) for at in (0, SLOT_BYTES)]
    found = [slot for slot in slots if slot is not None]
    if not found:
        raise HeadFileDamaged(f"{path_of(journal)}: no slot of the head file can be read")
    return max(found, default=None, key=lambda head: head.number)


def _read_slot(data: bytes) -> Head | None:
    end = len(MARK) + 16 + 32
    plain, digest = data[:end], data[end : end + 32]
    if len(data) != SLOT_BYTES or not plain.startswith(MARK) or hashlib.sha256(plain).digest() != digest:
        return None
    at = len(MARK)
    number, seq = int.from_bytes(plain[at : at + 8], "big"), int.from_bytes(plain[at + 8 : at + 16], "big")
    return Head(number=number, hash=plain[at + 16 : end], seq=seq)
