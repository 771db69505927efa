"""Linked meters in a round: what the table owes the pool's ledger, numbered in the journal's own order.

Nothing here waits for the link. A wager is owed when it is collected, a claim when the cards decide it, a judgement
when people make it; the ledger's answers come as readings (``pool_answers``). The meter stays closed while the link is
away, and whatever is owed is kept.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.game.side_bet import meter_winners, terms_of
from controller.core.game.wager import LockedWager
from controller.core.messages.house import House
from controller.core.messages.inputs import ReopenMeter
from controller.core.messages.meter_events import ContributionRefused
from controller.core.messages.pool_events import (
    ContributionPosted,
    JackpotClaimed,
    MeterLinked,
    MeterReleased,
    VerdictPosted,
)
from controller.core.meters.awards import Jackpot
from controller.core.meters.pool_postings import ClaimPosting, Verdict, VerdictPosting, WagerPosting, WinningRow
from controller.core.meters.pooled_meter import NOT_HEARD, PendingPosting, PooledMeter
from controller.core.meters.state import WAITING_LIMIT, Progressives, terms_named, terms_paying_rows
from controller.core.refusal_reason import RefusalReason
from controller.core.table.ledger import BOOKS_LIMIT
from controller.core.table.transaction import Transaction

_HOUR_NS: Final = 3_600_000_000_000
_FULL: Final = f"{WAITING_LIMIT} postings wait for the link"


class OrderedBy(NamedTuple):
    """Two who ordered something, and why."""

    who: str = ""
    second: str = ""
    why: str = ""


_NOBODY: Final = OrderedBy()


def change_pooled_meter(transaction: Transaction, linked: PooledMeter) -> None:
    """Remember this of a linked meter."""
    transaction.change(progressives=transaction.state.progressives.with_linked(linked))


def open_linked(transaction: Transaction) -> None:
    """Take note of linked meters named for the first time; no meter is open before the link has been heard again."""
    known: Progressives = transaction.state.progressives
    now_ns = transaction.table_ns(transaction.stamped.at_ns)
    for linked in known.linked:
        change_pooled_meter(transaction, replace(linked, closed=NOT_HEARD, away_ns=linked.away_ns or now_ns))
    for terms in transaction.house.linked:
        if known.linked_meter(terms.name) is None:
            change_pooled_meter(transaction, PooledMeter(terms.name, terms.pool, away_ns=now_ns))
            transaction.emit(MeterLinked(terms.name, terms.pool))


def _owe(transaction: Transaction, linked: PooledMeter, owed: PendingPosting) -> int:
    """Owe the ledger a deed; the number it gets."""
    number = linked.posted + 1
    change_pooled_meter(transaction, replace(linked, posted=number, owed=(*linked.owed, replace(owed, seq=number))))
    return number


def post_wager(transaction: Transaction, wager: LockedWager) -> None:
    """One wager raises the pools it feeds."""
    for terms in transaction.house.linked:
        linked = transaction.state.progressives.linked_meter(terms.name)
        assert linked is not None, "every meter of the table file was taken note of at the start"
        if wager.bet not in terms.fed_by:
            continue
        place = (transaction.round().number, wager.spot, wager.bet)
        if len(linked.owed) >= WAITING_LIMIT:
            transaction.emit(ContributionRefused(linked.name, *place, wager.cents, _FULL, "too_many_waiting"))
            continue
        number = _owe(transaction, linked, PendingPosting(0, WagerPosting(wager.cents, *place), *place))
        transaction.emit(ContributionPosted(linked.name, number, *place, wager.cents))


def post_row_claims(transaction: Transaction, bet: str, rows: Mapping[int, str]) -> None:
    """Claim the parts of the pool that the wagers of one round have won; ``rows`` by spot, all of the round's.

    Nothing is claimed twice: not after a correction of the floor's, and not again after a refusal.
    """
    terms = terms_paying_rows(transaction.house.linked, bet)
    linked = transaction.state.progressives.linked_meter("" if terms is None else terms.name)
    assert linked is not None, "the wager is won by rows of a meter, and the table has none of its own for it"
    number, shares = transaction.round().number, terms_of(transaction.rules, bet).meter_shares
    winners = tuple(
        WinningRow(spot, bet, row, shares[row])
        for spot, row in sorted(rows.items())
        if row in shares and (number, spot, bet) not in linked.claimed
    )
    if winners:
        rule = meter_winners(transaction.rules, bet)
        post_claim(transaction, linked, ClaimPosting(number, winners, shared=rule == "share"), rule)


def post_claim(
    transaction: Transaction, linked: PooledMeter, deed: ClaimPosting, rule: str, people: OrderedBy = _NOBODY
) -> None:
    """Owe the ledger the winners of a round; ``rule``: how they are evaluated."""
    owed = PendingPosting(0, deed, deed.round, rule=rule, who=people.who, second=people.second, why=people.why)
    posted = _owe(transaction, _with_claims(linked, deed.round, deed.winners), owed)
    transaction.emit(JackpotClaimed(linked.name, posted, deed.round, deed.winners, rule))


def _with_claims(linked: PooledMeter, number: int, winners: Iterable[WinningRow]) -> PooledMeter:
    """The linked meter with these wagers claimed for; claims of rounds off the books are forgotten."""
    kept = tuple(place for place in linked.claimed if place[0] > number - BOOKS_LIMIT)
    return replace(linked, claimed=(*kept, *((number, one.spot, one.bet) for one in winners)))


def post_verdict(transaction: Transaction, jackpot: Jackpot, verdict: Verdict, people: OrderedBy = _NOBODY) -> None:
    """Owe the ledger what people did with an award of a pool's; an award of the table's own meters is none of its."""
    linked = transaction.state.progressives.linked_meter(jackpot.meter)
    if linked is None or not jackpot.ledger_number:
        return
    deed = VerdictPosting(jackpot.ledger_number, verdict, jackpot.who)
    owed = PendingPosting(0, deed, jackpot=jackpot.number, who=people.who, second=people.second, why=people.why)
    number = _owe(transaction, linked, owed)
    transaction.emit(VerdictPosted(linked.name, number, jackpot.number, verdict))


def closed_reason(house: House, linked: PooledMeter) -> str:
    """Why a linked meter cannot be won now; empty: it can."""
    if terms_named(house.linked, linked.name) is None:
        return "the table file no longer has it"
    return linked.blocked or linked.closed


def take_pool_state(transaction: Transaction, linked: PooledMeter, shown_cents: int | None, closed: str) -> None:
    """Take the link's report of the amount the pool shows, and whether it can be won.

    After a long outage it cannot, whatever the link says: every place must show the same amount again before play with
    it is resumed (Mich. Admin. Code R 432.1841(2)(e)), so a person has to look.
    """
    terms, now_ns = terms_named(transaction.house.linked, linked.name), transaction.table_ns(transaction.stamped.at_ns)
    limit_ns = 0 if terms is None else terms.long_outage_ns
    since_ns = linked.away_ns or now_ns
    blocked = linked.blocked
    if limit_ns and now_ns - since_ns >= limit_ns:
        blocked = (
            blocked or f"the link was away for {limit_ns // _HOUR_NS} hours: a person must let it be won again by name"
        )
    shown = linked.shown_cents if shown_cents is None else shown_cents
    change_pooled_meter(
        transaction,
        replace(linked, shown_cents=shown, closed=closed, away_ns=since_ns if closed else 0, blocked=blocked),
    )


def release(transaction: Transaction, ruling: ReopenMeter) -> RefusalReason | None:
    """A person has looked after a long outage; why the meter cannot be let go; None: it is done."""
    linked = transaction.state.progressives.linked_meter(ruling.meter)
    if linked is None:
        return RefusalReason("no_such_meter", f"{ruling.meter} is no linked meter of this table")
    if not linked.blocked:
        return RefusalReason("already_done", f"nobody need let {ruling.meter} be won again")
    if linked.closed:
        return RefusalReason("pool_away", f"it is closed still: {linked.closed}")
    change_pooled_meter(transaction, replace(linked, blocked=""))
    known = transaction.house.known_now_by(ruling.vouched)
    transaction.emit(MeterReleased(linked.name, linked.blocked, linked.shown_cents, ruling.who, ruling.why, known))
    return None
