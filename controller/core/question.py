"""The one question whose answer helps most: what anybody can see on the felt, chosen by its worst answer."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from controller.core.census import Graph
from controller.core.dues import dealer_ends, net_of
from controller.core.hand import Outcome
from controller.core.play import Kind
from controller.core.reconstruction import Answer, Reconstruction
from controller.core.settlement import insurance_net
from firmware_protocols.values import Value


class Question(Value, frozen=True, tag=False):
    """What to ask about a box: ``cards`` of hand ``hand``, ``doubled``, ``hands`` or ``surrendered``.

    ``values`` are the answers some play gives; for ``doubled`` and ``surrendered`` 1 is yes and 0 no.
    """

    box: int
    kind: str
    hand: int
    values: tuple[int, ...]

    def answer(self, value: int) -> Answer:
        """The answer as the lattice takes it."""
        match self.kind:
            case "cards":
                return Answer(self.box, hand=self.hand, cards=value)
            case "doubled":
                return Answer(self.box, doubled=bool(value))
            case "hands":
                return Answer(self.box, hands=value)
            case _:
                return Answer(self.box, surrendered=bool(value))

    def value(self, outcome: Outcome) -> int:
        """The answer of a play in which the box ended so."""
        match self.kind:
            case "cards":
                # A way that never comes to an end may have fewer hands; it is not among the plays.
                return len(outcome.hands[self.hand].cards) if self.hand < len(outcome.hands) else 0
            case "doubled":
                return int(any(hand.extra_cents for hand in outcome.hands))
            case "hands":
                return len(outcome.hands)
            case _:
                return int(outcome.how == "surrendered")

    def text(self, spot: int) -> str:
        """The question in words, short enough for a keypad's display."""
        match self.kind:
            case "cards":
                return f"Spot {spot}: how many cards in hand {self.hand + 1}?"
            case "doubled":
                return f"Did spot {spot} double?"
            case "hands":
                return f"Spot {spot}: how many hands?"
            case _:
                return f"Did spot {spot} surrender?"

    def choices(self) -> tuple[str, ...]:
        """The answers in words: numbers, or yes and no."""
        if self.kind in {"doubled", "surrendered"}:
            return "yes", "no"
        return tuple(str(value) for value in self.values)

    def value_of(self, words: str) -> int | None:
        """The value of an answer in words; None if it is none of the choices."""
        if words not in self.choices():
            return None
        return {"yes": 1, "no": 0}[words] if words in {"yes", "no"} else int(words)


class Case(NamedTuple):
    """One lattice with one value of the hole card; several where cards could not be read."""

    found: Reconstruction
    graph: Graph
    points: int


Dues = tuple[int, ...]
"""What every wager of a round is due in one play: main wagers by box, then insurance by box."""


def best_question(cases: tuple[Case, ...]) -> Question | None:
    """The question whose worst answer leaves the fewest different dues; None if no answer would change money."""
    open_now = {dues for case in cases for dues, _ in told(case, None)}
    if len(open_now) < 2:
        return None
    best: tuple[tuple[int, int, int], Question] | None = None
    for place, question in enumerate(candidates(cases)):
        left: dict[int | None, set[Dues]] = {}
        for case in cases:
            for dues, value in told(case, question):
                left.setdefault(value, set()).add(dues)
        sizes = [len(dues) for dues in left.values()]
        rank = (max(sizes), sum(sizes), place)
        if min(sizes) < len(open_now) and (best is None or rank < best[0]):
            best = rank, question
    return None if best is None else best[1]


def told(case: Case, question: Question | None) -> set[tuple[Dues, int | None]]:
    """The different dues of the plays of a case, each with the answer that play gives to ``question``."""
    rules, play = case.found.rules, case.graph.play
    ends = tuple({end for node in case.found.ends(case.points) for end in dealer_ends(play, node, case.points)})

    @cache
    def label(box: int, outcome: Outcome) -> tuple[tuple[int, ...], int | None]:
        nets = tuple(net_of(play, outcome, end, even_money=False).cents for end in ends)
        return nets, question.value(outcome) if question is not None and question.box == box else None

    found: set[tuple[Dues, int | None]] = set()
    for tale, node in case.graph.tales(case.points, label):
        (end,) = set(dealer_ends(play, node, case.points))
        paid = [box.kind is Kind.EVEN_MONEY for box in node.boxes]
        wagers = play.deal.wagers
        mains = [wagers[box] if paid[box] else nets[ends.index(end)] for box, (nets, _) in enumerate(tale)]
        natural = {play.up_points, case.points} == {1, 10}
        insured = [insurance_net(rules, cents, dealer_natural=natural).cents for cents in node.insured]
        value = next((value for _, value in tale if value is not None), None)
        found.add(((*mains, *insured), value))
    return found


def candidates(cases: tuple[Case, ...]) -> Iterator[Question]:
    """Every question about a box that plays answer differently; the easiest to see first."""
    frontiers = [case.found.ends(case.points) for case in cases]
    for box in range(len(cases[0].found.wagers)):
        ways = {outcome for frontier in frontiers for told_of in frontier.values() for outcome in told_of[box]}
        surrendered = {int(way.how == "surrendered") for way in ways}
        hands = {len(way.hands) for way in ways}
        doubled = {int(any(hand.extra_cents for hand in way.hands)) for way in ways}
        for kind, values in (("surrendered", surrendered), ("hands", hands), ("doubled", doubled)):
            if len(values) > 1:
                yield Question(box, kind, 0, tuple(sorted(values)))
        for hand in range(min(hands, default=0)):
            cards = cards_of(ways, hand)
            if len(cards) > 1:
                yield Question(box, "cards", hand, cards)


def cards_of(ways: set[Outcome], hand: int) -> tuple[int, ...]:
    """How many cards a hand may have."""
    return tuple(sorted({len(way.hands[hand].cards) for way in ways}))
