"""All legal plays of a round at once, as a lattice: nodes with the same future are one.

Evidence is ordered only as far as its times order it: a change of chips lies anywhere in its interval, cards keep their
order. So the lattice is walked over every sequence that the times allow (the downward closed sets of the evidence), and
a late reading rewinds to the last cut that lies before everything it may belong to.

What a box did is kept beside the node as the set of its possible outcomes. That is enough for money: a wager's net
depends on its own box and on the dealer, never on what another box did. The exact number of plays needs more and is
taken by ``play_count.py`` when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache
from itertools import accumulate
from operator import is_not
from typing import Final, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from controller.core.game.hand import Outcome, initial_hands, place_of
from controller.core.game.play import Play
from controller.core.game.position import ANY_HOLE, Deal, Emission, Node, Step
from controller.core.game.rules import Rules
from controller.core.inference.evidence_window import Window
from controller.core.inference.observation import (
    NEVER_ENDS,
    CardObserved,
    ChipsObserved,
    DatedObservation,
    Layout,
    Observation,
    slackened,
)
from controller.core.inference.successors import layout_of
from controller.core.inference.unobserved import (
    Outage,
    endings_with_outages,
    layout_with_outages,
    outage_periods,
    successors_with_outages,
)
from firmware_protocols.values import Value

SEQUENCES_LIMIT: Final = 4_000
"""Sets of evidence a single rewind may visit; far above what readers a second behind produce. Beyond it the round goes
to the floor rather than stall the table."""

MOST_STATES: Final = 5_000
"""As many states of a window are walked where something went unseen: more take seconds."""

OutcomesByBox = tuple[frozenset[Outcome], ...]
"""The possible outcomes of each box; empty for a box that has not finished."""

Frontier = dict[Node, OutcomesByBox]

WindowState = tuple[int, Node]
"""Which evidence of a window has happened (as bits; 0 also when all of it has) and where the round then stands."""

Transitions = list[tuple[tuple[Emission, ...], WindowState]]
"""The ways on from a state by one more piece of evidence: the boxes that finish, and the state reached."""

Level = dict[WindowState, Transitions]
"""The ways on from every state in which equally many pieces of a window's evidence have happened."""


class PlayAnswer(Value, frozen=True, tag=False):
    """What a person said of a box's play; a field that is None was not spoken of. Hard until corrected."""

    box: int
    hand: int = 0
    cards: int | None = None
    """How many cards hand ``hand`` has."""
    doubled: bool | None = None
    hands: int | None = None
    surrendered: bool | None = None
    holds: int | None = None
    """The place of a card that is the box's."""
    lacks: int | None = None
    """The place of a card that is not."""

    def fits(self, outcome: Outcome) -> bool:
        """Whether a box that ended so agrees with the answer."""
        hands = outcome.hands
        own = {place_of(card) for hand in hands for card in hand.cards}
        return (
            (self.holds is None or self.holds in own)
            and (self.lacks is None or self.lacks not in own)
            and (self.cards is None or (self.hand < len(hands) and len(hands[self.hand].cards) == self.cards))
            and (self.doubled is None or any(hand.extra_cents for hand in hands) == self.doubled)
            and (self.hands is None or len(hands) == self.hands)
            and (self.surrendered is None or (outcome.how == "surrendered") == self.surrendered)
        )


def admitted(answers: tuple[PlayAnswer, ...], emitted: tuple[Emission, ...]) -> bool:
    """Whether the answers allow these boxes to end so."""
    return not answers or all(
        answer.fits(outcome) for box, outcome in emitted for answer in answers if answer.box == box
    )


class LatticePrefix(msgspec.Struct, frozen=True):
    """Everything known after the first ``used`` pieces of evidence, if nothing later can belong before it."""

    used: int
    cards: int
    """How many of these pieces are cards."""
    last_ns: int
    frontier: Frontier
    contents: dict[tuple[int, str], int]
    levels: tuple[Level, ...] = ()
    """Every way from the cut before to this one."""

    @property
    def states(self) -> int:
        """How many states the walk from the cut before went through."""
        return sum(map(len, self.levels))


class TooManySequences(Exception):  # noqa: N818 - a limit, caught where the round is judged
    """The evidence leaves more sequences open than ``SEQUENCES_LIMIT``."""


_ANY_TIME: Final = (0, NEVER_ENDS)

_Way = tuple[Observation, tuple[int, int], int, int]
"""A piece of evidence, the first and the last moment at which it may happen, and what has happened with it: as a mask,
and as a state of the window has it."""


class _SequenceWalk(Window):
    """The walk over all sequences of a window of evidence."""

    def __init__(
        self,
        play: Play,
        window: tuple[DatedObservation, ...],
        contents: dict[tuple[int, str], int],
        answers: tuple[PlayAnswer, ...] = (),
        outages: tuple[Outage, ...] = (),
    ) -> None:
        super().__init__(play, window, contents, outages)
        self.answers = answers
        self.levels: list[Level] = []

    def run(self, start: Frontier, most_states: int = 0) -> Frontier:
        """The nodes after all of the window, in any sequence that its times allow.

        Raises:
            TooManySequences: these are too many, or there are more states than ``most_states`` (0: any number).
        """
        ended: Frontier = {}
        level: dict[int, Frontier] = {0: start}
        visited = states = 0
        for _ in self.window:
            visited += len(level)
            states += sum(map(len, level.values())) if most_states else 0
            if visited > SEQUENCES_LIMIT or states > most_states:
                raise TooManySequences
            level = self.advance(level, ended)
        _merge_all(ended, level.get(self.full, {}))
        return ended

    def advance(self, level: dict[int, Frontier], ended: Frontier) -> dict[int, Frontier]:
        """One more piece of evidence in every possible way."""
        following: dict[int, Frontier] = {}
        edges: Level = {}
        self.levels.append(edges)
        for mask, frontier in level.items():
            layout = self.layout(mask)
            ways = [self._way(mask, index) for index in self.enabled(mask)]
            for node, outcomes in frontier.items():
                if node.paying and not node.hidden_chips and self.paid_through(mask, node):
                    # Payment explains every change of chips that is left: their order does not matter.
                    join(ended, node, outcomes)
                    edges[mask, node] = [((), (0, node))]
                    continue
                edges[mask, node] = onward = []
                for item, between, after, place in ways:
                    target = following.setdefault(after, {})
                    for reached, emitted in successors_with_outages(self.play, node, item, layout, between):
                        if not emitted:
                            join(target, reached, outcomes)
                        elif admitted(self.answers, emitted):
                            join(target, reached, with_finished_boxes(outcomes, emitted))
                        else:
                            continue
                        onward.append((emitted, (place, reached)))
        return following

    def _way(self, mask: int, index: int) -> _Way:
        """A piece of evidence that may come next after the evidence in ``mask``."""
        after = mask | 1 << index
        between = self.between(mask, index) if self.outage_periods else _ANY_TIME
        return self.window[index].item, between, after, 0 if after == self.full else after


def with_finished_boxes(outcomes: OutcomesByBox, emitted: tuple[Emission, ...]) -> OutcomesByBox:
    """The outcomes of the boxes once those that ``emitted`` names have finished."""
    if not emitted:
        return outcomes
    boxes = list(outcomes)
    for index, outcome in emitted:
        boxes[index] = _alone(outcome)
    return tuple(boxes)


@lru_cache(maxsize=4096)
def _alone(outcome: Outcome) -> frozenset[Outcome]:
    """The outcome as the only one of its box; of the many plays in which it is, it is the same set."""
    return frozenset((outcome,))


_K = TypeVar("_K")


def join(frontier: dict[_K, OutcomesByBox], place: _K, outcomes: OutcomesByBox) -> None:
    """Add a way to reach ``place``."""
    known = frontier.get(place)
    if known is None:
        frontier[place] = outcomes
    elif known != outcomes:
        frontier[place] = tuple([old if old is new else old | new for old, new in zip(known, outcomes, strict=True)])


def _merge_all(frontier: Frontier, other: Frontier) -> None:
    """Add every way of ``other``."""
    for node, outcomes in other.items():
        join(frontier, node, outcomes)


class _EvidencePrefix(Protocol):
    """How far evidence has been reported, and by when all of that has happened."""

    @property
    def used(self) -> int:
        """The pieces of evidence reported."""

    @property
    def last_ns(self) -> int:
        """The last moment any of them may belong to."""


_R = TypeVar("_R", bound=_EvidencePrefix)


def rewound(
    reached: tuple[_R, ...], before: tuple[DatedObservation, ...], evidence: tuple[DatedObservation, ...]
) -> tuple[_R, ...]:
    """Of what was reached with the evidence ``before`` all that lies before everything new in ``evidence``."""
    earliest = evidence[-1].first_ns
    if any(map(is_not, evidence, before)):
        changed = (new.first_ns for new, old in zip(evidence, before, strict=False) if new is not old)
        earliest = min(earliest, *changed)
    while reached[-1].last_ns >= earliest:
        earliest = min(earliest, *(late.first_ns for late in evidence[reached[-2].used :]))
        reached = reached[:-1]
    return reached


def game_before_deal(rules: Rules, wagers: tuple[int, ...], answers: tuple[PlayAnswer, ...]) -> Play:
    """The game before its first card."""
    given_up = frozenset(answer.box for answer in answers if answer.surrendered)
    return Play(rules, Deal(wagers, tuple(() for _ in wagers), given_up=given_up))


def game_with_cards(game: Play, cards: tuple[int, ...]) -> Play:
    """The game once these cards have left the shoe; cards after the deal do not change it."""
    if len(cards) > game.deal_cards:
        return game
    boxes = game.boxes
    up = cards[boxes] if len(cards) > boxes else 0
    return Play(game.rules, Deal(game.deal.wagers, initial_hands(cards, boxes), up, game.deal.given_up))


def _ends_of_windows(evidence: tuple[DatedObservation, ...]) -> list[int]:
    """How much of the evidence each cut holds before which nothing later belongs, and all of it."""
    ends, earliest_ns = [len(evidence)] if evidence else [], NEVER_ENDS
    until = list(accumulate((dated.last_ns for dated in evidence), max))
    for used in range(len(evidence) - 1, 0, -1):
        earliest_ns = min(earliest_ns, evidence[used].first_ns)
        if until[used - 1] < earliest_ns:
            ends.append(used)
    return ends[::-1]


_INSURANCE_PAID_NS: Final = 2_000_000_000
"""Insurance is not laid, called closed and paid in a shorter time."""

WITH_ANY: Final = 1
"""A bit beside those of the hole card's points: with some hole card, or without one."""


def _holes_of(node: Node, later: Iterable[Step]) -> int:
    """The hole cards, as bits, that some of what may come after a node leaves; ``WITH_ANY`` if anything may."""
    holes, most = 0, WITH_ANY | node.hole
    for reached, _ in later:
        holes |= WITH_ANY | reached.hole
        if holes == most:
            break
    return holes


class Lattice(msgspec.Struct, frozen=True, dict=True):
    """One round's evidence and every legal reading of it.

    Immutable: ``observe`` gives a new one, so what has once been worked out of one (``cached_property``) stays true.
    """

    rules: Rules
    wagers: tuple[int, ...]
    evidence: tuple[DatedObservation, ...]
    cards: tuple[int, ...]
    cuts: tuple[LatticePrefix, ...]
    game: Play
    """The game with the cards dealt so far."""
    answers: tuple[PlayAnswer, ...] = ()
    outages: tuple[Outage, ...] = ()

    @classmethod
    def begin(
        cls,
        rules: Rules,
        wagers: Iterable[int],
        contents: dict[tuple[int, str], int] | None = None,
        answers: tuple[PlayAnswer, ...] = (),
        outages: tuple[Outage, ...] = (),
    ) -> Lattice:
        """A round before its first card; ``wagers`` are the main wagers of the boxes in ascending spot order.

        ``contents`` says what lies in zones whose content is not the wager (a declared box has no chips), ``outages``
        when the readers of boxes reported nothing.
        """
        wagers = tuple(wagers)
        game = game_before_deal(rules, wagers, answers)
        nothing: OutcomesByBox = tuple(frozenset() for _ in wagers)
        return cls(
            rules,
            wagers,
            (),
            (),
            (LatticePrefix(0, 0, -1, {game.begin(): nothing}, contents or {}),),
            game,
            answers,
            outages,
        )

    def replayed_with(self, answers: tuple[PlayAnswer, ...], outages: tuple[Outage, ...] | None = None) -> Lattice:
        """The same evidence with other answers, or other outages of readers, from the beginning.

        Raises:
            TooManySequences: the times leave too much open.
        """
        return self._begun_again(answers, self.outages if outages is None else outages).observe_all(self.evidence)

    def with_unseen(self, outages: tuple[Outage, ...], dated: DatedObservation) -> Lattice | None:
        """The round with one more piece of evidence where outages were found; None: the table would have to wait."""
        evidence = (*self.evidence, dated)
        try:
            if self.rules.options.key_slack:
                return self._begun_again(self.answers, outages).observe_all(evidence, MOST_STATES)
            lattice = self._until_outages(outages, dated)
            for used in _ends_of_windows(evidence):
                if used > len(lattice.evidence):
                    lattice = lattice._walked(lattice.cuts, evidence[:used], MOST_STATES)
        except TooManySequences:
            return None
        return lattice

    def _until_outages(self, outages: tuple[Outage, ...], dated: DatedObservation) -> Lattice:
        """The round with these outages up to its last cut before any that is new, and before a piece of evidence.

        Raises:
            TooManySequences: a window until then has more states than a table works through in time.
        """
        changed = {*self.outages} ^ {*outages}
        earliest_ns = min([dated.first_ns, *(one.from_ns for one in changed)])
        kept = tuple(cut for cut in self.cuts if cut.last_ns < earliest_ns)
        if any(cut.states > MOST_STATES for cut in kept):
            raise TooManySequences
        return self._cut_back(kept, outages)

    def _cut_back(self, kept: tuple[LatticePrefix, ...], outages: tuple[Outage, ...]) -> Lattice:
        """The round as far as the cuts that are kept, with other outages."""
        evidence, cards = self.evidence[: kept[-1].used], self.cards[: kept[-1].cards]
        game = self.game if len(cards) >= self.game.deal_cards else game_with_cards(self.game, cards)
        return Lattice(self.rules, self.wagers, evidence, cards, kept, game, self.answers, outages)

    def with_evidence(self, evidence: tuple[DatedObservation, ...]) -> Lattice | None:
        """The round with this evidence in place of its own, walked only from the last cut before what differs.

        None: the times leave too much open.
        """
        try:
            if self.rules.options.key_slack:
                return self._begun_again(self.answers, self.outages).observe_all(evidence)
            lattice = self._cut_back(self._cuts_before_change(evidence), self.outages)
            for used in _ends_of_windows(evidence):
                if used > len(lattice.evidence):
                    lattice = lattice._walked(lattice.cuts, evidence[:used])
        except TooManySequences:
            return None
        return lattice

    def _cuts_before_change(self, evidence: tuple[DatedObservation, ...]) -> tuple[LatticePrefix, ...]:
        """The cuts before which nothing may belong that differs, as it was or as it is, or comes after that."""
        same = next(
            (at for at, (old, new) in enumerate(zip(self.evidence, evidence, strict=False)) if old is not new),
            min(len(self.evidence), len(evidence)),
        )
        rest = (*self.evidence[same:], *evidence[same:])
        earliest_ns = min((one.first_ns for one in rest), default=NEVER_ENDS)
        return tuple(cut for cut in self.cuts if cut.last_ns < earliest_ns)

    def _begun_again(self, answers: tuple[PlayAnswer, ...], outages: tuple[Outage, ...]) -> Lattice:
        """The round before its first card, with other answers or outages."""
        return Lattice.begin(self.rules, self.wagers, self.cuts[0].contents, answers, outages)

    @property
    def frontier(self) -> Frontier:
        """The nodes where the round may stand now. Empty: no legal play."""
        return self.cuts[-1].frontier

    @property
    def contents(self) -> dict[tuple[int, str], int]:
        """What lies in each zone that changed."""
        return self.cuts[-1].contents

    def observe(self, dated: DatedObservation, most_states: int = 0) -> Lattice:
        """The round with one more piece of evidence; its frontier is empty if no play explains everything.

        Raises:
            TooManySequences: the times leave too much open, or there are more states than this (0: any number).
        """
        slack = self.rules.options.key_slack
        evidence = slackened(self.evidence, dated) if slack else (*self.evidence, dated)
        # Without slack none of it is put in another place.
        kept = rewound(self.cuts, self.evidence if slack else (), evidence)
        return self._walked(kept, evidence, most_states)

    def observe_all(self, evidence: Iterable[DatedObservation], most_states: int = 0) -> Lattice:
        """A round before its first card with all of the evidence, as one piece after another leaves it.

        Each sequence is walked once, for the cuts that later evidence would rewind are left out.

        Raises:
            TooManySequences: the times leave too much open, or a window has more states than this (0: any number).
        """
        pieces, lattice = tuple(evidence), self
        if self.rules.options.key_slack:
            for dated in pieces:
                lattice = lattice.observe(dated)
            return lattice
        for used in _ends_of_windows(pieces):
            lattice = lattice._walked(lattice.cuts, pieces[:used], most_states)
        return lattice

    def _walked(
        self, kept: tuple[LatticePrefix, ...], evidence: tuple[DatedObservation, ...], most_states: int = 0
    ) -> Lattice:
        """The round with all of the evidence, walked from the last cut that is kept."""
        cut = kept[-1]
        dealt = [dated.item.card for dated in evidence[len(self.evidence) :] if isinstance(dated.item, CardObserved)]
        cards = (*self.cards, *dealt) if dealt else self.cards
        deal = self.game.deal_cards
        game = game_with_cards(self.game, cards[:deal]) if dealt and len(self.cards) < deal else self.game
        walk = _SequenceWalk(game, evidence[cut.used :], cut.contents, self.answers, self.outages)
        frontier = walk.run(cut.frontier, most_states)
        last_ns = max([cut.last_ns, *[late.last_ns for late in walk.window]])
        contents = walk.contents_after(walk.full)
        new = LatticePrefix(len(evidence), len(cards), last_ns, frontier, contents, tuple(walk.levels))
        given = (self.answers, self.outages)
        return Lattice(self.rules, self.wagers, evidence, cards, (*kept, new), game, *given)

    def as_of(self, moment_ns: int) -> Lattice:
        """The round as far as nothing reported after ``moment_ns`` can change it."""
        cuts = self.cuts
        if self.rules.options.key_slack:
            # A press that is still to come may belong before the last card, and before chips that came since the one
            # before it.
            last = [dated.first_ns for dated in self.evidence if isinstance(dated.item, CardObserved)][-2:-1]
            moment_ns = min([moment_ns, *last])
        while len(cuts) > 1 and cuts[-1].last_ns > moment_ns:
            cuts = cuts[:-1]
        return self if cuts is self.cuts else replace(self, cuts=cuts)

    def last_layout(self) -> Layout:
        """What lies on the layout when all of the evidence has happened; nothing more of it is to come."""
        return self._last_layout

    @cached_property
    def _last_layout(self) -> Layout:
        return layout_with_outages(layout_of(self.game, self.contents), outage_periods(self.outages), ())

    def unwatched_offers(self, zone: str) -> tuple[Outage, ...]:
        """The outages of readers in which a wager offered after the deal may have been made or changed in a zone.

        The first card after the deal ends every offer; so does what every play takes for the first decision.
        """
        if not self.outages:
            return ()
        cards = (one for one in self.evidence if isinstance(one.item, CardObserved))
        deal = self.game.deal_cards
        drawn = (one.last_ns for one in cards if isinstance(one.item, CardObserved) and place_of(one.item.card) >= deal)
        decided = (
            cut.last_ns
            for cut in self.cuts
            if cut.cards >= deal and cut.frontier and not any(node.offers for node in cut.frontier)
        )
        over_ns = min(next(drawn, NEVER_ENDS), next(decided, NEVER_ENDS))
        return tuple(outage for outage in self.outages if outage.hides(zone) and outage.from_ns < over_ns)

    def may_show_payment(self, box: int, zone: str) -> bool:
        """Whether the first chips seen in a zone may be a wager made after the deal and its payment, both.

        The two looks lie around the last card, which decided the wager. Insurance was decided by a card that was there
        before it: between its chips and their payment the dealer looks at the hole card, takes, and pays.
        """
        cards = [one.first_ns for one in self.evidence if isinstance(one.item, CardObserved)]
        is_decided_before = zone == "insurance" and len(cards) == self.game.deal_cards
        for one in self.evidence:
            match one.item:
                case ChipsObserved(where, name, before=0) if (where, name) == (box, zone):
                    if one.first_ns < cards[-1] < one.last_ns:
                        return True
                    if is_decided_before and one.last_ns - one.first_ns >= _INSURANCE_PAID_NS:
                        return True
                case _:
                    pass
        return False

    def bets_ahead(self, box: int) -> bool:
        """Whether in every play a box's wager is gone, and its chips are the next round's bet."""
        return bool(self.frontier) and all(node.boxes[box].next_bet for node in self.frontier)

    @property
    def paying(self) -> bool:
        """Whether payment has begun in every play."""
        frontier = self.frontier
        for node in frontier:
            if not node.paying:
                return False
        return bool(frontier)

    @cached_property
    def _over(self) -> dict[Node, int]:
        return {}

    def over(self, node: Node) -> int:
        """With which hole cards, as ``_holes_of`` has them, a node may be the end of a complete play."""
        known = self._over.get(node)
        if known is None:
            ended = endings_with_outages(self.game, node, self.last_layout())
            known = self._over[node] = _holes_of(node, ended)
        return known

    @cached_property
    def _drawing(self) -> dict[Node, int]:
        return {}

    def drawing(self, node: Node) -> int:
        """With which hole cards a card may follow at a node; which card makes no difference."""
        known = self._drawing.get(node)
        if known is None:
            card = CardObserved(len(self.cards) << 4 | 2)
            # Where busts are taken at once that is still to be reported of these.
            bust_pending = any(box.bust_on_layout for box in node.boxes)
            reached = successors_with_outages(self.game, node, card, self.last_layout(), (0, NEVER_ENDS))
            known = self._drawing[node] = WITH_ANY | ANY_HOLE if bust_pending else _holes_of(node, reached)
        return known

    def after_cards(self, nodes: Iterable[Node], cards: Iterable[int]) -> frozenset[Node]:
        """Where plays stand that are at these nodes, once these cards and nothing else have followed."""
        reached = frozenset(nodes)
        for card in map(CardObserved, cards):
            later = (
                successors_with_outages(self.game, node, card, self.last_layout(), (0, NEVER_ENDS)) for node in reached
            )
            reached = frozenset(node for steps in later for node, _ in steps)
        return reached

    def ends(self, hole_points: int | None) -> Frontier:
        """The complete plays, if the round is over and the hole card counts ``hole_points`` (None: it is not dealt)."""
        play = self.game
        layout = self.last_layout()
        ended: Frontier = {}
        for node, outcomes in self.frontier.items():
            for reached, emitted in endings_with_outages(play, node, layout):
                hole = reached.hole if hole_points is None else reached.hole & 1 << hole_points
                if hole and admitted(self.answers, emitted):
                    join(ended, replace(reached, hole=hole), with_finished_boxes(outcomes, emitted))
        return ended
