"""Holds the program against its list while the table runs: every hour, and before a mystery number is drawn.

A trigger box draws with a share of the table's, which the table gives once its journal has the box's commitment. So a
commitment waits here until the program has been looked at; everything else goes on meanwhile.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, Literal

from controller.core.messages.inputs import Input, SoftwareInspected
from controller.io.operators.software import ListedProgram, SoftwareChanged
from firmware_protocols.readings import MysteryAnswered, MysteryCommitted, MysteryRevealed

LOOK_SECONDS: Final = 3600.0
"""Between two looks while a table runs."""

WAITING_LIMIT: Final = 1000
"""What a trigger box may say during a look: it is asked ten times a second, and a look takes one or two."""

When = Literal["start", "hour", "draw"]


class SoftwareWatch:
    """Looks with ``authenticate``, and tells the journal what it found.

    ``now`` is monotonic nanoseconds; ``deliver`` takes an input; ``keep`` takes one and returns once the journal has
    it; ``cycle`` is the last cycle of a mystery meter that the journal knows of.
    """

    def __init__(
        self,
        authenticate: Callable[[], ListedProgram],
        now: Callable[[], int],
        deliver: Callable[[Input], None],
        keep: Callable[[Input], Awaitable[None]],
        *,
        cycle: int = 0,
        seconds: float = LOOK_SECONDS,
    ) -> None:
        self._authenticate = authenticate
        self._now = now
        self._deliver = deliver
        self._keep = keep
        self._seconds = seconds
        self._waiting: asyncio.Queue[Input] = asyncio.Queue(WAITING_LIMIT)
        self._cycle = cycle

    def take(self, given: Input) -> None:
        """Deliver a reading, of a trigger box once what it said before has been delivered."""
        if isinstance(given, MysteryCommitted | MysteryAnswered | MysteryRevealed):
            self._waiting.put_nowait(given)
        else:
            self._deliver(given)

    def started(self, found: ListedProgram) -> SoftwareInspected:
        """What the look before the start found."""
        return looked(self._now(), "start", found)

    async def run(self) -> None:
        """Look every hour and before each draw, until cancelled.

        Raises:
            SoftwareChanged: the program is not the one listed; the journal says so.
        """
        loop = asyncio.get_running_loop()
        due = loop.time() + self._seconds
        while True:
            # What a trigger box says must not put the hour off: a busy table's box is never silent for so long.
            try:
                async with asyncio.timeout_at(due):
                    given = await self._waiting.get()
            except TimeoutError:
                await self.look("hour")
                due = loop.time() + self._seconds
                continue
            # A box says its commitment again whenever it is asked; only the first time is anything drawn with it.
            if isinstance(given, MysteryCommitted) and given.cycle > self._cycle:
                await self.look("draw")
                self._cycle = given.cycle
            self._deliver(given)

    async def look(self, when: When) -> None:
        """Look once.

        Raises:
            SoftwareChanged: as ``run``.
        """
        try:
            found = await asyncio.to_thread(self._authenticate)
        except SoftwareChanged as error:
            await self._keep(looked(self._now(), when, None, str(error)))
            raise
        self._deliver(looked(self._now(), when, found))


def looked(at_ns: int, when: When, found: ListedProgram | None, detail: str = "") -> SoftwareInspected:
    """What a look found, for the journal."""
    if found is None:
        return SoftwareInspected(at_ns, when, passed=False, digest="", files=0, signed_by="", detail=detail)
    digest, files, signed_by = found
    return SoftwareInspected(at_ns, when, passed=True, digest=digest, files=files, signed_by=signed_by, detail="")
