"""The house's chips, each with its own id.

A player's own chips off the felt are counted as the rack's: what a zone does not hold, the rack holds. So a chip is
always at exactly one place.
"""

from __future__ import annotations

from collections import deque
from typing import Final

from simulators.people.house import SMALLEST_CHIP_CENTS

DENOMINATIONS_CENTS: Final = (10000, 2500, 500, 250, 100, SMALLEST_CHIP_CENTS)
"""The values of the chips, highest first. Any multiple of 50 cents below 100 dollars takes at most 11 of them."""

ZONE_CHIPS_LIMIT: Final = 12
"""Above this the dealer colours up, so that a stack is read in a few answers; some amounts take more at the fewest."""

CHIPS_PER_DENOMINATION: Final = 200
"""Enough for 14 zones of 12 chips of one value, with one payment in the hand."""

ID_PREFIX: Final = "E0040150"
"""The first half of an id: E0 for the standard (ISO/IEC 15693), 04 for a maker of tags, then a batch."""


def pieces(cents: int) -> tuple[int, ...]:
    """The values of the fewest chips that make ``cents``, highest first.

    Raises ``ValueError`` for a negative amount and for one that is no multiple of 50 cents.
    """
    if cents < 0 or cents % SMALLEST_CHIP_CENTS:
        raise ValueError(f"no chips make {cents} cents")
    found: list[int] = []
    for value in DENOMINATIONS_CENTS:
        count, cents = divmod(cents, value)
        found.extend([value] * count)
    return tuple(found)


class Rack:
    """Chips that are not on the felt, and the values of all chips.

    Chips go out in the order they came in, so a chip rests for as long as possible before it is seen elsewhere.
    """

    def __init__(self, chips_per_denomination: int = CHIPS_PER_DENOMINATION) -> None:
        self._values: dict[str, int] = {}
        self._free: dict[int, deque[str]] = {}
        for place, value in enumerate(sorted(DENOMINATIONS_CENTS)):
            ids = [f"{ID_PREFIX}{place:02X}{serial:06X}" for serial in range(1, chips_per_denomination + 1)]
            self._values.update(dict.fromkeys(ids, value))
            self._free[value] = deque(ids)
        self._out: set[str] = set()

    def registry_csv(self) -> str:
        """Every chip with its value: a header ``id,value_cents``, then one line a chip."""
        return "".join(["id,value_cents\n", *(f"{chip},{value}\n" for chip, value in self._values.items())])

    def value_cents(self, chips: tuple[str, ...]) -> int:
        """What the chips are worth together; raises ``KeyError`` for a chip that is not the house's."""
        return sum(self._values[chip] for chip in chips)

    def give(self, cents: int) -> tuple[str, ...]:
        """Hand out the fewest chips that make ``cents``.

        Raises ``ValueError`` for an amount no chips make and ``LookupError`` when the rack has not enough.
        """
        wanted = pieces(cents)
        if any(wanted.count(value) > len(self._free[value]) for value in set(wanted)):
            raise LookupError(f"the rack cannot make {cents} cents")
        chips = tuple(self._free[value].popleft() for value in wanted)
        self._out.update(chips)
        return chips

    def take(self, chips: tuple[str, ...]) -> None:
        """Take chips back; raises ``KeyError`` for one that was not handed out."""
        for chip in chips:
            self._out.remove(chip)
            self._free[self._values[chip]].append(chip)

    def change_to(self, chips: tuple[str, ...], cents: int) -> tuple[str, ...]:
        """Make a zone that holds ``chips`` worth ``cents``, moving as few chips as may be, and return its chips.

        Chips are added, or some of those there are taken; the whole is changed only when that cannot be done or
        would leave more than ``ZONE_CHIPS_LIMIT`` chips. Raises as ``give`` does.
        """
        missing = cents - self.value_cents(chips)
        if missing == 0:
            return chips
        if missing > 0 and len(chips) + len(pieces(missing)) <= ZONE_CHIPS_LIMIT:
            return chips + self.give(missing)
        kept = self._subset(chips, cents)
        if kept is not None:
            self.take(tuple(chip for chip in chips if chip not in kept))
            return kept
        return self.restack(chips, cents)

    def restack(self, chips: tuple[str, ...], cents: int) -> tuple[str, ...]:
        """Take ``chips`` and hand out the fewest others that make ``cents``."""
        fresh = self.give(cents)
        self.take(chips)
        return fresh

    def exchange(self, chips: tuple[str, ...]) -> tuple[str, ...]:
        """Take ``chips`` and hand out others of the same values; raises ``LookupError`` when there are none."""
        values = [self._values[chip] for chip in chips]
        if any(values.count(value) > len(self._free[value]) for value in set(values)):
            raise LookupError("the rack has no other chips of these values")
        fresh = tuple(self._free[value].popleft() for value in values)
        self._out.update(fresh)
        self.take(chips)
        return fresh

    def _subset(self, chips: tuple[str, ...], cents: int) -> tuple[str, ...] | None:
        """Chips among ``chips`` worth exactly ``cents``; each sum is kept once, so the work stays small."""
        sums: dict[int, tuple[str, ...]] = {0: ()}
        for chip in chips:
            for reached, used in list(sums.items()):
                reaches = reached + self._values[chip]
                if reaches <= cents:
                    sums.setdefault(reaches, (*used, chip))
        return sums.get(cents)
