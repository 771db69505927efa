"""What lies on the layout as a night's acts go by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import Protocol

from simulators.chance import Chance
from simulators.people.acts import Act, Lay, Pause, RoundPlayed
from simulators.people.dealer import play
from simulators.people.house import House
from simulators.people.rack import Rack

Chips = tuple[str, ...]

Layout = dict[tuple[int, str], Chips]
"""The chips of each zone."""

RACK: Rack = Rack()
"""What each chip is worth; every rack has the same ones."""


def layouts_at_ends(acts: Iterable[Act]) -> list[Layout]:
    """What lies there at the end of each round; no chip has lain at two places."""
    lying, ends = Layout(), list[Layout]()
    for act in acts:
        if isinstance(act, Lay):
            lying[act.spot, act.zone] = act.chips
            chips = [chip for zone in lying.values() for chip in zone]
            assert len(set(chips)) == len(chips)
        elif isinstance(act, RoundPlayed):
            ends.append({place: zone for place, zone in lying.items() if zone})
    return ends


def worth_at_ends(acts: Iterable[Act]) -> list[dict[tuple[int, str], int]]:
    """What lies there at the end of each round, in cents."""
    return [{place: RACK.value_cents(zone) for place, zone in one.items()} for one in layouts_at_ends(acts)]


def without_chips(acts: Iterable[Act]) -> list[Act]:
    """The cards, keys and rounds of a night."""
    return [act for act in acts if not isinstance(act, Lay | Pause)]


class TouchingLayer(Protocol):
    """People who touch wagers in play, over a script."""

    def __call__(
        self, acts: Iterable[Act], chance: Chance, rack: Rack, per_mille: int, touched: list[int]
    ) -> Iterator[Act]:
        """The same script with what they do; ``touched`` grows by the spots of these wagers."""


def touched_night(
    layer: TouchingLayer, seed: int, per_mille: int, rounds: int = 8
) -> tuple[list[Act], Rack, list[int]]:
    """A night's acts, its rack and the spots whose wagers were touched."""
    rack, touched = Rack(), list[int]()
    acts = play(House(), Random(seed), rack, (1, 4), rounds=rounds, stand_key="never")
    return list(layer(acts, Random(~seed), rack, per_mille, touched)), rack, touched


def assert_rounds_end_as_without(layer: TouchingLayer, seed: int) -> None:
    """No chip lies at two places, and rounds end with what the script has."""
    acts, _, _ = touched_night(layer, seed, 300)
    plain, _, touched = touched_night(layer, seed, 0)
    assert touched == []
    assert worth_at_ends(acts) == worth_at_ends(plain)
