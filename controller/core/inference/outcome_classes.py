"""The complete plays of a round as far as a question can tell them apart: what lies at each box, and what is due.

Plays that look the same on the felt and come to the same dues are one class. A class's weight says how much sensible
players would have done it so; it never decides what is due, only which of several equally good questions is asked.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache
from typing import Final, NamedTuple

from controller.core.game.basic_strategy import stands
from controller.core.game.hand import Outcome, PlayedHand, points_of, total
from controller.core.game.position import EVEN_MONEY, Emission, Node
from controller.core.game.settlement import DealerEnd, insurance_net
from controller.core.inference.dues import dealer_ends, net_of
from controller.core.inference.lattice import Lattice, WindowState
from controller.core.inference.paths import Graph

_CLASSES_LIMIT: Final = 3_000
"""Beginnings of classes that are distinguished; several times what a full table without a keypad leaves open."""

_UNLIKELY_BITS: Final = 3
"""One decision that a sensible player would not have made halves a class's weight this many times."""

_LIKELIEST: Final = 1 << 90

_Dues = tuple[object, ...]
"""What every wager of a round is due in one play: main wagers by box, then insurance by box, then side wagers."""

Sides = Callable[[Node], _Dues]
"""What the side wagers are due where a round has ended."""


class TooManyClasses(Exception):  # noqa: N818 - a limit, caught where the question is chosen
    """More classes than ``_CLASSES_LIMIT``."""


def _no_sides(_: Node) -> _Dues:
    """A round without side wagers."""
    return ()


class LatticeCase(NamedTuple):
    """One lattice with one value of the hole card; several where cards could not be read."""

    lattice: Lattice
    points: int | None
    """What the hole card counts; None where no hole card is dealt."""
    sides: Sides = _no_sides


class VisibleBox(NamedTuple):
    """What anybody can see of a box that has played: the number of cards in each hand, and what its chips did."""

    cards: tuple[int, ...]
    doubled: bool
    surrendered: bool


class OutcomeClass(NamedTuple):
    """One way a round may have gone; ``dues`` numbers the different sets of dues."""

    dues: int
    sights: tuple[VisibleBox, ...]
    weight: int


class _BoxOutcome(NamedTuple):
    """How a box ended: its sight, its net in cents at each end of the dealer's hand, and its unlikely decisions."""

    sight: VisibleBox
    nets: tuple[int, ...]
    unlikely: int


def visible_box(outcome: Outcome) -> VisibleBox:
    """What can be seen of a box that ended so."""
    hands = outcome.hands
    return VisibleBox(
        tuple(len(hand.cards) for hand in hands),
        any(hand.extra_cents for hand in hands),
        outcome.how == "surrendered",
    )


def classes_of(cases: Iterable[LatticeCase]) -> list[OutcomeClass]:
    """Every different class.

    Raises:
        TooManyClasses: there are more than anybody could ask about.
    """
    weights: Counter[tuple[_Dues, tuple[VisibleBox, ...]]] = Counter()
    for case in cases:
        for dues, boxes in _outcomes_of(case):
            unlikely = min(sum(box.unlikely for box in boxes) * _UNLIKELY_BITS, 90)
            weights[dues, tuple(box.sight for box in boxes)] += _LIKELIEST >> unlikely
    numbers: dict[_Dues, int] = {}
    return [
        OutcomeClass(numbers.setdefault(dues, len(numbers)), sights, weight)
        for (dues, sights), weight in weights.items()
    ]


def _outcomes_of(case: LatticeCase) -> set[tuple[_Dues, tuple[_BoxOutcome, ...]]]:
    """The complete plays of a case."""
    graph = Graph(case.lattice)
    play, points = graph.play, case.points
    closings = {state: list(graph.endings(state[1], points)) for state in graph.last}
    closings = {state: ended for state, ended in closings.items() if ended}
    ends = tuple({end for ended in closings.values() for node, _ in ended for end in dealer_ends(play, node, points)})
    book = _ClassIndex(case.lattice, ends)
    beginnings_at: dict[WindowState, set[int]] = {graph.start: {0}}
    for level in graph.reaching(set(closings)):
        following: dict[WindowState, set[int]] = {}
        for state, beginnings in beginnings_at.items():
            for emitted, target in level.get(state, ()):
                longer = {book.longer(beginning, emitted) for beginning in beginnings} if emitted else beginnings
                known = following.get(target)
                following[target] = longer if known is None or known is longer else known | longer
        beginnings_at = following
    found: set[tuple[_Dues, tuple[_BoxOutcome, ...]]] = set()
    for state, beginnings in beginnings_at.items():
        for node, emitted in closings.get(state, ()):
            (end,) = set(dealer_ends(play, node, points))
            for beginning in beginnings:
                boxes = book.pages(book.longer(beginning, emitted))
                found.add(((*_mains(node, boxes, ends.index(end), play.deal.wagers), *_more(case, node)), boxes))
    return found


def _mains(node: Node, boxes: tuple[_BoxOutcome, ...], end: int, wagers: tuple[int, ...]) -> tuple[int, ...]:
    """The nets of the main wagers, by box."""
    return tuple(
        wagers[box] if node.boxes[box].kind is EVEN_MONEY else ended.nets[end] for box, ended in enumerate(boxes)
    )


def _more(case: LatticeCase, node: Node) -> _Dues:
    """The nets of insurance and side wagers."""
    play = case.lattice.game
    if not play.insurance_offered():
        return case.sides(node)
    second = points_of(node.second) if case.points is None else case.points
    natural = {play.up_points, second} == {1, 10}
    insured = (insurance_net(case.lattice.rules, cents, dealer_natural=natural).cents for cents in node.insured)
    return (*insured, *case.sides(node))


class _ClassIndex:
    """Beginnings of classes, each a number: 0 is the empty one, every other is another with one box more."""

    def __init__(self, lattice: Lattice, ends: tuple[DealerEnd, ...]) -> None:
        self.numbers: dict[tuple[int, _BoxOutcome], int] = {}
        self.sequences: list[tuple[_BoxOutcome, ...]] = [()]
        up = lattice.game.up_points

        @cache
        def page(outcome: Outcome) -> _BoxOutcome:
            nets = tuple(net_of(lattice.game, outcome, end, even_money=False).cents for end in ends)
            return _BoxOutcome(visible_box(outcome), nets, _unlikely(outcome, up))

        self.page = page

    def longer(self, beginning: int, emitted: tuple[Emission, ...]) -> int:
        """A beginning with some boxes more.

        Raises:
            TooManyClasses: there are too many.
        """
        for _, outcome in emitted:
            key = beginning, self.page(outcome)
            number = self.numbers.get(key)
            if number is None:
                number = self.numbers[key] = len(self.sequences)
                self.sequences.append((*self.sequences[beginning], key[1]))
                if number > _CLASSES_LIMIT:
                    raise TooManyClasses
            beginning = number
        return beginning

    def pages(self, beginning: int) -> tuple[_BoxOutcome, ...]:
        """How each box ended."""
        return self.sequences[beginning]


def _unlikely(outcome: Outcome, up: int) -> int:
    """How many cards were drawn or refused that a player who plays by the total would not have."""
    if outcome.how != "played":
        return 0
    return sum(_odd_choices(hand, up) for hand in outcome.hands if not hand.extra_cents)


def _odd_choices(hand: PlayedHand, up: int) -> int:
    """The odd draws of one hand, and whether it stopped oddly."""
    points = tuple(points_of(card) for card in hand.cards)
    odd = 0
    for count in range(2, len(points) + 1):
        best, soft = total(points[:count])
        drew = count < len(points)
        odd += best < 21 and stands(best, up, soft=soft) == drew
    return odd
