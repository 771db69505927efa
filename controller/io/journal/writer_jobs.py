"""What the journal's writer is asked to do, and how its answer comes to the event loop.

An answer is a future. Waking the loop for it takes as long as a quick disk's commit, so whoever asked may also stand
still for it (``wait``), for a few milliseconds at most: a disk that is slow, or hangs, never holds the loop for longer.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import functools
import sqlite3
import threading
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar

WAIT_SECONDS: Final = 0.02
"""How long the loop may stand still for one commit; the readers' next look is not due before that."""

QUICK_STREAK: Final = 16
"""Commits in a row that must have been quick before one is stood still for."""

_Work = Callable[[sqlite3.Connection], Any]

_Result = TypeVar("_Result")


class Job:
    """Something for the writer to do within a transaction; ``done`` has its answer."""

    def __init__(self, work: _Work, loop: asyncio.AbstractEventLoop) -> None:
        self.work = work
        self.done: asyncio.Future[Any] = loop.create_future()
        self._loop = loop
        self._answer: Any = None
        self._failure: Exception | None = None
        self._guard = threading.Lock()
        self._is_answered = False
        self._is_waited_for = False
        self._came = threading.Lock()

    def stand_by(self) -> None:
        """Somebody will ``wait``; said before the writer has the job."""
        self._is_waited_for = True
        self._came.acquire()

    def wait(self, seconds: float) -> bool:
        """Stand still for the answer; false: it did not come in time, and wakes the loop when it does."""
        # Not a context: it is released by the writer, when it has answered.
        if not self._came.acquire(timeout=seconds):
            with self._guard:
                self._is_waited_for = False
                if not self._is_answered:
                    return False
        self._settle()
        return True

    def answer(self, answer: object, failure: Exception | None) -> None:
        """Called by the writer: it is done, or has failed."""
        self._answer, self._failure = answer, failure
        with self._guard:
            self._is_answered = True
            is_waited_for = self._is_waited_for
        if is_waited_for:
            self._came.release()
        else:
            # The loop may have ended while the disk was busy; then the answer is not awaited.
            with contextlib.suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._settle)

    def _settle(self) -> None:
        if self.done.done():
            return
        if self._failure is None:
            self.done.set_result(self._answer)
        else:
            self.done.set_exception(self._failure)


class SharedWork(Generic[_Result]):
    """Something worked out once, by whichever of two threads comes to it first; the other waits until it has."""

    def __init__(self, work: Callable[[], _Result]) -> None:
        self._work = work
        self._guard = threading.Lock()
        self._found: _Result | None = None

    def result(self) -> _Result:
        """What it comes to, which is not None."""
        with self._guard:
            if self._found is None:
                self._found = self._work()
            return self._found


class JobQueue:
    """Jobs from the event loop to the writer, at most ``limit``; wakes the writer without a detour over Python's own.

    ``queue.Queue`` takes a tenth of a quick commit for each job, and ``queue.SimpleQueue`` has no limit.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._jobs: collections.deque[Job | None] = collections.deque()
        self._news = threading.Lock()
        self._news.acquire()

    def is_full(self) -> bool:
        """Whether no more jobs are taken."""
        return len(self._jobs) >= self._limit

    def put(self, job: Job | None) -> None:
        """Hand a job over, or that it was the last; called from the event loop's thread alone."""
        self._jobs.append(job)
        # Only this thread releases it. Is it free, the writer has still to look, and will find this job too.
        if self._news.locked():
            self._news.release()

    def take(self, most: int) -> list[Job | None]:
        """Wait for jobs, and take up to ``most``; called by the writer alone."""
        while not self._jobs:
            self._news.acquire()
        return [self._jobs.popleft() for _ in range(min(most, len(self._jobs)))]


class Patience:
    """Whether a commit may be stood still for: where the last ones were quick and nothing waits before it."""

    def __init__(self) -> None:
        self._streak = 0

    def has(self) -> bool:
        """Whether there is reason to think that the next is quick."""
        return self._streak >= QUICK_STREAK

    def note(self, seconds: float) -> None:
        """A commit took so long."""
        self._streak = self._streak + 1 if seconds < WAIT_SECONDS else 0

    def timed(self, clock: Callable[[], float], done: asyncio.Future[Any]) -> None:
        """Note how long a commit takes that is not stood still for."""
        done.add_done_callback(functools.partial(self._noted, clock, clock()))

    def _noted(self, clock: Callable[[], float], began: float, _: asyncio.Future[Any]) -> None:
        self.note(clock() - began)
