"""What a disk may do to a journal, and what people may: each is noticed, and nothing goes on from it."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import sqlite3
import struct
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.commands import backup, begin_epoch, export, restore
from controller.formats.journal.records import Identity
from controller.formats.journal.wal import FRAME_BYTES, WAL_HEADER_BYTES
from controller.io.files.key_file import create_key
from controller.io.files.table_file import load_table
from controller.io.journal.commit_marker import path_of
from controller.io.journal.epochs import EpochRefused, EpochRuling
from controller.io.journal.epochs import begin_epoch as begin
from controller.io.journal.errors import JournalDamaged, JournalFailed
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.io.journal.scrub import Scrub, before_start, mark_of
from controller.io.journal.verification import verify
from controller.io.system.clock_watch import BUILT_NS, ClockWatch
from firmware_protocols.readings import DeviceComplained
from tests.docs.test_configuration_doc import EXAMPLE, FILES, Zeros
from tests.journal_key import KEY, key_file

HERE = Identity("harbour", "bj-1", 3)
TWO = EpochRuling("M. Okafor", "J. Reyes", "the disk was replaced")


def beside(path: Path, suffix: str) -> Path:
    return Path(f"{path}{suffix}")


def with_key(directory: Path) -> list[str]:
    (directory / "kept").mkdir(exist_ok=True)
    return ["--key", str(key_file(directory / "kept"))]


def names(directory: Path) -> list[str]:
    return sorted(one.name for one in directory.iterdir())


async def commit(journal: Journal, records: int) -> None:
    for _ in range(records):
        head = journal.head
        await journal.commit(
            [JournalEntry(head.number + 1, b"record", ((head.seq + 1, b"event %d" % (head.seq + 1)),))]
        )


async def written(path: Path, records: int = 6) -> None:
    journal = await Journal.open(path, HERE, key=KEY)
    await commit(journal, records)
    await journal.close()


async def left_by_a_kill(directory: Path, records: int = 6) -> Path:
    """A journal with its log, as nobody closed it."""
    path, copy = directory / "running.sqlite", directory / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await commit(journal, records)
    for suffix in ("", "-wal", "-head"):
        shutil.copy(f"{path}{suffix}", f"{copy}{suffix}")
    await journal.close()
    return copy


# --- a journal that was being begun ------------------------------------------------------------------


@pytest.mark.parametrize("log", [b"", bytes(WAL_HEADER_BYTES)])
async def test_a_power_cut_in_the_first_moments_of_a_journal_leaves_nothing_to_refuse(
    tmp_path: Path, log: bytes
) -> None:
    """The rollback journal of the first page is there again, and beside it a log that nothing was written to."""
    path = tmp_path / "journal.sqlite"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA page_size = 4096")
        connection.execute("PRAGMA journal_mode = wal")
    # No page to put back, and a database of no pages before: https://www.sqlite.org/fileformat2.html, section 3.
    empty = struct.pack(">8s5I", bytes.fromhex("d9d505f920a163d7"), 0, 1, 0, 512, 4096)
    beside(path, "-journal").write_bytes(empty.ljust(512, b"\x00"))
    beside(path, "-wal").write_bytes(log)
    before_start(path)
    await written(path)
    with JournalReader(path) as reader:
        assert reader.head().number == 6


# --- a lost end -------------------------------------------------------------------------------------


async def test_a_bit_in_the_last_transaction_of_the_log_is_a_lost_end(tmp_path: Path) -> None:
    """SQLite takes it for a power cut and cuts it off; the head file knows that it had been committed."""
    path = await left_by_a_kill(tmp_path)
    log = beside(path, "-wal")
    data = bytearray(log.read_bytes())
    frames = (len(data) - WAL_HEADER_BYTES) // FRAME_BYTES
    data[WAL_HEADER_BYTES + (frames - 1) * FRAME_BYTES + 100] ^= 1
    log.write_bytes(data)
    with pytest.raises(JournalDamaged, match="ends with record 5, and record 6 had been committed"):
        before_start(path)
    with pytest.raises(JournalDamaged, match="its end is lost"):
        await Journal.open(path, HERE, key=KEY)
    assert log.read_bytes() == bytes(data), "what is left is evidence"


async def test_a_deleted_log_is_a_lost_end(tmp_path: Path) -> None:
    path = await left_by_a_kill(tmp_path)
    beside(path, "-wal").unlink()
    assert "had been committed: its end is lost" in str(verify(path).damage)
    with pytest.raises(JournalDamaged, match="its end is lost"):
        await Journal.open(path, HERE, key=KEY)


async def test_a_bit_in_the_middle_of_the_log_stops_the_start_before_the_log_is_cut_off(tmp_path: Path) -> None:
    path = await left_by_a_kill(tmp_path)
    log = beside(path, "-wal")
    data = bytearray(log.read_bytes())
    data[WAL_HEADER_BYTES + 100] ^= 1
    log.write_bytes(data)
    path_of(path).unlink()
    with pytest.raises(JournalDamaged, match="what follows is lost"):
        await Journal.open(path, HERE, key=KEY)
    assert log.read_bytes() == bytes(data)


async def test_a_log_whose_first_write_was_torn_has_lost_nothing(tmp_path: Path) -> None:
    """The log begins anew after it was folded in; a power cut then leaves a header that is none."""
    path = tmp_path / "journal.sqlite"
    await written(path)
    beside(path, "-wal").write_bytes(b"\x37\x7f\x06\x82" + bytes(60))
    assert verify(path).damage is None
    journal = await Journal.open(path, HERE, key=KEY)
    await commit(journal, 1)
    await journal.close()
    assert verify(path).records == 7


async def test_an_older_copy_in_its_place_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    older = path.read_bytes()
    await written(path)
    path.write_bytes(older)
    with pytest.raises(JournalDamaged, match="ends with record 6, and record 12 had been committed"):
        await Journal.open(path, HERE, key=KEY)


async def test_a_journal_that_is_gone_is_not_begun_anew(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    path.unlink()
    with pytest.raises(JournalFailed, match=r"the journal is missing, and .*-head is there"):
        await Journal.open(path, HERE, key=KEY)
    with pytest.raises(JournalFailed, match="begin-epoch"):
        await Journal.open(path, HERE, key=KEY)


@pytest.mark.parametrize("slot", [0, 1])
async def test_a_torn_slot_of_the_head_file_leaves_the_other(tmp_path: Path, slot: int) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    head = bytearray(path_of(path).read_bytes())
    head[slot * 128 + 30] ^= 1
    path_of(path).write_bytes(head)
    before_start(path)
    head[(1 - slot) * 128 + 30] ^= 1
    path_of(path).write_bytes(head)
    with pytest.raises(JournalDamaged, match="no slot of the head file"):
        before_start(path)
    with pytest.raises(JournalDamaged, match="no slot of the head file"):
        await Journal.open(path, HERE, key=KEY)


async def test_an_altered_event_never_leaves(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path, 30)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"event 17", b"event 71", 1))
    # As if the bit had flipped while the table runs: the start has looked, publication comes later.
    with pytest.raises(JournalDamaged):
        before_start(path)
    ran = CliRunner().invoke(export.command, ["--events", str(path)])
    assert (ran.exit_code, ran.stdout) == (1, "")
    ran = CliRunner().invoke(export.command, ["--events", "--last", "16", str(path)])
    assert (ran.exit_code, ran.stdout.splitlines()[-1]) == (0, "event 16")
    ran = CliRunner().invoke(export.command, ["--events", "--first", "18", "--last", "19", str(path)])
    assert (ran.exit_code, ran.stdout) == (0, "event 18\nevent 19\n")


# --- looking again ----------------------------------------------------------------------------------


async def test_the_hourly_look_ends_a_table_whose_journal_is_damaged_and_leaves_a_mark(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    look = Scrub(path, is_due=True).look
    await look()
    assert not mark_of(path).exists()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"event 3", b"event 4", 1))
    with pytest.raises(JournalFailed, match="damaged: record 3"):
        await look()
    assert "record 3" in mark_of(path).read_text()
    path.write_bytes(whole)
    assert before_start(path)
    assert not mark_of(path).exists()


async def test_a_look_that_cannot_be_taken_stops_nothing_and_leaves_no_process(tmp_path: Path) -> None:
    await Scrub(tmp_path / "none", is_due=True).look()
    forever = Scrub(tmp_path / "none", is_due=True, command=(sys.executable, "-c", "import time; time.sleep(600)"))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(forever.run(), 0.3)


async def test_each_hour_one_look(tmp_path: Path) -> None:
    log = tmp_path / "looks"
    write = f"open({str(log)!r}, 'a').write('x')"
    later = Scrub(tmp_path / "none", is_due=False, command=(sys.executable, "-c", write))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(later.run(), 0.3)
    assert not log.exists()


# --- copies -----------------------------------------------------------------------------------------


async def test_a_backup_of_a_running_journal_is_whole_and_can_be_gone_on_with(tmp_path: Path) -> None:
    path, copy, again = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite", tmp_path / "again.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await commit(journal, 40)
    ran = await asyncio.to_thread(CliRunner().invoke, backup.command, [str(path), str(copy)])
    assert (ran.exit_code, "40 records" in ran.output) == (0, True), ran.output
    await commit(journal, 1)
    await journal.close()
    assert verify(copy).records == 40
    assert not [name for name in names(tmp_path) if ".part" in name]
    ran = CliRunner().invoke(backup.command, [str(path), str(copy)])
    assert (ran.exit_code, "is there already" in ran.output) == (2, True)
    ran = CliRunner().invoke(restore.command, [*with_key(tmp_path), str(copy), str(again)])
    assert ran.exit_code == 0, ran.output
    journal = await Journal.open(again, HERE, key=KEY)
    await commit(journal, 2)
    await journal.close()
    assert (verify(again).damage, verify(again).records) == (None, 42)


@pytest.mark.parametrize("by", [".backup", "VACUUM INTO"])
async def test_copies_by_sqlite_itself_are_whole_too(tmp_path: Path, by: str) -> None:
    path, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    await written(path, 300)
    with contextlib.closing(sqlite3.connect(path)) as source, contextlib.closing(sqlite3.connect(copy)) as target:
        if by == ".backup":
            source.backup(target)
        else:
            source.execute(f"VACUUM INTO '{copy}'")
    assert verify(copy).damage is None
    copy.write_bytes(copy.read_bytes().replace(b"event 17", b"event 71", 1))
    assert verify(copy).damage is not None


async def test_a_copy_that_lacks_what_others_know_is_not_put_back(tmp_path: Path) -> None:
    path, copy, held = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite", tmp_path / "held"
    await written(path)
    assert CliRunner().invoke(backup.command, [str(path), str(copy)]).exit_code == 0
    await written(path)
    ran = CliRunner().invoke(restore.command, [*with_key(tmp_path), str(copy), str(path)])
    assert (ran.exit_code, "is there already" in ran.output) == (2, True)
    path.unlink()
    ran = CliRunner().invoke(restore.command, [*with_key(tmp_path), str(copy), str(path)])
    assert (ran.exit_code, "record 12 had been committed" in ran.output, "begin-epoch" in ran.output) == (2, True, True)
    path_of(path).unlink()
    held.write_text("".join(f'{{"source":"/harbour/bj-1","epoch":3,"seq":{seq}}}\n' for seq in range(1, 8)))
    ran = CliRunner().invoke(restore.command, [*with_key(tmp_path), "--held", str(held), str(copy), str(path)])
    assert (ran.exit_code, "a consumer holds event 7" in ran.output) == (2, True)
    assert not path.exists()
    ran = CliRunner().invoke(restore.command, [*with_key(tmp_path), str(copy), str(path)])
    assert ran.exit_code == 0
    before_start(path)


async def test_a_damaged_journal_gives_no_backup(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    path.write_bytes(path.read_bytes().replace(b"event 3", b"event 4", 1))
    ran = CliRunner().invoke(backup.command, [str(path), str(tmp_path / "copy")])
    assert (ran.exit_code, "the copy is damaged" in ran.output) == (1, True)
    assert not (tmp_path / "copy").exists()


# --- a new epoch ------------------------------------------------------------------------------------


async def test_two_persons_begin_a_new_epoch_and_the_old_journal_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    old = path.read_bytes()
    # A clock that was set back does not lead back.
    begun = await begin(path, "harbour", "bj-1", TWO, wall_ns=1)
    assert begun.identity.epoch == 4
    assert begun.kept == tmp_path / "journal.3.sqlite"
    assert begun.kept.read_bytes() == old
    assert verify(begun.kept).damage is None
    with JournalReader(path) as reader:
        meta = {key: reader.meta[key] for key in ("who", "witness", "why", "follows")}
    assert meta["follows"].startswith("3: record 6, event 6, head ")
    assert (meta["who"], meta["witness"], meta["why"]) == TWO[:3]
    journal = await Journal.open(path, HERE, key=KEY)
    assert (journal.identity.epoch, journal.head.number) == (4, 0)
    await commit(journal, 1)
    await journal.close()


async def test_a_journal_that_cannot_be_read_is_put_aside_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(b"rubbish" * 1000)
    begun = await begin(path, "harbour", "bj-1", TWO, wall_ns=7_000_000_000)
    assert begun.kept == tmp_path / "journal.unreadable.sqlite"
    assert begun.kept.read_bytes() == b"rubbish" * 1000
    assert begun.identity.epoch == 7


async def test_one_that_cannot_be_read_is_followed_by_a_higher_epoch_wherever_it_is_known(tmp_path: Path) -> None:
    """Consumers and pools take nothing of a lower epoch, and the same again would give its numbers twice."""
    path = tmp_path / "journal.sqlite"
    await written(path)
    path.write_bytes(path.read_bytes().replace(b"SQLite format 3", b"SQLite format 9"))
    # What it says itself; then by the journals that were kept before it; then by what is known elsewhere.
    assert (await begin(path, "harbour", "bj-1", TWO, wall_ns=1)).identity.epoch == 4
    assert (await begin(path, "harbour", "bj-1", TWO, wall_ns=1)).identity.epoch == 5
    path.write_bytes(b"rubbish" * 1000)
    (tmp_path / "journal.20261128120000.sqlite").touch()
    assert (await begin(path, "harbour", "bj-1", TWO, wall_ns=1)).identity.epoch == 6
    path.unlink()
    path_of(path).unlink()
    assert (await begin(path, "harbour", "bj-1", TWO, wall_ns=1, known=17)).identity.epoch == 18


@pytest.mark.parametrize(
    "ruling", [EpochRuling("M. Okafor", " m. okafor", "x"), EpochRuling("", "J", "x"), EpochRuling("M", "J", " ")]
)
async def test_one_person_alone_or_no_reason_begins_nothing(tmp_path: Path, ruling: EpochRuling) -> None:
    with pytest.raises(EpochRefused, match="two people"):
        await begin(tmp_path / "journal.sqlite", "harbour", "bj-1", ruling, wall_ns=1)
    assert names(tmp_path) == []


async def test_a_running_table_or_anothers_journal_begins_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    with pytest.raises(EpochRefused, match="in use by another process"):
        await begin(path, "harbour", "bj-1", TWO, wall_ns=1)
    await journal.close()
    with pytest.raises(EpochRefused, match="the journal of harbour/bj-1, not of harbour/bj-2"):
        await begin(path, "harbour", "bj-2", TWO, wall_ns=1)


async def test_an_epoch_cut_off_while_it_began_is_begun_by_nobody_else(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(beside(path, ".new"))
    with pytest.raises(JournalFailed, match=r"the journal is missing, and .*\.new is there"):
        await Journal.open(path, HERE, key=KEY)
    begun = await begin(path, "harbour", "bj-1", TWO, wall_ns=9_000_000_000)
    assert (begun.identity.epoch, begun.kept) == (9, None)


def test_the_command_begins_an_epoch(tmp_path: Path) -> None:
    create_key(tmp_path / "table.key", Zeros())
    (tmp_path / "chips.csv").write_text(FILES["chips.csv"].text)
    text = re.sub(r"^journal = .*$", 'journal = "journal.sqlite"', EXAMPLE, flags=re.MULTILINE)
    (tmp_path / "table.toml").write_text(text)
    arguments = ["--who", "M. Okafor", "--witness", "J. Reyes", "--why", "replaced", str(tmp_path / "table.toml")]
    (first, second) = (CliRunner().invoke(begin_epoch.command, arguments) for _ in range(2))
    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert "begins" in first.output
    assert "kept, record 0, event 0" in second.output


def test_the_command_begins_none_below_the_second_copys_and_none_while_the_clock_is_not_set(tmp_path: Path) -> None:
    create_key(tmp_path / "table.key", Zeros())
    (tmp_path / "chips.csv").write_text(FILES["chips.csv"].text)
    text = re.sub(r"^journal = .*$", 'journal = "journal.sqlite"\nsecond_copy = "copy"', EXAMPLE, flags=re.MULTILINE)
    (tmp_path / "table.toml").write_text(text)
    (tmp_path / "copy").mkdir()
    now = BUILT_NS // 1_000_000_000
    (tmp_path / "copy" / f"{now + 3_600}-00000001.segment").touch()
    later = tmp_path / "copy" / f"{now + 360_000}-00000001.segment"
    later.touch()
    config = load_table(tmp_path / "table.toml", within_service=False).config
    with pytest.raises(EpochRefused, match="set the clock, then begin the epoch"):
        begin_epoch.begun(config, TWO, BUILT_NS - 1)
    with pytest.raises(EpochRefused, match="later than the clock shows: set the clock, or move them away"):
        begin_epoch.begun(config, TWO, BUILT_NS)
    later.unlink()
    begin_epoch.begun(config, TWO, BUILT_NS)
    with JournalReader(tmp_path / "journal.sqlite") as reader:
        assert reader.identity.epoch == now + 3_601


# --- clock and disk ---------------------------------------------------------------------------------


class At:
    def __init__(self, wall_ns: int) -> None:
        self.wall = wall_ns

    def monotonic_ns(self) -> int:
        return 5

    def wall_ns(self) -> int:
        return self.wall


@pytest.mark.parametrize(
    ("now_ns", "last_ns", "codes"),
    [
        (BUILT_NS + 9, BUILT_NS, []),
        (BUILT_NS, BUILT_NS + 500_000_000, []),
        (BUILT_NS, BUILT_NS + 3_000_000_000, ["stepped"]),
        (1_000_000_000, BUILT_NS, ["unset"]),
        (1_000_000_000, 0, ["unset"]),
    ],
)
def test_20_a_clock_that_is_behind_the_journal_or_was_never_set_is_reported(
    now_ns: int, last_ns: int, codes: list[str]
) -> None:
    alarms: list[DeviceComplained] = []
    ClockWatch(At(now_ns), alarms.append, last_ns).look_at_start()
    assert [alarm.code for alarm in alarms] == codes
