from __future__ import annotations

import asyncio
import contextlib
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.formats.journal.check import CheckReport, Contents, examine
from controller.formats.journal.file_header import library_of
from controller.formats.journal.records import Identity, chain, genesis
from controller.formats.journal.schema import APPLICATION_ID, FORMAT, PAGE_BYTES, TABLES
from controller.formats.journal.wal import first_page, wal_damage
from controller.io.copies.backup import restore
from controller.io.journal.errors import JournalDamaged, JournalFailed, NotAJournal
from controller.io.journal.journal import Journal
from controller.io.journal.reader import JournalEntry, JournalReader
from controller.io.journal.scrub import before_start
from controller.io.journal.verification import verify
from tests.journal_key import KEY

HERE = Identity(site="harbour", table="bj-1", epoch=3)


def entry(number: int, first_seq: int, events: int = 1, checkpoint: bytes | None = None) -> JournalEntry:
    bodies = tuple((first_seq + place, b"event %d" % (first_seq + place)) for place in range(events))
    return JournalEntry(number, b"record %d" % number, bodies, checkpoint)


def names(directory: Path) -> list[str]:
    return sorted(one.name for one in directory.iterdir())


async def write(path: Path, records: int, *, checkpoint_every: int = 4) -> None:
    journal = await Journal.open(path, HERE, created_wall_ns=5, key=KEY)
    for number in range(journal.head.number + 1, journal.head.number + 1 + records):
        checkpoint = bytes([number % 256]) * 9000 if number % checkpoint_every == 0 else None
        await journal.commit([entry(number, journal.head.seq + 1, number % 3, checkpoint)])
    await journal.mark_published(journal.head.seq)
    await journal.note_ack("surveillance", journal.head.seq)
    await journal.close()


async def test_what_was_committed_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    first = entry(1, 1, 2)
    expected = chain(genesis(HERE), 1, b"record 1", [b"event 1", b"event 2"])
    await journal.commit([first, entry(2, 3, 0), entry(3, 3, 1, b"sealed")])
    assert await journal.events_after(1, 1) == ((2, 1, b"event 2"),)
    await journal.mark_published(2)
    await journal.mark_published(1)
    assert await journal.last_published() == 2
    head = journal.head
    await journal.close()
    with JournalReader(path) as reader:
        assert reader.identity == HERE
        assert [row.body for row in reader.records()] == [b"record 1", b"record 2", b"record 3"]
        assert next(reader.records()).hash == expected
        assert [(row.seq, row.number) for row in reader.events(2)] == [(2, 1), (3, 3)]
        assert [row.seq for row in reader.events_of(1)] == [1, 2]
        assert reader.events_of(2) == ()
        assert reader.last_checkpoint() == (3, b"sealed")
        assert reader.last_published() == 2
        assert reader.head() == head
        reader.check_chain(0)
    assert names(tmp_path) == ["journal.sqlite", "journal.sqlite-head"]


async def test_a_reader_sees_commits_while_the_writer_works(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await journal.commit([entry(1, 1)])
    with JournalReader(path) as reader:
        assert reader.head().number == 1
        await journal.commit([entry(2, 2)])
        assert reader.head().number == 2
    assert verify(path).damage is None
    await journal.close()


async def test_many_callers_share_transactions_and_keep_their_order(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    await asyncio.gather(*(journal.commit([entry(number, number)]) for number in range(1, 501)))
    await journal.close()
    report = verify(path)
    assert (report.damage, report.records, report.events) == (None, 500, 500)


async def test_a_restart_goes_on_where_the_journal_ends(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await write(path, 5)
    journal = await Journal.open(path, Identity(site="harbour", table="bj-1", epoch=99), key=KEY)
    assert journal.identity == HERE
    assert journal.head.number == 5
    await journal.commit([entry(6, journal.head.seq + 1)])
    await journal.close()
    assert verify(path).records == 6


async def test_a_second_daemon_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    code = (
        "import asyncio, sys; from pathlib import Path; from controller.io.journal.journal import Journal\n"
        "asyncio.run(Journal.open(Path(sys.argv[1]), key=bytes(32)))"
    )
    second = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    assert "in use by another process; stop the other tableside" in second.stderr
    await journal.commit([entry(1, 1)])
    await journal.close()


async def test_another_tables_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await write(path, 1)
    with pytest.raises(JournalFailed, match="the journal of harbour/bj-1, not of harbour/bj-2"):
        await Journal.open(path, Identity(site="harbour", table="bj-2", epoch=1), key=KEY)


async def test_gaps_are_refused_and_write_nothing(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    for wrong in ([entry(2, 1)], [entry(1, 2)], [entry(1, 1), entry(1, 2)], [entry(1, 1), entry(3, 2)]):
        with pytest.raises(ValueError, match="cannot follow"):
            await journal.commit(wrong)
    await journal.commit([entry(1, 1)])
    await journal.close()
    assert verify(path).records == 1


async def test_a_full_disk_ends_the_journal_and_loses_nothing_committed(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, page_limit=40, key=KEY)
    committed = 0
    with pytest.raises(JournalFailed, match="full"):  # noqa: PT012 - it fails at one of many commits
        while committed < 10_000:
            await journal.commit([JournalEntry(committed + 1, bytes(3000))])
            committed += 1
    assert 0 < committed < 100
    with pytest.raises(JournalFailed, match="nothing more is taken"):
        await journal.commit([entry(committed + 2, 1)])
    with pytest.raises(JournalFailed, match="nothing more is taken"):
        await journal.mark_published(1)
    await journal.close()
    assert verify(path).records == committed


async def test_a_disk_that_refuses_writes_ends_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    code = (
        "import asyncio, resource, sys; from pathlib import Path\n"
        "from controller.io.journal.journal import *; from controller.formats.journal.records import Identity\n"
        "async def main():\n"
        "    journal = await Journal.open(Path(sys.argv[1]), Identity('harbour', 'bj-1', 3), key=bytes(32))\n"
        "    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "    done = 0\n"
        "    try:\n"
        "        while done < 1000:\n"
        "            await journal.commit([JournalEntry(done + 1, bytes(3000))]); done += 1\n"
        "    except JournalFailed as error:\n"
        "        print(done, error)\n"
        "asyncio.run(main())\n"
    )
    ran = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=False
    )
    done, reason = ran.stdout.split(" ", 1)
    assert "the disk refused" in reason
    assert verify(path).records == int(done) > 0


WRITER = """
import asyncio, sys
from pathlib import Path
from controller.formats.journal.records import Identity
from controller.io.journal.scrub import before_start
from controller.io.journal.journal import Journal, JournalEntry
async def main():
    journal = await Journal.open(Path(sys.argv[1]), Identity('harbour', 'bj-1', 3), key=bytes(32))
    while True:
        number = journal.head.number + 1
        await journal.commit([JournalEntry(number, bytes(200), ((number, bytes(50)),))])
        print(number, flush=True)
asyncio.run(main())
"""


@pytest.mark.parametrize("after", [1, 40, 300])
async def test_what_was_reported_durable_survives_a_kill(tmp_path: Path, after: int) -> None:
    path = tmp_path / "journal.sqlite"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(path), stdout=asyncio.subprocess.PIPE, cwd=Path.cwd()
    )
    assert process.stdout is not None
    durable = 0
    while durable < after:
        durable = int(await process.stdout.readline())
    process.send_signal(signal.SIGKILL)
    rest = (await process.stdout.read()).split()
    await process.wait()
    durable = int(rest[-1]) if rest and rest[-1].isdigit() else durable
    assert verify(path).damage is None
    journal = await Journal.open(path, key=KEY)
    assert journal.head.number >= durable
    await journal.close()
    assert verify(path).damage is None


async def test_nothing_can_be_edited_by_any_program(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await write(path, 4)
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode").fetchone()
    for table in ("records", "events", "checkpoints", "published", "acks", "meta"):
        for statement in (f"DELETE FROM {table}", f"UPDATE {table} SET rowid = rowid + 1000"):
            with pytest.raises(sqlite3.IntegrityError, match="append-only"):
                connection.execute(statement)
    for statement in ("REPLACE INTO records VALUES (1, x'00', x'00')", "INSERT INTO records VALUES (9, x'00', x'00')"):
        with pytest.raises(sqlite3.IntegrityError, match="a gap in records"):
            connection.execute(statement)
    connection.close()


async def test_other_files_are_not_journals(tmp_path: Path) -> None:
    missing, text, other = tmp_path / "none", tmp_path / "text", tmp_path / "other.sqlite"
    text.write_text("hello " * 1000)
    connection = sqlite3.connect(other)
    connection.execute("CREATE TABLE records (number INTEGER)")
    connection.close()
    (tmp_path / "empty").touch()
    for path in (missing, text, other, tmp_path / "empty", tmp_path):
        with pytest.raises(NotAJournal):
            verify(path)
    for path in (missing, text, other, tmp_path / "empty"):
        with pytest.raises(NotAJournal):
            await Journal.open(path, key=KEY)
    for path in (text, other):
        with pytest.raises(NotAJournal):
            await Journal.open(path, HERE, key=KEY)
    assert not missing.exists()


async def test_a_journal_begun_by_half_is_begun_again(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA page_size = 4096")
    connection.execute("PRAGMA journal_mode = wal")
    connection.close()
    assert path.stat().st_size > 0
    await write(path, 1)
    assert verify(path).damage is None


class Whole(NamedTuple):
    """A whole journal: its file, what is in it, and what a check says of it."""

    data: bytes
    rows: dict[str, list[tuple[Any, ...]]]
    report: CheckReport


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    path = tmp_path_factory.mktemp("whole") / "journal.sqlite"
    asyncio.run(write(path, 60))
    asyncio.run(write(path, 5))
    report = verify(path)
    assert report.damage is None
    return Whole(path.read_bytes(), rows_of(path), report)


def rows_of(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    """Every row, by table, each read by its key."""
    with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)) as connection:
        found = {}
        for table, definition in TABLES.items():
            key = definition.split("(")[1].split()[0]
            keys = connection.execute(f"SELECT {key} FROM {table} ORDER BY 1").fetchall()
            by_key = f"SELECT * FROM {table} WHERE {key} = ?"
            found[table] = [connection.execute(by_key, one).fetchone() for one in keys]
        return found


def is_noticed(whole: Whole, path: Path, data: bytes) -> bool:
    """Whether damage is found; where it is not, every row is what it was, however it is read."""
    path.write_bytes(data)
    try:
        report = verify(path)
    except NotAJournal:
        return True
    if report.damage is not None:
        return True
    assert report == whole.report
    assert rows_of(path) == whole.rows
    return False


def test_a_flipped_bit_anywhere_is_found_or_changes_no_row(whole: Whole, tmp_path: Path) -> None:
    places = range(0, len(whole.data), len(whole.data) // 400 | 1)
    found = []
    for at in places:
        damaged = bytearray(whole.data)
        damaged[at] ^= 1 << at % 8
        found.append(is_noticed(whole, tmp_path / "journal.sqlite", bytes(damaged)))
    assert sum(found) > 0.7 * len(found)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_so_is_any_other_byte_in_the_header_and_at_the_start_of_pages(
    whole: Whole, tmp_path: Path, data: st.DataObject
) -> None:
    page = data.draw(st.integers(0, len(whole.data) // 4096 - 1))
    at = page * 4096 + data.draw(st.integers(0, 120))
    damaged = bytearray(whole.data)
    damaged[at] = data.draw(st.integers(0, 255).filter(lambda byte: byte != whole.data[at]))
    is_noticed(whole, tmp_path / "journal.sqlite", bytes(damaged))


def test_a_bit_of_a_row_is_always_found(whole: Whole, tmp_path: Path) -> None:
    """Of each kind of row, a bit of each column that is bytes."""
    for table, rows in whole.rows.items():
        for value in (one for row in rows[-2:] for one in row if isinstance(one, bytes) and len(one) > 8):
            at = whole.data.index(value[:64]) + min(len(value), 64) // 2
            damaged = bytearray(whole.data)
            damaged[at] ^= 4
            assert is_noticed(whole, tmp_path / "journal.sqlite", bytes(damaged)), (table, value[:20])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cut=st.integers(0, 200_000))
def test_a_file_of_any_other_length_is_damaged(whole: Whole, tmp_path: Path, cut: int) -> None:
    assert is_noticed(whole, tmp_path / "journal.sqlite", whole.data[: cut % len(whole.data)])


@pytest.mark.parametrize("at", [0, 18, 70, 4096, -1])
async def test_damage_is_one_line_that_says_where(tmp_path: Path, whole: Whole, at: int) -> None:
    path = tmp_path / "journal.sqlite"
    damaged = bytearray(whole.data)
    damaged[at if at >= 0 else whole.data.index(b"record 17")] ^= 0x55
    path.write_bytes(damaged)
    damage = verify(path).damage
    assert damage is not None
    assert "\n" not in damage


def test_damage_that_is_quoted_and_is_no_text_is_damage_to_whoever_comes(tmp_path: Path, whole: Whole) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(whole.data.replace(b"tablerecordsrecords", b"tablerec\xf4rdsrec\xf4rds", 1))
    assert verify(path).damage is not None
    with pytest.raises(JournalDamaged):
        before_start(path)
    with pytest.raises(JournalDamaged):
        restore(path, tmp_path / "other.sqlite", KEY)
    with pytest.raises(JournalDamaged), JournalReader(path):
        pass


@pytest.mark.parametrize(("at", "why"), [(27, "change counter"), (95, "change counter"), (98, "never opened")])
async def test_what_another_program_wrote_into_the_header_is_found(
    tmp_path: Path, whole: Whole, at: int, why: str
) -> None:
    path = tmp_path / "journal.sqlite"
    damaged = bytearray(whole.data)
    damaged[at] ^= 1
    path.write_bytes(damaged)
    assert why in str(verify(path).damage)


async def test_a_tail_behind_the_last_page_is_found(tmp_path: Path, whole: Whole) -> None:
    path = tmp_path / "journal.sqlite"
    for tail in (bytes(1), bytes(4096)):
        path.write_bytes(whole.data + tail)
        assert "behind the last page" in str(verify(path).damage)


async def test_an_edited_record_is_named(tmp_path: Path, whole: Whole) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(whole.data.replace(b"record 17", b"record 71", 1))
    assert "record 17" in str(verify(path).damage)
    with pytest.raises(JournalDamaged, match="record 17"), JournalReader(path) as reader:
        reader.check_chain(0)
    path.write_bytes(whole.data.replace(b"event 9", b"event 8", 1))
    assert "its events" in str(verify(path).damage)


def test_a_row_that_is_missing_is_named(tmp_path: Path, whole: Whole) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(whole.data)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        rows = {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES}
        definitions = connection.execute("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid")
        (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
        marks = APPLICATION_ID, FORMAT, cookie, library_of(whole.data), tuple(definitions)

    def found(table: str, *, without: int) -> str | None:
        left = {**rows, table: [row for row in rows[table] if row[0] != without]}
        return examine(Contents(*marks, lambda name: iter(left[name]))).damage

    assert found("events", without=0) is None
    for table in ("records", "events"):
        for missing in (1, 2, 9):
            assert found(table, without=missing) == (
                f"{table}: row {missing} is missing, row {missing + 1} stands in its place"
            )


async def test_a_damaged_write_ahead_log_is_found(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    journal = await Journal.open(path, HERE, key=KEY)
    for number in range(1, 9):
        await journal.commit([entry(number, number)])
    log = path.with_name("journal.sqlite-wal").read_bytes()
    await journal.close()
    assert wal_damage(log) is None
    assert wal_damage(log[:-100]) is None
    frames = range(32, len(log) - 3 * 4120, 997)
    for at in (*range(32), *frames):
        damaged = bytearray(log)
        damaged[at] ^= 0x10
        assert wal_damage(bytes(damaged)) is not None, at


def test_the_first_page_is_the_logs_once_a_transaction_of_it_wrote_one(tmp_path: Path) -> None:
    path, log = tmp_path / "some.sqlite", tmp_path / "some.sqlite-wal"
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA page_size = {PAGE_BYTES}")
        connection.execute("PRAGMA journal_mode = wal")
        connection.execute("CREATE TABLE one (a)")
        found = log.read_bytes()
        connection.execute("CREATE TABLE two (a)")
        later = log.read_bytes()
        assert path.stat().st_size == PAGE_BYTES
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert first_page(later) == path.read_bytes()[:PAGE_BYTES]
    assert first_page(later[: len(found)]) == first_page(found) != first_page(later)
    assert first_page(later[:-1]) == first_page(found)
    assert first_page(found[:-1]) is None
    assert first_page(b"") is None


async def test_readers_need_no_write_access_and_leave_nothing_behind(tmp_path: Path, whole: Whole) -> None:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(whole.data)
    path.chmod(0o444)
    assert verify(path).damage is None
    assert names(tmp_path) == ["journal.sqlite"]
