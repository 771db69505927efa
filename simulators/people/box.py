"""A box as it truly is: its hands, what may be done with them, and what is due in the end.

Rules: the profile's, and for what the rule cards leave open the regulations of their family: split hands are played
left to right, and a split hand's 21 is no natural.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from msgspec.structs import replace

from firmware_protocols.cards import POINTS, Card, Rank
from firmware_protocols.values import Value
from simulators.people.house import House

BEST_TOTAL: Final = 21


class Choice(StrEnum):
    """What a player may do with the hand in play."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"


class Hand(Value, frozen=True, tag="hand"):
    """One hand: its cards in the order received, its base wager and the amount doubled, in cents."""

    cards: tuple[Card, ...]
    base_cents: int
    doubled_cents: int = 0
    stood: bool = False

    @property
    def stake_cents(self) -> int:
        """The base wager and the amount doubled."""
        return self.base_cents + self.doubled_cents

    @property
    def broke(self) -> bool:
        """Above 21."""
        return total(self.cards) > BEST_TOTAL

    @property
    def awaits_card(self) -> bool:
        """It gets the next card without being asked: after a split or a double."""
        return len(self.cards) < 2 or (self.doubled_cents > 0 and len(self.cards) == 2)


class Box(Value, frozen=True, tag="box"):
    """One spot's part in a round. ``wager_cents`` is the main wager at the lock; hands stand left to right."""

    spot: int
    wager_cents: int
    hands: tuple[Hand, ...]
    surrendered: bool = False
    even_money: bool = False
    insurance_cents: int = 0
    bust_cents: int = 0

    @property
    def natural(self) -> bool:
        """The first two cards make 21."""
        return len(self.hands) == 1 and is_natural(self.hands[0].cards)

    @property
    def broke(self) -> bool:
        """Every hand broke."""
        return all(hand.broke for hand in self.hands)

    @property
    def live(self) -> bool:
        """Some hand waits for the dealer's total."""
        return not (self.natural or self.surrendered or self.broke)

    @property
    def stake_cents(self) -> int:
        """All main chips of the box: the wager and what doubles and splits added."""
        return sum(hand.stake_cents for hand in self.hands)


def total(cards: tuple[Card, ...]) -> int:
    """The best total: one ace counts eleven where that does not break the hand."""
    points = sum(POINTS[card.rank] for card in cards)
    return points + 10 if points <= 11 and _has_ace(cards) else points


def is_soft(cards: tuple[Card, ...]) -> bool:
    """An ace counts eleven in the best total."""
    return _has_ace(cards) and sum(POINTS[card.rank] for card in cards) <= 11


def is_natural(cards: tuple[Card, ...]) -> bool:
    """Two cards that make 21; whether they are the first two is for the caller to know."""
    return len(cards) == 2 and total(cards) == BEST_TOTAL


def dealer_draws(house: House, cards: tuple[Card, ...]) -> bool:
    """The dealer must take another card with these."""
    points = total(cards)
    return points < 17 or (points == 17 and is_soft(cards) and house.soft_17 == "hit")


def in_play(house: House, box: Box) -> int | None:
    """The leftmost unfinished hand's place, None when the box has played."""
    if box.surrendered:
        return None
    return next((place for place, hand in enumerate(box.hands) if not _finished(house, box, hand)), None)


def choices(house: House, box: Box) -> tuple[Choice, ...]:
    """What the house allows with the hand in play; empty when the box has played or the hand awaits a card."""
    place = in_play(house, box)
    if place is None or box.hands[place].awaits_card:
        return ()
    hand = box.hands[place]
    split = (Choice.SPLIT,) if _may_split(house, box, hand) else ()
    if _is_closed_ace(house, box, hand):
        return (Choice.STAND, *split)
    double = (Choice.DOUBLE,) if _may_double(house, box, hand) else ()
    first = house.surrender == "late" and len(box.hands) == 1 and len(hand.cards) == 2
    return (Choice.HIT, Choice.STAND, *double, *split, *((Choice.SURRENDER,) if first else ()))


def with_card(house: House, box: Box, card: Card) -> Box:
    """The hand in play receives a card (the first of a new box too)."""
    hand = _hand_in_play(house, box)
    return _with_hands(house, box, replace(hand, cards=(*hand.cards, card)))


def stood(house: House, box: Box) -> Box:
    """The hand in play stands."""
    return _with_hands(house, box, replace(_hand_in_play(house, box), stood=True))


def doubled(house: House, box: Box, cents: int) -> Box:
    """The hand in play is doubled by ``cents``, above zero and at most its base wager; else ``ValueError``."""
    hand = _hand_in_play(house, box)
    if not 0 < cents <= hand.base_cents or (cents < hand.base_cents and not house.double_for_less):
        raise ValueError(f"a wager of {hand.base_cents} cents is not doubled by {cents}")
    return _with_hands(house, box, replace(hand, doubled_cents=cents))


def split(house: House, box: Box) -> Box:
    """The hand in play becomes two, each with the original wager; the right one stands directly to its right."""
    hand = _hand_in_play(house, box)
    return _with_hands(house, box, *(Hand(cards=(card,), base_cents=box.wager_cents) for card in hand.cards))


def main_due_cents(house: House, box: Box, dealer: tuple[Card, ...]) -> int:
    """The true net of the main wagers of a box against the dealer's final cards."""
    if box.even_money:
        return box.wager_cents
    if box.natural:
        return _natural_due_cents(house, box, dealer)
    if box.surrendered and not (is_natural(dealer) and house.surrender_against_natural == "all"):
        return house.returned_half_cents(box.wager_cents) - box.wager_cents
    if box.surrendered:
        return -box.wager_cents
    if is_natural(dealer):
        return sum(_against_natural_cents(house, hand, place) for place, hand in enumerate(box.hands))
    after_split = len(box.hands) > 1
    return sum(hand_due_cents(house, hand, dealer, after_split=after_split) for hand in box.hands)


def _natural_due_cents(house: House, box: Box, dealer: tuple[Card, ...]) -> int:
    if is_natural(dealer):
        return 0 if house.natural_against_natural == "push" else -box.wager_cents
    if total(dealer) == BEST_TOTAL and house.natural_against_drawn_21 == "pushes":
        return 0
    return house.natural_payment_cents(box.wager_cents)


def _against_natural_cents(house: House, hand: Hand, place: int) -> int:
    """One hand that is no natural against the dealer's: by the usual rule the box loses its original wager (A5, A6)."""
    if hand.broke and (house.busted_bets_lost or house.extra_wagers_against_natural == "all"):
        return -hand.stake_cents
    pushes = total(hand.cards) == BEST_TOTAL and house.drawn_21_against_natural == "pushes"
    if house.extra_wagers_against_natural == "all":
        return 0 if pushes else -hand.stake_cents
    return 0 if place > 0 or pushes else -hand.base_cents


def hand_due_cents(house: House, hand: Hand, dealer: tuple[Card, ...], *, after_split: bool = False) -> int:
    """The net of one hand that is no natural against a dealer who has none: won, a push, or the stake lost."""
    if hand.broke:
        return -hand.stake_cents
    ours, theirs = total(hand.cards), total(dealer)
    won_cents = house.win_payment_cents(hand.stake_cents)
    if theirs > BEST_TOTAL:
        return won_cents
    if ours > theirs:
        drawn = ours == BEST_TOTAL and len(hand.cards) > 2
        return 0 if drawn and house.drawn_21 == "pushes" else won_cents
    if ours == theirs:
        if ours == BEST_TOTAL and after_split and len(hand.cards) == 2 and house.split_21 == "beats_drawn_21":
            return won_cents
        return 0 if house.tie == "push" else -hand.stake_cents
    return -hand.stake_cents


def insurance_due_cents(house: House, box: Box, dealer: tuple[Card, ...]) -> int:
    """The true net of a box's insurance wager (0 without one)."""
    if is_natural(dealer):
        return house.insurance_payment_cents(box.insurance_cents)
    return -box.insurance_cents


def _has_ace(cards: tuple[Card, ...]) -> bool:
    return any(card.rank is Rank.ACE for card in cards)


def _is_split_ace(box: Box, hand: Hand) -> bool:
    return len(box.hands) > 1 and hand.cards[0].rank is Rank.ACE


def _is_closed_ace(house: House, box: Box, hand: Hand) -> bool:
    return _is_split_ace(box, hand) and house.split_ace_cards == "one"


def _may_split(house: House, box: Box, hand: Hand) -> bool:
    if len(hand.cards) != 2 or len(box.hands) >= house.max_hands:
        return False
    left, right = (card.rank for card in hand.cards)
    alike = POINTS[left] == POINTS[right] if house.split_by == "value" else left is right
    if len(box.hands) > 1 and house.resplit_on == "third_card" and not (len(box.hands) == 2 and box.hands[0] is hand):
        return False
    return alike and (house.resplit_aces or not _is_split_ace(box, hand))


def _may_double(house: House, box: Box, hand: Hand) -> bool:
    if len(hand.cards) != 2 or (len(box.hands) > 1 and not house.double_after_split):
        return False
    if _is_split_ace(box, hand) and not house.double_split_aces:
        return False
    hard = sum(POINTS[card.rank] for card in hand.cards)
    allowed = 9 <= total(hand.cards) <= 11 or (house.double_count == "hard_or_best" and 9 <= hard <= 11)
    return allowed or house.double_on != "nine_to_eleven"


def _finished(house: House, box: Box, hand: Hand) -> bool:
    if hand.awaits_card:
        return False
    if hand.stood or hand.doubled_cents > 0 or total(hand.cards) >= BEST_TOTAL:
        return True
    return _is_closed_ace(house, box, hand) and not _may_split(house, box, hand)


def _hand_in_play(house: House, box: Box) -> Hand:
    place = in_play(house, box)
    if place is None:
        raise ValueError(f"spot {box.spot} has played")
    return box.hands[place]


def _with_hands(house: House, box: Box, *hands: Hand) -> Box:
    place = in_play(house, box)
    if place is None:
        raise ValueError(f"spot {box.spot} has played")
    return replace(box, hands=(*box.hands[:place], *hands, *box.hands[place + 1 :]))
