"""What tables post to a pool's ledger, and what the ledger answers. Cents, and units of 1/10,000 cent."""

from __future__ import annotations

from typing import Literal, NamedTuple

from controller.core.jackpots import Jackpot
from controller.core.progressives import Adjustment, NewParameters
from firmware_protocols.values import Value

HOUSE = ""
"""The name under which people's own postings lie in the ledger; no table can have it."""


class Wagered(Value, frozen=True):
    """A qualifying wager was collected."""

    wager_cents: int


class WinningRow(Value, frozen=True, tag=False):
    """A wager that won: its spot, the side wager, the row of its pay table, and the part of the meter it takes."""

    spot: int
    bet: str
    row: str
    share: tuple[int, int]


class Claimed(Value, frozen=True):
    """All wagers of one round that won a part of the pool. ``shared``: winners of the whole share it equally (A23)."""

    round: int
    winners: tuple[WinningRow, ...]
    shared: bool = True


class Judged(Value, frozen=True):
    """People at the table verified, paid or refused one of its awards."""

    jackpot: int
    verdict: Literal["verified", "paid", "refused"]
    who: str


class Moved(Value, frozen=True):
    """Two people moved the pool or put it on other parameters."""

    move: Adjustment | NewParameters
    who: str
    second: str
    why: str


Deed = Wagered | Claimed | Judged | Moved


class Posting(Value, frozen=True, tag=False):
    """A deed under the number its table gave it: ``seq`` counts from 1 within ``epoch`` and never skips.

    ``epoch`` is that of the table's journal: a table with a new journal begins a higher one.
    """

    table: str
    epoch: int
    seq: int
    deed: Deed


class Counted(Value, frozen=True):
    """The wager was counted: what it added to the pool and to its reserve."""

    units: int
    hidden_units: int


class Awarded(Value, frozen=True):
    """The awards of a claim, in the order of evaluation, amounts frozen."""

    jackpots: tuple[Jackpot, ...]


class Stood(Value, frozen=True):
    """The award as people brought it to where it stands."""

    jackpot: Jackpot


class Shifted(Value, frozen=True):
    """The pool was moved by people, or its parameters will change; ``queued``: with the next reset."""

    units: int
    queued: bool = False


class Declined(Value, frozen=True):
    """Nothing was counted, for a reason that stays true. The number is used up."""

    reason: str


Outcome = Counted | Awarded | Stood | Shifted | Declined


class Entered(Value, frozen=True):
    """A posting is in the ledger, at place ``number`` of the one order of all tables."""

    number: int
    shown_cents: int
    """What the pool showed after it."""
    outcome: Outcome


class OutOfOrder(Value, frozen=True):
    """The posting is not in the ledger: ``epoch`` and ``seq`` are the last that is, ``reason`` says what is wrong."""

    epoch: int
    seq: int
    reason: str


Answer = Entered | OutOfOrder


class Standing(NamedTuple):
    """The pool at one moment: entries in its ledger, what it shows."""

    number: int
    shown_cents: int
