"""Orders that take two persons: one proposes, another approves or withdraws, whatever the order moves.

Rulings that move money wait here where the house wants two for them, and orders that move a meter always do. Nothing
is moved by a proposal. It is tried out when it is made and judged again when it is approved, for the round or the meter
may have changed. It acts on what it was about when it was made, which is what the second person reads; where that is
there no longer, the round of a box or the gaming day of a count, it lapses. All proposals share their numbers, so that
an order has one number at a table; who is a second person is said in one place (``persons.not_second_reason``).
"""

from __future__ import annotations

from typing import assert_never

import msgspec
from msgspec.structs import replace

from controller.core.messages.floor_events import OrderProposed, RulingProposed, Vouched
from controller.core.messages.house import House
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
    trial = two_person_rule.OrderTrial(transaction, ruling)
    beyond = two_person_rule.beyond_rules(transaction, ruling)
    overruled = two_person_rule.overruled(transaction, ruling, trial)
    if beyond or two_person_rule.applies(transaction, ruling, overruled):
        _propose(transaction, ruling, trial, beyond)
        return
    refused = _carry_out(transaction, ruling, transaction.house.known_by(ruling.vouched))
    if overruled and refused is None:
        _alert(transaction, ruling, f"{ruling.who} alone: {overruled}", AlertKind.CORRECTED_ALONE)


def _propose(
    transaction: Transaction, ruling: Ruling | EnterInventory, trial: two_person_rule.OrderTrial, beyond: str
) -> None:
    """Keep an order until another approves it, or say why it cannot wait or could not be carried out anyway."""
    person = Person(ruling.who, ruling.vouched)
    refused = orders.no_room(transaction, person, transaction.state.proposed) or unvouched_reason(person)
    refused = refused or trial.refused
    if refused is not None:
        transaction.refuse(_text(ruling), ruling.who, refused)
        return
    kept = _bound(transaction, ruling, beyond)
    transaction.change(
        proposed=(*transaction.state.proposed, kept),
        progressives=replace(transaction.state.progressives, ordered=kept.number),
    )
    transaction.emit(_proposed(transaction.house, kept))
    if beyond:
        _alert(transaction, ruling, f"{ruling.who} proposes: {beyond}")


def _bound(transaction: Transaction, ruling: Ruling | EnterInventory, beyond: str) -> ProposedRuling:
    """A proposal with what it is about: it acts on that or on nothing."""
    number, about = transaction.state.progressives.ordered + 1, two_person_rule.round_of(transaction, ruling)
    if not transaction.house.proposals_bound:
        return ProposedRuling(number, ruling, about)
    today = transaction.state.gaming_day
    if not isinstance(ruling, EnterInventory):
        return ProposedRuling(number, ruling, about, beyond=bool(beyond))
    if not ruling.gaming_day:
        return ProposedRuling(number, ruling, about, today)
    return ProposedRuling(
        number, replace(ruling, gaming_day=table_inventory.day_named(ruling.gaming_day, today)), about
    )


def review(transaction: Transaction) -> None:
    """Proposals lapse whose round, card or gaming day is there no longer: nobody can approve what they read."""
    if not transaction.house.proposals_bound:
        return
    for one in transaction.state.proposed:
        if why := _lapsed(transaction, one):
            _forget(transaction, one.number)
            transaction.emit(OrderWithdrawn(one.number, "table", why))


def _lapsed(transaction: Transaction, waits: ProposedRuling) -> str:
    """What a proposal was about and is there no longer, in words; empty: it is there."""
    match waits.ruling:
        case EnterInventory():
            begun = waits.gaming_day and transaction.state.gaming_day != waits.gaming_day
            return f"gaming day {waits.gaming_day} is over" if begun else ""
        case ruling if two_person_rule.round_of(transaction, ruling) == waits.round:
            return ""
        case SetCard(_, card) | AssignCard(_, card):
            return f"card {card} is no longer a card of round {waits.round}"
        case _:
            return "its round has begun" if waits.round is None else f"round {waits.round} is over"


def _alert(
    transaction: Transaction,
    ruling: Ruling | EnterInventory,
    text: str,
    of_wager: AlertKind = AlertKind.RULING_BEYOND_RULES,
) -> None:
    """Raise what an order wants a person to know who did not give it; ``of_wager``: if it rules on a wager."""
    by = (Person(ruling.who, ruling.vouched),) if transaction.house.orders_bounded else ()
    match ruling:
        case AdjustWager(_, number, spot, bet):
            raise_alert_about(transaction, by, of_wager, text, round=number, spot=spot, zone=bet)
        case EnterInventory():
            raise_alert_about(transaction, by, AlertKind.INVENTORY_UNLIKELY, text)
        case _:
            place = two_person_rule.round_of(transaction, ruling)
            raise_alert_about(transaction, by, AlertKind.CORRECTED_ALONE, text, round=place)


def _proposed(house: House, waits: ProposedRuling) -> RulingProposed | OrderProposed:
    """A proposal as it is published."""
    match waits.ruling:
        case VoidRound() | AdjustWager() as ruling:
            spot, bet, due = corrections.ruled_wager(ruling)
            case = ruling.case if house.proposals_bound else msgspec.UNSET
            people = (ruling.who, ruling.why, ruling.vouched.text())
            return RulingProposed(waits.number, ruling.round, spot, bet, due, *people, case)
        case ruling:
            return order_proposed(house, waits, ruling)


def order_proposed(
    house: House, waits: ProposedRuling, asked: SetCard | AssignCard | DeclareBox | EnterInventory
) -> OrderProposed:
    """A proposal that is no ruling on a wager, as it is published."""
    round_number = waits.round
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
    people = (asked.who, asked.why, asked.vouched.text())
    if not isinstance(asked, EnterInventory) or not house.proposals_bound:
        return OrderProposed(waits.number, verb, text, *places, *people)
    day = asked.gaming_day or waits.gaming_day
    text += table_inventory.details(asked, day)
    return OrderProposed(waits.number, verb, text, *places, *people, day, asked.shift, asked.slip, asked.chips)


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
    first = transaction.proposer = orders.proposer(waits)
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
    if isinstance(waits, MeterOrder):
        return orders.refusal_of_order(transaction, waits)
    return two_person_rule.OrderTrial(transaction, waits.ruling).refused or _now_beyond(transaction, waits)


def _now_beyond(transaction: Transaction, waits: ProposedRuling) -> RefusalReason | None:
    """That a ruling is beyond the rules since it was proposed; None: it is not, or whoever approves knows it."""
    beyond = two_person_rule.beyond_rules(transaction, waits.ruling)
    if not beyond or waits.beyond or not transaction.house.proposals_bound:
        return None
    known = (replace(one, beyond=True) if one.number == waits.number else one for one in transaction.state.proposed)
    transaction.change(proposed=tuple(known))
    _alert(transaction, waits.ruling, f"{waits.ruling.who} proposes: {beyond}")
    return RefusalReason("changed_since", f"since it was proposed the wager has changed: {beyond}")


def _withdraw(transaction: Transaction, asked: WithdrawOrder) -> None:
    """Anybody may take a proposal back."""
    if _waiting(transaction, asked.order) is None:
        transaction.refuse(f"withdraw order {asked.order}", asked.who, _NO_ORDER)
        return
    _forget(transaction, asked.order)
    known = transaction.house.known_now_by(asked.vouched)
    transaction.emit(OrderWithdrawn(asked.order, asked.who, asked.why, known))


def _waiting(transaction: Transaction, number: int) -> ProposedRuling | MeterOrder | None:
    """The proposal of this number."""
    return next((one for one in orders.waiting_orders(transaction) if one.number == number), None)


def _carry_out(transaction: Transaction, ruling: Ruling | EnterInventory, vouched: Vouched) -> RefusalReason | None:
    """Carry out an order, or say why it cannot be."""
    if isinstance(ruling, EnterInventory):
        refused = table_inventory.enter(transaction, ruling, vouched)
    else:
        refused = corrections.carry_out(transaction, ruling, vouched)
    if refused is not None:
        transaction.refuse(_text(ruling), ruling.who, refused)
    return refused


def _text(ruling: Ruling | EnterInventory) -> str:
    """An order as a refused one is named."""
    return f"enter {ruling.kind}" if isinstance(ruling, EnterInventory) else corrections.ruling_text(ruling)


def _forget(transaction: Transaction, number: int) -> None:
    """The proposal waits no longer."""
    known = transaction.state.progressives
    transaction.change(
        proposed=tuple(one for one in transaction.state.proposed if one.number != number),
        progressives=replace(known, orders=tuple(one for one in known.orders if one.number != number)),
    )
