"""Players who lay a double, or a part of one, and take it back before they hit or stand.

Nothing of it was ever staked: everybody at the table takes the decision that follows for the only one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from simulators.chance import happens, pick
from simulators.people.acts import Act
from simulators.people.bettors import has_room
from simulators.people.box import Box, Choice, choices, is_soft, total
from simulators.people.simulated_table import MAIN, SimulatedTable

LIES_MS: Final = (300, 4_000)
"""How long chips lie before their player takes them back."""

BACK_MS: Final = (200, 3_000)
"""The time until the player decides."""

MADE: Final = 17
"""Nobody doubles a hard hand of so many points."""

SMALLEST_CENTS: Final = 500
"""The least part of a double, in cents."""


def withdrawn(table: SimulatedTable, box: Box, place: int) -> Iterator[Act]:
    """A raise that is taken back, where the player may double the hand and the habits say so; else nothing."""
    hand, per_mille = box.hands[place], table.habits.withdraws_per_mille
    may_double = Choice.DOUBLE in choices(table.house, box) and (total(hand.cards) < MADE or is_soft(hand.cards))
    if not per_mille or not may_double or not happens(table.rng, per_mille):
        return
    lay_cents = table.cents(box.spot, MAIN)
    raised = [cents for cents in (hand.base_cents, hand.base_cents // 2) if cents % SMALLEST_CENTS == 0 < cents]
    if not raised or not has_room(table, box.spot, hand.base_cents):
        return
    for _ in range(1 + happens(table.rng, 200)):
        cents = pick(table.rng, raised)
        if happens(table.rng, 300):
            yield from table.restack(box.spot, lay_cents + cents)
        else:
            yield from table.lay(box.spot, MAIN, lay_cents + cents)
        yield table.pause(LIES_MS)
        if happens(table.rng, 200) and cents > SMALLEST_CENTS:
            yield from table.lay(box.spot, MAIN, lay_cents + SMALLEST_CENTS)
            yield table.pause(BACK_MS)
        yield from table.lay(box.spot, MAIN, lay_cents)
        yield table.pause(BACK_MS)
