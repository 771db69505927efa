"""What is remembered of a round's payments: its zones' looks from one lock to the next, and what is due on them."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from firmware_protocols.values import Value

REACH_NS: Final = 250_000_000
"""To lay chips and draw a card, or to see a card and take the chips, takes at least the time to reach out; nor
does a player pick up sooner what he is paid."""

HIDDEN_NS: Final = 450_000_000
"""Between looks that lie further apart a payment may be laid down and picked up unseen: a content is reported that two
looks agree on, and a player picks up what he is paid once the dealer's hand has left it, 900 ms later at the soonest.
It is then not said that a winner was paid too little."""

_LOOKS_LIMIT: Final = 40
"""Changes of one zone in one round that are remembered; a zone that changes more often is not judged."""


class ZoneContent(Value, frozen=True, tag=False):
    """A zone's content from one reading on, and what came and left with it. ``number`` 0: as it lay at the lock.

    The change happened between ``first_ns`` and ``last_ns`` of table time.
    """

    number: int
    first_ns: int
    last_ns: int
    cents: int
    chips: tuple[str, ...]
    came_cents: int = 0
    left_cents: int = 0
    closed: bool = False
    """Whether it happened after the round was closed."""
    over: bool = False
    """Whether the round may have been over by then: where no key closes it, this is all that is known."""

    def is_gone_by(self, later: ZoneContent) -> bool:
        """Whether not one of its chips lies there at a later look."""
        return set(self.chips).isdisjoint(later.chips)

    def rise(self) -> int:
        """By how much the value rose."""
        return max(self.came_cents - self.left_cents, 0)

    def fall(self) -> int:
        """By how much the value fell."""
        return max(self.left_cents - self.came_cents, 0)


class ZoneHistory(Value, frozen=True, tag=False):
    """One zone from the lock to the next. ``spoilt``: its chips cannot be judged, the reason is kept elsewhere."""

    spot: int
    zone: str
    wager_cents: int
    looks: tuple[ZoneContent, ...]
    spoilt: bool = False

    def closed_once_over(self) -> ZoneHistory:
        """The zone as if the round had been closed as soon as it may have been over."""
        return replace(self, looks=tuple(replace(look, closed=look.closed or look.over) for look in self.looks))

    def closed_by(self, closed_ns: int) -> ZoneHistory:
        """The zone as if what was reported in an interval that holds the close had happened after it."""
        return replace(
            self, looks=tuple(replace(look, closed=look.closed or look.last_ns > closed_ns) for look in self.looks)
        )

    def after(self, look: ZoneContent) -> ZoneHistory:
        """The zone after one more look."""
        if len(self.looks) >= _LOOKS_LIMIT:
            return replace(self, spoilt=True)
        return replace(self, looks=(*self.looks, look))


class WagerDue(Value, frozen=True, tag=False):
    """A settled wager. ``number`` is the reading that settled it."""

    spot: int
    zone: str
    wager_cents: int
    net_cents: int
    number: int


class RoundPayments(Value, frozen=True, tag=False):
    """A round's zones by ``spot/zone`` and what is due on them.

    ``touched`` keeps what lay in a zone before chips were moved there that no play explains.
    """

    round: int
    watches: dict[str, ZoneHistory]
    owed: tuple[WagerDue, ...] = ()
    last_card_ns: int = 0
    played_ns: int = -1
    """When the last card came or the last key of the play was pressed; -1: not yet, or the journal is of before."""
    naturals: tuple[int, ...] = ()
    unbroken: tuple[int, ...] = ()
    """Spots of which a hand is known not to have broken."""
    splits: tuple[int, ...] = ()
    stakes: dict[str, int] = msgspec.field(default_factory=dict)
    """What each hand of a split box staked, in cents, by ``spot/hand``."""
    surrendered: tuple[int, ...] = ()
    insured: dict[str, int] = msgspec.field(default_factory=dict)
    touched: dict[str, int] = msgspec.field(default_factory=dict)
    slowest_ns: int = -1
    """How far apart the looks at a change lay at most while the round was on; -1: there was none."""
    after_ns: int = -1
    """The same of the changes after its close."""
    earlier_ns: tuple[int, ...] = ()
    """The same of each of the rounds before, the last one last."""
    closed_ns: int = -1
    """When the round was closed; -1: it is not."""
    by_evidence: bool = False
    """Whether no key closed it: it may have been closed from the moment at which it may have been over."""
    next_locked: bool = msgspec.field(default=False, name="frozen")
    """Whether the next bets are locked: its chips are looked at no more."""
    first: tuple[str, ...] = ()
    """Settled wagers, by zone, that the card has paid or taken before play, as long as it is open whether they were."""

    def hidden(self) -> bool:
        """Whether the readers look so seldom that a payment may have been hidden from them, as far as is known.

        This round may have reported zones only that were looked at often: how seldom they are looked at once it may be
        over, as every zone is then, earlier rounds say.
        """
        return not 0 <= max((self.widest_ns(), *self.earlier_ns)) <= HIDDEN_NS

    def widest_ns(self) -> int:
        """How far apart looks lay at most in this round and after it; -1: there was none."""
        return max(self.slowest_ns, self.after_ns)

    def spoilt(self, spots: frozenset[int] | None = None, zone: str = "") -> RoundPayments:
        """The round with what lies at ``spots`` (None: everywhere), in one zone or in all, no longer judged."""
        watches = {
            name: replace(watch, spoilt=True)
            if (spots is None or watch.spot in spots) and zone in {"", watch.zone}
            else watch
            for name, watch in self.watches.items()
        }
        return replace(self, watches=watches)
