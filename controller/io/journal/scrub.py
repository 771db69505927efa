"""Looks through the whole journal: before a table starts, and again every hour while it runs.

A disk may return other bytes than it took, without an error, mostly in parts not read for long. So everything is
read, by a process of its own that takes a fifth of a processor at most. Damage ends the table: what was settled on a
journal that can no longer be trusted could not be proven. A mark beside the journal keeps it from starting again,
until every row has been found whole.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import structlog

from controller.io.files.fsync_dir import sync_directory
from controller.io.journal.errors import JournalDamaged, JournalFailed
from controller.io.journal.setup import is_blank
from controller.io.journal.verification import verify

SCRUB_SECONDS: Final = 3600.0
"""Between the end of one look and the next."""

WHOLE_AT_START_BYTES: Final = 256 * 1024 * 1024
"""A journal up to this size is read whole before its table starts, in ten seconds at most; a larger one right after."""

DAMAGED: Final = 1
"""What ``tableside verify`` ends with on damage, and Python on whatever else: only with ``DAMAGE`` it is the first."""

DAMAGE: Final = "damaged: "
"""What ``tableside verify`` says of a damaged journal, behind its name, on standard output."""

TOLD_CHARACTERS: Final = 200
"""Of what a check that failed has said, the last; a traceback says at its end what it was."""

READ_BYTES: Final = 8192
"""Of what a check says on standard error, read at once, and kept at most."""

PROGRESS: Final = re.compile(rb"(\d{1,18}) of (\d{1,18}) records read")
"""What ``tableside verify --progress`` says of how far it is."""

log = structlog.get_logger(__name__)


def mark_of(journal: Path) -> Path:
    """The file beside a journal that says that damage was found in it."""
    return Path(f"{journal}-damaged")


def mark(journal: Path, said: str) -> None:
    """Say beside a journal that it is damaged, so that a power cut does not forget it.

    Raises:
        OSError: the disk refused.
    """
    descriptor = os.open(mark_of(journal), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f"{said}\n")
        file.flush()
        os.fsync(file.fileno())
    sync_directory(journal.parent)


def before_start(journal: Path) -> bool:
    """Read a journal whole before anything is done with it, unless it is too large and nothing is known against it.

    Whether it was read whole, or there was nothing to read.

    Raises:
        JournalDamaged: it is damaged; the text says where.
        NotAJournal: the file is something else.
    """
    if not journal.is_file() or is_blank(journal):
        return True
    marked = mark_of(journal)
    if journal.stat().st_size > WHOLE_AT_START_BYTES and not marked.exists():
        return False
    damage = verify(journal).damage
    if damage is not None:
        raise JournalDamaged(f"{journal}: damaged: {damage}")
    marked.unlink(missing_ok=True)
    return True


class ScrubResult(NamedTuple):
    """What a look has come to: ``damage`` it found, or why it could not be taken (``unable``); empty: all is whole."""

    damage: str = ""
    unable: str = ""


WHOLE: Final = ScrubResult()
"""All is whole."""


class Scrub:
    """Reads the journal of a running table again and again, at first if it ``is_due``; ``command`` checks it once."""

    def __init__(
        self,
        journal: Path,
        *,
        is_due: bool,
        command: Sequence[str] = (),
        seconds: float = SCRUB_SECONDS,
        tell: Callable[[str], None] = lambda _: None,
        reading: Callable[[int, int], None] = lambda _read, _records: None,
        ended: Callable[[ScrubResult], None] = lambda _: None,
    ) -> None:
        """``tell`` receives after each look why it could not be taken, or an empty text.

        ``reading`` receives during a look how many records were read, of how many; 0 of 0 when it begins.
        ``ended`` receives what it has come to.
        """
        self._journal = journal
        whole = (sys.executable, "-m", "controller", "verify", "--gently", "--progress", str(journal))
        self._command = tuple(command) or whole
        self.seconds = seconds
        """Between the end of one look and the next."""
        self._is_due = is_due
        self._tell = tell
        self._reading = reading
        self._ended = ended

    async def run(self) -> None:
        """Look, and look again, until cancelled.

        Raises:
            JournalFailed: the journal is damaged.
        """
        while True:
            if self._is_due:
                await self.look()
            self._is_due = True
            await asyncio.sleep(self.seconds)

    async def look(self) -> None:
        """Check the journal once, in a process of its own.

        Raises:
            JournalFailed: it is damaged.
        """
        found = await self.check()
        if found.damage:
            with contextlib.suppress(OSError):
                mark(self._journal, found.damage)
            raise JournalFailed(found.damage)

    async def check(self) -> ScrubResult:
        """Have everything read once, and tell if that could not be done: such a look says nothing of the journal."""
        found = await self._looked()
        self._ended(found)
        if found.unable:
            log.error("journal could not be checked", journal=str(self._journal), said=found.unable)
        elif not found.damage:
            log.info("journal checked", journal=str(self._journal))
        self._tell(f"{self._journal}: could not be checked: {found.unable}" if found.unable else "")
        return found

    async def _looked(self) -> ScrubResult:
        self._reading(0, 0)
        try:
            process = await asyncio.create_subprocess_exec(
                *self._command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
            )
        except OSError as error:
            return ScrubResult(unable=f"{self._command[0]}: {error.strerror or error}")
        try:
            assert process.stdout is not None
            assert process.stderr is not None
            output, errors = await asyncio.gather(process.stdout.read(), self._errors(process.stderr))
            await process.wait()
        finally:
            if process.returncode is None:
                with contextlib.suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        if process.returncode == 0:
            return ScrubResult()
        said = _on_one_line(output)
        if process.returncode == DAMAGED and said.startswith(f"{self._journal}: {DAMAGE}"):
            return ScrubResult(damage=said)
        return ScrubResult(unable=f"status {process.returncode}: {(_on_one_line(errors) or said)[-TOLD_CHARACTERS:]}")

    async def _errors(self, said: asyncio.StreamReader) -> bytes:
        """The end of what a look says on standard error, without how far it is, which is passed on."""
        kept = rest = b""
        while data := await said.read(READ_BYTES):
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                progress = PROGRESS.fullmatch(line)
                if progress:
                    self._reading(int(progress[1]), int(progress[2]))
                else:
                    kept += line + b"\n"
            kept, rest = kept[-READ_BYTES:], rest[-READ_BYTES:]
        return kept + rest


def _on_one_line(output: bytes) -> str:
    return " ".join(output.decode(errors="replace").split())
