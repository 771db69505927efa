"""One journal that is set back; more of them: ``make campaign-set-back``."""

from __future__ import annotations

from pathlib import Path

from controller.io.mqtt.connection import Broker
from tests.campaigns.set_back import Plan, one
from tests.wiring.conftest import broker as broker  # noqa: PLC0414 - a fixture


async def test_a_pool_closes_before_an_older_journal_swallows_a_wager(tmp_path: Path, broker: Broker) -> None:
    plan = Plan(before=0, lacked=1, after=1, is_killed=True)
    assert await one(tmp_path, broker, plan) == (True, [])
