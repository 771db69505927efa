"""What is published of linked meters: what this table owes a pool's ledger, and that the ledger has it.

``number`` counts the table's postings to one pool from 1; ``entry`` is a posting's place in the order of all tables.
"""

from __future__ import annotations

from controller.core.meters.pool_postings import Verdict, WinningRow
from firmware_protocols.values import Value


class MeterLinked(Value, frozen=True, tag="meter_linked"):
    """A meter of the table file is a pool that other tables share; its ledger is kept by ``tableside link``."""

    meter: str
    pool: str


class ContributionPosted(Value, frozen=True, tag="contribution_posted"):
    """A wager that raises the pool was collected: it is owed to the ledger until ``pool_entry_recorded`` comes."""

    meter: str
    number: int
    round: int
    spot: int
    bet: str
    wager_cents: int


class JackpotClaimed(Value, frozen=True, tag="jackpot_claimed"):
    """Wagers of a round won a part of the pool; the ledger's order decides what each gets (``jackpot_hit`` follows)."""

    meter: str
    number: int
    round: int
    winners: tuple[WinningRow, ...]
    rule: str


class MeterReleased(Value, frozen=True, tag="meter_released"):
    """A person lets a linked meter be won again that its link had left for too long; ``held`` says why they had to."""

    meter: str
    held: str
    shown_cents: int
    who: str
    why: str


class VerdictPosted(Value, frozen=True, tag="verdict_posted"):
    """What people did with an award of the pool's is owed to its ledger."""

    meter: str
    number: int
    jackpot: int
    verdict: Verdict


class PoolEntryRecorded(Value, frozen=True, tag="pool_entry_recorded"):
    """The ledger has a posting of this table's at place ``entry``; a wager added ``units`` and ``hidden_units``."""

    meter: str
    number: int
    entry: int
    units: int
    hidden_units: int
    shown_cents: int


class PoolEntryDeclined(Value, frozen=True, tag="pool_entry_declined"):
    """The ledger counted nothing for a posting, and will not: somebody must look.

    ``round``, ``spot`` and ``bet`` are null where it names no wager.
    """

    meter: str
    number: int
    entry: int
    round: int | None
    spot: int | None
    bet: str | None
    reason: str


LinkEvent = MeterLinked | ContributionPosted | JackpotClaimed | VerdictPosted | PoolEntryRecorded | MeterReleased
"""What of linked meters needs nobody's eye at once."""
