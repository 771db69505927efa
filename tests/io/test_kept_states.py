"""A replay that goes on from what an earlier one kept comes to what a replay from the beginning comes to."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path
from typing import Final

import msgspec
import pytest
from click.testing import CliRunner

from controller.cli import main
from controller.commands.replay import kept_in_words
from controller.daemon.kept_states import EACH, KeptState, KeptStates, StatesFolder
from controller.daemon.recovery import table_of
from controller.daemon.replay import ReplayResult, replay
from controller.formats.replay import StoredRecord, opened_by
from controller.io.journal.errors import JournalDamaged
from controller.io.journal.reader import JournalReader
from tests.core.journals import KEY, committed
from tests.core.rig import Rig, penn

ROUNDS: Final = 5


def round_with(bet: int) -> str:
    """A round at one box."""
    return f"1 main {bet}\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 0\nkey round_closed"


def night(path: Path, bet: int = 25) -> Path:
    rig = Rig(penn())
    for _ in range(ROUNDS):
        rig.talk(round_with(bet))
    asyncio.run(committed(rig.house, rig.stamped, path))
    return path


def altered(path: Path, statement: str) -> None:
    """Written by who is not the table."""
    with sqlite3.connect(path) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(statement)
    connection.close()


def checkpoints(path: Path) -> list[int]:
    with JournalReader(path) as reader:
        return reader.checkpoint_numbers()


@pytest.fixture
def folder(tmp_path: Path) -> StatesFolder:
    """In which a state is kept at every checkpoint."""
    made = tmp_path / "states"
    made.mkdir()
    return StatesFolder(made, 1)


def files(folder: Path) -> set[tuple[str, int]]:
    """What lies in a folder; a file that took the place of another is another."""
    return {(one.name, one.stat().st_ino) for one in folder.iterdir()}


def resumed(path: Path, folder: StatesFolder, until: int | None = None) -> ReplayResult:
    """Stepped from what was kept, with what it comes to from the beginning."""
    before = files(folder.path)
    found = replay(path, None, until=until, states=folder)
    assert found.kept == len(files(folder.path) - before)
    assert found._replace(resumed=0, kept=0) == replay(path, None, until=until)
    return found


def test_each_round_is_gone_on_with_from_the_newest_state_before_it(tmp_path: Path, folder: StatesFolder) -> None:
    path = night(tmp_path / "journal.sqlite")
    ends = checkpoints(path)
    assert resumed(path, folder, ends[2]).resumed == 0
    assert len(list(folder.path.iterdir())) == 3
    done: list[tuple[int, int]] = []
    replay(path, None, lambda *progress: done.append(progress), until=ends[2] + 2, states=folder)
    assert done == [(ends[2] + 1, ends[2] + 2), (ends[2] + 2, ends[2] + 2)]
    assert resumed(path, folder).resumed == ends[2]
    assert resumed(path, folder, ends[1] + 3).resumed == ends[1]
    assert resumed(path, folder, ends[1]).resumed == ends[1]
    assert resumed(path, folder, ends[0] - 1).resumed == 0
    assert replay(path, KEY, states=folder).resumed == 0


def numbers(folder: Path) -> list[int]:
    """The records at which states are kept."""
    return sorted(int(one.stem.rpartition("-")[2]) for one in folder.iterdir())


def test_states_are_spaced_and_few(tmp_path: Path, folder: StatesFolder) -> None:
    path = night(tmp_path / "journal.sqlite")
    ends = checkpoints(path)
    spacing = ends[2] - ends[1] + 1
    replay(path, None, states=folder._replace(spacing=spacing))
    kept = numbers(folder.path)
    assert len(kept) == 3
    assert all(later - earlier >= spacing for earlier, later in pairwise([0, *kept]))
    with JournalReader(path) as reader:
        assert KeptStates(folder, reader, EACH * 1_000, {}).spacing == 1_000


@pytest.mark.parametrize("place", [1, 3])
def test_an_event_that_was_altered_is_found_before_and_behind_a_state(
    place: int, tmp_path: Path, folder: StatesFolder
) -> None:
    path = night(tmp_path / "journal.sqlite")
    ends = checkpoints(path)
    replay(path, None, until=ends[2], states=folder)
    altered(path, f"UPDATE events SET body = CAST(body || ' ' AS BLOB) WHERE number = {ends[place]}")
    found = resumed(path, folder)
    assert found.difference is not None
    assert (found.difference.number, found.resumed) == (ends[place], 0 if place == 1 else ends[2])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET hash = zeroblob(32) WHERE number = 9",
        "UPDATE records SET body = CAST(body || ' ' AS BLOB) WHERE number = 9",
        "UPDATE checkpoints SET digest = zeroblob(32) WHERE number = (SELECT min(number) FROM checkpoints)",
    ],
)
def test_what_was_altered_before_a_state_is_damage_all_the_same(
    statement: str, tmp_path: Path, folder: StatesFolder
) -> None:
    path = night(tmp_path / "journal.sqlite")
    replay(path, None, states=folder)
    altered(path, statement)
    said = []
    for states in (folder, None):
        with pytest.raises(JournalDamaged) as damage:
            replay(path, None, states=states)
        said.append(str(damage.value))
    assert said[0] == said[1]


def test_nothing_is_kept_behind_a_difference(tmp_path: Path, folder: StatesFolder) -> None:
    path = night(tmp_path / "journal.sqlite")
    differing = checkpoints(path)[1]
    altered(path, f"UPDATE events SET body = CAST(body || ' ' AS BLOB) WHERE number = {differing}")
    replay(path, None, states=folder)
    assert all(number < differing for number in numbers(folder.path))


def test_a_state_of_another_journal_is_not_gone_on_from(tmp_path: Path, folder: StatesFolder) -> None:
    replay(night(tmp_path / "one.sqlite"), None, states=folder)
    assert resumed(night(tmp_path / "other.sqlite", 50), folder).resumed == 0


@pytest.mark.parametrize("change", ["program", "journal", "damage", "format"])
def test_a_state_that_does_not_fit_is_not_gone_on_from(change: str, tmp_path: Path, folder: StatesFolder) -> None:
    path = night(tmp_path / "journal.sqlite")
    replay(path, None, until=checkpoints(path)[0], states=folder)
    (file,) = folder.path.iterdir()
    body = file.read_bytes()[32:]
    kept = msgspec.json.decode(body, type=KeptState)
    other = {
        "program": msgspec.structs.replace(kept, program="0"),
        "journal": msgspec.structs.replace(kept, journal="harbour/bj-2/1"),
        "format": msgspec.structs.replace(kept, state=kept.state.replace(b'{"layout":"', b'{"layout":"0')),
        "damage": kept,
    }
    body = msgspec.json.encode(other[change])
    file.write_bytes((bytes(32) if change == "damage" else sha256(body).digest()) + body)
    assert resumed(path, folder).resumed == 0


def test_a_card_that_has_been_opened_since_is_stepped_with_its_face(tmp_path: Path, folder: StatesFolder) -> None:
    path = night(tmp_path / "journal.sqlite")
    with JournalReader(path) as reader:
        (first, early), (second, late) = islice(reader.checkpoints(), 2)
        known = opened_by(event.body for event in reader.events())
        hidden = max(card for card in known if card <= first)
        before = {card: opening for card, opening in known.items() if card not in (hidden, max(known))}
        for sealed, after, number in ((early, 0, first), (late, first, second)):
            keeping = KeptStates(folder, reader, number, before)
            begun = keeping.begun()
            assert (0 if begun is None else begun.state.number) == after
            for record, events in reader.whole_records(after + 1, reader.head().number):
                keeping.take(StoredRecord(record.number, record.body, events))
            table = table_of(reader, number, sealed, KEY)
            assert table is not None
            keeping.keep(table)
        # A card behind the state that was closed when it was kept is no part of it.
        assert KeptStates(folder, reader, second, {max(known): known[max(known)]}).begun() is not None
        assert KeptStates(folder, reader, second, known).begun() is None


def test_where_nothing_can_be_written_all_is_stepped_and_nothing_kept(tmp_path: Path, folder: StatesFolder) -> None:
    path = night(tmp_path / "journal.sqlite")
    for number in checkpoints(path):
        (folder.path / f"harbour-bj-1-1795259812-{number:012}.state").mkdir()
    assert resumed(path, folder).resumed == 0
    assert [one.is_dir() for one in folder.path.iterdir()] == [True] * ROUNDS


def test_the_command_says_that_an_earlier_replay_stepped_the_first_readings(tmp_path: Path) -> None:
    path, states = night(tmp_path / "journal.sqlite"), tmp_path / "states"
    states.mkdir()
    replay(path, None, states=StatesFolder(states, 1))
    done = CliRunner().invoke(main, ["replay", "--states", str(states), str(path)])
    assert (done.exit_code, f"; the first {checkpoints(path)[-1]} readings by an earlier replay" in done.output) == (
        0,
        True,
    )


def test_a_folder_that_is_not_there_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    path, states = night(tmp_path / "journal.sqlite"), tmp_path / "states"
    done = CliRunner().invoke(main, ["replay", "--states", str(states), str(path)])
    assert done.exit_code == 0
    assert states.stat().st_mode & 0o777 == 0o700


def test_the_command_says_what_it_keeps_and_why_it_keeps_nothing(tmp_path: Path) -> None:
    path, states = night(tmp_path / "journal.sqlite"), tmp_path / "states"
    done = CliRunner().invoke(main, ["replay", "--states", str(states), str(path)])
    assert (
        f"; nothing kept in {states}: states are kept 2,000 records apart, at the journal's checkpoints" in done.output
    )
    assert list(states.iterdir()) == []
    found = json.loads(CliRunner().invoke(main, ["replay", "--json", "--states", str(states), str(path)]).output)
    assert (found["kept"], found["resumed"]) == (0, 0)
    kept = replay(path, None, states=StatesFolder(states, 1))
    assert kept_in_words(kept, states) == f"; {ROUNDS} states kept in {states}"
    assert {one.stat().st_mode & 0o777 for one in states.iterdir()} == {0o600}
    assert "kept in" not in CliRunner().invoke(main, ["replay", "--states", str(states), str(path)]).output


def test_states_and_the_key_do_not_go_together(tmp_path: Path) -> None:
    path, key, states = night(tmp_path / "journal.sqlite"), tmp_path / "table.key", tmp_path / "states"
    key.write_text(KEY.hex())
    key.chmod(0o600)
    done = CliRunner().invoke(main, ["replay", "--states", str(states), "--key", str(key), str(path)])
    assert (done.exit_code, done.output.count("\n"), states.exists()) == (2, 1, False)
    assert done.output.startswith("tableside: --states: expected without --key; ")


def test_a_folder_in_which_others_may_write_is_refused(tmp_path: Path) -> None:
    """A state that somebody else wrote there would be gone on from: his verdict, not this program's."""
    path, states = night(tmp_path / "journal.sqlite"), tmp_path / "states"
    states.mkdir()
    states.chmod(0o770)
    done = CliRunner().invoke(main, ["replay", "--states", str(states), str(path)])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert f"others may write there; give a folder of your own, or run: chmod go-w {states}" in done.output
    states.chmod(0o755)
    assert CliRunner().invoke(main, ["replay", "--states", str(states), str(path)]).exit_code == 0


def test_a_folder_below_one_that_is_not_there_says_which(tmp_path: Path) -> None:
    path, nowhere = night(tmp_path / "journal.sqlite"), tmp_path / "nodir"
    done = CliRunner().invoke(main, ["replay", "--states", str(nowhere / "sub"), str(path)])
    said = f"tableside: --states {nowhere / 'sub'}: {nowhere} is not there; make it first, or give another folder\n"
    assert (done.exit_code, done.output) == (2, said)
    (tmp_path / "slip").touch()
    done = CliRunner().invoke(main, ["replay", "--states", str(tmp_path / "slip" / "sub"), str(path)])
    assert f"--states {tmp_path / 'slip' / 'sub'}: cannot be made: Not a directory" in done.output


def test_a_folder_that_cannot_be_made_is_one_line_and_of_no_journal_none_is_made(tmp_path: Path) -> None:
    path, states = night(tmp_path / "journal.sqlite"), tmp_path / "states"
    done = CliRunner().invoke(main, ["replay", "--states", str(states / "of" / "this"), str(path)])
    assert (done.exit_code, done.output.count("\n")) == (2, 1)
    assert str(states / "of" / "this") in done.output
    assert CliRunner().invoke(main, ["replay", "--states", str(states), str(tmp_path / "none")]).exit_code == 2
    assert not states.exists()
