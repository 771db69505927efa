"""Cards as every layer writes them: rank then suit, two characters, ``8h`` or ``Td``."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Rank(StrEnum):
    """A card's rank; the ten is ``T``."""

    ACE = "A"
    TWO = "2"
    THREE = "3"
    FOUR = "4"
    FIVE = "5"
    SIX = "6"
    SEVEN = "7"
    EIGHT = "8"
    NINE = "9"
    TEN = "T"
    JACK = "J"
    QUEEN = "Q"
    KING = "K"


class Suit(StrEnum):
    """A card's suit."""

    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"


class Card(StrEnum):
    """One of the 52 faces. ``Card("8h")`` reads text and raises ``ValueError`` on anything else."""

    AC, AD, AH, AS = "Ac", "Ad", "Ah", "As"
    C2, D2, H2, S2 = "2c", "2d", "2h", "2s"
    C3, D3, H3, S3 = "3c", "3d", "3h", "3s"
    C4, D4, H4, S4 = "4c", "4d", "4h", "4s"
    C5, D5, H5, S5 = "5c", "5d", "5h", "5s"
    C6, D6, H6, S6 = "6c", "6d", "6h", "6s"
    C7, D7, H7, S7 = "7c", "7d", "7h", "7s"
    C8, D8, H8, S8 = "8c", "8d", "8h", "8s"
    C9, D9, H9, S9 = "9c", "9d", "9h", "9s"
    TC, TD, TH, TS = "Tc", "Td", "Th", "Ts"
    JC, JD, JH, JS = "Jc", "Jd", "Jh", "Js"
    QC, QD, QH, QS = "Qc", "Qd", "Qh", "Qs"
    KC, KD, KH, KS = "Kc", "Kd", "Kh", "Ks"

    @property
    def rank(self) -> Rank:
        """The card's rank."""
        return Rank(self.value[0])

    @property
    def suit(self) -> Suit:
        """The card's suit."""
        return Suit(self.value[1])


DECK: Final[tuple[Card, ...]] = tuple(Card)
"""The 52 faces once each, in a fixed order."""

POINTS: Final[dict[Rank, int]] = {
    rank: 1 if rank is Rank.ACE else min(number, 10) for number, rank in enumerate(Rank, start=1)
}
"""Points of a rank with the ace as one (the second reading of an ace is the hand's business)."""
