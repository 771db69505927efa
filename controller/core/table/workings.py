"""What follows from the state and is kept from step to step, so that a step need not go over a whole round again.

None of it decides anything and none of it is in a checkpoint: a table that comes out of one begins without. Each part
names the values it was made of; where the round has others it is made anew, or goes on where they have only grown.
"""

from __future__ import annotations

from operator import is_

import msgspec
from msgspec.structs import replace

from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation
from controller.core.messages.events import CardDealt, Event, HandCompleted, SpotSurrendered
from controller.core.table.layout import FeltHeard


class Timeline(msgspec.Struct, frozen=True):
    """The times of a round's evidence, in nanoseconds of table time; -1 where there is none yet."""

    evidence: tuple[DatedObservation, ...] = ()
    latest_ns: int = -1
    """The last moment to which any of it may belong."""
    elsewhere_ns: int = -1
    """The same of what is no change of chips."""
    first_card_ns: int = -1
    """The first moment at which the first card may have come."""
    last_card_ns: int = -1
    """The first moment at which the last card may have come."""
    cards_until_ns: int = -1
    """The last moment at which any card may have come."""

    def of(self, evidence: tuple[DatedObservation, ...]) -> Timeline:
        """The times of a round's evidence, these being those of an earlier reading."""
        if evidence is self.evidence:
            return self
        # Evidence grows by a piece at a time; only a correction puts other evidence in its place.
        known = len(self.evidence)
        begun = self if evidence[:known] == self.evidence else Timeline()
        return begun.after(evidence, evidence[len(begun.evidence) :])

    def after(self, evidence: tuple[DatedObservation, ...], new: tuple[DatedObservation, ...]) -> Timeline:
        """The times of this evidence, of which these pieces are ``new``."""
        latest_ns, elsewhere_ns = self.latest_ns, self.elsewhere_ns
        first_card_ns, last_card_ns, cards_until_ns = self.first_card_ns, self.last_card_ns, self.cards_until_ns
        for dated in new:
            latest_ns = max(latest_ns, dated.last_ns)
            if isinstance(dated.item, ChipsObserved):
                continue
            elsewhere_ns = max(elsewhere_ns, dated.last_ns)
            if isinstance(dated.item, CardObserved):
                first_card_ns = dated.first_ns if cards_until_ns < 0 else first_card_ns
                last_card_ns, cards_until_ns = dated.first_ns, max(cards_until_ns, dated.last_ns)
        return Timeline(evidence, latest_ns, elsewhere_ns, first_card_ns, last_card_ns, cards_until_ns)


class PublishedFacts(msgspec.Struct, frozen=True):
    """The inferred facts published of a round since its cards or boxes were last corrected."""

    facts: tuple[Event, ...] = ()
    since: int = 0
    """How many had been published by then."""
    every: frozenset[Event] = frozenset()
    """All that were published, those too that a correction has overtaken."""
    cards: frozenset[int] = frozenset()
    """The cards whose owner is published, by their readings."""
    spots: frozenset[int] = frozenset()
    """The spots whose play is published as over."""

    def of(self, facts: tuple[Event, ...], since: int) -> PublishedFacts:
        """The published facts of a round, these being what an earlier step knew."""
        if facts is self.facts and since == self.since:
            return self
        known = len(self.facts)
        begun = self if since == self.since and facts[:known] == self.facts else PublishedFacts(facts[:since], since)
        if begun is not self:
            begun = replace(begun, every=frozenset(begun.facts))
        later = facts[len(begun.facts) :]
        cards = [fact.card for fact in later if isinstance(fact, CardDealt)]
        spots = [fact.spot for fact in later if isinstance(fact, (HandCompleted, SpotSurrendered))]
        return PublishedFacts(
            facts, since, begun.every.union(later), begun.cards.union(cards), begun.spots.union(spots)
        )


def are_identical(values: tuple[object, ...], others: tuple[object, ...]) -> bool:
    """Whether these are the very same values, so that whatever was found from them still holds."""
    return len(values) == len(others) and all(map(is_, values, others))


class ChipsHorizon(msgspec.Struct, frozen=True):
    """Up to when the chips are known, in nanoseconds of table time, and all that decides it."""

    rests_on: tuple[object, ...] = ()
    known_ns: int = -1


class PlaysByLastCard(msgspec.Struct, frozen=True):
    """The plays of everything reported up to a round's last card, and all that decides them."""

    rests_on: tuple[object, ...] = ()
    lattice: Lattice | None = None


class PublicationBasis(msgspec.Struct, frozen=True):
    """All that what was last published rested on: where it is the same, publishing again would tell nothing."""

    rests_on: tuple[object, ...] = ()
    confirmed: bool = False
    """Whether the readers had confirmed everything reported by then."""


class Workings(msgspec.Struct, frozen=True):
    """What is kept of the felt and of the open round."""

    heard: FeltHeard = FeltHeard()

    times: Timeline = Timeline()
    facts: PublishedFacts = PublishedFacts()
    published: PublicationBasis = PublicationBasis()
    looked: ChipsHorizon = ChipsHorizon()
    by_last_card: PlaysByLastCard = PlaysByLastCard()
    opened: tuple[object, ...] = ()
    """All that decides which cards lie open, when each that does had last been opened."""
