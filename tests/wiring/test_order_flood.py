"""How much one person's orders may add to a journal, whichever way they come in."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Final

import msgspec

from controller.core.messages.alerts import DeviceAlarm
from controller.core.messages.inputs import DayBegan
from controller.core.persons import Authentication
from controller.formats.orders.requests import Reply
from controller.io.mqtt.connection import Broker
from controller.io.system.rate_limits import ORDERS_AT_ONCE
from tests.wiring.premises import Ear
from tests.wiring.strings import Watched, watched

AT_ONCE = 100
OWN_KEY = Authentication("key", ("floor",))
SIGNED = Authentication("signature", ("floor",))
BEYOND = "more than 1 a second; what is beyond is refused"
VAIN: Final[dict[str, dict[str, object]]] = {
    "ack": {"alert": 9_999},
    "withdraw-order": {"order": 9_999, "why": "x"},
    "pay-jackpot": {"jackpot": 9, "why": "x"},
    "void": {"round": 9_999, "why": "x"},
}
"""Orders about nothing; the journal keeps that they were given."""


async def ordered(table: Watched, who: str, count: int, *ways: Authentication) -> Counter[str | None]:
    """What a person's orders of all verbs in turn come to, who gives them by one way and another."""
    replies: list[bytes] = []
    found: Counter[str | None] = Counter()
    for number in range(count):
        verb, body = list(VAIN.items())[number % len(VAIN)]
        way = ways[number % len(ways)]
        table.daemon.ask(verb, msgspec.json.encode({**body, "who": who}), replies.append, way, f"way {number % 2}")
        if number % AT_ONCE == AT_ONCE - 1 or number == count - 1:
            # What is said of the day comes after all of them.
            await table.daemon.keep(DayBegan(table.hand.now_ns, "2026-11-21"))
    assert len(replies) == count
    found.update(msgspec.json.decode(one, type=Reply).reason_code for one in replies)
    return found


async def test_one_person_fills_no_journal_whoever_brings_the_orders(tmp_path: Path, broker: Broker) -> None:
    ear = Ear()
    async with ear.listening(broker), watched(tmp_path, broker, ear) as table:
        found = await ordered(table, "M. Okafor", ORDERS_AT_ONCE + 200, OWN_KEY, SIGNED)
        assert found.pop("too_many_requests") == 200
        assert found.total() == ORDERS_AT_ONCE
        # Another's order is taken, at the same door too.
        assert "too_many_requests" not in await ordered(table, "J. Lee", 4, OWN_KEY)
        alarm = await ear.event(DeviceAlarm, device="requests")
    assert (alarm.code, alarm.text) == ("too_many", f"orders of every kind by M. Okafor: {BEYOND}")
