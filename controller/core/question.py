"""The one question whose answer helps most: what anybody can see on the felt, chosen by its worst answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from controller.core.census import Graph
from controller.core.dues import insurance_due, main_due
from controller.core.hand import Outcome
from controller.core.reconstruction import Answer, Frontier, Reconstruction
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


def best_question(cases: tuple[Case, ...]) -> Question | None:
    """The question whose worst answer leaves the fewest different dues; None if no answer would change money."""
    now = [case.graph.ends(case.points, ()) for case in cases]
    open_now = spread(cases, now)
    best: tuple[tuple[int, int, int], Question] | None = None
    if not open_now:
        return None
    for place, question in enumerate(candidates(now)):
        left = [
            spread(cases, [case.graph.ends(case.points, (question.answer(value),)) for case in cases])
            for value in question.values
        ]
        rank = (max(left), sum(left), place)
        if min(left) < open_now and (best is None or rank < best[0]):
            best = rank, question
    return None if best is None else best[1]


def spread(cases: tuple[Case, ...], frontiers: list[Frontier]) -> int:
    """How many dues are possible beyond one for each wager."""
    boxes = range(len(cases[0].found.wagers))
    over = 0
    for box in boxes:
        mains: set[int] = set()
        insured: set[int] = set()
        for case, frontier in zip(cases, frontiers, strict=True):
            mains.update(main_due(case.found, frontier, box, case.points).cents())
            due = insurance_due(case.found, frontier, box, case.points)
            insured.update(() if due is None else due.cents())
        over += max(len(mains) - 1, 0) + max(len(insured) - 1, 0)
    return over


def candidates(frontiers: list[Frontier]) -> Iterator[Question]:
    """Every question about a box that plays answer differently; the easiest to see first."""
    boxes = len(next((told for frontier in frontiers for told in frontier.values()), ()))
    for box in range(boxes):
        ways = {outcome for frontier in frontiers for told in frontier.values() for outcome in told[box]}
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
