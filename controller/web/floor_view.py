"""Every table of a broker as it was last heard, and who waits for news of it."""

from __future__ import annotations

import asyncio
from typing import Any, Final, NamedTuple

import msgspec

from controller.formats.mqtt.envelope import utc_text
from controller.formats.text.printable import directions_shown
from controller.io.mqtt.broker_tables import is_table
from controller.io.system.clock import Clock
from controller.web.table_view import LOG_LIMIT, TableView
from controller.web.visibility import WHOLE, Sight

TABLES_LIMIT: Final = 600
"""Tables that are kept: twice the largest floor. What else speaks below ``tableside/v1`` is not listened to."""

SUMMARY: Final = frozenset(
    {"status", "round", "alerts", "pace", "hold", "meters", "info", "currency", "asked", "devices", "needs", "epoch"}
)
"""The sections that a page of many tables is sent."""

NANOSECONDS_IN_MS: Final = 1_000_000


EVERY_TABLE: Final = "*"
"""What a page of many tables is about."""


class FloorView:
    """All tables, and who waits for news of one of them or of each."""

    def __init__(self, clock: Clock) -> None:
        self.tables: dict[str, TableView] = {}
        self.is_linked = False
        """Whether the broker is there."""
        self.made = NewsMade()
        self._clock = clock
        self._waiters: dict[asyncio.Event, str] = {}

    def take(self, topic: str, payload: bytes) -> None:
        """A message came."""
        _, _, site, table, *words = [*topic.split("/"), "", "", ""]
        words = [word for word in words if word]
        name = f"{site}/{table}"
        if not topic.startswith("tableside/v1/") or not is_table(site, table):
            return
        if name not in self.tables:
            if len(self.tables) >= TABLES_LIMIT:
                return
            self.tables[name] = TableView(name)
        wall_ns = self._clock.wall_ns()
        if self.tables[name].take(tuple(words), payload, wall_ns // NANOSECONDS_IN_MS, utc_text(wall_ns)):
            self._wake_those_about(name)

    def link(self, *, is_up: bool) -> None:
        """The broker was reached, or is gone."""
        if self.is_linked != is_up:
            self.is_linked = is_up
            self.wake()

    def wake(self) -> None:
        """Tell everybody who waits that there is news."""
        for waiter in self._waiters:
            waiter.set()

    def _wake_those_about(self, table: str) -> None:
        for waiter, wanted in self._waiters.items():
            if wanted in (table, EVERY_TABLE):
                waiter.set()

    def wait(self, waiter: asyncio.Event, wanted: str) -> None:
        """Have ``waiter`` set at each change of the table that is wanted (``*``: of any), until ``leave``."""
        self._waiters[waiter] = wanted

    def leave(self, waiter: asyncio.Event) -> None:
        """No longer."""
        self._waiters.pop(waiter, None)

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self._clock.wall_ns() // NANOSECONDS_IN_MS


class Seen(NamedTuple):
    """What a page has of a table, and may see of it: to pages of which these are alike the same is new."""

    version: int
    last: int
    """The number of the latest event it was sent."""
    sight: Sight
    in_short: bool
    """It shows many tables."""


class TableNews(NamedTuple):
    """What of a table is new to a page, as JSON (None: nothing), and the latest event it has then."""

    raw: msgspec.Raw | None
    last: int


def news_of(view: TableView, seen: Seen) -> TableNews:
    """What is new to a page that has seen so much."""
    wanted = SUMMARY if seen.in_short else seen.sight.sections
    news: dict[str, Any] = dict(seen.sight.shown(view, seen.version, wanted))
    last = seen.last
    if not seen.in_short:
        lines = seen.sight.lines(view.log)[-LOG_LIMIT:]
        # A new epoch counts from 1 again.
        fresh = [one for one in lines if one.seq > last] or ([] if not lines or lines[-1].seq >= last else lines)
        if fresh:
            news["log"], last = fresh, fresh[-1].seq
    return TableNews(msgspec.Raw(directions_shown(msgspec.json.encode(news))) if news else None, last)


class NewsMade:
    """What is new at each table's present version: made for one page, it serves all that have seen as much."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[int, dict[Seen, TableNews]]] = {}

    def news(self, view: TableView, seen: Seen) -> TableNews:
        """What is new to a page that has seen so much."""
        version, made = self._made.get(view.name, (0, {}))
        if version != view.version:
            made = {}
            self._made[view.name] = (view.version, made)
        if seen not in made:
            made[seen] = news_of(view, seen)
        return made[seen]


class PageReader:
    """What one page has been sent, of one table or (``*``) of each in short: the next message has the rest."""

    def __init__(self, floor: FloorView, wanted: str, sight: Sight = WHOLE) -> None:
        self._floor = floor
        self._wanted = wanted
        self._sight = sight
        self._sent: dict[str, int] = {}
        self._logged: dict[str, int] = {}
        self._linked: bool | None = None

    def news(self) -> bytes | None:
        """What is new, as a message to the page; None: nothing."""
        tables = {name: news for name, view in self._of_interest() if (news := self._of(view)) is not None}
        is_new = bool(tables) or self._linked != self._floor.is_linked
        self._linked = self._floor.is_linked
        return self.message(tables) if is_new else None

    def message(self, tables: dict[str, msgspec.Raw]) -> bytes:
        """A message: when it was made, whether the broker is there, when each table was heard, and these changes."""
        heard = {name: view.heard_ms for name, view in self._of_interest()}
        return msgspec.json.encode(
            {"now": self._floor.now_ms(), "linked": self._floor.is_linked, "heard": heard, "tables": tables}
        )

    def _of_interest(self) -> list[tuple[str, TableView]]:
        if self._wanted == EVERY_TABLE:
            return sorted(self._floor.tables.items())
        view = self._floor.tables.get(self._wanted)
        return [] if view is None else [(self._wanted, view)]

    def _of(self, view: TableView) -> msgspec.Raw | None:
        since = self._sent.get(view.name, 0)
        if view.version == since:
            return None
        seen = Seen(since, self._logged.get(view.name, 0), self._sight, self._wanted == EVERY_TABLE)
        news = self._floor.made.news(view, seen)
        self._sent[view.name], self._logged[view.name] = view.version, news.last
        return news.raw
