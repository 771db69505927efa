"""A start on what a power cut has left, and what must then hold of the journal and of its second copy."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final

import msgspec

from controller.daemon.recovery import recover
from controller.daemon.startup import JournalSafeguards, opened
from controller.formats.journal.records import unseal
from controller.io.copies.restore_from_copy import verify_copy
from controller.io.copies.second_copy import CopyPlace
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.reader import JournalReader
from controller.io.journal.verification import verify
from controller.io.system.clock import SystemClock
from firmware_protocols.readings import CardDrawn
from tests.campaigns.known_outside import NOTHING, KnownOutside
from tests.campaigns.recording import BESIDE

JOURNAL: Final = "journal.sqlite"


class Judge:
    """Holds what a start makes of a directory against what was recorded: ``after`` is what lay there at the end."""

    def __init__(self, after: dict[str, bytes], key: bytes) -> None:
        self._key = key
        with tempfile.TemporaryDirectory(prefix="tableside-power-") as directory:
            path = lay(Path(directory), after)
            with JournalReader(path) as reader:
                self.identity = reader.identity
                self._marks = {name: reader.meta[name] for name in ("key", "configuration", "software")}
                self.records = [(row.body, row.hash) for row in reader.records()]
                self.events = [row.body for row in reader.events()]
        self.cards: dict[int, int] = {}
        """The record of each card that the shoe reported, by the shoe's number of it."""
        for number, (body, _) in enumerate(self.records, start=1):
            given = unseal(body, key, {}, self.identity).input
            if isinstance(given, CardDrawn) and given.sequence is not None:
                self.cards[given.sequence] = number

    async def fault(self, left: dict[str, bytes], known: KnownOutside, *, is_stepped: bool) -> tuple[str, int]:
        """What is wrong with a start on ``left``, empty if nothing is; how many records it has.

        ``is_stepped``: what came after the last checkpoint is stepped again too, as a start does.
        """
        with tempfile.TemporaryDirectory(prefix="tableside-power-") as directory:
            path = lay(Path(directory), left)
            try:
                return await self._start(path, known, is_stepped=is_stepped)
            except (JournalDamaged, JournalFailed, NotAJournal) as error:
                return f"{type(error).__name__}: {str(error).removeprefix(f'{directory}/')}", 0

    async def _start(self, path: Path, known: KnownOutside, *, is_stepped: bool) -> tuple[str, int]:
        place = CopyPlace(path.parent / BESIDE, lambda one: int(one.name == BESIDE.strip("/")), look_seconds=0.02)
        begun = msgspec.structs.replace(self.identity, epoch=1)
        storage = await opened(path, begun, self._key, self._marks, SystemClock(), keeping=JournalSafeguards(0, place))
        assert storage.second is not None
        storage.second.start()
        try:
            is_ours = storage.journal.identity == self.identity
            hold = recover(path, self._key).hold if is_stepped else ""
        finally:
            await storage.close()
        report, copied = verify(path), verify_copy(place.folder)
        if report.damage is not None or copied.damage is not None or hold:
            return f"after the start: {report.damage or copied.damage or hold}", 0
        if (report.records, report.head) != (copied.records, copied.head):
            return f"the copy has {copied.records} records of {report.records}", 0
        with JournalReader(path) as reader:
            records = [(row.body, row.hash) for row in reader.records()]
            events = [row.body for row in reader.events()]
        if not is_ours:
            return ("begun anew" if known != NOTHING or records else ""), 0
        return self._compared(records, events, known), len(records)

    def _compared(self, records: list[tuple[bytes, bytes]], events: list[bytes], known: KnownOutside) -> str:
        if records != self.records[: len(records)] or events != self.events[: len(events)]:
            return "a record or an event is another"
        if len(records) < known.record:
            return f"ends with record {len(records)}, and record {known.record} had been committed"
        lost = [seq for seq in known.events if seq > len(events)]
        if lost:
            return f"events {sorted(lost)} had been published"
        cards = [number for number in known.cards if self.cards[number] > len(records)]
        return f"the shoe was made to forget cards {cards}" if cards else ""


def lay(directory: Path, files: dict[str, bytes]) -> Path:
    """Write files into a directory; where the journal is."""
    (directory / BESIDE).mkdir(exist_ok=True)
    for name, data in files.items():
        if not name.endswith("-reserve"):
            (directory / name).write_bytes(data)
    return directory / JOURNAL
