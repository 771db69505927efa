"""Moments and days as people write them: ``2026-11-21T18:00-05:00``, ``18:00``, ``yesterday``, a gaming day, a shift.

A gaming day begins at an hour the house sets, by its own clock, and has that date's name until it begins again: at a
house whose day begins at 06:00, two in the morning of the 22nd is the 21st.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from controller.core.messages.house import GamingDay

HOUR_NS: Final = 3_600_000_000_000

EXPECTED: Final = "2026-11-21T18:00, 2026-11-21T18:00-05:00, 18:00, 2026-11-21, today or yesterday"
TODAY: Final = "today"
DAYS: Final = {TODAY: 0, "yesterday": 1}

YEARS: Final = range(1970, 3000)
"""What a moment may be of: no journal is older, and none is read so late."""

_CLOCK: Final = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)(.*)")


class NoMoment(ValueError):  # noqa: N818 - named for what it is not
    """The text is no moment; it says what was expected."""


class Period(NamedTuple):
    """From a moment up to another, which is not part of it."""

    since: datetime
    until: datetime

    def holds(self, moment: datetime) -> bool:
        """Whether the moment lies within it."""
        return self.since <= moment < self.until


def _date_of(text: str) -> date:
    """A date that has a day before and after it in any time zone.

    Raises:
        ValueError: it is none.
    """
    found = date.fromisoformat(text)
    if found.year not in YEARS:
        raise ValueError(f"year is out of range {YEARS.start} to {YEARS.stop - 1}")
    return found


class HouseCalendar:
    """Moments by the clock of one house, given in UTC; ``now`` is what ``today`` and ``18:00`` are reckoned from."""

    def __init__(self, day: GamingDay, now: datetime) -> None:
        """Take the house's day.

        Raises:
            NoMoment: its time zone is unknown on this machine.
        """
        self.day = day
        self.zone = zone_of(day.time_zone)
        self.now = now.astimezone(self.zone)
        self._begins = time.fromisoformat(day.begins)

    def moment(self, text: str) -> datetime:
        """A moment; without an offset it is by the house's clock, a time alone is the last one, a date its beginning.

        Raises:
            NoMoment: the text is none, or no clock of that house ever shows it.
        """
        if _CLOCK.fullmatch(text):
            clock = time.fromisoformat(text)
            today = self._wall(self.now.date(), clock, text)
            return today if today <= self.now else self._wall(self.now.date() - timedelta(1), clock, text)
        if text in DAYS or _DATE.fullmatch(text):
            return self.begin(self.day_named(text))
        found = _MOMENT.fullmatch(text)
        if found is None:
            raise NoMoment(f"{text!r}: expected a time such as {EXPECTED}")
        try:
            day, clock = _date_of(found[1]), time.fromisoformat(found[2])
            offset = datetime.fromisoformat(f"{found[1]}T00:00{found[3]}").tzinfo
        except ValueError as error:
            raise NoMoment(f"{text!r}: {error}; expected a time such as {EXPECTED}") from error
        return self._wall(day, clock, text) if offset is None else datetime.combine(day, clock, offset)

    def day_named(self, text: str) -> date:
        """A gaming day by its date, or ``today`` or ``yesterday``.

        Raises:
            NoMoment: the text is no day.
        """
        if text in DAYS:
            return self.gaming_day(self.now) - timedelta(DAYS[text])
        try:
            if not _DATE.fullmatch(text):
                raise ValueError("no date")  # noqa: TRY301 - both ways to be no date are reported in one sentence
            return _date_of(text)
        except ValueError as error:
            raise NoMoment(f"{text!r}: expected a day such as 2026-11-21, today or yesterday") from error

    def gaming_day(self, moment: datetime) -> date:
        """The gaming day that a moment belongs to."""
        day = moment.astimezone(self.zone).date()
        return day - timedelta(moment < self.begin(day))

    def begin(self, day: date) -> datetime:
        """When a gaming day begins."""
        return self._at(day, self._begins)

    def whole(self, day: date) -> Period:
        """A gaming day."""
        return Period(self.begin(day), self.begin(day + timedelta(1)))

    def shift(self, day: date, name: str) -> Period:
        """A shift of a gaming day.

        Raises:
            NoMoment: the house has no shift of that name.
        """
        if name not in self.day.shifts:
            known = f"expected one of {', '.join(self.day.shifts)}" if self.day.shifts else "its table file names none"
            raise NoMoment(f"{name!r}: no shift of this house: {known}")
        begins = sorted(self._in_day(day, clock) for clock in self.day.shifts.values())
        since = self._in_day(day, self.day.shifts[name])
        return Period(since, next((one for one in begins if one > since), self.begin(day + timedelta(1))))

    def _in_day(self, day: date, clock: str) -> datetime:
        """The time of a gaming day: before its beginning it is the next morning's."""
        at = time.fromisoformat(clock)
        return self._at(day + timedelta(at < self._begins), at)

    def _at(self, day: date, at: time) -> datetime:
        # In UTC: moments of one zone are compared by their clocks, which twice a year go wrong.
        return datetime.combine(day, at, self.zone).astimezone(UTC)

    def _wall(self, day: date, at: time, text: str) -> datetime:
        found = self._at(day, at)
        if found.astimezone(self.zone).replace(tzinfo=None) != datetime.combine(day, at):
            raise NoMoment(f"{text!r}: clocks of {self.day.time_zone} were put forward past it")
        return found


def day_complaints(day: GamingDay) -> Iterator[tuple[str, str]]:
    """What is wrong with a house's day, by key of its table file."""
    try:
        zone_of(day.time_zone)
    except NoMoment as error:
        yield "time_zone", str(error)
    begins = list(day.shifts.values())
    for name, clock in day.shifts.items():
        if begins.count(clock) > 1:
            yield "shifts", f"{name} begins at {clock} as another shift does"
            return
    if begins and day.begins not in begins:
        yield "shifts", f"expected one that begins with the gaming day, at {day.begins}"


def zone_of(name: str) -> ZoneInfo:
    """A time zone by its name in the IANA database.

    Raises:
        NoMoment: this machine knows no such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise NoMoment(f"{name!r}: this machine knows no such time zone; expected one such as Europe/Vienna") from error
