"""Which gaming day it is: published at the start, when another begins, and when the clock is set."""

from __future__ import annotations

from datetime import datetime

import pytest

from controller.core.messages.events import RoundStarted
from controller.core.messages.house import GamingDay
from controller.core.messages.inputs import DayBegan
from controller.io.system.day_watch import DayWatch
from tests.core.rig import Rig, penn

NEW_YORK = GamingDay("America/New_York", "06:00")


class SetClock:
    """A clock that shows the time it is set to."""

    def __init__(self, now: str) -> None:
        self.now = now

    def monotonic_ns(self) -> int:
        return 5

    def wall_ns(self) -> int:
        return int(datetime.fromisoformat(self.now).timestamp() * 1_000_000_000)


def test_a_day_is_published_once_and_the_next_when_it_begins() -> None:
    clock, days = SetClock("2026-11-22T10:59:00Z"), list[DayBegan]()
    watch = DayWatch(NEW_YORK, clock, days.append)
    assert watch.look() == 60.5
    clock.now = "2026-11-22T10:59:59.999Z"
    assert watch.look() == 1.5
    clock.now = "2026-11-22T11:00:00Z"
    watch.look()
    assert days == [DayBegan(5, "2026-11-21"), DayBegan(5, "2026-11-22")]


@pytest.mark.parametrize(("now", "hours"), [("2026-03-07T11:00:00Z", 23), ("2026-10-31T10:00:00Z", 25)])
def test_the_days_on_which_clocks_change_are_as_long_as_they_are(now: str, hours: int) -> None:
    assert DayWatch(NEW_YORK, SetClock(now), lambda _: None).look() == hours * 3600 + 0.5


def test_a_clock_that_is_set_to_another_day_publishes_it() -> None:
    clock, days = SetClock("2026-11-22T12:00:00Z"), list[DayBegan]()
    watch = DayWatch(None, clock, days.append)
    for clock.now in ("2026-11-22T12:00:00Z", "2026-11-20T12:00:00Z", "2026-11-22T12:00:00Z"):
        watch.look()
    assert [one.day for one in days] == ["2026-11-22", "2026-11-20", "2026-11-22"]


def test_a_clock_that_was_never_set_publishes_no_day() -> None:
    days = list[DayBegan]()
    DayWatch(None, SetClock("1970-01-01T00:01:00Z"), days.append).look()
    assert days == []


def test_a_round_says_in_which_day_it_began() -> None:
    rig = Rig(penn())
    for day in ("", "2026-11-21", "2026-11-22"):
        if day:
            rig.give(DayBegan(rig.now_ns, day))
        rig.talk("1 main 10 \n key no_more_bets \n 1 main 0 \n key round_closed")
    began = [event.gaming_day for event in rig.events_of(RoundStarted)]
    assert began == [None, "2026-11-21", "2026-11-22"]
