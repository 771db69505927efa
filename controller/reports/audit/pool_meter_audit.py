"""A table's linked meters added up from what it published: every posting numbered, answered in order, or still owed."""

from __future__ import annotations

import msgspec

from controller.core.messages.events import Event
from controller.core.messages.meter_events import (
    ContributionRefused,
    JackpotHit,
    JackpotRefused,
    MeterClosed,
    MeterReopened,
)
from controller.core.messages.pool_events import (
    ContributionPosted,
    JackpotClaimed,
    MeterLinked,
    PoolEntryDeclined,
    PoolEntryRecorded,
    VerdictPosted,
)


class LinkedAccount(msgspec.Struct):
    """A linked meter as this table's events add up. Units are 1/10,000 cent."""

    meter: str
    pool: str
    shown_cents: int = 0
    """What the pool showed when this table last said so; other tables have moved it since."""
    closed: str = ""
    posted: int = 0
    entered: int = 0
    entry: int = 0
    """The place in the pool's ledger of the last posting answered."""
    declined: int = 0
    refused_wagers: int = 0
    """Wagers not even owed, as too many waited for the link."""
    wagers: int = 0
    wagered_cents: int = 0
    """Wagers the ledger has counted."""
    contributed_units: int = 0
    reserved_units: int = 0
    hits: int = 0
    won_cents: int = 0
    returned_cents: int = 0
    owed: dict[int, int] = msgspec.field(default_factory=dict)
    """Postings without an answer: number, and cents wagered (0: a claim, or what people did with an award)."""
    wrong: list[str] = msgspec.field(default_factory=list)
    """Where the numbers do not follow each other; empty: nothing was lost or published twice."""


def enter_linked(lines: dict[str, LinkedAccount], event: Event) -> bool:
    """Enter an event of a linked meter; False: it is about none of them."""
    if isinstance(event, MeterLinked):
        lines[event.meter] = LinkedAccount(event.meter, event.pool)
        return True
    line = lines.get(getattr(event, "meter", ""))
    if line is None:
        return False
    match event:
        case ContributionPosted():
            posted(line, event.number, event.wager_cents)
        case JackpotClaimed() | VerdictPosted():
            posted(line, event.number, 0)
        case PoolEntryRecorded():
            entered(line, event)
        case PoolEntryDeclined():
            line.declined += 1
        case JackpotHit():
            line.hits += 1
            line.won_cents += event.cents
            # The award itself is entered with those of the table's own meters.
            return False
        case JackpotRefused():
            line.returned_cents += event.cents
            return False
        case MeterClosed():
            line.closed = event.reason
        case MeterReopened():
            line.closed, line.shown_cents = "", event.shown_cents
        case ContributionRefused():
            line.refused_wagers += 1
        case _:
            return False
    return True


def posted(line: LinkedAccount, number: int, wager_cents: int) -> None:
    """A posting was numbered: it follows the one before."""
    if number != line.posted + 1:
        line.wrong.append(f"posting {number} follows posting {line.posted}")
    line.posted = number
    line.owed[number] = wager_cents


def entered(line: LinkedAccount, event: PoolEntryRecorded) -> None:
    """The ledger has a posting: the oldest owed, later in the ledger than the one before it."""
    if event.number != line.entered + 1 or event.number not in line.owed:
        line.wrong.append(f"posting {event.number} was entered after posting {line.entered}")
    if event.entry <= line.entry:
        line.wrong.append(f"posting {event.number} is entry {event.entry} of the ledger, the one before {line.entry}")
    wager_cents = line.owed.pop(event.number, 0)
    line.entered, line.entry, line.shown_cents = event.number, event.entry, event.shown_cents
    if event.units or event.hidden_units:
        line.wagers += 1
        line.wagered_cents += wager_cents
        line.contributed_units += event.units
        line.reserved_units += event.hidden_units
