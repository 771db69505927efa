"""Hands that move chips twice: doubles laid in two movements, a chip too many, wagers lifted and laid back.

A layer over a dealer's script. Everybody at the table takes each of these for what it comes to in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from simulators.chance import Chance, happens
from simulators.people.acts import Act, Lay, Pause
from simulators.people.round_in_play import RoundInPlay
from simulators.people.simulated_table import MAIN

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
    play = RoundInPlay()
    for act in acts:
        if isinstance(act, Lay) and act.zone == MAIN:
            lay = lying.get(act.spot, ())
            if set(act.chips) > set(lay):
                yield from _in_parts(act, lay, chance, per_mille)
            else:
                play.chips_left()
            lying[act.spot] = act.chips
        elif play.is_before(act) and happens(chance, per_mille):
            yield from _lifted(lying, chance)
        play.follow(act, sum(map(bool, lying.values())))
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
