"""What the table remembers of its bet sensors."""

from __future__ import annotations

from firmware_protocols.values import Value


class Sensed(Value, frozen=True, tag=False):
    """What the sensors of one side bet told last; spots, rising. ``lock`` is the round they were locked for, 0: open.

    ``judged`` is the last round whose wagers were held against them.
    """

    live: tuple[int, ...] = ()
    latched: tuple[int, ...] = ()
    lock: int = 0
    judged: int = 0
