"""One gaming day of the whole floor out of the collector's database, read through its views with a reader's rights."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Final, NamedTuple

import psycopg
from psycopg.conninfo import conninfo_to_dict

from controller.collector.store import StoreFailed, StoreRefused, TableKey
from controller.core.messages.house import GamingDay
from controller.formats.text.moments import TODAY, HouseCalendar, NoMoment
from controller.io.system.patient_connection import KEEPALIVE, REPEATABLE, PatientConnection, one_line, settings
from controller.reports.floor_day import FloorDay, FloorFigures, FloorMeter, FloorTable, added_up

PATIENCE_SECONDS: Final = 5.0
"""How long one answer is waited for."""

Place = tuple[TableKey, date]
"""A table and one of its gaming days."""

TABLES: Final = """
SELECT DISTINCT ON (site, name) site, name, currency, time_zone, day_begins,
       max(last_time) OVER (PARTITION BY site, name)
FROM tableside.tables WHERE set_aside IS NULL ORDER BY site, name, epoch DESC
"""
"""Each table as its latest epoch has it."""

ROUNDS: Final = """
SELECT site, name, gaming_day, count(*) AS rounds, count(*) FILTER (WHERE open_wagers > 0) AS open_rounds,
       count(*) FILTER (WHERE outcome = 'void') AS void_rounds, sum(handle_cents) AS handle_cents,
       sum(win_cents) AS win_cents, sum(open_wagers) AS open_wagers, sum(open_cents) AS open_cents,
       sum(doubted) AS doubted_wagers, sum(void_cents) AS void_cents
FROM tableside.rounds WHERE gaming_day = ANY(%s) GROUP BY site, name, gaming_day
"""

ALERTS: Final = """
SELECT site, name, gaming_day, count(DISTINCT (epoch, round)) FILTER (WHERE kind = 'round_irregular') AS irregular,
       count(*) FILTER (WHERE severity = 'critical') AS critical,
       count(*) FILTER (WHERE severity = 'warning') AS warning,
       count(*) FILTER (WHERE severity = 'notice') AS notice
FROM tableside.alerts WHERE gaming_day = ANY(%s) GROUP BY site, name, gaming_day
"""

COUNTS: Final = """
SELECT site, name, gaming_day, sum(cents) FILTER (WHERE kind = 'drop') AS drop_cents,
       sum(cents) FILTER (WHERE kind = 'closer') + sum(cents) FILTER (WHERE kind = 'drop')
       - sum(cents) FILTER (WHERE kind = 'opener') + coalesce(sum(cents) FILTER (WHERE kind = 'credit'), 0)
       - coalesce(sum(cents) FILTER (WHERE kind = 'fill'), 0) AS table_win_cents
FROM tableside.inventory WHERE gaming_day = ANY(%s) GROUP BY site, name, gaming_day
"""
"""As the view ``hold`` has them: no table win where opener, closer or drop is missing."""

METERS: Final = """
SELECT DISTINCT ON (site, name, gaming_day, meter) site, name, gaming_day, meter, units FROM tableside.meter_events
WHERE gaming_day = ANY(%s) AND units IS NOT NULL ORDER BY site, name, gaming_day, meter, epoch DESC, seq DESC
"""


class HeldHouse(NamedTuple):
    """What a table last said of its house, its gaming day that is asked for, and how far it is collected."""

    currency: str
    day: date
    is_running: bool
    held_until: str
    time_zone: str


def check_name(where: str) -> None:
    """Refuse what cannot be the name of a database; whether there is one is found when it is read.

    Raises:
        StoreRefused: it is no name.
    """
    try:
        conninfo_to_dict(where)
    except psycopg.Error as error:
        expected = "expected a database as libpq names one, such as dbname=tableside or postgresql://host/tableside"
        raise StoreRefused(f"{expected}: {one_line(error)}") from error


def floor_day(where: str, day: str, now: datetime, version: str) -> FloorDay:
    """The gaming day of all tables of the database named ``where``: a date, ``today`` or ``yesterday``.

    Raises:
        NoMoment: ``day`` is no day.
        StoreRefused, StoreFailed: the database cannot be read.
    """
    # Before its first table the database is of a house whose days are those of UTC. What is no day is refused unasked.
    elsewhere = _day_of(GamingDay(), day, now)
    try:
        with PatientConnection.connect(where, options=settings(PATIENCE_SECONDS), **KEEPALIVE) as connection:
            connection.patience_seconds = PATIENCE_SECONDS
            # One moment of the database, whatever is written meanwhile.
            connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            connection.read_only = True
            rows = connection.execute(TABLES).fetchall()
            houses = {TableKey(site, name): _house(house, day, now) for site, name, *house in rows}
            asked = [(one.day, one.is_running) for one in houses.values()] or [elsewhere]
            days = sorted({one for one, _ in asked})
            found = [connection.execute(query, (days,)) for query in (ROUNDS, ALERTS, COUNTS)]
            parts = [_by_place(cursor) for cursor in found]
            meters = connection.execute(METERS, (days,)).fetchall()
    except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn) as error:
        raise StoreRefused(
            f"PostgreSQL: {error.diag.message_primary}; was it prepared? run: tableside collect prepare"
        ) from error
    except psycopg.errors.InsufficientPrivilege as error:
        raise StoreRefused(f"PostgreSQL: {one_line(error)}; its owner says: GRANT tableside_reader TO ...") from error
    except REPEATABLE as error:
        raise StoreFailed(f"PostgreSQL: {one_line(error)}") from error
    except psycopg.Error as error:
        raise StoreRefused(f"PostgreSQL: {one_line(error)}") from error
    tables = tuple(_tables(houses, parts, meters))
    idle = sorted({key.text() for key in houses} - {one.place for one in tables})
    return FloorDay(
        written=f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        version=version,
        gaming_days=tuple(one.isoformat() for one in days),
        is_running=any(is_running for _, is_running in asked),
        totals=added_up(tables),
        tables=tables,
        idle=tuple(idle),
        time_zones=tuple(sorted({one.time_zone for one in houses.values()})),
    )


def _house(row: Sequence[Any], day: str, now: datetime) -> HeldHouse:
    currency, time_zone, begins, last = row
    held_until = "" if last is None else f"{last.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return HeldHouse(currency, *_day_of(GamingDay(time_zone, begins), day, now), held_until, time_zone)


def _day_of(house: GamingDay, day: str, now: datetime) -> tuple[date, bool]:
    """The day that is asked for by a house's clock, and whether it is not over there.

    A house whose clock this machine does not know has days of UTC, as in the collector's rows.
    """
    try:
        calendar = HouseCalendar(house, now)
    except (NoMoment, ValueError):
        calendar = HouseCalendar(GamingDay(), now)
    return calendar.day_named(day), calendar.day_named(day) >= calendar.day_named(TODAY)


def _by_place(cursor: psycopg.Cursor[Any]) -> dict[Place, dict[str, int]]:
    """Sums by their columns' names; what is not known is left out."""
    names = [column.name for column in cursor.description or ()][3:]
    return {
        (TableKey(site, name), day): {
            key: int(value) for key, value in zip(names, sums, strict=True) if isinstance(value, int | Decimal)
        }
        for site, name, day, *sums in cursor
    }


def _tables(
    houses: Mapping[TableKey, HeldHouse],
    parts: Sequence[Mapping[Place, Mapping[str, int]]],
    meters: Sequence[Sequence[Any]],
) -> list[FloorTable]:
    """The tables of which there is something on their own gaming day."""
    found = []
    for key, house in houses.items():
        place = (key, house.day)
        if not any(place in part for part in parts):
            continue
        sums: dict[str, int] = {}
        for part in parts:
            sums |= part.get(place, {})
        if "table_win_cents" in sums:
            sums["counted"] = 1
        else:
            # Of a table that is not counted to the end no drop is added to those that are.
            sums.pop("drop_cents", None)
        figures = FloorFigures(currency=house.currency, **sums)
        own = tuple(FloorMeter(meter, units) for *at, meter, units in meters if (TableKey(*at[:2]), at[2]) == place)
        found.append(FloorTable(*key, house.day.isoformat(), house.held_until, figures, figures.hold, own))
    return found
