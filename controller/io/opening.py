"""Opens the journal a table runs on: looked through, with the right key, at a time that can be; and what watches it."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Coroutine, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import structlog

from controller.formats.payloads import utc_text
from controller.formats.records import Identity, key_mark
from controller.io.clock import Clock
from controller.io.clock_watch import is_set
from controller.io.disk_watch import DiskWatch, Tell
from controller.io.journal import Journal, JournalFailed
from controller.io.reserve import Reserve
from controller.io.scrub import Scrub, before_start
from controller.io.software import own_digest
from controller.io.table_file import TableFile

log = structlog.get_logger(__name__)


class Opened(NamedTuple):
    """A table's journal; ``is_read``: every byte of it has been looked at."""

    journal: Journal
    is_read: bool
    reserve: Reserve

    def watches(self, tell: Tell) -> list[tuple[str, Callable[[], Coroutine[Any, Any, None]]]]:
        """What looks after it while the table runs; ``tell`` is told how fit the disk leaves the table."""
        path = self.journal.path
        disk, scrub = DiskWatch(path, self.reserve, tell, os.statvfs), Scrub(path, is_due=not self.is_read)
        return [("disk", disk.run), ("scrub", scrub.run)]


def marks_of(table_file: Path, table: TableFile) -> dict[str, str]:
    """What tells the key, the configuration and the program from any other, for the journal to remember.

    Raises:
        OSError: one of the files cannot be read.
    """
    files = [table_file.read_bytes(), Path(table.config.table.chips).read_bytes(), table.profile.hash.encode()]
    digest = hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in files)).hexdigest()
    return {"key": key_mark(table.key), "configuration": digest, "software": own_digest()}


async def opened(
    path: Path, identity: Identity, marks: Mapping[str, str], clock: Clock, reserve_bytes: int = 0
) -> Opened:
    """The table's journal, looked through and opened; begun if there is none.

    Raises:
        JournalFailed, JournalDamaged, NotAJournal: it cannot be used, or not with this key.
    """
    is_read = await asyncio.to_thread(before_start, path)
    now_ns = clock.wall_ns()
    if not is_set(now_ns) and not await asyncio.to_thread(path.exists):
        said = f"wall time is {utc_text(now_ns)}, and a new journal is named after it"
        raise JournalFailed(f"{path}: {said}: set the clock, then start again")
    # A disk that filled while nobody looked leaves no room to open anything.
    reserve = Reserve(path, reserve_bytes)
    await asyncio.to_thread(reserve.keep_clear)
    journal = await Journal.open(path, identity, created_wall_ns=now_ns, reserve=reserve)
    known = dict(journal.meta)
    if known.get("key", marks["key"]) != marks["key"]:
        await journal.close()
        raise JournalFailed(f"{path}: sealed with another key than the table file names; put the right key back")
    if known.get("configuration", marks["configuration"]) != marks["configuration"]:
        log.warning("configuration changed since the last start", journal=str(path), was=known["configuration"])
    if known.get("software", marks["software"]) != marks["software"]:
        log.warning("software changed since the last start", journal=str(path), was=known["software"])
    for key, value in marks.items():
        await journal.note(key, value)
    return Opened(journal, is_read, reserve)
