"""Raising an alert, and taking it off the list when a named person has seen it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from controller.core.game.wager import Basis
from controller.core.messages.inputs import AcknowledgeAlert, AnswerQuestion, ApproveOrder, Ruling
from controller.core.messages.raised_alerts import (
    LISTED_LIMIT,
    RESERVED_EACH,
    SEVERITY,
    AcknowledgedAlert,
    AlertAcknowledged,
    AlertKind,
    AlertRaised,
    UnacknowledgedAlert,
)
from controller.core.persons import NamesAlike, Person, not_second_reason
from controller.core.refusal_reason import RefusalReason
from controller.core.table.ledger import book_of
from controller.core.table.transaction import Transaction

_NO_ALERT: Final = RefusalReason("no_such_alert", "no such alert is unacknowledged")
_PAID_WRONG: Final = (AlertKind.MISPAY, AlertKind.LOSING_BET_LEFT, AlertKind.WINNING_BET_TAKEN)
_MADE_BY_ORDERS: Final = frozenset(
    {
        *(AlertKind.WAGER_OUTSIDE_LIMITS, AlertKind.SIDE_BET_WITHOUT_MAIN, AlertKind.SIDE_BET_REFUSED),
        *(AlertKind.MID_SHOE_ENTRY, AlertKind.INSURANCE_TOO_LARGE, AlertKind.IMPOSSIBLE_CARD),
        *(AlertKind.ROUND_IRREGULAR, AlertKind.DEALER_AGAINST_RULE, AlertKind.CARD_OUT_OF_TURN),
        AlertKind.SETTLEMENT_DISPUTED,
        *_PAID_WRONG,
    }
)
"""What a card, a box, a due or an answer that a person states may raise at once."""

_REST_ON_PEOPLE: Final = frozenset(
    {
        *_PAID_WRONG,
        *(AlertKind.ROUND_IRREGULAR, AlertKind.DEALER_AGAINST_RULE, AlertKind.CARD_OUT_OF_TURN),
        AlertKind.SETTLEMENT_DISPUTED,
    }
)
"""What the cards, boxes and dues of a round raise that earlier words have made what they are."""

_CHIPS_REST_ON_PEOPLE: Final = frozenset(
    {AlertKind.PAST_POSTING, AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.CHIPS_UNEXPLAINED}
)
"""What chips raise that may be right, had earlier words been other ones."""

_CARDS_REST_ON_PEOPLE: Final = frozenset(
    {
        AlertKind.BET_TOUCHED,
        AlertKind.EZ_BUST_WRONG_UP_CARD,
        AlertKind.PROCEDURE_LATE,
        AlertKind.BURNED_IN_PLAY,
        AlertKind.ROUND_UNENDED,
    }
)
"""What else a round raises whose cards are other ones than counted, by earlier words."""

_ORDERED: Final = "gave the order or answer it is about"


def acknowledge(transaction: Transaction, given: AcknowledgeAlert) -> None:
    """A named person has seen an alert; one about their own order is for another."""
    listed = transaction.state.alerts.find(given.alert)
    person, alike = Person(given.who, given.vouched), transaction.house.names_alike()
    refused = _NO_ALERT if listed is None else _own_order(listed, person, alike)
    if listed is None or refused is not None:
        transaction.refuse(f"ack {given.alert}", given.who, refused or _NO_ALERT)
        return
    seen = AcknowledgedAlert(listed, given.who, given.note, transaction.stamped.wall_ns)
    transaction.change(alerts=transaction.state.alerts.with_acknowledged(seen))
    vouched = transaction.house.known_by(given.vouched)
    transaction.emit(AlertAcknowledged(given.alert, listed.kind, given.who, given.note, vouched))


def _own_order(listed: UnacknowledgedAlert, person: Person, alike: NamesAlike) -> RefusalReason | None:
    """Why a person cannot acknowledge an alert about somebody's order; None: they are another.

    Where nothing vouched for who ordered it (MQTT), names are all there is.
    """
    for first in listed.people():
        if first.vouched.by != "nothing":
            refused = not_second_reason(first, person, _ORDERED, alike=alike, must="acknowledge it")
            if refused is not None:
                return refused
        elif alike(first.name, person.name):
            return RefusalReason("second_person_needed", f"{first.name} {_ORDERED}; another person must acknowledge it")
    return None


def raise_alert(transaction: Transaction, kind: AlertKind, text: str, **evidence: Any) -> None:  # noqa: ANN401 - fields of AlertRaised
    """Publish an alert and list it until somebody acknowledges it.

    The last place of a full list says that it is full; until that is acknowledged, what follows is published and, but
    for the first few of each kind and person, not listed. None of the people whom such an alert is about acknowledges
    it.
    """
    by = named_people(transaction) if kind in _MADE_BY_ORDERS and transaction.house.orders_traced else ()
    if _may_rest_on_people(transaction, kind):
        earlier = _relied_on(transaction, evidence)
        by = (*earlier, *(one for one in by if one not in earlier))
    raise_alert_about(transaction, by, kind, text, **evidence)


def raise_alert_about(
    transaction: Transaction,
    by: tuple[Person, ...],
    kind: AlertKind,
    text: str,
    **evidence: Any,  # noqa: ANN401 - as above
) -> None:
    """The same about an order that people gave, none of whom acknowledges it then."""
    if not _is_full(transaction) and len(transaction.state.alerts.listed) >= LISTED_LIMIT - 1:
        text_full = f"{LISTED_LIMIT - 1} alerts wait for somebody; those that follow are published but not listed"
        _put_on_list(transaction, AlertKind.ALERTS_UNREAD, text_full, {})
    _put_on_list(transaction, kind, text, evidence, by)


def named_people(transaction: Transaction) -> tuple[Person, ...]:
    """The people whose order or answer is taken in this step, who proposed it first; empty: nobody's is.

    In journals of before the one who approved it alone.
    """
    given = transaction.stamped.input
    if isinstance(given, Ruling):
        return (Person(given.who, given.vouched),)
    match given:
        case ApproveOrder(who=who, vouched=vouched):
            first = transaction.proposer if transaction.house.floor_claims_checked else None
            return (*(() if first is None else (first,)), Person(who, vouched))
        case AnswerQuestion(who=who, vouched=vouched) if transaction.house.floor_claims_checked:
            return (Person(who, vouched),)
        case _:
            return ()


def _may_rest_on_people(transaction: Transaction, kind: AlertKind) -> bool:
    """Whether a kind of alert may come of what somebody said earlier in its round."""
    if kind in _REST_ON_PEOPLE or (kind in _CHIPS_REST_ON_PEOPLE and transaction.house.words_confirmed):
        return True
    return kind in _CARDS_REST_ON_PEOPLE and transaction.house.declarations_traced


def _relied_on(transaction: Transaction, evidence: Mapping[str, Any]) -> tuple[Person, ...]:
    """Whose word, given earlier, the round rests on that an alert is about.

    A wrong payment rests on it only if the wager's due does: one that was settled before, on the evidence, does not.
    """
    people = transaction.state.people_of(evidence.get("round") or 0)
    if not people or evidence.get("net_cents") is None:
        return people
    book = book_of(transaction.state.books, evidence["round"])
    row = None if book is None else book.row(evidence["spot"], evidence["zone"])
    return () if row is None or row.basis is Basis.EVIDENCE else people


def _is_full(transaction: Transaction) -> bool:
    """Whether the list's last place says that it is full."""
    return any(one.kind is AlertKind.ALERTS_UNREAD for one in transaction.state.alerts.listed)


def _put_on_list(
    transaction: Transaction, kind: AlertKind, text: str, evidence: dict[str, Any], by: tuple[Person, ...] = ()
) -> None:
    """Publish an alert under the next number, and list it if there is room."""
    alerts, full = transaction.state.alerts, _is_full(transaction)
    fields = {"severity": SEVERITY[kind], "readings": (transaction.stamped.number,), **evidence}
    if by:
        fields["who"] = ", ".join(one.name for one in by)
    if full and transaction.house.orders_bounded:
        fields["listed"] = _has_place(transaction, kind, by)
        full = not fields["listed"]
    event = AlertRaised(alerts.raised + 1, kind, text=text, **fields)
    transaction.emit(event)
    if full:
        now = alerts.with_unlisted(event.alert, by if transaction.house.unlisted_named else ())
    else:
        now = alerts.with_raised(event, transaction.stamped.wall_ns, by)
    transaction.change(alerts=now)


def _has_place(transaction: Transaction, kind: AlertKind, by: tuple[Person, ...]) -> bool:
    """Whether so few of a kind, and of the orders of who gave it first, are listed that another has a place."""
    same = [one for one in transaction.state.alerts.listed if one.kind is kind]
    if by:
        same = [one for one in same if not_second_reason(Person(one.who, one.vouched), by[0], _ORDERED) is not None]
    return len(same) < RESERVED_EACH


def money(cents: int) -> str:
    """An amount for people: ``12.50``."""
    whole, part = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{part:02}"
