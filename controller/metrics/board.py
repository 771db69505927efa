"""The latest picture of each table, and the samples that these are. Pure: messages in, samples out.

A figure that a table has not reported is left out; it is never 0 instead.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from controller.formats.journal.stream import CONSUMER, StreamNow
from controller.formats.mqtt.envelope import DeviceStatus, Status, nanoseconds
from controller.formats.mqtt.retained_alerts import AlertsNow
from controller.formats.mqtt.retained_machine import MachineNow
from controller.formats.mqtt.retained_meters import MetersNow
from controller.formats.mqtt.retained_state import Hold, PaceNow, RoundNow
from controller.formats.text.safe_parse import json_as, reads_outside

TABLES_LIMIT: Final = 2_000
"""Tables that are shown; names beyond it are somebody's flood."""

NAMES_LIMIT: Final = 64
"""Devices, lines, meters, consumers, phases or kinds of alerts shown of one table."""

PICTURE_LIMIT_BYTES: Final = 256 * 1024
"""Many times the largest picture that is read here."""

STATES: Final[dict[str, type[Any]]] = {
    "alerts": AlertsNow,
    "machine": MachineNow,
    "meters": MetersNow,
    "pace": PaceNow,
    "round": RoundNow,
    "stream": StreamNow,
}

HELP: Final[dict[str, str]] = {
    "up": "1: the table's daemon says that it runs",
    "starts": "Starts of the daemon in this epoch",
    "on_hold": "1: the table is on hold",
    "closed": "1: no round may begin",
    "alarms": "Alarms of the daemon, such as a consumer that is behind or a disk that fills",
    "events": "Events in the journal in this epoch",
    "events_unpublished": "Events in the journal that the broker has not acknowledged",
    "consumer_behind_events": "Events that a consumer has not acknowledged",
    "consumer_oldest_seconds": "For how long a consumer has lacked the next event",
    "heard_seconds": "Since the table last said how far it is; it says so every five seconds",
    "round": "Number of the open or last round",
    "rounds_per_hour": "Rounds closed in the last hour, as a rate",
    "rounds_last_hour": "Rounds closed in the last hour",
    "irregular_last_hour": "Rounds published as irregular in the last hour",
    "phase_seconds": "Mean length of each phase of a round in the last hour",
    "questions_last_hour": "Questions asked in the last hour",
    "questions_open": "Questions that wait for an answer",
    "answer_seconds": "Mean wait for an answer in the last hour",
    "alerts_last_hour": "Alerts raised in the last hour, by kind",
    "alerts_waiting": "Alerts that nobody has acknowledged, by severity",
    "device_ready": "1: the device is ready; 0: lost or faulty",
    "device_faults_last_hour": "How often a device was lost or faulty in the last hour",
    "device_down_seconds_last_hour": "For how long a device was lost or faulty in the last hour",
    "device_alarms_last_hour": "A device's own alarms in the last hour",
    "device_damaged_messages_last_hour": "Damaged messages on a device's line in the last hour",
    "line_open": "1: a device's port is open",
    "line_quiet_seconds": "Since the last byte on a line; left out until there was one",
    "journal_disk_free_bytes": "Free for the table on its journal's disk",
    "journal_disk_size_bytes": "Size of the journal's disk",
    "second_copy_behind_records": "Records that the second copy lacks",
    "second_copy_failing": "1: the second copy cannot be written",
    "verified_timestamp_seconds": "When the journal was last found whole since the table's start",
    "meter_shown_cents": "What a meter's sign shows",
    "meter_closed": "1: a meter cannot be won now",
}
"""Every figure of a table, in the order in which they are given; each begins with ``tableside_``."""


class Sample(NamedTuple):
    """One figure: its name as in ``HELP``, its labels in order, its value."""

    name: str
    labels: dict[str, str]
    value: float


class _Pictures(msgspec.Struct):
    status: Status | None = None
    hold: str = ""
    states: dict[str, Any] = {}
    devices: dict[str, str] = {}
    heard: float | None = None


@reads_outside(None)
def read_picture(payload: bytes, kind: type[Any]) -> Any:  # noqa: ANN401 - of the kind given
    """A retained picture; None where it is none."""
    return json_as(payload, kind, limit_bytes=PICTURE_LIMIT_BYTES)


class Board:
    """The latest of every table."""

    def __init__(self) -> None:
        self._tables: dict[tuple[str, str], _Pictures] = {}

    def hear(self, topic: str, payload: bytes, at: float) -> None:
        """A retained message; ``at`` is the listener's own time in seconds. What cannot be read changes nothing."""
        parts = topic.split("/")
        if len(parts) < 5 or parts[:2] != ["tableside", "v1"]:
            return
        table = self._of(parts[2], parts[3])
        if table is None:
            return
        match parts[4:]:
            case ["status"]:
                table.status = read_picture(payload, Status) or table.status
            case ["state", "hold"]:
                hold = read_picture(payload, Hold) if payload else None
                table.hold = hold.reason if hold is not None else ""
            case ["state", name] if name in STATES:
                found = read_picture(payload, STATES[name])
                if found is not None:
                    table.states[name] = found
                    table.heard = at if name == "stream" else table.heard
            case ["device", *name, "status"] if len(table.devices) < NAMES_LIMIT or "/".join(name) in table.devices:
                device = read_picture(payload, DeviceStatus)
                if device is not None:
                    table.devices["/".join(name)] = device.state
            case _:
                pass

    def samples(self, at: float) -> Iterator[Sample]:
        """Every figure that is known, by table."""
        for (site, name), table in sorted(self._tables.items()):
            labels = {"site": site, "table": name}
            for sample in _samples(table, at):
                yield sample._replace(labels={**labels, **sample.labels})

    def _of(self, site: str, name: str) -> _Pictures | None:
        found = self._tables.get((site, name))
        if found is None and len(self._tables) < TABLES_LIMIT and CONSUMER.fullmatch(site) and CONSUMER.fullmatch(name):
            found = self._tables[site, name] = _Pictures()
        return found


def _samples(table: _Pictures, at: float) -> Iterator[Sample]:
    if table.status is not None:
        yield Sample("up", {}, table.status.state == "online")
        yield Sample("starts", {}, table.status.session)
        yield Sample("alarms", {}, len(table.status.alarms))
    yield Sample("on_hold", {}, bool(table.hold))
    if table.heard is not None:
        yield Sample("heard_seconds", {}, max(0.0, at - table.heard))
    for device, state in sorted(table.devices.items()):
        yield Sample("device_ready", {"device": device}, state == "ready")
    for name, make in (
        ("stream", _stream),
        ("round", _round),
        ("pace", _pace),
        ("alerts", _alerts),
        ("machine", _machine),
        ("meters", _meters),
    ):
        if name in table.states:
            yield from make(table.states[name])


def _stream(now: StreamNow) -> Iterator[Sample]:
    yield Sample("events", {}, now.seq)
    yield Sample("events_unpublished", {}, max(0, now.seq - now.published))
    for one in now.consumers[:NAMES_LIMIT]:
        yield Sample("consumer_behind_events", {"consumer": one.consumer}, one.behind)
        yield Sample("consumer_oldest_seconds", {"consumer": one.consumer}, one.oldest_s)


def _round(now: RoundNow) -> Iterator[Sample]:
    yield Sample("round", {}, now.round)
    yield Sample("closed", {}, now.phase == "closed")


def _pace(now: PaceNow) -> Iterator[Sample]:
    found = now.figures
    yield Sample("rounds_per_hour", {}, found.rounds_per_hour)
    yield Sample("rounds_last_hour", {}, found.rounds)
    yield Sample("irregular_last_hour", {}, found.irregular)
    for phase, spent in list(found.phase_ms.items())[:NAMES_LIMIT]:
        yield Sample("phase_seconds", {"phase": phase}, spent / 1000)
    yield Sample("questions_last_hour", {}, found.questions)
    yield Sample("questions_open", {}, found.questions_open)
    yield Sample("answer_seconds", {}, found.answer_ms / 1000)
    for kind, count in list(found.alerts.items())[:NAMES_LIMIT]:
        yield Sample("alerts_last_hour", {"kind": kind}, count)
    for one in found.devices[:NAMES_LIMIT]:
        device = {"device": one.device}
        yield Sample("device_faults_last_hour", device, one.faults)
        yield Sample("device_down_seconds_last_hour", device, one.down_seconds)
        yield Sample("device_alarms_last_hour", device, one.alarms)
        yield Sample("device_damaged_messages_last_hour", device, one.damaged_messages)


def _alerts(now: AlertsNow) -> Iterator[Sample]:
    waiting = Counter(one.severity for one in now.unacknowledged)
    for severity in ("critical", "warning", "notice"):
        yield Sample("alerts_waiting", {"severity": severity}, waiting[severity])


def _machine(now: MachineNow) -> Iterator[Sample]:
    for one in now.lines[:NAMES_LIMIT]:
        yield Sample("line_open", {"line": one.line}, one.is_open)
        if one.quiet_s is not None:
            yield Sample("line_quiet_seconds", {"line": one.line}, one.quiet_s)
    if now.disk is not None:
        yield Sample("journal_disk_free_bytes", {}, now.disk.free_bytes)
        yield Sample("journal_disk_size_bytes", {}, now.disk.size_bytes)
    if now.second_copy is not None:
        yield Sample("second_copy_behind_records", {}, max(0, now.second_copy.of_records - now.second_copy.records))
        yield Sample("second_copy_failing", {}, bool(now.second_copy.trouble))
    whole_at = now.verification.whole_at
    with contextlib.suppress(ValueError):
        if whole_at is not None:
            yield Sample("verified_timestamp_seconds", {}, nanoseconds(whole_at) // 1_000_000_000)


def _meters(now: MetersNow) -> Iterator[Sample]:
    own = [(one.meter, one.shown_cents, one.closed) for one in now.meters]
    linked = [(one.meter, one.shown_cents, one.closed) for one in now.linked]
    for meter, shown_cents, closed in [*own, *linked][:NAMES_LIMIT]:
        if shown_cents is not None:
            yield Sample("meter_shown_cents", {"meter": meter}, shown_cents)
        yield Sample("meter_closed", {"meter": meter}, bool(closed))
