"""EZ Bust as people wager on it: after the up card, against 2 to 6, whether the dealer breaks.

The words of Hollywood Penn National's card: with such a wager open the dealer plays out unless every hand broke, and
then it is returned; a dealer who stands on two cards has not broken.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from firmware_protocols.cards import POINTS, Card
from simulators.chance import happens, pick
from simulators.people.acts import Act
from simulators.people.box import BEST_TOTAL, Box, total
from simulators.people.simulated_table import EZ_BUST, SimulatedTable

STAKES_CENTS: Final = (100, 500, 500, 1000, 2500)
CHANGES_PER_MILLE: Final = 150
"""How often a player lays another amount first."""
WITHDRAWS_PER_MILLE: Final = 50
"""How often a player takes the chips back before anybody has decided anything."""
LAST_PER_MILLE: Final = 400
"""How often it is taken or paid by the hand that clears the layout, after the main wagers."""


def lay(table: SimulatedTable) -> Iterator[Act]:
    """While it is offered some lay a wager, in no order; now and then another amount first, or nothing in the end."""
    rate = table.habits.bust_bets_per_mille
    if not rate or POINTS[table.dealer[0].rank] not in table.house.bust_up_cards:
        return
    order = [spot for spot in table.boxes if happens(table.rng, rate)]
    table.rng.shuffle(order)
    for spot in order:
        if happens(table.rng, CHANGES_PER_MILLE):
            yield from table.lay(spot, EZ_BUST, pick(table.rng, STAKES_CENTS))
        cents = 0 if happens(table.rng, WITHDRAWS_PER_MILLE) else pick(table.rng, STAKES_CENTS)
        yield from table.lay(spot, EZ_BUST, cents)
        table.boxes[spot] = replace(table.boxes[spot], bust_cents=cents)


def all_broke(boxes: Iterable[Box]) -> bool:
    """Every hand at the table broke: a natural and a surrendered hand have not."""
    return all(box.broke and not box.surrendered for box in boxes)


def awaited(table: SimulatedTable) -> bool:
    """Whether the dealer must play out for such a wager."""
    boxes = table.boxes.values()
    return any(box.bust_cents for box in boxes) and not all_broke(boxes)


def net_cents(boxes: Iterable[Box], bust_cents: int, dealer: tuple[Card, ...]) -> int:
    """The true net of a wager, by all boxes of the round and the dealer's final cards."""
    if all_broke(boxes):
        return 0
    return bust_cents if total(dealer) > BEST_TOTAL else -bust_cents


def comes_back_cents(table: SimulatedTable, box: Box) -> int:
    """What of a box's wager goes back to the player, with what it has won."""
    return box.bust_cents + net_cents(table.boxes.values(), box.bust_cents, table.dealer)


def settle(table: SimulatedTable) -> Iterator[Act]:
    """Each wager becomes what comes back of it; the layout is cleared now, or with the main wagers."""
    for spot, box in reversed(table.boxes.items()):
        if box.bust_cents and not happens(table.rng, LAST_PER_MILLE):
            yield from table.lay(spot, EZ_BUST, comes_back_cents(table, box))


def clear(table: SimulatedTable) -> Iterator[Act]:
    """What is still due is paid, and everybody picks up what is left."""
    for spot, box in reversed(table.boxes.items()):
        if box.bust_cents:
            yield from table.lay(spot, EZ_BUST, comes_back_cents(table, box))
            yield from table.lay(spot, EZ_BUST, 0)
