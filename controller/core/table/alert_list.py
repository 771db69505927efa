"""Raising an alert, and taking it off the list when a named person has seen it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from controller.core.messages.inputs import AcknowledgeAlert
from controller.core.messages.raised_alerts import (
    LISTED_LIMIT,
    SEVERITY,
    AcknowledgedAlert,
    AlertAcknowledged,
    AlertKind,
    AlertRaised,
    acknowledged,
    with_raised,
)
from controller.core.refusal_reason import RefusalReason
from controller.core.table.transaction import Transaction


def acknowledge(transaction: Transaction, given: AcknowledgeAlert) -> None:
    """A named person has seen an alert."""
    listed = transaction.state.alerts.find(given.alert)
    if listed is None:
        refused = RefusalReason("no_such_alert", "no such alert is unacknowledged")
        transaction.refuse(f"ack {given.alert}", given.who, refused)
        return
    seen = AcknowledgedAlert(listed, given.who, given.note, transaction.stamped.wall_ns)
    transaction.change(alerts=acknowledged(transaction.state.alerts, seen))
    transaction.emit(AlertAcknowledged(given.alert, listed.kind, given.who, given.note))


def raise_alert(transaction: Transaction, kind: AlertKind, text: str, **evidence: Any) -> None:  # noqa: ANN401 - fields of AlertRaised
    """Publish an alert and list it until somebody acknowledges it.

    The last place of a full list says that it is full; until that is acknowledged, what follows is published but not
    listed.
    """
    if not _is_full(transaction) and len(transaction.state.alerts.listed) == LISTED_LIMIT - 1:
        text_full = f"{LISTED_LIMIT - 1} alerts wait for somebody; those that follow are published but not listed"
        _put_on_list(transaction, AlertKind.ALERTS_UNREAD, text_full, {})
    _put_on_list(transaction, kind, text, evidence)


def _is_full(transaction: Transaction) -> bool:
    """Whether the list's last place says that it is full."""
    return any(one.kind is AlertKind.ALERTS_UNREAD for one in transaction.state.alerts.listed)


def _put_on_list(transaction: Transaction, kind: AlertKind, text: str, evidence: dict[str, Any]) -> None:
    """Publish an alert under the next number, and list it if there is room."""
    alerts, full = transaction.state.alerts, _is_full(transaction)
    fields = {"severity": SEVERITY[kind], "readings": (transaction.stamped.number,), **evidence}
    event = AlertRaised(alerts.raised + 1, kind, text=text, **fields)
    transaction.emit(event)
    now = replace(alerts, raised=event.alert) if full else with_raised(alerts, event, transaction.stamped.wall_ns)
    transaction.change(alerts=now)


def money(cents: int) -> str:
    """An amount for people: ``12.50``."""
    whole, part = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{part:02}"
