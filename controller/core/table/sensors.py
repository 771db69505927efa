"""What the table remembers of its bet sensors, and where they alone see a wager."""

from __future__ import annotations

from firmware_protocols.values import Value


class SensorState(Value, frozen=True, tag=False):
    """What the sensors of one side bet reported last; spots, rising. ``lock``: the round they were locked for, 0: open.

    ``judged`` is the last round whose wagers were compared with them, ``missed`` the last of which it was said that
    they do not answer, and ``late`` the spots where a wager was laid after the lock of that ``judged`` round.
    """

    live: tuple[int, ...] = ()
    latched: tuple[int, ...] = ()
    lock: int = 0
    judged: int = 0
    missed: int = 0
    late: tuple[int, ...] = ()
