"""What the main wager loses, computed: every hand of the basic strategy against every hand of the dealer.

A fresh shoe, one box, cards without replacement; insurance and even money are not taken. A hand's chance is a ratio of
integers, so ``edge`` is exact. A split box is never enumerated whole: with the order of a shuffled shoe everything is
exchangeable, so each of its hands is looked at by itself, knowing only which second cards of the others made pairs
again and were split (``split_boxes.py``).
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import perm
from typing import Final, NamedTuple

from controller.core.analysis.dealer_hands import ENDS, POINTS, ShoeComposition, dealer_hands
from controller.core.analysis.shoe_chances import ShoeChances, Tally, without
from controller.core.analysis.simulated_edge import WAGER_CENTS
from controller.core.analysis.split_boxes import SplitBox
from controller.core.analysis.strategy_hands import BROKE, FinishedHand, HandStrategy
from controller.core.game.rules import Rules

BILLIONTH: Final = 10**9
"""What rounding leaves of the wager: a ten-millionth of a percent."""


class MainEdge(NamedTuple):
    """The main wager, per unit of it."""

    edge: Fraction
    """What the house keeps on average."""
    variance: Fraction
    """Of one wager's net; the hands of a split box are taken to hang together by the dealer's hand alone."""
    covariance: Fraction
    """Of the nets of two equal wagers of one round, which are taken to hang together by the dealer's hand alone."""

    def rounded(self) -> MainEdge:
        """To a billionth, so that it can be kept as whole numbers."""
        return MainEdge(*(Fraction(round(one * BILLIONTH), BILLIONTH) for one in self))


def main_edge(rules: Rules) -> MainEdge:
    """The main wager under these rules, played by ``basic_strategy.choose``."""
    decks = rules.decks
    shoe = tuple(decks * (16 if points == 10 else 4) for points in POINTS)
    net = square = shared = Fraction(0)
    for up in POINTS:
        found = edge_against_up_card(rules, up, without(shoe, up))
        chance = Fraction(shoe[up - 1], sum(shoe))
        net += chance * sum(found.nets)
        square += chance * sum(found.squares)
        shared += chance * sum(
            (part * part * Fraction(mass.denominator, mass.numerator) for part, mass in _met(found)), Fraction(0)
        )
    edge = net * Fraction(-1, WAGER_CENTS)
    unit = Fraction(1, WAGER_CENTS**2)
    return MainEdge(edge, square * unit - edge**2, shared * unit - edge**2)


def _met(found: Tally) -> Iterable[tuple[Fraction, Fraction]]:
    """The part of the net that falls to each end of the dealer's that may be, and that end's chance."""
    return ((net, mass) for net, mass in zip(found.nets, found.masses, strict=True) if mass)


def edge_against_up_card(rules: Rules, up: int, shoe: ShoeComposition) -> Tally:
    """Everything a box may come to against one up card, dealt from ``shoe``."""
    questions = HandStrategy(rules, up)
    chances = ShoeChances(dealer_hands(up, rules.soft_17 == "hit"))
    hands = ((done.cards, ways, questions.nets_of_box(done)) for done, ways in questions.unsplit_hands().items())
    found = chances.tally(hands, shoe, len(ENDS))
    masses = chances.ends(shoe)
    for points in POINTS:
        pairs = Fraction(perm(shoe[points - 1], 2), perm(sum(shoe), 2))
        if pairs and questions.splits(points):
            left = without(shoe, points, points)
            found = found.plus(SplitBox(questions, chances, points, left).tally(), pairs)
    rest = (one - other for one, other in zip(masses, found.masses, strict=True))
    return found.plus(Tally.of(rest, questions.nets_of_box(FinishedHand("played", BROKE))), Fraction(1))
