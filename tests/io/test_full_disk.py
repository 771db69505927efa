"""A disk without a free byte, and a disk that does not answer: neither says anything against the journal on it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from controller.commands import verify as verify_command
from controller.io.journal.errors import JournalFailed, JournalUnreadable
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalReader
from controller.io.journal.scrub import WHOLE, Scrub, ScrubResult, before_start, mark_of
from controller.io.journal.verification import verify
from tests.io.test_storage import HERE, beside, commit, left_by_a_kill, written
from tests.journal_key import KEY


def fill(disk: Path) -> Path:
    """Take every byte there is."""
    room = os.statvfs(disk)
    filler = disk / "other"
    with contextlib.suppress(OSError):
        filler.write_bytes(bytes(room.f_bavail * room.f_frsize))
    with contextlib.suppress(OSError), filler.open("ab", buffering=0) as file:
        while file.write(bytes(64)):
            pass
    assert os.statvfs(disk).f_bavail == 0
    return filler


def make_read_only(disk: Path) -> None:
    command = ["mount", "-o", "remount,ro", str(disk)]
    subprocess.run(command, check=True)


async def test_a_start_on_a_full_disk_finds_no_damage(small_disk: Path) -> None:
    path = small_disk / "journal.sqlite"
    await written(path, 50)
    filler = fill(small_disk)
    assert before_start(path)
    assert verify(path).damage is None
    with pytest.raises(JournalFailed):
        await Journal.open(path, HERE, key=KEY)
    # What the attempt left beside the journal has no room either, and must not be taken for something lost.
    with contextlib.suppress(JournalUnreadable):
        before_start(path)
    filler.unlink()
    assert before_start(path)
    assert not mark_of(path).exists()
    journal = await Journal.open(path, HERE, key=KEY)
    await commit(journal, 1)
    await journal.close()
    assert (verify(path).damage, verify(path).records) == (None, 51)


async def test_a_log_whose_index_has_no_room_is_not_damage(small_disk: Path) -> None:
    """As a power cut leaves it: the log has records, and what SQLite reads it by is gone."""
    path = await left_by_a_kill(small_disk)
    filler = fill(small_disk)
    for look in (before_start, verify, JournalReader):
        with pytest.raises(JournalUnreadable, match=r"free space on its disk.*; nothing is known against the journal"):
            look(path)
    with pytest.raises(JournalUnreadable):
        await Journal.open(path, HERE, key=KEY)
    ran = CliRunner().invoke(verify_command.command, [str(path)])
    assert (ran.exit_code, "damaged" in ran.output) == (2, False), ran.output
    filler.unlink()
    assert before_start(path)
    assert verify(path).records == 6


async def test_a_log_on_a_medium_that_cannot_be_written_is_to_be_copied_and_no_space_to_be_freed(
    small_disk: Path, tmp_path: Path
) -> None:
    """A seized disk of a table whose power was cut."""
    path = await left_by_a_kill(small_disk)
    make_read_only(small_disk)
    ran = CliRunner().invoke(verify_command.command, [str(path)])
    said = "its folder cannot be written: copy it with its -wal and -head to one that can, and use the copy; nothing is"
    assert (ran.exit_code, said in ran.output, "free space" in ran.output) == (2, True, False), ran.output
    for suffix in ("", "-wal", "-head"):
        shutil.copy(f"{path}{suffix}", tmp_path / f"{path.name}{suffix}")
    assert verify(tmp_path / path.name).records == 6


async def test_a_disk_that_fills_while_the_table_runs_loses_nothing_committed(small_disk: Path) -> None:
    path = small_disk / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await commit(journal, 20)
    filler = fill(small_disk)
    with pytest.raises(JournalFailed, match="full"):
        await commit(journal, 5000)
    committed = verify(path).records
    await journal.close()
    filler.unlink()
    assert not mark_of(path).exists()
    assert before_start(path)
    journal = await Journal.open(path, HERE, key=KEY)
    assert journal.head.number == committed >= 20
    await journal.close()


# --- looks that cannot be taken ---------------------------------------------------------------------


BROKEN = {
    "a program half upgraded": "import no_such_module",
    "no memory": "raise MemoryError",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "no journal": "import sys; print('tableside: no journal here', file=sys.stderr); sys.exit(2)",
    "another's words": "import sys; print('damaged: a hard disk'); sys.exit(1)",
}


@pytest.mark.parametrize("program", BROKEN.values(), ids=BROKEN.keys())
async def test_a_look_that_could_not_be_taken_is_reported_and_is_no_damage(tmp_path: Path, program: str) -> None:
    path, complaints = tmp_path / "journal.sqlite", list[str]()
    await written(path)
    look = Scrub(path, is_due=True, command=(sys.executable, "-c", program), tell=complaints.append).look
    await look()
    assert [text.startswith(f"{path}: could not be checked: status ") for text in complaints] == [True]
    assert not mark_of(path).exists()
    assert before_start(path)


async def test_a_look_says_how_far_it_is_and_that_is_no_complaint(tmp_path: Path) -> None:
    path, complaints, read = tmp_path / "journal.sqlite", list[str](), list[tuple[int, int]]()
    await written(path)
    found: list[ScrubResult] = []
    callbacks: Any = {
        "tell": complaints.append,
        "reading": lambda *progress: read.append(progress),
        "ended": found.append,
    }
    await Scrub(path, is_due=True, **callbacks).look()
    assert (read, complaints, found) == ([(0, 0), (6, 6)], [""], [WHOLE])
    program = "import sys; sys.stderr.write('3 of 9 records read\\nno memory'); sys.exit(3)"
    await Scrub(path, is_due=True, command=(sys.executable, "-c", program), **callbacks).look()
    assert read[2:] == [(0, 0), (3, 9)]
    assert found[1:] == [ScrubResult(unable="status 3: no memory")]


async def test_a_look_that_can_be_taken_again_takes_the_words_back(tmp_path: Path) -> None:
    path, complaints = tmp_path / "journal.sqlite", list[str]()
    await written(path)
    absent = Scrub(path, is_due=True, command=(str(tmp_path / "none"),), tell=complaints.append)
    assert (await absent.check()).unable == f"{tmp_path}/none: No such file or directory"
    assert await Scrub(path, is_due=True, tell=complaints.append).check() == ScrubResult()
    assert [bool(text) for text in complaints] == [True, False]


# --- a disk that does not answer --------------------------------------------------------------------


async def test_closing_on_a_disk_that_does_not_answer_says_so_and_lets_nothing_go(tmp_path: Path) -> None:
    path, begun, answers = tmp_path / "journal.sqlite", threading.Event(), threading.Event()
    journal = await Journal.open(path, HERE, key=KEY, close_seconds=0.05)
    await commit(journal, 3)

    def stands_still() -> None:
        begun.set()
        answers.wait(60)

    journal.committed = stands_still
    marking = asyncio.create_task(journal.mark_published(1))
    try:
        await asyncio.to_thread(begun.wait, 60)
        with pytest.raises(JournalFailed, match=r"has not answered within 0\.05 s"):
            await journal.close()
        with pytest.raises(JournalFailed, match="in use"):
            await Journal.open(path, HERE, key=KEY)
    finally:
        answers.set()
    with pytest.raises(JournalFailed):
        await marking
    assert (verify(path).damage, beside(path, "-head").exists()) == (None, True)
