"""Every table of a broker as it was last heard, and who waits for news of it."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import msgspec

from controller.formats.mqtt.envelope import utc_text
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


class FloorView:
    """All tables. ``changed`` is woken at each change, and replaced: whoever waits for it looks and waits again."""

    def __init__(self, clock: Clock) -> None:
        self.tables: dict[str, TableView] = {}
        self.is_linked = False
        """Whether the broker is there."""
        self._clock = clock
        self._waiters: set[asyncio.Event] = set()

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
            self.wake()

    def link(self, *, is_up: bool) -> None:
        """The broker was reached, or is gone."""
        if self.is_linked != is_up:
            self.is_linked = is_up
            self.wake()

    def wake(self) -> None:
        """Tell everybody who waits that there is news."""
        for waiter in self._waiters:
            waiter.set()

    def wait(self, waiter: asyncio.Event) -> None:
        """Have ``waiter`` set at each change, until ``leave``."""
        self._waiters.add(waiter)

    def leave(self, waiter: asyncio.Event) -> None:
        """No longer."""
        self._waiters.discard(waiter)

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self._clock.wall_ns() // NANOSECONDS_IN_MS


class Reader:
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
        tables = {name: news for name, view in self._of_interest() if (news := self._of(view))}
        is_new = bool(tables) or self._linked != self._floor.is_linked
        self._linked = self._floor.is_linked
        return self.message(tables) if is_new else None

    def message(self, tables: dict[str, dict[str, Any]]) -> bytes:
        """A message: when it was made, whether the broker is there, when each table was heard, and these changes."""
        heard = {name: view.heard_ms for name, view in self._of_interest()}
        return msgspec.json.encode(
            {"now": self._floor.now_ms(), "linked": self._floor.is_linked, "heard": heard, "tables": tables}
        )

    def _of_interest(self) -> list[tuple[str, TableView]]:
        if self._wanted == "*":
            return sorted(self._floor.tables.items())
        view = self._floor.tables.get(self._wanted)
        return [] if view is None else [(self._wanted, view)]

    def _of(self, view: TableView) -> dict[str, Any]:
        since = self._sent.get(view.name, 0)
        if view.version == since:
            return {}
        self._sent[view.name] = view.version
        if self._wanted == "*":
            return dict(self._sight.shown(view, since, SUMMARY))
        news: dict[str, Any] = dict(self._sight.shown(view, since, self._sight.sections))
        last = self._logged.get(view.name, 0)
        # A new epoch counts from 1 again.
        lines = self._sight.lines(view.log)[-LOG_LIMIT:]
        fresh = [one for one in lines if one.seq > last] or ([] if not lines or lines[-1].seq >= last else lines)
        if fresh:
            self._logged[view.name] = fresh[-1].seq
            news["log"] = fresh
        return news
