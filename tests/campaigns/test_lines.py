"""A small helping of the failing lines, on the event loop of a test; the whole: ``make campaign-lines``."""

from __future__ import annotations

from pathlib import Path

import pytest

from controller.io.mqtt.broker import find_mosquitto
from tests.campaigns import lines
from tests.campaigns.line_house import LINES, Way
from tests.campaigns.line_plan import Happening, Plan

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")
BY_NAME = {line.name: line for line in LINES}
WAYS: dict[str, Way] = {"bet_sensors": "socket", "keypad": "rfc2217", "bet_sensors2": "socket"}
"""How these lines are reached; all others are terminals."""


async def test_lines_hang_half_open_and_babble_while_people_play(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)  # noqa: ASYNC240 - one call on a fresh directory
    wanted = [
        Happening("power_off", (BY_NAME["bet_sensors"], BY_NAME["keypad"]), 2.0),
        Happening("torrent", (BY_NAME["bet_sensors2"],), 0.5),
    ]
    found = await lines.at_a_broker(tmp_path, Plan(wanted, WAYS, calm_seconds=0.5), seed=1, late_seconds=2.0)
    assert found.faults == ()
    assert found.kinds == {"power_off": 1, "torrent": 1}
    assert found.cards > 0
    assert found.told_s > 1
