"""A small helping of each campaign, with the seed that is written here. The whole ones: ``make campaign-...``."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from controller.io.mqtt.broker import find_mosquitto
from tests.campaigns import flips, io, outage
from tests.campaigns.kill import house
from tests.campaigns.nursery import Nursery

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


async def test_fifty_kills(tmp_path: Path) -> None:
    nursery = await Nursery.open()
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder in folders:
        folder.mkdir()
    tmp_path.chmod(0o755)  # noqa: ASYNC240 - one call on a fresh directory
    try:
        found = await asyncio.gather(*(house(folder, nursery, 25, 7, longer=(0,)) for folder in folders))
    finally:
        await nursery.close()
    assert [one.faults for one in found] == [(), ()]
    assert sum(one.kills for one in found) == 50
    assert all(one.events > 100 for one in found)


@pytest.mark.skipif(bool(io.is_able()), reason=io.is_able())
@pytest.mark.parametrize("fault", io.sample(8, seed=3), ids=lambda fault: f"{fault.call}-{fault.error}-{fault.number}")
def test_a_failing_disk_ends_in_good_order(tmp_path: Path, fault: io.Fault) -> None:
    assert io.run(fault, tmp_path).wrong == ""


async def test_eighty_flips() -> None:
    counts, wrong = await flips.campaign(80, seed=5, played=120)
    assert wrong == []
    assert sum(counts.values()) == 80
    assert any("noticed" in name for name in counts)


def test_six_minutes_without_a_broker() -> None:
    found = outage.campaign(0.1)
    assert outage.faults(found) == []
    assert found["events"] > 150
    assert "has not acknowledged event 1" in found["alarms"][0]
