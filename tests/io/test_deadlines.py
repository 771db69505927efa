"""The clock says that a moment has passed, once, and only the moment that was last wanted."""

from __future__ import annotations

import asyncio

import pytest

from controller.core.messages.inputs import DeadlinePassed, Input
from controller.core.table.desired import Desired
from controller.io.system.deadlines import GRACE_NS, Deadlines


class Hands:
    """A clock that stands where it is put."""

    def __init__(self, now_ns: int) -> None:
        self.now_ns = now_ns

    def monotonic_ns(self) -> int:
        return self.now_ns

    def wall_ns(self) -> int:
        return self.now_ns


async def inputs_within(wanted: list[int], now_ns: int, turns: int = 50) -> list[Input]:
    """What is delivered while the loop goes round so often, the table wanting one moment after another."""
    delivered: list[Input] = []
    deadlines = Deadlines(Hands(now_ns), delivered.append)
    task = asyncio.create_task(deadlines.run())
    for moment_ns in wanted:
        deadlines.apply(Desired(deadline_ns=moment_ns))
    for _ in range(turns):
        await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    return delivered


async def test_a_moment_that_has_passed_is_delivered_once() -> None:
    assert await inputs_within([1_000], 1_000 + GRACE_NS) == [DeadlinePassed(1_000)]


async def test_one_that_is_to_come_is_waited_for_and_no_moment_is_none() -> None:
    assert await inputs_within([10**15], 1_000) == []
    assert await inputs_within([1_000, 0], 10**12) == []


@pytest.mark.parametrize("then_ns", [10**15, 0])
async def test_a_moment_wished_for_as_another_passes_is_not_delivered_before_it_has_passed(then_ns: int) -> None:
    """The wait for the first has run out and its task has not been woken yet when a card comes."""
    delivered: list[Input] = []
    deadlines = Deadlines(Hands(1_000 + GRACE_NS), delivered.append)
    deadlines.apply(Desired(deadline_ns=1_000))
    task = asyncio.create_task(deadlines.run())
    await asyncio.sleep(0)
    asyncio.get_running_loop().call_soon(deadlines.apply, Desired(deadline_ns=then_ns))
    for _ in range(50):
        await asyncio.sleep(0)
    assert delivered == []
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
