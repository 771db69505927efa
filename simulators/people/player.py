"""How a player decides: sensible basic strategy, and now and then anything the house allows."""

from __future__ import annotations

from typing import Final

from firmware_protocols.cards import POINTS, Card, Rank
from simulators.chance import Chance, happens, pick
from simulators.people.box import Box, Choice, choices, in_play, is_soft, total
from simulators.people.house import House

SPLIT_AGAINST: Final[dict[int, frozenset[int]]] = {
    1: frozenset(range(1, 11)),
    2: frozenset(range(2, 8)),
    3: frozenset(range(2, 8)),
    4: frozenset((5, 6)),
    5: frozenset(),
    6: frozenset(range(2, 7)),
    7: frozenset(range(2, 8)),
    8: frozenset(range(1, 11)),
    9: frozenset((2, 3, 4, 5, 6, 8, 9)),
    10: frozenset(),
}
"""Points of a pair's card (ace 1) -> the dealer's up cards against which it is split."""

DOUBLE_HARD_AGAINST: Final[dict[int, frozenset[int]]] = {
    9: frozenset(range(3, 7)),
    10: frozenset(range(2, 10)),
    11: frozenset(range(2, 11)),
}
"""Hard total -> the dealer's up cards against which it is doubled."""

DOUBLE_SOFT_AGAINST: Final[dict[int, frozenset[int]]] = {
    **dict.fromkeys((13, 14), frozenset((5, 6))),
    **dict.fromkeys((15, 16), frozenset((4, 5, 6))),
    **dict.fromkeys((17, 18), frozenset((3, 4, 5, 6))),
}
"""Soft total -> the dealer's up cards against which it is doubled."""

SURRENDER_AGAINST: Final[dict[int, frozenset[int]]] = {16: frozenset((9, 10, 1)), 15: frozenset((10,))}
"""Hard total -> the dealer's up cards against which it is surrendered."""


def choose(house: House, rng: Chance, box: Box, up: Card, whims_per_mille: int) -> Choice:
    """What the player does with the hand in play; in ``whims_per_mille`` of cases any legal choice, each as likely.

    Raises ``ValueError`` when there is nothing to choose.
    """
    legal = choices(house, box)
    place = in_play(house, box)
    if place is None or not legal:
        raise ValueError(f"spot {box.spot} has nothing to choose")
    if happens(rng, whims_per_mille):
        return pick(rng, legal)
    return _sensible(legal, box.hands[place].cards, POINTS[up.rank])


def _sensible(legal: tuple[Choice, ...], cards: tuple[Card, ...], up: int) -> Choice:
    points, soft = total(cards), is_soft(cards)
    pair = POINTS[cards[0].rank]
    if Choice.SPLIT in legal and up in SPLIT_AGAINST[pair]:
        return Choice.SPLIT
    if Choice.HIT not in legal:
        return Choice.STAND
    if Choice.SURRENDER in legal and not soft and up in SURRENDER_AGAINST.get(points, frozenset()):
        return Choice.SURRENDER
    doubles = DOUBLE_SOFT_AGAINST if soft else DOUBLE_HARD_AGAINST
    if Choice.DOUBLE in legal and up in doubles.get(points, frozenset()):
        return Choice.DOUBLE
    return Choice.STAND if _is_enough(points, up, soft=soft) else Choice.HIT


def _is_enough(points: int, up: int, *, soft: bool) -> bool:
    if soft:
        return points >= 19 or (points == 18 and 2 <= up <= 8)
    if points == 12:
        return 4 <= up <= 6
    return points >= 17 or (points > 12 and 2 <= up <= 6)


def offered_insurance(house: House, up: Card) -> bool:
    """Insurance is offered on an ace where the house has it."""
    return house.insurance and up.rank is Rank.ACE
