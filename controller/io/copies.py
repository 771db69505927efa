"""Copies of a journal: made while a table runs, and put back where a journal was lost."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

from controller.formats.journal_check import Report
from controller.io.head_file import HeadFile, HeadFileDamaged, read_head_file
from controller.io.journal_store import JournalReader, open_for_reading
from controller.io.verification import verify


class CopyRefused(Exception):  # noqa: N818 - named for what happened
    """The copy cannot be made or put back; the text says why. Nothing was changed."""


def backup(journal: Path, copy: Path) -> Report:
    """Copy a journal by SQLite's online backup, check every byte of the copy, and only then give it its name.

    Raises:
        CopyRefused: ``copy`` exists, cannot be written, or the journal is damaged.
        NotAJournal: there is none here.
        JournalDamaged: it cannot be opened.
    """
    part = _part(copy)
    try:
        with (
            contextlib.closing(open_for_reading(journal)) as source,
            contextlib.closing(sqlite3.connect(part, isolation_level=None)) as target,
        ):
            source.backup(target)
        return _finish(part, copy)
    except (sqlite3.Error, OSError) as error:
        raise CopyRefused(f"{copy}: cannot be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)


def restore(copy: Path, journal: Path, held_seq: int = 0) -> Report:
    """Put a copy where a journal was lost. ``held_seq`` is the last event anybody else is known to hold.

    A table that goes on with a copy gives the numbers of what the copy lacks to other events. So a copy is refused that
    ends before what the head file of the lost journal, or a consumer, knows.

    Raises:
        CopyRefused: something is in the way, the copy is damaged, or it lacks what is known to have been committed.
        NotAJournal: ``copy`` is none.
        JournalDamaged: it cannot be opened.
    """
    left = [f"{journal}{suffix}" for suffix in ("", "-wal", "-shm") if Path(f"{journal}{suffix}").exists()]
    if left:
        raise CopyRefused(f"{left[0]}: is there already; move it away, together with what lies beside it")
    begin = "move the head file away and begin a new epoch instead: tableside begin-epoch"
    with JournalReader(copy) as reader:
        head = reader.head()
        try:
            noted = read_head_file(journal)
        except HeadFileDamaged as damage:
            raise CopyRefused(f"{damage}; {begin}") from damage
        lost = None if noted is None else reader.lost_since(noted)
    if lost is not None:
        raise CopyRefused(f"{copy}: {lost}; {begin}")
    if held_seq > head.seq:
        raise CopyRefused(f"{copy}: ends with event {head.seq}, and a consumer holds event {held_seq}; {begin}")
    part = _part(journal)
    try:
        shutil.copyfile(copy, part)
        report = _finish(part, journal)
        file = HeadFile.open(journal, head)
        file.write(head)
        file.close()
    except OSError as error:
        raise CopyRefused(f"{journal}: cannot be written: {error}") from error
    finally:
        part.unlink(missing_ok=True)
    return report


def sync_directory(path: Path) -> None:
    """Make what was renamed or made in a directory last.

    Raises:
        OSError: the disk refused.
    """
    directory = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(directory)
    finally:
        os.close(directory)


def _part(target: Path) -> Path:
    if target.exists():
        raise CopyRefused(f"{target}: is there already; give another name")
    return Path(f"{target}.part")


def _finish(part: Path, target: Path) -> Report:
    descriptor = os.open(part, os.O_RDWR | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    report = verify(part)
    if report.damage is not None:
        raise CopyRefused(f"{target}: the copy is damaged, as the original may be: {report.damage}")
    part.rename(target)
    sync_directory(target.parent)
    return report
