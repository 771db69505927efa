"""One gaming day of a whole floor: what each table took and what of it needs attention, and all tables together.

The figures are those of the account of a shift, but as they stand now: a later ruling changes the day on which its
round closed. Amounts of different currencies are never added up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from controller.core.meters.meter import UNITS
from controller.formats.text.printable import many, printable
from controller.reports.revenue_rows import win_per_handle
from controller.reports.shift_text import MISSING, AccountFormat, percent


class FloorFigures(msgspec.Struct, frozen=True):
    """What one table or several of one currency took on a gaming day, and what of it needs attention.

    ``rounds`` have closed; of these ``open_rounds`` have a wager that is open and ``void_rounds`` were voided.
    ``irregular`` counts rounds that no legal play explained, whatever became of them. ``handle_cents`` and
    ``win_cents`` are of settled wagers. ``counted`` says of how many tables opener, closer and drop are entered:
    ``drop_cents`` and ``table_win_cents`` are the sums of these. The alerts are those raised, by severity.
    """

    currency: str = ""
    rounds: int = 0
    open_rounds: int = 0
    irregular: int = 0
    void_rounds: int = 0
    handle_cents: int = 0
    win_cents: int = 0
    open_wagers: int = 0
    open_cents: int = 0
    doubted_wagers: int = 0
    void_cents: int = 0
    counted: int = 0
    drop_cents: int = 0
    table_win_cents: int = 0
    critical: int = 0
    warning: int = 0
    notice: int = 0

    @property
    def hold(self) -> int | None:
        """The table win by the drop in 1/100 %; None where no table's counts say it."""
        return win_per_handle(self.table_win_cents, self.drop_cents) if self.drop_cents else None


class FloorMeter(msgspec.Struct, frozen=True):
    """Where a meter stood last on that day, in 1/10,000 cent."""

    meter: str
    units: int


class FloorTable(msgspec.Struct, frozen=True):
    """One table on its gaming day. ``held_until``: its latest event that was collected, of whatever day; UTC."""

    site: str
    table: str
    gaming_day: str
    held_until: str
    figures: FloorFigures
    hold: int | None
    """As ``FloorFigures.hold``."""
    meters: tuple[FloorMeter, ...] = ()

    @property
    def place(self) -> str:
        """As ``SITE/TABLE``."""
        return f"{self.site}/{self.table}"


class FloorTotal(msgspec.Struct, frozen=True):
    """All tables of one currency together."""

    tables: int
    figures: FloorFigures
    hold: int | None
    """Of the tables whose counts are entered: as ``FloorFigures.hold``."""


class FloorDay(msgspec.Struct, frozen=True):
    """The floor. ``gaming_days``: more than one only where *today* is another date at another site."""

    written: str
    """When it was read, in UTC."""
    version: str
    """Of the program that read it."""
    gaming_days: tuple[str, ...]
    is_running: bool
    """Whether the day was not over at every table."""
    totals: tuple[FloorTotal, ...]
    tables: tuple[FloorTable, ...]
    """Those of which there is something on that day."""
    idle: tuple[str, ...]
    """The other tables that were ever collected, as ``SITE/TABLE``."""
    time_zones: tuple[str, ...] = ()
    """Those of the tables' houses, each once."""


def added_up(tables: Sequence[FloorTable]) -> tuple[FloorTotal, ...]:
    """All tables together, a sum for each currency."""
    found = []
    for currency in sorted({one.figures.currency for one in tables}):
        own = [one.figures for one in tables if one.figures.currency == currency]
        names = FloorFigures.__struct_fields__[1:]
        figures = FloorFigures(currency, *(sum(getattr(one, name) for one in own) for name in names))
        found.append(FloorTotal(len(own), figures, figures.hold))
    return tuple(found)


def floor_text(day: FloorDay) -> str:
    """The floor for people, each line ended by a line feed."""
    return "".join(f"{printable(line)}\n" for line in _lines(day))


def _lines(day: FloorDay) -> Iterator[str]:
    yield f"whole floor, gaming day {' and '.join(day.gaming_days)}"
    stand = "figures as they stand now, with every later ruling applied"
    yield f"written {day.written} by Tableside {day.version}; {stand}"
    if day.is_running:
        last = max((one.held_until for one in day.tables), default="")
        yield f"NOT OVER    the last event collected so far: {last or 'none'}"
    yield ""
    if not day.tables:
        yield "no table has anything on that day"
    names = [one.place for one in day.tables]
    sums = [(f"all {many(one.tables, 'table')}", one.figures) for one in day.totals]
    width = max(map(len, [*names, *(name for name, _ in sums), "table"]))
    heads = f"{'rounds':>8}{'open':>6}{'irregular':>11}{'void':>6}{'handle':>16}{'win':>16}{'win/handle':>12}"
    yield f"{'table':{width}}{heads}{'table win':>16}{'hold':>12}"
    for name, one in zip(names, day.tables, strict=True):
        yield f"{name:{width}}{_figures(one.figures)}"
    for name, figures in sums:
        yield f"{name:{width}}{_figures(figures)}{f' {figures.currency}' if figures.currency else ''}"
    yield ""
    for total in day.totals:
        if len(day.totals) > 1:
            yield f"currency    {total.figures.currency or 'not stated'}: {many(total.tables, 'table')}"
        yield from _attention(total.figures, total.tables)
    for one in day.tables:
        money = AccountFormat(one.figures.currency, "UTC").money
        for meter in one.meters:
            yield f"meter       {one.place} {meter.meter} {money(meter.units // UNITS)}"
    if day.idle:
        yield f"nothing of  {', '.join(day.idle)}"


def _figures(one: FloorFigures) -> str:
    money = AccountFormat(one.currency, "UTC").money
    counts = f"{one.rounds:>8}{one.open_rounds:>6}{one.irregular:>11}{one.void_rounds:>6}"
    rate = percent(win_per_handle(one.win_cents, one.handle_cents))
    table_win = money(one.table_win_cents) if one.counted else MISSING
    hold = MISSING if one.hold is None else percent(one.hold)
    return f"{counts}{money(one.handle_cents):>16}{money(one.win_cents):>16}{rate:>12}{table_win:>16}{hold:>12}"


def _attention(one: FloorFigures, tables: int) -> Iterator[str]:
    money = AccountFormat(one.currency, "UTC").money
    yield f"open        {many(one.open_wagers, 'wager')}, {money(one.open_cents)}"
    yield f"in doubt    {many(one.doubted_wagers, 'settled wager')}"
    yield f"void        {many(one.void_rounds, 'round')}, {money(one.void_cents)} returned"
    yield f"counted     {one.counted} of {many(tables, 'table')}"
    yield f"alerts      {one.critical} critical, {one.warning} warning, {one.notice} notice"
