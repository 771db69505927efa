"""What a table tells the ledger of a pool, and what the ledger answers. Cents, and units of 1/10,000 cent.

The ledger is another program's (``controller.pool``); these values cross the wire to it and lie in the table's journal.
"""

from __future__ import annotations

from typing import Literal

from controller.core.meters.awards import Jackpot
from firmware_protocols.values import Value

Verdict = Literal["verified", "paid", "refused"]


class WagerPosting(Value, frozen=True, tag="wagered"):
    """A qualifying wager was collected, in which round, at which spot, on which bet."""

    wager_cents: int
    round: int = 0
    spot: int = 0
    bet: str = ""


class WinningRow(Value, frozen=True, tag=False):
    """A wager that won a part of a meter."""

    spot: int
    bet: str
    row: str
    """The row of its pay table."""
    share: tuple[int, int]
    """The part of the meter it takes: [1, 2] is a half."""


class ClaimPosting(Value, frozen=True, tag="claimed"):
    """All wagers of one round that won a part of the pool. ``shared``: winners of the whole share it equally (A23)."""

    round: int
    winners: tuple[WinningRow, ...]
    shared: bool = True


class VerdictPosting(Value, frozen=True, tag="judged"):
    """People at the table verified, paid or refused one of its awards."""

    jackpot: int
    verdict: Verdict
    who: str


TablePosting = WagerPosting | ClaimPosting | VerdictPosting
"""What a table posts."""


class PoolAmounts(Value, frozen=True, tag=False):
    """What the pool showed before a deed, what stands in it afterwards, in units, and what it shows then."""

    before_cents: int
    meter_units: int
    shown_cents: int


class ContributionOutcome(Value, frozen=True, tag="counted"):
    """The wager was counted: what it added to the pool and to its reserve."""

    units: int
    hidden_units: int


class AwardOutcome(Value, frozen=True, tag="awarded"):
    """The awards of a claim, in the order of evaluation, amounts frozen; ``stands``: the pool around each of them."""

    jackpots: tuple[Jackpot, ...]
    stands: tuple[PoolAmounts, ...] = ()


class VerdictOutcome(Value, frozen=True, tag="stood"):
    """The award as people brought it to where it stands.

    Of one refused ``stands`` is the pool with the amount in it again; ``house_units`` and ``reserve_units`` of its
    reset value went back to where they had come from.
    """

    jackpot: Jackpot
    stands: PoolAmounts | None = None
    house_units: int = 0
    reserve_units: int = 0


class DeclinedOutcome(Value, frozen=True, tag="declined"):
    """Nothing was counted, for a reason that stays true. The number is used up."""

    reason: str


TablePostingOutcome = ContributionOutcome | AwardOutcome | VerdictOutcome | DeclinedOutcome
"""What a table's posting came to."""
