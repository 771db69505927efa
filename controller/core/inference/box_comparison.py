"""A question about several boxes at once: lines of card counts, of which one key picks the line that lies on the felt.

It is grown like a tree: a line that still leaves several dues is distinguished by one box more, until every line leaves
one or the display is full. So one look answers what would take a question for each box.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final, NamedTuple

from controller.core.inference.outcome_classes import OutcomeClass, VisibleBox

_BOXES_LIMIT: Final = 4
"""Boxes that one look compares."""

_LINES_LIMIT: Final = 9
"""Lines that one digit key picks from; none of them is 0."""

_COLUMNS: Final = 20
_ROWS: Final = 4
"""The smallest display of the keypads' family that holds a whole text; one of two rows of 40 holds it too."""

ANY: Final = "*"
SURRENDERED: Final = "s"
_DIGITS: Final = 10


class ComparisonLine(NamedTuple):
    """One line: what lies at some boxes (by box, as ``box_mark`` writes it), and the classes that have it so."""

    marks: dict[int, str]
    classes: list[OutcomeClass]
    dues: int
    """How many different sets of dues it leaves."""
    open: int
    """How likely it is that it is the line and something stays open; 0 if nothing does."""

    @classmethod
    def of(cls, marks: dict[int, str], classes: list[OutcomeClass]) -> ComparisonLine:
        """The line of these classes."""
        dues = different_dues(classes)
        return cls(marks, classes, dues, sum([outcome_class.weight for outcome_class in classes]) if dues > 1 else 0)


class _Partings(NamedTuple):
    """How the lines of one comparison can be distinguished, as far as that was asked: each is asked again and again."""

    known: dict[tuple[frozenset[tuple[int, str]], int], list[ComparisonLine]]
    """The parts of a line, by its marks and the box."""

    def by(self, line: ComparisonLine, box: int) -> list[ComparisonLine]:
        """The parts of a line by what lies at a box; empty where that says nothing, or cannot be shown."""
        key = frozenset(line.marks.items()), box
        parts = self.known.get(key)
        if parts is None:
            parts = self.known[key] = _parts(line, box)
        return parts


def _parts(line: ComparisonLine, box: int) -> list[ComparisonLine]:
    """The same, worked out."""
    classes: dict[str, list[OutcomeClass]] = {}
    for outcome_class in line.classes:
        classes.setdefault(box_mark(outcome_class.sights[box]), []).append(outcome_class)
    if len(classes) == 1 or "" in classes:
        return []
    return [ComparisonLine.of({**line.marks, box: sight}, classes[sight]) for sight in sorted(classes)]


_Measure = Callable[[list[ComparisonLine]], tuple[int, int]]
"""How good it is to have a line in these parts: less is better."""


def different_dues(classes: list[OutcomeClass]) -> int:
    """How many different sets of dues these classes have."""
    return len({outcome_class.dues for outcome_class in classes})


@lru_cache(maxsize=4096)
def box_mark(sight: VisibleBox) -> str:
    """A box as a line shows it: its number of cards, ``(23)`` for split hands, ``s`` if it surrendered.

    Empty where a hand has too many cards for one digit.
    """
    if sight.surrendered:
        return SURRENDERED
    if max(sight.cards) >= _DIGITS:
        return ""
    counts = "".join(map(str, sight.cards))
    return counts if len(sight.cards) == 1 else f"({counts})"


def _pattern(marks: dict[int, str], boxes: tuple[int, ...]) -> str:
    """A line as people read it."""
    return "".join(marks.get(box, ANY) for box in boxes)


def comparison_text(head: str, patterns: tuple[str, ...]) -> str:
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


def best_comparison(classes: list[OutcomeClass]) -> list[ComparisonLine]:
    """The lines of the best comparison found, or a single line if nothing can be distinguished.

    First the worst line is always distinguished. Then once more: no line may come out worse, and within that it is the
    line under which something most likely stays open. Both by each measure of what a box tells; the best counts.
    """
    whole, parted = ComparisonLine.of({}, classes), _Partings({})
    best = [whole]
    for measure in (_by_dues, _by_likelihood):
        lines = _distinguished(whole, 0, measure, parted)
        worst = max(line.dues for line in lines)
        best = min(best, lines, key=_badness)
        if worst > 1:
            best = min(best, _distinguished(whole, worst, measure, parted), key=_badness)
    return best


def _by_dues(parts: list[ComparisonLine]) -> tuple[int, int]:
    """What parts of a line leave, less is better: the dues taken together, then what likely stays open."""
    return sum(part.dues for part in parts), sum(part.open for part in parts)


def _by_likelihood(parts: list[ComparisonLine]) -> tuple[int, int]:
    """What parts of a line leave, less is better: how many dues too many it likely is, then the dues taken together."""
    return sum(part.open * (part.dues - 1) for part in parts), sum(part.dues for part in parts)


def _badness(lines: list[ComparisonLine]) -> tuple[int, int]:
    """How good a comparison is, less is better: the most dues that a line leaves, and what most likely stays open."""
    return max(line.dues for line in lines), sum(line.open for line in lines)


def _distinguished(whole: ComparisonLine, bearable: int, measure: _Measure, parted: _Partings) -> list[ComparisonLine]:
    """Lines grown from a single one.

    Those that leave more dues than ``bearable`` are distinguished first, the worst first; then the likeliest to stay
    open.
    """
    lines = [whole]
    more: list[ComparisonLine] | None = lines
    while more is not None:
        lines = more
        open_now = [line for line in lines if line.dues > 1]
        open_now.sort(key=lambda line: (-line.dues if line.dues > bearable else 0, -line.open))
        more = next(filter(None, (_with_parts(lines, line, measure, parted) for line in open_now)), None)
    return lines


def _with_parts(
    lines: list[ComparisonLine], line: ComparisonLine, measure: _Measure, parted: _Partings
) -> list[ComparisonLine] | None:
    """The lines with one of them distinguished by one box more; None if that helps nothing or does not fit."""
    used = {box for one in lines for box in one.marks}
    boxes = range(len(line.classes[0].sights))
    allowed = [box for box in boxes if box not in line.marks and (box in used or len(used) < _BOXES_LIMIT)]
    parts = _best_parts(line, allowed, measure, parted)
    at = lines.index(line)
    more = [*lines[:at], *parts, *lines[at + 1 :]]
    return more if parts and _fits(more) else None


def _best_parts(line: ComparisonLine, boxes: list[int], measure: _Measure, parted: _Partings) -> list[ComparisonLine]:
    """A line distinguished by the one box whose parts measure least; empty if no box helps."""
    best: tuple[tuple[int, int, int], list[ComparisonLine]] | None = None
    for box in boxes:
        parts = parted.by(line, box)
        if not parts:
            continue
        rank = *measure(parts), box
        if min(part.dues for part in parts) < line.dues and (best is None or rank < best[0]):
            best = rank, parts
    return [] if best is None else best[1]


def _fits(lines: list[ComparisonLine]) -> bool:
    """Whether one key can pick the line and the display can show them all."""
    if len(lines) > _LINES_LIMIT:
        return False
    boxes = boxes_of(lines)
    text = comparison_text("", tuple(_pattern(line.marks, boxes) for line in lines))
    return len(text) <= _ROWS * _COLUMNS


def boxes_of(lines: list[ComparisonLine]) -> tuple[int, ...]:
    """The boxes the lines speak of, ascending."""
    return tuple(sorted({box for line in lines for box in line.marks}))


def in_order(lines: list[ComparisonLine]) -> list[ComparisonLine]:
    """The lines as they are shown, so that nothing of what the table thinks of them can be read from their order."""
    boxes = boxes_of(lines)
    return sorted(lines, key=lambda line: _pattern(line.marks, boxes))
