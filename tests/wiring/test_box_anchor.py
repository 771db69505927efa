"""The whole house with a trigger box: an older journal in place of the table's, and nothing but the box that knows."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from random import Random

from controller.demo.table import devices
from controller.io.copies.backup import backup, restore
from controller.io.files.key_file import read_key
from controller.io.mqtt.connection import Broker
from firmware_protocols import discovery
from firmware_protocols.mystery_trigger.tableside import CODEC
from simulators.devices.bet_spots import BetSpotsSimulator
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

ANTENNAS = {"main": 1, "insurance": 2, "five_card_progressive": 3}
ZONES: dict[tuple[int, int | None], tuple[int, str]] = {
    (spot, antenna): (spot, zone) for spot in range(1, 8) for zone, antenna in ANTENNAS.items()
}


class TableWithBox(Premises):
    """A table whose trigger box is on a line."""

    kind: type[TriggerBoxSimulator] = TriggerBoxSimulator

    def __init__(self, directory: Path, broker: Broker, ear: Ear) -> None:
        super().__init__(directory, broker, ear)
        self.box = self.kind(CODEC, Random(1))
        readers = BetSpotsSimulator(discovery.find("bet_spots", "feig_obid"), ZONES)
        given = {**devices(), "bet_spots": readers, "beside": {"trigger": self.box}}
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


async def test_a_journal_set_back_within_the_minute_closes_the_mystery(tmp_path: Path, broker: Broker) -> None:
    """It has the head that the box keeps; what it lacks is a contribution that the box has answered since."""
    async with open_house(tmp_path, broker, TableWithBox) as house:
        assert isinstance(house, TableWithBox)
        assert await house.bench.until(lambda: house.box.head.size > 0)
        older = tmp_path / "older.sqlite"
        await asyncio.to_thread(backup, house.journal, older)
        await house.talk("1 main 25\n1 five_card_progressive 5\nno_more_bets\nTh 7d Qs Td")
        assert await house.bench.until(lambda: house.box.counted == 1)
        await house.kill()
        await asyncio.to_thread(put_back, older, house)
        await house.spawn()
        # Its events have the numbers of those that it lacks.
        await house.ear.until(lambda: any(b"journal_set_back" in one.payload for one in house.ear.messages))
        assert await house.bench.ready()
        await house.talk("1 main 25\n1 five_card_progressive 5\nno_more_bets\nTh 7d Qs Td")
        await house.kill()
        assert house.box.counted == 1


def put_back(older: Path, house: TableWithBox) -> None:
    """As people do whose disk was lost: with nothing beside it that says how far the journal had come."""
    for part in ("", "-wal", "-shm", "-head"):
        Path(f"{house.journal}{part}").unlink(missing_ok=True)
    restore(older, house.journal, read_key(house.key))
