"""The one question whose answer helps most: what anybody can see on the felt, chosen by its worst answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Final, NamedTuple

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

_BOXES_LIMIT: Final = 4
"""Boxes that one look compares."""

_LINES_LIMIT: Final = 9
"""Lines that one digit key picks from; none of them is 0."""

_COLUMNS: Final = 20
_ROWS: Final = 4
"""The smallest display of the keypads' family that holds a whole text; one of two rows of 40 holds it too."""

_ANY: Final = "*"
_SURRENDERED: Final = "s"
_DIGITS: Final = 10


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
            if all(mark in {_ANY, _box_mark(sights[box])} for box, mark in zip(self.boxes, line, strict=True))
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
        return _comparison_text(f"{head} {_listed(spots, self.boxes)}?", self.choices())

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
    if mark == _SURRENDERED:
        yield PlayAnswer(box, surrendered=True)
    elif mark != _ANY:
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


def best_question(cases: tuple[LatticeCase, ...], *, compared: bool = True, as_shown: bool = True) -> Question | None:
    """The question whose worst answer leaves the fewest different dues; None if no answer would change money.

    Of equally good questions it takes the one that most likely leaves nothing open, then the one about fewer boxes.
    ``compared``: whether it may compare several boxes. ``as_shown``: whether its lines must fit the display in the
    order in which they are shown; False: in that in which they were found, as journals of before have it.
    """
    try:
        known = classes_of(cases)
    except TooManyClasses:
        return _rough_question(cases)
    return best_of(known, compared=compared, as_shown=as_shown)


def best_of(known: list[OutcomeClass], *, compared: bool = True, as_shown: bool = True) -> Question | None:
    """The best question where these are the classes; see ``best_question``."""
    if _different_dues(known) <= 1:
        return None
    singles = [choice for place, one in enumerate(candidates(known)) if (choice := _weighed(known, one, place))]
    if compared and not any(choice.worst == 1 for choice in singles):
        singles.extend(_comparing(known, as_shown=as_shown))
    return min(singles, key=lambda choice: choice[:-1]).question if singles else None


def _weighed(known: list[OutcomeClass], question: Question, place: int) -> _Choice | None:
    """How good a question about one box is; None if no answer would change money."""
    parts: dict[int, list[OutcomeClass]] = {}
    for outcome_class in known:
        parts.setdefault(question.answer_in(outcome_class.sights), []).append(outcome_class)
    lines = [_ComparisonLine.of({}, part) for part in parts.values()]
    sizes = [line.dues for line in lines]
    if min(sizes) >= _different_dues(known):
        return None
    return _Choice(max(sizes), sum(line.open for line in lines), 1, sum(sizes), place, question)


def _comparing(known: list[OutcomeClass], *, as_shown: bool) -> Iterator[_Choice]:
    """The best question found that compares several boxes."""
    lines = _in_order(_best_comparison(known, as_shown=as_shown))
    boxes = _boxes_of(lines)
    if len(boxes) > 1:
        marks = tuple(tuple(line.marks.get(box, _ANY) for box in boxes) for line in lines)
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
        play, frontier = case.lattice.game, case.lattice.ends(case.points)
        met = {end for node in frontier for end in dealer_ends(play, node, case.points)}
        ends = sorted(met, key=lambda end: (end.natural, end.total))
        for outcome in {outcome for outcomes in frontier.values() for outcome in outcomes[box]}:
            due = tuple(net_of(play, outcome, end, even_money=False).cents for end in ends)
            nets.setdefault(visible_box(outcome), set()).add(due)
    return nets


# --- several boxes at once ----------------------------------------------------------------------------
#
# Lines of card counts, of which one key picks the line that lies on the felt.
#
# They are grown like a tree: a line that still leaves several dues is distinguished by one box more, until every line
# leaves one or the display is full. So one look answers what would take a question for each box.


class _ComparisonLine(NamedTuple):
    """One line: what lies at some boxes (by box, as ``_box_mark`` writes it), and the classes that have it so."""

    marks: dict[int, str]
    classes: list[OutcomeClass]
    dues: int
    """How many different sets of dues it leaves."""
    open: int
    """How likely it is that it is the line and something stays open; 0 if nothing does."""

    @classmethod
    def of(cls, marks: dict[int, str], classes: list[OutcomeClass]) -> _ComparisonLine:
        """The line of these classes."""
        dues = _different_dues(classes)
        return cls(marks, classes, dues, sum([outcome_class.weight for outcome_class in classes]) if dues > 1 else 0)


class _Partings(NamedTuple):
    """How the lines of one comparison can be distinguished, as far as that was asked: each is asked again and again."""

    known: dict[tuple[frozenset[tuple[int, str]], int], list[_ComparisonLine]]
    """The parts of a line, by its marks and the box."""
    as_shown: bool
    """Whether the lines must fit the display in the order in which they are shown."""

    def by(self, line: _ComparisonLine, box: int) -> list[_ComparisonLine]:
        """The parts of a line by what lies at a box; empty where that says nothing, or cannot be shown."""
        key = frozenset(line.marks.items()), box
        parts = self.known.get(key)
        if parts is None:
            parts = self.known[key] = _parts(line, box)
        return parts


def _parts(line: _ComparisonLine, box: int) -> list[_ComparisonLine]:
    """The same, worked out."""
    classes: dict[str, list[OutcomeClass]] = {}
    for outcome_class in line.classes:
        classes.setdefault(_box_mark(outcome_class.sights[box]), []).append(outcome_class)
    if len(classes) == 1 or "" in classes:
        return []
    return [_ComparisonLine.of({**line.marks, box: sight}, classes[sight]) for sight in sorted(classes)]


_Measure = Callable[[list[_ComparisonLine]], tuple[int, int]]
"""How good it is to have a line in these parts: less is better."""


def _different_dues(classes: list[OutcomeClass]) -> int:
    """How many different sets of dues these classes have."""
    return len({outcome_class.dues for outcome_class in classes})


@lru_cache(maxsize=4096)
def _box_mark(sight: VisibleBox) -> str:
    """A box as a line shows it: its number of cards, ``(23)`` for split hands, ``s`` if it surrendered.

    Empty where a hand has too many cards for one digit.
    """
    if sight.surrendered:
        return _SURRENDERED
    if max(sight.cards) >= _DIGITS:
        return ""
    counts = "".join(map(str, sight.cards))
    return counts if len(sight.cards) == 1 else f"({counts})"


def _pattern(marks: dict[int, str], boxes: tuple[int, ...]) -> str:
    """A line as people read it."""
    return "".join(marks.get(box, _ANY) for box in boxes)


def _comparison_text(head: str, patterns: tuple[str, ...]) -> str:
    """The text of a display: the head in the first row, then as many numbered lines a row as it holds."""
    rows = [head]
    row = ""
    for number, line in enumerate(patterns, start=1):
        entry = f"{number}:{line}"
        if row and len(row) + 1 + len(entry) > _COLUMNS:
            rows.append(row)
            row = ""
        row = f"{row} {entry}" if row else entry
    return "".join(one.ljust(_COLUMNS) for one in (*rows, row)).rstrip()


def _best_comparison(classes: list[OutcomeClass], *, as_shown: bool) -> list[_ComparisonLine]:
    """The lines of the best comparison found, or a single line if nothing can be distinguished.

    First the worst line is always distinguished. Then once more: no line may come out worse, and within that it is the
    line under which something most likely stays open. Both by each measure of what a box tells; the best counts.
    """
    whole, parted = _ComparisonLine.of({}, classes), _Partings({}, as_shown)
    best = [whole]
    for measure in (_by_dues, _by_likelihood):
        lines = _distinguished(whole, 0, measure, parted)
        worst = max(line.dues for line in lines)
        best = min(best, lines, key=_badness)
        if worst > 1:
            best = min(best, _distinguished(whole, worst, measure, parted), key=_badness)
    return best


def _by_dues(parts: list[_ComparisonLine]) -> tuple[int, int]:
    """What parts of a line leave, less is better: the dues taken together, then what likely stays open."""
    return sum(part.dues for part in parts), sum(part.open for part in parts)


def _by_likelihood(parts: list[_ComparisonLine]) -> tuple[int, int]:
    """What parts of a line leave, less is better: how many dues too many it likely is, then the dues taken together."""
    return sum(part.open * (part.dues - 1) for part in parts), sum(part.dues for part in parts)


def _badness(lines: list[_ComparisonLine]) -> tuple[int, int]:
    """How good a comparison is, less is better: the most dues that a line leaves, and what most likely stays open."""
    return max(line.dues for line in lines), sum(line.open for line in lines)


def _distinguished(
    whole: _ComparisonLine, bearable: int, measure: _Measure, parted: _Partings
) -> list[_ComparisonLine]:
    """Lines grown from a single one.

    Those that leave more dues than ``bearable`` are distinguished first, the worst first; then the likeliest to stay
    open.
    """
    lines = [whole]
    more: list[_ComparisonLine] | None = lines
    while more is not None:
        lines = more
        open_now = [line for line in lines if line.dues > 1]
        open_now.sort(key=lambda line: (-line.dues if line.dues > bearable else 0, -line.open))
        more = next(filter(None, (_with_parts(lines, line, measure, parted) for line in open_now)), None)
    return lines


def _with_parts(
    lines: list[_ComparisonLine], line: _ComparisonLine, measure: _Measure, parted: _Partings
) -> list[_ComparisonLine] | None:
    """The lines with one of them distinguished by one box more; None if that helps nothing or does not fit."""
    used = {box for one in lines for box in one.marks}
    boxes = range(len(line.classes[0].sights))
    allowed = [box for box in boxes if box not in line.marks and (box in used or len(used) < _BOXES_LIMIT)]
    parts = _best_parts(line, allowed, measure, parted)
    at = lines.index(line)
    more = [*lines[:at], *parts, *lines[at + 1 :]]
    fits = _fits(more) and (not parted.as_shown or _fits(_in_order(more)))
    return more if parts and fits else None


def _best_parts(line: _ComparisonLine, boxes: list[int], measure: _Measure, parted: _Partings) -> list[_ComparisonLine]:
    """A line distinguished by the one box whose parts measure least; empty if no box helps."""
    best: tuple[tuple[int, int, int], list[_ComparisonLine]] | None = None
    for box in boxes:
        parts = parted.by(line, box)
        if not parts:
            continue
        rank = *measure(parts), box
        if min(part.dues for part in parts) < line.dues and (best is None or rank < best[0]):
            best = rank, parts
    return [] if best is None else best[1]


def _fits(lines: list[_ComparisonLine]) -> bool:
    """Whether one key can pick the line and the display can show them all."""
    if len(lines) > _LINES_LIMIT:
        return False
    boxes = _boxes_of(lines)
    text = _comparison_text("", tuple(_pattern(line.marks, boxes) for line in lines))
    return len(text) <= _ROWS * _COLUMNS


def _boxes_of(lines: list[_ComparisonLine]) -> tuple[int, ...]:
    """The boxes the lines speak of, ascending."""
    return tuple(sorted({box for line in lines for box in line.marks}))


def _in_order(lines: list[_ComparisonLine]) -> list[_ComparisonLine]:
    """The lines as they are shown, so that nothing of what the table thinks of them can be read from their order."""
    boxes = _boxes_of(lines)
    return sorted(lines, key=lambda line: _pattern(line.marks, boxes))
