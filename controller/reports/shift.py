"""The account of a shift: what the table took beside what its rules say, what was ruled, and what needs attention.

A round belongs to the time in which it closed, and an account gives it as it stood at the end of that time. What was
ruled later does not change the account: it restates it, in lines of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.analysis.expectation import Band, Theory, bands
from controller.core.game.wager import Basis
from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import (
    DeviceStatusChanged,
    Event,
    QuestionAsked,
    TableStarted,
    WagerAdjusted,
    WagerSettled,
)
from controller.core.messages.floor_events import ChipCount, CorrectionEntered, Count, InventoryEntered, RoundVoided
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.people.table_inventory import TableInventory, inventory_of
from controller.formats.mqtt.envelope import Published
from controller.formats.text.moments import Period
from controller.reports.revenue_rows import MAIN, RoundRow, State, WagerRow, takings, win_per_handle
from controller.reports.shift_course import Point, by_round, course

LONGEST_PAUSE: Final = timedelta(minutes=5)
"""Between two rounds; a longer one is no playing time (a shift's pause, a closed table)."""

SECOND: Final = timedelta(seconds=1)

READY: Final = "ready"
FIRST_BETS: Final = (MAIN, "insurance")

ALWAYS: Final = Period(datetime(1970, 1, 1, tzinfo=UTC), datetime(9999, 1, 1, tzinfo=UTC))
"""The whole journal."""


class BetLine(msgspec.Struct, frozen=True):
    """One bet. ``expected_cents``, ``low_cents`` and ``high_cents``: what its rules say, None where nothing does."""

    bet: str
    wagers: int
    handle_cents: int
    win_cents: int
    win_per_handle: int
    expected_cents: int | None = None
    low_cents: int | None = None
    high_cents: int | None = None

    @property
    def inside(self) -> bool | None:
        """Whether the win lies within the band; None where there is none."""
        if self.low_cents is None or self.high_cents is None:
            return None
        return self.low_cents <= self.win_cents <= self.high_cents


class SpotLine(msgspec.Struct, frozen=True):
    """All wagers of one spot."""

    spot: int
    wagers: int
    handle_cents: int
    win_cents: int


class Ruling(msgspec.Struct, frozen=True):
    """What a person or a correction changed: a wager's net before and after (None: it was open), or a void round.

    Nets are the player's. ``case`` is the house's number for the matter, and may be empty. ``elsewhere``: its round did
    not close in the account's time, so that it changes no figure of this account.
    """

    time: str
    round: int
    spot: int
    """0: the whole round."""
    bet: str
    before_cents: int | None
    net_cents: int | None
    who: str
    why: str
    case: str = ""
    elsewhere: bool = False


class Entry(msgspec.Struct, frozen=True):
    """A count that was entered, and when; the fields are those of ``InventoryEntered``."""

    time: str
    entry: int
    kind: Count
    cents: int
    chips: tuple[ChipCount, ...]
    slip: str
    who: str
    why: str


class Irregular(msgspec.Struct, frozen=True):
    """A round that no legal play explained."""

    time: str
    round: int
    reason: str
    probable_cause: str | None


class AlertLine(msgspec.Struct, frozen=True):
    """Alerts of one kind."""

    kind: str
    severity: str
    count: int


class Summary(msgspec.Struct, frozen=True):
    """A time in four figures."""

    since: str
    rounds: int
    handle_cents: int
    win_cents: int
    open_wagers: int


class Restated(msgspec.Struct, frozen=True):
    """The same rounds by what was ruled after the account's end."""

    handle_cents: int
    win_cents: int
    open_wagers: int
    rulings: tuple[Ruling, ...]


class Shift(msgspec.Struct, frozen=True):
    """All of it. Times are UTC; ``playing_seconds`` leaves out pauses of more than five minutes."""

    site: str
    table: str
    epoch: int
    currency: str
    time_zone: str
    name: str
    """The gaming day and shift; empty where another time was asked for."""
    started: str
    ended: str
    rounds: int
    playing_seconds: int
    rounds_per_hour: int
    bets: tuple[BetLine, ...]
    spots: tuple[SpotLine, ...]
    bases: dict[str, int]
    questions: int
    open_wagers: int
    open_cents: int
    doubted_wagers: int
    void_rounds: int
    rulings: tuple[Ruling, ...]
    irregular: tuple[Irregular, ...]
    inventory: TableInventory
    entries: tuple[Entry, ...]
    alerts: tuple[AlertLine, ...]
    device_faults: dict[str, int]
    rounds_by_hour: dict[str, int]
    course: tuple[Point, ...]
    before: Summary | None = None
    """The day before, or the same shift of it."""
    restated: Restated | None = None

    @property
    def handle_cents(self) -> int:
        """What was staked on settled wagers of all bets."""
        return sum(line.handle_cents for line in self.bets)

    @property
    def win_cents(self) -> int:
        """What the house kept of it."""
        return sum(line.win_cents for line in self.bets)

    @property
    def hold(self) -> int | None:
        """The table's win by its drop in 1/100 %, as a pit reckons it; None where its counts were not entered."""
        win, drop = self.inventory.win_cents, self.inventory.drop_cents
        return None if win is None or not drop else win_per_handle(win, drop)


class Asked(msgspec.Struct, frozen=True):
    """Which account is wanted: its time, what that is called, and the time to set beside it."""

    period: Period = ALWAYS
    name: str = ""
    time_zone: str = "UTC"
    before: Period | None = None


def shift_of(
    told: Sequence[Published], theories: Callable[[], Mapping[str, Theory]], asked: Asked | None = None
) -> Shift | None:
    """The account of a time, out of all events of a journal; None where nothing happened in it.

    ``theories``: what each bet should take, reckoned only where there is something to hold it against.
    """
    asked = asked or Asked()
    within = [one for one in told if asked.period.holds(moment(one))]
    if not within:
        return None
    rounds, wagers = _as_it_stood(told, asked.period)
    settled = [wager for wager in wagers if wager.state is State.SETTLED]
    seconds = _playing_seconds(rounds)
    events = [one.event for one in within]
    numbers = {row.round for row in rounds}
    theory = theories()
    identity = within[0].identity
    return Shift(
        site=identity.site,
        table=identity.table,
        epoch=identity.epoch,
        currency=_currency(told),
        time_zone=asked.time_zone,
        name=asked.name,
        started=within[0].time,
        ended=within[-1].time,
        rounds=len(rounds),
        playing_seconds=seconds,
        rounds_per_hour=(2 * 3600 * len(rounds) + seconds) // (2 * seconds) if seconds else 0,
        bets=_bets(settled, theory),
        spots=_spots(settled),
        bases=dict(sorted(Counter(wager.basis for wager in settled).items())),
        questions=sum(isinstance(one, QuestionAsked) for one in events),
        open_wagers=sum(wager.state is State.OPEN for wager in wagers),
        open_cents=sum(wager.handle_cents for wager in wagers if wager.state is State.OPEN),
        doubted_wagers=sum(wager.doubted for wager in wagers),
        void_rounds=sum(row.outcome == State.VOID for row in rounds),
        rulings=tuple(replace(one, elsewhere=one.round not in numbers) for one in rulings(within)),
        irregular=tuple(_irregular(within)),
        inventory=inventory_of(one for one in events if isinstance(one, InventoryEntered)),
        entries=tuple(_entries(within)),
        alerts=_alerts(events),
        device_faults=_faults(events),
        rounds_by_hour=dict(sorted(Counter(f"{row.closed[:13]}:00Z" for row in rounds).items())),
        course=course(rounds, settled, theory),
        before=None if asked.before is None else _summary(told, asked.before),
        restated=_restated(told, asked.period, rounds, wagers),
    )


def moment(one: Published) -> datetime:
    """When an event was published."""
    return datetime.fromisoformat(one.time)


def rulings(told: Iterable[Published]) -> tuple[Ruling, ...]:
    """What was ruled and corrected, in order; of a void round one line."""
    found: list[Ruling] = []
    void: set[int] = set()
    cases: dict[tuple[int, int | None, str | None], str] = {}
    for one in told:
        event = one.event
        match event:
            case CorrectionEntered(case, number, spot, bet):
                cases[number, spot, bet] = case
            case RoundVoided(number, who, why):
                void.add(number)
                case = cases.pop((number, None, None), "")
                found.append(Ruling(one.time, number, 0, "", None, None, who, why, case))
            case WagerAdjusted(number, spot, bet, _, before, due, who, why) if number not in void:
                case = cases.pop((number, spot, bet), "")
                found.append(Ruling(one.time, number, spot, bet, before, due, who, why, case))
            case WagerSettled(number, spot, bet, _, due, Basis.FLOOR, _, why) if number not in void:
                who, _, reason = why.partition(": ")
                case = cases.pop((number, spot, bet), "")
                found.append(Ruling(one.time, number, spot, bet, None, due, who, reason, case))
            case _:
                pass
    return tuple(found)


def _as_it_stood(told: Iterable[Published], period: Period) -> tuple[list[RoundRow], list[WagerRow]]:
    """The rounds that closed within a time and their wagers, with nothing that came after it."""
    then = takings(one for one in told if moment(one) < period.until)
    rounds = [row for row in then.rounds if period.holds(datetime.fromisoformat(row.closed))]
    numbers = {row.round for row in rounds}
    return rounds, [wager for wager in then.wagers if wager.round in numbers]


def _currency(told: Iterable[Published]) -> str:
    said = [one.event.currency for one in told if isinstance(one.event, TableStarted)]
    return said[-1] if said else ""


def _bets(settled: Iterable[WagerRow], theories: Mapping[str, Theory]) -> tuple[BetLine, ...]:
    by_bet: dict[str, list[WagerRow]] = {}
    for wager in settled:
        by_bet.setdefault(wager.bet, []).append(wager)
    expected = bands(theories, {bet: by_round(wagers) for bet, wagers in by_bet.items()})
    order = sorted(by_bet, key=lambda bet: (FIRST_BETS.index(bet) if bet in FIRST_BETS else len(FIRST_BETS), bet))
    return tuple(_bet(bet, by_bet[bet], expected.get(bet)) for bet in order)


def _bet(bet: str, wagers: Sequence[WagerRow], band: Band | None) -> BetLine:
    handle, win = _sums(wagers)
    theory = (band.expected_cents, band.low_cents, band.high_cents) if band else (None, None, None)
    return BetLine(bet, len(wagers), handle, win, win_per_handle(win, handle), *theory)


def _spots(settled: Iterable[WagerRow]) -> tuple[SpotLine, ...]:
    by_spot: dict[int, list[WagerRow]] = {}
    for wager in settled:
        by_spot.setdefault(wager.spot, []).append(wager)
    return tuple(SpotLine(spot, len(by_spot[spot]), *_sums(by_spot[spot])) for spot in sorted(by_spot))


def _sums(wagers: Iterable[WagerRow]) -> tuple[int, int]:
    """Handle and win."""
    rows = list(wagers)
    return sum(row.handle_cents for row in rows), sum(row.win_cents for row in rows)


def _entries(told: Iterable[Published]) -> Iterator[Entry]:
    for one in told:
        match one.event:
            case InventoryEntered(number, kind, cents, chips, slip, who, why):
                yield Entry(one.time, number, kind, cents, chips, slip, who, why)
            case _:
                pass


def _irregular(told: Iterable[Published]) -> Iterable[Irregular]:
    for one in told:
        if isinstance(one.event, RoundIrregular):
            yield Irregular(one.time, one.event.round, one.event.reason, one.event.probable_cause)


def _alerts(events: Iterable[Event]) -> tuple[AlertLine, ...]:
    counted = Counter((str(one.severity), str(one.kind)) for one in events if isinstance(one, AlertRaised))
    lines = [AlertLine(kind, severity, count) for (severity, kind), count in counted.items()]
    return tuple(sorted(lines, key=lambda line: (SEVERITIES.index(line.severity), line.kind)))


SEVERITIES: Final = ("critical", "warning", "notice")


def _faults(events: Iterable[Event]) -> dict[str, int]:
    counted = Counter(one.device for one in events if isinstance(one, DeviceStatusChanged) and one.state != READY)
    return dict(sorted(counted.items()))


def _summary(told: Iterable[Published], period: Period) -> Summary:
    rounds, wagers = _as_it_stood(told, period)
    handle, win = _sums(wager for wager in wagers if wager.state is State.SETTLED)
    begin = period.since.isoformat().replace("+00:00", "Z")
    return Summary(begin, len(rounds), handle, win, sum(wager.state is State.OPEN for wager in wagers))


def _restated(
    told: Sequence[Published], period: Period, rounds: Iterable[RoundRow], wagers: Sequence[WagerRow]
) -> Restated | None:
    """The rounds as they stand now, where something was ruled on them after the time was over."""
    numbers = {row.round for row in rounds}
    later = [one for one in told if moment(one) >= period.until]
    ruled = tuple(one for one in rulings(later) if one.round in numbers)
    if not ruled:
        return None
    now = [wager for wager in takings(told).wagers if wager.round in numbers]
    assert len(now) >= len(wagers), "no wager leaves the books"
    handle, win = _sums(wager for wager in now if wager.state is State.SETTLED)
    return Restated(handle, win, sum(wager.state is State.OPEN for wager in now), ruled)


def _playing_seconds(rounds: Iterable[RoundRow]) -> int:
    """From lock to close, with the pauses that are none, to the nearest second; a moment of two rounds counts once."""
    played, until = timedelta(), None
    for began, closed in sorted(
        (datetime.fromisoformat(one.started), datetime.fromisoformat(one.closed)) for one in rounds
    ):
        if until is None or began - until > LONGEST_PAUSE:
            until = began
        played += max(closed - until, timedelta())
        until = max(until, closed)
    return (2 * played + SECOND) // (2 * SECOND)
