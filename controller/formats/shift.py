"""The account of a shift: what the table took beside what its rules say, how fast it went, what wanted attention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

import msgspec

from controller.core.events import DeviceStatusChanged, QuestionAsked, WagerAdjusted
from controller.core.floor_events import RoundVoided
from controller.core.theory import Band, Theory, bands
from controller.formats.payloads import Published
from controller.formats.takings import State, Takings, WagerRow, hold_basis_points

LONGEST_PAUSE_SECONDS: Final = 300
"""Between two rounds; a longer one is no playing time (a shift's pause, a closed table)."""

READY: Final = "ready"


class BetLine(msgspec.Struct, frozen=True):
    """One bet. ``expected_cents``, ``low_cents`` and ``high_cents``: what its rules say, None where nothing does."""

    bet: str
    wagers: int
    handle_cents: int
    win_cents: int
    hold_basis_points: int
    expected_cents: int | None = None
    low_cents: int | None = None
    high_cents: int | None = None

    @property
    def inside(self) -> bool | None:
        """Whether the win lies within the band; None where there is none."""
        if self.low_cents is None or self.high_cents is None:
            return None
        return self.low_cents <= self.win_cents <= self.high_cents


class Point(msgspec.Struct, frozen=True):
    """The table after a round: what all bets with a theory have won together, and what they should have."""

    round: int
    time: str
    win_cents: int
    expected_cents: int
    low_cents: int
    high_cents: int


class Shift(msgspec.Struct, frozen=True):
    """All of it. Times are UTC; ``playing_seconds`` leaves out pauses of more than five minutes."""

    site: str
    table: str
    epoch: int
    started: str
    ended: str
    rounds: int
    playing_seconds: int
    rounds_per_hour: int
    bets: tuple[BetLine, ...]
    bases: dict[str, int]
    questions: int
    alerts: dict[str, int]
    device_faults: dict[str, int]
    adjusted: int
    voided: int
    open_wagers: int
    rounds_by_hour: dict[str, int]
    course: tuple[Point, ...]


def shift_of(told: Sequence[Published], found: Takings, theories: Mapping[str, Theory]) -> Shift:
    """The shift that these events (at least one) tell, whose rows are ``found``."""
    settled = [wager for wager in found.wagers if wager.state is State.SETTLED]
    seconds = _playing_seconds(found)
    hours = Counter(f"{row.closed[:13]}:00Z" for row in found.rounds)
    events = [one.event for one in told]
    faults = Counter(one.device for one in events if isinstance(one, DeviceStatusChanged) and one.state != READY)
    identity = told[0].identity
    return Shift(
        site=identity.site,
        table=identity.table,
        epoch=identity.epoch,
        started=told[0].time,
        ended=told[-1].time,
        rounds=len(found.rounds),
        playing_seconds=seconds,
        rounds_per_hour=(2 * 3600 * len(found.rounds) + seconds) // (2 * seconds) if seconds else 0,
        bets=_lines(settled, theories),
        bases=dict(sorted(Counter(wager.basis for wager in found.wagers).items())),
        questions=sum(isinstance(one, QuestionAsked) for one in events),
        alerts=dict(sorted(Counter(row.kind for row in found.alerts).items())),
        device_faults=dict(sorted(faults.items())),
        adjusted=sum(isinstance(one, WagerAdjusted) for one in events),
        voided=sum(isinstance(one, RoundVoided) for one in events),
        open_wagers=sum(wager.state is State.OPEN for wager in found.wagers),
        rounds_by_hour=dict(sorted(hours.items())),
        course=_course(found, settled, theories),
    )


def _lines(settled: Iterable[WagerRow], theories: Mapping[str, Theory]) -> tuple[BetLine, ...]:
    by_bet: dict[str, list[WagerRow]] = {}
    for wager in settled:
        by_bet.setdefault(wager.bet, []).append(wager)
    expected = bands(theories, {bet: _by_round(wagers) for bet, wagers in by_bet.items()})
    order = sorted(by_bet, key=lambda bet: (bet != "main", bet != "insurance", bet))
    return tuple(_line(bet, by_bet[bet], expected.get(bet)) for bet in order)


def _line(bet: str, wagers: Sequence[WagerRow], band: Band | None) -> BetLine:
    handle = sum(wager.handle_cents for wager in wagers)
    win = sum(wager.win_cents for wager in wagers)
    theory = (band.expected_cents, band.low_cents, band.high_cents) if band else (None, None, None)
    return BetLine(bet, len(wagers), handle, win, hold_basis_points(win, handle), *theory)


def _by_round(wagers: Iterable[WagerRow]) -> list[list[int]]:
    """What was wagered at the lock, round by round; a voided round's wagers went back and count for nothing."""
    found: dict[int, list[int]] = {}
    for wager in wagers:
        if wager.handle_cents:
            found.setdefault(wager.round, []).append(wager.wager_cents)
    return list(found.values())


def _course(found: Takings, settled: Iterable[WagerRow], theories: Mapping[str, Theory]) -> tuple[Point, ...]:
    """Round by round; the bands of the bets are added up as if all strayed together, which is on the safe side."""
    by_round: dict[int, list[WagerRow]] = {}
    for wager in settled:
        if wager.bet in theories:
            by_round.setdefault(wager.round, []).append(wager)
    grown: dict[str, list[list[int]]] = {}
    win = 0
    points: list[Point] = []
    step = max(1, len(found.rounds) // 200)
    for place, row in enumerate(found.rounds, start=1):
        own = by_round.get(row.round, [])
        win += sum(wager.win_cents for wager in own)
        for bet in {wager.bet for wager in own if wager.handle_cents}:
            grown.setdefault(bet, []).append([w.wager_cents for w in own if w.bet == bet])
        if place % step == 0 or place == len(found.rounds):
            sums = bands(theories, grown).values()
            expected, low, high = (sum(column) for column in zip(*sums, strict=True)) if sums else (0, 0, 0)
            points.append(Point(row.round, row.closed, win, expected, low, high))
    return tuple(points)


def _playing_seconds(found: Takings) -> int:
    """From the first lock to the last close, pauses left out."""
    seconds, before = 0, None
    for row in found.rounds:
        started, closed = datetime.fromisoformat(row.started), datetime.fromisoformat(row.closed)
        if before is not None:
            pause = int((started - before).total_seconds())
            seconds += pause if 0 < pause <= LONGEST_PAUSE_SECONDS else 0
        seconds += max(0, round((closed - started).total_seconds()))
        before = closed
    return seconds
