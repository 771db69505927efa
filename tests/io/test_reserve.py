"""A disk that fills: the reserve is given up, the round in play is journaled, the table is closed and opened again."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from controller.core.messages.inputs import FitnessLevel
from controller.formats.journal.records import Identity
from controller.io.journal.disk_watch import DiskWatch
from controller.io.journal.errors import JournalFailed
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.io.journal.space_reserve import LOOK_SECONDS, SpaceReserve, transacted
from controller.io.journal.verification import verify
from tests.journal_key import KEY

MIB = 2**20
HERE = Identity("harbour", "bj-1", 3)


class Disk:
    """A disk of 1000 MiB, as far as anybody can see."""

    def __init__(self, free_mib: float, whole_mib: int = 1000) -> None:
        self.free_mib = free_mib
        self.whole_mib = whole_mib

    def stat(self, _: Path) -> os.statvfs_result:
        blocks = (self.whole_mib * 256, int(self.free_mib * 256), int(self.free_mib * 256))
        return os.statvfs_result((4096, 4096, *blocks, 1, 1, 1, 0, 255))


class Watched:
    """A disk watch, and what it reported."""

    def __init__(self, directory: Path, disk: Disk, reserve_mib: int) -> None:
        self.fitness: list[tuple[FitnessLevel, str]] = []
        self.found: list[tuple[int, int]] = []
        self.reserve = SpaceReserve(directory / "journal.sqlite", reserve_mib * MIB, disk.stat)
        self._watch = DiskWatch(
            directory / "journal.sqlite",
            self.reserve,
            lambda *report: self.fitness.append(report),
            disk.stat,
            lambda *found: self.found.append(found),
        )

    async def level(self) -> str:
        await self._watch.look()
        return self.fitness[-1][0].value


# --- what is reported -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("free_mib", "reserve_mib", "level"),
    [(500, 2, "fit"), (99, 8, "warned"), (49, 8, "closed"), (49, 2, "fit"), (7, 8, "closed"), (90, 0, "warned")],
)
async def test_a_disk_that_fills_is_an_alarm_and_then_closes_the_table(
    tmp_path: Path, free_mib: int, reserve_mib: int, level: str
) -> None:
    disk = Disk(500)
    watched = Watched(tmp_path, disk, reserve_mib)
    assert await watched.level() == "fit"
    disk.free_mib = free_mib
    assert await watched.level() == level
    assert watched.found[-1] == (free_mib * MIB, disk.whole_mib * MIB)
    text = watched.fitness[-1][1]
    assert text == "" if level == "fit" else f"{free_mib // 10} % free ({free_mib} MiB)" in text


async def test_a_table_without_its_reserve_is_closed_until_there_is_room_for_it_again(tmp_path: Path) -> None:
    disk = Disk(500)
    watched = Watched(tmp_path, disk, 8)
    assert await watched.level() == "fit"
    assert watched.reserve.path.stat().st_blocks * 512 >= 8 * MIB
    disk.free_mib = 1
    watched.reserve.keep_clear()
    assert not watched.reserve.path.exists()
    for free, level in ((9, "closed"), (104, "closed"), (120, "fit")):
        disk.free_mib = free
        assert await watched.level() == level, free
    assert watched.reserve.is_there()


async def test_a_closed_table_is_opened_only_where_nothing_is_low_any_more(tmp_path: Path) -> None:
    disk = Disk(500)
    watched = Watched(tmp_path, disk, 8)
    seen = []
    for disk.free_mib in (500, 40, 60, 99, 101, 99):
        seen.append(await watched.level())
    assert seen == ["fit", "closed", "closed", "closed", "fit", "warned"]


async def test_a_disk_that_cannot_be_looked_at_is_an_alarm(tmp_path: Path) -> None:
    fitness: list[tuple[FitnessLevel, str]] = []
    path = tmp_path / "none" / "journal.sqlite"
    await DiskWatch(path, SpaceReserve(path, MIB), lambda *report: fitness.append(report), os.statvfs).look()
    assert fitness[0][0] is FitnessLevel.WARNED
    assert "cannot be looked at" in fitness[0][1]


# --- what is written --------------------------------------------------------------------------------


class Freeing(SpaceReserve):
    """A reserve whose room is pages of the database itself."""

    def __init__(self, connection: sqlite3.Connection, pages: int) -> None:
        self._connection: sqlite3.Connection | None = connection
        self._pages = pages

    def keep_clear(self) -> None:
        pass

    def give_up(self) -> bool:
        if self._connection is None:
            return False
        self._connection.execute(f"PRAGMA max_page_count = {self._pages}")
        self._connection = None
        return True


@pytest.mark.parametrize(("pages", "is_enough"), [(400, True), (20, False)])
def test_a_full_disk_gives_up_the_reserve_once_and_everything_is_done_again(
    tmp_path: Path, pages: int, is_enough: bool
) -> None:
    connection = sqlite3.connect(tmp_path / "some.sqlite", isolation_level=None)
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB)")
    connection.execute("PRAGMA max_page_count = 10")
    ran: list[int] = []

    def work(given: sqlite3.Connection) -> int:
        ran.append(1)
        given.execute("INSERT INTO rows VALUES (1, 'small')")
        given.execute("INSERT INTO rows VALUES (2, zeroblob(500000))")
        return 7

    if is_enough:
        assert transacted(connection, [work], Freeing(connection, pages)) == [7]
    else:
        with pytest.raises(sqlite3.OperationalError, match="full"):
            transacted(connection, [work], Freeing(connection, pages))
    assert len(ran) == 2
    assert connection.execute("SELECT count(*) FROM rows").fetchone() == (2 if is_enough else 0,)
    connection.close()


def test_any_other_failure_is_never_tried_again(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "some.sqlite", isolation_level=None)
    ran: list[int] = []

    def work(given: sqlite3.Connection) -> None:
        ran.append(1)
        given.execute("INSERT INTO nothing VALUES (1)")

    with pytest.raises(sqlite3.OperationalError):
        transacted(connection, [work], Freeing(connection, 100))
    assert ran == [1]
    connection.close()


async def test_the_journal_gives_the_reserve_up_before_the_disk_is_full(tmp_path: Path) -> None:
    disk, path, seconds = Disk(500), tmp_path / "journal.sqlite", [0.0]
    reserve = SpaceReserve(path, 4 * MIB, disk.stat, lambda: seconds[0])
    assert reserve.make() == ""
    journal = await Journal.open(path, HERE, reserve=reserve, key=KEY)
    await journal.commit([JournalEntry(1, b"while there is room")])
    assert reserve.is_there()
    disk.free_mib = 3
    seconds[0] += LOOK_SECONDS
    await journal.commit([JournalEntry(2, b"the last round")])
    assert not reserve.path.exists()
    await journal.close()
    with JournalReader(path) as reader:
        assert [row.number for row in reader.records()] == [1, 2]


# --- a real small disk ------------------------------------------------------------------------------


async def filled(journal: Journal) -> int:
    """Commit until the disk refuses; how many records are durable."""
    number = 0
    with contextlib.suppress(JournalFailed):
        while number < 10_000:
            await journal.commit([JournalEntry(number + 1, os.urandom(50_000))])
            number += 1
    return number


async def test_on_a_full_disk_the_reserve_holds_records_that_would_have_been_refused(small_disk: Path) -> None:
    committed = []
    for place, reserve_mib in (("without", 0), ("with", 6)):
        path = small_disk / place / "journal.sqlite"
        path.parent.mkdir()
        reserve = SpaceReserve(path, reserve_mib * MIB)
        assert reserve.make() == ""
        journal = await Journal.open(path, HERE, reserve=reserve, key=KEY)
        (path.parent / "other").write_bytes(bytes(reserve.free_bytes() - 4 * MIB))
        committed.append(await filled(journal))
        await journal.close()
        (path.parent / "other").unlink()
        assert not reserve.path.exists()
        report = verify(path)
        assert (report.damage, report.records) == (None, committed[-1])
        shutil.rmtree(path.parent)
    without, with_reserve = committed
    assert with_reserve - without > 50, committed
