"""Playing cards and the shoe they are drawn from, as an independent table has them.

A card is two characters, rank and suit: ``Th``, ``As``. Nothing of this folder is taken from the program: it is written
from the rule cards and the pages alone, so that the two can be held against each other.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

RANKS: Final = "23456789TJQKA"
SUITS: Final = "cdhs"
UNREAD: Final = "??"


def points(card: str) -> int:
    """What a card counts, an ace as one."""
    if card[0] == "A":
        return 1
    return 10 if card[0] in "TJQK" else int(card[0])


def hard_and_best(cards: Sequence[str]) -> tuple[int, int]:
    """The total with every ace as one, and the best total that does not break if there is one."""
    hard = sum(points(card) for card in cards)
    aces = any(card[0] == "A" for card in cards)
    return hard, hard + 10 if aces and hard <= 11 else hard


def total(cards: Sequence[str]) -> int:
    """The best total."""
    return hard_and_best(cards)[1]


def is_soft(cards: Sequence[str]) -> bool:
    """Whether an ace counts eleven."""
    hard, best = hard_and_best(cards)
    return best != hard


def is_natural(cards: Sequence[str]) -> bool:
    """Twenty-one with two cards; whoever asks knows that they are the first two."""
    return len(cards) == 2 and total(cards) == 21


class Shoe:
    """Some decks, shuffled; ``left`` says how many cards are in it."""

    def __init__(self, decks: int, chance: random.Random) -> None:
        self._decks = decks
        self._chance = chance
        self._cards: list[str] = []
        self.shuffle()

    @property
    def left(self) -> int:
        """Cards that are in it."""
        return len(self._cards)

    def shuffle(self) -> None:
        """All cards go back and are shuffled."""
        self._cards = [rank + suit for rank in RANKS for suit in SUITS] * self._decks
        self._chance.shuffle(self._cards)

    def draw(self) -> str:
        """The next card."""
        return self._cards.pop()
