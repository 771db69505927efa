"""Which orders take two persons; one proposes, another approves or withdraws, whatever the order moves.

A ruling on what a wager is due always does where the house wants two (``two_persons``), and in every house where no
cards account for the due or the round has long left the books. What the table could not see one person says alone, for
the game waits: the face of an unread card, the owner of a card, a box of the next round; of the owner, where the
readings leave it open, another person hears by an alert. To overrule what is known moves money as well, and takes two:
a face that was read or named, that a card left the shoe, a stated owner, a box in a round that has begun, whatever
changes the due of a settled wager, and a count that the table cannot have held. A count that changes what was entered
of a past day takes two in every house, as a late ruling does.

Rulings that move money wait here where the house wants two for them, and orders that move a meter always do. Nothing
is moved by a proposal. It is tried out when it is made and judged again when it is approved, for the round or the meter
may have changed. It acts on what it was about when it was made, which is what the second person reads; where that is
there no longer, the round of a box or the gaming day of a count, it lapses. All proposals share their numbers, so that
an order has one number at a table; who is a second person is said in one place (``persons.not_second_reason``).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import assert_never

import msgspec
from msgspec.structs import replace

from controller.core.analysis.net_bounds import net_bounds
from controller.core.messages.events import CardDealt, Event, WagerAdjusted
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
from controller.core.people import corrections, table_inventory
from controller.core.persons import Person, not_second_reason, unvouched_reason
from controller.core.progressives import orders
from controller.core.refusal_reason import RefusalReason
from controller.core.round import lifecycle
from controller.core.table.alert_list import money, raise_alert_about
from controller.core.table.ledger import BOOKS_LIMIT, book_of
from controller.core.table.state import ProposedRuling
from controller.core.table.transaction import Transaction

_NO_ORDER = RefusalReason("no_such_order", "no such order waits")


class _OrderTrial:
    """An order carried out on a copy of the table, and only there: late in a round of seven boxes it takes long."""

    def __init__(self, transaction: Transaction, ruling: Ruling | EnterInventory) -> None:
        self._copy, self._ruling = Transaction(transaction.table(), transaction.stamped), ruling

    @cached_property
    def refused(self) -> RefusalReason | None:
        """Why the order would be refused now; None: it would not."""
        return _done(self._copy, self._ruling, self._copy.house.known_by(self._ruling.vouched))

    @cached_property
    def events(self) -> Sequence[Event]:
        """What it would give."""
        if self.refused is not None:
            return self._copy.events
        reviewed = Transaction(self._copy.table(), self._copy.stamped)
        reviewed.take_over(self._copy)
        lifecycle.review(reviewed)
        return reviewed.events

    def carry_out(self, transaction: Transaction) -> RefusalReason | None:
        """Carry it out on the table too, which is as it was; why that cannot be; None: it is done."""
        refused = self.refused
        transaction.take_over(self._copy)
        return _said(transaction, self._ruling, refused)


def take_ruling(transaction: Transaction, ruling: Ruling | EnterInventory) -> None:
    """Carry out a ruling or a count; where it takes two people, keep it until another approves."""
    trial = _OrderTrial(transaction, ruling)
    beyond = _beyond_rules(transaction, ruling)
    overruled = _overruled(transaction, ruling, trial)
    if beyond or _takes_two(transaction, ruling, overruled):
        _propose(transaction, ruling, trial, beyond)
        return
    reported = _said_alone(transaction, ruling)
    place = {"round": _round_of(transaction, ruling)} if isinstance(ruling, AssignCard) else {}
    if trial.carry_out(transaction) is not None:
        return
    if overruled:
        _alert(transaction, ruling, f"{ruling.who} alone: {overruled}", AlertKind.CORRECTED_ALONE)
    elif reported:
        by = (Person(ruling.who, ruling.vouched),)
        raise_alert_about(transaction, by, AlertKind.CORRECTED_ALONE, f"{ruling.who} alone: {reported}", **place)


def _propose(transaction: Transaction, ruling: Ruling | EnterInventory, trial: _OrderTrial, beyond: str) -> None:
    """Keep an order until another approves it, or say why it cannot wait or could not be carried out anyway."""
    person = Person(ruling.who, ruling.vouched)
    unknown = unvouched_reason(person, why=_why_two(transaction, ruling, beyond))
    refused = orders.no_room(transaction, person, transaction.state.proposed) or unknown
    if _said(transaction, ruling, refused or trial.refused) is not None:
        return
    kept = _bound(transaction, ruling, beyond)
    transaction.change(
        proposed=(*transaction.state.proposed, kept),
        progressives=replace(transaction.state.progressives, ordered=kept.number),
    )
    transaction.emit(_proposed(transaction.house, kept))
    if beyond:
        _alert(transaction, ruling, f"{ruling.who} proposes: {beyond}")


def _why_two(transaction: Transaction, ruling: Ruling | EnterInventory, beyond: str) -> str:
    """Why an order takes two persons in every house, and what to do, in words; empty: this house wants it so."""
    if not transaction.house.causes_named:
        return ""
    if beyond:
        return f"{beyond}: correct the amount, or order it over the operator channel for another person to approve"
    if isinstance(ruling, VoidRound | AdjustWager) and _is_recalled(transaction, ruling):
        old = f"round {ruling.round} is past the last {BOOKS_LIMIT}, on which one person may rule"
        return f"{old}: order it over the operator channel for another person to approve"
    return ""


def _bound(transaction: Transaction, ruling: Ruling | EnterInventory, beyond: str) -> ProposedRuling:
    """A proposal with what it is about: it acts on that or on nothing."""
    number, about = transaction.state.progressives.ordered + 1, _round_of(transaction, ruling)
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
        case ruling if _round_of(transaction, ruling) == waits.round:
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
            place = _round_of(transaction, ruling)
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
            verb, text = "assign-card", f"card {card} is {_owner(spot)}"
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
    second, house = Person(asked.who, asked.vouched), transaction.house
    alike = house.names_alike() if house.orders_bounded else None
    refused = not_second_reason(orders.proposer(waits), second, "proposed it", alike=alike)
    if refused is not None:
        return refused
    if isinstance(waits, MeterOrder):
        return orders.refusal_of_order(transaction, waits)
    return _OrderTrial(transaction, waits.ruling).refused or _now_beyond(transaction, waits)


def _now_beyond(transaction: Transaction, waits: ProposedRuling) -> RefusalReason | None:
    """That a ruling is beyond the rules since it was proposed; None: it is not, or whoever approves knows it."""
    beyond = _beyond_rules(transaction, waits.ruling)
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
    return _said(transaction, ruling, _done(transaction, ruling, vouched))


def _said(
    transaction: Transaction, ruling: Ruling | EnterInventory, refused: RefusalReason | None
) -> RefusalReason | None:
    """Why an order is refused, which is said; None: it is not."""
    if refused is not None:
        transaction.refuse(_text(ruling), ruling.who, refused)
    return refused


def _done(transaction: Transaction, ruling: Ruling | EnterInventory, vouched: Vouched) -> RefusalReason | None:
    """Carry out an order; why that cannot be; None: it is done."""
    if isinstance(ruling, EnterInventory):
        return table_inventory.enter(transaction, ruling, vouched)
    return corrections.carry_out(transaction, ruling, vouched)


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


# --- which orders take two --------------------------------------------------------------------------


def _takes_two(transaction: Transaction, ruling: Ruling | EnterInventory, known: str) -> bool:
    """Whether the house wants a second person for an order; ``known``: what is known that it overrules."""
    match ruling:
        case VoidRound() | AdjustWager():
            return transaction.house.two_persons or _is_recalled(transaction, ruling)
        case EnterInventory() if table_inventory.restates_past_day(transaction, ruling):
            return True
        case _:
            return transaction.house.two_persons and bool(known)


def _beyond_rules(transaction: Transaction, ruling: Ruling | EnterInventory) -> str:
    """What a ruling orders that no cards could give its wager, in words; empty: they could."""
    book = book_of(transaction.state.books, ruling.round) if isinstance(ruling, AdjustWager) else None
    if book is None or not isinstance(ruling, AdjustWager):
        return ""
    row, main = book.rulable_row(ruling.spot, ruling.bet), book.rulable_row(ruling.spot, "main")
    if (row is None and ruling.bet != "insurance") or main is None:
        return ""
    wager_cents = 0 if row is None else row.wager_cents
    bounds = net_bounds(transaction.rules, ruling.bet, wager_cents, main.wager_cents, transaction.state.progressives)
    if bounds.hold(ruling.net_cents):
        return ""
    given = f"its rules give {money(bounds.least)} to {money(bounds.most)}"
    return f"round {ruling.round} spot {ruling.spot} {ruling.bet} due {money(ruling.net_cents)}, and {given}"


def _overruled(transaction: Transaction, ruling: Ruling | EnterInventory, trial: _OrderTrial) -> str:
    """What is known that an order overrules, in words; empty: nothing, or the journal is of before that mattered."""
    if not transaction.house.orders_bounded:
        return ""
    match ruling:
        case SetCard(_, card):
            return _known_face(transaction, card) or _struck_card(transaction, ruling) or _changed_due(trial)
        case AssignCard(_, card):
            return _known_owner(transaction, card) or _changed_due(trial)
        case DeclareBox(_, spot, cents):
            number = transaction.state.open_round()
            amount = "not in play" if cents <= 0 else f"in play for {money(cents)}"
            return "" if number is None else f"spot {spot} {amount}, said after round {number} began"
        case EnterInventory():
            return table_inventory.unlikely(transaction, ruling)
        case AdjustWager():
            return _denied_wager(transaction, ruling)
        case _:
            return ""


def _said_alone(transaction: Transaction, ruling: Ruling | EnterInventory) -> str:
    """What another person is to hear of an order that one gives, in words; empty: nothing.

    It changes what another declared of the next deal, or counted; or it says whose a card is, which may turn two wagers
    round, and no reading bears it out. It waits for no second person: the game does not wait, and who counted wrong may
    have gone home.
    """
    return (
        corrections.declared_by_another(transaction, ruling)
        or table_inventory.counted_by_another(transaction, ruling)
        or _open_owner(transaction, ruling)
    )


def _open_owner(transaction: Transaction, ruling: Ruling | EnterInventory) -> str:
    """The card whose owner an order says where the readings do not, in words; empty: it says none, or they do too."""
    if not isinstance(ruling, AssignCard) or not transaction.house.owners_reported:
        return ""
    found = corrections.round_with(transaction, ruling.card)
    if found is None or any(
        isinstance(fact, CardDealt) and fact.card == ruling.card for fact in found[0].evidence.published
    ):
        return ""
    return f"card {ruling.card} is {_owner(ruling.spot)}, which the readings leave open"


def _owner(spot: int) -> str:
    """Whose a card is that is of a spot, in words; spot 0 is the dealer."""
    return f"of spot {spot}" if spot else "of the dealer"


def _round_of(transaction: Transaction, ruling: Ruling | EnterInventory) -> int | None:
    """The round that an order is about; None: the next one, or none."""
    match ruling:
        case VoidRound(_, number) | AdjustWager(_, number):
            return number
        case SetCard(_, card) | AssignCard(_, card):
            found = corrections.round_with(transaction, card)
            return None if found is None else found[0].number
        case DeclareBox():
            return transaction.state.open_round()
        case _:
            return None


def _is_recalled(transaction: Transaction, ruling: VoidRound | AdjustWager) -> bool:
    """Whether a ruling is on a round that was recalled from the journal."""
    book = book_of(transaction.state.books, ruling.round)
    return book is not None and book.recalled


def _known_face(transaction: Transaction, card: int) -> str:
    """That the shoe has read a card, or a person has named it; empty: neither."""
    found = corrections.round_with(transaction, card)
    if found is None:
        return ""
    round_now, place = found
    return "" if round_now.cards.drawn[place].unread else f"card {card}, which was read or named already"


def _known_owner(transaction: Transaction, card: int) -> str:
    """That a person has said whose a card is; empty: nobody has."""
    found = corrections.round_with(transaction, card)
    if found is None:
        return ""
    round_now, place = found
    said = any(place in {one.holds, one.lacks} for one in round_now.evidence.answers)
    return f"card {card}, of which it was said already whose it is" if said else ""


def _denied_wager(transaction: Transaction, ruling: AdjustWager) -> str:
    """That a person has said that what an order rules on was no wager; empty: it is one, or there is none."""
    book = book_of(transaction.state.books, ruling.round)
    if book is None or book.row(ruling.spot, ruling.bet) is not None:
        return ""
    if book.rulable_row(ruling.spot, ruling.bet) is None:
        return ""
    return f"round {ruling.round} spot {ruling.spot} {ruling.bet}, of which it was said that it was not dealt in"


def _struck_card(transaction: Transaction, ruling: SetCard) -> str:
    """That a card left the shoe which an order strikes; empty: it strikes none.

    A hand that waited for that card has its due turned round by it, and nothing shows afterwards what the card was.
    """
    if ruling.face is not None or not transaction.house.proposals_bound:
        return ""
    return (
        "" if corrections.round_with(transaction, ruling.card) is None else f"card {ruling.card}, which left the shoe"
    )


def _changed_due(trial: _OrderTrial) -> str:
    """The settled wager whose due an order would change; empty: it would change none."""
    if trial.refused is not None:
        return ""
    changed = (one for one in trial.events if isinstance(one, WagerAdjusted) and one.before_cents != one.net_cents)
    return next((f"round {one.round} spot {one.spot} {one.bet} was settled already" for one in changed), "")
