"""What breaks on real tables, provoked one by one; the numbers are those of docs/reference/failure-modes.md."""

from __future__ import annotations

import asyncio
import itertools
import os
import random

import pytest

from controller.io.lines.ports import serial_opener
from controller.io.lines.supervisor import LIVENESS_NS
from devices.keypad import KeypadSession
from devices.session import Session
from devices.shoes.shoe import ShoeSession
from firmware_protocols.readings import (
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
)
from tests.io.lines_rig import BEE_TEK, FEIG, KEYPAD, Delivered, Place, plugged, readers, supervised
from tests.io.virtual_time import SpinningError, VirtualLoop, becomes, passes, run_virtual

SECOND_NS = 1_000_000_000
READY, LOST, FAULTY = HealthState.READY, HealthState.LOST, HealthState.FAULTY
STEPS = ("refused", "breaks", "opened", "written", "answered")


def now_ns() -> int:
    return round(asyncio.get_running_loop().time() * SECOND_NS)


# --- 1: an unplugged device that nothing reports ---------------------------------------------------


def test_1_a_device_that_falls_silent_is_lost_within_two_seconds_and_its_line_opened_anew() -> None:
    async def scenario() -> None:
        delivered, (simulator, session) = Delivered(), readers(1, 2)
        place = Place(simulator)
        async with asyncio.TaskGroup() as group:
            line = supervised(place.open, session, delivered)
            assert (line.is_open, line.quiet_seconds(now_ns())) == (False, None)
            task = group.create_task(line.run())
            await delivered.until(lambda: delivered.states() == [READY, READY])
            assert (line.is_open, line.quiet_seconds(now_ns())) == (True, 0)
            silent_ns = now_ns()
            place.mute = True
            await delivered.until(lambda: delivered.states()[2:] == [LOST, LOST])
            lost = [one.at_ns - silent_ns for one in delivered.of(DeviceHealth)[2:]]
            # The two readers are asked in turn, so the second waits for the first.
            assert lost[0] <= 2 * SECOND_NS + SECOND_NS // 10
            assert place.openings == 1
            assert (line.is_open, line.quiet_seconds(now_ns())) == (False, None)
            place.mute = False
            place.device = None
            # The operating system still says that all is well.
            await delivered.until(lambda: place.openings > 1 or bool(delivered.of(DeviceComplained)))
            assert delivered.of(DeviceComplained)[0].code == "needs_attention"
            assert (line.is_open, line.quiet_seconds(now_ns()), line.failures) == (False, None, 10)
            task.cancel()

    run_virtual(scenario())


def test_1_a_line_without_a_byte_is_reopened_at_its_liveness_deadline() -> None:
    async def scenario() -> None:
        delivered, (simulator, session) = Delivered(), readers(1)
        place = Place(simulator)
        place.mute = True
        begin_ns = now_ns()
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, session, delivered).run())
            await becomes(lambda: place.openings >= 2)
            assert LIVENESS_NS <= now_ns() - begin_ns <= LIVENESS_NS + SECOND_NS
            place.mute = False
            await delivered.until(lambda: delivered.states()[-1] is READY)
            task.cancel()

    run_virtual(scenario())


def test_1_silence_while_the_machine_itself_stood_still_loses_no_reader() -> None:
    """One answer was lost, and then the program was not run for 3.6 s: nobody was asked in that time."""

    async def scenario() -> None:
        delivered, (simulator, session) = Delivered(), readers(1, 2)
        place = Place(simulator)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, session, delivered).run())
            await delivered.until(lambda: delivered.states() == [READY, READY])
            for _ in range(3):
                place.mute = True
                await passes(0.03)
                loop.chooser.passed_seconds += 3.6
                place.mute = False
                await passes(5)
            assert (delivered.states(), place.openings) == ([READY, READY], 1)
            # A line that is silent while we run is lost as ever.
            place.mute = True
            silent_ns = now_ns()
            await delivered.until(lambda: LOST in delivered.states())
            assert now_ns() - silent_ns <= 2 * SECOND_NS + SECOND_NS // 10
            task.cancel()

    run_virtual(scenario())


class Stubborn(asyncio.Transport):
    """Cannot be closed, as ``flush`` fails on a device that is gone."""

    def close(self) -> None:
        raise OSError(5, "Input/output error")

    def is_closing(self) -> bool:
        return False

    def write(self, data: object) -> None:
        pass


def test_1_a_port_that_refuses_to_be_closed_does_not_end_the_supervision() -> None:
    async def scenario() -> None:
        delivered, (_, session) = Delivered(), readers(1)
        opened = 0

        async def open_line(protocol: asyncio.Protocol) -> asyncio.Transport:
            nonlocal opened
            opened += 1
            transport = Stubborn()
            asyncio.get_running_loop().call_soon(protocol.connection_made, transport)
            return transport

        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(open_line, session, delivered).run())
            await becomes(lambda: opened >= 5)
            task.cancel()

    run_virtual(scenario())


# --- 2: a dead descriptor keeps the loop busy ---------------------------------------------------------


def test_2_everything_unplugged_costs_a_few_wakings_a_minute() -> None:
    """Four devices on real pseudo-terminals, hung up; twenty minutes of virtual time."""

    async def scenario() -> None:
        delivered = Delivered()
        with plugged() as one, plugged() as two, plugged() as three, plugged() as four:
            cables = (one, two, three, four)
            sessions: tuple[Session, ...] = (
                ShoeSession(BEE_TEK),
                KeypadSession(KEYPAD),
                readers(1, 2)[1],
                readers(3)[1],
            )
            async with asyncio.TaskGroup() as group:
                tasks = []
                for cable, session in zip(cables, sessions, strict=True):
                    open_line = serial_opener(cable.path, FEIG.line)
                    name = f"device{cable.path}"
                    tasks.append(group.create_task(supervised(open_line, session, delivered, name=name).run()))
                await delivered.until(lambda: delivered.states().count(READY) == 2)
                for cable in cables:
                    cable.unplug()
                await delivered.until(lambda: len(delivered.of(DeviceComplained)) == len(cables))
                before, begin = os.times(), asyncio.get_running_loop().time()
                await passes(1200)
                after = os.times()
                for task in tasks:
                    task.cancel()
                spent = after.user + after.system - before.user - before.system
                passed = asyncio.get_running_loop().time() - begin
                assert spent < 0.01 * passed

    # Each opening costs a thread that reports back and a pause of 7.5 to 10 s: some 600 openings.
    loop = run_virtual(scenario(), limit=15_000)
    assert loop.chooser.passed_seconds > 1200


def test_2_a_reader_left_on_a_dead_descriptor_would_be_noticed_here() -> None:
    async def scenario() -> None:
        with plugged() as cable:
            descriptor = os.open(cable.path, os.O_RDWR | os.O_NONBLOCK | os.O_NOCTTY)
            asyncio.get_running_loop().add_reader(descriptor, lambda: None)
            cable.unplug()
            try:
                await passes(3600)
            finally:
                asyncio.get_running_loop().remove_reader(descriptor)
                os.close(descriptor)

    with pytest.raises(SpinningError):
        run_virtual(scenario(), limit=5_000)


# --- 3: a second failure while starting again ---------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_3_a_link_survives_a_thousand_failures_at_any_step(seed: int) -> None:
    async def scenario() -> None:
        # Four seeds: a thousand in all.
        chance = random.Random(seed)
        delivered, (simulator, session) = Delivered(), readers(1)
        place = Place(simulator)
        failures = 0

        def fate() -> str:
            nonlocal failures
            failures += 1
            return chance.choice(STEPS) if failures <= 250 else ""

        place.fate = fate
        async with asyncio.TaskGroup() as group:
            task = group.create_task(supervised(place.open, session, delivered, seed=seed).run())
            await delivered.until(lambda: failures > 250, seconds=20_000)
            await delivered.until(lambda: bool(delivered.of(ChipsSeen)), seconds=12)
            assert delivered.states()[-1] is READY
            task.cancel()

    run_virtual(scenario())


def test_3_pauses_between_failures_are_bounded_and_never_in_step() -> None:
    async def scenario() -> None:
        places = [Place(None) for _ in range(4)]

        async def run(seed: int) -> None:
            await supervised(places[seed].open, readers(1)[1], Delivered(), seed=seed).run()

        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(run(seed)) for seed in range(4)]
            await passes(120)
            for task in tasks:
                task.cancel()
        for place in places:
            pauses = [after - before for before, after in itertools.pairwise(place.opened_at)]
            assert 0.375 <= min(pauses) <= max(pauses) <= 10
        last = [place.opened_at[-1] for place in places]
        assert len({round(one, 3) for one in last}) == len(last)

    run_virtual(scenario())
