"""The one question whose answer helps most: what anybody can see on the felt, chosen by its worst answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from controller.core.inference import box_comparison
from controller.core.inference.box_comparison import ANY, SURRENDERED, ComparisonLine
from controller.core.inference.dues import dealer_ends, net_of
from controller.core.inference.lattice import PlayAnswer
from controller.core.inference.outcome_classes import (
    LatticeCase,
    OutcomeClass,
    TooManyClasses,
    VisibleBox,
    classes_of,
    visible_box,
)
from firmware_protocols.values import Value

COMPARED: Final = "compared"


class Question(Value, frozen=True, tag=False):
    """What to ask about a box: ``cards`` of hand ``hand``, ``doubled``, ``hands`` or ``surrendered``.

    ``values`` are the answers some play gives; for ``doubled`` and ``surrendered`` 1 is yes and 0 no. A question of
    kind ``compared`` asks which of ``lines`` lies on the felt: for each box of ``boxes`` its number of cards (``(23)``:
    of two hands; ``s``: surrendered; ``*``: any). Its values are the lines' numbers, from 1.
    """

    box: int
    kind: str
    hand: int
    values: tuple[int, ...]
    boxes: tuple[int, ...] = ()
    lines: tuple[tuple[str, ...], ...] = ()

    def answers(self, value: int) -> tuple[PlayAnswer, ...]:
        """The answer as the lattice takes it."""
        match self.kind:
            case "cards":
                return (PlayAnswer(self.box, hand=self.hand, cards=value),)
            case "doubled":
                return (PlayAnswer(self.box, doubled=bool(value)),)
            case "hands":
                return (PlayAnswer(self.box, hands=value),)
            case "surrendered":
                return (PlayAnswer(self.box, surrendered=bool(value)),)
            case _:
                marks = zip(self.boxes, self.lines[value - 1], strict=True)
                return tuple(answer for box, mark in marks for answer in _answers_of(box, mark))

    def value(self, sight: VisibleBox) -> int:
        """The answer of a play in which the box looks so."""
        match self.kind:
            case "cards":
                return sight.cards[self.hand] if self.hand < len(sight.cards) else 0
            case "doubled":
                return int(sight.doubled)
            case "hands":
                return len(sight.cards)
            case _:
                return int(sight.surrendered)

    def answer_in(self, sights: tuple[VisibleBox, ...]) -> int:
        """The answer of a play in which the boxes look so."""
        if self.kind != COMPARED:
            return self.value(sights[self.box])
        fitting = (
            number
            for number, line in zip(self.values, self.lines, strict=True)
            if all(
                mark in {ANY, box_comparison.box_mark(sights[box])} for box, mark in zip(self.boxes, line, strict=True)
            )
        )
        return next(fitting)

    def about(self, spots: tuple[int, ...]) -> int:
        """The spot it speaks of; 0 if of several. ``spots`` are those of the round's boxes."""
        return 0 if self.kind == COMPARED else spots[self.box]

    def text(self, spots: tuple[int, ...]) -> str:
        """The question in words."""
        match self.kind:
            case "cards":
                return f"Spot {spots[self.box]}: how many cards in hand {self.hand + 1}?"
            case "doubled":
                return f"Did spot {spots[self.box]} double?"
            case "hands":
                return f"Spot {spots[self.box]}: how many hands?"
            case "surrendered":
                return f"Did spot {spots[self.box]} surrender?"
            case _:
                return f"How many cards lie at spots {_listed(spots, self.boxes)}?"

    def shown(self, spots: tuple[int, ...], waiting: int = 0) -> str:
        """The question on a keypad's display; ``waiting`` is the number of the round if that is over and waits."""
        if self.kind != COMPARED:
            text = self.text(spots)
            return f"Round {waiting}. {text}" if waiting else text
        head = f"R{waiting}" if waiting else "Cards at"
        return box_comparison.comparison_text(f"{head} {_listed(spots, self.boxes)}?", self.choices())

    def choices(self) -> tuple[str, ...]:
        """The answers in words: numbers, yes and no, or lines."""
        if self.kind in {"doubled", "surrendered"}:
            return "yes", "no"
        if self.kind == COMPARED:
            return tuple("".join(line) for line in self.lines)
        return tuple(str(value) for value in self.values)

    def words(self, value: int) -> str:
        """The choice that stands for a value."""
        match self.kind:
            case "doubled" | "surrendered":
                return "yes" if value else "no"
            case "cards" | "hands":
                return str(value)
            case _:
                return self.choices()[value - 1]

    def by_number(self) -> bool:
        """Whether a digit key answers it."""
        return self.kind in {"cards", "hands", COMPARED}

    def value_of(self, words: str) -> int | None:
        """The value of an answer in words; None if it is none of the choices. A line may be named by its number."""
        if self.kind == COMPARED and words in map(str, self.values):
            return int(words)
        if words not in self.choices():
            return None
        if self.kind == COMPARED:
            return self.choices().index(words) + 1
        return {"yes": 1, "no": 0}[words] if words in {"yes", "no"} else int(words)


def _listed(spots: tuple[int, ...], boxes: tuple[int, ...]) -> str:
    """The spots of some boxes."""
    return ",".join(str(spots[box]) for box in boxes)


def _answers_of(box: int, mark: str) -> Iterator[PlayAnswer]:
    """What the mark of a box in a line says of it."""
    if mark == SURRENDERED:
        yield PlayAnswer(box, surrendered=True)
    elif mark != ANY:
        counts = mark.strip("()")
        for hand, count in enumerate(counts):
            yield PlayAnswer(box, hand=hand, cards=int(count), hands=len(counts), surrendered=False)


class _Choice(NamedTuple):
    """A question and how good it is: less is better."""

    worst: int
    """The most different dues that an answer leaves."""
    open: int
    """How likely it is that something stays open."""
    boxes: int
    left: int
    """The different dues that the answers leave, taken together."""
    place: int
    question: Question


def best_question(cases: tuple[LatticeCase, ...], *, compared: bool = True) -> Question | None:
    """The question whose worst answer leaves the fewest different dues; None if no answer would change money.

    Of equally good questions it takes the one that most likely leaves nothing open, then the one about fewer boxes.
    ``compared``: whether it may compare several boxes.
    """
    try:
        known = classes_of(cases)
    except TooManyClasses:
        return _rough_question(cases)
    return best_of(known, compared=compared)


def best_of(known: list[OutcomeClass], *, compared: bool = True) -> Question | None:
    """The best question where these are the classes; see ``best_question``."""
    if box_comparison.different_dues(known) <= 1:
        return None
    singles = [choice for place, one in enumerate(candidates(known)) if (choice := _weighed(known, one, place))]
    if compared and not any(choice.worst == 1 for choice in singles):
        singles.extend(_comparing(known))
    return min(singles, key=lambda choice: choice[:-1]).question if singles else None


def _weighed(known: list[OutcomeClass], question: Question, place: int) -> _Choice | None:
    """How good a question about one box is; None if no answer would change money."""
    parts: dict[int, list[OutcomeClass]] = {}
    for outcome_class in known:
        parts.setdefault(question.answer_in(outcome_class.sights), []).append(outcome_class)
    lines = [ComparisonLine.of({}, part) for part in parts.values()]
    sizes = [line.dues for line in lines]
    if min(sizes) >= box_comparison.different_dues(known):
        return None
    return _Choice(max(sizes), sum(line.open for line in lines), 1, sum(sizes), place, question)


def _comparing(known: list[OutcomeClass]) -> Iterator[_Choice]:
    """The best question found that compares several boxes."""
    lines = box_comparison.in_order(box_comparison.best_comparison(known))
    boxes = box_comparison.boxes_of(lines)
    if len(boxes) > 1:
        marks = tuple(tuple(line.marks.get(box, ANY) for box in boxes) for line in lines)
        question = Question(boxes[0], COMPARED, 0, tuple(range(1, len(lines) + 1)), boxes, marks)
        sizes = [line.dues for line in lines]
        yield _Choice(max(sizes), sum(line.open for line in lines), len(boxes), sum(sizes), 0, question)


def candidates(known: list[OutcomeClass]) -> Iterator[Question]:
    """Every question about one box that plays answer differently; the easiest to see first."""
    for box in range(len(known[0].sights) if known else 0):
        yield from _about_box(box, {outcome_class.sights[box] for outcome_class in known})


def _about_box(box: int, sights: Iterable[VisibleBox]) -> Iterator[Question]:
    """Every question about a box that may look so."""
    seen: list[tuple[str, int, set[int]]] = [
        ("surrendered", 0, {int(sight.surrendered) for sight in sights}),
        ("hands", 0, {len(sight.cards) for sight in sights}),
        ("doubled", 0, {int(sight.doubled) for sight in sights}),
    ]
    hands = min((len(sight.cards) for sight in sights), default=0)
    seen += [("cards", hand, {sight.cards[hand] for sight in sights}) for hand in range(hands)]
    for kind, hand, values in seen:
        if len(values) > 1:
            yield Question(box, kind, hand, tuple(sorted(values)))


def _rough_question(cases: tuple[LatticeCase, ...]) -> Question | None:
    """A good question where the classes are too many to tell: about the box whose own due differs most."""
    best: tuple[tuple[int, int, int], Question] | None = None
    for box in range(len(cases[0].lattice.wagers)):
        nets = _nets_of(cases, box)
        due = len(set().union(*nets.values()))
        for place, question in enumerate(_about_box(box, nets)):
            left: dict[int, set[tuple[int, ...]]] = {}
            for sight, found in nets.items():
                left.setdefault(question.value(sight), set()).update(found)
            sizes = [len(found) for found in left.values()]
            rank = max(sizes) - due, box, place
            if min(sizes) < due and (best is None or rank < best[0]):
                best = rank, question
    return None if best is None else best[1]


def _nets_of(cases: tuple[LatticeCase, ...], box: int) -> dict[VisibleBox, set[tuple[int, ...]]]:
    """What a box may be due against each of the dealer's ends, by what it looks like."""
    nets: dict[VisibleBox, set[tuple[int, ...]]] = {}
    for case in cases:
        play, frontier = case.lattice.play(), case.lattice.ends(case.points)
        met = {end for node in frontier for end in dealer_ends(play, node, case.points)}
        ends = sorted(met, key=lambda end: (end.natural, end.total))
        for outcome in {outcome for outcomes in frontier.values() for outcome in outcomes[box]}:
            due = tuple(net_of(play, outcome, end, even_money=False).cents for end in ends)
            nets.setdefault(visible_box(outcome), set()).add(due)
    return nets
