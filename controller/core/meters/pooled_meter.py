"""What a table remembers of a linked meter: a pool of many tables, whose ledger is another program's.

The table counts nothing of it. It numbers what it owes the ledger, keeps that until the ledger has answered, and knows
what the pool shows as long as the link says so.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from controller.core.meters.pool_postings import TablePosting
from firmware_protocols.values import Value

NOT_HEARD: Final = "the link has not been heard yet"

_Place = tuple[int, int, str]
"""Round, spot and side wager."""


WhileClosed = Literal["stand", "refuse"]
"""What becomes of a wager laid while a meter it feeds is closed (``closed_meters``)."""


class PooledTerms(Value, frozen=True, tag=False):
    """A linked meter as the table file orders it."""

    name: str
    pool: str
    """What the link calls it; the table's postings are numbered within the pool."""
    fed_by: tuple[str, ...]
    """The side wagers that raise it."""
    title: str = ""
    """What people call it."""
    long_outage_ns: int = 0
    """After so long without its link it stays closed until a person lets it be won again; 0: never."""
    while_closed: WhileClosed = "stand"


class PendingPosting(Value, frozen=True, tag=False):
    """A posting the ledger has not answered yet, and what the table has to know when it is."""

    seq: int
    deed: TablePosting
    round: int = 0
    spot: int = 0
    bet: str = ""
    rule: str = ""
    """Of a claim: how the winners of the round are evaluated."""
    jackpot: int = 0
    """Of a judgement: the table's own number of the award."""
    who: str = ""
    second: str = ""
    """Of what took two people: both; else empty."""
    why: str = ""


class PooledMeter(Value, frozen=True, tag=False):
    """A linked meter, as the table's own journal knows it."""

    name: str
    pool: str
    posted: int = 0
    """Postings numbered so far."""
    owed: tuple[PendingPosting, ...] = ()
    """Those without an answer, in order."""
    entry: int = 0
    """The place in the pool's ledger of the last one answered."""
    shown_cents: int = 0
    """What the pool showed when the link was last heard."""
    closed: str = NOT_HEARD
    """Why it cannot be won now; empty: it can."""
    away_ns: int = 0
    """Table time at which link or start of the daemon closed it last; 0: the link says that it is open."""
    blocked: str = msgspec.field(default="", name="held")
    """Why a person must let it be won again, although the link may say that it is open; empty: no person need."""
    claimed: tuple[_Place, ...] = ()
    """Wagers of the last rounds for which an award was claimed."""
    wagers: int = 0
    """Wagers of this table the ledger has counted, and what they added, in units."""
    contributed_units: int = 0
    reserved_units: int = 0
    hits: int = 0
    won_cents: int = 0
    """Won at this table, and since refused again."""
    returned_cents: int = 0


class PostingBacklog(Value, frozen=True, tag=False):
    """What a pool's ledger is to receive: ``owed`` are the last of ``posted`` postings."""

    meter: str
    posted: int
    owed: tuple[PendingPosting, ...]
