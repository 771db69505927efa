"""Where campaigns keep the second copy of a journal, and what must hold of it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from controller.formats.journal.check import CheckReport
from controller.io.copies.restore_from_copy import verify_copy
from controller.io.copies.second_copy import CopyPlace
from controller.io.copies.segment_folder import NoCopy

DEVICES: Final = ("/dev/shm", "/var/tmp", "/run")
"""Folders of which one at least is on another device than a campaign's own."""

FOLDER: Final = "copy"
"""What the copy's folder is called where it lies inside the journal's."""


@contextmanager
def folder_elsewhere(journal_folder: Path) -> Iterator[Path]:
    """A fresh folder on another device than the journal's, removed afterwards."""
    own = journal_folder.stat().st_dev
    device = next(one for one in DEVICES if Path(one).stat().st_dev != own)
    folder = Path(tempfile.mkdtemp(dir=device, prefix="tableside-copy-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def place_inside(journal_folder: Path, retry_seconds: float) -> CopyPlace:
    """A copy inside the journal's folder, taken for a device of its own, that looks soon again at what was refused."""
    folder = journal_folder / FOLDER
    folder.mkdir(exist_ok=True)
    return CopyPlace(folder, lambda path: int(path == folder), retry_seconds=retry_seconds)


def copy_fault(folder: Path, of: CheckReport, key: bytes) -> str:
    """What is wrong with a copy that has had time to catch up with a journal; empty if nothing."""
    try:
        copied = verify_copy(folder, key)
    except (NoCopy, OSError) as error:
        return f"the second copy cannot be read: {error}"
    if copied.damage is not None:
        return f"the second copy is damaged: {copied.damage}"
    if (copied.records, copied.head) != (of.records, of.head):
        return f"the second copy has {copied.records} of {of.records} records"
    return ""
