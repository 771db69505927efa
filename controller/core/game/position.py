"""Where a round may stand, as immutable values: the hands of the box in play, the other boxes, the offers, the dealer.

A ``Node`` is what the rest of a round may depend on; two plays that reach the same node have the same future, so the
lattice (``lattice.py``) keeps one.

They are structs that remember their hash: a reading copies nodes with a change and looks them up very many times.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Final

import msgspec

from controller.core.game.hand import Outcome

ANY_HOLE: Final = 0b111_1111_1110
"""Every point value 1 to 10 is possible for the hole card (bit = value)."""


class HandStatus(IntEnum):
    """What the hand in play waits for."""

    OPEN = 0
    """A decision: hit, stand, double, split."""
    OWED = 1
    """Its next card: after a hit key, a double, or as the second card of a split hand."""
    DOUBLING = 2
    """The double key came first; its chips are still to come."""
    SPLITTING = 3
    """The split key came first; its chips are still to come."""
    DONE = 4
    WAITING = 5
    """A split hand whose turn has not come."""


OPEN: Final = HandStatus.OPEN
OWED: Final = HandStatus.OWED
DOUBLING: Final = HandStatus.DOUBLING
SPLITTING: Final = HandStatus.SPLITTING
DONE: Final = HandStatus.DONE
WAITING: Final = HandStatus.WAITING
"""By themselves: Python 3.11 takes ten times as long to look a member up in its class."""


class Confirmation(IntEnum):
    """Which of the dealer's keys may still confirm the move that was just made."""

    NOTHING = 0
    DOUBLE_MAY_FOLLOW = 1
    SPLIT_MAY_FOLLOW = 2
    ALL = 3


class Hand(msgspec.Struct, frozen=True, cache_hash=True):
    """A hand of the box in play."""

    cards: tuple[int, ...]
    base: int
    extra: int = 0
    now: HandStatus = OPEN
    confirmation: Confirmation = Confirmation.NOTHING
    gave_up: bool = False


class BoxStatus(IntEnum):
    """What later changes of a box's chips may mean."""

    PENDING = 0
    NATURAL = 1
    EVEN_MONEY = 2
    SURRENDERED = 3
    BROKEN = 4
    LIVE = 5


PENDING: Final = BoxStatus.PENDING
NATURAL: Final = BoxStatus.NATURAL
EVEN_MONEY: Final = BoxStatus.EVEN_MONEY
SURRENDERED: Final = BoxStatus.SURRENDERED
BROKEN: Final = BoxStatus.BROKEN
LIVE: Final = BoxStatus.LIVE
"""As those of a hand."""


class Box(msgspec.Struct, frozen=True, cache_hash=True):
    """A box not in play."""

    kind: BoxStatus
    busts_not_taken: tuple[int, ...] = ()
    """The stakes of its broken split hands that still lie on the layout, sorted."""
    bust_on_layout: bool = False
    """Where busts are taken at once: all its hands broke and their chips still have to be taken."""
    next_bet: bool = False
    """Nothing of its wager is left, and what lies there has been laid for the next round."""
    ahead: int = 0
    """What its player has laid before its turn, which doubles or splits its hand once that has come."""


class Deal(msgspec.Struct, frozen=True):
    """What is fixed once the cards are dealt: the boxes' wagers and initial cards, and the up card (0: not yet)."""

    wagers: tuple[int, ...]
    initial: tuple[tuple[int, ...], ...]
    up: int = 0
    given_up: frozenset[int] = frozenset()
    """Boxes of which a person has said that they surrendered."""


class Node(msgspec.Struct, frozen=True, cache_hash=True):
    """Where a round may stand."""

    dealt: int
    """Cards of the initial deal that have left the shoe."""
    acting: int
    """Index of the box in play; the number of boxes when all have played."""
    hands: tuple[Hand, ...]
    """Hands of the box in play."""
    boxes: tuple[Box, ...]
    offers: bool
    """Whether the wager made after the deal, even money and a surrender before its turn are still offered."""
    insured: tuple[int, ...] = ()
    """Wagers counted when the offers closed, by box; empty while they are open or where there is none.

    Insurance with an ace up, EZ Bust with 2 to 6 up: a round never offers both.
    """
    hole: int = ANY_HOLE
    """Point values the hole card may still have, as bits."""
    drawn: tuple[int, ...] = ()
    """Dealer's cards after the first two."""
    turned: bool = False
    paying: bool = False
    """Take-and-pay of main wagers has begun."""
    surrenders_to_confirm: int = 0
    """Boxes, as bits, whose surrender was shown by chips since the last card or key, and may be confirmed by a key."""
    silent_surrenders: int = 0
    """Boxes, as bits, that if they surrendered unshown may have done so since the last card: chips may yet show it."""
    second: int = 0
    """The dealer's second card where no hole card is dealt; 0: it has not come."""
    hidden_chips: tuple[tuple[int, int], ...] = ()
    """Main cents of boxes whose reader is lost for a while, where they are not as last reported."""
    outage_period: int = 0
    """Index of the period with the same readers lost (``Layout.outage_periods``)."""
    decided: bool = False
    """A box has decided, though insurance is still offered: no box surrenders before its turn any more."""

    def dealers(self) -> tuple[int, ...]:
        """The dealer's cards that came after the boxes had played, his second too where no hole card is dealt."""
        return (self.second, *self.drawn) if self.second else self.drawn


Emission = tuple[int, Outcome]
"""A box's index and how it ended."""

Step = tuple[Node, tuple[Emission, ...]]
