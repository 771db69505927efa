"""What may have gone wrong in a round that no legal play explains: one irregularity at a time, never settled from.

If exactly one of the kinds of ``faults.py`` explains everything it is named to people as the likely cause, with
every card or box it may be about; no wager is ever settled from it.

A hole card that has not been turned is unknown here too, so that nothing that is published depends on it.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.game.hand import points_of
from controller.core.inference.faults import UNKNOWN, FaultHypothesis, ObservedRound, fault_hypotheses, sentence
from controller.core.inference.feasibility import SearchExhausted, SearchMemory, SuccessorCache, Trace
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation

_EFFORT_LIMIT: Final = 3_000
"""Pieces of evidence weighed in one search. Beyond it nothing is called likely."""

DEALERS_RULE: Final = "the dealer's cards do not fit the dealer's rule"
"""Why a round is irregular whose dealer drew or stood against the rule."""

CLOSED_EARLY: Final = "the round was closed before it could end"
"""Why a round is irregular that was closed while no legal play could be over."""


class _Stem(NamedTuple):
    """How far an account has been weighed."""

    trace: Trace
    place: int = 0
    """Cards so far."""
    hole: int = UNKNOWN


class Search:
    """Weighs accounts until it has spent its effort; what a ``memory`` holds costs effort too, but no time."""

    def __init__(
        self, effort: int = _EFFORT_LIMIT, memory: SearchMemory | None = None, work: int | None = None
    ) -> None:
        self.left = effort
        self.ways = SuccessorCache(work)
        self.memory = memory
        self.hopeless = False
        """Whether nothing was found, and more cards and keys would change nothing about that."""
        if memory is not None:
            memory.next_search()

    def explains(self, account: ObservedRound, stem: _Stem | None = None, at: int = 0) -> bool:
        """Whether some legal play explains an account; ``stem`` is how it stands before its piece ``at``.

        Raises:
            SearchExhausted: the effort is spent.
        """
        stem = self.beginning(account) if stem is None else stem
        cards = [] if self.memory else _deal_of(account, stem, at)
        if cards:
            self.spend(len(cards))
            stem = _Stem(stem.trace.dealt(cards), stem.place + len(cards), stem.hole)
        for index in range(at + len(cards), len(account.pieces)):
            after = self.weighed(account, stem, index)
            if after is None:
                return False
            stem = after
        dealt = stem.place >= stem.trace.game.deal_cards
        return _ended(account, stem.trace, stem.hole if account.turned else UNKNOWN, dealt)

    def beginning(self, account: ObservedRound) -> _Stem:
        """An account before its first piece of evidence."""
        begin = Trace.begin if self.memory is None else self.memory.begun
        return _Stem(begin(account.rules, account.wagers, account.lying, account.answers))

    def stems(self, account: ObservedRound) -> list[_Stem]:
        """How an account stands before each of its pieces, up to the one that no play explains."""
        stems = [self.beginning(account)]
        for index in range(len(account.pieces)):
            after = self.weighed(account, stems[-1], index)
            if after is None:
                break
            stems.append(after)
        return stems

    def weighed(self, account: ObservedRound, stem: _Stem, index: int) -> _Stem | None:
        """An account with one more piece of evidence; None if no play can explain it any more."""
        trace, place, hole = stem
        dated, rank = account.pieces[index]
        if rank is not None:
            hidden = place == account.hole_place()
            if hidden:
                hole = rank
            elif rank == UNKNOWN:
                return None
            # Which of equal cards a hand has makes no difference to what may follow.
            dated = replace(dated, item=CardObserved(0 if hidden else rank))
            place += 1
        after = self.observed(trace, dated)
        if after is None:
            return None
        if not after.nodes and trace.nodes and isinstance(dated.item, ChipsObserved):
            # What no play explains is left out of the account.
            return stem
        return _Stem(after, place, hole) if after.nodes or may_have_moved_before(account, index) else None

    def observed(self, trace: Trace, dated: DatedObservation) -> Trace | None:
        """One more piece of evidence; None if too much is left open."""
        self.spend(1)
        if self.memory is None:
            return trace.observe(dated, self.ways)
        return self.memory.observed(trace, dated, self.ways)

    def spend(self, pieces: int) -> None:
        """Weigh some pieces of evidence."""
        self.left = max(self.left - pieces, -1)
        if self.left < 0:
            raise SearchExhausted


def _ended(account: ObservedRound, trace: Trace, hole: int, dealt: bool) -> bool:  # noqa: FBT001 - a fact
    """Whether the account holds to its end."""
    if account.closed:
        if account.rules.hole_card == "none":
            return dealt and trace.may_end(())
        return dealt and trace.may_end([points_of(hole)] if hole else range(1, 11))
    return any(not hole or node.hole >> points_of(hole) & 1 for node in trace.nodes)


def _deal_of(account: ObservedRound, stem: _Stem, at: int) -> list[DatedObservation]:
    """The cards of the deal that follow each other from a piece on, but for the deal's last."""
    cards: list[DatedObservation] = []
    if not stem.trace.dealing():
        return cards
    # The hole card is the last of a deal.
    for dated, rank in account.pieces[at : at + stem.trace.game.deal_cards - stem.place - 1]:
        if not rank:
            break
        cards.append(replace(dated, item=CardObserved(rank)))
    return cards


def may_have_moved_before(account: ObservedRound, index: int) -> bool:
    """Whether chips reported later may have moved before a piece of evidence and so explain it."""
    last_ns = account.pieces[index].dated.last_ns
    later = (piece.dated for piece in account.pieces[index + 1 :])
    return any(isinstance(dated.item, ChipsObserved) and dated.first_ns <= last_ns for dated in later)


def single_fault(account: ObservedRound, search: Search) -> str:
    """The one kind of irregularity that explains everything, and where; empty if there is none, or more than one.

    Empty too if there is too much to try. Of one kind several cards or boxes may be meant; all of them are named.
    """
    found: set[tuple[str, str]] = set()
    try:
        stems = search.stems(account)
        for change in _soonest(account, len(stems)):
            known = (change.kind, change.where) in found
            stem = stems[change.at] if change.at else None
            if known or not search.explains(change.account, stem, change.at):
                continue
            found.add((change.kind, change.where))
            if any(kind != change.kind for kind, _ in found):
                return ""
    except SearchExhausted:
        search.hopeless = not _unsettled(account)
        return ""
    search.hopeless = not found and not _unsettled(account, len(stems))
    return _sentence_of(account, found)


def _unsettled(account: ObservedRound, stems: int = 0) -> bool:
    """Whether a card or key more may let a change explain what now none does. ``stems``: pieces some play explains.

    Cards and keys never bring a play back. But a change of what lies between two cards is only tried once both are
    reported; a closed round may have ended too soon; and where presses have slack a card moves those before it.
    """
    both = any(piece.rank is not None for piece in account.pieces[stems:])
    return account.closed or bool(account.rules.options.key_slack) or not both


def _soonest(account: ObservedRound, stems: int) -> list[FaultHypothesis]:
    """The changes that may explain what nothing does, those first that leave least to weigh.

    Most rounds have two explanations, and it is soon known; the order says nothing about what is found.
    """
    # Beyond the piece that nothing explains, every change comes too late.
    inside = [change for change in fault_hypotheses(account) if change.at < stems]
    return sorted(inside, key=lambda change: -change.at)


def _sentence_of(account: ObservedRound, found: set[tuple[str, str]]) -> str:
    """What was found in words, in the order in which it may have happened."""
    named = dict.fromkeys((c.kind, c.where) for c in fault_hypotheses(account) if (c.kind, c.where) in found)
    return sentence(next(iter(found))[0], [where for _, where in named]) if found else ""
