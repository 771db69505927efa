"""An event loop whose time passes at once: when nothing is left to do but wait, the wait is over.

Real descriptors are still looked at, so that a reader left on a dead one is noticed: then time stands still.
"""

from __future__ import annotations

import asyncio
import selectors
import threading
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

LOOKS_LIMIT = 1_000_000
"""Looks at the descriptors, after which something spins."""


KERNEL_SECONDS = 0.2
"""How long the kernel may take to hand bytes from one end of a terminal to the other, on a busy machine too."""


class SpinningError(AssertionError):
    """Something keeps the loop busy."""


class _Selector(selectors.BaseSelector):
    def __init__(self, limit: int) -> None:
        self._inner = selectors.DefaultSelector()
        self._limit = limit
        self.passed_seconds = 0.0
        self.looks = 0
        self.is_busy: Callable[[], bool] = lambda: False
        """Whether a thread is at work for us."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.looks += 1
        if self.looks > self._limit:
            raise SpinningError(f"{self.looks} looks in {self.passed_seconds:.3f} s")
        if timeout is None:
            # Only something outside can wake us: a thread, a process.
            return self._inner.select(10)
        # What the kernel or a thread is busy with takes no virtual time: a terminal hands bytes on a moment later.
        opening = self.is_busy() or any(thread.name.startswith("opening ") for thread in threading.enumerate())
        real_seconds = 1 if opening else KERNEL_SECONDS if len(self._inner.get_map()) > 1 else 0
        found = self._inner.select(min(real_seconds, max(0.0, timeout)))
        if not found:
            self.passed_seconds += max(0.0, timeout)
        return found

    def forgive(self) -> None:
        """Let the loop be put away."""
        self._limit *= 2

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._inner.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._inner.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._inner.modify(fileobj, events, data)

    def get_map(self) -> Mapping[Any, selectors.SelectorKey]:
        return self._inner.get_map()

    def close(self) -> None:
        self._inner.close()


class VirtualLoop(asyncio.SelectorEventLoop):
    """Begins at second 1000, so that a time never looks like a mere duration."""

    def __init__(self, limit: int = LOOKS_LIMIT) -> None:
        self.chooser = _Selector(limit)
        super().__init__(self.chooser)

    def time(self) -> float:
        return 1000.0 + self.chooser.passed_seconds


class LoopClock:
    """The loop's time as a clock; wall time may be moved."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.wall_offset_ns = 1_800_000_000_000_000_000

    def monotonic_ns(self) -> int:
        return round(self._loop.time() * 1_000_000_000)

    def wall_ns(self) -> int:
        return self.monotonic_ns() + self.wall_offset_ns


def _over(future: asyncio.Future[None]) -> None:
    # Whoever waited may have been cancelled.
    if not future.done():
        future.set_result(None)


async def passes(seconds: float) -> None:
    """Let so much of the loop's time pass: at once, in a virtual loop."""
    loop = asyncio.get_running_loop()
    over = loop.create_future()
    loop.call_later(seconds, _over, over)
    await over


async def becomes(condition: Callable[[], bool]) -> None:
    """Let time pass in small steps until something has come about; an hour is too long."""
    end = asyncio.get_running_loop().time() + 3600
    while not condition():
        assert asyncio.get_running_loop().time() < end, "it never came about"
        await passes(0.01)


async def _and_the_rest(work: Coroutine[Any, Any, None]) -> None:
    try:
        await work
    finally:
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)


def run_virtual(
    work: Coroutine[Any, Any, None], limit: int = LOOKS_LIMIT, loop: VirtualLoop | None = None
) -> VirtualLoop:
    """Run ``work`` to its end; the loop, closed, for what it counted."""
    loop = loop or VirtualLoop(limit)
    try:
        task = loop.create_task(_and_the_rest(work))
        try:
            loop.run_until_complete(task)
        except SpinningError:
            loop.chooser.forgive()
            task.cancel()
            loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            raise
    finally:
        loop.close()
    return loop
