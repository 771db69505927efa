"""``tableside report``: the account of a shift."""

from __future__ import annotations

import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
import msgspec

from controller import version
from controller.commands.journal_reader import way_to_verify
from controller.commands.main_edge import edge_of
from controller.commands.suggestions import journals
from controller.commands.terminal import AS_JSON, refuse, say, say_text

if TYPE_CHECKING:
    from controller.core.game.rules import Rules
    from controller.formats.mqtt.envelope import Published
    from controller.formats.text.moments import HouseCalendar
    from controller.io.journal.reader import JournalReader
    from controller.reports.shift import Shift, ShiftRequest

A_DAY: Final = timedelta(days=1)


class Times(msgspec.Struct, frozen=True):
    """What the command was asked for, as it was typed."""

    since: str
    until: str
    day: str
    shift: str


@click.command("report")
@click.argument("journal", type=click.Path(path_type=Path), required=False, shell_complete=journals)
@click.option("--since", metavar="TIME", default="", help="From this time on: 2026-11-21T18:00, 18:00, yesterday.")
@click.option("--until", metavar="TIME", default="", help="Up to this time.")
@click.option("--day", metavar="DAY", default="", help="A gaming day instead: 2026-11-21, today, yesterday.")
@click.option("--shift", metavar="NAME", default="", help="One shift of that day, by its name in the table file.")
@click.option("--html", "page", type=click.Path(dir_okay=False, path_type=Path), help="Also write a page with plots.")
@click.option(
    "--collected",
    metavar="DATABASE",
    default="",
    help="Of the whole floor instead: the PostgreSQL that `tableside collect` fills, as libpq names one; with --day.",
)
@AS_JSON
def command(
    *,
    journal: Path | None,
    since: str,
    until: str,
    day: str,
    shift: str,
    page: Path | None,
    collected: str,
    as_json: bool,
) -> None:
    """Print the account of a table: win beside the expected win, inventory, rulings, and what needs attention.

    With --collected it is one gaming day of every table (today's without --day): what each took, and all together.

    Each event is checked against its record's chain hash before it is counted. Times without an offset are in the
    house's time zone (time_zone in the table file). No key is needed, and the daemon may be running.

    Exit status: 0 printed, 1 the journal is damaged, 2 there is no journal, a time is invalid, the period has no
    events, the page cannot be written, or the database cannot be read.
    """
    if collected:
        if journal is not None or since or until or shift or page is not None:
            raise click.UsageError("--collected: expected --day and --json at most beside it, and no JOURNAL")
        _say_floor(collected, day, as_json=as_json)
        return
    if journal is None:
        raise click.UsageError("expected a JOURNAL, or --collected DATABASE for the whole floor")
    _say_account(journal, Times(since, until, day, shift), page, as_json=as_json)


def _say_floor(where: str, day: str, *, as_json: bool) -> None:
    """Print a gaming day of the whole floor."""
    from datetime import UTC, datetime

    from controller.formats.text.moments import TODAY, NoMoment
    from controller.reports.floor_day import floor_text

    try:
        from controller.collector.floor_rows import floor_day
        from controller.collector.store import StoreFailed, StoreRefused
    except ImportError:
        from controller.io.files.extras import how_to_get

        refuse(f"--collected needs psycopg; {how_to_get('collect')}")
    try:
        found = floor_day(where, day or TODAY, datetime.now(UTC), version())
    except NoMoment as error:
        refuse(f"--day {error}")
    except (StoreRefused, StoreFailed) as error:
        refuse(f"--collected: {error}")
    say_text(msgspec.json.encode(found) if as_json else floor_text(found), nl=as_json)


def _say_account(journal: Path, times: Times, page: Path | None, *, as_json: bool) -> None:
    """Print the account of one table; with ``page`` also write it there."""
    from controller.formats.journal.records import RecordDamaged
    from controller.formats.mqtt.envelope import PayloadRefused
    from controller.formats.text.moments import NoMoment
    from controller.io.displays.shift_page import NoPages, shift_page
    from controller.io.journal.errors import JournalDamaged, NotAJournal
    from controller.reports.shift_text import shift_text

    try:
        account = _account(journal, times)
        if page is not None:
            page.write_text(shift_page(account), encoding="utf-8")
    except JournalDamaged as error:
        _end(f"{error}; {way_to_verify(journal)}", 1)
    except RecordDamaged as error:
        _end(f"{journal}: damaged: {error}; {way_to_verify(journal)}", 1)
    except PayloadRefused as error:
        _end(f"{journal}: {error}; use the version of the program that wrote it", 2)
    except (NotAJournal, NoPages, EmptyPeriod, NoMoment) as error:
        _end(str(error), 2)
    except OSError as error:
        _end(f"{page}: {error.strerror}", 2)
    say_text(msgspec.json.encode(account) if as_json else shift_text(account), nl=as_json)


class EmptyPeriod(Exception):  # noqa: N818 - named for what happened
    """There is nothing to tell."""


def _end(text: str, status: int) -> None:
    say(f"tableside: {text}", err=True)
    sys.exit(status)


def _account(journal: Path, times: Times) -> Shift:
    from datetime import UTC, datetime

    from msgspec.structs import replace

    from controller.core.analysis.expectation import theories
    from controller.formats.text.moments import HouseCalendar
    from controller.io.journal.reader import JournalReader
    from controller.reports.shift import rfc3339, shift_of
    from controller.reports.shift_inventory import house_day

    with JournalReader(journal) as reader:
        events, rules = _read(reader)
    if not events or rules is None:
        raise EmptyPeriod(f"{journal}: no event in that time")
    now = datetime.now(UTC)
    asked = replace(
        _shift_wanted(times, HouseCalendar(house_day(events), now)), written=rfc3339(now), version=version()
    )
    account = shift_of(events, lambda: theories(rules, edge_of(rules)), asked)
    if account is None:
        raise EmptyPeriod(
            f"{journal}: no event from {asked.period.since:%Y-%m-%dT%H:%MZ} to {asked.period.until:%Y-%m-%dT%H:%MZ}; "
            f"its events are of {events[0].time[:16]}Z to {events[-1].time[:16]}Z"
        )
    return account


def _shift_wanted(times: Times, house: HouseCalendar) -> ShiftRequest:
    """The account that the options name.

    Raises:
        NoMoment: a time is none, or the times do not go together.
    """
    from controller.formats.text.moments import NoMoment, Period
    from controller.reports.shift import ALWAYS, ShiftRequest

    zone = house.day.time_zone
    if times.shift and not times.day:
        raise NoMoment("--shift: expected --day with it, such as --day yesterday")
    if times.day and (times.since or times.until):
        raise NoMoment("expected either --day or --since and --until")
    if times.day:
        day = house.day_named(times.day)
        period, before = (
            house.shift(one, times.shift) if times.shift else house.whole(one) for one in (day, day - A_DAY)
        )
        which = f", {times.shift} shift" if times.shift else ""
        names = (f"gaming day {one}{which}" for one in (day, day - A_DAY))
        return ShiftRequest(period, next(names), zone, before, next(names))
    since = house.moment(times.since) if times.since else ALWAYS.since
    until = house.moment(times.until) if times.until else ALWAYS.until
    if since >= until:
        raise NoMoment(f"--until {times.until}: expected a time after --since {times.since}")
    return ShiftRequest(Period(since, until), time_zone=zone)


def _read(reader: JournalReader) -> tuple[list[Published], Rules | None]:
    """The events that accounts are made of, and the rules last in force."""
    from controller.core.messages.advice import PaymentAdvised
    from controller.core.messages.events import CardDealt, CardDrawn, CardOpened, ChipsChanged, KeyRead, TableStarted
    from controller.formats.mqtt.envelope import own_event
    from controller.io.journal.stream import every_checked_event

    # Most of a journal's events, and no account needs them.
    silent = (CardDealt, CardDrawn, CardOpened, ChipsChanged, KeyRead, PaymentAdvised)
    events: list[Published] = []
    started: int | None = None
    for row in every_checked_event(reader):
        one = own_event(row.body)
        if not isinstance(one.event, silent):
            events.append(one)
        if isinstance(one.event, TableStarted):
            started = row.number
    return events, None if started is None else _rules(reader, started)


def _rules(reader: JournalReader, number: int) -> Rules:
    """The rules a table started with, from the record of that number."""
    from controller.core.messages.inputs import DaemonStarted
    from controller.formats.journal.records import unseal

    record = next(one for one in reader.records(number) if one.number == number)
    given = unseal(record.body, b"", {}, reader.identity).input
    assert isinstance(given, DaemonStarted)
    return given.house.rules
