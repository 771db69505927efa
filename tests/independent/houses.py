"""The five houses' rule cards as an independent reader has them: what decides what their people may do and are due.

Money is in cents. The cards are players' handouts; ``docs/reference/rules.md`` says what each of them leaves open.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

LUCKY_LADIES: Final = "lucky_ladies"
THREE_CARDS: Final = "twenty_one_plus_three"
SEVENS: Final = "blazing7s"
EZ_BUST: Final = "ez_bust"


@dataclass(frozen=True)
class House:
    """What a house's card says of the main game, and the wagers it offers beside it."""

    name: str
    decks: int
    boxes: int
    hands: int
    """The most hands a box may have after splitting."""
    hits_soft_17: bool = False
    surrender: bool = False
    even_money: bool = False
    resplits_aces: bool = False
    splits_by_rank: bool = False
    doubles_nine_to_eleven: bool = False
    shuffled_entry: bool = False
    """Whether who has not bet the last round waits for the shuffle."""
    side_bets: tuple[str, ...] = ()

    def is_pair(self, first: str, second: str) -> bool:
        """Whether two cards may be split."""
        if self.splits_by_rank:
            return first[0] == second[0]
        return first[0] == second[0] or (first[0] in "TJQK" and second[0] in "TJQK")

    @property
    def zones(self) -> tuple[str, ...]:
        """The zones of each box's layout, in the order of their antennas."""
        return ("main", "insurance", *self.side_bets)


HOUSES: Final = {
    house.name: house
    for house in (
        House(
            "hollywood-penn-national",
            decks=8,
            boxes=7,
            hands=3,
            surrender=True,
            side_bets=(LUCKY_LADIES, THREE_CARDS, SEVENS, EZ_BUST),
        ),
        House("hollywood-perryville", decks=8, boxes=6, hands=4, side_bets=(LUCKY_LADIES, THREE_CARDS)),
        House("borgata", decks=8, boxes=6, hands=4, even_money=True),
        House("classic-shoe-and-pitch", decks=6, boxes=6, hands=4, resplits_aces=True),
        House(
            "pitch-h17",
            decks=2,
            boxes=6,
            hands=4,
            hits_soft_17=True,
            splits_by_rank=True,
            doubles_nine_to_eleven=True,
            shuffled_entry=True,
        ),
    )
}
