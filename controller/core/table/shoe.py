"""The shoe account: what has left the shoe since it was loaded, and what it can still hold.

Counted is what lies face up; a card that must not be known yet is only a card. So nothing that is published before the
shoe's end depends on a closed face. What remains, and the count, are for surveillance: no display of the table and no
retained topic has them.

A shoe begins when somebody says so: with the burn key between two rounds, or with ``new-shoe``. What was drawn before
the first such word is unknown, and until then nothing is compared with the decks.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.persons import UNAUTHENTICATED, Authentication, Person
from firmware_protocols.cards import DECK, POINTS, Card, Rank
from firmware_protocols.values import Value

_CARDS_OF_DECK: Final = 52

_LEAST_PER_MILLE: Final = 500
"""The least part of a shoe that is dealt before its cut card comes."""

_LEAST_CUT_PER_MILLE: Final = 250
"""The same where somebody has said that it has come."""


class UnseenCard(Value, frozen=True, tag=False):
    """A card that left the shoe unseen: a burn, one drawn with no wager on the table, or one of a round that is void.

    Opened at the shoe's end, or later: at the next turn of a hole card by a key, if none has come since it was drawn; a
    burned card, and others where no key says so, once so many cards have left the shoe that the one it came from must
    be over, whatever somebody has said.
    """

    number: int
    face: Card | None
    nonce: bytes
    guarded: bool = False
    """Whether hole cards are dealt that stay closed until the dealer's hand turns them: it may be one."""
    burned: bool = False
    """Whether it was announced as a burn."""
    place: int = 0
    """How many cards had left the table's shoes with it."""


class CountOfShoe(Value, frozen=True, tag=False):
    """How many cards a person counted in a shoe that is over."""

    left: int
    who: str
    vouched: Authentication = UNAUTHENTICATED

    def by(self) -> Person:
        """Who counted."""
        return Person(self.who, self.vouched)


class NamedCard(Value, frozen=True, tag=False):
    """A card that lies open and counts as what people have said that it is."""

    number: int
    face: str
    people: tuple[Person, ...]


class ShoeAccount(Value, frozen=True, tag=False):
    """One shoe. ``shoe`` counts those announced in the epoch; 0: the first has not been."""

    shoe: int = 0
    decks: int = 0
    drawn: int = 0
    """Cards that left it."""
    burned: int = 0
    unread: int = 0
    opened: dict[str, int] = msgspec.field(default_factory=dict)
    """How often each face lay open."""
    closed: tuple[UnseenCard, ...] = ()
    cut_card: int = -1
    """How many cards had been drawn when the cut card came; -1: not reported."""
    doubtful: bool = False
    """Whether cards may have been drawn unheard, or did not count after all."""
    alerted: bool = False
    """Whether it was said that this shoe holds what it cannot hold: once is enough."""
    named: tuple[NamedCard, ...] = ()
    """The cards of it that people have named."""
    dealt: bool = False
    """Whether a card of a round has come from it."""
    ended: str = ""
    """What is wrong with the end of the shoe before, in words, until a card of a round has come from this one."""
    announcers: tuple[Person, ...] = ()
    """Who announced it, as an order."""
    counts: tuple[CountOfShoe, ...] = ()
    """The first count of each number that people gave of it, once it was over."""

    def loaded(self) -> int:
        """The cards it was loaded with."""
        return self.decks * _CARDS_OF_DECK

    def counted(self, face: str, more: int) -> ShoeAccount:
        """The account after a face lay open ``more`` times more."""
        return replace(self, opened={**self.opened, face: self.opened.get(face, 0) + more})

    def impossible(self, face: str) -> bool:
        """Whether a face lay open more often than the decks hold it."""
        return bool(self.shoe) and self.opened.get(face, 0) > self.decks

    def said_to_be(self, face: str, card: int) -> tuple[NamedCard, ...]:
        """The cards that people have said to be of a face, if without them a card would not be one too many."""
        said = tuple(one for one in self.named if one.face == face)
        read = self.opened.get(face, 0) - len(said)
        return said if read <= self.decks or any(one.number == card for one in said) else ()

    def remaining(self) -> dict[str, int]:
        """How many of each face have not been seen: in the shoe, or among the cards that left it closed."""
        return {str(face): self.decks - self.opened.get(str(face), 0) for face in DECK}

    def ended_early(self) -> bool:
        """Whether it ended long before a cut card, or that one came so soon that somebody may have made it up."""
        least = _LEAST_PER_MILLE if self.cut_card < 0 else _LEAST_CUT_PER_MILLE
        return self.dealt and self.penetration_per_mille() < least

    def running_count(self) -> int:
        """The Hi-Lo count (Harvey Dubner, 1963) of what lay open: 2 to 6 one up, tens and aces one down."""
        return sum(_hi_lo(Card(face).rank) * count for face, count in self.opened.items())

    def penetration_per_mille(self) -> int:
        """The part of the shoe that was drawn, in thousandths, rounded down."""
        return self.drawn * 1000 // self.loaded() if self.decks else 0


def _hi_lo(rank: Rank) -> int:
    """What one card adds to the count."""
    points = POINTS[rank]
    if points == 1 or points >= 10:
        return -1
    return 1 if points <= 6 else 0
