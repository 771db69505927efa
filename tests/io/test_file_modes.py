"""Whatever the umask: what was dealt to whom is read by its owner alone, and a consumer's file by its group at most."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from controller.commands import backup, restore
from controller.daemon.machine_board import MachineBoard
from controller.daemon.startup import JournalSafeguards, opened
from controller.io.journal.scrub import mark, mark_of
from controller.io.mqtt.durable_file import DurableFile
from controller.io.system.clock import SystemClock
from tests.io.second_copy_rig import HERE, MARKS, House
from tests.journal_key import KEY


@pytest.fixture(params=[0o022, 0o077, 0])
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir() if path.is_file()}


@pytest.mark.usefixtures("umask")
async def test_what_a_table_writes_is_its_owners_alone(tmp_path: Path) -> None:
    house = House(tmp_path)
    keeping = JournalSafeguards(reserve_bytes=2**20, second=house.place)
    house.storage = await opened(house.journal, HERE, KEY, MARKS, SystemClock(), keeping=keeping)
    house.watches = [
        asyncio.create_task(work())
        for _, work in house.storage.watches(house.report_fitness, MachineBoard(SystemClock()))
    ]
    await house.commit(6)
    while not house.storage.reserve.is_there():
        await asyncio.to_thread(house.storage.reserve.make)
    running = modes(house.journal.parent)
    assert {"journal.sqlite", "journal.sqlite-wal", "journal.sqlite-head", "journal.sqlite-reserve"} <= running.keys()
    mark(house.journal, "damaged: tried")
    copied = tmp_path / "backup.sqlite"
    assert CliRunner().invoke(backup.command, [str(house.journal), str(copied)]).exit_code == 0
    await house.close()
    mark_of(house.journal).unlink()
    for source, name in ((copied, "one"), (house.copy, "other")):
        back = tmp_path / f"of-{name}" / "journal.sqlite"
        back.parent.mkdir()
        ran = CliRunner().invoke(restore.command, [*house.with_key, str(source), str(back)])
        assert ran.exit_code == 0, ran.output
        assert modes(back.parent) == {"journal.sqlite": 0o600, "journal.sqlite-head": 0o600}
    assert set(running.values()) == {0o600}, running
    assert set(modes(house.copy).values()) == {0o600}
    assert modes(tmp_path)["backup.sqlite"] == 0o600


@pytest.mark.usefixtures("umask")
def test_the_mark_of_damage_quotes_a_journal_and_is_its_owners_alone(tmp_path: Path) -> None:
    mark(tmp_path / "journal.sqlite", "damaged: record 7")
    assert modes(tmp_path) == {"journal.sqlite-damaged": 0o600}


def test_a_consumers_file_is_for_its_group_at_most(tmp_path: Path, umask: int) -> None:
    DurableFile(tmp_path / "held.jsonl", "harbour", "bj-1").close()
    assert modes(tmp_path) == {"held.jsonl": 0o640 & ~umask}
