"""Which zones a bet-spot reader sees, and up to when each was looked at.

A spot may have several readers, one for each zone. What a lost reader leaves open is its own zones, not the spot.
"""

from __future__ import annotations

from controller.core.messages.house import House
from controller.core.table.layout import zone_name
from controller.core.table.state import State


def spots_watched(house: House, state: State) -> set[int]:
    """The spots whose main wagers a reader sees that works: those of which a confirmation can be awaited."""
    found: set[int] = set()
    for device, spots in house.readers.items():
        if state.is_ready(device):
            found |= {spot for spot in spots if "main" in (house.zones_at(device, spot) or ("main",))}
    return found


def unwatched_zones_after_loss(house: House, state: State, device: str) -> dict[str, int]:
    """``State.unwatched_zones`` once a reader is lost: its zones are known as far as they are now."""
    names = house.zones.get(device, ())
    return {**{name: state.known_until_ns(*spot_and_zone(name)) for name in names}, **state.unwatched_zones}


def confirmed_zones(
    state: State, spots: tuple[int, ...], upto_ns: int, unseen: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, int]]:
    """``State.confirmed`` and ``unwatched_zones`` once readers have looked at every zone of some spots but ``unseen``.

    Of a spot whose main zone is unseen nothing is confirmed.
    """
    looked_at = [spot for spot in spots if zone_name(spot, "main") not in unseen] if unseen else spots
    known = state.confirmed
    looked = known | {name: upto_ns for name in map(str, looked_at) if known.get(name, -1) < upto_ns}
    if not (unseen or state.unwatched_zones):
        return looked, {}
    unwatched = {name: state.known_until_ns(*spot_and_zone(name)) for name in unseen} | state.unwatched_zones
    kept = {name: ns for name, ns in unwatched.items() if name in unseen or spot_and_zone(name)[0] not in looked_at}
    return looked, kept


def spot_and_zone(name: str) -> tuple[int, str]:
    """``2/lucky_ladies`` as spot and zone."""
    spot, _, zone = name.partition("/")
    return int(spot), zone
