"""Orders that take two persons: one proposes, another approves or withdraws, whatever the order moves.

Rulings that move money wait here where the house wants two for them, and orders that move a meter always do. Nothing
is moved by a proposal. It is tried out when it is made and judged again when it is approved, for the round or the meter
may have changed. All proposals share their numbers, so that an order has one number at a table; who is a second person
is said in one place (``persons.no_second``).
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.analysis.net_bounds import net_bounds
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.inputs import AdjustWager, ApproveOrder, MeterRuling, Ruling, VoidRound, WithdrawOrder
from controller.core.messages.meter_events import OrderApproved, OrderWithdrawn
from controller.core.messages.raised_alerts import Kind
from controller.core.meters.state import ORDERS_LIMIT, Order
from controller.core.people import corrections
from controller.core.persons import Person, no_second, nobody
from controller.core.progressives import orders
from controller.core.table.alert_list import money, raise_alert
from controller.core.table.ledger import book_of
from controller.core.table.state import Proposed
from controller.core.table.transaction import Desk

NO_ORDER = "no such order waits"


def rule(desk: Desk, ruling: Ruling) -> None:
    """Carry out a ruling; where it takes two people, keep it until another approves.

    It does where the house says so, and in every house for a due that no round of cards accounts for and for a round
    that has long left the books.
    """
    beyond = beyond_rules(desk, ruling)
    if not isinstance(ruling, VoidRound | AdjustWager) or not (beyond or desk.house.two_persons or late(desk, ruling)):
        corrections.rule(desk, ruling)
        return
    unknown = nobody(Person(ruling.who, ruling.vouched))
    refusals = (unknown,) if unknown else tried(desk, ruling)
    if len(desk.state.proposed) >= ORDERS_LIMIT:
        refusals = (f"{ORDERS_LIMIT} orders wait already; approve or withdraw some",)
    if refusals:
        desk.tell(OrderRefused(corrections.what(ruling), "; ".join(refusals), ruling.who))
        return
    number = desk.state.progressives.ordered + 1
    desk.change(
        proposed=(*desk.state.proposed, Proposed(number, ruling)),
        progressives=replace(desk.state.progressives, ordered=number),
    )
    spot, bet, due = corrections.ruled_wager(ruling)
    vouched = ruling.vouched.text()
    desk.tell(RulingProposed(number, ruling.round, spot, bet, due, ruling.who, ruling.why, vouched))
    if beyond:
        raise_alert(
            desk, Kind.RULING_BEYOND_RULES, f"{ruling.who} proposes: {beyond}", round=ruling.round, spot=spot, zone=bet
        )


def late(desk: Desk, ruling: VoidRound | AdjustWager) -> bool:
    """Whether a ruling is on a round that was recalled from the journal."""
    book = book_of(desk.state.books, ruling.round)
    return book is not None and book.recalled


def beyond_rules(desk: Desk, ruling: Ruling) -> str:
    """What a ruling orders that no cards could give its wager, in words; empty: they could."""
    book = book_of(desk.state.books, ruling.round) if isinstance(ruling, AdjustWager) else None
    if book is None or not isinstance(ruling, AdjustWager):
        return ""
    row, main = book.row(ruling.spot, ruling.bet), book.row(ruling.spot, "main")
    if (row is None and ruling.bet != "insurance") or main is None:
        return ""
    wager_cents = 0 if row is None else row.wager_cents
    bounds = net_bounds(desk.rules, ruling.bet, wager_cents, main.wager_cents, desk.state.progressives)
    if bounds.hold(ruling.net_cents):
        return ""
    given = f"its rules give {money(bounds.least)} to {money(bounds.most)}"
    return f"round {ruling.round} spot {ruling.spot} {ruling.bet} due {money(ruling.net_cents)}, and {given}"


def order(desk: Desk, asked: MeterRuling) -> None:
    """What people do with proposals, and with meters and jackpots."""
    match asked:
        case ApproveOrder():
            approve(desk, asked)
        case WithdrawOrder():
            withdraw(desk, asked)
        case _:
            orders.rule(desk, asked)


def approve(desk: Desk, asked: ApproveOrder) -> None:
    """Carry a proposal out in both names, or say why it cannot be."""
    waits = waiting(desk, asked.order)
    refused = NO_ORDER if waits is None else unapproved(desk, waits, asked)
    if waits is None or refused:
        desk.tell(OrderRefused(f"approve order {asked.order}", refused, asked.who))
        return
    forget(desk, asked.order)
    first = proposer(waits)
    desk.tell(OrderApproved(asked.order, first.name, asked.who, first.vouched.text(), asked.vouched.text()))
    if isinstance(waits, Order):
        orders.approved(desk, waits, asked.who)
    else:
        corrections.rule(desk, replace(waits.ruling, at_ns=asked.at_ns, who=f"{first.name}, {asked.who}"))


def unapproved(desk: Desk, waits: Proposed | Order, asked: ApproveOrder) -> str:
    """Why an approval does not count; empty: it does."""
    refused = no_second(proposer(waits), Person(asked.who, asked.vouched), "proposed it")
    if refused:
        return refused
    return orders.cannot(desk, waits) if isinstance(waits, Order) else "; ".join(tried(desk, waits.ruling))


def withdraw(desk: Desk, asked: WithdrawOrder) -> None:
    """Anybody may take a proposal back."""
    if waiting(desk, asked.order) is None:
        desk.tell(OrderRefused(f"withdraw order {asked.order}", NO_ORDER, asked.who))
        return
    forget(desk, asked.order)
    desk.tell(OrderWithdrawn(asked.order, asked.who, asked.why))


def waiting(desk: Desk, number: int) -> Proposed | Order | None:
    """The proposal of this number."""
    waits: tuple[Proposed | Order, ...] = (*desk.state.proposed, *desk.state.progressives.orders)
    return next((one for one in waits if one.number == number), None)


def proposer(waits: Proposed | Order) -> Person:
    """Who made a proposal."""
    made = waits if isinstance(waits, Order) else waits.ruling
    return Person(made.who, made.vouched)


def tried(desk: Desk, ruling: Ruling) -> tuple[str, ...]:
    """Why a ruling would be refused now; none: it would not."""
    trial = Desk(desk.table(), desk.stamped)
    corrections.rule(trial, ruling)
    return tuple(event.reason for event in trial.events if isinstance(event, OrderRefused))


def forget(desk: Desk, number: int) -> None:
    """The proposal waits no longer."""
    known = desk.state.progressives
    desk.change(
        proposed=tuple(one for one in desk.state.proposed if one.number != number),
        progressives=replace(known, orders=tuple(one for one in known.orders if one.number != number)),
    )
