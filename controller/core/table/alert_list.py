"""Raising an alert, and taking it off the list when a named person has seen it."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.inputs import Acknowledged
from controller.core.messages.raised_alerts import (
    LISTED_LIMIT,
    SEVERITY,
    AlertAcknowledged,
    AlertRaised,
    Kind,
    with_raised,
    without,
)
from controller.core.table.transaction import Desk


def acknowledge(desk: Desk, given: Acknowledged) -> None:
    """A named person has seen an alert."""
    listed = desk.state.alerts.find(given.alert)
    if listed is None:
        desk.tell(OrderRefused(f"ack {given.alert}", "no such alert is unacknowledged", given.who))
        return
    desk.change(alerts=without(desk.state.alerts, given.alert))
    desk.tell(AlertAcknowledged(given.alert, listed.kind, given.who, given.note))


def raise_alert(desk: Desk, kind: Kind, text: str, **evidence: Any) -> None:  # noqa: ANN401 - fields of AlertRaised
    """Publish an alert and list it until somebody acknowledges it.

    The last place of a full list says that it is full; until that is acknowledged, what follows is published but not
    listed.
    """
    if not is_full(desk) and len(desk.state.alerts.listed) == LISTED_LIMIT - 1:
        text_full = f"{LISTED_LIMIT - 1} alerts wait for somebody; those that follow are published but not listed"
        put_on_list(desk, Kind.ALERTS_UNREAD, text_full, {})
    put_on_list(desk, kind, text, evidence)


def is_full(desk: Desk) -> bool:
    """Whether the list's last place says that it is full."""
    return any(one.kind is Kind.ALERTS_UNREAD for one in desk.state.alerts.listed)


def put_on_list(desk: Desk, kind: Kind, text: str, evidence: dict[str, Any]) -> None:
    """Publish an alert under the next number, and list it if there is room."""
    alerts, full = desk.state.alerts, is_full(desk)
    fields = {"severity": SEVERITY[kind], "readings": (desk.stamped.number,), **evidence}
    event = AlertRaised(alerts.raised + 1, kind, text=text, **fields)
    desk.tell(event)
    now = replace(alerts, raised=event.alert) if full else with_raised(alerts, event, desk.stamped.wall_ns)
    desk.change(alerts=now)


def money(cents: int) -> str:
    """An amount for people: ``12.50``."""
    whole, part = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole}.{part:02}"
