"""A sign of life that means something: given only while every part of the table that must move does move."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, NamedTuple, TypeVar

import structlog

from controller.io.system.clock import Clock
from controller.io.system.notify import Notifier

SIGNS: Final = 3
"""Signs of life in the time the manager allows for one: two may be missed before the third decides."""

IDLE_SECONDS: Final = 5.0
"""Between two looks without a service manager: then only the status line is kept up."""

NANOSECONDS: Final = 1_000_000_000

log = structlog.get_logger(__name__)

T = TypeVar("T")
Sleep = Callable[[float], Awaitable[None]]


EXTEND_SECONDS: Final = 60.0
"""What a long start asks for at once, three times over before it has passed."""


async def patiently(notifier: Notifier, status: str, work: Awaitable[T], sleep: Sleep = asyncio.sleep) -> T:
    """Wait for a part of the start that may take long, and have the service manager wait for it too."""
    working = asyncio.ensure_future(work)

    async def ask() -> None:
        while True:
            notifier.extend(EXTEND_SECONDS, status)
            await sleep(EXTEND_SECONDS / SIGNS)

    asking = asyncio.create_task(ask())
    try:
        return await working
    finally:
        asking.cancel()


class WatchedWork(NamedTuple):
    """Something that must move. ``done`` grows with each thing done; ``idle`` says that there is nothing to do.

    Both are asked between other things the loop does. Stuck is what was not idle for ``patience_seconds`` and did
    nothing.
    """

    name: str
    done: Callable[[], int]
    idle: Callable[[], bool]
    patience_seconds: float


class Watchdog:
    """Looks, ``SIGNS`` times in the time the manager allows, whether the table lives, and says so if it does.

    ``answers`` are asked each time and must come back before the next look is due; what they raise says that they
    do not.
    """

    def __init__(
        self,
        notifier: Notifier,
        clock: Clock,
        works: Sequence[WatchedWork],
        answers: Sequence[tuple[str, Callable[[], Awaitable[object]]]],
        status: Callable[[], str],
    ) -> None:
        self._notifier = notifier
        self._clock = clock
        self._works = works
        self._answers = answers
        self._status = status
        allowed = notifier.watchdog_seconds
        self.period_seconds = IDLE_SECONDS if allowed is None else allowed / SIGNS
        """Between two looks."""
        self._moved: dict[str, tuple[int, int]] = {}

    async def run(self) -> None:
        """Look again and again, until cancelled."""
        ready = False
        while True:
            due_ns = self._clock.monotonic_ns() + int(self.period_seconds * NANOSECONDS)
            trouble = await self.look()
            if trouble:
                log.error("no sign of life", reason=trouble)
                self._notifier.status(f"STUCK: {trouble}; {self._status()}")
            else:
                if not ready:
                    ready = True
                    self._notifier.ready(self._status())
                self._notifier.alive(self._status())
            await asyncio.sleep(max(0, due_ns - self._clock.monotonic_ns()) / NANOSECONDS)
            late_ns = self._clock.monotonic_ns() - due_ns
            if late_ns > self.period_seconds * NANOSECONDS:
                log.warning("event loop late", late_ms=late_ns // 1_000_000)

    async def look(self) -> str:
        """What does not move; empty when all does."""
        now_ns = self._clock.monotonic_ns()
        for name, ask in self._answers:
            try:
                async with asyncio.timeout(self.period_seconds):
                    await ask()
            except TimeoutError:
                return f"{name} does not answer"
            except Exception as error:  # noqa: BLE001 - whatever it was, it does not answer
                return f"{name}: {error}"
        return next((work.name for work in self._works if self._stuck(work, now_ns)), "")

    def _stuck(self, work: WatchedWork, now_ns: int) -> bool:
        count = work.done()
        before = self._moved.get(work.name)
        if before is None or before[0] != count or work.idle():
            self._moved[work.name] = (count, now_ns)
            return False
        return now_ns - before[1] >= work.patience_seconds * NANOSECONDS
