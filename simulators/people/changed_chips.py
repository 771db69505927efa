"""Hands that change chips in play: a wager taken up and laid in other chips, a double laid too large and handed back.

A layer over a dealer's script. Everybody at the table takes each of these for what it comes to in the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from simulators.chance import Chance, happens
from simulators.people.acts import Act, Lay
from simulators.people.rack import Rack
from simulators.people.round_in_play import RoundInPlay
from simulators.people.simulated_table import MAIN
from simulators.people.twice_moved_chips import any_wager, pause

AWAY_MS: Final = (300, 3_500)
"""How long a player is away with a wager whose chips he changes."""

TOO_MUCH_MS: Final = (300, 2_500)
"""How long too large a double lies before the dealer hands back what is too much."""

AFTER_MS: Final = (200, 1_500)
"""The time until somebody else acts."""


class _Layout:
    """The main zones as the script has them, and which chips lie there in the place of its own."""

    def __init__(self, rack: Rack) -> None:
        self._rack = rack
        self.scripted: dict[int, tuple[str, ...]] = {}
        self._in_place_of: dict[int, dict[str, str]] = {}

    def chips(self, spot: int) -> tuple[str, ...]:
        """What lies there."""
        others = self._in_place_of.get(spot, {})
        return tuple(others.get(chip, chip) for chip in self.scripted.get(spot, ()))

    def lay(self, act: Lay) -> Lay:
        """The same act with the chips that lie there; those that leave go back to the rack."""
        others = self._in_place_of.get(act.spot, {})
        kept = {own: other for own, other in others.items() if own in act.chips}
        self._rack.take(tuple(other for own, other in others.items() if own not in kept))
        self._in_place_of[act.spot], self.scripted[act.spot] = kept, act.chips
        return replace(act, chips=self.chips(act.spot))

    def change(self, spot: int) -> None:
        """Other chips of the same values from now on."""
        own, before = self.scripted[spot], self._in_place_of.get(spot, {})
        self._in_place_of[spot] = {chip: self._rack.give(self._rack.value_cents((chip,)))[0] for chip in own}
        self._rack.take(tuple(before.values()))


def with_chips_changed(
    acts: Iterable[Act], chance: Chance, rack: Rack, per_mille: int, touched: list[int]
) -> Iterator[Act]:
    """The same script with chips that are changed; ``per_mille`` of the times at which they can be.

    The spots whose wagers are changed are added to ``touched``: their players are rightly said to have touched them.

    A wager is changed before a card or a play key, once the deal is out and before any wager is taken or paid. A double
    is laid too large then too. ``rack`` is the script's own.
    """
    layout, play = _Layout(rack), RoundInPlay()
    for act in acts:
        shown: Act = act
        if isinstance(act, Lay) and act.zone == MAIN:
            lay = layout.scripted.get(act.spot, ())
            if not set(act.chips) > set(lay):
                play.chips_left()
            elif lay and play.is_on() and happens(chance, per_mille):
                yield from _laid_too_large(act, layout, chance, rack)
            shown = layout.lay(act)
        elif play.is_before(act) and happens(chance, per_mille):
            yield from _changed(layout, chance, touched)
        play.follow(act, sum(map(bool, layout.scripted.values())))
        yield shown


def _laid_too_large(act: Lay, layout: _Layout, chance: Chance, rack: Rack) -> Iterator[Act]:
    """What lies there before the dealer hands back what is too much: up to as much again as is to come."""
    came_cents = rack.value_cents(act.chips) - rack.value_cents(layout.scripted[act.spot])
    too_much = rack.give(came_cents // 2 // 500 * 500 or came_cents)
    came = tuple(chip for chip in act.chips if chip not in layout.scripted[act.spot])
    yield replace(act, chips=(*layout.chips(act.spot), *came, *too_much))
    yield pause(TOO_MUCH_MS, chance)
    rack.take(too_much)


def _changed(layout: _Layout, chance: Chance, touched: list[int]) -> Iterator[Act]:
    """A wager that leaves its place, and as much in other chips."""
    spot = any_wager(layout.scripted, chance)
    if not spot:
        return
    touched.append(spot)
    yield Lay(spot, MAIN, ())
    yield pause(AWAY_MS, chance)
    layout.change(spot)
    yield Lay(spot, MAIN, layout.chips(spot))
    yield pause(AFTER_MS, chance)
