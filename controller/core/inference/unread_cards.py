"""Rounds with unread cards: one reconstruction for each rank an unread card may have.

A card that could not be read stands for each of the 52 faces. Only its rank matters to the game, so the lattice is
kept once for each rank; its four suits are four plays each.
"""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

from controller.core.game.hand import PlayedHand, hole_place
from controller.core.game.position import Node
from controller.core.game.settlement import Net
from controller.core.inference.dues import Due, insurance_due, main_due
from controller.core.inference.lattice import Frontier, Lattice, OutcomesByBox, PlayAnswer
from controller.core.inference.observation import CardObserved, DatedObservation
from controller.core.inference.play_count import PlayCounter
from controller.core.inference.unobserved import Outage

_SUITS: Final = 4
_RANKS: Final = range(1, 14)

_UNREAD_LIMIT: Final = 2
"""Unread cards of one round that are still distinguished by rank (169 lattices); more is for the floor."""


class TooManyUnread(Exception):  # noqa: N818 - a limit, caught where the round is judged
    """More cards could not be read than ``_UNREAD_LIMIT``."""


class UnreadCardHypothesis(NamedTuple):
    """One assumption about the unread cards: their ranks by place, and the lattice that follows."""

    ranks: tuple[tuple[int, int], ...]
    lattice: Lattice


class UnreadCardHypotheses(NamedTuple):
    """Every assumption that leaves a legal play, and the places of the cards that could not be read."""

    hypotheses: tuple[UnreadCardHypothesis, ...]
    unread: tuple[int, ...] = ()

    def legal(self, hole: int | None) -> bool:
        """Whether some play explains everything, with a hole card of this rank (None: any)."""
        bit = (1 << min(hole, 10)) if hole is not None else -1
        return any(node.hole & bit for hypothesis in self.hypotheses for node in hypothesis.lattice.frontier)

    def observe(self, dated: DatedObservation) -> UnreadCardHypotheses:
        """One more piece of evidence in every hypothesis. One without a play is kept: late chips may revive it.

        An unread card comes with rank 0 and splits each hypothesis into thirteen.

        Raises:
            TooManySequences, TooManyUnread: too much is left open.
        """
        item = dated.item
        if isinstance(item, CardObserved) and item.card & 15 == 0 and not self.is_hole(item.card >> 4):
            return self.unread_card(dated, item.card >> 4)
        return UnreadCardHypotheses(
            tuple(UnreadCardHypothesis(w.ranks, w.lattice.observe(dated)) for w in self.hypotheses), self.unread
        )

    def is_hole(self, place: int) -> bool:
        """Whether a place is the hole card's, whose rank no hypothesis assumes."""
        lattice = self.hypotheses[0].lattice
        return place == hole_place(len(lattice.wagers), hole=lattice.rules.has_hole_card())

    def unread_card(self, dated: DatedObservation, place: int) -> UnreadCardHypotheses:
        """Every hypothesis with every rank the card may have."""
        if len(self.unread) == _UNREAD_LIMIT:
            raise TooManyUnread
        split = tuple(
            UnreadCardHypothesis(
                (*hypothesis.ranks, (place, rank)),
                hypothesis.lattice.observe(
                    DatedObservation(dated.first_ns, dated.last_ns, CardObserved(place << 4 | rank), dated.number)
                ),
            )
            for hypothesis, rank in product(self.hypotheses, _RANKS)
        )
        return UnreadCardHypotheses(split, (*self.unread, place))

    def replayed_with(self, answers: tuple[PlayAnswer, ...], outages: tuple[Outage, ...]) -> UnreadCardHypotheses:
        """The same evidence with other answers, or other outages of readers."""
        return UnreadCardHypotheses(
            tuple(UnreadCardHypothesis(w.ranks, w.lattice.replayed_with(answers, outages)) for w in self.hypotheses),
            self.unread,
        )

    def judgement(self, hole: int | None, *, turned: bool, closed: bool) -> Judgement:
        """All plays; ``hole`` is the hole card's rank (None: unread), which counts once it is ``turned``."""
        suits = _SUITS ** len(self.unread)
        ended: list[HoleHypothesis] = []
        for hypothesis in self.hypotheses:
            lattice = hypothesis.lattice
            dealt = lattice.rules.has_hole_card()
            for points, weight in _hole_values(hole, turned=turned) if dealt else [(None, 1)]:
                if closed:
                    frontier = lattice.ends(points)
                else:
                    frontier = {
                        n: outcomes
                        for n, outcomes in lattice.frontier.items()
                        if points is None or n.hole >> points & 1
                    }
                if frontier:
                    ended.append(HoleHypothesis(lattice, frontier, points, suits * weight))
        return Judgement(tuple(ended), closed)


class HoleHypothesis(NamedTuple):
    """The plays of one hypothesis with one value of the hole card (None: not turned, or no hole card is dealt)."""

    lattice: Lattice
    frontier: Frontier
    points: int | None
    weight: int
    """How many plays each counted play stands for."""


class Judgement(NamedTuple):
    """All plays of a round, complete if it was closed, else as far as they have come."""

    ended: tuple[HoleHypothesis, ...]
    closed: bool

    def plays(self) -> int:
        """Their exact number."""
        return sum(end.weight * PlayCounter(end.lattice, end.points, closed=self.closed).plays() for end in self.ended)

    def main(self, box: int) -> Due:
        """What the main wager of a box may be due."""
        return _joined([main_due(end.lattice, end.frontier, box, end.points) for end in self.ended])

    def insurance(self, box: int) -> Due | None:
        """What the insurance of a box may be due; None if no play has it."""
        dues = [insurance_due(end.lattice, end.frontier, box, end.points) for end in self.ended]
        if all(due is None for due in dues):
            return None
        return _joined([_NOT_INSURED if due is None else due for due in dues])

    def hands(self, box: int) -> set[tuple[PlayedHand, ...]]:
        """The different ways in which a box's hands may stand."""
        return {
            hands
            for end in self.ended
            for node, outcomes in end.frontier.items()
            for hands in _stand(end, node, outcomes, box)
        }

    def drawn(self) -> set[tuple[int, ...]]:
        """The different cards that the dealer may have drawn."""
        return {node.dealers() for end in self.ended for node in end.frontier}


_NOT_INSURED: Final = Due(frozenset({Net(0, (("no_insurance",),))}), known=True)


def _stand(end: HoleHypothesis, node: Node, outcomes: OutcomesByBox, box: int) -> set[tuple[PlayedHand, ...]]:
    """How a box's hands may stand at a node."""
    if outcomes[box]:
        return {outcome.hands for outcome in outcomes[box]}
    if node.acting == box and node.hands:
        return {tuple(PlayedHand(hand.cards, hand.base, hand.extra) for hand in node.hands)}
    deal = end.lattice.game.deal
    return {(PlayedHand(deal.initial[box], deal.wagers[box], 0),)}


def _joined(dues: list[Due]) -> Due:
    """What may be due if any of these may."""
    return Due(frozenset().union(*(due.nets for due in dues)), all(due.known for due in dues))


def _hole_values(hole: int | None, *, turned: bool) -> list[tuple[int | None, int]]:
    """What the hole card may count, and for how many faces each value stands."""
    if not turned:
        return [(None, 1)]
    if hole is not None:
        return [(min(hole, 10), 1)]
    return [(points, _SUITS * (4 if points == 10 else 1)) for points in range(1, 11)]
