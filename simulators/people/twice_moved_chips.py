"""Hands that move chips twice: doubles laid in two movements, a chip too many, wagers lifted and laid back.

A layer over a dealer's script. Everybody at the table takes each of these for what it comes to in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from simulators.chance import Chance, happens
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.simulated_table import KEY_ROUND_CLOSED, MAIN

BETWEEN_MS: Final = (100, 1_100)
"""The time between two movements of one hand."""

LIFTED_MS: Final = (150, 900)
"""How long a wager is in the hand, or its chips go unread."""

AFTER_MS: Final = (300, 900)
"""The time until somebody else acts."""


def with_chips_moved_twice(acts: Iterable[Act], chance: Chance, per_mille: int) -> Iterator[Act]:
    """The same script with chips that move twice; ``per_mille`` of the times at which they can.

    A wager is lifted before a card or a play key, once the deal is out and before any wager is taken or paid.
    """
    lying: dict[int, tuple[str, ...]] = {}
    drawn = deal = 0
    playing = True
    for act in acts:
        match act:
            case Lay(spot, zone, chips) if zone == MAIN:
                lay = lying.get(spot, ())
                if set(chips) > set(lay):
                    yield from _in_parts(act, lay, chance, per_mille)
                elif drawn:
                    playing = False
                lying[spot] = chips
            case Draw() | Press():
                in_play = playing and drawn >= deal > 0 and not (isinstance(act, Press) and act.key == KEY_ROUND_CLOSED)
                if in_play and happens(chance, per_mille):
                    yield from _lifted(lying, chance)
                if isinstance(act, Draw) and not act.burn and any(lying.values()):
                    deal = deal if drawn else 2 * sum(map(bool, lying.values())) + 2
                    drawn += 1
            case RoundPlayed():
                drawn, deal, playing = 0, 0, True
            case _:
                pass
        yield act


def _in_parts(act: Lay, lay: tuple[str, ...], chance: Chance, per_mille: int) -> Iterator[Act]:
    """What lies there before all of the chips that come do: a part of them."""
    came = tuple(chip for chip in act.chips if chip not in lay)
    if len(came) > 1 and happens(chance, per_mille):
        first = came[: 1 + chance.randrange(len(came) - 1)]
        yield Lay(act.spot, act.zone, (*lay, *first))
        yield pause(BETWEEN_MS, chance)


def _lifted(lying: dict[int, tuple[str, ...]], chance: Chance) -> Iterator[Act]:
    """A wager that leaves its place, whole, and comes back."""
    spot = any_wager(lying, chance)
    if not spot:
        return
    yield Lay(spot, MAIN, ())
    yield pause(LIFTED_MS, chance)
    yield Lay(spot, MAIN, lying[spot])
    yield pause(AFTER_MS, chance)


def any_wager(lying: dict[int, tuple[str, ...]], chance: Chance) -> int:
    """A spot in whose main zone chips lie; 0: there is none."""
    spots = sorted(spot for spot, chips in lying.items() if chips)
    return spots[chance.randrange(len(spots))] if spots else 0


def pause(between_ms: tuple[int, int], chance: Chance) -> Pause:
    """A pause of some length from the shorter to the longer, in milliseconds."""
    return Pause(between_ms[0] + chance.randrange(between_ms[1] - between_ms[0]))
