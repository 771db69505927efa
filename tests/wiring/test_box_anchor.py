"""The whole house with a trigger box: an older journal in place of the table's, and nothing but the box that knows."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from random import Random

from controller.demo.table import devices
from controller.io.mqtt.connection import Broker
from firmware_protocols.mystery_trigger.tableside import CODEC
from simulators.devices.mystery_trigger import TriggerBoxSimulator
from tests.wiring.premises import PATIENCE_S, Bench, Ear, Premises, open_house

SECTIONS = """
[[meters]]
name = "mystery"
pays = "mystery"
fed_by = ["five_card_progressive"]
rate = [1, 10]
unreasonable_cents = 5000

[trigger]
port = "{ports}/trigger"
"""


class TableWithBox(Premises):
    """A table whose trigger box is on a line."""

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        self.box = TriggerBoxSimulator(CODEC, Random(1))
        given = {**devices(), "beside": {"trigger": self.box}}
        self.bench = Bench(directory / "ports", patience_s=PATIENCE_S, **given)
        file = self.table_text().replace("insurance = 2}", "insurance = 2, five_card_progressive = 3}")
        self.table_file.write_text(file + SECTIONS.format(ports=directory / "ports"), encoding="utf-8")


async def test_a_table_whose_journal_was_set_back_ends_with_status_2(tmp_path: Path, broker: Broker) -> None:
    async with open_house(tmp_path, broker, TableWithBox) as house:
        assert isinstance(house, TableWithBox)
        assert await house.bench.until(lambda: house.box.head.size > 0)
        await house.stop()
        older = tmp_path / "older"
        older.mkdir()
        for part in ("", "-head"):
            shutil.copy(f"{house.journal}{part}", older)
        before = house.box.head.size
        await house.start()
        await house.talk("1 main 25\nno_more_bets\nTh 7d Qs")
        await house.stop()
        await house.start()
        assert await house.bench.until(lambda: house.box.head.size > before)
        await house.stop()
        for part in ("", "-head"):
            shutil.copy(older / f"{house.journal.name}{part}", f"{house.journal}{part}")
        for _ in range(2):
            await house.spawn()
            assert house.process is not None
            assert await asyncio.wait_for(house.process.wait(), PATIENCE_S) == 2
            assert "the trigger box keeps a signed head of record" in house.log()
