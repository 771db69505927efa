"""Chips that pass over a wager: laid there for a moment, in whatever amount, and taken away again.

A layer over a dealer's script. A player plays with them, or lays at a neighbour's wager and sees it: nothing of it was
ever staked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from simulators.chance import Chance, happens, pick
from simulators.people.acts import Act, Lay
from simulators.people.rack import Rack
from simulators.people.round_in_play import RoundInPlay
from simulators.people.simulated_table import MAIN
from simulators.people.twice_moved_chips import any_wager, pause

LIES_MS: Final = (200, 1_500)
"""How long the chips lie there."""

AFTER_MS: Final = (100, 2_000)
"""The time until somebody else acts."""

SMALLEST_CENTS: Final = 500
"""The least of them, in cents."""


def with_chips_passed(
    acts: Iterable[Act], chance: Chance, rack: Rack, per_mille: int, touched: list[int]
) -> Iterator[Act]:
    """The same script with chips that pass; before ``per_mille`` of the cards and play keys.

    The spots that they pass over are added to ``touched``: their players are rightly said to have touched them.

    They pass once the deal is out and before any wager is taken or paid, whoever plays then, over hands that have stood
    and naturals too. ``rack`` is the script's own.
    """
    lying: dict[int, tuple[str, ...]] = {}
    play = RoundInPlay()
    for act in acts:
        if isinstance(act, Lay) and act.zone == MAIN:
            if not set(act.chips) > set(lying.get(act.spot, ())):
                play.chips_left()
            lying[act.spot] = act.chips
        elif play.is_before(act) and happens(chance, per_mille):
            yield from _passed(lying, chance, rack, touched)
        play.follow(act, sum(map(bool, lying.values())))
        yield act


def _passed(lying: dict[int, tuple[str, ...]], chance: Chance, rack: Rack, touched: list[int]) -> Iterator[Act]:
    """Chips that come to a wager, half of it to twice as much, and leave it as it was."""
    spot = any_wager(lying, chance)
    if not spot:
        return
    touched.append(spot)
    wager_cents = rack.value_cents(lying[spot])
    half_cents = max(wager_cents // 2 // SMALLEST_CENTS, 1) * SMALLEST_CENTS
    came = rack.give(pick(chance, [half_cents, wager_cents, 2 * wager_cents]))
    yield Lay(spot, MAIN, (*lying[spot], *came))
    yield pause(LIES_MS, chance)
    yield Lay(spot, MAIN, lying[spot])
    rack.take(came)
    yield pause(AFTER_MS, chance)
