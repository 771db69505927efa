"""A journal checked in parts by several workers: the same report as by one, whatever is damaged."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from controller.formats.journal.check import ChainState, CheckReport, Contents, reaches
from controller.formats.journal.file_header import library_of
from controller.formats.journal.schema import APPLICATION_ID, FORMAT, TABLES
from controller.io.journal.journal import Journal
from controller.io.journal.verification import first_key, states, verify
from tests.io.test_journal import HERE, entry
from tests.journal_key import KEY

RECORDS = 120


def checked_apart(path: Path, jobs: int = 3) -> CheckReport:
    """What workers find of a journal."""
    return verify(path, jobs=jobs, alone=0, workers=ThreadPoolExecutor)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A whole journal with a checkpoint at each fourth record, and a mark of what was published at each third."""
    path = tmp_path_factory.mktemp("whole") / "journal.sqlite"
    asyncio.run(written(path))
    return path.read_bytes()


async def written(path: Path) -> None:
    """Write such a journal."""
    journal = await Journal.open(path, HERE, key=KEY)
    for number in range(1, RECORDS + 1):
        await journal.commit([entry(number, number, checkpoint=b"state" if number % 4 == 0 else None)])
        if number % 3 == 0:
            await journal.mark_published(number)
    await journal.close()


@pytest.fixture
def path(data: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "journal.sqlite"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("jobs", [2, 3, 7, 200])
def test_a_whole_journal_is_whole(path: Path, jobs: int) -> None:
    report = verify(path)
    assert report.damage is None
    assert checked_apart(path, jobs) == report
    assert (report.records, report.events) == (RECORDS, RECORDS)


def test_its_parts_begin_at_checkpoints_and_go_on_from_marks(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        parts = states(connection, 3)
    assert [(one.records, one.events, one.mark, one.marked) for one in parts] == [(40, 40, 13, 39), (80, 80, 26, 78)]


def test_no_part_begins_where_nothing_was_marked_since_the_one_before(path: Path) -> None:
    """The stream would be hashed on from the beginning of that one."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TEMP TABLE published AS SELECT * FROM main.published WHERE seq <= 39")
        assert [one.records for one in states(connection, 3)] == [40]


def test_one_that_was_never_published_is_checked_in_one_piece(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TEMP TABLE published (id, seq, hash, digest)")
        assert states(connection, 3) == []


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data_at=st.integers(0, 2**32), bit=st.integers(0, 7))
def test_what_is_damaged_is_said_as_by_one(path: Path, data: bytes, data_at: int, bit: int) -> None:
    damaged = bytearray(data)
    damaged[data_at % len(data)] ^= 1 << bit
    path.write_bytes(damaged)
    assert checked_apart(path) == verify(path)


Rows = dict[str, list[tuple[Any, ...]]]
"""The rows of each table, the key first."""


def contents(path: Path, rows: Rows) -> Contents:
    """A journal with other rows."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        definitions = connection.execute(
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid"
        ).fetchall()
        (cookie,) = connection.execute("PRAGMA schema_version").fetchone()
    marks = APPLICATION_ID, FORMAT, cookie, library_of(path.read_bytes())
    return Contents(*marks, tuple(definitions), lambda name: iter(rows[name]))


def part(path: Path) -> tuple[ChainState, ChainState, Rows]:
    """The second of three parts: its states and its rows."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        begun, end = states(connection, 3)
        rows = {table: connection.execute(f"SELECT * FROM {table} ORDER BY 1").fetchall() for table in TABLES}
    later = {table: [row for row in found if row[0] >= first_key(begun, table)] for table, found in rows.items()}
    return begun, end, later | {"records": [row for row in later["records"] if row[0] <= end.records]}


def test_a_part_that_is_whole_reaches_the_next(path: Path) -> None:
    begun, end, rows = part(path)
    assert reaches(contents(path, rows), begun, end)
    for other in (end._replace(chain=bytes(32)), end._replace(stream=bytes(32)), end._replace(events=end.events + 1)):
        assert not reaches(contents(path, rows), begun, other)
    for other in (begun._replace(chain=bytes(32)), begun._replace(stream=bytes(32)), begun._replace(tree=end.tree)):
        assert not reaches(contents(path, rows), other, end)


@pytest.mark.parametrize("table", ["records", "events", "published", "seals", "checkpoints"])
def test_one_of_which_a_row_is_gone_or_another_does_not(path: Path, table: str) -> None:
    """Seals and checkpoints may be fewer, as far as the check of the whole goes; changed ones are damage."""
    begun, end, rows = part(path)
    of_part = {"events": end.events, "published": end.mark}.get(table, end.records)
    for at, row in enumerate(rows[table]):
        if row[0] > of_part:
            break
        changed = (*row[:-1], bytes(len(row[-1])))
        assert not reaches(
            contents(path, rows | {table: [*rows[table][:at], changed, *rows[table][at + 1 :]]}), begun, end
        )
        gone = reaches(contents(path, rows | {table: [*rows[table][:at], *rows[table][at + 1 :]]}), begun, end)
        assert gone == (table in {"seals", "checkpoints"})


def test_it_begins_with_the_last_mark_and_with_no_earlier_one(path: Path) -> None:
    begun, end, rows = part(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        query = "SELECT id, seq, hash FROM published WHERE id = ?"
        mark, marked, stream = connection.execute(query, (begun.mark - 1,)).fetchone()
        earlier = {
            table: connection.execute(f"SELECT * FROM {table} WHERE {key} > ? ORDER BY 1", (after,)).fetchall()
            for table, key, after in (("published", "id", mark), ("events", "seq", marked))
        }
    assert not reaches(contents(path, rows | earlier), begun._replace(mark=mark, marked=marked, stream=stream), end)
