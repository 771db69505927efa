"""Every legal play of a round as a graph: the states it may have stood in, and the ways between them.

The lattice keeps the ways it has walked, cut by cut; here they are strung together, so that what needs whole plays and
not only where they end (their number, the best question, what an answer leaves) walks them again without asking the
rules again.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from controller.core.game.position import Node, Step
from controller.core.inference.lattice import (
    Frontier,
    Lattice,
    LatticePrefix,
    Level,
    OutcomesByBox,
    PlayAnswer,
    WindowState,
    admitted,
    join,
    with_finished_boxes,
)
from controller.core.inference.unobserved import endings_with_outages


class Graph:
    """The states of a round's evidence from its first card on, level by level, and those where it stands now."""

    def __init__(self, lattice: Lattice) -> None:
        self.play = lattice.game
        self.answers = lattice.answers
        self.start: WindowState = (0, next(iter(lattice.cuts[0].frontier)))
        self.levels = [level for cut in lattice.cuts[1:] for level in _unbroken(cut)]
        self.last: list[WindowState] = [(0, node) for node in lattice.frontier]
        self.layout = lattice.last_layout()

    def endings(self, node: Node, hole_points: int | None = None) -> Iterator[Step]:
        """The complete plays a node where the evidence ends may be, where the answers allow them."""
        for reached, emitted in endings_with_outages(self.play, node, self.layout):
            if (hole_points is None or reached.hole >> hole_points & 1) and admitted(self.answers, emitted):
                yield reached, emitted

    def reaching(self, goal: set[WindowState]) -> list[Level]:
        """The levels with only those states and ways that lead to one of these last states."""
        levels: list[Level] = []
        for level in reversed(self.levels):
            kept = {state: [way for way in onward if way[1] in goal] for state, onward in level.items()}
            levels.append({state: onward for state, onward in kept.items() if onward})
            goal = set(levels[-1])
        levels.reverse()
        return levels


def _unbroken(cut: LatticePrefix) -> Iterator[Level]:
    """The levels of a cut, with a way on at each for what had come through all its evidence before the last."""
    through: list[WindowState] = []
    for depth, level in enumerate(cut.levels):
        waits: Level = {state: [((), state)] for state in through}
        yield {**level, **waits} if waits else level
        if depth + 1 < len(cut.levels):
            through.extend({state for onward in level.values() for _, state in onward if state[0] == 0})


def narrowed(lattice: Lattice, answers: tuple[PlayAnswer, ...]) -> Lattice:
    """The round with more answers than it had: of the ways walked only those that they allow.

    Raises:
        TooManySequences: the times leave too much open.
    """
    if any(answer.surrendered for answer in answers if answer not in lattice.answers):
        # Who is said to have surrendered need not have shown it: there are ways that have not been walked.
        return lattice.replayed_with(answers)
    cuts = [lattice.cuts[0]]
    for cut in lattice.cuts[1:]:
        reached: dict[WindowState, OutcomesByBox] = {
            (0, node): outcomes for node, outcomes in cuts[-1].frontier.items()
        }
        kept: list[Level] = []
        for level in _unbroken(cut):
            following: dict[WindowState, OutcomesByBox] = {}
            walked: Level = {}
            for state, outcomes in reached.items():
                onward = [way for way in level.get(state, ()) if not way[0] or admitted(answers, way[0])]
                walked[state] = onward
                for emitted, target in onward:
                    join(following, target, with_finished_boxes(outcomes, emitted))
            kept.append(walked)
            reached = following
        frontier: Frontier = {node: outcomes for (_, node), outcomes in reached.items()}
        cuts.append(replace(cut, frontier=frontier, levels=tuple(kept)))
    return replace(lattice, cuts=tuple(cuts), answers=answers)
