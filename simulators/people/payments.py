"""Take and pay: the chips are made to agree with what is truly due."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from firmware_protocols.cards import POINTS, Card, Rank
from simulators.chance import happens
from simulators.people.acts import Act
from simulators.people.bettors import bet_ahead
from simulators.people.box import Box, hand_due_cents, insurance_due_cents, is_natural, main_due_cents
from simulators.people.simulated_table import INSURANCE, MAIN, SPOTS, SimulatedTable

PICKED_UP_PER_MILLE: Final = 600
"""How often a player picks up a natural's chips at once."""


def may_be_natural(up: Card) -> bool:
    """The dealer may have a natural behind this card: naturals and surrenders wait for the hole card."""
    return up.rank is Rank.ACE or POINTS[up.rank] == 10


def awaits_second_card(table: SimulatedTable) -> bool:
    """Whether anybody waits for the second card of a dealer who was dealt no hole card."""
    must_wait = may_be_natural(table.dealer[0])
    return any(box.live or box.insurance_cents or (must_wait and not box.broke) for box in table.boxes.values())


def pay_naturals_at_once(table: SimulatedTable) -> Iterator[Act]:
    """Up card 2 to 9: naturals are paid before anybody gets a third card, from the highest spot down."""
    for spot in reversed(SPOTS):
        box = table.boxes.get(spot)
        if box is not None and box.natural:
            yield from _make(table, box, box.wager_cents + table.house.natural_payment_cents(box.wager_cents))
            if happens(table.rng, PICKED_UP_PER_MILLE):
                yield from table.pick_up(spot, 0)


def checks_hole_card(table: SimulatedTable) -> bool:
    """Whether the dealer holds an ace's or a ten's hole card to the device before anybody plays."""
    return table.house.hole_check == "device" and may_be_natural(table.dealer[0])


def settle_surrenders(table: SimulatedTable) -> Iterator[Act]:
    """Without a dealer's natural to fear half is lost for good; a player may pick up what is left at once."""
    if may_be_natural(table.dealer[0]) and not checks_hole_card(table):
        return
    for spot in [spot for spot, box in table.boxes.items() if box.surrendered and spot not in table.paid]:
        table.paid.add(spot)
        if happens(table.rng, PICKED_UP_PER_MILLE):
            yield from table.lay(spot, MAIN, 0)
        yield from bet_ahead(table, spot)


def settle_insurance(table: SimulatedTable) -> Iterator[Act]:
    """After the turn: lost insurance is taken, won insurance paid, from the highest spot down."""
    for spot in reversed(SPOTS):
        box = table.boxes.get(spot)
        if box is not None and box.insurance_cents:
            net_cents = insurance_due_cents(table.house, box, table.dealer)
            yield from table.lay(spot, INSURANCE, box.insurance_cents + net_cents)


def settle_naturals_and_surrenders(table: SimulatedTable) -> Iterator[Act]:
    """After the turn: naturals, even money and surrenders that waited for the hole card."""
    for spot in reversed(SPOTS):
        box = table.boxes.get(spot)
        if box is not None and (box.natural or box.surrendered):
            yield from settle_main(table, box)


def take_and_pay(table: SimulatedTable) -> Iterator[Act]:
    """All main wagers not settled yet, from the highest spot down."""
    for spot in reversed(SPOTS):
        box = table.boxes.get(spot)
        if box is not None:
            yield from settle_main(table, box)


def settle_main(table: SimulatedTable, box: Box) -> Iterator[Act]:
    """The main chips of one box become what comes back to the player; nothing where that is done already."""
    if box.spot in table.paid:
        return
    if box.surrendered and not table.chips(box.spot, MAIN) and happens(table.rng, 500):
        # The surrendered wager lies beside the cards; its half goes back into the player's hand, past the zone.
        table.paid.add(box.spot)
        return
    comes_back_cents = box.stake_cents + main_due_cents(table.house, box, table.dealer)
    if box.live and not is_natural(table.dealer):
        yield from _hand_by_hand(table, box)
    yield from _make(table, box, comes_back_cents)


def _hand_by_hand(table: SimulatedTable, box: Box) -> Iterator[Act]:
    for place, hand in reversed(list(enumerate(box.hands))):
        if (box.spot, place) in table.taken:
            continue
        net_cents = hand_due_cents(table.house, hand, table.dealer, after_split=len(box.hands) > 1)
        yield from table.lay(box.spot, MAIN, table.cents(box.spot, MAIN) + net_cents)


def _make(table: SimulatedTable, box: Box, cents: int) -> Iterator[Act]:
    table.paid.add(box.spot)
    yield from table.lay(box.spot, MAIN, cents)
    if not cents:
        yield from bet_ahead(table, box.spot)
