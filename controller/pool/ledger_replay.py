"""A ledger stepped again from the pool's opening: every entry must give what was answered, and all of them the pool.

A change that keeps every sum is found here, unless whoever made it stepped all later entries again, too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.core.meters.awards import Jackpot
from controller.core.meters.pool_postings import DeclinedOutcome
from controller.formats.text.printable import many
from controller.formats.text.safe_parse import own_json
from controller.pool.fold import FoldStep, stepped
from controller.pool.ledger import Ledger, LedgerRows, _LedgerRow, books, deed_of
from controller.pool.members import NOT_THEIRS
from controller.pool.postings import PostingOutcome

PAGE: Final = 10_000
"""Entries read at a time."""

MISTAKES_LIMIT: Final = 20
"""What follows from one wrong entry is wrong too."""


class _Awards:
    """The awards of the entries stepped so far."""

    def __init__(self) -> None:
        self.hits = 0
        self.made: dict[int, tuple[str, int, Jackpot]] = {}
        self._standing: dict[tuple[str, int, int, int, str], set[int]] = {}

    def award(self, table: str, number: int) -> Jackpot | None:
        whose, _, jackpot = self.made.get(number, ("", 0, None))
        return jackpot if whose == table else None

    def won(self, table: str, epoch: int, number: int, spot: int, bet: str) -> bool:
        return bool(self._standing.get((table, epoch, number, spot, bet)))

    def note(self, table: str, epoch: int, jackpot: Jackpot) -> None:
        if jackpot.number in self.made:
            epoch = self.made[jackpot.number][1]
        self.hits = max(self.hits, jackpot.number)
        self.made[jackpot.number] = table, epoch, jackpot
        standing = self._standing.setdefault((table, epoch, jackpot.round, jackpot.spot, jackpot.bet), set())
        if jackpot.standing == "refused":
            standing.discard(jackpot.number)
        else:
            standing.add(jackpot.number)


def refold(ledger: Ledger) -> tuple[str, ...]:
    """What does not come out as it lies in the ledger; empty: all does.

    Raises:
        LedgerRefused: the pool has not begun.
        LedgerFailed: the database.
    """
    return ledger.examine(lambda rows: tuple(_refolded(rows, ledger.pool))[:MISTAKES_LIMIT])


def _refolded(rows: LedgerRows, pool: str) -> Iterator[str]:
    held = books(rows, pool)
    meter, awards = held.opening, _Awards()
    number = 0
    for entry in _entries(rows, pool):
        before = number
        number, table, epoch, deed, answered, shown_cents = entry
        if number != before + 1:
            yield f"entry {before + 1} is missing"
        outcome = own_json(answered, PostingOutcome)
        if isinstance(outcome, DeclinedOutcome) and outcome.reason.startswith(NOT_THEIRS):
            step = FoldStep(outcome, meter)
        else:
            step = stepped(meter, table, epoch, deed_of(deed), awards)
        meter = step.meter
        for jackpot in step.jackpots:
            awards.note(table, epoch, jackpot)
        if (outcome, shown_cents) != (step.outcome, meter.shown_cents()):
            yield f"entry {number} of {table or 'the house'} was answered otherwise than it comes out"
    if (number, awards.hits) != (held.entries, held.hits):
        found = f"{many(number, 'entry', 'entries')} and {many(awards.hits, 'award')}"
        yield f"{found}; the pool counts {held.entries} and {held.hits}"
    if meter != held.meter:
        yield f"the entries leave another meter, of {meter.current_units} units, than {held.meter.current_units}"
    kept = {number: (table, epoch, body) for number, table, epoch, body in _awards(rows, pool)}
    for number in sorted(kept.keys() | awards.made.keys()):
        if kept.get(number) != awards.made.get(number):
            yield f"award {number} does not stand as the entries leave it"


def _entries(rows: LedgerRows, pool: str) -> Iterator[_LedgerRow]:
    query = (
        "SELECT number, table_name, epoch, deed, outcome, shown_cents FROM entries"
        " WHERE pool = ? AND number > ? ORDER BY number LIMIT ?"
    )
    last = 0
    while page := rows.all(query, (pool, last, PAGE)):
        yield from page
        last = page[-1][0]


def _awards(rows: LedgerRows, pool: str) -> Iterator[tuple[int, str, int, Jackpot]]:
    query = "SELECT number, table_name, epoch, body FROM awards WHERE pool = ?"
    for number, table, epoch, body in rows.all(query, (pool,)):
        yield number, table, epoch, own_json(body, Jackpot)
