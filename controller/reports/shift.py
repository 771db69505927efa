"""The account of a shift: what the table took beside what its rules say, what was ruled, and what needs attention.

A round belongs to the time in which it closed, and an account gives it as it stood at the end of that time. What was
ruled later does not change the account: it restates it, in lines of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

import msgspec
from msgspec.structs import replace

from controller.core.analysis.expectation import Band, Theory, bands
from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import (
    DeviceStatusChanged,
    Event,
    QuestionAsked,
    TableStarted,
)
from controller.core.messages.raised_alerts import AlertRaised
from controller.core.people.table_inventory import TableInventory
from controller.formats.mqtt.envelope import Published
from controller.formats.mqtt.retained_state import BetFigures
from controller.formats.text.moments import Period, zone_of
from controller.reports.pace import average_bet, side_share
from controller.reports.recent_takings import bet_figures
from controller.reports.revenue_rows import MAIN, RoundRow, WagerRow, WagerState, takings, win_per_handle
from controller.reports.shift_course import Point, by_round, course
from controller.reports.shift_inventory import CountedTime, InventoryEntry, counted, house_day
from controller.reports.shift_rulings import ShiftCorrection, ShiftRuling, corrections, rulings

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
    jackpot_cents: int = 0
    """Awards of meters, which the win is less by."""
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


class IrregularRound(msgspec.Struct, frozen=True):
    """A round that no legal play explained, and how it stands: its outcome (empty: it is not over) and open wagers."""

    time: str
    round: int
    reason: str
    probable_cause: str | None
    outcome: str
    open_wagers: int


class UnsettledWager(msgspec.Struct, frozen=True):
    """A wager that is open, or was settled (for ``net_cents``, the player's) and is in doubt since."""

    round: int
    spot: int
    bet: str
    staked_cents: int
    net_cents: int | None
    why: str


class AlertLine(msgspec.Struct, frozen=True):
    """Alerts of one kind."""

    kind: str
    severity: str
    count: int


class Summary(msgspec.Struct, frozen=True):
    """A time in four figures, by its name and when it began."""

    name: str
    since: str
    rounds: int
    handle_cents: int
    win_cents: int
    open_wagers: int


class Restatement(msgspec.Struct, frozen=True):
    """The same rounds and counts by what was ruled and entered after the account's end."""

    handle_cents: int
    win_cents: int
    open_wagers: int
    doubted_wagers: int
    void_rounds: int
    rulings: tuple[ShiftRuling, ...]
    """Also what the table itself settled later (``who`` is empty then)."""
    inventory: TableInventory = TableInventory()
    hold: int | None = None
    """As ``Shift.hold``."""
    entries: tuple[InventoryEntry, ...] = ()
    """Counts of this time that were entered after it."""


class Shift(msgspec.Struct, frozen=True):
    """All of it. Times are UTC but for the hours of ``rounds_by_hour``, which are by the house's clock.

    ``since`` and ``until`` are the time asked for (null: it has no such end), ``started`` and ``ended`` its first and
    last event. ``playing_seconds`` leaves out pauses of more than five minutes.
    """

    site: str
    table: str
    epoch: int
    currency: str
    time_zone: str
    name: str
    """The gaming day and shift; empty where another time was asked for."""
    written: str
    """When the account was made, and ``version`` is that of the program that made it; empty: not known."""
    version: str
    versions: tuple[str, ...]
    """Of the program that ran the table in that time."""
    since: str | None
    until: str | None
    started: str
    ended: str
    rounds: int
    playing_seconds: int
    rounds_per_hour: int
    bets: tuple[BetLine, ...]
    average_bet_cents: int | None
    """A main wager as it lay when betting closed, on average; null without one."""
    side_bet_per_mille: int | None
    """What of the handle was on side wagers, insurance not among them; null without a handle."""
    spots: tuple[SpotLine, ...]
    bases: dict[str, int]
    questions: int
    open_wagers: int
    open_cents: int
    doubted_wagers: int
    unsettled: tuple[UnsettledWager, ...]
    void_rounds: int
    void_wagers: int
    void_cents: int
    rulings: tuple[ShiftRuling, ...]
    irregular: tuple[IrregularRound, ...]
    inventory: TableInventory
    entries: tuple[InventoryEntry, ...]
    alerts: tuple[AlertLine, ...]
    device_faults: dict[str, int]
    rounds_by_hour: dict[str, int]
    course: tuple[Point, ...]
    before: Summary | None = None
    """The day before, or the same shift of it."""
    restated: Restatement | None = None
    corrections: tuple[ShiftCorrection, ...] = ()

    @property
    def handle_cents(self) -> int:
        """What was staked on settled wagers of all bets."""
        return sum(line.handle_cents for line in self.bets)

    @property
    def win_cents(self) -> int:
        """What the house kept of it."""
        return sum(line.win_cents for line in self.bets)

    @property
    def jackpot_cents(self) -> int:
        """The awards of meters that it is less by."""
        return sum(line.jackpot_cents for line in self.bets)

    @property
    def is_over(self) -> bool:
        """Whether nothing can come to the account any more: it was made after its time."""
        return self.until is not None and self.until <= self.written

    @property
    def hold(self) -> int | None:
        """The table's win by its drop in 1/100 %, as a pit reckons it; None where its counts were not entered."""
        return hold(self.inventory)


def hold(kept: TableInventory) -> int | None:
    """Win by drop in 1/100 %; None where the counts do not say it."""
    win, drop = kept.win_cents, kept.drop_cents
    return None if win is None or not drop else win_per_handle(win, drop)


class ShiftRequest(msgspec.Struct, frozen=True):
    """Which account is wanted: its time, what that is called, and the time to set beside it.

    ``written`` and ``version``: when it is made, and by which version of the program.
    """

    period: Period = ALWAYS
    name: str = ""
    time_zone: str = "UTC"
    before: Period | None = None
    before_name: str = ""
    written: str = ""
    version: str = ""


def shift_of(
    published: Sequence[Published], theories: Callable[[], Mapping[str, Theory]], asked: ShiftRequest | None = None
) -> Shift | None:
    """The account of a time, out of all events of a journal; None where nothing happened in it and nothing was counted.

    ``theories``: what each bet should take, reckoned only where there is something to hold it against.
    """
    asked = asked or ShiftRequest()
    within = [one for one in published if asked.period.holds(moment(one))]
    counts = counted(published, house_day(published), asked.period)
    if not within and not counts.later:
        return None
    rounds, wagers = _as_it_stood(published, asked.period)
    settled = [wager for wager in wagers if wager.state is WagerState.SETTLED]
    seconds = _playing_seconds(rounds)
    events = [one.event for one in within]
    theory = theories()
    identity = published[0].identity
    return Shift(
        site=identity.site,
        table=identity.table,
        epoch=identity.epoch,
        currency=_currency(published),
        time_zone=asked.time_zone,
        name=asked.name,
        written=asked.written,
        version=asked.version,
        versions=_versions(published, asked.period),
        since=_end(asked.period.since, ALWAYS.since),
        until=_end(asked.period.until, ALWAYS.until),
        started=within[0].time if within else rfc3339(asked.period.since),
        ended=within[-1].time if within else rfc3339(asked.period.until),
        rounds=len(rounds),
        playing_seconds=seconds,
        rounds_per_hour=(2 * 3600 * len(rounds) + seconds) // (2 * seconds) if seconds else 0,
        bets=_bets(settled, theory),
        average_bet_cents=average_bet(_mix(settled)),
        side_bet_per_mille=side_share(_mix(settled)),
        spots=_spots(settled),
        bases=dict(sorted(Counter(wager.basis for wager in settled).items())),
        questions=sum(isinstance(one, QuestionAsked) for one in events),
        open_wagers=sum(wager.state is WagerState.OPEN for wager in wagers),
        open_cents=sum(wager.handle_cents for wager in wagers if wager.state is WagerState.OPEN),
        doubted_wagers=sum(wager.doubted for wager in wagers),
        unsettled=tuple(_unsettled(wagers)),
        void_rounds=sum(row.outcome == WagerState.VOID for row in rounds),
        void_wagers=sum(row.void_wagers for row in rounds),
        void_cents=sum(row.void_cents for row in rounds),
        rulings=_rulings(within, {row.round for row in rounds}),
        irregular=tuple(_irregular(within, rounds)),
        inventory=counts.then,
        entries=counts.entries,
        alerts=_alerts(events),
        device_faults=_faults(events),
        rounds_by_hour=_by_hour(rounds, zone_of(asked.time_zone)),
        course=course(rounds, settled, theory),
        before=None if asked.before is None else _summary(published, asked.before, asked.before_name),
        restated=_restated(published, asked.period, rounds, wagers, counts),
        corrections=corrections(within),
    )


def _rulings(within: Sequence[Published], numbers: AbstractSet[int]) -> tuple[ShiftRuling, ...]:
    """What was ruled in a time; ``numbers``: its rounds."""
    return tuple(replace(one, elsewhere=one.round not in numbers) for one in rulings(within))


def moment(one: Published) -> datetime:
    """When an event was published."""
    return datetime.fromisoformat(one.time)


def rfc3339(when: datetime) -> str:
    """A moment in UTC, to the second: ``2026-11-21T11:00:00Z``."""
    return f"{when.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _as_it_stood(events: Iterable[Published], period: Period) -> tuple[list[RoundRow], list[WagerRow]]:
    """The rounds that closed within a time and their wagers, with nothing that came after it."""
    then = takings(one for one in events if moment(one) < period.until)
    rounds = [row for row in then.rounds if period.holds(datetime.fromisoformat(row.closed))]
    numbers = {row.round for row in rounds}
    return rounds, [wager for wager in then.wagers if wager.round in numbers]


def _end(given: datetime, unbounded: datetime) -> str | None:
    """One end of a time; None: it has none."""
    return None if given == unbounded else rfc3339(given)


def _versions(events: Iterable[Published], period: Period) -> tuple[str, ...]:
    """The versions of the program that ran in a time, in order."""
    found: list[str] = []
    for one in events:
        if isinstance(one.event, TableStarted) and moment(one) < period.until:
            found = [*(found if moment(one) >= period.since else found[-1:]), one.event.version]
    return tuple(dict.fromkeys(found))


def _by_hour(rounds: Iterable[RoundRow], zone: ZoneInfo) -> dict[str, int]:
    """Rounds by the hour of the house's clock in which they closed, in order of time."""
    closed = sorted(datetime.fromisoformat(row.closed) for row in rounds)
    hours = (one.astimezone(zone).replace(minute=0, second=0, microsecond=0) for one in closed)
    return dict(Counter(hour.isoformat(timespec="minutes") for hour in hours))


def _unsettled(wagers: Iterable[WagerRow]) -> Iterator[UnsettledWager]:
    """The wagers that are open or in doubt."""
    for row in wagers:
        if row.state is WagerState.OPEN or row.doubted:
            yield UnsettledWager(row.round, row.spot, row.bet, row.handle_cents, row.net_cents, row.why)


def _currency(events: Iterable[Published]) -> str:
    currencies = [one.event.currency for one in events if isinstance(one.event, TableStarted)]
    return currencies[-1] if currencies else ""


def _bets(settled: Iterable[WagerRow], theories: Mapping[str, Theory]) -> tuple[BetLine, ...]:
    by_bet = _by_bet(settled)
    expected = bands(theories, {bet: by_round(wagers) for bet, wagers in by_bet.items()})
    order = sorted(by_bet, key=lambda bet: (FIRST_BETS.index(bet) if bet in FIRST_BETS else len(FIRST_BETS), bet))
    return tuple(_bet(bet, by_bet[bet], expected.get(bet)) for bet in order)


def _by_bet(settled: Iterable[WagerRow]) -> dict[str, list[WagerRow]]:
    found: dict[str, list[WagerRow]] = {}
    for wager in settled:
        found.setdefault(wager.bet, []).append(wager)
    return found


def _mix(settled: Iterable[WagerRow]) -> list[BetFigures]:
    return [bet_figures(bet, own) for bet, own in _by_bet(settled).items()]


def _bet(bet: str, wagers: Sequence[WagerRow], band: Band | None) -> BetLine:
    handle, win = _sums(wagers)
    jackpots = sum(wager.jackpot_cents for wager in wagers)
    theory = (band.expected_cents, band.low_cents, band.high_cents) if band else (None, None, None)
    return BetLine(bet, len(wagers), handle, win, win_per_handle(win, handle), jackpots, *theory)


def _spots(settled: Iterable[WagerRow]) -> tuple[SpotLine, ...]:
    by_spot: dict[int, list[WagerRow]] = {}
    for wager in settled:
        by_spot.setdefault(wager.spot, []).append(wager)
    return tuple(SpotLine(spot, len(by_spot[spot]), *_sums(by_spot[spot])) for spot in sorted(by_spot))


def _sums(wagers: Iterable[WagerRow]) -> tuple[int, int]:
    """Handle and win."""
    rows = list(wagers)
    return sum(row.handle_cents for row in rows), sum(row.win_cents for row in rows)


def _irregular(events: Iterable[Published], rounds: Iterable[RoundRow]) -> Iterator[IrregularRound]:
    known = {row.round: row for row in rounds}
    for one in events:
        match one.event:
            case RoundIrregular(number, reason, cause):
                row = known.get(number)
                stands = ("", 0) if row is None else (row.outcome, row.open_wagers)
                yield IrregularRound(one.time, number, reason, cause, *stands)
            case _:
                pass


def _alerts(events: Iterable[Event]) -> tuple[AlertLine, ...]:
    counted = Counter((str(one.severity), str(one.kind)) for one in events if isinstance(one, AlertRaised))
    lines = [AlertLine(kind, severity, count) for (severity, kind), count in counted.items()]
    return tuple(sorted(lines, key=lambda line: (SEVERITIES.index(line.severity), line.kind)))


SEVERITIES: Final = ("critical", "warning", "notice")


def _faults(events: Iterable[Event]) -> dict[str, int]:
    counted = Counter(one.device for one in events if isinstance(one, DeviceStatusChanged) and one.state != READY)
    return dict(sorted(counted.items()))


def _summary(events: Iterable[Published], period: Period, name: str) -> Summary:
    rounds, wagers = _as_it_stood(events, period)
    handle, win = _sums(wager for wager in wagers if wager.state is WagerState.SETTLED)
    still = sum(wager.state is WagerState.OPEN for wager in wagers)
    return Summary(name, rfc3339(period.since), len(rounds), handle, win, still)


def _restated(
    events: Sequence[Published],
    period: Period,
    rounds: Iterable[RoundRow],
    wagers: Sequence[WagerRow],
    counts: CountedTime,
) -> Restatement | None:
    """The rounds and counts as they stand now, where something was ruled, settled or entered after that time."""
    numbers = {row.round for row in rounds}
    ruled = [one for one in rulings(one for one in events if moment(one) >= period.until) if one.round in numbers]
    whole = takings(events)
    now = [wager for wager in whole.wagers if wager.round in numbers]
    assert len(now) >= len(wagers), "no wager leaves the books"
    ruled += _settled_later(wagers, now, ruled)
    if not ruled and not counts.later:
        return None
    handle, win = _sums(wager for wager in now if wager.state is WagerState.SETTLED)
    return Restatement(
        handle_cents=handle,
        win_cents=win,
        open_wagers=sum(wager.state is WagerState.OPEN for wager in now),
        doubted_wagers=sum(wager.doubted for wager in now),
        void_rounds=sum(row.outcome == WagerState.VOID for row in whole.rounds if row.round in numbers),
        rulings=tuple(ruled),
        inventory=counts.now,
        hold=hold(counts.now),
        entries=counts.later,
    )


def _settled_later(
    then: Iterable[WagerRow], now: Iterable[WagerRow], ruled: Iterable[ShiftRuling]
) -> Iterator[ShiftRuling]:
    """Changes without a ruling: wagers that the table settled after the time, when a meter's answer came, say."""
    by_people = {(one.round, one.spot, one.bet) if one.spot else (one.round, 0, "") for one in ruled}
    known = {(row.round, row.spot, row.bet): row for row in then}
    for row in now:
        place = (row.round, row.spot, row.bet)
        before = known.get(place)
        net = None if before is None else before.net_cents
        if net != row.net_cents and not by_people & {place, (row.round, 0, "")}:
            won = (net or 0) - (row.net_cents or 0)
            yield ShiftRuling(row.time, *place, net, row.net_cents, "", row.why, win_cents=won)


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
