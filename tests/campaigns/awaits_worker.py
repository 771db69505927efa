"""``tableside run`` in whose event loop one await fails: what ``tests.campaigns.awaits`` starts.

    python -m tests.campaigns.awaits_worker LOG SITE ERROR run TABLE_FILE ...

A place is where the innermost coroutine of ours waits: its name and line. Each that is come by for the first time is a
line of LOG; at the first wait at SITE, if it is none of ``-``, ERROR is raised in place of what was waited for, once.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine, Generator
from pathlib import Path
from typing import Any, Final

import click

from controller.cli import main

ERRORS: Final[dict[str, type[Exception]]] = {
    one.__name__: one for one in (OSError, ValueError, TimeoutError, RuntimeError, LookupError)
}
OURS: Final = "/controller/"
HIT: Final = "hit"


class Fault:
    """What is to fail, and which places have been come by."""

    def __init__(self, log: Path, site: str, error: str) -> None:
        self._log = log
        self._site = site
        self._error = error
        self._seen: set[str] = set()

    def at(self, place: str, task: str) -> Exception | None:
        """What is raised at this place, None: nothing."""
        if place not in self._seen:
            self._seen.add(place)
            self._note(f"{place} {task}")
        if place != self._site:
            return None
        self._site = ""
        self._note(f"{HIT} {task}")
        return ERRORS[self._error]("no such luck")

    def _note(self, line: str) -> None:
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{line}\n")


def place_of(waiting: Any) -> str:
    """Where the innermost coroutine of ours waits; empty if none does."""
    found = ""
    while waiting is not None:
        code, frame = getattr(waiting, "cr_code", None), getattr(waiting, "cr_frame", None)
        if code is not None and frame is not None and OURS in code.co_filename:
            found = f"{Path(code.co_filename).stem}.{code.co_qualname}:{frame.f_lineno}"
        waiting = getattr(waiting, "cr_await", None)
    return found


class Watched(Coroutine[Any, Any, Any]):
    """A coroutine whose every going on is looked at."""

    def __init__(self, inner: Coroutine[Any, Any, Any], fault: Fault) -> None:
        self._inner = inner
        self._fault = fault
        self._begun = False

    def send(self, value: Any) -> Any:
        if not self._begun:
            self._begun = True
            return self._inner.send(value)
        place = place_of(self._inner)
        task = asyncio.current_task()
        error = self._fault.at(place, "" if task is None else task.get_name()) if place else None
        return self._inner.send(value) if error is None else self._inner.throw(error)

    def throw(self, *given: Any) -> Any:
        return self._inner.throw(*given)

    def close(self) -> None:
        self._inner.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        return self._inner.__await__()


class Policy(asyncio.DefaultEventLoopPolicy):
    """Every task of its loops is looked at."""

    def __init__(self, fault: Fault) -> None:
        super().__init__()
        self._fault = fault

    def new_event_loop(self) -> asyncio.AbstractEventLoop:
        loop = super().new_event_loop()
        loop.set_task_factory(self._task)
        return loop

    def _task(self, loop: asyncio.AbstractEventLoop, work: Any, **given: Any) -> asyncio.Task[Any]:
        return asyncio.Task(Watched(work, self._fault), loop=loop, **given)


def run() -> None:
    """As ``tableside``, with a fault."""
    log, site, error, *words = sys.argv[1:]
    asyncio.set_event_loop_policy(Policy(Fault(Path(log), site, error)))
    try:
        main.main(words, prog_name="tableside", standalone_mode=True)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)


if __name__ == "__main__":
    run()
