"""A journal that another version has written is stepped again all the same, and both versions are named."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from msgspec.structs import replace

from controller import version
from controller.cli import main
from controller.commands.replay import status_of
from controller.core.messages.inputs import DaemonStarted
from controller.daemon.replay import ReplayResult
from controller.formats.replay import ReplayDifference, state_bytes
from tests.core.journals import committed
from tests.core.rig import Rig, penn

ROUND = "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed"


async def journal(path: Path, by: str) -> Path:
    """A round as a version wrote it."""
    rig = Rig(penn())
    rig.talk(ROUND)
    first, *rest = rig.stamped
    assert isinstance(first.input, DaemonStarted)
    given = [replace(first, input=replace(first.input, version=by)), *rest]
    await committed(rig.house, given, path, state_bytes)
    return path


async def test_the_same_by_another_version_says_so(tmp_path: Path) -> None:
    path = await journal(tmp_path / "journal.sqlite", "0.0.9")
    ran = CliRunner().invoke(main, ["replay", str(path)])
    assert (ran.exit_code, ran.output.strip().endswith(f"written by version 0.0.9, stepped again by {version()}")) == (
        0,
        True,
    )


async def test_the_same_by_this_version_names_none(tmp_path: Path) -> None:
    path = await journal(tmp_path / "journal.sqlite", version())
    ran = CliRunner().invoke(main, ["replay", str(path)])
    assert (ran.exit_code, "written by" in ran.output) == (0, False)


@pytest.mark.parametrize(("by", "status"), [(version(), 1), ("0.0.9", 3)])
def test_a_difference_is_no_fault_of_another_version_s_journal(by: str, status: int) -> None:
    assert status_of(ReplayResult(7, 3, 1, ReplayDifference(7, 3, "another event"), (by,))) == status
