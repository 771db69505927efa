"""Moments as people write them, by the clock of a house whose gaming day begins in the morning."""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.messages.house import GamingDay
from controller.formats.text.moments import HouseCalendar, NoMoment

NOW = datetime(2026, 11, 22, 7, 30, tzinfo=UTC)
"""Half past two at night in New York, still the gaming day of the 21st."""
HOUSE = GamingDay("America/New_York", "06:00", {"day": "06:00", "swing": "14:00", "grave": "22:00"})


def new_york(now: datetime = NOW) -> HouseCalendar:
    return HouseCalendar(HOUSE, now)


def utc(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}+00:00")


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-11-21T18:00", "2026-11-21T23:00"),
        ("2026-11-21 18:00:30", "2026-11-21T23:00:30"),
        ("2026-11-21T18:00Z", "2026-11-21T18:00"),
        ("2026-11-21T09:35+01:00", "2026-11-21T08:35"),
        ("18:00", "2026-11-21T23:00"),
        ("02:00", "2026-11-22T07:00"),
        ("02:30", "2026-11-22T07:30"),
        ("02:31", "2026-11-21T07:31"),
        ("today", "2026-11-21T11:00"),
        ("yesterday", "2026-11-20T11:00"),
        ("2026-07-04", "2026-07-04T10:00"),
    ],
)
def test_a_moment_is_by_the_clock_of_the_house_unless_it_says_otherwise(text: str, moment: str) -> None:
    assert new_york().moment(text) == utc(moment)


@pytest.mark.parametrize(
    "text",
    ["", "last night", "22.11.2026", "2026-11-22T25:99", "2026-02-30", "2026-11-22T18:00+99:00", "6pm", "18:00:00",
     "2026-11-22T18:00\n", "٢٠٢٦-11-22", "9999-12-31", "9999-12-31T23:59-23:00", "0001-01-01", "0001-01-01T00:00",
     "3000-01-01", "1969-12-31"],
)  # fmt: skip
def test_what_is_no_moment_is_refused_with_examples(text: str) -> None:
    with pytest.raises(NoMoment, match="expected a"):
        new_york().moment(text)


def test_a_time_the_clocks_skip_is_refused() -> None:
    with pytest.raises(NoMoment, match="put forward past it"):
        new_york().moment("2026-03-08T02:30")


def test_a_shift_after_midnight_is_of_the_day_before() -> None:
    house = new_york()
    grave = house.shift(date(2026, 11, 21), "grave")
    assert (grave.since, grave.until) == (utc("2026-11-22T03:00"), utc("2026-11-22T11:00"))
    assert house.gaming_day(grave.until - timedelta(seconds=1)) == date(2026, 11, 21)
    assert house.gaming_day(grave.until) == date(2026, 11, 22)


def test_an_unknown_shift_names_those_there_are() -> None:
    with pytest.raises(NoMoment, match="day, swing, grave"):
        new_york().shift(date(2026, 11, 21), "dusk")


def test_an_unknown_zone_is_said() -> None:
    with pytest.raises(NoMoment, match="no such time zone"):
        HouseCalendar(GamingDay("America/Atlantis"), NOW)


@given(st.datetimes(datetime(2025, 1, 1), datetime(2029, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 - given UTC
def test_each_moment_is_in_its_gaming_day_and_in_one_shift_of_it(moment: datetime) -> None:
    house = new_york()
    day = house.gaming_day(moment)
    assert house.whole(day).holds(moment)
    assert sum(house.shift(day, name).holds(moment) for name in HOUSE.shifts) == 1


@given(st.dates(date(2025, 1, 1), date(2029, 1, 1)))
def test_shifts_make_up_the_day_also_when_clocks_change(day: date) -> None:
    house = new_york()
    whole = house.whole(day)
    shifts = [house.shift(day, name) for name in HOUSE.shifts]
    assert (shifts[0].since, shifts[-1].until) == whole
    assert all(before.until == after.since for before, after in itertools.pairwise(shifts))
