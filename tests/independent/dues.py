"""What each wager of a finished round is due, by arithmetic of this table's own.

A due is the player's net in cents. A natural of the dealer's takes the original wager of a box and nothing more,
whatever was doubled, split or broken in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tests.independent.cards import RANKS, is_natural, points, total
from tests.independent.houses import EZ_BUST, LUCKY_LADIES, SEVENS, THREE_CARDS

SEVENS_STAKE: Final = 500
SEVENS_AWARDS: Final = {"colour": 250_000, "three": 100_000, "two": 12_500, "one": 1_000}
"""What is paid for one, the stake not being returned; three of a suit are a meter's."""


@dataclass
class Hand:
    """One hand: its cards, what it was begun with and what was added by doubling."""

    cards: list[str]
    wager: int
    added: int = 0
    chips: list[str] = field(default_factory=list)
    """The chips of its stake as they lie in the box."""
    taken: bool = False

    @property
    def stake(self) -> int:
        """All that is staked on it."""
        return self.wager + self.added

    @property
    def broke(self) -> bool:
        """Whether it is over 21."""
        return total(self.cards) > 21


@dataclass
class Box:
    """One spot in play and what its player did."""

    spot: int
    wager: int
    dealt: list[str] = field(default_factory=list)
    """Its first two cards; split, they head the first two hands."""
    hands: list[Hand] = field(default_factory=list)
    sides: dict[str, int] = field(default_factory=dict)
    insurance: int = 0
    even_money: bool = False
    surrendered: bool = False
    paid: bool = False
    """Whether its main wager has been settled on the felt."""

    @property
    def natural(self) -> bool:
        """Whether it was dealt a natural."""
        return is_natural(self.dealt)

    @property
    def all_broke(self) -> bool:
        """Whether no hand of it is left."""
        return all(hand.broke for hand in self.hands)

    @property
    def waits(self) -> bool:
        """Whether a hand of it is held against the dealer's total."""
        return not self.natural and not self.surrendered and not self.all_broke


def main_due(box: Box, dealer: Sequence[str]) -> int:
    """The net of a box's main wager."""
    dealer_natural = is_natural(dealer)
    if box.even_money:
        return box.wager
    if box.natural:
        return 0 if dealer_natural else box.wager * 3 // 2
    if dealer_natural:
        return -box.wager
    if box.surrendered:
        return -(box.wager // 2)
    return sum(hand_due(hand, dealer) for hand in box.hands)


def hand_due(hand: Hand, dealer: Sequence[str]) -> int:
    """The net of one hand against a dealer without a natural."""
    mine, his = total(hand.cards), total(dealer)
    if mine > 21:
        return -hand.stake
    if his > 21 or mine > his:
        return hand.stake
    return 0 if mine == his else -hand.stake


def insurance_due(wager: int, dealer: Sequence[str]) -> int:
    """Two to one against a natural."""
    return 2 * wager if is_natural(dealer) else -wager


def side_due(bet: str, wager: int, box: Box, dealer: Sequence[str], *, all_broke: bool) -> int | None:
    """The net of a side wager once the dealer's hand is complete; None for what only a meter can say."""
    if bet == LUCKY_LADIES:
        return ladies_due(wager, box.dealt, dealer)
    if bet == THREE_CARDS:
        return three_cards_due(wager, [*box.dealt, dealer[0]])
    if bet == SEVENS:
        return sevens_due(box.dealt, dealer[0])
    assert bet == EZ_BUST
    if all_broke:
        return 0
    return wager if total(dealer) > 21 else -wager


def ladies_due(wager: int, dealt: Sequence[str], dealer: Sequence[str]) -> int:
    """Two cards of twenty, an ace counting eleven; only the highest row."""
    first, second = dealt
    if total(dealt) != 20:
        return -wager
    if first == second == "Qh":
        return wager * (1000 if is_natural(dealer) else 200)
    if first == second:
        return wager * 25
    return wager * (10 if first[1] == second[1] else 4)


def three_cards_due(wager: int, cards: Sequence[str]) -> int:
    """A poker hand of the first two cards and the dealer's up card."""
    flush = len({card[1] for card in cards}) == 1
    places = sorted(RANKS.index(card[0]) for card in cards)
    straight = places in ([0, 1, 12], [places[0], places[0] + 1, places[0] + 2])
    if straight and flush:
        return 30 * wager
    if len(set(places)) == 1:
        return 20 * wager
    if straight:
        return 10 * wager
    return 5 * wager if flush else -wager


def sevens_due(dealt: Sequence[str], up: str) -> int | None:
    """Sevens among the first two cards, and a third only as the up card behind two."""
    mine = [card for card in dealt if card[0] == "7"]
    if len(mine) == 2 and up[0] == "7":
        suits = {card[1] for card in [*mine, up]}
        if len(suits) == 1:
            return None
        same_colour = suits <= set("dh") or suits <= set("cs")
        return SEVENS_AWARDS["colour" if same_colour else "three"] - SEVENS_STAKE
    if mine:
        return SEVENS_AWARDS["two" if len(mine) == 2 else "one"] - SEVENS_STAKE
    return -SEVENS_STAKE


def is_decided(bet: str, box: Box, up: str) -> bool:
    """Whether a side wager is decided by the first cards, before anybody plays."""
    if bet == LUCKY_LADIES:
        queens = box.dealt == ["Qh", "Qh"]
        return not (queens and (up[0] == "A" or points(up) == 10))
    return bet in {THREE_CARDS, SEVENS}
