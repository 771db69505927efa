"""The program is looked at every hour and before a mystery number is drawn; the journal has what was found."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from controller.core.messages.inputs import Input, SoftwareInspected
from controller.io.operators.software import ListedProgram, SoftwareChanged
from controller.io.operators.software_watch import SoftwareWatch
from firmware_protocols.readings import KeyPressed, MysteryAnswered, MysteryCommitted
from tests.io.virtual_time import becomes, passes

FOUND = ListedProgram("d" * 64, 300, "a" * 64)
FIRST = MysteryCommitted(1, 1, "c" * 64, 0, 100, 200)
ANSWER = MysteryAnswered(2, 1, 1, 5, hit=False, award_cents=0)
SECOND = MysteryCommitted(3, 2, "e" * 64, 0, 100, 200)
KEY = KeyPressed(4, "K")


class Desk:
    """What a watch is given: a program that may change, and a journal."""

    def __init__(self, cycle: int = 0, seconds: float = 3600) -> None:
        self.changed = ""
        self.delivered: list[Input] = []
        self.kept: list[Input] = []
        self.watch = SoftwareWatch(self.look, lambda: 7, self.delivered.append, self.keep, cycle=cycle, seconds=seconds)

    def look(self) -> ListedProgram:
        if self.changed:
            raise SoftwareChanged(self.changed)
        return FOUND

    async def keep(self, given: Input) -> None:
        await asyncio.sleep(0)
        self.kept.append(given)

    def looks(self) -> list[str]:
        return [one.when for one in self.delivered if isinstance(one, SoftwareInspected)]

    def readings(self) -> list[Input]:
        return [one for one in self.delivered if not isinstance(one, SoftwareInspected)]


@contextlib.asynccontextmanager
async def at_work(desk: Desk) -> AsyncIterator[asyncio.Task[None]]:
    task = asyncio.create_task(desk.watch.run())
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def test_before_a_number_is_drawn_the_program_is_looked_at() -> None:
    desk = Desk()
    for reading in (FIRST, ANSWER, SECOND):
        desk.watch.take(reading)
    async with at_work(desk):
        await becomes(lambda: len(desk.readings()) == 3)
    assert desk.readings() == [FIRST, ANSWER, SECOND]
    assert [one if one in {FIRST, SECOND} else type(one).__name__ for one in desk.delivered if one != ANSWER] == [
        "SoftwareInspected",
        FIRST,
        "SoftwareInspected",
        SECOND,
    ]
    assert desk.looks() == ["draw", "draw"]
    assert desk.delivered[0] == SoftwareInspected(7, "draw", True, FOUND.digest, FOUND.files, FOUND.signed_by, "")


@pytest.mark.parametrize(("cycle", "looks"), [(0, ["draw"]), (1, [])], ids=["heard since the start", "heard before"])
async def test_a_commitment_that_is_said_again_draws_nothing(cycle: int, looks: list[str]) -> None:
    desk = Desk(cycle)
    for reading in (FIRST, ANSWER, FIRST):
        desk.watch.take(reading)
    async with at_work(desk):
        await becomes(lambda: len(desk.readings()) == 3)
    assert desk.looks() == looks


async def test_what_a_box_says_without_a_commitment_draws_nothing() -> None:
    desk = Desk()
    desk.watch.take(ANSWER)
    async with at_work(desk):
        await becomes(lambda: desk.readings() == [ANSWER])
    assert desk.looks() == []


async def test_everything_else_goes_on_during_a_look() -> None:
    desk = Desk()
    desk.watch.take(FIRST)
    desk.watch.take(KEY)
    assert desk.delivered == [KEY]


async def test_a_changed_program_gives_no_share_of_a_draw_and_the_journal_says_why() -> None:
    desk = Desk()
    desk.changed = "devices/shoes/shoe.py is another"
    desk.watch.take(FIRST)
    with pytest.raises(SoftwareChanged, match="shoe"):
        await desk.watch.run()
    assert desk.delivered == []
    assert desk.kept == [SoftwareInspected(7, "draw", False, "", 0, "", "devices/shoes/shoe.py is another")]


async def test_every_hour_the_program_is_looked_at() -> None:
    desk = Desk(seconds=0.001)
    async with at_work(desk) as task:
        await becomes(lambda: len(desk.looks()) >= 3)
        desk.changed = "devices/shoes/shoe.py is another"
        with pytest.raises(SoftwareChanged):
            await task
    assert set(desk.looks()) == {"hour"}
    assert desk.kept == [SoftwareInspected(7, "hour", False, "", 0, "", "devices/shoes/shoe.py is another")]


async def test_the_hour_comes_however_much_a_trigger_box_has_to_say() -> None:
    desk = Desk(cycle=1, seconds=0.1)
    async with at_work(desk):
        for _ in range(500):
            desk.watch.take(ANSWER)
            await passes(0.01)
            if desk.looks():
                break
    assert desk.looks() == ["hour"]
