"""What befalls the lines of a table, and how they are reached."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from tests.campaigns.line_house import LINES, Line, Way

DEAD: Final = ("power_off", "blink", "deaf", "hang_up")
BABBLE: Final = ("valid", "rubbish", "both", "torrent")

BOX: Final = ("set_back", "other_table")
"""Of a trigger box: its store is an older one, or it is another table's."""

DEAD_S: Final = (3.0, 9.0)
BABBLE_S: Final = (3.0, 14.0)
"""How long it lasts."""

BOX_SHARE: Final = 0.08

CALM_S: Final = 3.0
"""Of play before the first of them, which the rest is compared with."""


class Happening(NamedTuple):
    """What befalls which lines, and for how long."""

    what: str
    lines: tuple[Line, ...]
    seconds: float

    def text(self, ways: Mapping[str, Way]) -> str:
        """For people."""
        names = " and ".join(f"{line.name} ({ways[line.name]})" for line in self.lines)
        return f"{self.what} of {names} for {self.seconds:.1f} s"


class Plan(NamedTuple):
    """What is to happen, and how some of the lines are reached; all that is not said is a terminal."""

    happenings: Sequence[Happening]
    ways: Mapping[str, Way]
    calm_seconds: float = CALM_S


def planned(count: int, chance: random.Random) -> Plan:
    """So many happenings, at a table whose lines are reached as chance has it."""
    ways = {line.name: chance.choice(line.ways) for line in LINES}
    return Plan([happening(ways, chance) for _ in range(count)], ways)


def happening(ways: Mapping[str, Way], chance: random.Random) -> Happening:
    """One of them, such as may befall such lines."""
    if chance.random() < BOX_SHARE:
        box = next(line for line in LINES if line.name == "mystery_trigger")
        return Happening(chance.choice(BOX), (box,), chance.uniform(*DEAD_S))
    lines = chance.sample(LINES, 2 if chance.random() < 0.15 else 1)
    networked = all(ways[line.name] != "terminal" for line in lines)
    what = chance.choice((*DEAD, *BABBLE) if networked else ("hang_up", *BABBLE[:-1]))
    return Happening(what, tuple(lines), chance.uniform(*(BABBLE_S if what in BABBLE else DEAD_S)))
