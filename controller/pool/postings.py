"""What tables post to a pool's ledger, and what the ledger answers. Cents, and units of 1/10,000 cent."""

from __future__ import annotations

from typing import NamedTuple

from controller.core.meters.pool_postings import (
    AwardOutcome,
    ClaimPosting,
    ContributionOutcome,
    DeclinedOutcome,
    VerdictOutcome,
    VerdictPosting,
    WagerPosting,
)
from controller.core.meters.state import Adjustment, NewParameters
from firmware_protocols.values import Value

HOUSE = ""
"""The name under which people's own postings lie in the ledger; no table can have it."""


class ChangePosting(Value, frozen=True, tag="moved"):
    """Two people moved the pool or put it on other parameters."""

    move: Adjustment | NewParameters
    who: str
    second: str
    why: str


PostingBody = WagerPosting | ClaimPosting | VerdictPosting | ChangePosting


class Posting(Value, frozen=True, tag=False):
    """A deed under the number its table gave it: ``seq`` counts from 1 within ``epoch`` and never skips.

    ``epoch`` is that of the table's journal: a table with a new journal begins a higher one.
    """

    table: str
    epoch: int
    seq: int
    deed: PostingBody


class ChangeOutcome(Value, frozen=True, tag="shifted"):
    """The pool was moved by people, or its parameters will change; ``queued``: with the next reset."""

    units: int
    queued: bool = False


PostingOutcome = ContributionOutcome | AwardOutcome | VerdictOutcome | ChangeOutcome | DeclinedOutcome


class LedgerEntry(Value, frozen=True, tag="entered"):
    """A posting is in the ledger, at place ``number`` of the one order of all tables."""

    number: int
    shown_cents: int
    """What the pool showed after it."""
    outcome: PostingOutcome


class OutOfOrder(Value, frozen=True, tag="out_of_order"):
    """The posting is not in the ledger: ``epoch`` and ``seq`` are the last that is, ``reason`` says what is wrong."""

    epoch: int
    seq: int
    reason: str


LedgerAnswer = LedgerEntry | OutOfOrder


class PoolBalance(NamedTuple):
    """The pool at one moment: entries in its ledger, what it shows."""

    number: int
    shown_cents: int
