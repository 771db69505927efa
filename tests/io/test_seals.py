"""A journal is gone on with by who has the table's key, and by nobody else."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.commands import restore, verify
from controller.commands.status import is_running
from controller.formats.journal.records import Identity, chain, key_mark, seal_checkpoint
from controller.formats.journal.seals import Sealing, seal_digest
from controller.formats.journal.signed_note import Verifier
from controller.formats.journal.tree_heads import origin, read_head, record_leaf
from controller.io.copies.backup import backup
from controller.io.copies.segment_folder import survey
from controller.io.copies.segment_writer import Disk, SegmentWriter, next_rows
from controller.io.journal.commit_marker import HeadFile
from controller.io.journal.epochs import EpochRuling, begin_epoch
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.journal import Journal
from controller.io.journal.lock import is_locked
from controller.io.journal.reader import Head, JournalEntry, JournalReader
from controller.io.journal.scrub import before_start
from tests.docs.pages import page
from tests.io.second_copy_rig import House
from tests.journal_key import KEY, key_file

HERE = Identity("harbour", "bj-1", 3)
REFUSED = "record 7 was not written with this table's key"


async def written(path: Path, records: int = 6) -> None:
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.note("key", key_mark(KEY))
    for number in range(journal.head.number + 1, journal.head.number + 1 + records):
        body = b"record %d" % number
        hashed = chain(journal.head.hash, number, body, [b"event"])
        checkpoint = seal_checkpoint(b"checkpoint", KEY, number, hashed) if number == 4 else None
        await journal.commit([JournalEntry(number, body, ((number, b"event"),), checkpoint)])
    await journal.close()


def append(path: Path, *, is_sealed: bool = True) -> None:
    """What somebody does who can write the file and has not the key: all but the seal is as it must be."""
    with JournalReader(path) as reader:
        head, tree = reader.head(), reader.tree()
    number, body = head.number + 1, b"a wager of 500000 by M. Okafor"
    hashed = chain(head.hash, number, body, [b"event"])
    seal = number, tree.appended(record_leaf(number, body, [b"event"])).root(), bytes(32), bytes(64)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("INSERT INTO records VALUES (?, ?, ?)", (number, body, hashed))
    connection.execute("INSERT INTO events VALUES (?, ?, ?)", (head.seq + 1, number, b"event"))
    if is_sealed:
        connection.execute("INSERT INTO seals VALUES (?, ?, ?, ?, ?)", (*seal, seal_digest(*seal)))
    connection.close()
    file = HeadFile.open(path, head)
    file.write(Head(number, hashed, head.seq + 1))
    file.close()


def run(command: object, *arguments: object) -> tuple[int, str]:
    ran = CliRunner().invoke(command, [str(one) for one in arguments])  # type: ignore[arg-type]
    return ran.exit_code, ran.output


async def test_a_record_appended_without_the_key_stops_the_table_with_a_line_that_says_what_to_do(
    tmp_path: Path,
) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    append(path)
    before_start(path)
    with pytest.raises(JournalDamaged, match=REFUSED) as refused:
        await Journal.open(path, HERE, key=KEY)
    assert str(refused.value).replace(str(path), "journal.sqlite") in " ".join(page("operations.md").split())
    assert "tableside restore --aside" in str(refused.value)
    assert "tableside begin-epoch" in str(refused.value)
    assert "\n" not in str(refused.value)


async def test_records_without_a_seal_are_damage_to_whoever_has_no_key(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    append(path, is_sealed=False)
    with pytest.raises(JournalDamaged, match="records 7 to 7 are not sealed"):
        before_start(path)
    with pytest.raises(JournalDamaged, match=REFUSED):
        await Journal.open(path, HERE, key=KEY)


async def test_verify_with_the_key_names_what_was_appended_and_prints_the_verifier_key(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    status, output = run(verify.command, "--key", key_file(tmp_path), path)
    assert status == 0
    with JournalReader(path) as reader:
        assert Verifier.read(output.splitlines()[-1]) == Sealing(KEY, reader.identity).verifier
    append(path)
    assert run(verify.command, path)[0] == 0
    status, output = run(verify.command, "--key", key_file(tmp_path), path)
    assert (status, REFUSED in output) == (1, True)


async def test_another_tables_key_is_called_that_and_the_journal_and_its_copy_are_not_called_damaged(
    tmp_path: Path,
) -> None:
    house = House(tmp_path)
    await house.played(6)
    key = tmp_path / "other.key"
    key.touch(0o600)
    key.write_text("5a" * 32)
    for kept in (house.journal, house.copy):
        status, output = run(verify.command, "--key", key, kept)
        assert (status, "damaged" in output) == (2, False)
        assert output.startswith(f"tableside: {key}: {kept}: whole, but not sealed with this key; give the key that")
        assert run(verify.command, "--key", key_file(tmp_path), kept)[0] == 0


async def test_status_says_whether_the_daemon_runs(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    assert (is_locked(path), is_running(path)) == (False, False)
    journal = await Journal.open(path, HERE, key=KEY)
    assert (is_locked(path), is_running(path)) == (True, True)
    await journal.close()
    assert is_running(tmp_path / "none") is None


@pytest.mark.parametrize(
    ("device", "is_same_file", "is_it"),
    [("own", True, True), ("mount", True, True), ("other", True, False), ("own", False, False)],
)
async def test_a_lock_is_the_journals_by_number_and_device(
    tmp_path: Path, *, device: str, is_same_file: bool, is_it: bool
) -> None:
    """The kernel's list has the device of a mount, and files of a Btrfs subvolume say another one of themselves."""
    path, proc = tmp_path / "journal.sqlite", tmp_path / "proc"
    await written(path)
    found = path.stat()
    devices = {
        "own": f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}",
        "mount": "fe:0b",
        "other": "00:2a",
    }
    number = found.st_ino if is_same_file else found.st_ino + 1
    (proc / "self/fdinfo").mkdir(parents=True)
    for descriptor in range(200):
        (proc / f"self/fdinfo/{descriptor}").write_text("pos:\t0\nflags:\t012100000\nmnt_id:\t31\n")
    mounts = "30 1 0:42 / /srv rw - tmpfs tmpfs rw\n31 1 254:11 /@var /var rw,relatime shared:2 - btrfs /dev/vda rw\n"
    (proc / "self/mountinfo").write_text(mounts)
    (proc / "locks").write_text(
        f"1: POSIX  ADVISORY  READ  77 {devices['own']}:{found.st_ino} 124 124\n"
        f"2: FLOCK  ADVISORY  WRITE 78 {devices[device]}:{number} 0 EOF\n"
    )
    assert is_locked(path, proc) is is_it
    (proc / "self/mountinfo").unlink()
    assert is_locked(path, proc) is (is_it and device != "mount")


async def test_what_was_appended_to_a_backup_is_not_put_back(tmp_path: Path) -> None:
    path, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    await written(path)
    backup(path, copy)
    await written(path, 3)
    append(copy)
    path.unlink()
    status, output = run(restore.command, "--key", key_file(tmp_path), copy, path)
    assert (status, REFUSED in output) == (1, True), output
    assert not path.exists()


async def test_what_was_appended_behind_a_backup_is_not_taken_over(tmp_path: Path) -> None:
    path, copy = tmp_path / "journal.sqlite", tmp_path / "copy.sqlite"
    await written(path, 4)
    backup(path, copy)
    await written(path, 2)
    append(path)
    path.with_name("journal.sqlite-head").unlink()
    status, output = run(restore.command, "--aside", "--key", key_file(tmp_path), copy, path)
    assert (status, "its last 2 records" in output) == (0, True), output
    journal = await Journal.open(path, HERE, key=KEY)
    assert journal.head.number == 6
    await journal.close()


async def test_another_key_is_distinguished_from_what_somebody_else_wrote(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    with pytest.raises(JournalFailed, match="put the right key back"):
        await Journal.open(path, HERE, key=bytes([1] * 32))


async def test_nothing_is_committed_without_the_key(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    journal = await Journal.open(path, HERE)
    with pytest.raises(JournalFailed, match="opened without the table's key"):
        await journal.commit([JournalEntry(7, b"record 7")])
    await journal.close()


async def test_a_journal_says_its_signed_head_and_knows_the_ones_before(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    journal = await Journal.open(path, HERE, key=KEY)
    assert journal.sealing is not None
    head = read_head(await journal.signed_head(), journal.sealing.verifier)
    assert (head.origin, head.size, head.root) == (origin(HERE), 6, await journal.known_head(6))
    await journal.commit([JournalEntry(7, b"record 7"), JournalEntry(8, b"record 8")])
    assert read_head(await journal.signed_head(), journal.sealing.verifier).size == 8
    assert await journal.known_head(7) is None
    assert await journal.known_head(6) == head.root
    await journal.close()


async def test_what_was_appended_to_the_second_copy_does_not_speak_against_the_journal(tmp_path: Path) -> None:
    house = House(tmp_path)
    await house.played(6)
    honest = house.journal.read_bytes()
    append(house.journal)
    found = survey(house.copy, HERE)
    writer = SegmentWriter.resume(house.copy, found, Disk())
    with JournalReader(house.journal) as reader:
        writer.append(next_rows(reader.connection, found.reached.rows))
    writer.close()
    assert house.copied() == 7
    house.journal.write_bytes(honest)
    house.journal.with_name("journal.sqlite-head").unlink()
    with pytest.raises(JournalDamaged, match=r"second copy .* is not the table's: record 7 was not written"):
        await house.open()


async def test_a_journal_of_an_earlier_format_is_not_called_damaged(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await written(path)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("DROP TABLE seals")
    connection.execute("PRAGMA user_version = 2")
    connection.close()
    message = "a journal of format 2, and this version has format 3"
    with pytest.raises(NotAJournal, match=message):
        before_start(path)
    assert run(verify.command, path)[0] == 2
    ruling = EpochRuling("M. Okafor", "J. Reyes", "a version with seals")
    begun = await begin_epoch(path, "harbour", "bj-1", ruling, 1)
    assert begun.before.startswith("record 6, event 6, head ")
    assert begun.identity.epoch == 4
