"""A table PC that is held back for a moment: what was due before a card counts before it."""

from __future__ import annotations

import asyncio
import random

import pytest

from controller.io.lines.supervisor import LineSupervisor
from devices.keypad import KeypadSession
from devices.shoes.shoe import ShoeSession
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn, KeyPressed
from simulators.devices.keypad import KeypadSimulator
from simulators.devices.shoe import ShoeSimulator
from tests.io.lines_rig import BEE_TEK, KEYPAD, Delivered, Place
from tests.io.virtual_time import LoopClock, becomes, passes, run_virtual


class HeldBackClock(LoopClock):
    """The clock of a machine whose loop may have stood still."""

    stalled_ns = 0

    def monotonic_ns(self) -> int:
        return super().monotonic_ns() + self.stalled_ns


@pytest.mark.parametrize("ahead", [True, False])
def test_a_key_that_was_let_go_counts_before_the_card_that_came_while_the_machine_stood_still(*, ahead: bool) -> None:
    async def scenario() -> None:
        delivered, clock = Delivered(), HeldBackClock(asyncio.get_running_loop())
        burn, drawn = KeypadSimulator(KEYPAD), ShoeSimulator(BEE_TEK)
        places = Place(burn), Place(drawn)
        keypad, shoe = (
            LineSupervisor(name, place.open, session, clock=clock, chance=random.Random(1), deliver=delivered.deliver)
            for name, place, session in (
                ("keypad", places[0], KeypadSession(KEYPAD)),
                ("shoe", places[1], ShoeSession(BEE_TEK)),
            )
        )
        if ahead:
            shoe.let_go_ahead(keypad)
        tasks = [asyncio.ensure_future(line.run()) for line in (keypad, shoe)]
        await becomes(lambda: keypad.is_open and shoe.is_open and burn.is_set_up)
        await passes(1)
        lines = [place.line for place in places]
        assert lines[0] is not None
        assert lines[1] is not None
        for edge in burn.press("X"):
            lines[0].say(edge)
        clock.stalled_ns += 150_000_000
        lines[1].say(drawn.draw(Card("9h")))
        await becomes(lambda: len(delivered.of(KeyPressed)) + len(delivered.of(CardDrawn)) == 2)
        kinds = [type(one) for one in delivered.readings if isinstance(one, KeyPressed | CardDrawn)]
        assert kinds == ([KeyPressed, CardDrawn] if ahead else [CardDrawn, KeyPressed])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    run_virtual(scenario())
