"""The cards in a shoe, as a dealer handles them: shuffled, loaded, drawn, reshuffled."""

from __future__ import annotations

from collections import Counter
from typing import Final

from firmware_protocols.cards import DECK, Card
from simulators.chance import Chance

DECKS_RANGE: Final = (2, 8)
"""One deck could lie on the table whole in a round of seven boxes; eight is the most any rule card's wagers ask for."""

CUT_CARD_DIVISOR: Final = 4
"""A shoe is done with when less than a quarter is left (N.J.A.C. 13:69F-2.5 puts the cutting card there)."""


class LoadedShoe:
    """A shoe of ``decks`` decks (2 to 8; else ``ValueError``); it is empty until ``load`` is called."""

    def __init__(self, rng: Chance, decks: int) -> None:
        lowest, highest = DECKS_RANGE
        if not lowest <= decks <= highest:
            raise ValueError(f"{decks} decks: a shoe takes {lowest} to {highest}")
        self._rng = rng
        self._all = DECK * decks
        self._left: list[Card] = []
        self._on_table: list[Card] = []

    @property
    def done(self) -> bool:
        """A new shoe is due before the next round."""
        return len(self._left) * CUT_CARD_DIVISOR < len(self._all)

    def load(self) -> None:
        """Shuffle all decks and load them."""
        self._on_table = []
        self._load(list(self._all))

    def clear_table(self) -> None:
        """The round's cards go to the discard rack."""
        self._on_table = []

    def draw(self) -> Card:
        """The next card. An empty shoe is filled with the shuffled discards first (S.D. 20:18:15:28).

        Raises ``IndexError`` when every card lies on the table.
        """
        if not self._left:
            self._load(list((Counter(self._all) - Counter(self._on_table)).elements()))
        card = self._left.pop()
        self._on_table.append(card)
        return card

    def bring(self, wanted: dict[int, Card]) -> None:
        """Have these cards come at these draws from now on (0 is the next), in exchange for those that would have.

        Nothing happens where the shoe no longer has them, or not so many cards.
        """
        left = [*reversed(self._left)]
        places = [place for place, card in enumerate(left) if card in wanted.values() and place not in wanted]
        missing = [place for place, card in wanted.items() if place < len(left) and left[place] is not card]
        lacking = Counter(wanted[place] for place in missing) - Counter(left[place] for place in places)
        if max(wanted, default=0) >= len(left) or lacking:
            return
        for place in missing:
            other = next(one for one in places if left[one] is wanted[place])
            places.remove(other)
            left[place], left[other] = left[other], left[place]
        self._left = [*reversed(left)]

    def _load(self, cards: list[Card]) -> None:
        self._rng.shuffle(cards)
        self._left = cards
