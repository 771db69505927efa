"""Pace and health of a table: a fold over its events and their times. No player is in it, nor anything that tells one.

Times are nanoseconds of wall time, for people; a round counts for the phases only if all of them were seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, assert_never

import msgspec
from msgspec.structs import replace

from controller.core.messages.alerts import DeviceAlarm, LineErrors, RoundIrregular
from controller.core.messages.events import (
    BettingClosed,
    CardDrawn,
    DeviceStatusChanged,
    Event,
    HoleCardRevealed,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    RoundClosed,
    TableStarted,
)
from controller.core.messages.floor_events import RoundVoided
from controller.core.messages.raised_alerts import AlertRaised
from controller.formats.mqtt.retained_state import BetFigures, DeviceFigures, PaceFigures
from controller.formats.text.moments import HOUR_NS
from firmware_protocols.readings import HealthState
from firmware_protocols.values import Value

_MS: Final = 1_000_000

PHASES: Final = ("betting", "dealing", "playing", "dealer_and_payment")
"""From close to lock, to the last of the boxes' first two cards, to the turn of the hole card, to the close."""


class DeviceDowntime(Value, frozen=True, tag=False):
    """How a device fared: how often it was lost or faulty, and for how long in all."""

    state: str = HealthState.READY
    faults: int = 0
    down_ns: int = 0
    since_ns: int = 0
    """Since when it has been down; 0: it is not."""
    alarms: int = 0
    troubled: int = 0
    """Damaged messages on its line."""


class Pace(Value, frozen=True, tag=False):
    """What has been counted so far."""

    first_ns: int = 0
    last_ns: int = 0
    rounds: int = 0
    irregular: int = 0
    left_open: int = 0
    """Rounds that closed with a wager open."""
    void: int = 0
    """Rounds that the floor voided."""
    timed: int = 0
    """Rounds whose phases were all seen."""
    phases_ns: tuple[int, ...] = (0, 0, 0, 0)
    marks_ns: tuple[int, ...] = ()
    """When the phases of the open round began, the first at the last close."""
    boxes: int = 0
    asked: int = 0
    answered: int = 0
    waited_ns: int = 0
    """How long answers were waited for in all."""
    open_ns: dict[str, int] = msgspec.field(default_factory=dict)
    """When each open question was asked, by its number."""
    alerts: dict[str, int] = msgspec.field(default_factory=dict)
    devices: dict[str, DeviceDowntime] = msgspec.field(default_factory=dict)
    starts: int = 0


def pace_after(pace: Pace, event: Event, at_ns: int) -> Pace:
    """The count after one more event."""
    pace = replace(pace, first_ns=pace.first_ns or at_ns, last_ns=at_ns)
    match event:
        case BettingClosed() | CardDrawn() | HoleCardRevealed() | RoundClosed():
            return _of_round(pace, event, at_ns)
        case RoundIrregular():
            return replace(pace, irregular=pace.irregular + 1)
        case RoundVoided():
            return replace(pace, void=pace.void + 1)
        case QuestionAsked(question):
            return replace(pace, asked=pace.asked + 1, open_ns={**pace.open_ns, str(question): at_ns})
        case QuestionAnswered(question) | QuestionWithdrawn(question):
            return _question_over(pace, question, at_ns, answered=isinstance(event, QuestionAnswered))
        case AlertRaised(_, kind):
            return replace(pace, alerts={**pace.alerts, str(kind): pace.alerts.get(str(kind), 0) + 1})
        case DeviceStatusChanged() | DeviceAlarm() | LineErrors():
            return replace(pace, devices={**pace.devices, event.device: _fared(pace, event, at_ns)})
        case TableStarted():
            return replace(pace, starts=pace.starts + 1, marks_ns=())
        case _:
            return pace


def _of_round(pace: Pace, event: BettingClosed | CardDrawn | HoleCardRevealed | RoundClosed, at_ns: int) -> Pace:
    """A mark of the round's course."""
    marks = pace.marks_ns
    match event:
        case BettingClosed():
            return replace(pace, boxes=main_boxes(event), marks_ns=(*marks, at_ns) if len(marks) == 1 else ())
        case CardDrawn(_, _, position):
            dealt = len(marks) == 2 and position == 2 * pace.boxes
            return replace(pace, marks_ns=(*marks, at_ns)) if dealt else pace
        case HoleCardRevealed():
            return replace(pace, marks_ns=(*marks, at_ns)) if len(marks) == 3 else pace
        case RoundClosed():
            pace = replace(pace, left_open=pace.left_open + (event.outcome == "open"))
            if len(marks) != len(PHASES):
                return replace(pace, rounds=pace.rounds + 1, marks_ns=(at_ns,))
            ends = (*marks[1:], at_ns)
            spent = (end - begin for begin, end in zip(marks, ends, strict=True))
            phases = tuple(known + more for known, more in zip(pace.phases_ns, spent, strict=True))
            return replace(pace, rounds=pace.rounds + 1, timed=pace.timed + 1, phases_ns=phases, marks_ns=(at_ns,))
        case _:
            assert_never(event)


def main_boxes(closed: BettingClosed) -> int:
    """The boxes with a main wager."""
    return sum(wager.bet == _MAIN for wager in closed.wagers)


def _question_over(pace: Pace, question: int, at_ns: int, *, answered: bool) -> Pace:
    """A question was answered or taken back."""
    asked_ns = pace.open_ns.get(str(question))
    left = {number: since for number, since in pace.open_ns.items() if number != str(question)}
    waited = at_ns - asked_ns if answered and asked_ns is not None else 0
    return replace(pace, open_ns=left, answered=pace.answered + answered, waited_ns=pace.waited_ns + waited)


def _fared(pace: Pace, event: DeviceStatusChanged | DeviceAlarm | LineErrors, at_ns: int) -> DeviceDowntime:
    """A device after what it just did."""
    device = pace.devices.get(event.device, DeviceDowntime())
    match event:
        case DeviceAlarm():
            return replace(device, alarms=device.alarms + 1)
        case LineErrors():
            return replace(device, troubled=device.troubled + 1)
        case DeviceStatusChanged(_, state):
            down = device.down_ns + (at_ns - device.since_ns if device.since_ns else 0)
            if state == HealthState.READY:
                return replace(device, state=state, down_ns=down, since_ns=0)
            return replace(device, state=state, faults=device.faults + 1, down_ns=down, since_ns=at_ns)
        case _:
            assert_never(event)


def figures(pace: Pace, bets: Sequence[BetFigures] = ()) -> PaceFigures:
    """The figures of what has been counted, and of what was taken meanwhile, bet by bet."""
    spent_ns = pace.last_ns - pace.first_ns
    means = (spent // (pace.timed * _MS) for spent in pace.phases_ns) if pace.timed else ()
    return PaceFigures(
        seconds=spent_ns // 1_000_000_000,
        rounds=pace.rounds,
        rounds_per_hour=per_hour(pace.rounds, spent_ns),
        irregular=pace.irregular,
        phase_ms=dict(zip(PHASES, means, strict=False)),
        questions=pace.asked,
        questions_open=len(pace.open_ns),
        answer_ms=pace.waited_ns // (pace.answered * _MS) if pace.answered else 0,
        alerts=dict(sorted(pace.alerts.items())),
        alerts_per_hour=per_hour(sum(pace.alerts.values()), spent_ns),
        starts=pace.starts,
        devices=tuple(
            DeviceFigures(
                name,
                device.state,
                device.faults,
                (device.down_ns + (pace.last_ns - device.since_ns if device.since_ns else 0)) // 1_000_000_000,
                device.alarms,
                device.troubled,
            )
            for name, device in sorted(pace.devices.items())
        ),
        bets=tuple(bets),
        average_bet_cents=average_bet(bets),
        side_bet_per_mille=side_share(bets),
        open_rounds=pace.left_open,
        void_rounds=pace.void,
    )


_MAIN: Final = "main"
_NO_SIDE_WAGERS: Final = (_MAIN, "insurance")


def average_bet(bets: Sequence[BetFigures]) -> int | None:
    """A main wager as it lay when betting closed, on average, rounded half up to whole cents; None without one."""
    wagers = sum(one.wagers for one in bets if one.bet == _MAIN)
    cents = sum(one.wager_cents for one in bets if one.bet == _MAIN)
    return (2 * cents + wagers) // (2 * wagers) if wagers else None


def side_share(bets: Sequence[BetFigures]) -> int | None:
    """What of the handle was on side wagers, per mille, rounded half up; None without a handle."""
    handle = sum(one.handle_cents for one in bets)
    aside = sum(one.handle_cents for one in bets if one.bet not in _NO_SIDE_WAGERS)
    return (2_000 * aside + handle) // (2 * handle) if handle else None


def per_hour(count: int, spent_ns: int) -> int:
    """A rate, rounded to the nearest whole one; 0 where no time has passed."""
    return (2 * count * HOUR_NS + spent_ns) // (2 * spent_ns) if spent_ns > 0 else 0
