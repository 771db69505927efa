"""The second copy of a journal: written behind it to another device, in another format, while the table runs.

The journal's commit is what counts, and nothing waits for the copy: a thread of its own reads what was committed,
through a connection of its own, and appends it. So a copy is never ahead of a sound journal, and behind it by a few
milliseconds, or by as long as its device is away. It is held against the journal at every start: a journal that ends
before its copy, or differs from it, has lost something, and the table does not start.
"""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from controller.core.messages.inputs import FitnessLevel
from controller.formats.journal.seals import Seal, Sealing, signed_head
from controller.formats.journal.segments import CopyPosition, Cursors, SegmentDamaged, beginning, read_segment
from controller.io.copies.restore_from_copy import foreign_in
from controller.io.copies.segment_folder import NoCopy, Survey, epochs, survey
from controller.io.copies.segment_writer import CopyRepair, Disk, SegmentChanged, SegmentWriter, last_key, next_rows
from controller.io.journal.consumers import believed
from controller.io.journal.disk_watch import TellFitness
from controller.io.journal.errors import SQLITE_ERRORS, JournalDamaged, JournalFailed, cannot_read
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalReader
from controller.io.journal.scrub import Scrub
from controller.io.system.clock import Clock

THOROUGH_BYTES: Final = 64 * 1024 * 1024
"""A copy up to this size is read whole before its table starts, a larger one within the hour."""

LINGER_SECONDS: Final = 0.01
"""Between a commit and its copying: what the table has to tell goes out first, and commits in a row are one batch."""

RETRY_SECONDS: Final = 5.0
"""Between two attempts at a device that refused, and between two looks at whether the copy is as it was left."""

LOOK_SECONDS: Final = 1.0
"""Between two looks at how far the copy is."""

BEHIND_SECONDS: Final = 30.0
"""How long a record may wait to be copied before somebody is informed."""

CLOSE_SECONDS: Final = 5.0
"""How long the end of a table waits for its copy."""

log = structlog.get_logger(__name__)


class CopyPlace(NamedTuple):
    """Where a copy is kept, what tells one device from another and gets bytes to it, and how long to be patient."""

    folder: Path
    device_of: Callable[[Path], int] = lambda path: path.stat().st_dev
    disk: Disk = Disk()
    retry_seconds: float = RETRY_SECONDS
    look_seconds: float = LOOK_SECONDS
    behind_seconds: float = BEHIND_SECONDS


class SecondCopy:
    """Follows one journal from ``start`` to ``close``; ``watch`` and ``scrub`` run meanwhile."""

    def __init__(self, place: CopyPlace, journal: Journal, clock: Clock) -> None:
        self.folder = place.folder
        self._place = place
        self._journal = journal
        self._clock = clock
        self._copied = Cursors()
        """What the copy is known to have; written by the thread."""
        self._trouble = ""
        """Why it cannot be written, empty if it can."""
        self._mended: list[str] = []
        """What was damaged and has been written anew, for ``watch`` to tell."""
        self._is_doubted = False
        """Whether the copy must be read whole before it is gone on with."""
        self._due_ns = 0
        """When the copy is looked over next, by the monotonic clock; of the thread."""
        self._later = ""
        """A signed head that the copy has and the journal lacks, empty if none; written by the thread."""
        self.shown: Callable[[str, str], Awaitable[str]] = believed
        """Takes a signed head that the copy has (``Anchors.shown``)."""
        self._waiting: tuple[int, int] | None = None
        """A record that was not copied when looked at last, and since when."""
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._abandoned = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="second copy", daemon=True)

    def start(self) -> None:
        """Begin to follow."""
        self._journal.committed = self._woken.set
        self._thread.start()

    async def close(self) -> None:
        """Copy what has been committed, as far as the device takes it in a few seconds, and end."""
        if self._thread.is_alive():
            self._stopping.set()
            self._woken.set()
            await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)
            self._abandoned.set()

    # --- status and alarms --------------------------------------------------------------------------

    async def watch(self, tell: TellFitness) -> None:
        """Tell how the copy is, until cancelled."""
        while True:
            self.look(tell)
            if self._later:
                await self.shown(f"second copy {self.folder}", self._later)
            await asyncio.sleep(self._place.look_seconds)

    def look(self, tell: TellFitness) -> None:
        """Tell how the copy is."""
        said = self._mended.pop(0) if self._mended else self._trouble or self._behind()
        level = FitnessLevel.WARNED if said else FitnessLevel.FIT
        tell(level, f"second copy {self.folder}: {said}" if said else "")

    @property
    def trouble(self) -> str:
        """Why it cannot be written, empty if it can."""
        return self._trouble

    def reached(self) -> tuple[int, int]:
        """How many records it is known to have, of how many in the journal."""
        return self._copied.records, self._journal.head.number

    def _behind(self) -> str:
        head, now_ns = self._journal.head.number, self._clock.monotonic_ns()
        if self._waiting is not None and self._copied.records >= self._waiting[0]:
            self._waiting = None
        if self._copied.records >= head:
            return ""
        if self._waiting is None:
            self._waiting = (head, now_ns)
        if now_ns - self._waiting[1] < self._place.behind_seconds * 1_000_000_000:
            return ""
        return f"has {self._copied.records} of {head} records"

    async def scrub(self, tell: Callable[[str], None] = lambda _: None) -> None:
        """Have the copy read whole every hour, in a process of its own; what is damaged is written anew.

        ``tell`` receives after each look why it could not be taken, or an empty text.
        """
        looking = Scrub(self.folder, is_due=False, tell=tell)
        while True:
            await asyncio.sleep(looking.seconds)
            found = await looking.check()
            if found.damage:
                self.doubt(found.damage)

    def doubt(self, damage: str) -> None:
        """Damage was found: have the copy read whole, and what is damaged written anew."""
        log.error("second copy damaged", said=damage)
        self._is_doubted = True
        self._woken.set()

    # --- the thread ---------------------------------------------------------------------------------

    def _follow(self) -> None:
        while True:
            is_last = self._stopping.is_set()
            try:
                is_last |= self._keep_up()
            except SegmentChanged as changed:
                self._lose(str(changed))
                is_last, self._is_doubted = False, True
                self._stopping.wait(self._place.retry_seconds)
            except Exception as error:  # noqa: BLE001 - whatever it was, a copy must not stop without a word
                self._lose(" ".join(f"{type(error).__name__}: {error}".split()))
                self._stopping.wait(self._place.retry_seconds)
            # What could not be copied before the end of the table is tried once more.
            if is_last:
                return

    def _keep_up(self) -> bool:
        """Open the copy and follow the journal, until stopped (true), or in need of another look at the copy."""
        self._look_over(None)
        with JournalReader(self._journal.path) as reader:
            writer = self._opened(reader)
            try:
                while True:
                    is_last = self._stopping.is_set()
                    self._woken.clear()
                    self._catch_up(writer, reader.connection)
                    if is_last or self._clock.monotonic_ns() >= self._due_ns:
                        self._look_over(writer)
                    self._found()
                    if is_last or self._is_doubted:
                        return is_last
                    self._woken.wait(self._place.retry_seconds)
                    self._stopping.wait(LINGER_SECONDS)
            finally:
                writer.close()

    def _look_over(self, writer: SegmentWriter | None) -> None:
        """See that the copy's device is there and, if it is being written, that everything on it is as it was left."""
        check_device(self._place, self._journal.path)
        if writer is not None:
            writer.look_at_all()
        self._due_ns = self._clock.monotonic_ns() + round(self._place.retry_seconds * 1_000_000_000)

    def _opened(self, reader: JournalReader) -> SegmentWriter:
        identity, is_doubted = self._journal.identity, self._is_doubted
        found = survey(self.folder, identity, thorough=is_doubted or is_small(self.folder))
        self._is_doubted = False
        mended = bool(found.holes)
        if found.holes:
            mending = CopyRepair(self.folder, identity, reader.connection, self._place.disk)
            for hole in found.holes:
                log.error("second copy damaged", said=hole.text)
                mending.fill(hole)
                self._mended.append(f"{hole.text}: put aside, and written anew from the journal")
            found = survey(self.folder, identity)
            if found.holes:
                raise SegmentDamaged(f"cannot be mended: {found.holes[0].text}")
        lost = lost_by(reader, found)
        if lost:
            self._later = last_head(found, self._journal.sealing)
            raise NoCopy(lost)
        has, had = found.reached.rows, self._copied
        if not had.is_within(has) and not mended:
            said = f"ends with record {has.records}, and record {had.records} had been copied"
            if has.records >= had.records:
                said = f"has all {has.records} records, and lacks what had been copied beside them"
            log.error("second copy set back", said=said)
            self._mended.append(f"{said}: somebody changed it, or its device lost it; written anew from the journal")
        self._copied = has
        return SegmentWriter.resume(self.folder, found, self._place.disk)

    def _catch_up(self, writer: SegmentWriter, connection: sqlite3.Connection) -> None:
        while rows := next_rows(connection, writer.reached.rows):
            try:
                writer.append(rows)
            except SegmentDamaged as damage:
                said = f"{self._journal.path} does not give what was committed: {damage}; see tableside verify"
                raise JournalDamaged(said) from damage
            self._copied = writer.reached.rows
            if self._abandoned.is_set():
                return

    def _lose(self, reason: str) -> None:
        if not self._trouble:
            log.error("second copy lost", folder=str(self.folder), reason=reason)
        self._trouble = reason

    def _found(self) -> None:
        if self._trouble:
            log.info("second copy caught up", folder=str(self.folder), records=self._copied.records)
        self._trouble = ""


# --- before a table starts --------------------------------------------------------------------------


def check_device(place: CopyPlace, journal: Path) -> None:
    """See that the copy's folder is there and on another device than the journal.

    Raises:
        NoCopy, OSError: it is not; a device that is not mounted leaves its folder on the one that the journal is on.
    """
    if not place.folder.is_dir():
        raise NoCopy("there is no such folder: is its device there, and the folder made?")
    if place.device_of(place.folder) == place.device_of(journal.parent):
        raise NoCopy("lies on the same device as the journal: is its own device mounted there?")


def is_small(folder: Path) -> bool:
    """Whether a copy is small enough to be read whole at once.

    Raises:
        OSError: the folder cannot be looked at.
    """
    return sum(path.lstat().st_size for path in folder.iterdir()) <= THOROUGH_BYTES


def lost_by(reader: JournalReader, found: Survey) -> str | None:
    """What a journal has lost of what its second copy has, in one line; None if nothing.

    Raises:
        JournalDamaged: it cannot be read.
    """
    copied: CopyPosition = found.reached
    head = reader.head()
    number = copied.rows.records
    if head.number < number:
        return f"ends with record {head.number}, and its second copy with record {number}: its end is lost"
    if copied != beginning(found.identity) and reader.hash_of(number) != copied.hash:
        return f"record {number} is not the one its second copy has: another journal, or an older copy of it"
    for table in ("events", "published", "acks", "meta"):
        last, has = last_key(reader.connection, table), getattr(copied.rows, table)
        if last < has:
            return f"ends with row {last} of {table}, and its second copy with row {has}: its end is lost"
    return None


def last_head(found: Survey, sealing: Sealing | None) -> str:
    """The signed head with which a copy ends, empty if it has none.

    Raises:
        OSError, SegmentDamaged: its last segment cannot be read.
    """
    if found.last is None or sealing is None:
        return ""
    rows = [row for batch in read_segment(found.last.read_bytes()).batches for row in batch.rows]
    seals = [row for row in rows if row.table == "seals"]
    return signed_head(Seal(*seals[-1].values), sealing.verifier) if seals else ""


def compared(place: CopyPlace, path: Path, key: bytes) -> None:
    """Hold a journal that can be read against its second copy, before its table starts; a copy that is away is none.

    A copy that others than the table have gone on with says nothing of the journal.

    Raises:
        JournalDamaged: it has lost something that the copy has, or cannot be read.
        NotAJournal: the file is something else.
    """
    with contextlib.suppress(NoCopy, OSError), _read_errors(path):
        check_device(place, path)
        with JournalReader(path) as reader:
            later = [epoch for epoch in epochs(place.folder) if epoch > reader.identity.epoch]
            if later:
                epoch = reader.identity.epoch
                raise JournalDamaged(f"{path}: is of epoch {epoch}, and its second copy of epoch {later[-1]}")
            found = survey(place.folder, reader.identity, thorough=is_small(place.folder))
            lost = lost_by(reader, found)
            if lost is not None and not found.holes:
                with contextlib.suppress(SegmentDamaged):
                    foreign = foreign_in(found, key)
                    lost = lost if foreign is None else f"its second copy {place.folder} is not the table's: {foreign}"
            if lost is not None:
                raise JournalDamaged(f"{path}: {lost}")


@contextlib.contextmanager
def _read_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except SQLITE_ERRORS as error:
        raise cannot_read(path, error) from error


def remark(place: CopyPlace, journal: Path) -> str:
    """What keeps a second copy from being kept, in one line; empty if nothing does."""
    try:
        check_device(place, journal)
    except (NoCopy, OSError) as error:
        return str(error)
    return ""


def refuse_beginning(place: CopyPlace, path: Path) -> None:
    """Refuse to begin a journal where its second copy shows that there was one.

    Raises:
        JournalFailed: the text says what to do.
    """
    with contextlib.suppress(OSError):
        if epochs(place.folder):
            raise JournalFailed(f"{path}: the journal is missing; {advice(place, path)}")


def advice(place: CopyPlace, journal: Path) -> str:
    """What a second copy offers where the journal cannot be gone on with, in one line."""
    try:
        found = survey(place.folder)
    except (NoCopy, OSError) as error:
        return f"its second copy cannot be used: {error}"
    records = found.whole.rows.records
    if found.holes:
        return f"its second copy is damaged too: {found.damage}; whole to record {records}"
    command = f"tableside restore --aside --key KEY_FILE {place.folder} {journal}"
    return f"its second copy {found.identity.text()} is whole to record {records}: {command}"
