"""Chances of hands dealt from a shoe, with the dealer's hand that follows them, summed exactly."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from math import perm, prod
from typing import NamedTuple

from controller.core.analysis.dealer_hands import Cards, DealerHands, ShoeComposition


class Tally(NamedTuple):
    """Sums over hands, by how the dealer ends."""

    masses: tuple[Fraction, ...]
    """Chance."""
    nets: tuple[Fraction, ...]
    """Chance times net in cents."""
    squares: tuple[Fraction, ...]
    """Chance times the net's square."""

    @classmethod
    def nothing(cls, columns: int) -> Tally:
        """No hand at all."""
        return cls(*((Fraction(0),) * columns for _ in range(3)))

    @classmethod
    def of(cls, masses: Iterable[Fraction], nets: Iterable[int]) -> Tally:
        """Hands of one net for each column."""
        pairs = tuple(zip(masses, nets, strict=True))
        return cls(*(tuple(mass * net**power for mass, net in pairs) for power in range(3)))

    def plus(self, other: Tally, times: Fraction) -> Tally:
        """The sums with a multiple of the other's added."""
        return Tally(
            *(tuple(a + b * times for a, b in zip(*both, strict=True)) for both in zip(self, other, strict=True))
        )

    def times(self, factor: Fraction) -> Tally:
        """The sums, each multiplied."""
        return Tally(*(tuple(one * factor for one in row) for row in self))


WeightedHand = tuple[Cards, int, tuple[int, ...]]
"""A hand's cards, the orders in which they may come, its nets in cents by column."""


class ShoeChances:
    """The hands of one up card's dealer, and what has been worked out for the shoes they were drawn from."""

    def __init__(self, dealer: DealerHands) -> None:
        self.dealer = dealer
        self._ways: dict[ShoeComposition, tuple[int, ...]] = {}

    def ways(self, left: ShoeComposition) -> tuple[int, ...]:
        """``DealerHands.ways``, worked out once for each shoe."""
        found = self._ways.get(left)
        if found is None:
            found = self._ways[left] = self.dealer.ways(left)
        return found

    def ends(self, shoe: ShoeComposition) -> tuple[Fraction, ...]:
        """The chance of each end of the dealer's from a shoe."""
        orders = perm(sum(shoe), self.dealer.depth)
        return tuple(Fraction(ways, orders) for ways in self.ways(shoe))

    def tally(self, hands: Iterable[WeightedHand], shoe: ShoeComposition, columns: int) -> Tally:
        """Hands dealt from a shoe, each against the dealer's hand from what is then left.

        A column is an end of the dealer's; columns beyond the last repeat it, a natural.
        """
        depth, cards = self.dealer.depth, sum(shoe)
        sums: dict[int, list[list[int]]] = {}
        for hand, ways, nets in hands:
            dealt = _ways_to_deal(hand, shoe)
            if not dealt:
                continue
            ends = self.ways(without(shoe, *hand))
            rows = sums.setdefault(len(hand), [[0] * columns for _ in Tally._fields])
            for column, net in enumerate(nets):
                mass = ways * dealt * ends[min(column, len(ends) - 1)]
                rows[0][column] += mass
                rows[1][column] += mass * net
                rows[2][column] += mass * net * net
        total = [[Fraction(0)] * columns for _ in Tally._fields]
        for size, rows in sums.items():
            orders = perm(cards, size + depth)
            for row, added in zip(total, rows, strict=True):
                for column, one in enumerate(added):
                    row[column] += Fraction(one, orders)
        return Tally(*(tuple(row) for row in total))


def _ways_to_deal(cards: Cards, shoe: ShoeComposition) -> int:
    """Ways of dealing these cards in one given order from a shoe."""
    return prod(perm(shoe[points - 1], copies) for points, copies in Counter(cards).items())


def without(shoe: ShoeComposition, *cards: int) -> ShoeComposition:
    """The shoe without some cards."""
    left = list(shoe)
    for points in cards:
        left[points - 1] -= 1
    return tuple(left)
