"""Rows of the collector's views as files: CSV, and Parquet where pyarrow is installed. Memory holds a few thousand."""

from __future__ import annotations

import contextlib
import csv
import io
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import IO, Any, Final, NamedTuple

import psycopg
from psycopg import sql

from controller.collector.store import StoreFailed, StoreRefused
from controller.formats.text.tabular import cell
from controller.io.files.extras import how_to_get
from controller.io.system.patient_connection import KEEPALIVE, REPEATABLE, PatientConnection, one_line, settings

KINDS: Final[dict[str, str]] = {
    "tables": "site, name, epoch",
    "events": "site, name, epoch, seq",
    "rounds": "site, name, epoch, closed, round",
    "hands": "site, name, epoch, round, spot, hand",
    "wagers": "site, name, epoch, round, spot, bet",
    "alerts": "site, name, epoch, seq",
    "meters": "site, name, meter",
    "meter_events": "site, name, epoch, seq",
    "inventory": "site, name, epoch, seq",
    "rulings": "site, name, epoch, seq",
    "restatements": "site, name, epoch, seq",
    "hold": "gaming_day, site, name",
}
"""The views, and the order in which their rows are written."""

WITHOUT_DAY: Final = {"tables", "meters"}
"""Views whose rows belong to no gaming day."""

FETCHED: Final = 5_000
"""Rows in memory at once."""

PATIENCE_SECONDS: Final = 600.0
"""How long a query over all days may take to begin."""


class NoParquet(Exception):  # noqa: N818 - named for what happened
    """pyarrow is not installed."""


class RowQuery(NamedTuple):
    """Which rows: a view, gaming days from and to (both included), and a table; None: all of them."""

    kind: str
    since: date | None = None
    until: date | None = None
    table: tuple[str, str] | None = None


class RowStream(NamedTuple):
    """Rows as they come, and the names and types (oids) of their columns."""

    names: Sequence[str]
    types: Sequence[int]
    rows: Iterator[Sequence[Any]]


def write_csv(where: str, wanted: RowQuery, file: IO[bytes]) -> int:
    """Write a line of names and one for each row; how many rows that were. What is not known is empty.

    Raises:
        StoreRefused, StoreFailed: the database cannot be read.
    """
    count = 0
    with _found(where, wanted) as found:
        for chunk in ([found.names], found.rows):
            text = io.StringIO()
            writer = csv.writer(text, lineterminator="\n")
            for row in chunk:
                writer.writerow([cell(_text(one)) for one in row])
                count += chunk is found.rows
                if text.tell() > 1_000_000:
                    file.write(text.getvalue().encode())
                    text.seek(0)
                    text.truncate()
            file.write(text.getvalue().encode())
    return count


def write_parquet(where: str, wanted: RowQuery, file: IO[bytes]) -> int:
    """Write a Parquet file, amounts as 64-bit integers, times in microseconds of UTC; how many rows that were.

    Raises:
        NoParquet: pyarrow is not installed.
        StoreRefused, StoreFailed: the database cannot be read.
    """
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise NoParquet(f"Parquet needs pyarrow; {how_to_get('parquet')}; CSV needs nothing") from error
    kinds = {
        "bool": pa.bool_(),
        "bytea": pa.binary(),
        "date": pa.date32(),
        "timestamptz": pa.timestamp("us", tz="UTC"),
        "text": pa.string(),
    }
    count = 0
    with _found(where, wanted) as found:
        named = [getattr(psycopg.adapters.types.get(oid), "name", "int8") for oid in found.types]
        pairs = zip(found.names, named, strict=True)
        schema = pa.schema([(name, kinds.get(kind, pa.int64())) for name, kind in pairs])
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
            for rows in _chunks(found.rows):
                columns = [[_whole(one) for one in column] for column in zip(*rows, strict=True)]
                writer.write_table(pa.table(columns, schema=schema))
                count += len(rows)
    return count


def _connected(where: str) -> psycopg.Connection[Any]:
    connection = PatientConnection.connect(where, options=settings(PATIENCE_SECONDS), **KEEPALIVE)
    connection.patience_seconds = PATIENCE_SECONDS
    # One moment of the database, whatever is written meanwhile.
    connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
    connection.read_only = True
    return connection


@contextlib.contextmanager
def _found(where: str, wanted: RowQuery) -> Iterator[RowStream]:
    conditions: list[sql.Composable] = [sql.SQL("true")]
    values: list[object] = []
    if wanted.kind not in WITHOUT_DAY:
        for limit, compared in (
            (wanted.since, sql.SQL("gaming_day >= %s")),
            (wanted.until, sql.SQL("gaming_day <= %s")),
        ):
            if limit is not None:
                conditions.append(compared)
                values.append(limit)
    if wanted.table is not None:
        conditions.append(sql.SQL("site = %s AND name = %s"))
        values += wanted.table
    order = sql.SQL(", ").join(map(sql.Identifier, KINDS[wanted.kind].split(", ")))
    view, condition = sql.Identifier(wanted.kind), sql.SQL(" AND ").join(conditions)
    query = sql.SQL("SELECT * FROM tableside.{} WHERE {} ORDER BY {}").format(view, condition, order)
    try:
        with _connected(where) as connection, connection.cursor("rows") as cursor:
            cursor.itersize = FETCHED
            cursor.execute(query, values)
            described = cursor.description or ()
            yield RowStream([one.name for one in described], [one.type_code for one in described], iter(cursor))
    except REPEATABLE as error:
        raise StoreFailed(f"PostgreSQL: {one_line(error)}") from error
    except psycopg.Error as error:
        raise StoreRefused(f"PostgreSQL: {one_line(error)}") from error


def _chunks(rows: Iterator[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    chunk: list[Sequence[Any]] = []
    for row in rows:
        chunk.append(row)
        if len(chunk) == FETCHED:
            yield chunk
            chunk = []
    if chunk:
        yield chunk


def _whole(value: object) -> object:
    """Sums come as decimals, and are whole numbers."""
    return int(value) if isinstance(value, Decimal) else value


def _text(value: object) -> object:
    match value:
        case datetime():
            return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        case bytes():
            return value.decode(errors="replace")
        case _:
            return _whole(value)
