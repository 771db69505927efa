"""What lies on the layout as a night's acts go by."""

from __future__ import annotations

from collections.abc import Iterable

from simulators.people.acts import Act, Lay, Pause, RoundPlayed
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
