"""What is held of each table, and the latest complaints, for readers of the collector's database."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import msgspec
import psycopg

from controller.collector.store import StoreFailed, StoreRefused
from controller.io.system.patient_connection import KEEPALIVE, REPEATABLE, one_line

COMPLAINTS: Final = 50
"""The latest that are reported."""


class HeldTable(msgspec.Struct, frozen=True):
    """An epoch of a table. ``is_aside``: it turned out not to be the table's, and is kept for people to look at."""

    site: str
    name: str
    epoch: int
    events: int
    time: str
    cards_drawn: int
    cards_opened: int
    cards_wrong: int
    is_aside: bool


class StreamComplaint(msgspec.Struct, frozen=True):
    """Something that cannot be true."""

    time: str
    site: str
    name: str
    text: str


class Holdings(msgspec.Struct, frozen=True):
    """The tables that the database holds, and the latest complaints."""

    tables: tuple[HeldTable, ...]
    complaints: tuple[StreamComplaint, ...]


def holdings(where: str) -> Holdings:
    """What the database named ``where`` holds.

    Raises:
        StoreRefused, StoreFailed: it cannot be read.
    """
    try:
        with psycopg.connect(where, **KEEPALIVE) as connection:
            tables = connection.execute(
                "SELECT site, name, epoch, events, last_time, cards_drawn, cards_opened, cards_wrong,"
                " set_aside IS NOT NULL FROM tableside.tables ORDER BY site, name, epoch"
            ).fetchall()
            complaints = connection.execute(
                "SELECT told, site, name, text FROM tableside.complaints ORDER BY told DESC LIMIT %s", (COMPLAINTS,)
            ).fetchall()
    except REPEATABLE as error:
        raise StoreFailed(f"PostgreSQL: {one_line(error)}") from error
    except psycopg.Error as error:
        raise StoreRefused(f"PostgreSQL: {one_line(error)}") from error
    return Holdings(
        tuple(
            HeldTable(site, name, epoch, events, _moment(at), drawn, opened, wrong, aside)
            for site, name, epoch, events, at, drawn, opened, wrong, aside in tables
        ),
        tuple(StreamComplaint(_moment(row[0]), *row[1:]) for row in reversed(complaints)),
    )


def _moment(at: datetime | None) -> str:
    return "" if at is None else at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
