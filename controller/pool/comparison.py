"""A table's journal against its pool's ledger, posting by posting: what each says of the other's (REC-4).

Nothing but published events of the table is looked at. What the ledger has and the table has not been answered yet is
no difference; what the table was answered and the ledger does not have is one.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from controller.core.messages.events import Event
from controller.core.messages.meter_events import JackpotHit
from controller.core.messages.pool_events import (
    ContributionPosted,
    JackpotClaimed,
    MeterLinked,
    PoolEntryRecorded,
    VerdictPosted,
)
from controller.core.meters.pool_postings import AwardOutcome, ClaimPosting, VerdictPosting, WagerPosting
from controller.formats.journal.records import Identity
from controller.formats.text.safe_parse import own_json
from controller.pool.ledger import Ledger, LedgerRows, deed_of
from controller.pool.postings import PostingBody, PostingOutcome


class PostingComparison(NamedTuple):
    """How many postings the table made, how many of them it knows to be in the ledger, and the differences."""

    posted: int
    entered: int
    mistakes: tuple[str, ...]


class _Entry(NamedTuple):
    number: int
    deed: PostingBody
    outcome: PostingOutcome
    shown_cents: int
    units: int
    hidden_units: int


def compare(ledger: Ledger, identity: Identity, events: Iterable[Event]) -> PostingComparison:
    """What a journal's events, in their order, and the ledger say of each other.

    Raises:
        LedgerFailed: the database.
    """
    own = [*events]
    names = {event.meter for event in own if isinstance(event, MeterLinked) and event.pool == ledger.pool}
    own = [event for event in own if getattr(event, "meter", "") in names]
    table = f"{identity.site}/{identity.table}"
    entries = ledger.examine(lambda rows: _entries(rows, ledger.pool, table, identity.epoch))
    posted, entered = 0, 0
    wrong: list[str] = []
    hits: dict[int, int] = {}
    for event in own:
        match event:
            case ContributionPosted() | JackpotClaimed() | VerdictPosted():
                posted = event.number
                found = entries.get(event.number)
                if found is not None and not _same(event, found.deed):
                    wrong.append(f"{table} posting {event.number} is something else in the ledger")
            case PoolEntryRecorded():
                entered = event.number
                answer = (event.entry, event.shown_cents, event.units, event.hidden_units)
                wrong += _answered(f"{table} posting {event.number}", answer, entries.get(event.number))
            case JackpotHit():
                hits[event.number] = hits.get(event.number, 0) + event.cents
            case _:
                pass
    for number, cents in hits.items():
        found = entries.get(number)
        awarded = found.outcome.jackpots if found is not None and isinstance(found.outcome, AwardOutcome) else ()
        if sum(one.cents for one in awarded) != cents:
            wrong.append(f"{table} posting {number} won {cents} cents at the table, not in the ledger")
    if entries and max(entries) > posted:
        wrong.append(f"{table}: the ledger has posting {max(entries)}, its journal ends with {posted}")
    return PostingComparison(posted, entered, tuple(wrong))


def _same(event: ContributionPosted | JackpotClaimed | VerdictPosted, deed: PostingBody) -> bool:
    match event, deed:
        case ContributionPosted(), WagerPosting(cents, number, spot, bet):
            # A round of 0: posted by a table that did not say which wager it was.
            same = not number or (number, spot, bet) == (event.round, event.spot, event.bet)
            return same and cents == event.wager_cents
        case JackpotClaimed(), ClaimPosting(number, winners):
            return (number, winners) == (event.round, event.winners)
        case VerdictPosted(), VerdictPosting(_, verdict):
            return verdict == event.verdict
        case _:
            return False


def _answered(which: str, answer: tuple[int, int, int, int], found: _Entry | None) -> list[str]:
    if found is None:
        return [f"{which} was answered, and the ledger does not have it"]
    kept = (found.number, found.shown_cents, found.units, found.hidden_units)
    return [] if answer == kept else [f"{which} was answered {answer}, the ledger has {kept}"]


def _entries(rows: LedgerRows, pool: str, table: str, epoch: int) -> dict[int, _Entry]:
    query = (
        "SELECT seq, number, deed, outcome, shown_cents, units, hidden_units FROM entries"
        " WHERE pool = ? AND table_name = ? AND epoch = ?"
    )
    return {
        seq: _Entry(number, deed_of(deed), own_json(outcome, PostingOutcome), *stands)
        for seq, number, deed, outcome, *stands in rows.all(query, (pool, table, epoch))
    }
