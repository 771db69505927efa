"""What the tests of the whole house share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from controller.io.mqtt.broker import find_mosquitto, mosquitto
from controller.io.mqtt.connection import Broker
from tests.wiring.premises import Premises, open_house


@pytest.fixture
async def broker() -> AsyncIterator[Broker]:
    """A real Mosquitto."""
    if find_mosquitto() is None:
        pytest.skip("Mosquitto is not installed")
    async with mosquitto() as running:
        yield running


@pytest.fixture
async def house(tmp_path: Path, broker: Broker) -> AsyncIterator[Premises]:
    """A table whose daemon runs."""
    async with open_house(tmp_path, broker) as premises:
        yield premises
