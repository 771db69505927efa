"""What is known of a round's deal: whether the table's count of its cards, and so its hole card, is confirmed.

Which card is the hole card is the table's count. A chip on a box that is not dealt to, an unannounced burn, a card read
twice or missed, a box without chips shift it, and two of them together shift it anywhere, into the first pass too. So
no card is opened, and nothing is told that depends on one, until the deal is confirmed (``deal_confirmation.py``), and
once a correction has moved the count nothing more is opened until the dealer turns the hole card.
"""

from __future__ import annotations

from typing import Literal

from firmware_protocols.values import Value

DealStanding = Literal["unguarded", "open", "confirmed", "unconfirmed", "moved"]
"""Whether the deal is certain. ``unguarded``: no hole card is dealt, or the rules are older than this; ``moved``: a
correction has moved the count, and nothing but the turn opens a card."""


class Dealing(Value, frozen=True, tag=False):
    """How a round is dealt, and whether its hole card has been turned. Times are nanoseconds of table time."""

    stands: DealStanding = "unguarded"
    uneven: str = ""
    """Why its rhythm confirms nothing; empty while it may."""
    last_ns: int = -1
    """When the last card left the shoe."""
    gaps_ms: tuple[int, ...] = ()
    """The times between its cards."""
    quiet_ns: int = -1
    """Up to when the clock has said that nothing more had come."""
    stirred_ns: int = -1
    """When the last card, key or chip came."""
    done_by: int = 0
    """The reading of the key that said the deal is done; 0: none."""
    turned_by: int = 0
    """The reading by which the hole card was turned; 0: it has not been."""
    resumes: bool = False
    """Whether a correction may have cured the round, to be seen once the hole card is turned."""

    def unturned(self) -> bool:
        """Whether the hole card is guarded and has not been turned."""
        return self.stands != "unguarded" and not self.turned_by

    def closed(self) -> bool:
        """Whether the hole card may be another than the one counted: nothing that faces decide is told."""
        return self.stands not in {"unguarded", "confirmed"} and not self.turned_by
