"""Orders that take two persons: one proposes, another approves or withdraws, whatever the order moves.

Rulings that move money wait here where the house wants two for them, and orders that move a meter always do. Nothing
is moved by a proposal. It is tried out when it is made and judged again when it is approved, for the round or the meter
may have changed. All proposals share their numbers, so that an order has one number at a table; who is a second person
is said in one place (``persons.not_second_reason``).
"""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from controller.core.messages.floor_events import OrderProposed, RulingProposed, Vouched
from controller.core.messages.inputs import (
    AdjustWager,
    ApproveOrder,
    AssignCard,
    DeclareBox,
    EnterInventory,
    MeterRuling,
    Ruling,
    SetCard,
    VoidRound,
    WithdrawOrder,
)
from controller.core.messages.meter_events import OrderApproved, OrderWithdrawn
from controller.core.messages.raised_alerts import AlertKind
from controller.core.meters.state import MeterOrder
from controller.core.people import corrections, table_inventory, two_person_rule
from controller.core.persons import Person, not_second_reason, unvouched_reason
from controller.core.progressives import orders
from controller.core.refusal_reason import RefusalReason
from controller.core.table.alert_list import money, raise_alert_about
from controller.core.table.state import ProposedRuling
from controller.core.table.transaction import Transaction

_NO_ORDER = RefusalReason("no_such_order", "no such order waits")


def take_ruling(transaction: Transaction, ruling: Ruling | EnterInventory) -> None:
    """Carry out a ruling or a count; where it takes two people, keep it until another approves.

    ``two_person_rule`` says which do.
    """
    beyond = two_person_rule.beyond_rules(transaction, ruling)
    overrules = two_person_rule.overrules(transaction, ruling)
    if not (beyond or two_person_rule.applies(transaction, ruling, overrules)):
        refused = _carry_out(transaction, ruling, transaction.house.known_by(ruling.vouched))
        if overrules and refused is None:
            _alert(transaction, ruling, f"{ruling.who} alone: {overrules}")
        return
    person = Person(ruling.who, ruling.vouched)
    refused = unvouched_reason(person) or _tried(transaction, ruling)
    refused = orders.no_room(transaction, person, transaction.state.proposed) or refused
    if refused is not None:
        transaction.refuse(_text(ruling), ruling.who, refused)
        return
    number, about = transaction.state.progressives.ordered + 1, two_person_rule.round_of(transaction, ruling)
    transaction.change(
        proposed=(*transaction.state.proposed, ProposedRuling(number, ruling, about)),
        progressives=replace(transaction.state.progressives, ordered=number),
    )
    transaction.emit(_proposed(number, ruling, about))
    if beyond:
        _alert(transaction, ruling, f"{ruling.who} proposes: {beyond}")


def _alert(transaction: Transaction, ruling: Ruling | EnterInventory, text: str) -> None:
    """Raise what an order wants a person to know who did not give it."""
    by = Person(ruling.who, ruling.vouched) if transaction.house.orders_bounded else None
    match ruling:
        case AdjustWager(_, number, spot, bet):
            raise_alert_about(transaction, by, AlertKind.RULING_BEYOND_RULES, text, round=number, spot=spot, zone=bet)
        case EnterInventory():
            raise_alert_about(transaction, by, AlertKind.INVENTORY_UNLIKELY, text)
        case _:
            place = two_person_rule.round_of(transaction, ruling)
            raise_alert_about(transaction, by, AlertKind.CORRECTED_ALONE, text, round=place)


def _proposed(number: int, ruling: Ruling | EnterInventory, round_number: int | None) -> RulingProposed | OrderProposed:
    """A proposal as it is published."""
    match ruling:
        case VoidRound() | AdjustWager():
            spot, bet, due = corrections.ruled_wager(ruling)
            people = (ruling.who, ruling.why, ruling.vouched.text())
            return RulingProposed(number, ruling.round, spot, bet, due, *people)
        case _:
            return order_proposed(number, ruling, round_number)


def order_proposed(
    number: int, asked: SetCard | AssignCard | DeclareBox | EnterInventory, round_number: int | None
) -> OrderProposed:
    """A proposal that is no ruling on a wager, as it is published; ``round_number``: the round it is about."""
    card: int | None = None
    face: str | None = None
    spot: int | None = None
    cents: int | None = None
    match asked:
        case SetCard(_, card, named):
            verb, face = "set-card", None if named is None else str(named)
            text = f"card {card} is {face or 'no card of the round'}"
        case AssignCard(_, card, spot):
            verb, text = "assign-card", f"card {card} is {f'of spot {spot}' if spot else 'of the dealer'}"
        case DeclareBox(_, spot, cents):
            amount = f"in play for {money(cents)}" if cents > 0 else "not in play"
            verb, text = "declare-box", f"spot {spot} is {amount}"
        case EnterInventory(_, kind, cents):
            verb, text, round_number = "inventory", f"{kind} {money(cents)}", None
        case _:
            assert_never(asked)
    places = (round_number, card, face, spot, cents)
    return OrderProposed(number, verb, text, *places, asked.who, asked.why, asked.vouched.text())


def order(transaction: Transaction, asked: MeterRuling) -> None:
    """What people do with proposals, and with meters and jackpots."""
    match asked:
        case ApproveOrder():
            _approve(transaction, asked)
        case WithdrawOrder():
            _withdraw(transaction, asked)
        case _:
            orders.take_meter_order(transaction, asked)


def _approve(transaction: Transaction, asked: ApproveOrder) -> None:
    """Carry a proposal out in both names, or say why it cannot be."""
    waits = _waiting(transaction, asked.order)
    refused = _NO_ORDER if waits is None else _unapproved(transaction, waits, asked)
    if waits is None or refused is not None:
        refused = refused or _NO_ORDER
        transaction.refuse(f"approve order {asked.order}", asked.who, refused)
        return
    _forget(transaction, asked.order)
    first = orders.proposer(waits)
    transaction.emit(OrderApproved(asked.order, first.name, asked.who, first.vouched.text(), asked.vouched.text()))
    if isinstance(waits, MeterOrder):
        orders.carry_out_approved(transaction, waits, asked.who)
    else:
        both = transaction.house.known_by(first.vouched, asked.vouched)
        _carry_out(transaction, replace(waits.ruling, at_ns=asked.at_ns, who=f"{first.name}, {asked.who}"), both)


def _unapproved(
    transaction: Transaction, waits: ProposedRuling | MeterOrder, asked: ApproveOrder
) -> RefusalReason | None:
    """Why an approval does not count; None: it does."""
    second, alike = Person(asked.who, asked.vouched), transaction.house.orders_bounded
    refused = not_second_reason(orders.proposer(waits), second, "proposed it", alike=alike)
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
    return next((one for one in orders.waiting_orders(transaction) if one.number == number), None)


def _carry_out(transaction: Transaction, ruling: Ruling | EnterInventory, vouched: Vouched) -> RefusalReason | None:
    """Carry out an order, or say why it cannot be."""
    if isinstance(ruling, EnterInventory):
        refused = table_inventory.enter(transaction, ruling, vouched)
        if refused is not None:
            transaction.refuse(_text(ruling), ruling.who, refused)
        return refused
    return corrections.carry_out_or_refuse(transaction, ruling, vouched)


def _text(ruling: Ruling | EnterInventory) -> str:
    """An order as a refused one is named."""
    return f"enter {ruling.kind}" if isinstance(ruling, EnterInventory) else corrections.ruling_text(ruling)


def _tried(transaction: Transaction, ruling: Ruling | EnterInventory) -> RefusalReason | None:
    """Why an order would be refused now; None: it would not."""
    trial = Transaction(transaction.table(), transaction.stamped)
    if isinstance(ruling, EnterInventory):
        return table_inventory.enter(trial, ruling, msgspec.UNSET)
    return corrections.carry_out(trial, ruling)


def _forget(transaction: Transaction, number: int) -> None:
    """The proposal waits no longer."""
    known = transaction.state.progressives
    transaction.change(
        proposed=tuple(one for one in transaction.state.proposed if one.number != number),
        progressives=replace(known, orders=tuple(one for one in known.orders if one.number != number)),
    )
