"""Which zones a bet-spot reader sees, and up to when each was looked at.

A spot may have several readers, one for each zone. What a lost reader leaves open is its own zones, not the spot.
"""

from __future__ import annotations

from controller.core.inference.observation import NEVER_ENDS
from controller.core.messages.house import House
from controller.core.table.layout import zone_name
from controller.core.table.state import State


def zones_at(house: House, device: str, spot: int) -> tuple[str, ...]:
    """The zones that a reader sees at a spot; empty: the house did not say, and they may be any."""
    seen = (name.partition("/") for name in house.zones.get(device, ()))
    return tuple(zone for where, _, zone in seen if int(where) == spot)


def spots_watched(house: House, state: State) -> set[int]:
    """The spots whose main wagers a reader sees that works: those of which a confirmation can be awaited."""
    found: set[int] = set()
    for device, spots in house.readers.items():
        if state.is_ready(device):
            found |= {spot for spot in spots if "main" in (zones_at(house, device, spot) or ("main",))}
    return found


def known_until_ns(state: State, spot: int, zone: str) -> int:
    """The moment up to which a zone's content is known, in table time; -1: it never was."""
    return min(state.confirmed.get(str(spot), -1), state.dark_zones.get(zone_name(spot, zone), NEVER_ENDS))


def dark_zones_after_loss(house: House, state: State, device: str) -> dict[str, int]:
    """``State.dark_zones`` once a reader is lost: its zones are known as far as they are now."""
    names = house.zones.get(device, ())
    return {**{name: known_until_ns(state, *spot_and_zone(name)) for name in names}, **state.dark_zones}


def confirmed_zones(
    state: State, spots: tuple[int, ...], upto_ns: int, unseen: tuple[str, ...]
) -> tuple[dict[str, int], dict[str, int]]:
    """``State.confirmed`` and ``dark_zones`` once readers have looked at every zone of some spots but those ``unseen``.

    Of a spot whose main zone is unseen nothing is confirmed.
    """
    dark = {name: known_until_ns(state, *spot_and_zone(name)) for name in unseen} | state.dark_zones
    looked_at = [spot for spot in spots if zone_name(spot, "main") not in unseen] if unseen else spots
    looked = dict(state.confirmed)
    for spot in map(str, looked_at):
        looked[spot] = max(upto_ns, looked.get(spot, -1))
    kept = {name: ns for name, ns in dark.items() if name in unseen or spot_and_zone(name)[0] not in looked_at}
    return looked, kept


def spot_and_zone(name: str) -> tuple[int, str]:
    """``2/lucky_ladies`` as spot and zone."""
    spot, _, zone = name.partition("/")
    return int(spot), zone
