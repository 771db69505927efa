"""Bet sensors: where they alone see a progressive wager they say what counts; beside chips they check them.

The rules have the dealer stop further wagers with the progressive system and see that it accepted as many as there are
chips, before the first card (58 Pa. Code 633b.10, 670a.10). The sensors are locked when the table locks the bets.

- Where readers see the chips too, chips settle and contribute, and what the sensors latched is compared with them.
- Where no reader does, a wager is what the sensor latched, for the one stake of its bet. Where the first card locked
  the bets ("no more bets" was not pressed), the latch is younger than the card: then the last look before it counts, as
  it does for chips, and the latch is compared with that.
- Sensors that do not answer have accepted nothing. What they latch once cards have been dealt without them counts for
  nothing either: a chip may have been laid on a hand that is known.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.betting import acceptance
from controller.core.game.wager import LockedWager
from controller.core.messages.house import SensorBet
from controller.core.messages.raised_alerts import AlertKind
from controller.core.table.alert_list import raise_alert
from controller.core.table.desired import Desired
from controller.core.table.round_state import Round
from controller.core.table.state import SensorState
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, DeviceComplained, HealthState, WagersSensed

_LOCK_LOST: Final = "lock_lost"
"""The complaint of a unit that was locked and is open: what it latched is gone."""


def take_reading(transaction: Transaction, reading: WagersSensed) -> None:
    """Remember what the sensors of a side bet tell."""
    before = _known(transaction, reading.bet)
    after = replace(before, live=reading.live, latched=reading.latched, lock=reading.lock)
    transaction.change(sensed={**transaction.state.sensed, reading.bet: after})


def _is_at_work(transaction: Transaction, unit: SensorBet) -> bool:
    """Whether a unit of sensors is known to be at work, and has not just lost what it latched."""
    given = transaction.stamped.input
    lost = isinstance(given, DeviceComplained) and (given.device, given.code) == (unit.device, _LOCK_LOST)
    return transaction.state.devices.get(unit.device) == HealthState.READY and not lost


def _is_gone(transaction: Transaction, unit: SensorBet) -> bool:
    """Whether a unit of sensors is known not to be at work; since the daemon started nothing may be known yet."""
    return not transaction.state.is_ready(unit.device)


def _known(transaction: Transaction, bet: str) -> SensorState:
    """What the sensors of a side bet reported last."""
    return transaction.state.sensed.get(bet, SensorState())


# --- where sensors alone see a wager ----------------------------------------------------------------


def count_sensed_wagers(transaction: Transaction) -> None:
    """Let the open round have the wagers that only sensors see, as soon as it is known which they are."""
    if not transaction.house.counted or transaction.state.round is None or transaction.round().bets.locked:
        return
    for bet, unit in sorted(transaction.house.counted.items()):
        if bet in transaction.round().bets.sensed:
            continue
        spots = _accepted_spots(transaction, bet, unit)
        if spots is not None:
            transaction.change_bets(sensed={**transaction.round().bets.sensed, bet: tuple(sorted(spots))})
            _lay(transaction, bet)


def _accepted_spots(transaction: Transaction, bet: str, unit: SensorBet) -> frozenset[int] | None:
    """The spots whose wagers count; None: the sensors have still to say it."""
    round_now, sensed, ready = transaction.round(), _known(transaction, bet), _is_at_work(transaction, unit)
    if _locked_by_this_card(transaction):
        spots = sensed.live if ready else None
    else:
        spots = sensed.latched if sensed.lock == round_now.number else None
    if spots is not None:
        return frozenset(spots).intersection(unit.spots)
    too_late = not ready and bool(round_now.cards.drawn or round_now.ending.closing)
    if too_late or _is_gone(transaction, unit):
        _silent(transaction, bet, unit)
    return frozenset() if too_late else None


def _locked_by_this_card(transaction: Transaction) -> bool:
    """Whether the bets were locked by the card that this step brought."""
    given, round_now = transaction.stamped.input, transaction.round()
    return (
        isinstance(given, CardDrawn)
        and len(round_now.cards.drawn) == 1
        and not round_now.bets.locked_by
        and round_now.bets.lock_ns == transaction.table_ns(given.at_ns)
    )


def _silent(transaction: Transaction, bet: str, unit: SensorBet) -> None:
    """Say once in a round that it is not known which wagers of a side bet lie there."""
    number = transaction.round().number
    if _known(transaction, bet).missed == number:
        return
    transaction.change(sensed={**transaction.state.sensed, bet: replace(_known(transaction, bet), missed=number)})
    text = f"{bet}: {unit.device} does not answer; unless it does before the first card, none of its wagers counts"
    raise_alert(transaction, AlertKind.SENSORS_SILENT, text, round=number, zone=bet)


def counted_wagers(transaction: Transaction, round_now: Round) -> tuple[LockedWager, ...]:
    """The wagers of a round that only sensors see, as far as they are known."""
    units = [
        (bet, transaction.house.counted[bet])
        for bet in sorted(round_now.bets.sensed)
        if bet in transaction.house.counted
    ]
    return tuple(LockedWager(spot, bet, unit.stake_cents) for bet, unit in units for spot in round_now.bets.sensed[bet])


def _lay(transaction: Transaction, bet: str) -> None:
    """Put the wagers of a side bet that only sensors see among those of the open round."""
    round_now = transaction.round()
    there = [*round_now.bets.wagers, *round_now.bets.refused]
    there += [wager for wager in counted_wagers(transaction, round_now) if wager.bet == bet]
    there.sort(key=LockedWager.sort_key)
    stand, refused = acceptance.accepted_wagers(transaction.house, tuple(there), round_now.bets.closed_meters)
    transaction.change_bets(wagers=stand, refused=refused)


def all_counted(transaction: Transaction) -> bool:
    """Whether the sensors have said of every side bet that they alone see which wagers count."""
    return all(bet in transaction.round().bets.sensed for bet in transaction.house.counted)


# --- what they latched against what counts ----------------------------------------------------------


def _lying(round_now: Round, bet: str) -> frozenset[int]:
    """The spots where wagers of a side bet lay at the lock, accepted or not."""
    return frozenset(wager.spot for wager in (*round_now.bets.wagers, *round_now.bets.refused) if wager.bet == bet)


def review(transaction: Transaction) -> None:
    """Raise where sensors and what counts differ, once both are known; and where a sensor is covered after the lock."""
    round_now = transaction.state.round
    if not transaction.house.sensors or round_now is None or not round_now.bets.locked:
        return
    for bet, spots in sorted(transaction.house.sensors.items()):
        sensed = _known(transaction, bet)
        if sensed.lock != round_now.number:
            continue
        if sensed.judged != round_now.number:
            transaction.change(
                sensed={**transaction.state.sensed, bet: replace(sensed, judged=round_now.number, late=())}
            )
            _compare(transaction, bet, _lying(round_now, bet) & frozenset(spots), frozenset(sensed.latched))
        if not round_now.is_dealt():
            _look_for_late(transaction, bet)


def _compare(transaction: Transaction, bet: str, there: frozenset[int], latched: frozenset[int]) -> None:
    """Raise each spot where only one of the two has a wager."""
    unit = transaction.house.counted.get(bet)
    for spot in sorted(there.symmetric_difference(latched)):
        alone = unit is not None and spot in unit.spots
        if alone and not there and not _answered_in_time(transaction, bet):
            continue
        match alone, spot in there:
            case False, True:
                seen = "chips lie there and the sensor has no wager"
            case False, False:
                seen = "a wager sensed and no chips there"
            case _, True:
                seen = "a wager was sensed before the first card and none when the sensors were locked; it counts"
            case _:
                seen = "a wager was sensed only after the first card; it does not count"
        _disagreement(transaction, bet, spot, seen)


def _answered_in_time(transaction: Transaction, bet: str) -> bool:
    """Whether the sensors answered before they were given up in the open round."""
    return _known(transaction, bet).missed != transaction.round().number


def _disagreement(transaction: Transaction, bet: str, spot: int, seen: str) -> None:
    """Raise one spot."""
    round_now = transaction.round()
    cents = sum(one.cents for one in round_now.bets.wagers if (one.spot, one.bet) == (spot, bet))
    where = {"round": round_now.number, "spot": spot, "zone": bet}
    raise_alert(transaction, AlertKind.SENSOR_DISAGREES, f"spot {spot} {bet}: {seen}", **where, after_cents=cents)


def _look_for_late(transaction: Transaction, bet: str) -> None:
    """Raise a sensor that is covered after the lock, where no reader would see the chip."""
    unit, sensed, number = transaction.house.counted.get(bet), _known(transaction, bet), transaction.round().number
    if unit is None:
        return
    late = set(sensed.live).intersection(unit.spots) - set(sensed.latched) - set(sensed.late)
    if not late:
        return
    transaction.change(
        sensed={**transaction.state.sensed, bet: replace(sensed, late=tuple(sorted({*sensed.late, *late})))}
    )
    for spot in sorted(late):
        text = f"spot {spot} {bet}: a wager sensed after the lock; it does not count"
        raise_alert(
            transaction, AlertKind.PAST_POSTING, text, round=number, spot=spot, zone=bet, after_cents=unit.stake_cents
        )


# --- what they are sent -----------------------------------------------------------------------------


def with_sensors(transaction: Transaction, desired: Desired) -> Desired:
    """What the devices should be sent, bet sensors included: locked for the open round, lamps at accepted wagers."""
    round_now = transaction.state.round
    if round_now is None or not transaction.house.sensors:
        return desired
    lamps = {
        bet: tuple(sorted(_accepted(round_now, bet).intersection(sensed.latched)))
        for bet, sensed in transaction.state.sensed.items()
        if round_now.bets.locked and sensed.lock == round_now.number
    }
    return replace(desired, lock=round_now.number, lamps=lamps)


def _accepted(round_now: Round, bet: str) -> frozenset[int]:
    return frozenset(wager.spot for wager in round_now.bets.wagers if wager.bet == bet)
