"""Two failures at awaits of a running table; the whole: ``make campaign-awaits``."""

from __future__ import annotations

import pytest

from controller.io.mqtt.broker import find_mosquitto
from tests.campaigns import awaits

pytestmark = pytest.mark.skipif(find_mosquitto() is None, reason="Mosquitto is not installed")


async def test_a_table_goes_on_after_an_exception_where_its_publisher_waits() -> None:
    found = await awaits.campaign(2, seed=3, only="publisher.")
    assert [one.faults for one in found] == [(), ()]
    assert all(one.task and one.status is None for one in found)
