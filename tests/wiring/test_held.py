"""A daemon that the machine stops for a moment, in a round, while a card is drawn and a key is pressed."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path

from controller.core.messages.events import CardDrawn, KeyRead
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.mqtt.connection import Broker
from firmware_protocols.cards import Card
from tests.wiring.premises import KEY_OF, Premises, open_house, ran

DEAL = "1 main 25\nno_more_bets\nTh 7d 2s Td"
STOPPED_S = 0.5
"""More than the 150 ms that are let pass."""


async def stopped(house: Premises, *, is_key_pressed: bool) -> None:
    """The machine does not let the daemon run, and people go on."""
    assert house.process is not None
    os.kill(house.process.pid, signal.SIGSTOP)
    try:
        if is_key_pressed:
            house.bench.key_down(KEY_OF["hit"])
            house.bench.key_up()
        house.bench.draw(Card("3h"))
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(house.process.wait(), STOPPED_S)
    finally:
        os.kill(house.process.pid, signal.SIGCONT)


async def test_a_card_and_a_key_read_at_once_after_a_stop_are_an_alert_a_card_alone_is_none(
    tmp_path: Path, broker: Broker
) -> None:
    async with open_house(tmp_path, broker) as house:
        await house.talk(DEAL)
        await house.ear.event(CardDrawn, 4)
        await house.talk("hit")
        await house.ear.event(KeyRead, 2)
        await stopped(house, is_key_pressed=False)
        await house.ear.event(CardDrawn, 5)
        assert house.ear.events(AlertRaised) == []
        await stopped(house, is_key_pressed=True)
        alert = await house.ear.event(AlertRaised)
        assert (alert.kind, alert.round) == (AlertKind.READINGS_HELD, 1)
        assert " UTC for " in alert.text
        await house.stop()
        assert (await ran("replay", str(house.journal)))[0] == 0
