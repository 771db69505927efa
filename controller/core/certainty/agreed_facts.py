"""What holds in every legal play: the inferred facts. A fact that holds goes on holding, so no fact is taken back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import msgspec

from controller.core.game.hand import Outcome, best, place_of
from controller.core.game.play import Play
from controller.core.inference.lattice import Frontier
from controller.core.messages.events import (
    CardDealt,
    Event,
    HandCompleted,
    HandDoubled,
    HandsSplit,
    InsuranceTaken,
    SpotSurrendered,
)
from controller.core.table.workings import PublishedFacts


class RoundNames(msgspec.Struct, frozen=True):
    """How the outside calls things: the round, the spot of each box, the reading that brought each card."""

    round: int
    spots: tuple[int, ...]
    cards: tuple[int, ...]


def inferred(
    cards: tuple[int, ...], play: Play, frontier: Frontier, names: RoundNames, known: PublishedFacts
) -> Iterator[Event]:
    """Every fact that holds in all plays once these cards have come, in a fixed order, save what is ``known``."""
    yield from dealt_initially(cards, play, names, known)
    if not frontier or len(cards) < play.deal_cards:
        return
    if play.insurance_offered():
        yield from _insured(frontier, names)
    yield from _drawn(cards[play.deal_cards :], frontier, names, known)
    for box, spot in enumerate(names.spots):
        if spot not in known.spots:
            yield from _box_facts(frontier, box, spot, names)


def dealt_initially(cards: tuple[int, ...], play: Play, names: RoundNames, known: PublishedFacts) -> Iterator[Event]:
    """The initial deal: its order is certain."""
    if known.cards.issuperset(names.cards[: min(len(cards), play.deal_cards)]):
        return
    boxes = len(names.spots)
    for place in range(min(len(cards), play.deal_cards)):
        if names.cards[place] not in known.cards:
            box = place % (boxes + 1)
            own = (names.spots[box], 0) if box < boxes else (0, None)
            yield CardDealt(names.round, names.cards[place], *own)


def _insured(frontier: Frontier, names: RoundNames) -> Iterator[Event]:
    """Insurance that every play counts alike."""
    if any(node.offers for node in frontier):
        return
    for box, spot in enumerate(names.spots):
        cents = {node.insured[box] if node.insured else 0 for node in frontier}
        if len(cents) == 1 and cents != {0}:
            yield InsuranceTaken(names.round, spot, cents.pop())


def _drawn(cards: tuple[int, ...], frontier: Frontier, names: RoundNames, known: PublishedFacts) -> Iterator[Event]:
    """Cards after the deal whose owner every play agrees on."""
    untold = {card for card in cards if names.cards[place_of(card)] not in known.cards}
    if not untold:
        return
    boxes = len(names.spots)
    places_of_card = _places_of(frontier, untold)
    for card in cards:
        places = places_of_card.get(card, set())
        owners = {box for box, _ in places}
        if len(owners) == 1:
            box, hand = places.pop()
            own = (names.spots[box], None if places else hand) if box < boxes else (0, None)
            yield CardDealt(names.round, names.cards[place_of(card)], *own)


def _places_of(frontier: Frontier, cards: set[int]) -> dict[int, set[tuple[int, int | None]]]:
    """The box (the number of boxes: the dealer) and its hand that hold each of these cards, over all plays."""
    places_of_card: dict[int, set[tuple[int, int | None]]] = {card: set() for card in cards}
    for node, by_box in frontier.items():
        if node.drawn or node.second:
            for card in cards.intersection(node.dealers()):
                places_of_card[card].add((len(by_box), None))
        for index, hand in enumerate(node.hands):
            if not cards.isdisjoint(hand.cards):
                for card in cards.intersection(hand.cards):
                    places_of_card[card].add((node.acting, index))
    # Plays differ in a box or two: what the others hold is looked through once.
    for box, of_box in enumerate(zip(*frontier.values(), strict=True)):
        for outcomes in set(of_box):
            for card, index in _held_in(outcomes):
                if card in cards:
                    places_of_card[card].add((box, index))
    return places_of_card


@lru_cache(maxsize=4096)
def _held_in(outcomes: frozenset[Outcome]) -> frozenset[tuple[int, int]]:
    """The cards of a box that ended in one of these ways, each with a hand that may hold it."""
    return frozenset(
        (card, hand) for outcome in outcomes for hand, played in enumerate(outcome.hands) for card in played.cards
    )


class _Standing(NamedTuple):
    """How far a box has come in one play: stakes added to each hand, and the number of hands."""

    extras: tuple[int, ...]
    outcome: Outcome | None


def _standings(frontier: Frontier, box: int) -> set[_Standing]:
    """How far the box has come, over all plays; empty if in some play its turn has not come."""
    found: set[_Standing] = set()
    ended: set[frozenset[Outcome]] = set()
    for node, by_box in frontier.items():
        if by_box[box]:
            ended.add(by_box[box])
        elif node.acting == box:
            found.add(_Standing(tuple([hand.extra for hand in node.hands]), None))
        else:
            return set()
    # Plays that differ elsewhere have this box's outcomes in common.
    return found.union(*map(_ended, ended))


@lru_cache(maxsize=4096)
def _ended(outcomes: frozenset[Outcome]) -> frozenset[_Standing]:
    """How far a box has come that ended in one of these ways."""
    return frozenset(_Standing(tuple([hand.extra_cents for hand in one.hands]), one) for one in outcomes)


def _box_facts(frontier: Frontier, box: int, spot: int, names: RoundNames) -> Iterator[Event]:
    """Splits, doubles and finished hands of one box."""
    ways = _standings(frontier, box)
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
