"""A checkpoint of a version with another format is passed over: nothing is lost of it, nothing taken for granted."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from controller.core.table.state import State
from controller.daemon.recovery import recover
from controller.daemon.replay import replay
from controller.formats.replay import state_bytes
from tests.core.journals import KEY, committed
from tests.core.rig import Rig, penn

ROUND = "1 main 25\nkey no_more_bets\nTh 7d Qs Td\nkey stand hole_turned\n1 main 50\n1 main 0\nkey round_closed"


@pytest.mark.parametrize("others", [{1, 2, 3}, {2, 3}, {3}, {1}])
async def test_the_table_is_the_one_that_was(others: set[int], tmp_path: Path) -> None:
    def written(state: State) -> bytes:
        """Another version had a field that this one has not, and knew nothing of burns."""
        if state.rounds not in others:
            return state_bytes(state)
        checkpoint = json.loads(state_bytes(state))
        del checkpoint["state"]["burns"]
        return json.dumps(
            {"layout": "0123456789abcdef", "state": checkpoint["state"] | {"burned": 3, "questions": 99}}
        ).encode()

    rig, path = Rig(penn()), tmp_path / "journal.sqlite"
    for _ in range(3):
        rig.talk(ROUND)
    rig.talk("1 main 25\nkey no_more_bets\nTh 7d Qs")
    table = await committed(rig.house, rig.stamped, path, written)
    found = recover(path, KEY)
    assert found.hold == ""
    assert found.table is not None
    assert found.table.state == table.state
    assert replay(path, KEY).difference is None
