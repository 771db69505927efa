"""Opens the journal a table runs on: looked through, with the right key, at a time that can be; and what watches it."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import Callable, Coroutine, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import structlog

from controller.core.messages.inputs import FitnessLevel
from controller.daemon.machine_board import MachineBoard
from controller.formats.journal.records import Identity, key_mark
from controller.formats.mqtt.envelope import utc_text
from controller.io.copies.second_copy import CopyPlace, SecondCopy, advice, compared, refuse_beginning
from controller.io.files.plain_files import content
from controller.io.files.table_file import TableFile
from controller.io.journal.anchors import refuse_set_back
from controller.io.journal.disk_watch import DiskWatch
from controller.io.journal.errors import JournalDamaged, JournalFailed
from controller.io.journal.journal import Journal
from controller.io.journal.scrub import WHOLE, Scrub, before_start
from controller.io.journal.setup import is_blank
from controller.io.journal.space_reserve import SpaceReserve
from controller.io.operators.software import own_digest
from controller.io.system.clock import Clock
from controller.io.system.clock_watch import is_set

log = structlog.get_logger(__name__)


JournalWatch = tuple[str, Callable[[], Coroutine[Any, Any, None]]]
"""The name of something that looks after a journal for as long as its table runs, and the work itself."""


class JournalSafeguards(NamedTuple):
    """What is kept beside a journal: room for a full disk, a second copy."""

    reserve_bytes: int = 0
    second: CopyPlace | None = None


NOTHING_KEPT: Final = JournalSafeguards()


class TableJournal(NamedTuple):
    """A table's journal; ``is_read``: every row of it has been looked at."""

    journal: Journal
    is_read: bool
    reserve: SpaceReserve
    second: SecondCopy | None = None

    def watches(self, tell: Callable[[str, FitnessLevel, str], None], board: MachineBoard) -> list[JournalWatch]:
        """What looks after it while the table runs; ``tell`` receives how fit that leaves the table, by cause.

        ``board`` receives what a technician may see of it.
        """
        path = self.journal.path
        disk = DiskWatch(path, self.reserve, partial(tell, "storage"), os.statvfs, board.disk)
        if self.is_read:
            board.ended(WHOLE)
        # A look that failed is no reason to close a table, but must be reported.
        unable = partial(tell, "scrub", FitnessLevel.FIT)
        scrub = Scrub(path, is_due=not self.is_read, tell=unable, reading=board.reading, ended=board.ended)
        found: list[JournalWatch] = [("disk", disk.run), ("scrub", scrub.run)]
        if self.second is None:
            # A table that had one once has nothing more to say of it.
            tell("second_copy", FitnessLevel.FIT, "")
            return found
        self.second.start()
        watching = partial(self.second.watch, partial(tell, "second_copy"))
        scrubbing = partial(self.second.scrub, partial(tell, "second_copy_scrub", FitnessLevel.FIT))
        return [*found, ("second copy", watching), ("second copy's scrub", scrubbing)]

    async def close(self) -> None:
        """Let the second copy come to the end of the journal, and close it.

        Raises:
            JournalFailed: as ``Journal.close``.
        """
        if self.second is not None:
            await self.second.close()
        await self.journal.close()


def marks_of(table_file: Path, table: TableFile, software: str | None = None) -> dict[str, str]:
    """What tells the key, the configuration and the program from any other, for the journal to remember.

    ``software`` is the program's digest, where it has been measured already.

    Raises:
        OSError: one of the files cannot be read.
    """
    files = [content(table_file), content(table.config.table.chips), table.profile.hash.encode()]
    digest = hashlib.sha256(b"".join(hashlib.sha256(one).digest() for one in files)).hexdigest()
    return {"key": key_mark(table.key), "configuration": digest, "software": software or own_digest()}


async def opened(
    path: Path,
    identity: Identity,
    key: bytes,
    marks: Mapping[str, str],
    clock: Clock,
    *,
    keeping: JournalSafeguards = NOTHING_KEPT,
) -> TableJournal:
    """The table's journal, looked through, held against its second copy and opened; begun if there is none.

    Raises:
        JournalFailed, JournalDamaged, NotAJournal: it cannot be used, or not with this key.
    """
    second = keeping.second
    try:
        is_read = await asyncio.to_thread(before_start, path)
        if second is not None:
            await asyncio.to_thread(_hold_against, second, path, key)
        journal, reserve = await _open(path, identity, key, clock, keeping.reserve_bytes)
        try:
            await refuse_set_back(journal)
        except BaseException:
            await journal.close()
            raise
    except JournalDamaged as damage:
        if second is None:
            raise
        raise JournalDamaged(f"{damage}; {await asyncio.to_thread(advice, second, path)}") from damage
    await _mark(journal, marks)
    return TableJournal(journal, is_read, reserve, None if second is None else SecondCopy(second, journal, clock))


def _hold_against(second: CopyPlace, path: Path, key: bytes) -> None:
    if path.is_file() and not is_blank(path):
        compared(second, path, key)
    else:
        refuse_beginning(second, path)


async def _open(
    path: Path, identity: Identity, key: bytes, clock: Clock, reserve_bytes: int
) -> tuple[Journal, SpaceReserve]:
    now_ns = clock.wall_ns()
    if not is_set(now_ns) and not await asyncio.to_thread(path.exists):
        said = f"wall time is {utc_text(now_ns)}, and a new journal is named after it"
        raise JournalFailed(f"{path}: {said}: set the clock, then start again")
    # A disk that filled while the daemon was down leaves no room to open anything.
    reserve = SpaceReserve(path, reserve_bytes)
    await asyncio.to_thread(reserve.keep_clear)
    return await Journal.open(path, identity, key=key, created_wall_ns=now_ns, reserve=reserve), reserve


async def _mark(journal: Journal, marks: Mapping[str, str]) -> None:
    """Hold the configuration and the program against those the journal knows, and note them and the key."""
    path, known = journal.path, dict(journal.meta)
    if known.get("configuration", marks["configuration"]) != marks["configuration"]:
        log.warning("configuration changed since the last start", journal=str(path), was=known["configuration"])
    if known.get("software", marks["software"]) != marks["software"]:
        log.warning("software changed since the last start", journal=str(path), was=known["software"])
    for key, value in marks.items():
        await journal.note(key, value)
