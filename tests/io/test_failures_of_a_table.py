"""What breaks on real tables, provoked one by one; the numbers are those of docs/reference/failure-modes.md."""

from __future__ import annotations

import asyncio
import os
import random
import re
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from controller.io.journal.errors import JournalFailed
from controller.io.lines.ports import serial_opener
from controller.io.lines.supervisor import LIVENESS_NS, LineSupervisor
from controller.io.operators.channel import ChannelFailed
from controller.io.system.clock_watch import LOOK_SECONDS, ClockWatch
from controller.io.system.supervision import Supervision, TaskEnded
from firmware_protocols.readings import (
    ChipsSeen,
    DeviceComplained,
    HealthState,
)
from simulators.devices.bet_spots import Flicker
from tests.io.lines_rig import FEIG, Delivered, Place, plugged, readers, supervised
from tests.io.virtual_time import LoopClock, passes, run_virtual

SECOND_NS = 1_000_000_000
Work = Callable[[], Coroutine[Any, Any, None]]
READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY
STEPS = ("refused", "breaks", "opened", "written", "answered")


def now_ns() -> int:
    return round(asyncio.get_running_loop().time() * SECOND_NS)


# --- 20: wall time jumps ------------------------------------------------------------------------------


@pytest.mark.parametrize("jump_seconds", [3600, -3600, 1.5, -1.5])
def test_20_a_jump_of_wall_time_is_reported_and_moves_no_deadline(jump_seconds: float) -> None:
    async def scenario() -> None:
        loop, delivered = asyncio.get_running_loop(), Delivered()
        clock = LoopClock(loop)
        simulator, session = readers(1)
        place = Place(simulator)
        supervisor = LineSupervisor(
            "bet_spots", place.open, session, clock=clock, chance=random.Random(1), deliver=delivered.deliver,
            liveness_ns=LIVENESS_NS,
        )  # fmt: skip
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(ClockWatch(clock, delivered.deliver).run()),
                group.create_task(supervisor.run()),
            ]
            await delivered.until(lambda: bool(delivered.of(ChipsSeen)))
            clock.wall_offset_ns += int(jump_seconds * SECOND_NS)
            before = simulator.inventories(1, "main")
            await passes(2 * LOOK_SECONDS)
            alarms = delivered.of(DeviceComplained)
            assert [(one.device, one.code) for one in alarms] == [("clock", "stepped")]
            assert f"{jump_seconds:+.3f} s" in alarms[0].text
            assert delivered.states() == [READY]
            assert simulator.inventories(1, "main") > before + 100
            for task in tasks:
                task.cancel()

    run_virtual(scenario())


def test_20_a_clock_that_is_steered_is_no_jump() -> None:
    async def scenario() -> None:
        delivered, clock = Delivered(), LoopClock(asyncio.get_running_loop())
        watch = ClockWatch(clock, delivered.deliver)
        for _ in range(1000):
            clock.wall_offset_ns += 2_500_000
            watch.look()
        assert not delivered.readings

    run_virtual(scenario())


# --- 21: a task that nobody holds ---------------------------------------------------------------------


async def _for_ever() -> None:
    await asyncio.Event().wait()


async def _ends() -> None:
    await passes(1)


async def _fails() -> None:
    await passes(1)
    raise ZeroDivisionError


class Parts:
    """What a supervision reported, and how often a part was begun."""

    def __init__(self, work: Work) -> None:
        self.failures: list[tuple[str, type[Exception]]] = []
        self.begun = 0
        self._work = work
        self.supervision = Supervision(
            lambda name, error: self.failures.append((name, type(error))),
            fatal=(JournalFailed,),
            refusals=(ChannelFailed,),
            vital=frozenset({"table"}),
        )

    async def work(self) -> None:
        self.begun += 1
        await self._work()

    async def run(self, name: str) -> None:
        await self.supervision.run([("shoe", _for_ever), (name, self.work)])


@pytest.mark.parametrize(("work", "error"), [(_ends, TaskEnded), (_fails, ZeroDivisionError)])
def test_21_a_part_that_ends_or_fails_is_reported_once_and_started_again(work: Work, error: type[Exception]) -> None:
    async def scenario() -> None:
        parts = Parts(work)
        task = asyncio.create_task(parts.run("publisher"))
        await passes(3600)
        assert not task.done()
        assert parts.failures == [("publisher", error)]
        # Later each time, up to ten seconds.
        assert 300 < parts.begun < 500
        task.cancel()
        await asyncio.wait((task,))

    run_virtual(scenario())


@pytest.mark.parametrize(("work", "error"), [(_ends, TaskEnded), (_fails, ZeroDivisionError)])
def test_21_what_steps_readings_takes_the_table_with_it(work: Work, error: type[Exception]) -> None:
    async def scenario() -> None:
        with pytest.raises(ExceptionGroup) as raised:
            await Parts(work).run("table")
        assert [type(one) for one in raised.value.exceptions] == [error]

    run_virtual(scenario())


@pytest.mark.parametrize("fails_at", [1, 5])
@pytest.mark.parametrize("error", [JournalFailed, ChannelFailed])
def test_21_a_failed_journal_ends_the_table_at_any_time_and_what_the_table_file_says_at_its_start(
    fails_at: int, error: type[Exception]
) -> None:
    async def scenario() -> None:
        async def work() -> None:
            await passes(1)
            raise error if parts.begun == fails_at else ZeroDivisionError

        parts = Parts(work)
        task = asyncio.create_task(parts.run("operators"))
        await passes(600)
        ended = task.done()
        task.cancel()
        await asyncio.wait((task,))
        assert ended is (error is JournalFailed or fails_at == 1)
        if ended:
            failure = task.exception()
            assert isinstance(failure, ExceptionGroup)
            assert [type(one) for one in failure.exceptions] == [error]

    run_virtual(scenario())


def test_21_no_task_is_started_and_forgotten() -> None:
    """Every task in the packages is held by a name, a list or a group."""
    root = Path(__file__).resolve().parents[2]
    loose = re.compile(r"^\s*(?:asyncio\.)?(?:create_task|ensure_future)\(", re.MULTILINE)
    sources = [*(root / "controller").rglob("*.py"), *(root / "simulators").rglob("*.py")]
    assert len(sources) > 50
    assert [str(one) for one in sources if loose.search(one.read_text())] == []
    assert loose.search("    asyncio.create_task(x())\n")


# --- 22: chips that flicker ---------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_22_a_chip_that_is_missed_now_and_then_stays_where_it_is(seed: int) -> None:
    async def scenario() -> None:
        delivered, (simulator, session) = Delivered(), readers(1, 2)
        simulator.lay(1, "main", ("E00401502092A102", "E00401502092A103"))
        place = Place(simulator)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, session, delivered, seed=seed).run())
            await delivered.until(lambda: len(delivered.of(ChipsSeen)) == 2)
            simulator.flicker(Flicker(missed=300, doubtful=200, most_in_a_row=1))
            await passes(60)
            assert simulator.inventories(1, "main") > 500
            assert [(one.spot, len(one.chips)) for one in delivered.of(ChipsSeen)] == [(1, 2), (2, 0)]
            task.cancel()

    run_virtual(scenario())


# --- 24: writes in reverse ----------------------------------------------------------------------------


async def test_24_writes_leave_in_the_order_they_were_made_however_full_the_line() -> None:
    """Numbered frames through a real terminal that takes 4 KiB at a time, read in small bites."""
    with plugged() as cable:
        os.set_blocking(cable.device, False)
        transport = await serial_opener(cable.path, FEIG.line)(asyncio.Protocol())
        frames = [f"{number:06d};".encode() for number in range(8000)]
        for frame in frames:
            transport.write(frame)
        wanted, taken = b"".join(frames), bytearray()
        loop, whole = asyncio.get_running_loop(), asyncio.get_running_loop().create_future()

        def take() -> None:
            taken.extend(os.read(cable.device, 999))
            if len(taken) >= len(wanted):
                whole.set_result(None)

        loop.add_reader(cable.device, take)
        async with asyncio.timeout(20):
            await whole
        loop.remove_reader(cable.device)
        transport.close()
        assert bytes(taken) == wanted
