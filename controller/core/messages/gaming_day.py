"""The house's day: when it begins, by which clock, and the shifts it falls into.

Nothing here is reckoned in the core: which moment belongs to which day hangs on the tables of time zones, and these
change. What the house said is published, so that every account knows it (``controller.formats.text.moments``).
"""

from __future__ import annotations

import msgspec

from firmware_protocols.values import Value


class GamingDay(Value, frozen=True, tag=False):
    """When the house's day and its shifts begin. Where the table file does not say, a gaming day is a day of UTC."""

    time_zone: str = "UTC"
    """A name of the IANA time zone database, such as ``America/New_York``."""
    begins: str = "00:00"
    """Hours and minutes by the clock on the wall."""
    shifts: dict[str, str] = msgspec.field(default_factory=dict)
    """When each shift begins, by name; it lasts until the next one."""
