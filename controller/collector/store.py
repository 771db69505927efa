"""The collector's database: what is held of each table, and the events with the rows made of them, changed together.

A batch is one transaction. It begins by locking the places it goes on from; where one is not the place that was left,
somebody else has written, and nothing is. A connection that breaks in a commit is made anew, and the place says whether
the commit was done. So an event is in the database once, whatever is killed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from importlib import resources
from typing import Any, Final, NamedTuple, TypeVar

import psycopg
from psycopg import IsolationLevel, sql

from controller.collector.stream_fold import DatabaseRow, DatabaseRows, StoredEvents, StreamFold, TableHouse
from controller.core.messages.house import GamingDay
from controller.formats.journal.records import Identity
from controller.io.system.patient_connection import KEEPALIVE, REPEATABLE, PatientConnection, one_line, settings
from controller.reports.audit.durable_follower import StreamPosition

PATIENCE_SECONDS: Final = 30.0
"""How long one answer of the database is waited for; a batch is written within a second."""

SCHEMA_VERSION: Final = 1
"""The migration up to which this program knows the database."""

LOCK: Final = 7_421_316
"""The advisory lock that the one collector of a database holds (first key; the second is of its consumer's name)."""

COLUMNS: Final[dict[str, str]] = {
    "events": "stream gaming_day seq time kind round spot card body",
    "rounds": "stream gaming_day round started closed first_seq last_seq outcome dealer spots hands questions alerts"
    " handle_cents win_cents open_wagers open_cents settled_wagers void_wagers adjusted doubted void_cents",
    "hands": "stream gaming_day round spot hand cards total stake_cents",
    "wagers": "stream gaming_day round time seq spot bet wager_cents handle_cents net_cents basis why state"
    " jackpot_cents adjusted doubted void_cents",
    "alerts": "stream seq gaming_day time kind round spot data alert about severity words",
    "meter_events": "stream seq gaming_day time kind meter round spot units data",
    "inventory": "stream seq gaming_day time entry kind cents slip who why",
    "rulings": "stream seq gaming_day time kind round spot bet before_cents net_cents who why case_number",
}
"""What is written of each kind of row, in this order."""

UNFIT: Final = (
    psycopg.DataError,
    psycopg.IntegrityError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)
"""What the database will never take, and what comes of rows made of events that contradict one another, as those of
somebody who writes in a table's name may: however often it is tried, it comes again. The events of that table are then
written without rows; another table's rows are not its affair."""

T = TypeVar("T")


class StoreRefused(Exception):  # noqa: N818 - named for what happened
    """The database cannot be used; the text says why, and what to do."""


class StoreFailed(Exception):  # noqa: N818
    """The database did not answer, or not in time: the same may be tried again."""


class TakenOver(Exception):  # noqa: N818
    """Somebody else wrote where we had left off: what is remembered must be read again."""


class TableKey(NamedTuple):
    """A table of the property."""

    site: str
    table: str

    def text(self) -> str:
        """As people write it."""
        return f"{self.site}/{self.table}"


class Epoch(NamedTuple):
    """What is held of a table's epoch."""

    stream: int
    held: StreamPosition


class TableWrite(NamedTuple):
    """Something to write of one table, in order: a new epoch, events that follow, a signed head, complaints.

    ``held`` is what is held with it; ``put_aside``: what was held is not the table's, and the epoch begins again.
    """

    name: TableKey
    held: StreamPosition
    events: tuple[bytes, ...] = ()
    begins: bool = False
    put_aside: bool = False
    head: str = ""
    complaints: tuple[str, ...] = ()


class StreamAdvance(NamedTuple):
    """Where an epoch of a table stands after a batch: what is held of it, and what was made of its new events."""

    stream: int
    held: StreamPosition
    house: TableHouse
    open_rounds: tuple[int, ...]
    rows: DatabaseRows


class Store:
    """The database, for one thread at a time."""

    def __init__(self, where: str, consumer: str, *, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._where = where
        self._consumer = consumer
        self._patience_seconds = patience_seconds
        self._connection: PatientConnection | None = None
        self._epochs: dict[TableKey, Epoch] = {}
        self._folds: dict[int, StreamFold] = {}
        self._days: set[date] = set()

    def open(self) -> dict[TableKey, tuple[StreamPosition, str]]:
        """What is held of each table, and the signed head that is kept; what was remembered is forgotten.

        Raises:
            StoreRefused: no such server or database, no store in it, or another collector at work.
            StoreFailed: the server does not answer now.
        """
        self._epochs.clear()
        self._folds.clear()
        try:
            connection = self._connected()
            rows = connection.execute(
                "SELECT site, name, epoch, stream, held_seq, held_hash FROM tableside_store.streams"
                " WHERE set_aside IS NULL ORDER BY epoch"
            ).fetchall()
            heads = connection.execute("SELECT site, name, tree_head FROM tableside_store.heads").fetchall()
        except REPEATABLE as error:
            self.close()
            raise StoreFailed(f"PostgreSQL: {one_line(error)}") from error
        except psycopg.Error as error:
            self.close()
            raise StoreRefused(f"PostgreSQL: {one_line(error)}") from error
        for site, name, epoch, stream, seq, hashed in rows:
            self._epochs[TableKey(site, name)] = Epoch(stream, StreamPosition(epoch, seq, bytes(hashed)))
        kept = {TableKey(site, name): head for site, name, head in heads}
        return {name: (one.held, kept.get(name, "")) for name, one in self._epochs.items()}

    def write(self, pieces: Sequence[TableWrite]) -> int:
        """Write all of it, or nothing; how many events that were.

        Raises:
            StoreFailed: it is not known to be written; the same pieces may be tried again.
            TakenOver: somebody else wrote.
        """
        try:
            try:
                return self._done(lambda connection: self._write(connection, pieces))
            except UNFIT:
                return self._done(lambda connection: self._write_apart(connection, pieces))
        except TakenOver:
            # A commit whose answer was lost, perhaps: then all of it is there.
            now = self.open()
            last = {piece.name: piece.held for piece in pieces}
            if all(name in now and now[name][0] == held for name, held in last.items()):
                return sum(len(piece.events) for piece in pieces)
            raise

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            with contextlib.suppress(psycopg.Error):
                self._connection.close()
            self._connection = None

    def _done(self, work: Callable[[psycopg.Connection], T]) -> T:
        """What ``work`` gives, in a transaction; where it fails, what is remembered is as it was before."""
        before = dict(self._epochs), set(self._days)
        try:
            return self._repeated(work)
        except (StoreFailed, *UNFIT):
            self._go_back(*before)
            raise

    def _go_back(self, epochs: dict[TableKey, Epoch], days: set[date]) -> None:
        """Remember what was known before something that was undone."""
        self._epochs, self._days = epochs, days
        self._folds.clear()

    def _repeated(self, work: Callable[[psycopg.Connection], T]) -> T:
        try:
            connection = self._connected()
            connection.isolation_level = IsolationLevel.READ_COMMITTED
            with connection.transaction():
                return work(connection)
        except REPEATABLE as error:
            self.close()
            raise StoreFailed(f"PostgreSQL: {one_line(error)}") from error
        except UNFIT:
            raise
        except psycopg.Error as error:
            raise StoreFailed(f"PostgreSQL: {one_line(error)}") from error

    def _connected(self) -> psycopg.Connection:
        if self._connection is None:
            options = settings(self._patience_seconds)
            connection = PatientConnection.connect(self._where, autocommit=True, options=options, **KEEPALIVE)
            connection.patience_seconds = self._patience_seconds
            self._connection = connection
            schema = _schema_version(connection)
            if schema != SCHEMA_VERSION:
                self.close()
                raise StoreRefused(
                    f"the database has schema {schema}, expected {SCHEMA_VERSION}: tableside collect prepare"
                )
            try:
                # Waited for as long as any lock is: the server may not know yet that our last connection ended.
                connection.execute("SELECT pg_advisory_lock(%s, hashtext(%s))", (LOCK, self._consumer))
            except psycopg.errors.LockNotAvailable as error:
                self.close()
                text = f"another collector named {self._consumer} writes to this database; stop it first"
                raise StoreRefused(text) from error
        return self._connection

    def _write_apart(self, connection: psycopg.Connection, pieces: Sequence[TableWrite]) -> int:
        """Write each by itself; of one that is unfit the events alone."""
        count = 0
        for piece in pieces:
            before = dict(self._epochs), set(self._days)
            try:
                with connection.transaction():
                    count += self._write(connection, [piece])
            except UNFIT as error:
                self._go_back(*before)
                complaint = f"rows refused: {one_line(error)}"
                unfit = piece._replace(complaints=(*piece.complaints, complaint))
                count += self._write(connection, [unfit], are_bare=True)
        return count

    def _write(self, connection: psycopg.Connection, pieces: Sequence[TableWrite], *, are_bare: bool = False) -> int:
        self._lock(connection, {piece.name for piece in pieces})
        advances: list[StreamAdvance] = []
        heads: dict[TableKey, str] = {}
        for piece in pieces:
            if piece.put_aside or piece.begins:
                self._begin(connection, piece)
            if piece.events:
                advances.append((self._kept if are_bare else self._folded)(connection, piece))
                complain(connection, piece.name, advances[-1].rows.complaints)
                self._epochs[piece.name] = Epoch(advances[-1].stream, piece.held)
            if piece.head and not are_bare:
                heads[piece.name] = piece.head
            complain(connection, piece.name, piece.complaints)
        _advance(connection, advances)
        _keep_heads(connection, heads)
        self._make_days(connection, {day for one in advances for day in one.rows.days})
        for kind in COLUMNS:
            made = ((one.stream, *row) for one in advances for row in getattr(one.rows, kind))
            if kind == "rounds":
                _forget(connection, advances)
            _copy(connection, kind, made)
        for one in advances:
            _acknowledge(connection, one.stream, one.rows.seen_alerts)
        return sum(len(one.rows.events) for one in advances)

    def _lock(self, connection: psycopg.Connection, names: set[TableKey]) -> None:
        """Take the places we go on from; no other process moves them until the end of the transaction."""
        streams = sorted(self._epochs[name].stream for name in names if name in self._epochs)
        rows = connection.execute(
            "SELECT stream, held_seq FROM tableside_store.streams WHERE stream = ANY(%s) AND set_aside IS NULL"
            " ORDER BY stream FOR UPDATE",
            (streams,),
        ).fetchall()
        left = {one.stream: one.held.seq for one in self._epochs.values()}
        if dict(rows) != {stream: left[stream] for stream in streams}:
            raise TakenOver("the database goes on from another place than we left")

    def _begin(self, connection: psycopg.Connection, piece: TableWrite) -> None:
        """A new epoch; or the same one again, once what was held of it is put aside."""
        before = self._epochs.get(piece.name)
        if piece.put_aside and before is not None:
            connection.execute(
                "UPDATE tableside_store.streams SET set_aside = now() WHERE stream = %s", (before.stream,)
            )
        begun = StreamPosition(piece.held.epoch, 0, piece.held.hash)
        row = connection.execute(
            "INSERT INTO tableside_store.streams (site, name, epoch, held_hash) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT DO NOTHING RETURNING stream",
            (*piece.name, begun.epoch, begun.hash),
        ).fetchone()
        if row is None:
            raise TakenOver(f"{piece.name.text()}: epoch {begun.epoch} is there already")
        self._epochs[piece.name] = Epoch(row[0], begun)

    def _folded(self, connection: psycopg.Connection, piece: TableWrite) -> StreamAdvance:
        stream = self._epochs[piece.name].stream
        fold = self._folds.get(stream)
        if fold is None:
            fold = self._folds[stream] = self._fold(connection, piece, stream)
        rows = fold.fold(piece.events)
        return StreamAdvance(stream, piece.held, fold.house, fold.open_rounds, rows)

    def _kept(self, connection: psycopg.Connection, piece: TableWrite) -> StreamAdvance:
        """The events alone; rounds that are open are looked for again when more is reported of them."""
        stream = self._epochs[piece.name].stream
        house, _ = _last_known(connection, stream)
        fold = StreamFold(Identity(*piece.name, piece.held.epoch), house, (), self._stored(stream))
        return StreamAdvance(stream, piece.held, fold.house, (), fold.keep(piece.events))

    def _fold(self, connection: psycopg.Connection, piece: TableWrite, stream: int) -> StreamFold:
        house, open_rounds = _last_known(connection, stream)
        return StreamFold(Identity(*piece.name, piece.held.epoch), house, open_rounds, self._stored(stream))

    def _stored(self, stream: int) -> StoredEvents:
        """What the database has of one table, read on the connection that is then in use."""

        def bodies(column: str, value: int) -> list[bytes]:
            assert self._connection is not None
            query = sql.SQL("SELECT body FROM tableside_store.events WHERE stream = %s AND {} = %s ORDER BY seq")
            rows = self._connection.execute(query.format(sql.Identifier(column)), (stream, value)).fetchall()
            return [bytes(row[0]) for row in rows]

        return StoredEvents(lambda number: bodies("round", number), lambda card: bodies("card", card))

    def _make_days(self, connection: psycopg.Connection, days: Iterable[date]) -> None:
        for day in sorted(set(days) - self._days):
            connection.execute("SELECT tableside_store.make_day(%s)", (day,))
            self._days.add(day)


def prepare(owner: str) -> tuple[int, int]:
    """Bring the database named ``owner``, as its owner, to this program's schema; its version before and now.

    Raises:
        StoreRefused: it cannot be, or is of a later program.
    """
    try:
        with psycopg.connect(owner, autocommit=True, connect_timeout=KEEPALIVE["connect_timeout"]) as connection:
            with connection.transaction():
                # One at a time; the others then find it done.
                connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (LOCK,))
                before = _schema_version(connection)
                if before > SCHEMA_VERSION:
                    raise StoreRefused(f"the database has schema {before}, of a later program than this")
                for number in range(before + 1, SCHEMA_VERSION + 1):
                    connection.execute(_migration(number))
                    connection.execute(
                        "CREATE TABLE IF NOT EXISTS public.tableside_layout (layout integer PRIMARY KEY,"
                        " made timestamptz NOT NULL DEFAULT now())"
                    )
                    connection.execute("INSERT INTO public.tableside_layout (layout) VALUES (%s)", (number,))
                connection.execute("GRANT SELECT ON public.tableside_layout TO tableside_collector, tableside_reader")
            return before, SCHEMA_VERSION
    except psycopg.Error as error:
        raise StoreRefused(f"PostgreSQL: {one_line(error)}") from error


def _last_known(connection: psycopg.Connection, stream: int) -> tuple[TableHouse, list[int]]:
    """What a table last said of its house, and its rounds that are open."""
    row = connection.execute(
        "SELECT currency, time_zone, day_begins, open_rounds FROM tableside_store.streams WHERE stream = %s", (stream,)
    ).fetchone()
    assert row is not None, "it was locked"
    currency, time_zone, begins, open_rounds = row
    return TableHouse(currency, GamingDay(time_zone, begins)), open_rounds


def _advance(connection: psycopg.Connection, advances: Sequence[StreamAdvance]) -> None:
    """Keep where these epochs stand: one statement for all, as a statement for each costs more than its events."""
    if not advances:
        return
    rows = [
        (
            one.stream,
            one.held.seq,
            one.held.hash,
            one.house.currency,
            one.house.day.time_zone,
            one.house.day.begins,
            f"{{{','.join(map(str, one.open_rounds))}}}",
            one.rows.cards_drawn,
            one.rows.cards_opened,
            one.rows.cards_wrong,
            one.rows.last_time,
        )
        for one in advances
    ]
    connection.execute(
        "UPDATE tableside_store.streams old SET held_seq = new.held_seq, held_hash = new.held_hash,"
        " currency = new.currency, time_zone = new.time_zone, day_begins = new.day_begins,"
        " open_rounds = new.open_rounds::bigint[], cards_drawn = old.cards_drawn + new.cards_drawn,"
        " cards_opened = old.cards_opened + new.cards_opened, cards_wrong = old.cards_wrong + new.cards_wrong,"
        " last_time = coalesce(new.last_time, old.last_time)"
        " FROM unnest(%s::integer[], %s::bigint[], %s::bytea[], %s::text[], %s::text[], %s::text[], %s::text[],"
        " %s::bigint[], %s::bigint[], %s::bigint[], %s::timestamptz[]) AS new (stream, held_seq, held_hash, currency,"
        " time_zone, day_begins, open_rounds, cards_drawn, cards_opened, cards_wrong, last_time)"
        " WHERE old.stream = new.stream",
        [list(column) for column in zip(*rows, strict=True)],
    )


def _keep_heads(connection: psycopg.Connection, heads: Mapping[TableKey, str]) -> None:
    """Keep the furthest signed head of each of these tables."""
    if not heads:
        return
    rows = [(*name, head) for name, head in heads.items()]
    connection.execute(
        "INSERT INTO tableside_store.heads SELECT * FROM unnest(%s::text[], %s::text[], %s::text[])"
        " ON CONFLICT (site, name) DO UPDATE SET tree_head = excluded.tree_head",
        [list(column) for column in zip(*rows, strict=True)],
    )


def complain(connection: psycopg.Connection, name: TableKey, complaints: Iterable[str]) -> None:
    """Keep what cannot be true of a table."""
    rows = [(*name, text.replace("\0", "�")) for text in complaints]
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany("INSERT INTO tableside_store.complaints (site, name, text) VALUES (%s, %s, %s)", rows)


def _migration(number: int) -> bytes:
    folder = resources.files("controller.collector") / "migrations"
    (file,) = (one for one in folder.iterdir() if one.name.startswith(f"{number}-"))
    return file.read_bytes()


def _schema_version(connection: psycopg.Connection[Any]) -> int:
    there = connection.execute("SELECT to_regclass('public.tableside_layout')").fetchone()
    if there is None or there[0] is None:
        return 0
    row = connection.execute("SELECT coalesce(max(layout), 0) FROM public.tableside_layout").fetchone()
    assert row is not None
    return int(row[0])


def _forget(connection: psycopg.Connection, advances: Iterable[StreamAdvance]) -> None:
    """Rounds that are reported anew: their rows of before."""
    redone = [(one.stream, day, number) for one in advances for day, number in one.rows.redone]
    if not redone:
        return
    streams, days, rounds = (list(column) for column in zip(*redone, strict=True))
    for kind in ("rounds", "hands", "wagers"):
        query = sql.SQL(
            "DELETE FROM tableside_store.{} old USING unnest(%s::integer[], %s::date[], %s::bigint[])"
            " AS redone (stream, gaming_day, round) WHERE old.stream = redone.stream"
            " AND old.gaming_day = redone.gaming_day AND old.round = redone.round"
        )
        connection.execute(query.format(sql.Identifier(kind)), (streams, days, rounds))


def _copy(connection: psycopg.Connection, kind: str, rows: Iterable[DatabaseRow]) -> None:
    columns = sql.SQL(", ").join(map(sql.Identifier, COLUMNS[kind].split()))
    made = iter(rows)
    first = next(made, None)
    if first is None:
        return
    query = sql.SQL("COPY tableside_store.{} ({}) FROM STDIN").format(sql.Identifier(kind), columns)
    with connection.cursor() as cursor, cursor.copy(query) as copied:
        copied.write_row(first)
        for row in made:
            copied.write_row(row)


def _acknowledge(connection: psycopg.Connection, stream: int, seen: Sequence[DatabaseRow]) -> None:
    if not seen:
        return
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE tableside_store.alerts SET acknowledged = %s, acknowledged_by = %s, note = %s"
            " WHERE alert = %s AND stream = %s",
            [(*row, stream) for row in seen],
        )
