"""The second copy of a journal: it follows, is held against the journal at each start, and gives it back when lost."""

from __future__ import annotations

import asyncio
import errno
import os
import random
import shutil
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.commands import check, restore, verify
from controller.daemon.machine_board import MachineBoard
from controller.daemon.startup import JournalSafeguards, opened
from controller.formats.journal.records import Identity
from controller.formats.journal.seals import seal_digest
from controller.io.copies.segment_folder import survey
from controller.io.journal.errors import JournalDamaged, JournalFailed
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry
from controller.io.journal.verification import verify as verify_journal
from controller.io.system.clock import SystemClock
from tests.docs.test_configuration_doc import written
from tests.io.second_copy_rig import HERE, MARKS, SOON, House, begin_another, content, flip, run, segments
from tests.journal_key import KEY, key_file


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    one = House(tmp_path)
    yield one
    await one.close()


# --- following --------------------------------------------------------------------------------------


async def test_the_copy_gives_the_journal_back_row_for_row(house: House) -> None:
    await house.played()
    before = content(house.journal)
    assert verify_journal(house.journal).records == 10
    shutil.rmtree(house.journal.parent)
    house.journal.parent.mkdir()
    status, output = run(restore.command, *house.with_key, house.copy, house.journal)
    assert (status, "harbour/bj-1/3, 10 records, 20 events" in output) == (0, True), output
    assert "nobody here knows what was committed last" in output
    assert content(house.journal) == before
    assert verify_journal(house.journal).damage is None
    await house.open()
    await house.commit(2)
    await house.close()
    assert house.copied() == 12
    assert verify_journal(house.journal).records == 12


async def test_each_commit_is_copied_while_the_table_runs(house: House) -> None:
    await house.open()
    await house.until(lambda: house.copied() == 0 and bool(segments(house)))
    for expected in (1, 2, 3):
        await house.commit(1)
        await house.until(lambda expected=expected: house.copied() == expected)  # type: ignore[misc]
    assert house.fitness == [("fit", "")]


async def test_nothing_waits_for_a_device_that_hangs(house: House) -> None:
    released = threading.Event()
    sync = house.device.sync
    house.behind = 0.1
    house.device.sync = lambda descriptor: (released.wait(), sync(descriptor))[1]  # type: ignore[method-assign]
    await house.open()
    async with asyncio.timeout(SOON):
        await house.commit(5)
    await house.until(lambda: house.fitness[-1][0] == "warned")
    assert house.fitness[-1][1] == f"second copy {house.copy}: has 0 of 5 records"
    released.set()
    await house.until(lambda: house.fitness[-1] == ("fit", "") and house.copied() == 5)


async def test_a_copy_that_is_behind_catches_up_in_batches_at_the_next_start(house: House) -> None:
    house.device.number = 1
    await house.played(1200)
    assert segments(house) == []
    house.device.number = 7
    await house.open()
    await house.close()
    assert house.copied() == 1200
    found = survey(house.copy)
    assert found.damage is None
    assert content(house.journal)["events"][-1][0] == found.reached.rows.events


async def test_a_new_epoch_begins_a_new_copy_beside_the_old(house: House) -> None:
    await house.played()
    for left in house.journal.parent.iterdir():
        left.unlink()
    later = Identity("harbour", "bj-1", 4)
    journal = await Journal.open(house.journal, later, key=KEY)
    await journal.close()
    await house.played(3)
    assert survey(house.copy, later).reached.rows.records == 3
    assert survey(house.copy, HERE).reached.rows.records == 10


# --- a device that fails ----------------------------------------------------------------------------


@pytest.mark.parametrize("fault", [errno.EIO, errno.ENOSPC])
async def test_a_device_that_refuses_is_reported_and_caught_up_when_it_takes_bytes_again(
    house: House, fault: int
) -> None:
    await house.open()
    await house.commit(3)
    await house.until(lambda: house.copied() == 3)
    house.device.fault = fault
    await house.commit(4)
    await house.until(lambda: house.fitness[-1][0] == "warned")
    assert os.strerror(fault) in house.fitness[-1][1]
    assert survey(house.copy, HERE).damage is None
    house.device.fault = 0
    await house.until(lambda: house.fitness[-1] == ("fit", ""))
    await house.close()
    assert house.copied() == 7
    assert run(verify.command, house.copy)[0] == 0


async def test_a_device_that_is_pulled_out_and_back_is_reported_and_caught_up(house: House) -> None:
    await house.open()
    await house.commit(3)
    await house.until(lambda: house.copied() == 3)
    away = house.copy.with_name("away")
    # What lies there without its device is the folder it was mounted on: empty, and on the journal's device.
    house.device.number = 1
    house.copy.rename(away)
    house.copy.mkdir()
    await house.until(lambda: "lies on the same device as the journal" in house.fitness[-1][1])
    assert house.fitness[-1][0] == "warned"
    await house.commit(4)
    assert list(house.copy.iterdir()) == []
    house.copy.rmdir()
    away.rename(house.copy)
    house.device.number = 7
    await house.until(lambda: house.fitness[-1] == ("fit", "") and house.copied() == 7)
    assert not any("somebody changed it" in text for _, text in house.fitness)


async def test_a_last_batch_whose_sync_failed_is_written_once_more(house: House) -> None:
    await house.played(3)
    written: list[bytes] = []
    keep = house.device.write

    def seen(descriptor: int, data: bytes) -> int:
        written.append(data)
        return keep(descriptor, data)

    house.device.write = seen  # type: ignore[method-assign]
    before = segments(house)[0].read_bytes()
    await house.open()
    await house.until(lambda: bool(written))
    assert before.endswith(written[0])
    assert b"record 3" in written[0] or b"surveillance" in written[0]
    await house.close()
    assert segments(house)[0].read_bytes().startswith(before)


# --- one of the two is damaged ----------------------------------------------------------------------


async def test_a_damaged_journal_is_refused_and_the_named_command_mends_it(house: House) -> None:
    await house.played(200)
    before = content(house.journal)
    flip(house.journal, house.journal.stat().st_size // 2)
    damaged = house.journal.read_bytes()
    with pytest.raises(JournalDamaged) as refused:
        await house.open()
    message = str(refused.value)
    command = f"tableside restore --aside --key KEY_FILE {house.copy} {house.journal}"
    assert message.endswith(f"its second copy harbour/bj-1/3 is whole to record 200: {command}"), message
    assert house.journal.read_bytes() == damaged, "nothing is cleared by itself"
    assert run(restore.command, *command.replace("KEY_FILE", house.with_key[1]).split()[2:])[0] == 0
    assert content(house.journal) == before
    assert house.journal.with_name("journal.sqlite.damaged-1").read_bytes() == damaged
    await house.played(1)
    assert house.copied() == 201


async def test_a_missing_journal_is_not_begun_anew_where_there_is_a_copy(house: House) -> None:
    await house.played()
    for left in house.journal.parent.iterdir():
        left.unlink()
    with pytest.raises(JournalFailed, match=r"the journal is missing; its second copy .* is whole to record 10"):
        await house.open()
    assert not house.journal.exists()


async def test_a_journal_that_lost_its_end_is_refused_though_its_head_file_is_gone(house: House) -> None:
    await house.played(5)
    older = house.journal.read_bytes()
    await house.played(5)
    house.journal.write_bytes(older)
    house.journal.with_name("journal.sqlite-head").unlink()
    with pytest.raises(JournalDamaged, match="ends with record 5, and its second copy with record 10: its end is lost"):
        await house.open()
    assert run(restore.command, *house.with_key, "--aside", house.copy, house.journal)[0] == 0
    assert verify_journal(house.journal).records == 10


async def test_a_journal_that_lost_what_was_noted_after_its_last_record_is_refused(house: House) -> None:
    await house.played(5)
    older = house.journal.read_bytes()
    opened_again = await house.open()
    await opened_again.journal.note("software", "another")
    await house.close()
    house.journal.write_bytes(older)
    lost = r"ends with row \d+ of meta, and its second copy with row \d+: its end is lost"
    with pytest.raises(JournalDamaged, match=lost):
        await house.open()


async def test_another_journal_in_its_place_is_refused(house: House) -> None:
    await house.played(5)
    for left in house.journal.parent.iterdir():
        left.unlink()
    journal = await Journal.open(house.journal, HERE, key=KEY)
    for number in range(1, 8):
        await journal.commit([JournalEntry(number, b"other %d" % number)])
    await journal.close()
    with pytest.raises(JournalDamaged, match="record 5 is not the one its second copy has"):
        await house.open()


async def test_an_older_epoch_than_its_copy_has_is_refused(house: House) -> None:
    await house.played(2)
    later = segments(house)[0]
    await house.played(2)
    later.rename(later.with_name(later.name.replace("3-", "4-", 1)))
    with pytest.raises(JournalDamaged, match="is of epoch 3, and its second copy of epoch 4"):
        await house.open()


@pytest.mark.parametrize("seed", range(12))
async def test_a_damaged_copy_is_put_aside_and_written_anew_from_the_journal(house: House, seed: int) -> None:
    """A seeded part of what happens to segments: a bit anywhere, a segment cut short, deleted, exchanged."""
    chance = random.Random(seed)
    await house.played(30)
    for _ in range(3):
        await house.played(10)
        last = segments(house)[-1]
        number = last.stem.partition("-")[2]
        assert run(verify.command, house.copy)[0] == 0
        begin_another(house, int(number) + 1)
    before = content(house.journal)
    path = chance.choice(segments(house))
    match seed % 4:
        case 0 | 1:
            flip(path, chance.randrange(path.stat().st_size), chance.randrange(8))
        case 2:
            path.write_bytes(path.read_bytes()[: chance.randrange(path.stat().st_size)])
        case _:
            path.unlink()
    await house.open()
    await house.close()
    assert run(verify.command, house.copy)[0] == 0
    assert survey(house.copy).reached.rows.records == 60
    assert {name: rows[: len(before[name])] for name, rows in content(house.journal).items()} == before
    shutil.rmtree(house.journal.parent)
    house.journal.parent.mkdir()
    assert run(restore.command, *house.with_key, house.copy, house.journal)[0] == 0
    assert content(house.journal)["records"] == before["records"]
    assert content(house.journal)["events"] == before["events"]


async def test_damage_in_the_copy_found_while_the_table_runs_is_reported_and_mended(house: House) -> None:
    await house.open()
    await house.commit(30)
    await house.until(lambda: house.copied() == 30)
    flip(segments(house)[0], 300)
    status, output = run(verify.command, house.copy)
    assert status == 1
    assert "damaged" in output
    assert house.storage is not None
    assert house.storage.second is not None
    house.storage.second.doubt(output)
    await house.until(lambda: any("put aside, and written anew" in text for _, text in house.fitness))
    # What was damaged at the copy's end is written as anything new is, and the copy is behind until then.
    await house.until(lambda: house.copied() == 30 and house.fitness[-1] == ("fit", ""))
    assert run(verify.command, house.copy)[0] == 0


# --- both, and what restore refuses -----------------------------------------------------------------


async def test_with_both_damaged_the_table_says_what_is_whole_and_touches_neither(house: House) -> None:
    await house.played(200)
    flip(house.journal, house.journal.stat().st_size // 2)
    flip(segments(house)[0], 9 * segments(house)[0].stat().st_size // 10)
    left = {path: path.read_bytes() for path in (house.journal, *segments(house))}
    with pytest.raises(JournalDamaged, match=r"its second copy is damaged too: .*; whole to record \d+$"):
        await house.open()
    status, output = run(restore.command, *house.with_key, "--aside", house.copy, house.journal)
    assert status == 1
    assert "the copy is whole to record" in output
    assert {path: path.read_bytes() for path in (house.journal, *segments(house))} == left


async def test_a_copy_that_lacks_what_the_head_file_knows_is_refused(house: House) -> None:
    await house.played(5)
    kept = segments(house)[0].read_bytes()
    await house.played(5)
    segments(house)[0].write_bytes(kept)
    house.journal.unlink()
    status, output = run(restore.command, *house.with_key, house.copy, house.journal)
    assert status == 2
    assert "ends with record 5, and record 10 had been committed" in output
    assert "begin-epoch" in output


async def test_a_journal_that_a_table_runs_on_is_not_put_aside(house: House) -> None:
    await house.open()
    await house.commit(3)
    status, output = run(restore.command, *house.with_key, "--aside", house.copy, house.journal)
    assert (status, "in use by another process" in output) == (2, True)


async def test_another_tables_folder_is_no_copy(house: House, tmp_path: Path) -> None:
    await house.played(2)
    (tmp_path / "other").mkdir()
    other = House(tmp_path / "other")
    other.copy = house.copy
    journal = await Journal.open(other.journal, Identity("harbour", "bj-2", 3), key=KEY)
    await journal.close()
    other.storage = await opened(
        other.journal,
        Identity("harbour", "bj-2", 3),
        KEY,
        MARKS,
        SystemClock(),
        keeping=JournalSafeguards(0, other.place),
    )
    other.watches = [
        asyncio.create_task(work())
        for name, work in other.storage.watches(other.report_fitness, MachineBoard(SystemClock()))
        if name == "second copy"
    ]
    await other.until(lambda: bool(other.fitness) and other.fitness[-1][0] == "warned")
    assert "give each table a folder of its own" in other.fitness[-1][1]
    await other.close()


def test_a_folder_without_a_copy_is_said_to_be_none(tmp_path: Path) -> None:
    for command, arguments in (
        (verify.command, (tmp_path,)),
        (restore.command, ("--key", key_file(tmp_path.parent), tmp_path, tmp_path / "j")),
    ):
        status, output = run(command, *arguments)
        assert (status, "there is no second copy here" in output) == (2, True)


def test_a_check_of_the_table_file_reports_a_copy_that_cannot_be_kept(tmp_path: Path) -> None:
    path = written(tmp_path)
    (tmp_path / "broker.password").touch(0o600)
    path.write_text(path.read_text().replace("[table]\n", '[table]\nsecond_copy = "copies"\n', 1))
    text = path.read_text().replace("/var/lib/tableside/bj-1/journal.sqlite", "journal.sqlite")
    path.write_text(text)
    assert "second_copy: " + f"{tmp_path / 'copies'}: there is no such folder" in run(check.command, path)[1]
    (tmp_path / "copies").mkdir()
    status, output = run(check.command, path)
    assert (status, "lies on the same device as the journal" in output) == (0, True), output


async def test_rows_that_the_journal_gives_otherwise_than_they_were_committed_are_not_copied(house: House) -> None:
    await house.open()
    await house.commit(5)
    await house.until(lambda: house.copied() == 5)
    assert house.storage is not None
    journal = house.storage.journal
    head = journal.head
    seal = 6, bytes(32), bytes(32), bytes(64)
    inserts = (
        ("INSERT INTO records VALUES (6, x'00', x'00')", ()),
        (
            "INSERT INTO seals VALUES (?, ?, ?, ?, ?)",
            (*seal, seal_digest(*seal)),
        ),
    )
    await journal._submit(lambda connection: [connection.execute(*one) for one in inserts])
    assert journal.head == head
    await house.until(lambda: house.fitness[-1][0] == "warned")
    assert "does not give what was committed: record 6 or its events" in house.fitness[-1][1]
    assert house.copied() == 5
