"""A round as its people know it, and the wagers that were made in it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from tests.independent.dues import Box, insurance_due, main_due, side_due


class Wager(NamedTuple):
    """A wager that was made and what it is due; None: only a meter can say."""

    spot: int
    bet: str
    cents: int
    due: int | None


@dataclass
class Round:
    """A round as its people know it."""

    number: int
    boxes: dict[int, Box] = field(default_factory=dict)
    dealer: list[str] = field(default_factory=list)
    turned: bool = False
    over: bool = False

    @property
    def all_broke(self) -> bool:
        """Whether every hand at the table broke."""
        return all(not box.natural and not box.surrendered and box.all_broke for box in self.boxes.values())

    def wagers(self) -> list[Wager]:
        """Every wager made; to be asked once the round is over."""
        found: list[Wager] = []
        for spot, box in self.boxes.items():
            found.append(Wager(spot, "main", box.wager, main_due(box, self.dealer)))
            if box.insurance:
                found.append(Wager(spot, "insurance", box.insurance, insurance_due(box.insurance, self.dealer)))
            for bet, cents in box.sides.items():
                due = side_due(bet, cents, box, self.dealer, all_broke=self.all_broke)
                found.append(Wager(spot, bet, cents, due))
        return found
