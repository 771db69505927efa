"""Every hand a dealer may draw against one up card, and how many ways of drawing from a given shoe end in each total.

A hand is counted once for all orders of its cards: how many of these the dealer's rule lets happen does not hang on the
shoe, so it is worked out once, and a shoe is only a product of the cards it has left. Everything is an integer.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from math import perm
from typing import Final, NamedTuple

from controller.core.game.hand import holes_that_draw, is_natural, total
from controller.core.game.settlement import DRAWN, NATURAL, DealerEnd

POINTS: Final = range(1, 11)
"""Point values, 1 for the ace."""

ENDS: Final[tuple[DealerEnd, ...]] = (*DRAWN, NATURAL)
"""Every way a dealer's hand may end."""

Cards = tuple[int, ...]
"""Cards by their points, sorted."""

ShoeComposition = tuple[int, ...]
"""Cards left in a shoe by their points: the first number is of aces, the last of tens."""


class _Level(NamedTuple):
    """Hands of equally many drawn cards, each as one of ``inner`` of the level before and one card more.

    The last card is a slot: how many cards of its points are left, as a place in ``DealerHands.slots``.
    """

    inner: tuple[tuple[int, int], ...]
    """Parts of longer hands: parent and slot."""
    complete: tuple[tuple[int, int, int], ...]
    """Complete hands by their end: parent, slot, and the orders in which they may be drawn."""
    ends: tuple[tuple[int, slice], ...]
    """Which of ``complete`` end how, as places in ``ENDS``."""


class DealerHands:
    """What the dealer may draw against one up card. Holds nothing that changes."""

    def __init__(self, up: int, *, hits_soft_17: bool) -> None:
        complete = _complete(up, hits_soft_17=hits_soft_17)
        self.depth = max(len(cards) for cards in complete)
        """The most cards drawn, the hole card among them."""
        inner = sorted({cards[:size] for cards in complete for size in range(len(cards))})
        used = sorted({(cards[-1], cards.count(cards[-1]) - 1) for cards in (*inner[1:], *complete)})
        self.slots = tuple((points - 1, gone) for points, gone in used)
        """A point value's place in ``ShoeComposition`` and how many such cards the hand has already."""
        slot_of = {slot: number for number, slot in enumerate(used)}
        self.levels = tuple(_level(size, up, inner, complete, slot_of) for size in range(1, self.depth + 1))

    def ways(self, left: ShoeComposition) -> tuple[int, ...]:
        """Ways of drawing ``depth`` cards in order from a shoe, by how the dealer's hand ends; by ``ENDS``.

        They add up to ``perm(sum(left), depth)``.
        """
        counts = [left[place] - gone for place, gone in self.slots]
        cards = sum(left)
        found = [0] * len(ENDS)
        parts = [1]
        for size, level in enumerate(self.levels, start=1):
            rest = perm(cards - size, self.depth - size)
            made = [parts[parent] * counts[slot] * ways for parent, slot, ways in level.complete]
            for end, those in level.ends:
                found[end] += rest * sum(made[those])
            parts = [parts[parent] * counts[slot] for parent, slot in level.inner]
        return tuple(found)


@lru_cache(maxsize=20)
def dealer_hands(up: int, hits_soft_17: bool) -> DealerHands:  # noqa: FBT001 - a cache key
    """The hands against an up card (1: ace), worked out once."""
    return DealerHands(up, hits_soft_17=hits_soft_17)


def _complete(up: int, *, hits_soft_17: bool) -> Counter[Cards]:
    """Each complete hand without its up card, and the orders in which it may be drawn."""
    found: Counter[Cards] = Counter()
    drawing: Counter[Cards] = Counter({(): 1})
    while drawing:
        longer: Counter[Cards] = Counter()
        for cards, ways in drawing.items():
            for points in POINTS:
                longer[tuple(sorted((*cards, points)))] += ways
        draws = {cards for cards in longer if holes_that_draw(up, cards[1:], hits_soft_17) >> cards[0] & 1}
        found.update({cards: ways for cards, ways in longer.items() if cards not in draws})
        drawing = Counter({cards: ways for cards, ways in longer.items() if cards in draws})
    return found


def _level(
    size: int, up: int, inner: list[Cards], complete: Counter[Cards], slot_of: dict[tuple[int, int], int]
) -> _Level:
    """The hands of ``size`` drawn cards."""
    parents = {cards: number for number, cards in enumerate([one for one in inner if len(one) == size - 1])}
    parts = [cards for cards in inner if len(cards) == size]
    by_end = sorted((ENDS.index(_end(up, cards)), cards) for cards in complete if len(cards) == size)
    order = [end for end, _ in by_end]
    return _Level(
        tuple((parents[cards[:-1]], slot_of[_slot(cards)]) for cards in parts),
        tuple((parents[cards[:-1]], slot_of[_slot(cards)], complete[cards]) for _, cards in by_end),
        tuple((end, slice(order.index(end), order.index(end) + order.count(end))) for end in sorted(set(order))),
    )


def _slot(cards: Cards) -> tuple[int, int]:
    """The points of the last card, and how many of them came before it."""
    return cards[-1], cards.count(cards[-1]) - 1


def _end(up: int, cards: Cards) -> DealerEnd:
    """How a complete hand counts."""
    if len(cards) == 1 and is_natural(up, cards[0]):
        return NATURAL
    return DealerEnd(natural=False, total=min(total((up, *cards))[0], 22))
