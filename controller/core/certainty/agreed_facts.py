"""What holds in every legal play: the inferred facts. Once one holds it goes on holding, so none is taken back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from controller.core.game.hand import Outcome, best, place_of
from controller.core.game.position import Node
from controller.core.inference.lattice import Frontier, Reconstruction, Told
from controller.core.messages.events import (
    CardDealt,
    Event,
    HandCompleted,
    HandDoubled,
    HandsSplit,
    InsuranceTaken,
    SpotSurrendered,
)


class Names(NamedTuple):
    """How the outside calls things: the round, the spot of each box, the reading that brought each card."""

    round: int
    spots: tuple[int, ...]
    cards: tuple[int, ...]


class Known(NamedTuple):
    """Of what everything has been told: the cards by their readings, and the spots that have finished."""

    cards: frozenset[int] = frozenset()
    spots: frozenset[int] = frozenset()

    @classmethod
    def by(cls, facts: Iterable[Event]) -> Known:
        """What these facts have told."""
        cards, spots = set(), set()
        for fact in facts:
            match fact:
                case CardDealt(_, card, _):
                    cards.add(card)
                case HandCompleted(_, spot) | SpotSurrendered(_, spot):
                    spots.add(spot)
                case _:
                    pass
        return cls(frozenset(cards), frozenset(spots))


def inferred(found: Reconstruction, frontier: Frontier, names: Names, known: Known) -> Iterator[Event]:
    """Every fact that holds in all plays, in a fixed order, save what is ``known``."""
    yield from dealt_initially(found, names, known)
    if not frontier or len(found.cards) < found.play().deal_cards:
        return
    if found.play().insurance_offered():
        yield from insured(frontier, names)
    yield from drawn(found, frontier, names, known)
    for box, spot in enumerate(names.spots):
        if spot not in known.spots:
            yield from box_facts(frontier, box, spot, names)


def dealt_initially(found: Reconstruction, names: Names, known: Known) -> Iterator[Event]:
    """The initial deal: its order is certain."""
    boxes = len(names.spots)
    for place in range(min(len(found.cards), found.play().deal_cards)):
        box = place % (boxes + 1)
        if names.cards[place] not in known.cards:
            own = (names.spots[box], 0) if box < boxes else (0, None)
            yield CardDealt(names.round, names.cards[place], *own)


def insured(frontier: Frontier, names: Names) -> Iterator[Event]:
    """Insurance that every play counts alike."""
    if any(node.offers for node in frontier):
        return
    for box, spot in enumerate(names.spots):
        cents = {node.insured[box] if node.insured else 0 for node in frontier}
        if len(cents) == 1 and cents != {0}:
            yield InsuranceTaken(names.round, spot, cents.pop())


def drawn(found: Reconstruction, frontier: Frontier, names: Names, known: Known) -> Iterator[Event]:
    """Later cards whose owner every play agrees on."""
    boxes = len(names.spots)
    for place in range(found.play().deal_cards, len(found.cards)):
        if names.cards[place] in known.cards:
            continue
        places = places_of(frontier, found.cards[place])
        owners = {box for box, _ in places}
        if len(owners) == 1:
            box, hand = places.pop()
            own = (names.spots[box], None if places else hand) if box < boxes else (0, None)
            yield CardDealt(names.round, names.cards[place], *own)


def places_of(frontier: Frontier, card: int) -> set[tuple[int, int | None]]:
    """The box (the number of boxes: the dealer) and its hand that hold a card, in each play; none where one has not."""
    return {place for node, told in frontier.items() for place in places_at(card, node, told)}


def places_at(card: int, node: Node, told: Told) -> Iterator[tuple[int, int | None]]:
    """The boxes (the number of boxes: the dealer) and their hands that may hold a card at a node."""
    if card in node.dealers():
        yield len(told), None
    for box, outcomes in enumerate(told):
        for outcome in outcomes:
            yield from ((box, index) for index, hand in enumerate(outcome.hands) if card in hand.cards)
    yield from ((node.turn, index) for index, hand in enumerate(node.hands) if card in hand.cards)


class Standing(NamedTuple):
    """How far a box has come in one play: stakes added to each hand, and the number of hands."""

    extras: tuple[int, ...]
    outcome: Outcome | None


def standings(frontier: Frontier, box: int) -> set[Standing]:
    """How far the box has come, over all plays; empty if in some play its turn has not come."""
    found: set[Standing] = set()
    for node, told in frontier.items():
        if told[box]:
            found.update(Standing(tuple(h.extra_cents for h in outcome.hands), outcome) for outcome in told[box])
        elif node.turn == box:
            found.add(Standing(tuple(hand.extra for hand in node.hands), None))
        else:
            return set()
    return found


def box_facts(frontier: Frontier, box: int, spot: int, names: Names) -> Iterator[Event]:
    """Splits, doubles and finished hands of one box."""
    ways = standings(frontier, box)
    if not ways:
        return
    outcome = next(iter(ways)).outcome if len(ways) == 1 else None
    if outcome is not None and outcome.how == "surrendered":
        yield SpotSurrendered(names.round, spot)
        return
    hands = min(len(way.extras) for way in ways)
    for count in range(2, hands + 1):
        yield HandsSplit(names.round, spot, count)
    for hand in range(hands):
        cents = {way.extras[hand] for way in ways}
        if len(cents) == 1 and cents != {0}:
            yield HandDoubled(names.round, spot, hand, cents.pop())
    if outcome is None:
        return
    for index, played in enumerate(outcome.hands):
        cards = tuple(names.cards[place_of(card)] for card in played.cards)
        yield HandCompleted(names.round, spot, index, cards, best(played.cards), played.stake_cents())
