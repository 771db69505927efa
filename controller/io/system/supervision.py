"""What goes on as long as a table runs: each part by itself, started again when it fails, so that none ends the others.

Only a journal that takes nothing any more ends a table, and our own failure to step a reading.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

import structlog

from controller.io.system.backoff import Backoff

CALM_SECONDS: Final = 60.0
"""A service that has run for this long is reported again when it fails, and is started again at once."""

log = structlog.get_logger(__name__)

Service = tuple[str, Callable[[], Coroutine[Any, Any, None]]]
"""The name of what goes on as long as the table runs, and the coroutine that does it."""


class TaskEnded(Exception):  # noqa: N818 - named for what happened
    """Something that should go on for ever has come to an end."""


class Supervision:
    """Runs services until cancelled. ``report(name, error)`` is called when one fails for the first time in a while.

    ``fatal`` are the errors that end everything whenever they come; ``refusals`` do so at a service's first start, as
    they are about what the table file says. A service with a ``vital`` name ends everything with any error.
    """

    def __init__(
        self,
        report: Callable[[str, Exception], None],
        *,
        fatal: tuple[type[Exception], ...],
        refusals: tuple[type[Exception], ...] = (),
        vital: frozenset[str] = frozenset(),
    ) -> None:
        self._report = report
        self._fatal = fatal
        self._refusals = refusals
        self._vital = vital

    async def run(self, services: Sequence[Service]) -> None:
        """Run all of them.

        Raises:
            ExceptionGroup: of the error that ended it.
        """
        async with asyncio.TaskGroup() as group:
            for name, service in services:
                group.create_task(self._go_on(name, service), name=name)

    async def _go_on(self, name: str, service: Callable[[], Coroutine[Any, Any, None]]) -> None:
        loop = asyncio.get_running_loop()
        pauses = Backoff(random.Random(0))  # noqa: S311 - spreads retries, decides nothing
        is_first, failed_at = True, -CALM_SECONDS
        while True:
            begun = loop.time()
            error: Exception = TaskEnded(f"{name} has ended")
            try:
                await service()
            except self._fatal:
                raise
            except Exception as failed:
                if name in self._vital or (is_first and isinstance(failed, self._refusals)):
                    raise
                error = failed
            if name in self._vital:
                raise error
            log.error("part of the table failed, and is started again", part=name, exc_info=error)
            if loop.time() - begun >= CALM_SECONDS:
                pauses.reset()
            if loop.time() - failed_at >= CALM_SECONDS:
                self._report(name, error)
            is_first, failed_at = False, loop.time()
            await asyncio.sleep(pauses.next_seconds())
