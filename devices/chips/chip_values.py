"""The values that chips carry in their own memory: each chip is asked once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from devices.backoff import TRIES
from firmware_protocols import chip_memory

MOST_REMEMBERED: Final = 8192
"""Chips remembered: a table's tray holds about two thousand, its players' a few hundred; what is older is read anew."""

READ_A_TURN: Final = 8
"""Chips read before other zones are asked again: a tenth of a second or two at 38,400 baud."""


class ChipValues:
    """What is known of chips. A chip that could not be read counts as known, without a value, until it is forgotten."""

    def __init__(self) -> None:
        self._cents: dict[str, int | None] = {}
        self._failures: Counter[str] = Counter()

    def unread(self, chips: Iterable[str]) -> tuple[str, ...]:
        """Those of ``chips`` that have still to be asked, sorted."""
        return tuple(sorted(chip for chip in chips if chip not in self._cents))

    def of(self, chips: Iterable[str]) -> dict[str, int]:
        """The values of those of ``chips`` that have one, in cents."""
        found = {chip: self._cents.get(chip) for chip in chips}
        return {chip: cents for chip, cents in found.items() if cents is not None}

    def take(self, chip: str, blocks: tuple[str, ...] | None) -> None:
        """A chip's memory was read, or could not be (None). The third time in vain it is given up."""
        if blocks is None:
            if len(self._failures) >= MOST_REMEMBERED:
                self._failures.clear()
            self._failures[chip] += 1
            if self._failures[chip] < TRIES:
                return
        self._failures.pop(chip, None)
        while len(self._cents) >= MOST_REMEMBERED:
            del self._cents[next(iter(self._cents))]
        self._cents[chip] = None if blocks is None else chip_memory.value_cents(blocks)

    def forget_valueless(self, chips: Iterable[str]) -> None:
        """These chips have left: one that had no value is asked again when it returns."""
        for chip in chips:
            if chip in self._cents and self._cents[chip] is None:
                del self._cents[chip]
