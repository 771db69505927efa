"""How a journal is held by its one writer."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import Final

from controller.io.journal.errors import JournalFailed, NotAJournal

PROC: Final = Path("/proc")


def misplaced(path: Path) -> str:
    """Why no journal can be kept at ``path``, and what to do; empty: one can, as far as its folder tells."""
    if path.is_dir():
        return f"{path}: expected the path of a file, and this is a folder: name a file in it"
    if not path.parent.is_dir():
        return f"{path}: there is no folder {path.parent}; make it, and let it belong to the user who runs the table"
    return ""


def take_lock(path: Path, *, create: bool) -> int:
    """Lock the journal for the one writer; a descriptor to close when done, last of all descriptors of that file.

    Raises:
        JournalFailed: somebody else has the lock, or the file cannot be opened.
        NotAJournal: there is none and ``create`` is false.
    """
    try:
        lock = os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o600)
    except OSError as error:
        if create and (refused := misplaced(path)):
            raise JournalFailed(refused) from error
        if isinstance(error, FileNotFoundError):
            raise NotAJournal(f"{path}: there is no journal here") from error
        raise JournalFailed(f"{path}: cannot be opened for writing: {error.strerror}") from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        advice = "stop the other tableside that runs this table, or give this one another journal"
        raise JournalFailed(f"{path}: in use by another process; {advice}") from error
    return lock


def is_locked(path: Path, proc: Path = PROC) -> bool:
    """Whether a process has the journal for writing.

    Only the kernel's list is read: a lock, even a brief one, would keep a table from starting, and closing a descriptor
    of the journal would let go of SQLite's own locks.

    Raises:
        OSError: there is no such list here, or no such file.
    """
    inode, devices = str(path.stat().st_ino), _devices(path, proc)
    rows = (line.split() for line in (proc / "locks").read_text(encoding="ascii").splitlines())
    held = (row[5].rpartition(":") for row in rows if len(row) > 5 and row[1:4:2] == ["FLOCK", "WRITE"])
    return any(number == inode and device in devices for device, _, number in held)


def _devices(path: Path, proc: Path) -> set[str]:
    """The device on which a file lies, as the kernel's list of locks may write it.

    That list has the device of the file system as a whole. A file of a Btrfs subvolume says another one of itself, so
    the mount is asked too; where it cannot be, the file's own word counts.
    """
    device = path.stat().st_dev
    found = {f"{os.major(device):02x}:{os.minor(device):02x}"}
    # The folder and not the journal: closing a descriptor of that would let go of SQLite's locks.
    folder = os.open(path.resolve().parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        facts = dict(line.split(":\t", 1) for line in (proc / f"self/fdinfo/{folder}").read_text().splitlines())
        rows = (line.split() for line in (proc / "self/mountinfo").read_text().splitlines())
        mounted = next((row[2] for row in rows if row[0] == facts.get("mnt_id")), "")
    except (OSError, ValueError):
        return found
    finally:
        os.close(folder)
    major, _, minor = mounted.partition(":")
    return found | ({f"{int(major):02x}:{int(minor):02x}"} if minor else set())
