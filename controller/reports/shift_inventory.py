"""The counts of a table's chips and cash as the account of a time has them.

An entry belongs to the gaming day and shift that it names, else to the time at which it was made. One that was entered
after its time was over changes no account of it: it restates it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple

import msgspec

from controller.core.messages.events import TableStarted
from controller.core.messages.floor_events import ChipCount, Count, InventoryEntered
from controller.core.messages.house import GamingDay
from controller.core.people.table_inventory import TableInventory, inventory_of
from controller.formats.mqtt.envelope import Published
from controller.formats.text.moments import HouseCalendar, NoMoment, Period

LAST: Final = timedelta(microseconds=1)
"""Before the end of a time: the last moment that belongs to it."""


class InventoryEntry(msgspec.Struct, frozen=True):
    """A count that was entered, and when; the fields are those of ``InventoryEntered``.

    ``elsewhere``: it belongs to another time than the account's, and no figure of the account has it.
    """

    time: str
    entry: int
    kind: Count
    cents: int
    chips: tuple[ChipCount, ...]
    slip: str
    who: str
    why: str
    gaming_day: str = ""
    shift: str = ""
    elsewhere: bool = False


class _Dated(NamedTuple):
    """A count with the moment at which it was entered and the one that it belongs to."""

    counts_at: datetime
    entered_at: datetime
    published: Published
    event: InventoryEntered

    def entry(self, *, elsewhere: bool = False) -> InventoryEntry:
        """As an account lists it."""
        one = self.event
        named = (one.slip, one.who, one.why, one.gaming_day, one.shift)
        return InventoryEntry(self.published.time, one.entry, one.kind, one.cents, one.chips, *named, elsewhere)


class CountedTime(NamedTuple):
    """The counts of one time: what they came to at its end and now, and the entries made by then and after it."""

    then: TableInventory
    now: TableInventory
    entries: tuple[InventoryEntry, ...]
    later: tuple[InventoryEntry, ...]


def counted(events: Iterable[Published], day: GamingDay, period: Period) -> CountedTime:
    """The counts of a time, out of all events of a journal; ``day`` is the house's."""
    dated = sorted(_dated(events, day), key=lambda one: (one.counts_at, one.event.entry))
    own = [one for one in dated if period.holds(one.counts_at)]
    then = [one for one in own if one.entered_at < period.until]
    listed = [one for one in dated if one in then or period.holds(one.entered_at)]
    later = [one for one in own if one.entered_at >= period.until]
    return CountedTime(
        then=inventory_of(one.event for one in then),
        now=inventory_of(one.event for one in own),
        entries=tuple(one.entry(elsewhere=one not in then) for one in sorted(listed, key=_by_entry)),
        later=tuple(one.entry() for one in sorted(later, key=_by_entry)),
    )


def _by_entry(one: _Dated) -> int:
    return one.event.entry


def house_day(events: Iterable[Published]) -> GamingDay:
    """The house's day as its table last reported it."""
    days = [one.event.gaming_day for one in events if isinstance(one.event, TableStarted)]
    return (days[-1] if days else None) or GamingDay()


def _dated(events: Iterable[Published], day: GamingDay) -> Iterator[_Dated]:
    for one in events:
        if isinstance(one.event, InventoryEntered):
            entered = datetime.fromisoformat(one.time)
            yield _Dated(_counts_at(one.event, entered, day), entered, one, one.event)


def _counts_at(event: InventoryEntered, entered: datetime, day: GamingDay) -> datetime:
    """The moment that a count belongs to: an opener to the beginning of its time, all else to its end.

    What takes an opener back belongs to the end too, after the opener itself.
    """
    if not event.gaming_day:
        return entered
    calendar, named = HouseCalendar(day, entered), date.fromisoformat(event.gaming_day)
    try:
        period = calendar.shift(named, event.shift) if event.shift else calendar.whole(named)
    except NoMoment:
        # The shift has left the table file since.
        period = calendar.whole(named)
    return period.since if event.kind is Count.OPENER and event.cents > 0 else period.until - LAST
