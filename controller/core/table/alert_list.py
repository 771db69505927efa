"""Raising an alert, and taking it off the list when a named person has seen it."""

from __future__ import annotations

from typing import Any, Final

from msgspec.structs import replace

from controller.core.messages.inputs import AcknowledgeAlert, ApproveOrder, Ruling
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
from controller.core.persons import Person, may_be_one, not_second_reason
from controller.core.refusal_reason import RefusalReason
from controller.core.table.transaction import Transaction

_NO_ALERT: Final = RefusalReason("no_such_alert", "no such alert is unacknowledged")
_MADE_BY_ORDERS: Final = frozenset(
    {
        *(AlertKind.WAGER_OUTSIDE_LIMITS, AlertKind.SIDE_BET_WITHOUT_MAIN, AlertKind.SIDE_BET_REFUSED),
        *(AlertKind.MID_SHOE_ENTRY, AlertKind.INSURANCE_TOO_LARGE, AlertKind.IMPOSSIBLE_CARD),
        *(AlertKind.ROUND_IRREGULAR, AlertKind.DEALER_AGAINST_RULE, AlertKind.CARD_OUT_OF_TURN),
        *(AlertKind.SETTLEMENT_DISPUTED, AlertKind.MISPAY, AlertKind.LOSING_BET_LEFT, AlertKind.WINNING_BET_TAKEN),
    }
)
"""What a card, a box or a due that a person states may raise at once."""

_ORDERED: Final = "gave the order it is about"


def acknowledge(transaction: Transaction, given: AcknowledgeAlert) -> None:
    """A named person has seen an alert; one about their own order is for another."""
    listed = transaction.state.alerts.find(given.alert)
    refused = _NO_ALERT if listed is None else _own_order(listed, Person(given.who, given.vouched))
    if listed is None or refused is not None:
        transaction.refuse(f"ack {given.alert}", given.who, refused or _NO_ALERT)
        return
    seen = AcknowledgedAlert(listed, given.who, given.note, transaction.stamped.wall_ns)
    transaction.change(alerts=transaction.state.alerts.with_acknowledged(seen))
    vouched = transaction.house.known_by(given.vouched)
    transaction.emit(AlertAcknowledged(given.alert, listed.kind, given.who, given.note, vouched))


def _own_order(listed: UnacknowledgedAlert, person: Person) -> RefusalReason | None:
    """Why a person cannot acknowledge an alert about somebody's order; None: they are another.

    Where nothing vouched for who ordered it (MQTT), names are all there is.
    """
    if not listed.who:
        return None
    if listed.vouched.by != "nothing":
        first = Person(listed.who, listed.vouched)
        return not_second_reason(first, person, _ORDERED, alike=True, must="acknowledge it")
    if may_be_one(listed.who, person.name):
        return RefusalReason("second_person_needed", f"{listed.who} {_ORDERED}; another person must acknowledge it")
    return None


def raise_alert(transaction: Transaction, kind: AlertKind, text: str, **evidence: Any) -> None:  # noqa: ANN401 - fields of AlertRaised
    """Publish an alert and list it until somebody acknowledges it.

    The last place of a full list says that it is full; until that is acknowledged, what follows is published and, but
    for the first few of each kind and person, not listed.
    """
    raise_alert_about(transaction, _ordered_by(transaction, kind), kind, text, **evidence)


def raise_alert_about(transaction: Transaction, by: Person | None, kind: AlertKind, text: str, **evidence: Any) -> None:  # noqa: ANN401 - as above
    """The same about an order that a person gave, who does not acknowledge it then."""
    if not _is_full(transaction) and len(transaction.state.alerts.listed) >= LISTED_LIMIT - 1:
        text_full = f"{LISTED_LIMIT - 1} alerts wait for somebody; those that follow are published but not listed"
        _put_on_list(transaction, AlertKind.ALERTS_UNREAD, text_full, {})
    _put_on_list(transaction, kind, text, evidence, by)


def _ordered_by(transaction: Transaction, kind: AlertKind) -> Person | None:
    """The person whose order raises an alert in its own step; None: no order does, or it is about chips that moved."""
    if kind not in _MADE_BY_ORDERS or not transaction.house.orders_traced:
        return None
    given = transaction.stamped.input
    return Person(given.who, given.vouched) if isinstance(given, Ruling | ApproveOrder) else None


def _is_full(transaction: Transaction) -> bool:
    """Whether the list's last place says that it is full."""
    return any(one.kind is AlertKind.ALERTS_UNREAD for one in transaction.state.alerts.listed)


def _put_on_list(
    transaction: Transaction, kind: AlertKind, text: str, evidence: dict[str, Any], by: Person | None = None
) -> None:
    """Publish an alert under the next number, and list it if there is room."""
    alerts, full = transaction.state.alerts, _is_full(transaction)
    fields = {"severity": SEVERITY[kind], "readings": (transaction.stamped.number,), **evidence}
    if by is not None:
        fields["who"] = by.name
    if full and transaction.house.orders_bounded:
        fields["listed"] = _has_place(transaction, kind, by)
        full = not fields["listed"]
    event = AlertRaised(alerts.raised + 1, kind, text=text, **fields)
    transaction.emit(event)
    now = replace(alerts, raised=event.alert) if full else alerts.with_raised(event, transaction.stamped.wall_ns, by)
    transaction.change(alerts=now)


def _has_place(transaction: Transaction, kind: AlertKind, by: Person | None) -> bool:
    """Whether so few of a kind, and of a person's orders, are listed that another has a place in a full list."""
    same = [one for one in transaction.state.alerts.listed if one.kind is kind]
    if by is not None:
        same = [one for one in same if not_second_reason(Person(one.who, one.vouched), by, _ORDERED) is not None]
    return len(same) < RESERVED_EACH


def money(cents: int) -> str:
    """An amount for people: ``12.50``."""
    whole, part = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{part:02}"
