"""Copies of a journal: made while a table runs, and put back where a journal was lost."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path
from typing import Final, NamedTuple

from controller.formats.journal.check import CheckReport
from controller.formats.journal.records import key_mark
from controller.formats.journal.seals import Sealing
from controller.formats.journal.segments import SegmentDamaged
from controller.formats.text.error_words import error_words
from controller.io.copies.restore_from_copy import rebuild
from controller.io.copies.segment_folder import NoCopy
from controller.io.copies.tail_salvage import take_tail
from controller.io.files.fsync_dir import damaged_name, sync_directory
from controller.io.journal.anchors import lost_to
from controller.io.journal.commit_marker import HeadFile, HeadFileDamaged, read_head_file
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, JournalFailed
from controller.io.journal.lock import take_lock
from controller.io.journal.reader import Head, JournalReader, open_for_reading
from controller.io.journal.verification import verify

BESIDE: Final = ("-wal", "-shm")
"""What lies beside a journal and is a part of it."""

BEGIN: Final = "move the head file away and begin a new epoch instead: tableside begin-epoch"


class CopyRefused(Exception):  # noqa: N818 - named for what happened
    """The copy cannot be made or put back; the text says why. Nothing was changed."""


class CopyDamaged(CopyRefused):
    """What would be copied or put back is not what was committed."""


def backup(journal: Path, copy: Path) -> CheckReport:
    """Copy a journal by SQLite's online backup, check every row of the copy, and only then give it its name.

    Raises:
        CopyDamaged: the journal is damaged.
        CopyRefused: ``copy`` exists or cannot be written.
        NotAJournal: there is none here.
        JournalDamaged: it cannot be opened.
    """
    if copy.exists():
        raise CopyRefused(f"{copy}: is there already; give another name")
    if not copy.parent.is_dir():
        raise CopyRefused(f"{copy}: there is no folder {copy.parent}")
    part = Path(f"{copy}.part")
    try:
        _drop(part)
        _make(part)
        with (
            contextlib.closing(open_for_reading(journal)) as source,
            contextlib.closing(sqlite3.connect(part, isolation_level=None)) as target,
        ):
            source.backup(target)
        report = _checked(part, copy)
        _name(part, copy)
    except (*SQLITE_ERRORS, OSError) as error:
        raise CopyRefused(f"{copy}: cannot be written: {error_words(error)}") from error
    finally:
        _drop(part)
    return report


class Restoration(NamedTuple):
    """What was put in a lost journal's place; ``taken``: how many of its records only the damaged journal had."""

    report: CheckReport
    taken: int


def restore(copy: Path, journal: Path, key: bytes, held_seq: int = 0, *, is_aside: bool = False) -> Restoration:
    """Put a copy where a journal was lost. ``held_seq`` is the last event anybody else is known to hold.

    ``copy`` is a backup, or the folder of a second copy, of whose rows the journal is built anew. With ``is_aside``
    what lies at ``journal`` gets another name (``aside``) once the copy is known to be fit; records of it that follow
    the copy's last are taken over, as far as they can be read and proven (``tail_salvage``).

    ``key`` is the table's: what was not written with it is not put back.

    A table that goes on with a copy gives the numbers of what the copy lacks to other events. So a copy is refused that
    ends before what the head file of the lost journal, or a consumer, knows.

    Raises:
        CopyDamaged: the copy is not what was committed.
        CopyRefused: something is in the way, or the copy lacks what is known to have been committed.
        NotAJournal: ``copy`` is none.
        JournalDamaged: it cannot be opened.
    """
    left = [f"{journal}{suffix}" for suffix in ("", *BESIDE) if Path(f"{journal}{suffix}").exists()]
    if left and not is_aside:
        raise CopyRefused(f"{left[0]}: is there already; move it away with what lies beside it, or give --aside")
    part = Path(f"{journal}.part")
    lock = _locked(journal)
    try:
        _drop(part)
        _make(part)
        if copy.is_dir():
            rebuild(copy, part)
        else:
            # What is no journal is not copied.
            JournalReader(copy).close()
            shutil.copyfile(copy, part)
        taken = take_tail(part, journal, key) if journal.exists() else 0
        with JournalReader(part) as reader:
            head = reader.head()
            of_both = f"{copy}, with {taken} more records of {journal}" if left else str(copy)
            _refuse_foreign(copy, reader, key)
            _refuse_lacking(of_both, reader, read_head_file(journal), held_seq)
            _refuse_set_back(of_both, reader, Sealing(key, reader.identity), journal)
        report = _checked(part, copy)
        if left:
            aside(journal)
        _name(part, journal)
        file = HeadFile.open(journal, head)
        file.write(head)
        file.close()
    except SegmentDamaged as damage:
        raise CopyDamaged(str(damage)) from damage
    except NoCopy as refused:
        raise CopyRefused(str(refused)) from refused
    except HeadFileDamaged as damage:
        raise CopyRefused(f"{damage}; {BEGIN}") from damage
    except OSError as error:
        raise CopyRefused(f"{journal}: cannot be written: {error_words(error)}") from error
    finally:
        _drop(part)
        if lock is not None:
            os.close(lock)
    return Restoration(report, taken)


def _locked(journal: Path) -> int | None:
    """A lock on a journal that is to be put aside, None if there is none: no table may be running on it."""
    if not journal.exists():
        return None
    try:
        return take_lock(journal, create=False)
    except JournalFailed as error:
        raise CopyRefused(str(error)) from error


def aside(journal: Path) -> Path:
    """Give a journal that cannot be gone on with another name, ``JOURNAL.damaged-1``, with its log; the new name.

    Its head file stays: it says what whatever is put in its place must have.

    Raises:
        OSError: the disk refused.
    """
    name = damaged_name(journal, BESIDE)
    # The journal last: while it is there, nobody takes its place.
    for suffix in (*BESIDE, ""):
        if Path(f"{journal}{suffix}").exists():
            Path(f"{journal}{suffix}").rename(f"{name}{suffix}")
    sync_directory(journal.parent)
    return name


def _refuse_foreign(copy: Path, reader: JournalReader, key: bytes) -> None:
    if reader.meta.get("key", key_mark(key)) != key_mark(key):
        raise CopyRefused(f"{copy}: sealed with another key than --key has; give the key of this journal")
    try:
        reader.check_seals(Sealing(key, reader.identity), every=True)
    except JournalDamaged as damage:
        said = str(damage).removeprefix(f"{reader.path}: ")
        raise CopyDamaged(f"{copy}: {said}") from damage


def _refuse_lacking(copy: str, reader: JournalReader, noted: Head | None, held_seq: int) -> None:
    lost = None if noted is None else reader.lost_since(noted)
    if lost is not None:
        raise CopyRefused(f"{copy}: {lost}; {BEGIN}")
    seq = reader.head().seq
    if held_seq > seq:
        raise CopyRefused(f"{copy}: ends with event {seq}, and a consumer holds event {held_seq}; {BEGIN}")


def _refuse_set_back(copy: str, reader: JournalReader, sealing: Sealing, journal: Path) -> None:
    shown = lost_to(reader, sealing, journal)
    if shown is not None:
        raise CopyRefused(f"{copy}: {shown}; {BEGIN}")


def _checked(part: Path, named: Path) -> CheckReport:
    """Sync what was made, and read every row of it."""
    descriptor = os.open(part, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    report = verify(part)
    if report.damage is not None:
        raise CopyDamaged(f"{named}: the copy is damaged, as the original may be: {report.damage}")
    return report


def _make(part: Path) -> None:
    """Begin a file that only its owner may read and write: a journal has what was dealt to whom."""
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))


def _drop(part: Path) -> None:
    """Remove what was made by half, with what SQLite left beside it: a log of another journal would be taken in."""
    for suffix in ("", *BESIDE):
        Path(f"{part}{suffix}").unlink(missing_ok=True)


def _name(part: Path, target: Path) -> None:
    part.rename(target)
    sync_directory(target.parent)
