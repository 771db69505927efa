"""A gaming day of the whole floor: its figures are those of each table's own account, added up."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Final

import psycopg
import pytest
from click.testing import CliRunner, Result

from controller.cli import main
from controller.collector.floor_rows import floor_day
from controller.collector.store import Store, StoreFailed, StoreRefused
from controller.formats.journal.records import Identity
from controller.formats.mqtt.envelope import own_event
from controller.formats.text.moments import HouseCalendar, NoMoment
from controller.reports.floor_day import FloorDay, FloorFigures, FloorTable, FloorTotal, floor_text
from controller.reports.shift import Shift, ShiftRequest, shift_of
from controller.reports.shift_inventory import house_day
from tests.collector.conftest import Database
from tests.collector.recorded import EPOCH, NIGHTS, bodies, renamed
from tests.collector.test_store import at_random, changed, exported, pieces

DAYS: Final = ("2026-11-21", "2026-11-22")
NOW: Final = datetime(2026, 11, 22, 12, tzinfo=UTC)
VIEW: Final = ("rounds", "handle_cents", "win_cents", "open_wagers", "open_cents", "table_win_cents", "hold")


def collect(database: Database, events: Sequence[bytes], table: str, epoch: int = EPOCH) -> None:
    """Write the events of one table as a collector does."""
    identity = Identity("harbour", table, epoch)
    store = Store(database.collector, "collector")
    store.open()
    for piece in pieces(renamed(events, identity), at_random(1), identity):
        store.write([piece])
    store.close()


@pytest.fixture
def floor(database: Database) -> Database:
    """Every kept night, each sent by a table of its own."""
    for name in NIGHTS:
        collect(database, bodies(name), name)
    return database


def read(database: Database, day: str = DAYS[0], now: datetime = NOW) -> FloorDay:
    return floor_day(database.reader, day, now, "0.1.0")


def account(name: str, day: str) -> Shift | None:
    """The account of a night's gaming day, as ``tableside report`` makes it."""
    events = [own_event(body) for body in bodies(name)]
    period = HouseCalendar(house_day(events), NOW).whole(date.fromisoformat(day))
    return shift_of(events, dict, ShiftRequest(period))


def figures_of(shift: Shift) -> dict[str, object]:
    """The figures of an account that the floor has too, with what was ruled after it."""
    now = shift.restated
    return {
        "currency": shift.currency,
        "rounds": shift.rounds,
        "irregular": len({one.round for one in shift.irregular}),
        "void_rounds": shift.void_rounds if now is None else now.void_rounds,
        "handle_cents": shift.handle_cents if now is None else now.handle_cents,
        "win_cents": shift.win_cents if now is None else now.win_cents,
        "open_wagers": shift.open_wagers if now is None else now.open_wagers,
        "doubted_wagers": shift.doubted_wagers if now is None else now.doubted_wagers,
        **{
            severity: sum(one.count for one in shift.alerts if one.severity == severity)
            for severity in ("critical", "warning", "notice")
        },
    }


@pytest.mark.parametrize("day", DAYS)
def test_each_table_has_the_figures_of_its_account_and_the_floor_their_sum(floor: Database, day: str) -> None:
    found = read(floor, day)
    accounts = {name: shift for name in NIGHTS if (shift := account(name, day)) is not None}
    wanted = {name: figures_of(shift) for name, shift in accounts.items()}
    by_table = {one.table: one.figures for one in found.tables}
    for name, figures in wanted.items():
        if name in by_table:
            assert {key: getattr(by_table[name], key) for key in figures} == figures, name
        else:
            assert {key: one for key, one in figures.items() if key != "currency" and one} == {}, name
    assert bool(sum(one.rounds for one in by_table.values())) is (day == DAYS[0])
    assert sum(one.tables for one in found.totals) == len(by_table)
    for total in found.totals:
        own = [one for one in by_table.values() if one.currency == total.figures.currency]
        for key in set(FloorFigures.__struct_fields__) - {"currency"}:
            assert getattr(total.figures, key) == sum(getattr(one, key) for one in own), key
    for key in ("rounds", "handle_cents", "win_cents", "open_wagers", "critical"):
        sums = sum(getattr(one.figures, key) for one in found.totals)
        assert sums == sum(int(str(one[key])) for one in wanted.values()), key
    assert sorted([*by_table, *(one.partition("/")[2] for one in found.idle)]) == sorted(NIGHTS)


def test_what_is_open_and_void_is_that_of_the_rows_of_export(floor: Database) -> None:
    """All rounds of the kept nights closed on the same day."""
    by_table = {one.table: one.figures for one in read(floor).tables}
    for name in NIGHTS:
        rounds, one = exported(name, "rounds"), by_table[name]
        assert one.open_rounds == sum(bool(row["open_wagers"]) for row in rounds), name
        assert one.void_rounds == sum(row["outcome"] == "void" for row in rounds), name
        for key in ("open_cents", "void_cents"):
            assert getattr(one, key) == sum(int(str(row.get(key, 0))) for row in rounds), name
    assert sum(one.open_rounds for one in by_table.values()) > 0


@pytest.mark.parametrize("day", DAYS)
def test_the_figures_are_those_of_the_view_of_hold(floor: Database, day: str) -> None:
    rows = floor.rows(f"SELECT name, {', '.join(VIEW)} FROM tableside.hold WHERE gaming_day = '{day}'")
    tables = {one.table: one for one in read(floor, day).tables}
    assert rows
    for name, *figures in rows:
        one = tables[name]
        held = (one.figures.table_win_cents if one.figures.counted else None, one.hold)
        assert [getattr(one.figures, key) for key in VIEW[:-2]] + list(held) == figures, name


def enter(database: Database, table: str, **counts: int) -> None:
    """Counts of a table's first gaming day, by kind."""
    with psycopg.connect(database.collector) as connection:
        for seq, (kind, cents) in enumerate(counts.items()):
            connection.execute(
                "INSERT INTO tableside_store.inventory"
                " SELECT stream, %s, '2026-11-21', now(), 1, %s, %s, '', '', ''"
                " FROM tableside_store.streams WHERE name = %s",
                (900_000 + seq + cents, kind, cents, table),
            )


def test_the_hold_of_the_floor_is_of_the_tables_that_are_counted(database: Database) -> None:
    for table in ("bj-1", "bj-2"):
        collect(database, bodies("night-1"), table)
    enter(database, "bj-1", drop=7_700)
    enter(database, "bj-2", opener=500_000, fill=50_000, closer=480_000)
    assert [one.hold for one in read(database).tables] == [None, None]
    enter(database, "bj-2", drop=90_000)
    found = read(database)
    assert [one.hold for one in found.tables] == [None, 2222]
    assert [one.figures.drop_cents for one in found.tables] == [0, 90_000]
    (total,) = found.totals
    assert (total.figures.counted, total.figures.drop_cents, total.figures.table_win_cents) == (1, 90_000, 20_000)
    assert total.hold == 2222
    assert "counted     1 of 2 tables" in floor_text(found)


def of_house(name: str, currency: str, zone: str, begins: str) -> list[bytes]:
    """A night at another house."""
    day = {"time_zone": zone, "begins": begins, "shifts": {}}
    return [
        changed(body, gaming_day=day, currency=currency) if b"tableside.table_started.v1" in body else body
        for body in bodies(name)
    ]


def test_today_is_each_houses_own_and_currencies_are_not_added_up(database: Database) -> None:
    """At 11:30 UTC it is the 22nd already in Kiritimati."""
    collect(database, of_house("night-1", "EUR", "Europe/Vienna", "06:00"), "bj-1")
    collect(database, of_house("night-1", "AUD", "Pacific/Kiritimati", "00:00"), "bj-2")
    found = read(database, "today", datetime(2026, 11, 21, 11, 30, tzinfo=UTC))
    assert found.gaming_days == ("2026-11-21", "2026-11-22")
    assert found.time_zones == ("Europe/Vienna", "Pacific/Kiritimati")
    assert [(one.table, one.gaming_day) for one in found.tables] == [("bj-1", "2026-11-21"), ("bj-2", "2026-11-22")]
    assert [(one.tables, one.figures.currency) for one in found.totals] == [(1, "AUD"), (1, "EUR")]
    assert found.totals[0].figures.win_cents == found.totals[1].figures.win_cents
    assert found.is_running
    later = read(database, "yesterday", datetime(2026, 11, 22, 11, 30, tzinfo=UTC))
    assert (later.gaming_days, later.is_running) == (("2026-11-21", "2026-11-22"), False)
    assert later.totals == found.totals


@pytest.mark.parametrize(("zone", "begins"), [("Mars/Olympus", "00:00"), ("Europe/Vienna", "25:00")])
def test_a_house_whose_clock_nobody_knows_has_days_of_utc(database: Database, zone: str, begins: str) -> None:
    collect(database, of_house("night-1", "USD", zone, begins), "bj-1")
    (one,) = read(database, "today", datetime(2026, 11, 21, 20, tzinfo=UTC)).tables
    assert one.gaming_day == "2026-11-21"
    assert one.figures.rounds > 0


def test_what_was_put_aside_is_not_of_the_floor_and_two_epochs_of_a_table_are(database: Database) -> None:
    collect(database, bodies("night-1"), "bj-1")
    (once,) = read(database).tables
    collect(database, bodies("night-1"), "bj-1", EPOCH + 1)
    (twice,) = read(database).tables
    assert twice.figures.rounds == 2 * once.figures.rounds > 0
    with psycopg.connect(database.collector) as connection:
        connection.execute("UPDATE tableside_store.streams SET set_aside = now() WHERE epoch = %s", (EPOCH,))
    assert read(database).tables == (once,)
    assert once.held_until == "2026-11-21T11:17:21Z"
    with psycopg.connect(database.collector) as connection:
        connection.execute("UPDATE tableside_store.streams SET set_aside = now()")
    assert (read(database).tables, read(database).idle) == ((), ())


def test_a_round_that_is_irregular_twice_is_one_irregular_round(database: Database) -> None:
    collect(database, bodies("night-1"), "bj-1")
    (before,) = read(database).tables
    with psycopg.connect(database.collector) as connection:
        done = connection.execute(
            "INSERT INTO tableside_store.alerts (stream, seq, gaming_day, time, kind, round, spot, data)"
            " SELECT stream, seq + 900000, gaming_day, time, kind, round, spot, data FROM tableside_store.alerts"
            " WHERE kind = 'round_irregular'"
        )
        assert done.rowcount == 1
    assert read(database).tables == (before,)


def test_a_meter_is_where_it_stood_last_on_that_day(database: Database) -> None:
    collect(database, bodies("night-57"), "bj-1")
    (one,) = read(database).tables
    rows = database.rows(
        "SELECT DISTINCT ON (meter) meter, units FROM tableside.meter_events"
        " WHERE units IS NOT NULL AND gaming_day = '2026-11-21' ORDER BY meter, seq DESC"
    )
    assert [(meter.meter, meter.units) for meter in one.meters] == rows
    assert rows
    assert f"meter       harbour/bj-1 {rows[0][0]} $" in floor_text(read(database))


def test_a_floor_of_which_nothing_was_collected(database: Database) -> None:
    found = read(database, "today")
    assert (found.gaming_days, found.is_running, found.totals, found.tables) == (("2026-11-22",), True, (), ())
    assert "no table has anything on that day" in floor_text(found)
    with pytest.raises(NoMoment):
        read(database, "someday")


def unprepared(database: Database) -> str:
    """A database in which nothing was ever made."""
    return database.owner.replace("dbname=postgres", "dbname=template1")


def test_a_database_that_cannot_be_read_says_what_to_do(database: Database) -> None:
    with pytest.raises(StoreRefused, match="was it prepared\\? run: tableside collect prepare"):
        floor_day(unprepared(database), "today", NOW, "")
    with pytest.raises(StoreFailed):
        floor_day("host=/nonexistent", "today", NOW, "")
    database.server.pause()
    try:
        with pytest.raises(StoreFailed):
            read(database)
    finally:
        database.server.go_on()
    with psycopg.connect(database.owner, autocommit=True) as connection:
        connection.execute("REVOKE tableside_reader FROM test_reader")
    try:
        with pytest.raises(StoreRefused, match="GRANT tableside_reader TO"):
            read(database)
    finally:
        with psycopg.connect(database.owner, autocommit=True) as connection:
            connection.execute("GRANT tableside_reader TO test_reader")


def does(*words: str) -> Result:
    return CliRunner().invoke(main, ["report", *words])


def test_the_command_prints_the_floor(floor: Database) -> None:
    done = does("--collected", floor.reader, "--day", DAYS[0])
    assert done.exit_code == 0, done.output
    found = read(floor)
    lines = done.output.splitlines()
    assert lines[0] == "whole floor, gaming day 2026-11-21"
    assert [line.split()[0] for line in lines if line.startswith("harbour/")] == [
        f"harbour/{one.table}" for one in found.tables
    ]
    line, *_ = (line.split() for line in lines if line.startswith("all "))
    total, *_ = found.totals
    assert line[:3] == ["all", str(total.tables), "tables"]
    assert line[3] == str(total.figures.rounds)
    assert line[7].replace(",", "") == f"${total.figures.handle_cents // 100}.{total.figures.handle_cents % 100:02d}"
    printed = json.loads(does("--collected", floor.reader, "--day", DAYS[0], "--json").output)
    assert printed["totals"][0]["figures"]["win_cents"] == total.figures.win_cents
    assert printed["tables"][0]["site"] == "harbour"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--collected", "host=/nonexistent"), "tableside: --collected: PostgreSQL: "),
        (("--collected", "UNPREPARED"), "run: tableside collect prepare"),
        (("--collected", "PREPARED", "--day", "someday"), "--day 'someday': expected a day such as"),
    ],
)
def test_a_refusal_is_one_line(database: Database, words: Sequence[str], message: str) -> None:
    places = {"UNPREPARED": unprepared(database), "PREPARED": database.reader}
    done = does(*(places.get(word, word) for word in words))
    assert (done.exit_code, done.output.count("\n")) == (2, 1), done.output
    assert message in done.output


@pytest.mark.parametrize(
    "words", [(), ("journal.sqlite", "--collected", "d"), ("--collected", "d", "--shift", "swing")]
)
def test_a_journal_or_a_database_is_named(words: Sequence[str]) -> None:
    done = does(*words)
    assert done.exit_code == 2
    assert "Error: " in done.output


def test_a_total_is_of_nothing_else_than_its_tables() -> None:
    one = FloorTable("harbour", "bj-1", DAYS[0], "", FloorFigures("USD", rounds=3, win_cents=-500), None)
    found = FloorDay("", "", DAYS[:1], False, (FloorTotal(1, one.figures, None),), (one,), ("harbour/bj-2",))
    text = floor_text(found)
    assert "nothing of  harbour/bj-2" in text
    assert "-$5.00" in text
    assert "NOT OVER" not in text
