"""The list of unacknowledged alerts: retained for screens, and read again out of a journal's events."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import msgspec

from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised, UnacknowledgedAlert
from controller.formats.mqtt.envelope import Published, utc_text

if TYPE_CHECKING:
    # A program that reads alerts out of events has no use for the rooms of a table's state.
    from controller.core.table.state import State


class AlertNow(msgspec.Struct, frozen=True):
    """An alert that waits for somebody."""

    alert: int
    kind: str
    severity: str
    text: str
    round: int | None
    spot: int | None
    zone: str | None
    raised: str
    who: str = ""
    """Whose order or answer it is about, for another to acknowledge; empty: it is about none."""


class AlertSeen(msgspec.Struct, frozen=True):
    """An alert that ``who`` acknowledged with this ``note``, and when (RFC 3339, UTC)."""

    alert: AlertNow
    who: str
    note: str
    acknowledged: str


class AlertsNow(msgspec.Struct, frozen=True):
    """Retained on ``state/alerts``: the unacknowledged alerts, oldest first.

    ``seq`` is the last event it reflects; ``raised`` counts the alerts of the epoch. ``acknowledged``: the last
    that somebody has seen, oldest first.
    """

    seq: int
    raised: int
    unacknowledged: tuple[AlertNow, ...]
    acknowledged: tuple[AlertSeen, ...] = ()


def alerts_bytes(state: State) -> bytes:
    """The payload of ``state/alerts``."""
    alerts = state.alerts
    seen = tuple(AlertSeen(alert_now(one.alert), one.who, one.note, utc_text(one.seen_ns)) for one in alerts.seen)
    return msgspec.json.encode(AlertsNow(state.seq, alerts.raised, tuple(map(alert_now, alerts.listed)), seen))


def alert_now(one: UnacknowledgedAlert) -> AlertNow:
    """An alert for people."""
    return AlertNow(
        alert=one.alert,
        kind=one.kind,
        severity=one.severity,
        text=one.text,
        round=one.round,
        spot=one.spot,
        zone=one.zone,
        raised=utc_text(one.raised_ns),
        who=", ".join(person.name for person in one.people()),
    )


class ListedAlert(msgspec.Struct, frozen=True):
    """An alert as a journal tells it, by the seq of its event; the last three are empty until somebody has seen it."""

    seq: int
    raised: str
    event: AlertRaised
    who: str = ""
    note: str = ""
    acknowledged: str = ""


def listed_alerts(events: Iterable[Published]) -> tuple[ListedAlert, ...]:
    """Every alert of a journal, oldest first, with who acknowledged it.

    Who acknowledges the alert that says that too many wait acknowledges all that were raised until then without being
    listed.
    """
    listed: dict[int, ListedAlert] = {}
    unlisted: list[int] = []
    full = 0
    for one in events:
        match one.event:
            case AlertRaised() as event:
                listed[event.alert] = ListedAlert(one.seq, one.time, event)
                if full and event.listed is not True:
                    unlisted.append(event.alert)
                full = event.alert if event.kind is AlertKind.ALERTS_UNREAD else full
            case AlertAcknowledged(alert, _, who, note):
                for number in (alert, *unlisted) if alert == full else (alert,):
                    seen = listed[number]
                    listed[number] = ListedAlert(seen.seq, seen.raised, seen.event, who, note, one.time)
                if alert == full:
                    unlisted, full = [], 0
            case _:
                pass
    return tuple(listed.values())
