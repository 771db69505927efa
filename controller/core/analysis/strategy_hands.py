"""Every hand the basic strategy may end with unbroken against one up card, and what the live code pays for it.

The strategy is asked, and the hands are judged, by the very functions that play and settle scripted
rounds. A hand is one whatever the order of its drawn cards: the strategy looks at the total only, and the orders that
lead to it are counted.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.analysis.dealer_hands import ENDS, POINTS, Cards
from controller.core.analysis.simulated_edge import WAGER_CENTS
from controller.core.game.basic_strategy import choose
from controller.core.game.hand import Outcome, PlayedHand, best, is_natural
from controller.core.game.play import Play
from controller.core.game.position import Deal, Hand, HandStatus, Node
from controller.core.game.rules import Rules
from controller.core.game.settlement import NATURAL, DealerEnd, hand_nets, main_net

_PLAIN: Final = (2, 3)
"""Two cards that are no natural: the box is asked, whatever cards the question then speaks of."""

BROKE: Final = (10, 10, 10)
"""A broken hand. The strategy doubles no hand that one card may break, so all broken hands are worth the same."""

_NOT_DRAWN: Final = DealerEnd(natural=False, total=17)
"""The dealer's end for who does not wait for it: any but a natural."""


class FinishedHand(NamedTuple):
    """A hand when its play is over; a card stands for its points."""

    how: str
    """``played``, ``natural`` or ``surrendered``."""
    cards: Cards
    """Sorted; of a split hand the split card comes first."""
    doubled: bool = False

    def played(self) -> PlayedHand:
        """The hand as the settlement takes it."""
        return PlayedHand(self.cards, WAGER_CENTS, WAGER_CENTS if self.doubled else 0)


class HandStrategy:
    """The strategy under these rules against one up card, asked for a box of this number of hands."""

    def __init__(self, rules: Rules, up: int) -> None:
        self.rules, self.up = rules, up
        self.play = Play(rules, Deal((WAGER_CENTS,), (_PLAIN,), up))
        self._asked, _ = self.play.dealt(self.play.begin())
        self.natural_hole = self.play.natural_hole.bit_length() - 1
        """Points of the hole card that makes a natural; -1 with 2 to 9 up."""

    def node(self, hand: Hand, hands: int, index: int = 0) -> Node:
        """The box in play with ``hands`` hands, the hand at ``index`` being asked."""
        done = replace(hand, now=HandStatus.DONE)
        waiting = replace(hand, cards=hand.cards[:1], now=HandStatus.WAITING)
        return replace(self._asked, hands=(*(done,) * index, hand, *(waiting,) * (hands - index - 1)))

    def act(self, cards: Cards, hands: int, index: int = 0) -> str:
        """What the strategy does."""
        hand = Hand(cards, WAGER_CENTS)
        return choose(self.play, self.node(hand, hands, index), hand)

    def hit(self, cards: Cards, points: int, hands: int) -> tuple[Cards, bool]:
        """The hand with one more card, and whether it is then finished; its first card keeps its place."""
        hand = Hand(cards, WAGER_CENTS)
        taken = self.play.take_card(self.node(hand, hands), hand, points)
        return (cards[0], *sorted(taken.cards[1:])), taken.now is HandStatus.DONE

    def splits(self, points: int) -> bool:
        """Whether the strategy splits a pair of the first two cards."""
        return self.act((points, points), 1) == "split"

    def may_split_again(self, points: int, hands: int, index: int) -> bool:
        """Whether a split hand that makes a pair again is split again, as the box's hand at ``index``."""
        asked = Hand((points, points), WAGER_CENTS)
        return self.play.may_split(self.node(asked, hands, index), asked)

    def unsplit_hands(self) -> Counter[FinishedHand]:
        """Every way a box ends that is not split and does not break, with the orders in which its cards may come."""
        found: Counter[FinishedHand] = Counter()
        asked: Counter[Cards] = Counter()
        for first in POINTS:
            for second in POINTS:
                cards = (min(first, second), max(first, second))
                if is_natural(first, second):
                    found[FinishedHand("natural", cards)] += 1
                elif first != second or not self.splits(first):
                    asked[cards] += 1
        return found + _played_out(self, asked, 1)

    def split_hand(self, points: int, *, paired: bool) -> Counter[FinishedHand]:
        """Every way a hand of a split may end unbroken that is not split again, and the orders of its cards.

        Its second card makes a pair, or it makes none.
        """
        hands = self.rules.max_hands
        found: Counter[FinishedHand] = Counter()
        asked: Counter[Cards] = Counter()
        for second in POINTS:
            if (second == points) is paired:
                cards, finished = self.hit((points,), second, hands)
                if finished:
                    found[FinishedHand("played", cards)] += 1
                else:
                    asked[cards] += 1
        return found + _played_out(self, asked, hands)

    def nets_of_box(self, done: FinishedHand) -> tuple[int, ...]:
        """The net in cents of a box that was not split, by how the dealer ends (``ENDS``)."""
        hand = done.played()
        outcome = Outcome(done.how, (hand,))
        # Who does not wait for the dealer's hand is paid against no drawn hand, in a round of one box.
        waits = done.how == "played" and not hand.broke()
        ends = [end if waits or end.natural else _NOT_DRAWN for end in ENDS]
        if done.how == "played" and hand.broke() and self.rules.hole_card == "none":
            ends[-1] = _NOT_DRAWN
        nets = [main_net(self.rules, outcome, end).cents for end in ends]
        if self.rules.hole_check == "device" and done.how != "natural":
            nets[-1] = _stopped_cents(self.rules)
        return tuple(nets)

    def nets_of_split_hand(self, done: FinishedHand) -> tuple[int, ...]:
        """The net in cents of one hand of a split box, by ``ENDS``, and again as no first hand against a natural."""
        rules, hand = self.rules, done.played()
        nets = [hand_nets(rules, Outcome("played", (hand,)), end)[0].cents for end in ENDS]
        if rules.hole_check == "device":
            return (*nets[:-1], _stopped_cents(rules), 0)
        first = PlayedHand(_PLAIN, WAGER_CENTS, 0)
        return (*nets, hand_nets(rules, Outcome("played", (first, hand)), NATURAL)[1].cents)


def _played_out(questions: HandStrategy, asked: Counter[Cards], hands: int) -> Counter[FinishedHand]:
    """How hands of two cards end that the strategy plays on, none of them by a split; all others break."""
    found: Counter[FinishedHand] = Counter()
    while asked:
        longer: Counter[Cards] = Counter()
        for cards, ways in asked.items():
            match questions.act(cards, hands):
                case "stand":
                    found[FinishedHand("played", cards)] += ways
                case "surrender":
                    found[FinishedHand("surrendered", cards)] += ways
                case "double":
                    for points in POINTS:
                        drawn = (cards[0], *sorted((*cards[1:], points)))
                        assert best(drawn) <= 21, f"a doubled hand breaks: {drawn}"
                        found[FinishedHand("played", drawn, doubled=True)] += ways
                case act:
                    assert act == "hit", f"a pair is split before its hand is played out: {act}"
                    for points in POINTS:
                        taken, finished = questions.hit(cards, points, hands)
                        if not finished:
                            longer[taken] += ways
                        elif best(taken) <= 21:
                            found[FinishedHand("played", taken)] += ways
        asked = longer
    return found


def _stopped_cents(rules: Rules) -> int:
    """The net of a box that a device stops before it has played."""
    untouched = Outcome("played", (PlayedHand(_PLAIN, WAGER_CENTS, 0),))
    return main_net(rules, untouched, NATURAL).cents
