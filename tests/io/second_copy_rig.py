"""A journal on one device and its second copy on another, in one folder each."""

from __future__ import annotations

import asyncio
import errno
import os
import threading
from collections.abc import Callable
from pathlib import Path

from click.testing import CliRunner

from controller.core.messages.inputs import FitnessLevel
from controller.daemon.machine_board import MachineBoard
from controller.daemon.startup import JournalSafeguards, TableJournal, opened
from controller.formats.journal.records import Identity, chain, key_mark, seal_checkpoint
from controller.formats.journal.segments import start_bytes
from controller.io.copies.second_copy import CopyPlace
from controller.io.copies.segment_folder import survey
from controller.io.copies.segment_writer import Disk
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.io.system.clock import SystemClock
from tests.journal_key import KEY, key_file

HERE = Identity("harbour", "bj-1", 3)
MARKS = {"key": key_mark(KEY), "configuration": "c", "software": "s"}
TABLES = ("records", "events", "checkpoints", "seals", "published", "acks", "meta")
SOON = 10.0


class Device:
    """A disk that may be pulled out, fill up or fail to sync, as far as the copy can see."""

    def __init__(self) -> None:
        self.fault = 0
        self.number = 7
        self.synced = threading.Event()
        self.meanwhile: Callable[[], None] | None = None
        """What somebody else does once, just before the next bytes are written."""

    def write(self, descriptor: int, data: bytes) -> int:
        if self.meanwhile is not None:
            act, self.meanwhile = self.meanwhile, None
            act()
        if self.fault == errno.ENOSPC:
            os.write(descriptor, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return os.write(descriptor, data)

    def sync(self, descriptor: int) -> None:
        if self.fault == errno.EIO:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        os.fdatasync(descriptor)
        self.synced.set()


class House:
    """A journal on one device, its second copy on another, and what was reported of it."""

    def __init__(self, directory: Path) -> None:
        self.journal = directory / "one" / "journal.sqlite"
        self.copy = directory / "two"
        self.journal.parent.mkdir()
        self.copy.mkdir()
        self.device = Device()
        self.with_key = ("--key", str(key_file(directory)))
        self.behind = 30.0
        self.retry = 0.05
        self.looked = asyncio.Event()
        self.fitness: list[tuple[str, str]] = []
        self.storage: TableJournal | None = None
        self.watches: list[asyncio.Task[None]] = []

    @property
    def place(self) -> CopyPlace:
        disk = Disk(self.device.write, self.device.sync)
        return CopyPlace(self.copy, self.device_of, disk, self.retry, look_seconds=0.02, behind_seconds=self.behind)

    def device_of(self, path: Path) -> int:
        return self.device.number if path == self.copy else 1

    def report_fitness(self, cause: str, level: FitnessLevel, text: str) -> None:
        self.looked.set()
        if cause == "second_copy" and (not self.fitness or self.fitness[-1] != (level.value, text)):
            self.fitness.append((level.value, text))

    async def open(self) -> TableJournal:
        self.storage = await opened(
            self.journal, HERE, KEY, MARKS, SystemClock(), keeping=JournalSafeguards(0, self.place)
        )
        for name, work in self.storage.watches(self.report_fitness, MachineBoard(SystemClock())):
            if name == "second copy":
                self.watches.append(asyncio.create_task(work()))
        return self.storage

    async def close(self) -> None:
        for task in self.watches:
            task.cancel()
        await asyncio.gather(*self.watches, return_exceptions=True)
        self.watches = []
        if self.storage is not None:
            await self.storage.close()
        self.storage = None

    async def commit(self, records: int, *, checkpoint: bool = True) -> None:
        assert self.storage is not None
        journal = self.storage.journal
        for _ in range(records):
            head = journal.head
            number, seq = head.number + 1, head.seq + 1
            body, events = b"record %d" % number, ((seq, b"event %d" % seq), (seq + 1, b"event %d" % (seq + 1)))
            hashed = chain(head.hash, number, body, [event for _, event in events])
            sealed = seal_checkpoint(b"checkpoint", KEY, number, hashed) if checkpoint and number % 3 == 0 else None
            await journal.commit([JournalEntry(number, body, events, sealed)])
        await journal.mark_published(journal.head.seq - 1)
        await journal.note_ack("surveillance", journal.head.seq - 1)

    async def until(self, true: Callable[[], bool]) -> None:
        async with asyncio.timeout(SOON):
            while not true():
                self.looked.clear()
                await self.looked.wait()

    def copied(self) -> int:
        return survey(self.copy, HERE).reached.rows.records

    async def played(self, records: int = 10) -> None:
        """A table that ran for a while and was stopped in good order."""
        await self.open()
        await self.commit(records)
        await self.close()


def content(journal: Path) -> dict[str, list[tuple[object, ...]]]:
    """Every row of a journal, but for what each opening adds of itself."""
    with JournalReader(journal) as reader:
        return {name: list(reader.connection.execute(f"SELECT * FROM {name} ORDER BY 1")) for name in TABLES}


def flip(path: Path, at: int, bit: int = 0) -> None:
    """Flip a bit in place: what a table that runs appends meanwhile stays."""
    with path.open("r+b") as file:
        file.seek(at)
        byte = file.read(1)[0]
        file.seek(at)
        file.write(bytes([byte ^ 1 << bit]))


def segments(house: House) -> list[Path]:
    return sorted(house.copy.glob("*.segment"))


def begin_another(house: House, number: int) -> None:
    """What is copied next goes into a segment of its own."""
    last = segments(house)[-1]
    found = survey(house.copy, HERE)
    last.with_name(f"{HERE.epoch}-{number:08}.segment").write_bytes(start_bytes(HERE, found.reached))


def run(command: object, *arguments: object) -> tuple[int, str]:
    result = CliRunner().invoke(command, [str(one) for one in arguments])  # type: ignore[arg-type]
    return result.exit_code, result.output
