"""The section of a table file about bet sensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from controller.core.side_bet import find, names
from controller.formats.decoding import Mistake, shown
from controller.formats.sections import Port, Section, Spot, Text, ZoneName
from controller.formats.toml_lines import Path as KeyPath
from firmware_protocols.sensor_messages import SENSORS_LIMIT

UnitAddress = Annotated[int, msgspec.Meta(ge=1, le=247, description="a unit's address from 1 to 247")]


class BetSensorsSection(Section, frozen=True):
    """``[[bet_sensors]]``: a unit of bet sensors, the side wager it senses, and the spots of its sensors in order."""

    protocol: Text
    port: Port
    bet: ZoneName
    spots: Annotated[
        tuple[Spot, ...],
        msgspec.Meta(min_length=1, max_length=SENSORS_LIMIT, description="a list of 1 to 8 spots from 1 to 7"),
    ]
    address: UnitAddress = 1


def sensor_checks(units: Sequence[BetSensorsSection], zones: frozenset[tuple[int, str]]) -> Iterable[Mistake]:
    """What does not fit together; ``zones`` are the spots and zones that readers see."""
    bets = [unit.bet for unit in units]
    for place, unit in enumerate(units):
        path: KeyPath = ("bet_sensors", place)
        if unit.bet not in names():
            yield Mistake((*path, "bet"), f"expected one of {', '.join(names())}, got {shown(unit.bet)}")
            continue
        if find(unit.bet).placed != "before_deal":
            yield Mistake((*path, "bet"), f"{unit.bet} is made after the deal, when the sensors are locked")
        if bets.index(unit.bet) != place:
            yield Mistake((*path, "bet"), f"{unit.bet} has sensors already")
        if len(set(unit.spots)) != len(unit.spots):
            yield Mistake((*path, "spots"), "a spot is given twice")
        for spot in sorted(set(unit.spots)):
            if (spot, unit.bet) not in zones:
                text = (
                    f"no reader of [[bet_spots]] sees zone {unit.bet} of spot {spot}; sensors check chips, which settle"
                )
                yield Mistake((*path, "spots"), text)


def unit_name(place: int) -> str:
    """What a unit is called: ``bet_sensors``, or ``bet_sensors2`` for the second of several."""
    return "bet_sensors" if place == 0 else f"bet_sensors{place + 1}"
