"""What is in the database is what was published, once, and the rows are those of ``tableside export``."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
import psycopg
import pytest

from controller.collector.store import (
    COLUMNS,
    Store,
    StoreFailed,
    StoreRefused,
    TableKey,
    TableWrite,
    TakenOver,
    prepare,
)
from controller.core.messages.events import CardOpened, HandCompleted, TableStarted
from controller.core.messages.floor_events import CardSet, InventoryEntered
from controller.formats.journal.records import Identity
from controller.formats.journal.stream import stream_genesis, stream_hash
from controller.formats.mqtt.envelope import event_bytes, nanoseconds, own_event
from controller.reports.audit.durable_follower import StreamPosition
from controller.reports.revenue_rows import ExportRow, HandRow, RoundRow, WagerRow
from tests.collector.conftest import Database
from tests.collector.recorded import EPOCH, NIGHTS, bodies, night, renamed

Named = Callable[[str], Store]
HARBOUR = TableKey("harbour", "bj-1")
IDENTITY = Identity(*HARBOUR, EPOCH)


def pieces(events: Sequence[bytes], sizes: Iterator[int], identity: Identity = IDENTITY) -> Iterator[TableWrite]:
    """A night cut into pieces of these sizes."""
    held = StreamPosition(identity.epoch, 0, stream_genesis(identity))
    left = list(events)
    begins = True
    while left:
        part, left = left[: (count := next(sizes))], left[count:]
        for body in part:
            held = StreamPosition(held.epoch, held.seq + 1, stream_hash(held.hash, body))
        yield TableWrite(TableKey(identity.site, identity.table), held, tuple(part), begins=begins)
        begins = False


def at_random(seed: int) -> Iterator[int]:
    chance = random.Random(seed)
    while True:
        yield chance.choice([1, 2, 5, 60])


def written(database: Database, events: Sequence[bytes], seed: int = 1, *, forgetful: bool = False) -> Store:
    store = Store(database.collector, "collector")
    store.open()
    for piece in pieces(events, at_random(seed)):
        store.write([piece])
        if forgetful:
            store.close()
            store.open()
    return store


def exported(name: str, kind: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in night(name)["rows"][kind]]


@pytest.mark.parametrize("forgetful", [False, True], ids=["at a stretch", "started anew after each batch"])
@pytest.mark.parametrize("name", NIGHTS)
def test_every_event_is_there_byte_for_byte_and_the_rows_are_those_of_export(
    database: Database, name: str, forgetful: bool
) -> None:
    events = bodies(name)
    written(database, events, forgetful=forgetful).close()
    assert [bytes(row[0]) for row in database.rows("SELECT body FROM tableside.events ORDER BY seq")] == events
    for kind in ("rounds", "wagers"):
        wanted = exported(name, kind)
        columns = list(wanted[0])
        query = f"SELECT {', '.join(columns)} FROM tableside.{kind}"
        found = [dict(zip(columns, map(plain, row), strict=True)) for row in database.rows(query)]
        assert sorted(found, key=str) == sorted(wanted, key=str), kind


@pytest.mark.parametrize(("kind", "row"), [("rounds", RoundRow), ("hands", HandRow), ("wagers", WagerRow)])
def test_a_column_that_export_has_is_written_here(kind: str, row: type[ExportRow]) -> None:
    assert COLUMNS[kind].split() == ["stream", "gaming_day", *row.__struct_fields__]


def plain(cell: object) -> object:
    """As JSON has it."""
    return cell.strftime("%Y-%m-%dT%H:%M:%S.%fZ") if hasattr(cell, "strftime") else cell


@pytest.mark.parametrize("name", ["books", "night-57"])
def test_alerts_and_meters_too(database: Database, name: str) -> None:
    written(database, bodies(name)).close()
    columns = "time, seq, kind, round, spot, data"
    found = [list(map(plain, row)) for row in database.rows(f"SELECT {columns} FROM tableside.alerts ORDER BY seq")]
    assert found == [[row[key] for key in columns.split(", ")] for row in exported(name, "alerts")]
    columns = "time, seq, kind, meter, round, spot, units, data"
    found = [
        list(map(plain, row)) for row in database.rows(f"SELECT {columns} FROM tableside.meter_events ORDER BY seq")
    ]
    assert found == [[row[key] for key in columns.split(", ")] for row in exported(name, "meters")]


def test_every_opening_of_every_night_is_of_a_card_drawn(database: Database) -> None:
    for number, name in enumerate(NIGHTS):
        identity = Identity("harbour", f"bj-{number}", EPOCH)
        store = Store(database.collector, "collector")
        store.open()
        for piece in pieces(renamed(bodies(name), identity), at_random(number), identity):
            store.write([piece])
        store.close()
    ((drawn, opened, wrong),) = database.rows(
        "SELECT sum(cards_drawn), sum(cards_opened), sum(cards_wrong) FROM tableside.tables"
    )
    assert opened > 100
    assert drawn >= opened
    assert (wrong, database.rows("SELECT text FROM tableside.complaints")) == (0, [])


def test_a_count_is_of_the_gaming_day_that_it_names(database: Database) -> None:
    events = bodies("books")
    at, published = next(
        (at, own_event(body)) for at, body in enumerate(events) if isinstance(own_event(body).event, InventoryEntered)
    )
    assert isinstance(published.event, InventoryEntered)
    named = msgspec.structs.replace(published.event, gaming_day="2026-11-14", shift="swing")
    events[at] = event_bytes(named, IDENTITY, published.seq, nanoseconds(published.time))
    written(database, events).close()
    found = database.rows("SELECT gaming_day::text, entry FROM tableside.inventory ORDER BY seq LIMIT 2")
    assert found[0] == ("2026-11-14", 1)
    assert found[1][0] != "2026-11-14"


@pytest.mark.parametrize("seed", [1, 2])
def test_a_face_that_does_not_open_its_commitment_is_reported(database: Database, seed: int) -> None:
    events = bodies("night-1")
    at, published = next(
        (at, own_event(body)) for at, body in enumerate(events) if isinstance(own_event(body).event, CardOpened)
    )
    assert isinstance(published.event, CardOpened)
    other = msgspec.structs.replace(published.event, face="2c" if published.event.face != "2c" else "3c")
    events[at] = event_bytes(other, IDENTITY, published.seq, nanoseconds(published.time))
    written(database, events, seed, forgetful=True).close()
    ((text,),) = database.rows("SELECT text FROM tableside.complaints")
    assert text == f"card {other.card} was opened as {other.face}, which is not what was committed when it was drawn"
    assert database.rows("SELECT cards_wrong FROM tableside.tables") == [(1,)]


def changed(body: bytes, **data: object) -> bytes:
    """An event that says something else; a table's own never says this."""
    message = json.loads(body)
    message["data"] |= data
    return json.dumps(message).encode()


def names_no_card(events: list[bytes]) -> None:
    """The floor names a card that is none, before the hand that holds it is published."""
    published = [own_event(body) for body in events]
    at, hand = next((at, one.event) for at, one in enumerate(published) if isinstance(one.event, HandCompleted))
    assert isinstance(hand, HandCompleted)
    named = CardSet(hand.round, hand.cards[0], None, "no card", "M. Okafor", "misread")
    events[at - 1] = event_bytes(named, IDENTITY, at, nanoseconds(published[at - 1].time))


def holds_a_zero_byte(events: list[bytes]) -> None:
    """The house's text has a character that no text of the database holds."""
    at = next(at for at, body in enumerate(events) if isinstance(own_event(body).event, TableStarted))
    day = {"time_zone": "a\0b", "begins": "0\0", "shifts": {"\0": "\0"}}
    events[at] = changed(events[at], gaming_day=day, currency="\0", profile="\0")


@pytest.mark.parametrize("spoil", [names_no_card, holds_a_zero_byte])
def test_events_of_which_no_rows_can_be_made_are_kept_and_another_tables_rows_are_made(
    database: Database, spoil: Callable[[list[bytes]], None]
) -> None:
    """Whoever may write in one table's name does not end the collection of all."""
    other = Identity("harbour", "bj-2", EPOCH)
    honest, forged = renamed(bodies("night-1"), other), bodies("night-1")
    spoil(forged)
    store = Store(database.collector, "collector")
    store.open()
    for one, two in zip(pieces(forged, at_random(1)), pieces(honest, at_random(1), other), strict=True):
        assert store.write([one, two]) == len(one.events) + len(two.events)
    store.close()
    kept = database.rows("SELECT body FROM tableside.events WHERE name = 'bj-1' ORDER BY seq")
    assert [bytes(row[0]) for row in kept] == forged
    ((rounds, wagers),) = database.rows(
        "SELECT (SELECT count(*) FROM tableside.rounds WHERE name = 'bj-2'),"
        " (SELECT count(*) FROM tableside.wagers WHERE name = 'bj-2')"
    )
    assert (rounds, wagers) == (len(exported("night-1", "rounds")), len(exported("night-1", "wagers")))
    assert not database.rows("SELECT * FROM tableside.complaints WHERE name = 'bj-2'")


@pytest.mark.parametrize("size", [7, 1000])
def test_events_of_which_no_rows_can_be_made_are_of_the_houses_gaming_day(database: Database, size: int) -> None:
    """Also where the house is published in the same piece; its day is another than that of UTC."""
    events = bodies("night-1")
    day = {"time_zone": "Pacific/Kiritimati", "begins": "00:00", "shifts": {}}
    events = [
        changed(body, gaming_day=day) if isinstance(own_event(body).event, TableStarted) else body for body in events
    ]
    names_no_card(events)
    store = Store(database.collector, "collector")
    store.open()
    for piece in pieces(events, itertools.repeat(size)):
        store.write([piece])
    store.close()
    assert database.rows("SELECT count(*) FROM tableside.complaints WHERE text LIKE 'rows refused%'") != [(0,)]
    began = next(at for at, body in enumerate(events, start=1) if isinstance(own_event(body).event, TableStarted))
    stored = database.rows(f"SELECT seq, gaming_day FROM tableside.events WHERE seq >= {began} ORDER BY seq")
    zone = ZoneInfo("Pacific/Kiritimati")
    assert stored == [
        (one.seq, datetime.fromisoformat(one.time).astimezone(zone).date())
        for one in map(own_event, events)
        if one.seq >= began
    ]


def test_who_writes_where_another_left_off_writes_nothing(database: Database, store: Named) -> None:
    events = bodies("night-1")
    first, second = list(pieces(events[:100], iter([50, 50])))
    one, other = store("one"), store("other")
    one.open()
    one.write([first])
    other.open()
    other.write([second])
    with pytest.raises(TakenOver):
        one.write([second._replace(held=StreamPosition(EPOCH, 99, b"x" * 32), events=second.events[:-1])])
    # The same batch again, as after a commit whose answer was lost: it is there, and once.
    one.open()
    assert one.open()[HARBOUR][0] == second.held
    assert database.rows("SELECT count(*), max(seq) FROM tableside.events") == [(100, 100)]


def test_a_commit_whose_answer_was_lost_is_not_done_twice(database: Database, store: Named) -> None:
    first, second = list(pieces(bodies("night-1")[:100], iter([50, 50])))
    one, other = store("one"), store("other")
    one.open()
    one.write([first])
    other.open()
    other.write([second])
    assert one.write([second]) == 50
    assert database.rows("SELECT count(*), max(seq) FROM tableside.events") == [(100, 100)]


def test_a_second_collector_of_the_same_name_is_refused(database: Database, store: Named) -> None:
    first = store("collector")
    first.open()
    with pytest.raises(StoreRefused, match="another collector named collector"):
        store("collector").open()
    first.close()
    store("collector").open()


def test_what_turned_out_not_to_be_the_tables_is_put_aside_and_kept(database: Database) -> None:
    events = bodies("night-1")
    store = written(database, events)
    store.write([TableWrite(HARBOUR, StreamPosition(EPOCH, 0, stream_genesis(IDENTITY)), put_aside=True)])
    assert database.rows("SELECT count(*) FROM tableside.events") == [(0,)]
    for piece in pieces(events, at_random(3)):
        store.write([piece._replace(begins=False)])
    store.close()
    assert [bytes(row[0]) for row in database.rows("SELECT body FROM tableside.events ORDER BY seq")] == events
    assert database.rows("SELECT set_aside IS NULL, events FROM tableside.tables ORDER BY 1") == [
        (False, len(events)),
        (True, len(events)),
    ]


def test_a_killed_server_is_a_failure_that_may_be_tried_again(database: Database, store: Named) -> None:
    first, second = list(pieces(bodies("night-1")[:100], iter([50, 50])))
    one = store("collector")
    one.open()
    one.write([first])
    database.server.kill()
    try:
        with pytest.raises(StoreFailed):
            one.write([second])
    finally:
        database.server.start()
    assert one.write([second]) == 50
    assert database.rows("SELECT count(*), max(seq) FROM tableside.events") == [(100, 100)]


class TestRights:
    """Least right: each role may do what it is for, and nothing else."""

    @pytest.mark.parametrize(
        "statement",
        [
            "SELECT * FROM tableside_store.events",
            "INSERT INTO tableside.complaints VALUES (now(), 'a', 'b', 'c')",
            "SELECT tableside_store.make_day(current_date)",
            "CREATE TABLE tableside.mine (a integer)",
        ],
    )
    def test_a_reader_reads_views(self, database: Database, statement: str) -> None:
        with psycopg.connect(database.reader) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())

    @pytest.mark.parametrize(
        "statement",
        [
            "DELETE FROM tableside_store.events",
            "UPDATE tableside_store.events SET body = ''",
            "UPDATE tableside_store.alerts SET data = ''",
            "DELETE FROM tableside_store.rulings",
            "DELETE FROM tableside_store.complaints",
            "DROP TABLE tableside_store.events",
            "CREATE TABLE tableside_store.mine (a integer)",
        ],
    )
    def test_a_collector_adds_and_takes_nothing_away(self, database: Database, statement: str) -> None:
        with psycopg.connect(database.collector) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement.encode())


def test_events_lie_in_partitions_of_their_gaming_day(database: Database) -> None:
    written(database, bodies("books")).close()
    with psycopg.connect(database.owner) as connection:
        parts = connection.execute(
            "SELECT tableoid::regclass::text, gaming_day::text, count(*) FROM tableside_store.events"
            " GROUP BY 1, 2 ORDER BY 1"
        ).fetchall()
    assert [(part, day) for part, day, _ in parts] == [
        ("tableside_store.events_20261121", "2026-11-21"),
        ("tableside_store.events_20261122", "2026-11-22"),
    ]


def test_a_database_prepared_twice_is_as_before_and_an_unprepared_one_is_refused(database: Database) -> None:
    assert prepare(database.owner) == (1, 1)
    with pytest.raises(StoreRefused, match="schema 0, expected 1: tableside collect prepare"):
        Store(database.server.where.replace("dbname=postgres", "dbname=template1"), "collector").open()
