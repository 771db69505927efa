"""How much of the link each table has: what it may say, and whose posting is entered next.

A table that keeps to the protocol comes near none of it. One that talks without end is not listened to for a while;
one that posts without end waits behind itself, and the others do not.
"""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Iterable
from typing import Final, Generic, TypeVar

import structlog

from controller.io.lines.talk_limit import Quota, Talk
from controller.io.system.clock import Clock
from controller.io.system.rate_limits import NANOSECONDS, Allowance

POSTINGS_PER_SECOND: Final = 500
"""Entered for one table, on end; a table at play posts a few in a minute, one that catches up posts all it owes."""

POSTINGS_WAIT: Final = 256
"""Of one table: four times what a table has under way at once. What is beyond it is not heard, and is posted again."""

MEMBER: Final = Quota(per_second=2 * POSTINGS_PER_SECOND, at_once=2000, on_trial=1000, bytes_per_second=1_000_000)
"""What one side of a line may say: twice what can be entered."""

W = TypeVar("W")

log = structlog.get_logger(__name__)


class _Member(Generic[W]):
    """What is known of one table."""

    def __init__(self, chance: random.Random) -> None:
        self.talk = Talk(chance, MEMBER)
        self.deaf_until_ns = 0
        self.waiting: deque[W] = deque()
        self.postings = Allowance(POSTINGS_PER_SECOND, POSTINGS_PER_SECOND)


class Turns(Generic[W]):
    """Of the tables named; ``W`` is a posting that waits to be entered."""

    def __init__(self, tables: Iterable[str], clock: Clock, chance: random.Random) -> None:
        self._clock = clock
        self._members: dict[str, _Member[W]] = {table: _Member(chance) for table in tables}
        self._order = deque(self._members.values())
        self._came = asyncio.Event()

    def hears(self, table: str, size: int) -> bool:
        """Whether a message of this size is listened to; an alarm in the log for a table that says too much."""
        member, now_ns = self._members[table], self._clock.monotonic_ns()
        if now_ns < member.deaf_until_ns:
            return False
        if member.talk.is_closed:
            member.talk.opened(now_ns)
        if member.talk.reading(now_ns) and member.talk.data(size, now_ns):
            return True
        if member.talk.closed(now_ns):
            log.error("ALARM: a table talks too much", table=table, reason="nothing is heard of it for a while")
        # What has come meanwhile is posted again by a table that means it.
        member.deaf_until_ns = now_ns + round(member.talk.pause_seconds() * NANOSECONDS)
        member.waiting.clear()
        return False

    def put(self, table: str, posting: W) -> None:
        """Let a posting of a table's wait for its turn, unless too many of its own wait already."""
        waiting = self._members[table].waiting
        if len(waiting) < POSTINGS_WAIT:
            waiting.append(posting)
            self._came.set()

    async def batch(self, limit: int) -> list[W]:
        """The postings to enter next, one of each table in turn, each table's in the order they came."""
        while True:
            now_ns = self._clock.monotonic_ns()
            found = self._next(limit, now_ns)
            if found:
                return found
            self._came.clear()
            waits_ns = [one.postings.wait_ns(now_ns) for one in self._members.values() if one.waiting]
            if waits_ns:
                await asyncio.sleep(min(waits_ns) / NANOSECONDS)
            else:
                await self._came.wait()

    def _next(self, limit: int, now_ns: int) -> list[W]:
        found: list[W] = []
        turn = deque(self._order)
        while turn and len(found) < limit:
            member = turn.popleft()
            if member.waiting and member.postings.take(now_ns):
                found.append(member.waiting.popleft())
                turn.append(member)
        # Where the limit left some out, they come first the next time.
        self._order.rotate(-len(found))
        return found
