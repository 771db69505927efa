"""The exact number of legal plays of a closed round.

Two plays differ if a box's outcome, the insurance counted, even money or the dealer's cards differ; when a silent move
happened and why chips changed does not count. One play may be told by many paths of the lattice, so paths are not
counted: plays are spelled box by box, and states that share a spelling are counted as one set.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from controller.core import darkness
from controller.core.hand import Outcome, PlayedHand
from controller.core.play import Emission, Kind, Node, Step
from controller.core.reconstruction import (
    Reconstruction,
    Weave,
    admitted,
)

State = tuple[int, Node]
"""The evidence used up (as bits) and where the round stands."""

Closing = tuple[tuple[int, ...], tuple[int, ...], tuple[bool, ...]]
"""The dealer's drawn cards, the insurance counted, even money by box."""

Symbol = tuple[int, Outcome] | Closing
Place = tuple[State | None, tuple[Symbol, ...]]
"""A state (None: the play is told to its end) and what is still to be spelled before it."""


Label = TypeVar("Label")

Ways = list[tuple[tuple[Emission, ...], State]]


class Graph:
    """Every state of a closed or open round's evidence, from its first card on, and the ways between them."""

    def __init__(self, found: Reconstruction) -> None:
        self.play = found.play()
        self.weave = Weave(self.play, found.evidence, found.cuts[0].contents, found.answers, found.silences)
        self.start: State = (0, next(iter(found.cuts[0].frontier)))
        self.levels: list[dict[State, Ways]] = []
        current: set[State] = {self.start}
        for _ in self.weave.window:
            edges = {state: self.onward(state) for state in current}
            self.levels.append(edges)
            current = {target for ways in edges.values() for _, target in ways}
        self.last = current
        self.layout = self.weave.layout(self.weave.full)

    def onward(self, state: State) -> Ways:
        """Every next state, with the boxes that finish on the way."""
        mask, node = state
        enabled = list(self.weave.enabled(mask))
        if node.paying and self.weave.paid_through(mask, node):
            # Payment explains every change of chips that is left: one order of them stands for all.
            return [((), (mask | 1 << enabled[0], node))] if enabled else []
        layout = self.weave.layout(mask)
        ways: Ways = []
        for index in enabled:
            for reached, emitted in darkness.ways(self.play, node, self.weave.window[index].item, layout):
                if admitted(self.weave.answers, emitted):
                    ways.append((emitted, (mask | 1 << index, reached)))
        return ways

    def tales(self, hole_points: int, label: Callable[[int, Outcome], Label]) -> set[tuple[tuple[Label, ...], Node]]:
        """The complete plays, told only by a label for each box and where the round ended."""
        told: dict[State, set[tuple[Label, ...]]] = {self.start: {()}}
        for edges in self.levels:
            following: dict[State, set[tuple[Label, ...]]] = {}
            for state, tales in told.items():
                for emitted, target in edges[state]:
                    labels = tuple(label(box, outcome) for box, outcome in emitted)
                    more = {(*tale, *labels) for tale in tales} if labels else tales
                    following.setdefault(target, set()).update(more)
            told = following
        ended: set[tuple[tuple[Label, ...], Node]] = set()
        for (_, node), tales in told.items():
            for reached, emitted in darkness.ended_ways(self.play, node, self.layout):
                if reached.hole >> hole_points & 1 and admitted(self.weave.answers, emitted):
                    labels = tuple(label(box, outcome) for box, outcome in emitted)
                    ended.update(((*tale, *labels), reached) for tale in tales)
        return ended


class Census:
    """Counts the plays of one reconstruction."""

    def __init__(self, found: Reconstruction, hole_points: int | None, *, closed: bool = True) -> None:
        self.graph = Graph(found)
        self.play = self.graph.play
        self.answers = found.answers
        self.closed = closed
        self.hole_points = hole_points
        self.spellings: dict[State, dict[Symbol, frozenset[Place]]] = {}
        self.counts: dict[frozenset[Place], int] = {}

    def plays(self) -> int:
        """The exact number."""
        for state in self.graph.last:
            self.spellings[state] = self.closing(state)
        for edges in reversed(self.graph.levels):
            for state, ways in edges.items():
                self.spellings[state] = self.spelled(ways)
        return self.count(frozenset({(self.graph.start, ())}))

    def closing(self, state: State) -> dict[Symbol, frozenset[Place]]:
        """What a state at the end of the evidence may spell: the boxes not yet told, then the dealer's hand."""
        layout = self.graph.layout
        spelled: dict[Symbol, set[Place]] = {}
        for node, emitted in darkness.ended_ways(self.play, state[1], layout) if self.closed else self.so_far(state[1]):
            holds = self.hole_points is None or node.hole >> self.hole_points & 1
            if holds and admitted(self.answers, emitted if self.closed else ()):
                insured = layout.insured if node.offers and self.play.offered_zone else node.insured
                paid = tuple(box.kind is Kind.EVEN_MONEY for box in node.boxes)
                symbols: tuple[Symbol, ...] = (*emitted, (node.drawn, insured, paid))
                spelled.setdefault(symbols[0], set()).add((None, symbols[1:]))
        return {symbol: frozenset(places) for symbol, places in spelled.items()}

    def so_far(self, node: Node) -> Iterator[Step]:
        """An open round as it stands: silent moves after the last evidence are not counted."""
        emitted: list[Emission] = []
        if node.dealt == self.play.deal_cards:
            for box in range(node.turn, self.play.boxes):
                kind = node.boxes[box].kind
                begun = tuple(PlayedHand(hand.cards, hand.base, hand.extra) for hand in node.hands)
                initial = (PlayedHand(self.play.deal.initial[box], self.play.deal.wagers[box], 0),)
                if kind is not Kind.PENDING:
                    emitted.append((box, self.play.untouched(box, kind)))
                else:
                    emitted.append((box, Outcome("played", begun if box == node.turn else initial)))
        yield node, tuple(emitted)

    def spelled(self, ways: list[tuple[tuple[Emission, ...], State]]) -> dict[Symbol, frozenset[Place]]:
        """What may be spelled next over any of these ways."""
        spelled: dict[Symbol, set[Place]] = {}
        for emitted, target in ways:
            if emitted:
                spelled.setdefault(emitted[0], set()).add((target, emitted[1:]))
                continue
            for symbol, places in self.spellings[target].items():
                spelled.setdefault(symbol, set()).update(places)
        return {symbol: frozenset(places) for symbol, places in spelled.items()}

    def count(self, places: frozenset[Place]) -> int:
        """How many different spellings lead from any of these places to the end of the round."""
        known = self.counts.get(places)
        if known is not None:
            return known
        following: dict[Symbol, set[Place]] = {}
        told = 0
        for state, rest in places:
            if rest:
                following.setdefault(rest[0], set()).add((state, rest[1:]))
            elif state is None:
                told = 1
            else:
                for symbol, onward in self.spellings[state].items():
                    following.setdefault(symbol, set()).update(onward)
        number = told + sum(self.count(frozenset(onward)) for onward in following.values())
        self.counts[places] = number
        return number
