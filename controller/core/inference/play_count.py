"""The exact number of legal plays of a closed round.

Two plays differ if a box's outcome, the insurance counted, even money or the dealer's cards differ; when a silent move
happened and why chips changed does not count. One play may have many paths of the lattice, so paths are not
counted: plays are spelled box by box, and states that share a spelling are counted as one set.
"""

from __future__ import annotations

from collections.abc import Iterator

from controller.core.game.hand import Outcome, PlayedHand
from controller.core.game.position import EVEN_MONEY, PENDING, Emission, Node, Step
from controller.core.inference import unobserved
from controller.core.inference.lattice import Lattice, Transitions, WindowState, admitted
from controller.core.inference.paths import Graph

_Closing = tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]
"""The dealer's drawn cards, the insurance counted, even money by box."""

_Symbol = tuple[int, Outcome] | _Closing
_Stand = tuple[int, WindowState]
"""The level of the graph and a state of it."""

_Place = tuple[_Stand | None, tuple[_Symbol, ...]]
"""A state (None: the play is spelled to its end) and what is still to be spelled before it."""


class PlayCounter:
    """Counts the plays of one reconstruction."""

    def __init__(self, lattice: Lattice, hole_points: int | None, *, closed: bool = True) -> None:
        self.graph = Graph(lattice)
        self.play = self.graph.play
        self.answers = lattice.answers
        self.closed = closed
        self.hole_points = hole_points
        self.spellings: dict[_Stand, dict[_Symbol, frozenset[_Place]]] = {}
        self.counts: dict[frozenset[_Place], int] = {}

    def plays(self) -> int:
        """The exact number."""
        depth = len(self.graph.levels)
        for state in self.graph.last:
            self.spellings[depth, state] = self.closing(state)
        while depth:
            for state, ways in self.graph.levels[depth - 1].items():
                self.spellings[depth - 1, state] = self.spelled(depth, ways)
            depth -= 1
        return self.count(frozenset({((0, self.graph.start), ())}))

    def closing(self, state: WindowState) -> dict[_Symbol, frozenset[_Place]]:
        """What a state at the end of the evidence may spell: the boxes not yet spelled, then the dealer's hand."""
        layout = self.graph.layout
        spelled: dict[_Symbol, set[_Place]] = {}
        ways = unobserved.endings_with_outages(self.play, state[1], layout) if self.closed else self.so_far(state[1])
        for node, emitted in ways:
            holds = self.hole_points is None or node.hole >> self.hole_points & 1
            if holds and admitted(self.answers, emitted if self.closed else ()):
                counted = layout.insured if node.offers and self.play.offered_zone else node.insured
                insured = counted if any(counted) else ()
                paid = tuple(box.kind is EVEN_MONEY for box in node.boxes)
                symbols: tuple[_Symbol, ...] = (*emitted, (node.dealers(), insured, paid))
                spelled.setdefault(symbols[0], set()).add((None, symbols[1:]))
        return {symbol: frozenset(places) for symbol, places in spelled.items()}

    def so_far(self, node: Node) -> Iterator[Step]:
        """An open round as it stands: silent moves after the last evidence are not counted."""
        emitted: list[Emission] = []
        if node.dealt == self.play.deal_cards:
            for box in range(node.acting, self.play.boxes):
                kind = node.boxes[box].kind
                begun = tuple(PlayedHand(hand.cards, hand.base, hand.extra) for hand in node.hands)
                initial = (PlayedHand(self.play.deal.initial[box], self.play.deal.wagers[box], 0),)
                if kind is not PENDING:
                    emitted.append((box, self.play.undecided_outcome(box, kind)))
                else:
                    emitted.append((box, Outcome("played", begun if box == node.acting else initial)))
        yield node, tuple(emitted)

    def spelled(self, depth: int, ways: Transitions) -> dict[_Symbol, frozenset[_Place]]:
        """What may be spelled next over any of these ways to the level ``depth``."""
        if len(ways) == 1 and not ways[0][0]:
            return self.spellings[depth, ways[0][1]]
        spelled: dict[_Symbol, set[_Place]] = {}
        for emitted, target in ways:
            if emitted:
                spelled.setdefault(emitted[0], set()).add(((depth, target), emitted[1:]))
                continue
            for symbol, places in self.spellings[depth, target].items():
                spelled.setdefault(symbol, set()).update(places)
        return {symbol: frozenset(places) for symbol, places in spelled.items()}

    def count(self, places: frozenset[_Place]) -> int:
        """How many different spellings lead from any of these places to the end of the round."""
        known = self.counts.get(places)
        if known is not None:
            return known
        following: dict[_Symbol, set[_Place]] = {}
        ended = 0
        for state, rest in places:
            if rest:
                following.setdefault(rest[0], set()).add((state, rest[1:]))
            elif state is None:
                ended = 1
            else:
                for symbol, onward in self.spellings[state].items():
                    following.setdefault(symbol, set()).update(onward)
        number = ended + sum(self.count(frozenset(onward)) for onward in following.values())
        self.counts[places] = number
        return number
