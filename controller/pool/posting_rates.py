"""Whether a table posts more than a table at play can lay.

The link sees no chips and believes its tables: who posts wagers that nobody laid raises the pool without money, and the
ledger grows by what is posted. That is entered all the same, as a table that catches up does no other; but it is
reported.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import Final

from controller.io.system.clock import Clock
from controller.io.system.rate_limits import NANOSECONDS, Allowance
from controller.pool.complaints import Complaints

PLAYED_PER_SECOND: Final = 1
"""Postings of a table at play, on end: seven spots with two bets that feed the pool, and a round in 15 seconds."""

OWED: Final = 10_000
"""Postings that a table may have owed and makes at once: those of three hours at most, usually of a day and a half."""

AGAIN_NS: Final = 3600 * NANOSECONDS
"""Between two alarms about one table."""


class PostingRates:
    """Of all tables of a link."""

    def __init__(self, complaints: Complaints, clock: Clock, owed: int = OWED) -> None:
        self._complaints = complaints
        self._clock = clock
        self._owed = owed
        self._allowed = defaultdict[str, Allowance](lambda: Allowance(PLAYED_PER_SECOND, owed))
        self._beyond = Counter[str]()
        self._quiet_until_ns: dict[str, int] = {}

    def note_entry(self, table: str) -> None:
        """Count a posting of a table's that was entered; an alarm in the log where there are too many."""
        now_ns = self._clock.monotonic_ns()
        if self._allowed[table].take(now_ns):
            return
        self._beyond[table] += 1
        if now_ns < self._quiet_until_ns.get(table, now_ns):
            return
        self._quiet_until_ns[table] = now_ns + AGAIN_NS
        reason = (
            f"more than {self._owed} and {PLAYED_PER_SECOND} a second: unless it catches up after a long outage, these"
            " are no wagers of players; hold the ledger against its journal: tableside link reconcile --journal"
        )
        self._complaints.alarm("more postings than a table lays", table, reason, beyond=self._beyond[table])
