"""Dealers who pay too little or too much, or take a wager that has won, and put it right at once.

Who pays a wager that lost and takes both back looks like a player who picks them up: that is rightly said to be wrong.
A layer over a dealer's script. Everybody at the table goes by what it comes to in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from simulators.chance import Chance, happens, pick
from simulators.people.acts import Act, Draw, Lay, RoundPlayed
from simulators.people.rack import Rack
from simulators.people.second_thoughts import Script
from simulators.people.simulated_table import MAIN
from simulators.people.twice_moved_chips import pause

WRONG_MS: Final = (500, 4_000)
"""How long it lies wrong before the dealer sees it."""

EXTRA_CENTS: Final = (500, 1_000, 2_500)
"""What is paid too much."""


def with_payments_mended(acts: Iterable[Act], chance: Chance, rack: Rack, per_mille: int) -> Iterator[Act]:
    """The same script with payments that are put right; ``per_mille`` of those at main wagers. ``rack`` is its own."""
    lying: dict[int, tuple[str, ...]] = {}
    script, is_dealt = Script(acts), False
    for act in script:
        match act:
            case Draw():
                is_dealt = True
            case RoundPlayed():
                is_dealt = False
            case Lay(spot, "main") if is_dealt and lying.get(spot):
                if happens(chance, per_mille) and script.is_played_out():
                    yield from _wrong(act, lying[spot], chance, rack)
            case _:
                pass
        if isinstance(act, Lay) and act.zone == MAIN:
            lying[act.spot] = act.chips
        yield act


def _wrong(act: Lay, lay: tuple[str, ...], chance: Chance, rack: Rack) -> Iterator[Act]:
    """What lies there before it is put right."""
    came = tuple(chip for chip in act.chips if chip not in lay)
    if set(act.chips) > set(lay):
        match pick(chance, ("too little", "too much", "taken")):
            case "too little" if len(came) > 1:
                yield replace(act, chips=(*lay, *came[:1]))
            case "taken":
                yield replace(act, chips=())
                yield pause(WRONG_MS, chance)
                yield replace(act, chips=lay)
            case _:
                extra = rack.give(pick(chance, EXTRA_CENTS))
                yield replace(act, chips=(*act.chips, *extra))
                rack.take(extra)
        yield pause(WRONG_MS, chance)
