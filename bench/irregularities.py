"""Rounds of simulated people with one irregularity put in: what the search for a likely cause is made for.

An irregularity edits the acts of a whole round. Chips it left elsewhere than they truly lie are put right once the
round is over, so that the next one begins as it was written. Where a round has no occasion for one none is planted.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from firmware_protocols.cards import DECK, POINTS
from simulators.people.acts import Act, Draw, Lay, Pause
from simulators.people.offenders import Script
from simulators.people.simulated_table import MAIN

Edit = Callable[[Script, Random], list[Act] | None]


def missed_card(script: Script, rng: Random) -> list[Act]:
    """A card that the shoe did not report."""
    at = rng.choice(script.draws)
    return [*script.acts[:at], Pause(600), *script.acts[at + 1 :]]


def misread_rank(script: Script, rng: Random) -> list[Act]:
    """A card that the shoe reported as another."""
    at = rng.choice(script.draws)
    drawn = script.acts[at]
    assert isinstance(drawn, Draw)
    others = [card for card in DECK if POINTS[card.rank] != POINTS[drawn.card.rank]]
    return [*script.acts[:at], Draw(rng.choice(others)), *script.acts[at + 1 :]]


def unannounced_burn(script: Script, rng: Random) -> list[Act]:
    """A card that was none of the round's."""
    at = rng.choice(script.draws)
    return [*script.acts[:at], Draw(rng.choice(DECK)), Pause(600), *script.acts[at:]]


def drew_on_17(script: Script, rng: Random) -> list[Act] | None:
    """The dealer takes a card too many."""
    if dealers_total(script) < 17:
        return None
    at = max(script.draws[-1], script.turned) + 1
    return [*script.acts[:at], Pause(600), Draw(rng.choice(DECK)), *script.acts[at:]]


def stood_on_16(script: Script, rng: Random) -> list[Act] | None:
    """The dealer takes a card too few."""
    del rng
    return None if len(script.played.dealer) < 3 else [a for n, a in enumerate(script.acts) if n != script.draws[-1]]


def out_of_turn(script: Script, rng: Random) -> list[Act] | None:
    """Two cards that follow each other are taken in the wrong order."""
    places = range(len(script.draws) - 1)
    one = rng.choice(places)
    at, then = script.draws[one], script.draws[one + 1]
    acts = list(script.acts)
    first, second = acts[at], acts[then]
    if not (isinstance(first, Draw) and isinstance(second, Draw)) or first.card.rank == second.card.rank:
        return None
    acts[at], acts[then] = second, first
    return acts


def undeclared_box(script: Script, rng: Random) -> list[Act]:
    """A box is dealt in whose wager no reader sees."""
    spot = rng.choice(script.boxes)
    hidden = {act.zone for act in script.acts if isinstance(act, Lay) and act.spot == spot} | {MAIN}
    acts = [act for act in script.acts if not (isinstance(act, Lay) and act.spot == spot)]
    gone: list[Act] = [Lay(spot, zone, ()) for zone in sorted(hidden)]
    back: list[Act] = [Lay(spot, zone, script.content((spot, zone), len(script.acts))) for zone in sorted(hidden)]
    return [*gone, Pause(1500), *acts, Pause(1500), *back]


def boxes_swapped(script: Script, rng: Random) -> list[Act] | None:
    """Two boxes are served in the wrong order: whoever sits at one has the other's cards."""
    if len(script.boxes) < 2:
        return None
    one, other = rng.sample(script.boxes, 2)
    named = {one: other, other: one}
    places = {(spot, zone) for spot in named for zone in zones_of(script, spot)}
    before: list[Act] = [Lay(named[s], z, script.before.get((s, z), ())) for s, z in sorted(places)]
    after: list[Act] = [Lay(s, z, script.content((s, z), len(script.acts))) for s, z in sorted(places)]
    acts = [
        Lay(named[act.spot], act.zone, act.chips) if isinstance(act, Lay) and act.spot in named else act
        for act in script.acts
    ]
    return [*before, Pause(1500), *acts, Pause(1500), *after]


def zones_of(script: Script, spot: int) -> set[str]:
    """The zones that hold chips of a spot at some time of a round."""
    laid = {act.zone for act in script.acts if isinstance(act, Lay) and act.spot == spot}
    return laid | {zone for (where, zone), chips in script.before.items() if where == spot and chips}


def dealers_total(script: Script) -> int:
    """The dealer's hard or soft total."""
    points = [POINTS[card.rank] for card in script.played.dealer]
    return sum(points) + (10 if 1 in points and sum(points) <= 11 else 0)


EDITS: Final[dict[str, Edit]] = {
    "missed card": missed_card,
    "misread rank": misread_rank,
    "unannounced burn": unannounced_burn,
    "dealer drew on 17": drew_on_17,
    "dealer stood on 16": stood_on_16,
    "card out of turn": out_of_turn,
    "undeclared box": undeclared_box,
    "two boxes swapped": boxes_swapped,
}
