"""Work in a thread: whoever is cancelled meanwhile goes on only when it is over."""

from __future__ import annotations

import asyncio
import threading

import pytest

from controller.io.system.whole_work import in_thread


async def test_it_gives_what_the_work_gives() -> None:
    assert await in_thread(divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        await in_thread(divmod, 7, 0)


async def test_cancelled_it_waits_for_the_work() -> None:
    begun, may_end, done = threading.Event(), threading.Event(), []

    def work() -> None:
        begun.set()
        may_end.wait()
        done.append(True)

    waiting = asyncio.create_task(in_thread(work))
    await asyncio.to_thread(begun.wait)
    waiting.cancel()
    for _ in range(3):
        await asyncio.sleep(0)
    assert not waiting.done()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert done == [True]
