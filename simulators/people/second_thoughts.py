"""Players who double or split before their turn, or think better of it: laid, taken back, and laid again.

What is laid before its turn may come in two movements, and may be taken back until the turn comes. A layer over a
dealer's script. Everybody at the table takes what lies there as the hand's card comes for the double.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final

from simulators.chance import Chance, happens
from simulators.people.acts import Act, Draw, Lay, Pause, Press, RoundPlayed
from simulators.people.rack import Rack
from simulators.people.round_in_play import RoundInPlay
from simulators.people.simulated_table import MAIN
from simulators.people.twice_moved_chips import pause

LAID_MS: Final = (500, 4_500)
"""How long chips lie before their player takes them back, or lays the rest."""

AWAY_MS: Final = (500, 3_000)
"""How long they are away before they are laid again."""

PARTS_MS: Final = (300, 2_500)
"""The time between two movements of one double."""

IN_PARTS_PER_MILLE: Final = 300
"""So many doubles that are laid early come in two movements."""

RECONSIDERED_PER_MILLE: Final = 400
"""So many are taken back, and laid again in their turn."""

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
        cards = self._cards()
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
        cards = self._cards()
        came = set(act.chips) - set(self.lying.get(act.spot, ()))
        others = (one.chips for one in self.acts if isinstance(one, Lay) and one.spot != act.spot)
        elsewhere = {chip for chips in (*self.shown.values(), *others) for chip in chips}
        if not cards or not came.isdisjoint(elsewhere):
            return False
        self.acts[cards[0] : cards[0]] = [*self._in_parts(act, chance), pause(AFTER_MS, chance)]
        return True

    def take_back(self, act: Lay, chance: Chance) -> None:
        """Put before the last card that is held back that its player takes up again what was laid early."""
        place = self._cards()[-1]
        self.acts[place:place] = [Lay(act.spot, act.zone, self.lying[act.spot]), pause(AFTER_MS, chance)]

    def _in_parts(self, act: Lay, chance: Chance) -> list[Act]:
        lay = self.lying[act.spot]
        came = tuple(chip for chip in act.chips if chip not in lay)
        if len(came) == 1 or not happens(chance, IN_PARTS_PER_MILLE):
            return [act]
        part = came[: 1 + chance.randrange(len(came) - 1)]
        return [Lay(act.spot, act.zone, (*lay, *part)), pause(PARTS_MS, chance), act]

    def _cards(self) -> list[int]:
        """Where cards are drawn among the acts that are held back."""
        return [place for place, one in enumerate(self.acts) if isinstance(one, Draw)]


def with_second_thoughts(
    acts: Iterable[Act], chance: Chance, rack: Rack, per_mille: int, touched: list[int]
) -> Iterator[Act]:
    """The same script with doubles and splits laid early or twice; ``per_mille`` of them. ``rack`` is the script's.

    The spots at which chips are taken back are added to ``touched``: it is rightly said that they were touched.
    """
    held, play, script = _Play(), RoundInPlay(), Script(acts)
    for act in script:
        was_on, is_raise = play.is_on(), False
        if isinstance(act, Lay) and act.zone == MAIN:
            lay = held.lying.get(act.spot, ())
            is_raise = was_on and rack.value_cents(lay) < rack.value_cents(act.chips) <= 2 * rack.value_cents(lay)
            if not set(act.chips) > set(lay):
                is_raise = False
                play.chips_left()
        if is_raise and isinstance(act, Lay) and script.card_follows():
            yield from _raised(held, act, chance, per_mille, touched)
        else:
            yield from held.hold(act)
        if isinstance(act, Lay) and act.zone == MAIN:
            held.lying[act.spot] = act.chips
        play.follow(act, sum(map(bool, held.lying.values())))
        if not (was_on and play.is_on()):
            # Nothing is laid early among the cards of the deal.
            yield from held.release()
            held.raised.clear()
    yield from held.release()


class Script:
    """A script that can be looked ahead in."""

    def __init__(self, acts: Iterable[Act]) -> None:
        self._acts = iter(acts)
        self._ahead: list[Act] = []

    def __iter__(self) -> Iterator[Act]:
        """The acts in turn."""
        while self._ahead or self._look():
            yield self._ahead.pop(0)

    def card_follows(self) -> bool:
        """Whether the next thing done is to draw a card, so that what was just laid is a double or split."""
        return isinstance(self._next(lambda act: not isinstance(act, Pause | Press)), Draw)

    def is_played_out(self) -> bool:
        """Whether no card is drawn any more in the round."""
        return not isinstance(self._next(lambda act: isinstance(act, Draw | RoundPlayed)), Draw)

    def _next(self, is_sought: Callable[[Act], bool]) -> Act | None:
        """The next act that is sought; None: the script has none."""
        place = 0
        while place < len(self._ahead) or self._look():
            if is_sought(self._ahead[place]):
                return self._ahead[place]
            place += 1
        return None

    def _look(self) -> bool:
        """Look one act further ahead; False: the script has ended."""
        more = next(self._acts, None)
        self._ahead += () if more is None else (more,)
        return more is not None


def _raised(held: _Play, act: Lay, chance: Chance, per_mille: int, touched: list[int]) -> Iterator[Act]:
    """What a player lays for a double or split, and when."""
    is_first, lay = act.spot not in held.raised, held.lying[act.spot]
    held.raised.add(act.spot)
    if happens(chance, per_mille):
        if is_first and happens(chance, 500) and held.lay_early(act, chance):
            if happens(chance, RECONSIDERED_PER_MILLE):
                touched.append(act.spot)
                held.take_back(act, chance)
                yield from held.hold(act)
            return
        came = tuple(chip for chip in act.chips if chip not in lay)
        yield from held.hold(act)
        yield from held.hold(pause(LAID_MS, chance))
        touched.append(act.spot)
        part = came[: chance.randrange(len(came))]
        yield from held.hold(Lay(act.spot, act.zone, (*lay, *part)))
        yield from held.hold(pause(AWAY_MS, chance))
    yield from held.hold(act)
