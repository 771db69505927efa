"""Whether evidence leaves any legal play: the lattice of ``lattice.py`` with nothing kept but where it stands.

Who only asks whether there is a play needs neither what the boxes did nor the ways between the nodes; and many accounts
that differ in one piece of evidence come to the same nodes, whose ways on are asked of the rules only once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, NamedTuple

from controller.core.game.play import Play
from controller.core.game.position import Box, BoxStatus, Node
from controller.core.game.rules import Rules
from controller.core.inference import successors
from controller.core.inference.evidence_window import Window
from controller.core.inference.lattice import (
    SEQUENCES_LIMIT,
    PlayAnswer,
    admitted,
    game_before_deal,
    game_with_cards,
    rewound,
)
from controller.core.inference.observation import (
    CardObserved,
    ChipsObserved,
    DatedObservation,
    Layout,
    Observation,
    slackened,
)

_Contents = dict[tuple[int, str], int]
"""What lies in each zone that changed."""

_Onward = dict[Node, tuple[Node, ...]]
"""The nodes that may follow each node by one piece of evidence."""


_Nodes = frozenset[Node]


_PIECE_WORK: Final = 8
"""What weighing a piece of evidence takes, in nodes looked up."""

_ASKED_WORK: Final = 6
"""What asking the rules for the ways on from a node takes, in nodes looked up, and as much again for each way."""


class SearchExhausted(Exception):  # noqa: N818 - a limit, caught where the search began
    """The search has weighed as much as it may."""


class SuccessorCache:
    """The ways on that were asked of the rules already, and how much work may still be done."""

    def __init__(self, work: int | None = None) -> None:
        self.left = work
        """Work that may still be done; None: any amount."""
        self.layouts: dict[tuple[int, str, tuple[int, ...]], tuple[_Contents, Layout]] = {}
        self.known: dict[tuple[Play, Observation, Layout], dict[Node, tuple[Node, ...]]] = {}

    def spend(self, work: int) -> None:
        """Do some work.

        Raises:
            SearchExhausted: that is more than is left.
        """
        if self.left is not None:
            self.left -= work
            if self.left < 0:
                raise SearchExhausted

    def layout(self, play: Play, contents: _Contents) -> Layout:
        """What lies on the layout; the same contents are asked for again and again."""
        key = (id(contents), play.offered_zone, play.deal.wagers)
        if key not in self.layouts:
            # The contents are kept with what they come to, so that their identity stays their own.
            self.layouts[key] = contents, successors.layout_of(play, contents)
        return self.layouts[key][1]

    def follow(self, step: tuple[Play, Observation, Layout], answers: tuple[PlayAnswer, ...], nodes: _Nodes) -> _Nodes:
        """The nodes that may follow others by one piece of evidence.

        Raises:
            SearchExhausted: that is more work than is left.
        """
        known = self.known.setdefault(step, {})
        self.spend(_PIECE_WORK + len(nodes))
        for node in nodes - known.keys():
            play, item, layout = step
            steps = successors.successors(play, node, item, layout)
            known[node] = tuple(to for to, emitted in steps if not emitted or admitted(answers, emitted))
            self.spend(_ASKED_WORK * (1 + len(known[node])))
        return frozenset().union(*(known[node] for node in nodes))


class _Stand(NamedTuple):
    """Where a round may stand after the first ``used`` pieces of evidence, if nothing later can belong before them."""

    used: int
    last_ns: int
    nodes: _Nodes
    contents: _Contents


class Trace(NamedTuple):
    """A round's evidence, and where it may stand. Immutable: ``observe`` gives a new one."""

    game: Play
    """The game with the cards dealt so far."""
    answers: tuple[PlayAnswer, ...]
    evidence: tuple[DatedObservation, ...]
    cards: tuple[int, ...]
    stands: tuple[_Stand, ...]

    @classmethod
    def begin(
        cls, rules: Rules, wagers: tuple[int, ...], contents: _Contents, answers: tuple[PlayAnswer, ...]
    ) -> Trace:
        """A round before its first card, as ``Lattice.begin`` has it."""
        game = game_before_deal(rules, wagers, answers)
        return cls(game, answers, (), (), (_Stand(0, -1, frozenset((game.begin(),)), contents),))

    @property
    def nodes(self) -> _Nodes:
        """Where the round may stand now; none: there is no legal play."""
        return self.stands[-1].nodes

    def dealing(self) -> bool:
        """Whether cards of the deal have come and nothing else: they keep their order whatever their times say."""
        pure = len(self.evidence) == len(self.cards) < self.game.deal_cards
        return pure and not self.game.rules.options.key_slack

    def dealt(self, cards: list[DatedObservation]) -> Trace:
        """While ``dealing``: with more cards that do not complete the deal."""
        codes, stands = list(self.cards), list(self.stands)
        for dated in cards:
            assert isinstance(dated.item, CardObserved)
            codes.append(dated.item.card)
            nodes = _during_deal(self.game.boxes, len(codes))
            last_ns = max(stands[-1].last_ns, dated.last_ns)
            stands.append(_Stand(stands[-1].used + 1, last_ns, nodes, stands[-1].contents))
        return self._replace(evidence=(*self.evidence, *cards), cards=tuple(codes), stands=tuple(stands))

    def observe(self, dated: DatedObservation, ways: SuccessorCache) -> Trace | None:
        """The round with one more piece of evidence; None if its times leave too much open.

        Raises:
            SearchExhausted: that is more work than is left.
        """
        slack = self.game.rules.options.key_slack
        evidence = slackened(self.evidence, dated) if slack else (*self.evidence, dated)
        game, cards = self.game, self.cards
        if isinstance(dated.item, CardObserved):
            cards = (*cards, dated.item.card)
            game = game_with_cards(game, cards)
        kept = rewound(self.stands, self.evidence, evidence)
        stand = kept[-1]
        window = evidence[stand.used :]
        if len(window) == 1 and not isinstance(dated.item, ChipsObserved):
            step = (game, dated.item, ways.layout(game, stand.contents))
            new = _Stand(len(evidence), dated.last_ns, ways.follow(step, self.answers, stand.nodes), stand.contents)
        else:
            walk = _FeasibilityWalk(game, window, stand.contents)
            nodes = walk.run(stand.nodes, self.answers, ways)
            if nodes is None:
                return None
            last_ns = max(stand.last_ns, *(late.last_ns for late in window))
            new = _Stand(len(evidence), last_ns, nodes, walk.contents_after(walk.full))
        return self._replace(game=game, evidence=evidence, cards=cards, stands=(*kept, new))

    def layout(self) -> Layout:
        """What lies on the layout when all of the evidence has happened."""
        return successors.layout_of(self.game, self.stands[-1].contents)

    def may_end(self, hole_points: Iterable[int]) -> bool:
        """Whether some play is complete with a hole card of one of these values (none: no hole card is dealt)."""
        layout = self.layout()
        holes = sum(1 << points for points in hole_points)
        return any(
            reached.hole & (holes or reached.hole) and admitted(self.answers, emitted)
            for node in self.nodes
            for reached, emitted in successors.endings(self.game, node, layout)
        )


@lru_cache(maxsize=256)
def _during_deal(boxes: int, dealt: int) -> _Nodes:
    """Where a round stands in the middle of its deal."""
    return frozenset((Node(dealt, 0, (), (Box(BoxStatus.PENDING),) * boxes, offers=False),))


class _FeasibilityWalk(Window):
    """The walk over all sequences of a window of evidence, as the lattice's own goes it."""

    def run(self, start: _Nodes, answers: tuple[PlayAnswer, ...], ways: SuccessorCache) -> _Nodes | None:
        """The nodes after all of the window; None: its times leave too much open."""
        ended: set[Node] = set()
        level: dict[int, set[Node]] = {0: {*start}}
        visited = 0
        for _ in self.window:
            visited += len(level)
            if visited > SEQUENCES_LIMIT:
                return None
            level = self.advance(level, ended, answers, ways)
        return frozenset(ended | level.get(self.full, set()))

    def advance(
        self, level: dict[int, set[Node]], ended: set[Node], answers: tuple[PlayAnswer, ...], ways: SuccessorCache
    ) -> dict[int, set[Node]]:
        """One more piece of evidence in every possible way."""
        following: dict[int, set[Node]] = {}
        for mask, nodes in level.items():
            # Payment explains every change of chips that is left: their order does not matter.
            paid = {node for node in nodes if node.paying and self.paid_through(mask, node)}
            ended |= paid
            left = frozenset(nodes - paid)
            if not left:
                continue
            layout = ways.layout(self.play, self.contents_after(mask))
            for index in self.enabled(mask):
                onward = ways.follow((self.play, self.window[index].item, layout), answers, left)
                following.setdefault(mask | 1 << index, set()).update(onward)
        return following


_Lying = dict[tuple[int, str], int]
"""What lies in zones whose content is not the wager."""


class SearchMemory:
    """What the last search worked out, and the one that is going on; what neither needed is forgotten."""

    def __init__(self) -> None:
        self.hopeless: tuple[object, ...] = ()
        """Of what the last search, which nothing but chips, answers and the close can help, was made."""
        self.beginnings: dict[tuple[object, ...], Trace] = {}
        self.before: dict[tuple[int, DatedObservation], tuple[Trace, Trace | None]] = {}
        self.now: dict[tuple[int, DatedObservation], tuple[Trace, Trace | None]] = {}

    def next_search(self) -> None:
        """A search begins."""
        self.before, self.now = self.now, {}

    def begun(self, rules: Rules, wagers: tuple[int, ...], lying: _Lying, answers: tuple[PlayAnswer, ...]) -> Trace:
        """A round before its first card. ``rules`` are the same in all searches."""
        key = wagers, tuple(sorted(lying.items())), answers
        if key not in self.beginnings:
            self.beginnings[key] = Trace.begin(rules, wagers, lying, answers)
        return self.beginnings[key]

    def observed(self, found: Trace, dated: DatedObservation, ways: SuccessorCache) -> Trace | None:
        """A round with one more piece of evidence; None if its times leave too much open."""
        key = id(found), dated
        known = self.now.get(key) or self.before.get(key)
        if known is None:
            # The round is kept with what it comes to, so that its identity stays its own.
            known = found, found.observe(dated, ways)
        self.now[key] = known
        return known[1]
