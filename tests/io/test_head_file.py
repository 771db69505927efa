"""What a power cut leaves of the head file never stops a whole journal, and never hides a lost end that it knew of."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from controller.formats.journal.records import Identity, genesis
from controller.io.journal.commit_marker import HeadFile, path_of, read_head_file
from controller.io.journal.journal import Journal
from controller.io.journal.reader import Head, JournalEntry
from controller.io.journal.scrub import before_start
from controller.io.journal.verification import verify
from tests.journal_key import KEY

HERE = Identity("harbour", "bj-1", 3)
BLANK = Head(0, genesis(HERE), 0)


class PowerCut:
    """Keeps what was synced last of one file: the least that a power cut leaves."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.left: bytes | None = None
        self.synced: list[str] = []

    def sync(self, descriptor: int) -> None:
        name = str(Path(f"/proc/self/fd/{descriptor}").readlink())
        self.synced.append(name)
        if name == str(self.path):
            self.left = self.path.read_bytes()


def test_its_length_and_both_slots_are_on_the_disk_before_anything_is_noted(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    cut = PowerCut(path_of(journal))
    HeadFile.open(journal, BLANK, cut.sync).close()
    assert cut.synced == [str(path_of(journal)), str(tmp_path)]
    assert cut.left is not None
    assert len(cut.left) == 256
    path_of(journal).write_bytes(cut.left)
    assert read_head_file(journal) == BLANK


def test_one_that_is_there_is_neither_written_nor_synced_again(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    noted = Head(9, b"h" * 32, 12)
    file = HeadFile.open(journal, BLANK)
    file.write(noted)
    file.close()
    cut = PowerCut(path_of(journal))
    HeadFile.open(journal, BLANK, cut.sync).close()
    assert (cut.synced, read_head_file(journal)) == ([], noted)


def test_one_slot_of_an_older_program_is_kept_and_the_other_is_made(tmp_path: Path) -> None:
    journal = tmp_path / "journal.sqlite"
    noted = Head(9, b"h" * 32, 12)
    file = HeadFile.open(journal, BLANK)
    file.write(noted)
    file.close()
    path_of(journal).write_bytes(path_of(journal).read_bytes()[:128])
    HeadFile.open(journal, BLANK).close()
    assert path_of(journal).stat().st_size == 256
    assert read_head_file(journal) == noted


async def test_a_file_whose_length_was_kept_and_its_content_not_stops_no_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.commit([JournalEntry(1, b"record")])
    await journal.close()
    path_of(path).write_bytes(bytes(256))
    assert verify(path).damage is None
    journal = await Journal.open(path, key=KEY)
    await journal.commit([JournalEntry(2, b"record")])
    await journal.close()
    noted = read_head_file(path)
    assert noted is not None
    assert noted.number == 2


async def test_a_journal_begun_after_the_last_sync_knows_of_its_first_record(tmp_path: Path) -> None:
    """An empty journal's head file is blank, and a journal that lost its only record is still found out."""
    path, begun = tmp_path / "journal.sqlite", tmp_path / "begun.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.close()
    assert read_head_file(path) == BLANK
    begun.write_bytes(path.read_bytes())
    journal = await Journal.open(path, key=KEY)
    await journal.commit([JournalEntry(1, b"record")])
    await journal.close()
    path.write_bytes(begun.read_bytes())
    assert "record 1 had been committed" in str(verify(path).damage)


async def test_a_bit_in_a_last_note_of_what_was_published_loses_no_record(tmp_path: Path) -> None:
    """It is as if the kill had come before the note: the events are published again, under their numbers."""
    path, copy = tmp_path / "running.sqlite", tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.commit([JournalEntry(1, b"record", ((1, b"event 1"), (2, b"event 2")))])
    await journal.mark_published(1)
    await journal.mark_published(2)
    for suffix in ("", "-wal", "-head"):
        shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    await journal.close()
    log = copy.with_name(f"{copy.name}-wal")
    data = bytearray(log.read_bytes())
    data[-100] ^= 1
    log.write_bytes(data)
    before_start(copy)
    journal = await Journal.open(copy, key=KEY)
    assert journal.head.number == 1
    assert await journal.last_published() == 1
    await journal.close()


def test_a_head_file_that_cannot_be_synced_is_reported(tmp_path: Path) -> None:
    def refuse(_: int) -> None:
        raise OSError(5, "Input/output error")

    with pytest.raises(OSError, match="Input/output"):
        HeadFile.open(tmp_path / "journal.sqlite", BLANK, refuse)
