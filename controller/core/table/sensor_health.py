"""Whether the bet sensors that alone see a side bet are at work."""

from __future__ import annotations

from typing import Final

from controller.core.messages.house import SensorBet
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import DeviceComplained, HealthState

_LOCK_LOST: Final = "lock_lost"
"""The complaint of a unit that was locked and is open: what it latched is gone."""


def is_at_work(transaction: Transaction, unit: SensorBet) -> bool:
    """Whether a unit of sensors is known to be at work, and has not just lost what it latched."""
    given = transaction.stamped.input
    lost = isinstance(given, DeviceComplained) and (given.device, given.code) == (unit.device, _LOCK_LOST)
    return transaction.state.devices.get(unit.device) == HealthState.READY and not lost


def is_gone(transaction: Transaction, unit: SensorBet) -> bool:
    """Whether a unit of sensors is known not to be at work; since the daemon started nothing may be known yet."""
    return not transaction.state.is_ready(unit.device)


def closed_reason(transaction: Transaction, bets: tuple[str, ...]) -> str:
    """Why it is not known who makes one of these side bets; empty: it is known."""
    for bet in bets:
        unit = transaction.house.counted.get(bet)
        if unit is not None and transaction.state.devices.get(unit.device) != HealthState.READY:
            return f"{unit.device} does not answer"
    return ""
