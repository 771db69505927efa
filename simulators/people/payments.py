"""Take and pay: the chips are made to agree with what is truly due."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from firmware_protocols.cards import POINTS, Card, Rank
from simulators.chance import happens
from simulators.people.acts import Act
from simulators.people.bettors import bet_ahead
from simulators.people.box import Box, hand_due_cents, insurance_due_cents, is_natural, main_due_cents
from simulators.people.felt import INSURANCE, MAIN, SPOTS, Felt

PICKED_UP_PER_MILLE: Final = 600
"""How often a player picks up a natural's chips at once."""


def may_be_natural(up: Card) -> bool:
    """The dealer may have a natural behind this card: naturals and surrenders wait for the hole card."""
    return up.rank is Rank.ACE or POINTS[up.rank] == 10


def second_awaited(felt: Felt) -> bool:
    """Whether anybody waits for the second card of a dealer who was dealt no hole card."""
    frozen = may_be_natural(felt.dealer[0])
    return any(box.live or box.insurance_cents or (frozen and not box.broke) for box in felt.boxes.values())


def pay_naturals_at_once(felt: Felt) -> Iterator[Act]:
    """Up card 2 to 9: naturals are paid before anybody gets a third card, from the highest spot down."""
    for spot in reversed(SPOTS):
        box = felt.boxes.get(spot)
        if box is not None and box.natural:
            yield from _make(felt, box, box.wager_cents + felt.house.natural_payment_cents(box.wager_cents))
            if happens(felt.rng, PICKED_UP_PER_MILLE):
                yield from felt.lay(spot, MAIN, 0)


def checks(felt: Felt) -> bool:
    """Whether the dealer holds an ace's or a ten's hole card to the device before anybody plays."""
    return felt.house.hole_check == "device" and may_be_natural(felt.dealer[0])


def settle_surrenders(felt: Felt) -> Iterator[Act]:
    """Without a dealer's natural to fear half is lost for good; a player may pick up what is left at once."""
    if may_be_natural(felt.dealer[0]) and not checks(felt):
        return
    for spot in [spot for spot, box in felt.boxes.items() if box.surrendered and spot not in felt.paid]:
        felt.paid.add(spot)
        if happens(felt.rng, PICKED_UP_PER_MILLE):
            yield from felt.lay(spot, MAIN, 0)
        yield from bet_ahead(felt, spot)


def settle_insurance(felt: Felt) -> Iterator[Act]:
    """After the turn: lost insurance is taken, won insurance paid, from the highest spot down."""
    for spot in reversed(SPOTS):
        box = felt.boxes.get(spot)
        if box is not None and box.insurance_cents:
            net_cents = insurance_due_cents(felt.house, box, felt.dealer)
            yield from felt.lay(spot, INSURANCE, box.insurance_cents + net_cents)


def settle_frozen(felt: Felt) -> Iterator[Act]:
    """After the turn: naturals, even money and surrenders that waited for the hole card."""
    for spot in reversed(SPOTS):
        box = felt.boxes.get(spot)
        if box is not None and (box.natural or box.surrendered):
            yield from settle_main(felt, box)


def take_and_pay(felt: Felt) -> Iterator[Act]:
    """All main wagers not settled yet, from the highest spot down."""
    for spot in reversed(SPOTS):
        box = felt.boxes.get(spot)
        if box is not None:
            yield from settle_main(felt, box)


def settle_main(felt: Felt, box: Box) -> Iterator[Act]:
    """The main chips of one box become what comes back to the player; nothing where that is done already."""
    if box.spot in felt.paid:
        return
    if box.surrendered and not felt.chips(box.spot, MAIN) and happens(felt.rng, 500):
        # The frozen wager lies beside the cards; its half goes back into the player's hand, past the zone.
        felt.paid.add(box.spot)
        return
    comes_back_cents = box.stake_cents + main_due_cents(felt.house, box, felt.dealer)
    if box.live and not is_natural(felt.dealer):
        yield from _hand_by_hand(felt, box)
    yield from _make(felt, box, comes_back_cents)


def _hand_by_hand(felt: Felt, box: Box) -> Iterator[Act]:
    for place, hand in reversed(list(enumerate(box.hands))):
        if (box.spot, place) in felt.taken:
            continue
        net_cents = hand_due_cents(felt.house, hand, felt.dealer, after_split=len(box.hands) > 1)
        yield from felt.lay(box.spot, MAIN, felt.cents(box.spot, MAIN) + net_cents)


def _make(felt: Felt, box: Box, cents: int) -> Iterator[Act]:
    felt.paid.add(box.spot)
    yield from felt.lay(box.spot, MAIN, cents)
    if not cents:
        yield from bet_ahead(felt, box.spot)
