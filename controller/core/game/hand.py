"""Hands of cards and what they total."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import chain, combinations
from typing import Final

import msgspec

from firmware_protocols.cards import DECK, Card, Rank

RANKS: Final = {rank: number for number, rank in enumerate(Rank, start=1)}
FACE_RANKS: Final = {face: RANKS[face.rank] for face in DECK}
"""1 for the ace to 13 for the king, by face."""


def seen(place: int, face: Card) -> int:
    """A card as plays remember it: its place among the round's cards and its rank, in one integer."""
    return place << 4 | FACE_RANKS[face]


def place_of(card: int) -> int:
    """The place of a remembered card among the round's cards, from 0."""
    return card >> 4


def rank_of(card: int) -> int:
    """1 for the ace to 13 for the king."""
    return card & 15


def points_of(card: int) -> int:
    """1 for an ace, 2 to 10."""
    return min(card & 15, 10)


def deal_cards(boxes: int, *, hole: bool) -> int:
    """How many cards a deal has: two to a box, the dealer's up card, and with ``hole`` his second card."""
    return 2 * boxes + 1 + hole


def hole_place(boxes: int, *, hole: bool) -> int:
    """The place of the hole card among the round's cards, from 0: the deal's last; -1 where none is dealt."""
    return 2 * boxes + 1 if hole else -1


def initial_hands(cards: Sequence[int], boxes: int) -> tuple[tuple[int, ...], ...]:
    """The first two cards of each box, as far as they are dealt: one to each, the up card, and one to each again."""
    return tuple(tuple(cards[box : 2 * boxes + 1 : boxes + 1]) for box in range(boxes))


def total(points: tuple[int, ...]) -> tuple[int, bool]:
    """Best total, and whether an ace counts as eleven in it."""
    hard = sum(points)
    if 1 in points and hard <= 11:
        return hard + 10, True
    return hard, False


@lru_cache(maxsize=65536)
def best(cards: tuple[int, ...]) -> int:
    """Best total of remembered cards; above 21 the hand is broken."""
    return total(tuple(points_of(card) for card in cards))[0]


UNDEALT: Final = 1 << 2
"""What stands for the second card of a dealer who is dealt none because no box waits for it: no natural, one value."""


@lru_cache(maxsize=16384)
def holes_that_draw(up: int, drawn: tuple[int, ...], hits_soft_17: bool) -> int:  # noqa: FBT001 - a cache key
    """Point values of the hole card (as bits) with which the dealer must take another card."""
    mask = 0
    for hole in range(1, 11):
        points, soft = total((up, hole, *drawn))
        if points < 17 or (points == 17 and soft and hits_soft_17):
            mask |= 1 << hole
    return mask


_NATURAL: Final = 11
"""Points of an ace, as one, with a ten."""


def is_natural(first: int, second: int) -> bool:
    """An ace with a ten-point card: only ever the two initial cards of a box or of the dealer (58 Pa. Code 633a.1)."""
    one, other = points_of(first), points_of(second)
    return one + other == _NATURAL and min(one, other) == 1


class PlayedHand(msgspec.Struct, frozen=True, cache_hash=True):
    """A hand when its play is over."""

    cards: tuple[int, ...]
    base_cents: int
    extra_cents: int
    gave_up: bool = False
    """Surrendered after its box had begun to play."""

    def broke(self) -> bool:
        """Over 21."""
        return best(self.cards) > 21

    def stake_cents(self) -> int:
        """Wager with what was added by doubling."""
        return self.base_cents + self.extra_cents


class Outcome(msgspec.Struct, frozen=True, cache_hash=True):
    """How a box's play ended. ``how`` is ``played``, ``natural`` or ``surrendered``."""

    how: str
    hands: tuple[PlayedHand, ...]

    def all_broke(self) -> bool:
        """Every hand went over 21."""
        return self.how == "played" and all(hand.broke() for hand in self.hands)


def ways_to_take(stakes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The ways to take some of the stakes of a box's broken split hands, or all."""
    return chain.from_iterable(combinations(stakes, count + 1) for count in range(len(stakes)))


def left_after(stakes: tuple[int, ...], taken: tuple[int, ...]) -> tuple[int, ...]:
    """The stakes without those taken."""
    left = list(stakes)
    for stake in taken:
        left.remove(stake)
    return tuple(left)
