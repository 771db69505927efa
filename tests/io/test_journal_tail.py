"""A damaged journal that is ahead of its copy: what it has beyond it is taken over where that can be proven."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.commands import backup, restore
from controller.io.journal.commit_marker import path_of
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.journal import Journal
from controller.io.journal.verification import verify
from tests.io.second_copy_rig import HERE, House, content, flip, run, segments
from tests.journal_key import KEY

COPIED = 60
AHEAD = 5


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    one = House(tmp_path)
    yield one
    await one.close()


async def is_ahead(house: House, records: int = AHEAD) -> dict[str, list[tuple[object, ...]]]:
    """A journal with records that its copy lacks; every row of it."""
    await house.played(COPIED)
    kept = {path: path.read_bytes() for path in segments(house)}
    await house.played(records)
    for path in segments(house):
        path.unlink()
    for path, data in kept.items():
        path.write_bytes(data)
    return content(house.journal)


def mended(house: House, *more: object) -> tuple[int, str]:
    return run(restore.command, *house.with_key, "--aside", *more, house.copy, house.journal)


async def test_what_the_copy_lacks_is_taken_from_the_damaged_journal(house: House) -> None:
    before = await is_ahead(house)
    flip(house.journal, house.journal.read_bytes().index(b"record 7") + 3)
    damaged = house.journal.read_bytes()
    with pytest.raises(JournalDamaged):
        await house.open()
    status, output = mended(house)
    assert status == 0, output
    assert f"its last {AHEAD} records are those of the damaged journal; they follow the copy's last" in output
    assert f"harbour/bj-1/3, {COPIED + AHEAD} records, {2 * (COPIED + AHEAD)} events" in output
    assert verify(house.journal).damage is None
    after = content(house.journal)
    assert (after["records"], after["events"]) == (before["records"], before["events"])
    assert house.journal.with_name("journal.sqlite.damaged-1").read_bytes() == damaged
    await house.played(2)
    assert house.copied() == COPIED + AHEAD + 2
    assert verify(house.journal).records == COPIED + AHEAD + 2


async def test_a_backup_is_brought_up_to_the_damaged_journal_too(house: House, tmp_path: Path) -> None:
    await house.played(COPIED)
    old = tmp_path / "last-night.sqlite"
    assert run(backup.command, house.journal, old)[0] == 0
    await house.played(400)
    before = content(house.journal)
    flip(house.journal, house.journal.read_bytes().index(b"record 59") + 3)
    status, output = run(restore.command, *house.with_key, "--aside", old, house.journal)
    assert (status, "its last 400 records" in output) == (0, True), output
    assert verify(house.journal).damage is None
    assert content(house.journal)["records"] == before["records"]
    assert content(house.journal)["events"] == before["events"]
    assert verify(old).records == COPIED


@pytest.mark.parametrize("what", [b"record 64", b"event 127"])
async def test_a_damaged_record_or_event_ends_it_and_the_head_file_refuses_the_rest(house: House, what: bytes) -> None:
    await is_ahead(house)
    flip(house.journal, house.journal.read_bytes().index(what) + 2)
    left = {path: path.read_bytes() for path in (house.journal, *segments(house))}
    status, output = mended(house)
    assert status == 2
    assert f"{house.copy}, with 3 more records of {house.journal}: ends with record 63, and record 65" in output
    assert "begin-epoch" in output
    assert {path: path.read_bytes() for path in left} == left


async def test_without_a_head_file_what_can_be_proven_is_kept_and_the_doubt_is_said(house: House) -> None:
    before = await is_ahead(house)
    flip(house.journal, house.journal.read_bytes().index(b"record 64") + 2)
    path_of(house.journal).unlink()
    status, output = mended(house)
    assert (status, "nobody here knows what was committed last" in output) == (0, True)
    assert "its last 3 records" in output
    assert content(house.journal)["records"] == before["records"][:63]
    assert content(house.journal)["events"] == before["events"][:126]


async def test_another_tables_journal_gives_nothing(house: House) -> None:
    """Its records have the right numbers, and do not follow."""
    await is_ahead(house)
    path_of(house.journal).unlink()
    house.journal.unlink()
    other = await Journal.open(house.journal, HERE, key=KEY)
    await other.close()
    house.storage = None
    with sqlite3.connect(house.journal) as connection:
        connection.execute("DROP TRIGGER records_follow")
        connection.execute("DROP TRIGGER events_follow")
        for number in range(1, COPIED + 10):
            connection.execute("INSERT INTO records VALUES (?, ?, ?)", (number, b"other", bytes(32)))
    path_of(house.journal).unlink()
    status, output = mended(house)
    assert (status, f"{COPIED} records" in output, "its last" in output) == (0, True, False), output


async def test_records_out_of_the_log_of_a_table_that_was_killed_count_too(house: House) -> None:
    await house.played(COPIED)
    kept = {path: path.read_bytes() for path in segments(house)}
    await house.open()
    await house.commit(AHEAD)
    killed = house.journal.parent.with_name("killed")
    shutil.copytree(house.journal.parent, killed)
    await house.close()
    shutil.rmtree(house.journal.parent)
    killed.rename(house.journal.parent)
    for path, data in kept.items():
        path.write_bytes(data)
    assert house.journal.with_name("journal.sqlite-wal").read_bytes()
    flip(house.journal, house.journal.read_bytes().index(b"record 7") + 3)
    status, output = mended(house)
    assert (status, f"its last {AHEAD} records" in output) == (0, True), output
    assert verify(house.journal).records == COPIED + AHEAD


@pytest.mark.parametrize("seed", range(24))
async def test_whatever_is_damaged_nothing_comes_back_that_was_not_committed(house: House, seed: int) -> None:
    """Bits anywhere, pages blank or exchanged, the file cut short: the prefix that was committed, or a refusal."""
    chance = random.Random(seed)
    before = await is_ahead(house, 30)
    size = house.journal.stat().st_size
    match seed % 4:
        case 0:
            for _ in range(chance.randrange(1, 20)):
                flip(house.journal, chance.randrange(size), chance.randrange(8))
        case 1:
            data = bytearray(house.journal.read_bytes())
            at = chance.randrange(size // 4096) * 4096
            data[at : at + 4096] = bytes(4096)
            house.journal.write_bytes(data)
        case 2:
            data = bytearray(house.journal.read_bytes())
            one, two = (page * 4096 for page in chance.sample(range(1, size // 4096), 2))
            data[one : one + 4096], data[two : two + 4096] = data[two : two + 4096], data[one : one + 4096]
            house.journal.write_bytes(data)
        case _:
            house.journal.write_bytes(house.journal.read_bytes()[: chance.randrange(4096, size)])
    if chance.random() < 0.5:
        path_of(house.journal).unlink(missing_ok=True)
        is_noted = False
    else:
        is_noted = True
    status, output = mended(house)
    if status != 0:
        assert status == 2, output
        assert is_noted
        return
    assert verify(house.journal).damage is None
    after = content(house.journal)
    assert len(after["records"]) >= COPIED
    assert len(after["records"]) == COPIED + 30 or not is_noted
    for table in ("records", "events"):
        assert after[table] == before[table][: len(after[table])]
