"""What a split box comes to: each of its hands by itself, knowing which second cards of all of them made pairs again.

The second cards are distinguished only as far as the splitting asks: a pair that is split again, or none. How the other
hands then go on is unknown, and unknown cards change no chance. A shoe of which an unknown card is known to make no
pair is not enumerated: what holds while nothing is known of the card is the mean of what holds if it makes a pair and
of what holds if it makes none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import prod
from typing import Final, NamedTuple

from controller.core.analysis.dealer_hands import ENDS, ShoeComposition
from controller.core.analysis.shoe_chances import ShoeChances, Tally, WeightedHand, without
from controller.core.analysis.simulated_edge import WAGER_CENTS
from controller.core.analysis.strategy_hands import BROKE, FinishedHand, HandStrategy

_NATURAL_END: Final = len(ENDS) - 1
_OTHERS: Final = len(ENDS)
"""The column of a hand that is not the first, against a natural."""
_BROKEN: Final = len(ENDS) + 1
"""The column of a broken hand's stake, against a natural."""
_COLUMNS: Final = len(ENDS) + 2


class _Course(NamedTuple):
    """One way in which a pair is split and split again."""

    chance: Fraction
    again: int
    """Cards that made a pair again and were split."""
    no_pair: int
    """Second cards known to make no pair."""
    known: tuple[bool, ...]
    """By hand from the left: whether its second card is known to make no pair, or may be any."""


class SplitBox:
    """A pair that is split, and the shoe without it and without the up card."""

    def __init__(self, questions: HandStrategy, chances: ShoeChances, points: int, shoe: ShoeComposition) -> None:
        self.questions, self.chances = questions, chances
        self.points, self.shoe = points, shoe
        self.ends = {paired: tuple(self._ends(paired=paired)) for paired in (True, False)}
        self.hand = cache(self._hand)

    def _ends(self, *, paired: bool) -> Iterator[WeightedHand]:
        """How a split hand ends unbroken whose second card makes a pair, or none; without the split card itself."""
        for done, ways in self.questions.split_hand(self.points, paired=paired).items():
            yield done.cards[1:], ways, (*self.questions.nets_of_split_hand(done), 0)

    def pair(self, again: int, no_pair: int) -> Fraction:
        """The chance that an unknown card makes a pair, ``again`` of these being gone and ``no_pair`` others known."""
        return Fraction(self.shoe[self.points - 1] - again, sum(self.shoe) - again - no_pair)

    def _hand(self, *, known: bool, again: int, no_pair: int) -> Tally:
        """One hand, ``again`` pair cards gone and ``no_pair`` second cards of other hands known to make no pair.

        ``known``: together with its own second card's making no pair, not divided by the chance of that.
        """
        if not no_pair:
            return self._unknown(without(self.shoe, *(self.points,) * again), known=known)
        pair = self.pair(again, no_pair - 1)
        found = self.hand(known=known, again=again, no_pair=no_pair - 1)
        if not pair:
            return found
        return found.plus(self.hand(known=known, again=again + 1, no_pair=no_pair - 1), -pair).times(
            Fraction(1, 1 - pair)
        )

    def _unknown(self, shoe: ShoeComposition, *, known: bool) -> Tally:
        """One hand from a shoe of which nothing is known."""
        ends = self.ends[False] if known else (*self.ends[False], *self.ends[True])
        alive = self.chances.tally(ends, shoe, _COLUMNS)
        masses = self.chances.ends(shoe)
        pairs = shoe[self.points - 1]
        if known and pairs:
            chance = Fraction(pairs, sum(shoe))
            paired = self.chances.ends(without(shoe, self.points))
            masses = tuple(whole - chance * part for whole, part in zip(masses, paired, strict=True))
        whole = (*masses, *(masses[_NATURAL_END:] * 2))
        rest = (one - other for one, other in zip(whole, alive.masses, strict=True))
        nets = (*self.questions.nets_of_split_hand(FinishedHand("played", BROKE)), -WAGER_CENTS)
        return alive.plus(Tally.of(rest, nets), Fraction(1))

    def hand_tally(self, course: _Course, index: int) -> Tally:
        """The tally of one hand of a box that took this course."""
        if not course.known[index]:
            return self.hand(known=False, again=course.again, no_pair=course.no_pair)
        others = course.no_pair - 1
        return self.hand(known=True, again=course.again, no_pair=others).times(
            Fraction(1, 1 - self.pair(course.again, others))
        )

    def courses(self, begun: _Course, index: int = 0) -> Iterator[_Course]:
        """Every course from where the hands before ``index`` have their second cards."""
        hands = 2 + begun.again
        if index == hands:
            yield begun
        elif self.questions.may_split_again(self.points, hands, index):
            pair = self.pair(begun.again, begun.no_pair)
            if pair:
                yield from self.courses(begun._replace(chance=begun.chance * pair, again=begun.again + 1), index)
            no_pair = begun._replace(chance=begun.chance * (1 - pair), no_pair=begun.no_pair + 1)
            yield from self.courses(no_pair._replace(known=(*begun.known, True)), index + 1)
        else:
            yield from self.courses(begun._replace(known=(*begun.known, False)), index + 1)

    def tally(self) -> Tally:
        """The whole box, by how the dealer ends."""
        found = Tally.nothing(len(ENDS))
        for course in self.courses(_Course(Fraction(1), 0, 0, ())):
            hands = [self.hand_tally(course, index) for index in range(len(course.known))]
            box = _together(hands)
            if self.seen_only_alive():
                box = _box_unless_all_broke(box, hands)
            found = found.plus(box, course.chance)
        return found

    def seen_only_alive(self) -> bool:
        """Whether broken hands keep their added wagers from a natural, which is seen only while a hand is left."""
        rules = self.questions.rules
        mercy = rules.extra_wagers_against_natural == "original_only" and not rules.busted_bets_lost
        return rules.hole_card == "none" and mercy


def _together(hands: Sequence[Tally]) -> Tally:
    """The hands of a box as one. Their squares are those of hands that share nothing but how the dealer ends."""
    masses = hands[0].masses[: len(ENDS)]
    nets, squares = [], []
    for end, mass in enumerate(masses):
        columns = [_OTHERS if index and end == _NATURAL_END else end for index in range(len(hands))]
        parts = [hand.nets[column] for hand, column in zip(hands, columns, strict=True)]
        own = sum((hand.squares[column] for hand, column in zip(hands, columns, strict=True)), Fraction(0))
        whole = sum(parts, Fraction(0))
        mixed = whole**2 - sum((part**2 for part in parts), Fraction(0))
        nets.append(whole)
        squares.append(own + Fraction(mixed, mass) if mass else own)
    return Tally(masses, tuple(nets), tuple(squares))


def _box_unless_all_broke(box: Tally, hands: Sequence[Tally]) -> Tally:
    """The same box where a dealer without hole card takes no second card once all its hands broke.

    A natural is never seen then, and every stake is lost. That all of them break is taken to hang together by the
    dealer's natural alone.
    """
    natural = box.masses[_NATURAL_END]
    broke = [Fraction(-hand.nets[_BROKEN], WAGER_CENTS) for hand in hands]
    if not natural or not all(broke):
        return box
    chance = prod(broke, start=Fraction(1, natural ** (len(hands) - 1)))
    lost = len(hands) * WAGER_CENTS
    net, square = box.nets[_NATURAL_END], box.squares[_NATURAL_END]
    return Tally(
        box.masses,
        (*box.nets[:_NATURAL_END], net - chance * (lost - WAGER_CENTS)),
        (*box.squares[:_NATURAL_END], square + chance * (lost**2 - WAGER_CENTS**2)),
    )
