"""Players who double or split before their turn, or think better of it: laid, taken back, and laid again.

A layer over a dealer's script. Everybody at the table takes what lies there as the hand's card comes for the double.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from simulators.chance import Chance, happens
from simulators.people.acts import Act, Draw, Lay
from simulators.people.round_in_play import RoundInPlay
from simulators.people.simulated_table import MAIN
from simulators.people.twice_moved_chips import pause

LAID_MS: Final = (500, 4_500)
"""How long chips lie before their player takes them back, or lays the rest."""

AWAY_MS: Final = (500, 3_000)
"""How long they are away before they are laid again."""

AFTER_MS: Final = (200, 1_500)
"""The time until somebody else acts."""

EARLY_CARDS: Final = 2
"""So many cards of hands that are played before are drawn at the most while a double lies there."""


class _Play:
    """The acts of a round in play that are held back, and the main zones as they are when the first of them comes."""

    def __init__(self) -> None:
        self.acts: list[Act] = []
        self.lying: dict[int, tuple[str, ...]] = {}
        self.shown: dict[int, tuple[str, ...]] = {}
        self.raised: set[int] = set()

    def hold(self, act: Act) -> Iterator[Act]:
        """Hold an act back; the acts before the last few cards of the play, for nothing is laid sooner."""
        self.acts.append(act)
        cards = [place for place, one in enumerate(self.acts) if isinstance(one, Draw)]
        if len(cards) > EARLY_CARDS:
            yield from self.release(cards[-EARLY_CARDS])

    def release(self, acts: int | None = None) -> Iterator[Act]:
        """The first of the acts that are held back."""
        now, self.acts = (self.acts, []) if acts is None else (self.acts[:acts], self.acts[acts:])
        for act in now:
            if isinstance(act, Lay) and act.zone == MAIN:
                self.shown[act.spot] = act.chips
            yield act

    def lay_early(self, act: Lay, chance: Chance) -> bool:
        """Put chips before the cards that are held back; False: they would lie in two places, or come no sooner."""
        places = [place for place, one in enumerate(self.acts) if isinstance(one, Draw)]
        came = set(act.chips) - set(self.lying.get(act.spot, ()))
        others = (one.chips for one in self.acts if isinstance(one, Lay) and one.spot != act.spot)
        elsewhere = {chip for chips in (*self.shown.values(), *others) for chip in chips}
        if not places or not came.isdisjoint(elsewhere):
            return False
        self.acts[places[0] : places[0]] = [act, pause(AFTER_MS, chance)]
        return True


def with_second_thoughts(acts: Iterable[Act], chance: Chance, per_mille: int) -> Iterator[Act]:
    """The same script with doubles and splits laid early or twice; ``per_mille`` of them."""
    held, play = _Play(), RoundInPlay()
    for act in acts:
        is_raise = False
        if isinstance(act, Lay) and act.zone == MAIN:
            lay = held.lying.get(act.spot, ())
            is_raise = play.is_on() and bool(lay) and set(act.chips) > set(lay)
            if not set(act.chips) > set(lay):
                play.chips_left()
        if is_raise and isinstance(act, Lay):
            yield from _raised(held, act, chance, per_mille)
        else:
            yield from held.hold(act)
        if isinstance(act, Lay) and act.zone == MAIN:
            held.lying[act.spot] = act.chips
        play.follow(act, sum(map(bool, held.lying.values())))
        if not play.is_on():
            yield from held.release()
            held.raised.clear()
    yield from held.release()


def _raised(held: _Play, act: Lay, chance: Chance, per_mille: int) -> Iterator[Act]:
    """What a player lays for a double or split, and when."""
    is_first, lay = act.spot not in held.raised, held.lying[act.spot]
    held.raised.add(act.spot)
    if happens(chance, per_mille):
        if is_first and happens(chance, 500) and held.lay_early(act, chance):
            return
        came = tuple(chip for chip in act.chips if chip not in lay)
        yield from held.hold(act)
        yield from held.hold(pause(LAID_MS, chance))
        part = came[: chance.randrange(len(came))]
        yield from held.hold(Lay(act.spot, act.zone, (*lay, *part)))
        yield from held.hold(pause(AWAY_MS, chance))
    yield from held.hold(act)
