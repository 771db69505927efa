"""Which keys a dealer of an independent table presses, and what such a house writes into its table file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True)
class Habit:
    """Per mille of the times at which each key of the procedure is pressed; ``plays``: every decision has its key."""

    name: str
    plays: bool = False
    bets: int = 0
    insurance: int = 0
    turned: int = 0
    closed: int = 0
    announces_shoe: bool = False
    """Whether a shoe is announced with the burn key; else cards come out of a machine that shuffles for ever."""
    answers: bool = True
    """Whether anybody answers what the table asks."""
    options: Mapping[str, Any] = field(default_factory=dict)


def _unturned(**more: str | int) -> Mapping[str, Any]:
    return {"turn_key": "sometimes", "new_shoe_burns": 0, "even_money_shown": "chips", **more}


HABITS: Final = {
    habit.name: habit
    for habit in (
        Habit("keys", True, 1000, 1000, 1000, 1000, True, options={"stand_key": "always"}),
        Habit("strict", True, 1000, 1000, 1000, 1000, True, options={"stand_key": "always", "no_more_bets": "always"}),
        Habit("forgets", True, 850, 700, 1000, 850, True, options={"stand_key": "always"}),
        Habit("closed", closed=1000, options=_unturned()),
        Habit("locked", bets=1000, options=_unturned()),
        Habit("bare", answers=False, options=_unturned()),
    )
}
"""From every key pressed to none: ``forgets`` leaves out *no more bets* and *round closed* now and then, ``closed`` and
``locked`` press that one key only."""
