"""Orders that take two persons: one proposes, another approves or withdraws, whatever the order moves.

Rulings that move money wait here where the house wants two for them, and orders that move a meter always do. Nothing
is moved by a proposal. It is tried out when it is made and judged again when it is approved, for the round or the meter
may have changed. All proposals share their numbers, so that an order has one number at a table; who is a second person
is said in one place (``persons.not_second_reason``).
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.analysis.net_bounds import net_bounds
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.inputs import AdjustWager, ApproveOrder, MeterRuling, Ruling, VoidRound, WithdrawOrder
from controller.core.messages.meter_events import OrderApproved, OrderWithdrawn
from controller.core.messages.raised_alerts import AlertKind
from controller.core.meters.state import ORDERS_LIMIT, MeterOrder
from controller.core.people import corrections
from controller.core.persons import Person, not_second_reason, unvouched_reason
from controller.core.progressives import orders
from controller.core.refusal_reason import RefusalReason
from controller.core.table.alert_list import money, raise_alert
from controller.core.table.ledger import book_of
from controller.core.table.state import ProposedRuling
from controller.core.table.transaction import Transaction

_NO_ORDER = RefusalReason("no_such_order", "no such order waits")


def rule(transaction: Transaction, ruling: Ruling) -> None:
    """Carry out a ruling; where it takes two people, keep it until another approves.

    It does where the house says so, and in every house for a due that no round of cards accounts for and for a round
    that has long left the books.
    """
    beyond = _beyond_rules(transaction, ruling)
    if not isinstance(ruling, VoidRound | AdjustWager) or not (
        beyond or transaction.house.two_persons or _late(transaction, ruling)
    ):
        corrections.rule(transaction, ruling)
        return
    unknown = unvouched_reason(Person(ruling.who, ruling.vouched))
    refused = unknown or _tried(transaction, ruling)
    if len(transaction.state.proposed) >= ORDERS_LIMIT:
        refused = orders.TOO_MANY
    if refused is not None:
        transaction.refuse(corrections.ruling_text(ruling), ruling.who, refused)
        return
    number = transaction.state.progressives.ordered + 1
    transaction.change(
        proposed=(*transaction.state.proposed, ProposedRuling(number, ruling)),
        progressives=replace(transaction.state.progressives, ordered=number),
    )
    spot, bet, due = corrections.ruled_wager(ruling)
    vouched = ruling.vouched.text()
    transaction.emit(RulingProposed(number, ruling.round, spot, bet, due, ruling.who, ruling.why, vouched))
    if beyond:
        raise_alert(
            transaction,
            AlertKind.RULING_BEYOND_RULES,
            f"{ruling.who} proposes: {beyond}",
            round=ruling.round,
            spot=spot,
            zone=bet,
        )


def _late(transaction: Transaction, ruling: VoidRound | AdjustWager) -> bool:
    """Whether a ruling is on a round that was recalled from the journal."""
    book = book_of(transaction.state.books, ruling.round)
    return book is not None and book.recalled


def _beyond_rules(transaction: Transaction, ruling: Ruling) -> str:
    """What a ruling orders that no cards could give its wager, in words; empty: they could."""
    book = book_of(transaction.state.books, ruling.round) if isinstance(ruling, AdjustWager) else None
    if book is None or not isinstance(ruling, AdjustWager):
        return ""
    row, main = book.row(ruling.spot, ruling.bet), book.row(ruling.spot, "main")
    if (row is None and ruling.bet != "insurance") or main is None:
        return ""
    wager_cents = 0 if row is None else row.wager_cents
    bounds = net_bounds(transaction.rules, ruling.bet, wager_cents, main.wager_cents, transaction.state.progressives)
    if bounds.hold(ruling.net_cents):
        return ""
    given = f"its rules give {money(bounds.least)} to {money(bounds.most)}"
    return f"round {ruling.round} spot {ruling.spot} {ruling.bet} due {money(ruling.net_cents)}, and {given}"


def order(transaction: Transaction, asked: MeterRuling) -> None:
    """What people do with proposals, and with meters and jackpots."""
    match asked:
        case ApproveOrder():
            _approve(transaction, asked)
        case WithdrawOrder():
            _withdraw(transaction, asked)
        case _:
            orders.rule(transaction, asked)


def _approve(transaction: Transaction, asked: ApproveOrder) -> None:
    """Carry a proposal out in both names, or say why it cannot be."""
    waits = _waiting(transaction, asked.order)
    refused = _NO_ORDER if waits is None else _unapproved(transaction, waits, asked)
    if waits is None or refused is not None:
        refused = refused or _NO_ORDER
        transaction.refuse(f"approve order {asked.order}", asked.who, refused)
        return
    _forget(transaction, asked.order)
    first = _proposer(waits)
    transaction.emit(OrderApproved(asked.order, first.name, asked.who, first.vouched.text(), asked.vouched.text()))
    if isinstance(waits, MeterOrder):
        orders.carry_out_approved(transaction, waits, asked.who)
    else:
        corrections.rule(transaction, replace(waits.ruling, at_ns=asked.at_ns, who=f"{first.name}, {asked.who}"))


def _unapproved(
    transaction: Transaction, waits: ProposedRuling | MeterOrder, asked: ApproveOrder
) -> RefusalReason | None:
    """Why an approval does not count; None: it does."""
    refused = not_second_reason(_proposer(waits), Person(asked.who, asked.vouched), "proposed it")
    if refused is not None:
        return refused
    return (
        orders.refusal_of_order(transaction, waits)
        if isinstance(waits, MeterOrder)
        else _tried(transaction, waits.ruling)
    )


def _withdraw(transaction: Transaction, asked: WithdrawOrder) -> None:
    """Anybody may take a proposal back."""
    if _waiting(transaction, asked.order) is None:
        transaction.refuse(f"withdraw order {asked.order}", asked.who, _NO_ORDER)
        return
    _forget(transaction, asked.order)
    transaction.emit(OrderWithdrawn(asked.order, asked.who, asked.why))


def _waiting(transaction: Transaction, number: int) -> ProposedRuling | MeterOrder | None:
    """The proposal of this number."""
    waits: tuple[ProposedRuling | MeterOrder, ...] = (
        *transaction.state.proposed,
        *transaction.state.progressives.orders,
    )
    return next((one for one in waits if one.number == number), None)


def _proposer(waits: ProposedRuling | MeterOrder) -> Person:
    """Who made a proposal."""
    made = waits if isinstance(waits, MeterOrder) else waits.ruling
    return Person(made.who, made.vouched)


def _tried(transaction: Transaction, ruling: Ruling) -> RefusalReason | None:
    """Why a ruling would be refused now; None: it would not."""
    return corrections.carry_out(Transaction(transaction.table(), transaction.stamped), ruling)


def _forget(transaction: Transaction, number: int) -> None:
    """The proposal waits no longer."""
    known = transaction.state.progressives
    transaction.change(
        proposed=tuple(one for one in transaction.state.proposed if one.number != number),
        progressives=replace(known, orders=tuple(one for one in known.orders if one.number != number)),
    )
