"""The section of a table file about bet sensors."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

import msgspec

from controller.core.game.rules import Rules
from controller.core.game.side_bet import find, names, terms_of
from controller.core.messages.house import SensorBet
from controller.formats.text.struct_decoder import Mistake, shown
from controller.formats.text.toml_positions import Path as KeyPath
from controller.formats.text.toml_schema import Port, Section, Spot, Text, ZoneName
from firmware_protocols.sensor_messages import SENSORS_LIMIT

Zones = frozenset[tuple[int, str]]
"""The spots and zones that readers see."""

UnitAddress = Annotated[int, msgspec.Meta(ge=1, le=247, description="a unit's address from 1 to 247")]
Stake = Annotated[int, msgspec.Meta(ge=1, lt=10**9, description="whole cents, 1 or more")]


class BetSensorsSection(Section, frozen=True):
    """``[[bet_sensors]]``: a unit of bet sensors, the side wager it senses, and the spots of its sensors in order.

    ``stake_cents``: what a wager is that only a sensor sees, where the card leaves it open.
    """

    protocol: Text
    port: Port
    bet: ZoneName
    spots: Annotated[
        tuple[Spot, ...],
        msgspec.Meta(min_length=1, max_length=SENSORS_LIMIT, description="a list of 1 to 8 spots from 1 to 7"),
    ]
    address: UnitAddress = 1
    stake_cents: Stake | None = None


def sensor_checks(units: Sequence[BetSensorsSection], zones: Zones) -> Iterable[Mistake]:
    """What does not fit together, as far as it can be known without the profile."""
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
        if unit.stake_cents is not None and not unseen(unit, zones):
            text = f"the readers see {unit.bet} at all its spots, and the chips say what each wager is"
            yield Mistake((*path, "stake_cents"), text)


def unseen(unit: BetSensorsSection, zones: Zones) -> tuple[int, ...]:
    """The spots of a unit whose wagers no reader sees, rising."""
    return tuple(spot for spot in sorted(set(unit.spots)) if (spot, unit.bet) not in zones)


def profile_checks(units: Sequence[BetSensorsSection], zones: Zones, rules: Rules) -> Iterable[str]:
    """What does not fit the profile."""
    for unit in units:
        if unit.bet not in rules.side_bets:
            yield f"[[bet_sensors]] {unit.bet}: bet: profile {rules.name} does not offer {unit.bet}"
            continue
        spots, by_card = unseen(unit, zones), terms_of(rules, unit.bet).stake_cents
        if by_card and unit.stake_cents not in {None, by_card}:
            yield f"[[bet_sensors]] {unit.bet}: stake_cents: the profile's {unit.bet} is made for {by_card} cents"
        if spots and not (by_card or unit.stake_cents):
            where = ", ".join(map(str, spots))
            yield (
                f"[[bet_sensors]] {unit.bet}: no reader of [[bet_spots]] sees this zone of spot {where}, a sensor does"
                " not see how much lies on it, and the profile leaves the stake open: give stake_cents"
            )


def counted_bets(units: Sequence[BetSensorsSection], zones: Zones, rules: Rules) -> dict[str, SensorBet]:
    """The side bets that only sensors see at some spots; see ``House.counted``."""
    found = {}
    for place, unit in enumerate(units):
        if spots := unseen(unit, zones):
            stake_cents = unit.stake_cents or terms_of(rules, unit.bet).stake_cents
            found[unit.bet] = SensorBet(unit_name(place), spots, stake_cents)
    return found


def unit_name(place: int) -> str:
    """What a unit is called: ``bet_sensors``, or ``bet_sensors2`` for the second of several."""
    return "bet_sensors" if place == 0 else f"bet_sensors{place + 1}"
