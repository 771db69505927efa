"""Hands quicker than the readers: chips that are slid through a neighbour's zone, and boxes that are swept at once.

A layer over a dealer's script. Nobody means anything by it, and nobody at the table notices it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from simulators.chance import Chance, happens
from simulators.people.acts import Act, Lay, Pause
from simulators.people.simulated_table import MAIN, SPOTS

SLID_MS: Final = (200, 1_200)
"""How long chips lie in the zone that they are slid through, until the hand goes on with them."""

Place = tuple[int, str]


def with_slid_chips(acts: Iterable[Act], chance: Chance, per_mille: int) -> Iterator[Act]:
    """The same script with chips slid and boxes swept; ``per_mille`` of the times at which either can be.

    Chips that come to a zone lie for a moment in the same zone of the spot beside it. Of zones that are emptied one
    after the other the second is emptied as soon as the first.
    """
    lying: dict[Place, tuple[str, ...]] = {}
    waits: Pause | None = None
    swept = False
    for act in acts:
        if waits is not None:
            if not (swept and isinstance(act, Lay) and not act.chips):
                yield waits
            waits = None
        match act:
            case Lay(spot, zone, chips):
                yield from _slid(act, lying, chance, per_mille)
                swept = not chips and happens(chance, per_mille)
                lying[spot, zone] = chips
                yield act
            case Pause() if swept:
                waits = act
            case _:
                swept = False
                yield act


def _slid(act: Lay, lying: dict[Place, tuple[str, ...]], chance: Chance, per_mille: int) -> Iterator[Act]:
    """The chips that come to a zone, for a moment in the zone beside it."""
    came = tuple(chip for chip in act.chips if chip not in lying.get((act.spot, act.zone), ()))
    if act.zone != MAIN or not came or not happens(chance, per_mille):
        return
    beside = act.spot + 1 if act.spot < len(SPOTS) and (act.spot == 1 or chance.randrange(2)) else act.spot - 1
    content = lying.get((beside, act.zone), ())
    yield Lay(beside, act.zone, (*content, *came))
    yield Pause(SLID_MS[0] + chance.randrange(SLID_MS[1] - SLID_MS[0]))
    yield Lay(beside, act.zone, content)
