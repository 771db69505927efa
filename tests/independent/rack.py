"""Chips with tags, in a rack that never runs out of small ones: who has which, and what they are worth."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

VALUES: Final = (10_000, 2_500, 500, 100, 50)
OF_EACH: Final = 400


class Rack:
    """The house's chips that lie on no spot, and the worth of all of them."""

    def __init__(self) -> None:
        self.worth: dict[str, int] = {}
        self._free: dict[int, list[str]] = {}
        for value in VALUES:
            tags = [f"E00401{value:06d}{number:04d}" for number in range(OF_EACH)]
            self.worth.update(dict.fromkeys(tags, value))
            self._free[value] = tags

    def change(self, cents: int) -> list[str]:
        """Chips of so much, the largest first."""
        found: list[str] = []
        for value in VALUES:
            while cents >= value:
                found.append(self._free[value].pop(0))
                cents -= value
        assert cents == 0, cents
        return found

    def back(self, chips: Iterable[str]) -> None:
        """Chips that leave the layout."""
        for chip in chips:
            self._free[self.worth[chip]].append(chip)

    def cents(self, chips: Iterable[str]) -> int:
        """What chips are worth together."""
        return sum(self.worth[chip] for chip in chips)

    def registry(self) -> str:
        """The table's list of chips."""
        lines = [f"{chip},{value}" for chip, value in self.worth.items()]
        return "\n".join(["id,value_cents", *lines, ""])
