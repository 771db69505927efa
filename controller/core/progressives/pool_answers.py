"""What the link says: what a pool shows, and what became of the table's postings, each in the order it was posted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from msgspec.structs import replace

from controller.core.game.side_bet import find
from controller.core.messages.inputs import PoolEntryRead, PoolStateRead
from controller.core.messages.meter_events import JackpotHit, JackpotRefused
from controller.core.messages.pool_events import PoolEntryDeclined, PoolEntryRecorded
from controller.core.meters.awards import Jackpot
from controller.core.meters.pool_postings import (
    AwardOutcome,
    ContributionOutcome,
    DeclinedOutcome,
    PoolAmounts,
    VerdictOutcome,
)
from controller.core.meters.pooled_meter import PendingPosting, PooledMeter
from controller.core.progressives import late_settlement, mystery
from controller.core.progressives.live_meters import mystery_cents
from controller.core.progressives.orders import settle_grant, take_back_award
from controller.core.progressives.pool_outbox import change_pooled_meter, take_pool_state
from controller.core.table.ledger import book_of
from controller.core.table.transaction import Transaction


def take_answer(transaction: Transaction, answer: PoolStateRead | PoolEntryRead) -> None:
    """One thing the link said; nothing where the table does not know the meter."""
    linked = transaction.state.progressives.linked_meter(answer.meter)
    if linked is None:
        return
    match answer:
        case PoolStateRead(_, _, shown_cents, closed):
            take_pool_state(transaction, linked, shown_cents, closed)
        case PoolEntryRead():
            _entered(transaction, linked, answer)
        case _:
            assert_never(answer)


def _entered(transaction: Transaction, linked: PooledMeter, answer: PoolEntryRead) -> None:
    """The oldest posting owed is in the ledger. What is answered already was posted again before its answer came."""
    if not linked.owed or linked.owed[0].seq != answer.seq:
        return
    first, *later = linked.owed
    linked = replace(linked, owed=tuple(later), entry=answer.entry, shown_cents=answer.shown_cents)
    outcome = answer.outcome
    units, hidden = (outcome.units, outcome.hidden_units) if isinstance(outcome, ContributionOutcome) else (0, 0)
    transaction.emit(PoolEntryRecorded(linked.name, first.seq, answer.entry, units, hidden, answer.shown_cents))
    match outcome:
        case ContributionOutcome():
            counted = (linked.contributed_units + units, linked.reserved_units + hidden)
            change_pooled_meter(
                transaction,
                replace(linked, wagers=linked.wagers + 1, contributed_units=counted[0], reserved_units=counted[1]),
            )
        case AwardOutcome(jackpots, stands):
            change_pooled_meter(transaction, linked)
            _awarded(transaction, linked, first, jackpots, stands)
        case VerdictOutcome(_, stood, house, reserve):
            change_pooled_meter(transaction, linked)
            if stood is not None:
                _refused(transaction, linked, first, stood, (house, reserve))
        case DeclinedOutcome(reason):
            change_pooled_meter(transaction, linked)
            place = (first.round or None, first.spot or None, first.bet or None)
            transaction.emit(PoolEntryDeclined(linked.name, first.seq, answer.entry, *place, reason))
        case _:
            assert_never(outcome)


def _awarded(
    transaction: Transaction,
    linked: PooledMeter,
    claim: PendingPosting,
    jackpots: Sequence[Jackpot],
    stands: Sequence[PoolAmounts],
) -> None:
    """The awards of a claim: their amounts are frozen, and wagers of rounds that are over are settled."""
    for given, stood in zip(jackpots, stands, strict=True):
        known = transaction.state.progressives
        number = known.hits + 1
        jackpot = replace(given, number=number, meter=linked.name, ledger_number=given.number)
        linked = replace(linked, hits=linked.hits + 1, won_cents=linked.won_cents + jackpot.cents)
        transaction.change(progressives=replace(known.with_jackpot(jackpot), hits=number))
        change_pooled_meter(transaction, linked)
        place = (jackpot.round, jackpot.spot, jackpot.bet, jackpot.row)
        after = (stood.meter_units, stood.shown_cents)
        transaction.emit(
            JackpotHit(number, linked.name, *place, jackpot.cents, stood.before_cents, claim.rule, claim.seq, *after)
        )
        if claim.second:
            settle_grant(transaction, jackpot, f"{claim.who}, {claim.second}", claim.why)
        else:
            _settle_late(transaction, jackpot)


def _settle_late(transaction: Transaction, jackpot: Jackpot) -> None:
    """Settle a wager whose round ended before the ledger could answer for it; the open round settles its own."""
    book = book_of(transaction.state.books, jackpot.round)
    row = None if book is None or book.void else book.row(jackpot.spot, jackpot.bet)
    if row is None or row.net_cents is not None:
        return
    place = (jackpot.round, jackpot.spot, jackpot.bet)
    net = jackpot.cents - row.wager_cents
    if transaction.state.progressives.awaits(*place):
        mystery.note_decided_wager(transaction, place, net, jackpot.cents)
        return
    bonus = mystery_cents(transaction.state.progressives, *place)
    why = f"{find(jackpot.bet).title}: {jackpot.row.replace('_', ' ')}, as the pool's ledger has it"
    late_settlement.settle(transaction, place, net + bonus, why, jackpot.cents + bonus)


def _refused(
    transaction: Transaction, linked: PooledMeter, verdict: PendingPosting, stood: PoolAmounts, back: tuple[int, int]
) -> None:
    """An award that two people refused is in the pool again, and out of the wager's account."""
    jackpot = transaction.state.progressives.jackpot(verdict.jackpot)
    if jackpot is None:
        return
    change_pooled_meter(transaction, replace(linked, returned_cents=linked.returned_cents + jackpot.cents))
    place = (linked.name, stood.meter_units, stood.shown_cents)
    people = (verdict.who, verdict.second, verdict.why)
    house, reserve = back
    transaction.emit(JackpotRefused(jackpot.number, jackpot.cents, house, reserve, *place, *people))
    take_back_award(transaction, jackpot, f"{verdict.who}, {verdict.second}", verdict.why)
