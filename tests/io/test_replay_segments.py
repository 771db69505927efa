"""A journal stepped segment by segment says what it says stepped in one piece, wherever it differs or is damaged."""

from __future__ import annotations

import contextlib
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.table.state import State
from controller.daemon.replay import ReplayResult, replay, segments_of
from controller.formats.journal.records import RecordDamaged
from controller.formats.replay import state_bytes
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.reader import JournalReader
from tests.core.journals import KEY, committed
from tests.core.rig import Rig, penn

ROUND = "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed"
ROUNDS = 6


async def night(path: Path, *, forged: int = 0, foreign: int = 0) -> None:
    """Six rounds; the checkpoint after one of them is of another table, that after another in another format."""

    def written(state: State) -> bytes:
        if state.rounds == foreign:
            return state_bytes(state).replace(b'{"layout":"', b'{"layout":"0')
        return state_bytes(replace(state, questions=99) if state.rounds == forged else state)

    rig = Rig(penn())
    for _ in range(ROUNDS):
        rig.talk(ROUND)
    await committed(rig.house, rig.stamped, path, written)


def apart(path: Path) -> ReplayResult:
    """Stepped by two workers."""
    return replay(path, KEY, jobs=2, alone=0, workers=ThreadPoolExecutor)


def altered(path: Path, statement: str, *values: object) -> None:
    """Change what no daemon changes."""
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement, values)


def with_other_hash(path: Path, number: int) -> None:
    """The chain hash of one record is another, as no daemon would write it."""
    altered(path, "UPDATE records SET hash = zeroblob(32) WHERE number = ?", number)


async def test_a_whole_journal_is_the_same(tmp_path: Path) -> None:
    path, done = tmp_path / "journal.sqlite", list[tuple[int, int]]()
    await night(path)
    with JournalReader(path) as reader:
        records, segments = reader.head().number, list(segments_of(reader, reader.head().number, 8, KEY))
    assert len(segments) == ROUNDS
    assert [one.after for one in segments[1:]] == [one.last for one in segments[:-1]]
    found = replay(path, KEY, lambda *progress: done.append(progress), jobs=2, alone=0, workers=ThreadPoolExecutor)
    assert found == replay(path, KEY)
    assert (found.difference, found.rounds, found.records) == (None, ROUNDS, records)
    assert done == [(one.last, records) for one in segments]


async def test_processes_of_their_own_find_it_the_same(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await night(path)
    assert replay(path, KEY, jobs=2, alone=0) == replay(path, KEY)


@pytest.mark.parametrize("forged", [1, 3, 6])
async def test_the_first_difference_is_reported(forged: int, tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await night(path, forged=forged)
    found = apart(path)
    assert found.difference is not None
    assert found == replay(path, KEY)
    assert found.rounds == forged


async def test_no_segment_begins_with_a_checkpoint_of_another_format(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await night(path, foreign=3)
    with JournalReader(path) as reader:
        assert len(list(segments_of(reader, reader.head().number, 8, KEY))) == ROUNDS - 1
    assert apart(path) == replay(path, KEY)


async def test_a_reading_that_was_altered_is_damage(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await night(path)
    with_other_hash(path, 20)
    with pytest.raises(JournalDamaged, match="record 20 or its events") as whole:
        replay(path, KEY)
    with pytest.raises(JournalDamaged) as in_segments:
        apart(path)
    assert str(in_segments.value) == str(whole.value)


@pytest.mark.parametrize("key", [KEY, None])
async def test_a_record_that_no_program_could_have_stepped_is_named(key: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite"
    await night(path)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        (body,) = connection.execute("SELECT body FROM records WHERE number = 1").fetchone()
    altered(path, "UPDATE records SET body = ? WHERE number = 1", body.replace(b':"no_more_bets"', b':"No_more_bets"'))
    with pytest.raises(RecordDamaged, match=r"^record [0-9]+ cannot be stepped: the key No_more_bets has no branch"):
        replay(path, key)
