"""An order that waits while the table reads the bets is answered once, and with what became of it."""

from __future__ import annotations

from pathlib import Path

import msgspec

from controller.core.messages.inputs import DayBegan
from controller.core.persons import Authentication
from controller.formats.orders.requests import Reply
from controller.io.mqtt.connection import Broker
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen
from tests.wiring.premises import Ear
from tests.wiring.strings import CHIPS, MS, SPOTS, watched

FLOOR = Authentication("key", ("floor",))


async def test_the_reply_waits_with_the_order(tmp_path: Path, broker: Broker) -> None:
    ear = Ear()
    replies: list[bytes] = []
    async with ear.listening(broker), watched(tmp_path, broker, ear, bound=True) as table:
        daemon, hand = table.daemon, table.hand
        hand.now_ns += 5_000 * MS
        dealt_ns = hand.now_ns
        await daemon.commit([CardDrawn(dealt_ns, Card("9h"))])
        hand.now_ns += 400 * MS
        for spot in (2, 9):
            order = {"spot": spot, "cents": 1000, "who": "M. Okafor", "why": "plays cash"}
            daemon.ask("declare-box", msgspec.json.encode(order), replies.append, FLOOR)
        # What is said of the day waits for nothing, and comes after both.
        await daemon.keep(DayBegan(hand.now_ns, "2026-11-21"))
        assert (len(daemon.table.state.deferred), replies) == (3, [])
        chip = next(iter(CHIPS))
        laid = ChipsSeen(1, "main", (chip,), dealt_ns - 1_000 * MS, dealt_ns - 100 * MS)
        await daemon.commit([laid, ChipsConfirmed(SPOTS, hand.now_ns)])
        assert (daemon.table.state.deferred, daemon.requests) == ((), [])
    answers = [msgspec.json.decode(one, type=Reply) for one in replies]
    assert [(one.status, one.reason_code) for one in answers] == [("accepted", None), ("refused", "no_such_spot")]
    assert answers[0].text == "order 1 waits for another person to approve it: round 1: spot 2 is in play for 10.00"
