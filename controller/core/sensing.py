"""Bet sensors against chips: a progressive wager that one of the two saw at the lock and the other did not.

The rules have the dealer stop further wagers with the progressive system and see that it accepted as many as there are
chips, before the first card (58 Pa. Code 633b.10, 670a.10). The sensors are locked when the table locks the bets, and
what they latched is held against the chips that the readers have confirmed. Chips alone settle and contribute.
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.desk import Desk
from controller.core.game_alerts import Kind
from controller.core.raising import raise_alert
from controller.core.sensed import Sensed
from controller.core.state import Desired, Round
from firmware_protocols.readings import WagersSensed


def take(desk: Desk, told: WagersSensed) -> None:
    """Remember what the sensors of a side bet tell."""
    before = desk.state.sensed.get(told.bet, Sensed())
    after = replace(before, live=told.live, latched=told.latched, lock=told.lock)
    desk.change(sensed={**desk.state.sensed, told.bet: after})


def lying(round_now: Round, bet: str) -> frozenset[int]:
    """The spots where chips lie for a side bet at the lock, accepted or not."""
    return frozenset(wager.spot for wager in (*round_now.wagers, *round_now.refused) if wager.bet == bet)


def review(desk: Desk) -> None:
    """Raise where sensors and chips differ, once both have said what lay there at the lock."""
    round_now = desk.state.round
    if round_now is None or not round_now.locked:
        return
    for bet, spots in sorted(desk.house.sensors.items()):
        sensed = desk.state.sensed.get(bet)
        if sensed is None or sensed.lock != round_now.number or sensed.judged == round_now.number:
            continue
        desk.change(sensed={**desk.state.sensed, bet: replace(sensed, judged=round_now.number)})
        chips = lying(round_now, bet) & frozenset(spots)
        for spot in sorted(chips.symmetric_difference(sensed.latched)):
            seen = (
                "chips lie there and the sensor has no wager" if spot in chips else "a wager sensed and no chips there"
            )
            cents = sum(one.cents for one in round_now.wagers if (one.spot, one.bet) == (spot, bet))
            where = {"round": round_now.number, "spot": spot, "zone": bet}
            raise_alert(desk, Kind.SENSOR_DISAGREES, f"spot {spot} {bet}: {seen}", **where, after_cents=cents)


def with_sensors(desk: Desk, desired: Desired) -> Desired:
    """What the devices should be told, bet sensors included: locked for the open round, lamps at accepted wagers."""
    round_now = desk.state.round
    if round_now is None or not desk.house.sensors:
        return desired
    lamps = {
        bet: tuple(sorted(_accepted(round_now, bet).intersection(sensed.latched)))
        for bet, sensed in desk.state.sensed.items()
        if round_now.locked and sensed.lock == round_now.number
    }
    return replace(desired, lock=round_now.number, lamps=lamps)


def _accepted(round_now: Round, bet: str) -> frozenset[int]:
    return frozenset(wager.spot for wager in round_now.wagers if wager.bet == bet)
