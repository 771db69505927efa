"""The whole house with a device in the trigger box's place that lets somebody win when it likes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from controller.core.messages.meter_events import JackpotHit, MysteryDisputed
from controller.io.mqtt.connection import Broker
from simulators.devices.mystery_trigger import TriggerBoxSimulator
from tests.wiring.premises import TOPICS, open_house
from tests.wiring.test_box_anchor import TableWithBox


class GenerousBox(TriggerBoxSimulator):
    """It draws, commits and reveals as it should, and the first contribution is a hit."""

    def _trigger(self, cycle: Any) -> int:
        return int(cycle.committed.reset_cents)


class GenerousTable(TableWithBox):
    """A table with such a box."""

    kind = GenerousBox


async def test_a_hit_before_the_trigger_is_disputed_at_once_and_the_meter_closes(
    tmp_path: Path, broker: Broker
) -> None:
    async with open_house(tmp_path, broker, GenerousTable) as house:
        assert isinstance(house, GenerousTable)
        assert await house.bench.until(lambda: house.box.head.size > 0)
        await house.talk("1 main 25\n1 five_card_progressive 5\nno_more_bets\nTh 7d Qs Td")
        hit = await house.ear.event(JackpotHit)
        disputed = await house.ear.event(MysteryDisputed)
        assert disputed.reason.startswith(f"cycle 1 was won at {hit.cents} cents, below its trigger of ")

        def is_closed() -> bool:
            shown = house.ear.last(TOPICS.state("meters"))
            return bool(shown and [one for one in json.loads(shown)["meters"] if one["closed"]])

        await house.ear.until(is_closed)
        assert "the trigger box revealed what cannot be" in house.log()
