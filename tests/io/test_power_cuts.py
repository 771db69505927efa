"""Files beside the running table's journal, and a power cut while they are made: what was said to be kept is there."""

from __future__ import annotations

import asyncio
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.formats.journal.records import Identity
from controller.io.journal.epochs import EpochRuling, begin_epoch
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalReader
from controller.io.journal.scrub import before_start
from controller.io.journal.verification import verify
from tests.campaigns import recording
from tests.campaigns.power import contents, forgetful
from tests.campaigns.power_disk import Disk
from tests.io.test_storage import HERE, left_by_a_kill
from tests.journal_key import KEY

RULED = EpochRuling("M. Okafor", "J. Reyes", "the disk was replaced")
HEADING = "import asyncio\nfrom pathlib import Path\n"
BEGIN = """
from controller.io.journal.epochs import EpochRuling, begin_epoch
ruling = EpochRuling("M. Okafor", "J. Reyes", "the disk was replaced")
asyncio.run(begin_epoch(Path({path!r}), "harbour", "bj-1", ruling, 1))
"""
FIRST = """
from controller.io.journal.journal import Journal
from controller.io.journal.scrub import before_start
from tests.io.test_storage import HERE
from tests.journal_key import KEY

async def begin():
    before_start(Path({path!r}))
    journal = await Journal.open(Path({path!r}), HERE, created_wall_ns=1, key=KEY)
    await journal.close()

asyncio.run(begin())
"""
SECRET = """
from controller.io.files.secret_files import write_secret
write_secret(Path({path!r}), b"secret")
"""
MARK = """
from controller.io.journal.scrub import mark
from tests.journal_key import KEY
mark(Path({path!r}), "damaged: page 3")
"""

pytestmark = pytest.mark.skipif(bool(recording.is_able()), reason=recording.is_able())


def cuts(tmp_path: Path, watched: Path, program: str, each: int) -> Iterator[tuple[bool, Path]]:
    """Whether the program had ended, and a folder as a cut left it; so many ``each`` time it did anything."""
    chance = random.Random(1)
    disk = Disk(contents(watched))
    command = [sys.executable, "-c", HEADING + program.format(path=str(watched / "journal.sqlite"))]
    subprocess.run(recording.recorded(tmp_path / "trace", command), check=True)
    done = recording.operations(tmp_path / "trace", watched)
    for place in range(len(done) + 1):
        for turn in range(each):
            folder = tmp_path / f"cut-{place}-{turn}"
            folder.mkdir()
            for name, data in forgetful(disk.cut(chance)[1], chance).items():
                (folder / name).write_bytes(data)
            yield place == len(done), folder
            shutil.rmtree(folder)
        if place < len(done):
            disk.take(done[place])


def started(path: Path) -> Identity | None:
    """Whose journal a daemon would run on, None if it refuses; all that the old epoch had is there or it is another."""

    async def start() -> Identity:
        before_start(path)
        journal = await Journal.open(path, HERE, created_wall_ns=1, key=KEY)
        assert journal.identity.epoch != HERE.epoch or journal.head.number == 6
        await journal.close()
        return journal.identity

    try:
        return asyncio.run(start())
    except (JournalFailed, JournalDamaged, NotAJournal):
        return None


def records_kept(folder: Path) -> dict[int, int]:
    """The journals in a folder that are whole: how many records the fullest of each epoch has."""
    found: dict[int, int] = {}
    for path in folder.glob("*.sqlite"):
        assert verify(path).damage is None, path
        with JournalReader(path) as reader:
            epoch = reader.identity.epoch
            found[epoch] = max(found.get(epoch, 0), reader.head().number)
    return found


def test_a_new_epoch_cut_off_anywhere_loses_nothing_of_the_old_one(tmp_path: Path) -> None:
    watched = tmp_path / "watched"
    watched.mkdir()
    asyncio.run(left_by_a_kill(watched))
    for path in watched.glob("running*"):
        path.unlink()
    for has_ended, folder in cuts(tmp_path, watched, BEGIN, 1):
        path = folder / "journal.sqlite"
        copy = tmp_path / "copy"
        shutil.copytree(folder, copy)
        runs_on = started(copy / "journal.sqlite")
        shutil.rmtree(copy)
        assert runs_on is not None or not has_ended
        if runs_on is None or runs_on.epoch == HERE.epoch:
            begun = asyncio.run(begin_epoch(path, "harbour", "bj-1", RULED, 1))
            assert begun.before.startswith("record 6, event 6, head "), begun
        assert records_kept(folder)[HERE.epoch] == 6


def test_a_journal_whose_beginning_is_cut_off_anywhere_is_begun_or_gone_on_with(tmp_path: Path) -> None:
    watched = tmp_path / "watched"
    watched.mkdir()
    for _, folder in cuts(tmp_path, watched, FIRST, 6):
        asyncio.run(begun(folder / "journal.sqlite"))


async def begun(path: Path) -> None:
    """As a daemon starts on it."""
    before_start(path)
    journal = await Journal.open(path, HERE, created_wall_ns=1, key=KEY)
    await journal.close()
    assert verify(path).damage is None


@pytest.mark.parametrize(
    ("program", "suffix", "content"), [(SECRET, "", b"secret"), (MARK, "-damaged", b"damaged: page 3\n")]
)
def test_what_was_kept_is_there_after_a_power_cut(tmp_path: Path, program: str, suffix: str, content: bytes) -> None:
    watched = tmp_path / "watched"
    watched.mkdir()
    found = {
        (has_ended, path.read_bytes() if path.exists() else b"")
        for has_ended, folder in cuts(tmp_path, watched, program, 10)
        for path in [Path(f"{folder}/journal.sqlite{suffix}")]
    }
    assert [data for has_ended, data in found if has_ended] == [content]
    assert (False, b"") in found
