"""A small helping of ``make campaign-independent``: the real daemon, a few rounds, tables side by side."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from tests.independent.campaign import new_folder, played
from tests.independent.programs import broker, mosquitto
from tests.independent.sitting import Seating

SEATINGS = (
    Seating("keys", "hollywood-penn-national", "keys", 2, 11, 4.0),
    Seating("bare", "hollywood-perryville", "bare", 1, 12, 4.0),
    Seating("pitch", "pitch-h17", "keys", 1, 13, 4.0),
)


@pytest.mark.skipif(mosquitto() is None, reason="Mosquitto is not installed")
async def test_a_table_of_other_people_settles_as_they_know_it(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # noqa: ASYNC240 - one call on a fresh directory
    async with broker(tmp_path) as port, contextlib.AsyncExitStack():
        found = await asyncio.gather(*(played(tmp_path / one.name, one, 1, port, troubled=False) for one in SEATINGS))
    assert [one.faults for one in found] == [[], [], []]
    assert all(one.right >= 1 for one in found)


def test_the_folder_of_a_run_is_named_absolutely_as_the_ports_in_it_must_be(tmp_path: Path) -> None:
    above = "/".join([".."] * (len(Path.cwd().parts) - 1))
    parent = Path(above) / tmp_path.relative_to("/")
    assert not parent.is_absolute()
    folder = new_folder(parent, "run-")
    assert folder.is_absolute()
    assert folder.parent == tmp_path.resolve()
