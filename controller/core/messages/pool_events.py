"""What is published of linked meters: what this table owes a pool's ledger, and that the ledger has it.

``number`` counts the table's postings to one pool from 1; ``entry`` is a posting's place in the order of all tables.
"""

from __future__ import annotations

import msgspec

from controller.core.meters.pool_postings import Verdict, WinningRow
from firmware_protocols.values import Value


class MeterLinked(Value, frozen=True, tag="meter_linked"):
    """A meter of the table file is a pool that other tables share; ``tableside link`` keeps its ledger.

    ``docs/guide/link.md`` explains pools. The following events report the postings that this table owes the ledger, and
    those that the ledger has.
    """

    meter: str
    pool: str
    """The pool's name at its link."""


class ContributionPosted(Value, frozen=True, tag="contribution_posted"):
    """A wager that raises the pool was collected.

    The table owes it to the ledger until ``pool_entry_recorded`` reports that the ledger has it.
    """

    meter: str
    number: int
    """The posting's number."""
    round: int
    spot: int
    bet: str
    wager_cents: int


class JackpotClaimed(Value, frozen=True, tag="jackpot_claimed"):
    """Wagers of a round won a part of the pool.

    The order of the ledger decides the amount of each.

    ``jackpot_hit`` follows once the ledger has answered, and the wager is settled then.
    """

    meter: str
    number: int
    """The posting's number."""
    round: int
    winners: tuple[WinningRow, ...]
    """The wagers that won."""
    rule: str
    """How the winners of one round are evaluated."""


class MeterReleased(Value, frozen=True, tag="meter_released"):
    """A person allows a linked meter to be won again after a long outage of its link.

    ``meter_reopened`` follows. ``docs/guide/link.md#a-long-outage`` says when this is needed.
    """

    meter: str
    held: str
    """Why a person must release the meter."""
    shown_cents: int
    """The amount the pool shows."""
    who: str
    why: str
    vouched: str | msgspec.UnsetType = msgspec.UNSET
    """How the table knows who released it, as in ``order_approved``."""


class VerdictPosted(Value, frozen=True, tag="verdict_posted"):
    """People ruled on an award of the pool. The table owes the ruling to the ledger."""

    meter: str
    number: int
    """The posting's number."""
    jackpot: int
    verdict: Verdict
    """``verified``, ``paid`` or ``refused``."""


class PoolEntryRecorded(Value, frozen=True, tag="pool_entry_recorded"):
    """The ledger has recorded a posting of this table."""

    meter: str
    number: int
    """The posting's number."""
    entry: int
    """The posting's place in the one order of all tables."""
    units: int
    """The amount a wager added to the pool, in 1/10,000 cent; 0: not a wager."""
    hidden_units: int
    """The amount it added to the reserve, in 1/10,000 cent."""
    shown_cents: int
    """The amount the pool shows after it."""


class PoolEntryDeclined(Value, frozen=True, tag="pool_entry_declined"):
    """The ledger did not count a posting, and never will: a person must look at it."""

    meter: str
    number: int
    """The posting's number."""
    entry: int
    """The posting's place in the one order of all tables."""
    round: int | None
    """The round; null: it is not about a wager."""
    spot: int | None
    """The spot; null: it is not about a wager."""
    bet: str | None
    """The side bet; null: it is not about a wager."""
    reason: str
    """The ledger's reason, for display."""


LinkEvent = MeterLinked | ContributionPosted | JackpotClaimed | VerdictPosted | PoolEntryRecorded | MeterReleased
"""Everything published of linked meters that is no alert."""
