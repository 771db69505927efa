"""What antennas hear that does not lie in their zone: a chip between two of them, a tag in somebody's pocket."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from simulators.chance import Chance, pick

Place = tuple[int, str]

SECOND_NS: Final = 1_000_000_000
BETWEEN_S: Final = (1, 9)
"""How long a chip lies so that two antennas hear it, until somebody nudges it."""
POCKET_S: Final = (1, 5)
"""How long somebody with a tag in the pocket leans over the table."""

POCKET_TAG: Final = "E0161000DEADBEE{}"
"""A hotel's card: of another maker than the chips."""


class StrayChips:
    """``every_looks``: one look in this many at a zone begins such a trouble at the antenna next to it."""

    def __init__(self, chance: Chance, every_looks: int = 4_000) -> None:
        self._chance = chance
        self._every = every_looks
        self._strays: list[tuple[int, Place, str]] = []
        self.begun: list[tuple[int, Place, str]] = []
        """When, where and what was heard that did not lie there."""

    def heard_chips(
        self, place: Place, chips: tuple[str, ...], felt: Mapping[Place, tuple[str, ...]], now_ns: int
    ) -> tuple[str, ...]:
        """The chips that the antenna of a zone with these chips hears; ``felt``: the chips of every zone."""
        if self._chance.randrange(self._every) == 0:
            self._begin(place, felt, now_ns)
        self._strays = [stray for stray in self._strays if stray[0] > now_ns and self._lies(stray[2], felt)]
        more = {chip for _, at, chip in self._strays if at == place}
        return tuple(sorted({*chips, *more}))

    def _begin(self, place: Place, felt: Mapping[Place, tuple[str, ...]], now_ns: int) -> None:
        spot, zone = place
        beside = [
            at for at in felt if felt[at] and at != place and (at[0] == spot or (abs(at[0] - spot), at[1]) == (1, zone))
        ]
        if beside and self._chance.randrange(3):
            shortest, longest = BETWEEN_S
            chip = pick(self._chance, felt[pick(self._chance, sorted(beside))])
        else:
            shortest, longest = POCKET_S
            chip = POCKET_TAG.format(self._chance.randrange(8))
        until_ns = now_ns + (shortest + self._chance.randrange(longest - shortest)) * SECOND_NS
        self._strays.append((until_ns, place, chip))
        self.begun.append((now_ns, place, chip))

    def _lies(self, chip: str, felt: Mapping[Place, tuple[str, ...]]) -> bool:
        return chip.startswith(POCKET_TAG[:8]) or any(chip in chips for chips in felt.values())
