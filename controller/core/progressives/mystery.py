"""The must-hit-by meter: the trigger box says which contribution won it, and the table's own fold must agree.

The box holds the secret number; the table counts the same meter from the same contributions. They compare the meter at
every answer, the amount at every hit and the start of every cycle; the number that is revealed is compared with the
commitment. Where they differ nothing is paid.
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.game.side_bet import find
from controller.core.messages.inputs import RevealRefuted
from controller.core.messages.meter_events import MysteryCommitted, MysteryDisputed, MysteryRevealed
from controller.core.meters.awards import Jackpot, SpotAward
from controller.core.meters.meter import UNITS, Meter
from controller.core.meters.state import Contribution, Cycle
from controller.core.progressives import late_settlement
from controller.core.progressives.live_meters import (
    MYSTERY_ROW,
    change_meter,
    freeze_award,
    mystery_cents,
    publish_reset,
)
from controller.core.table.transaction import Transaction
from firmware_protocols import readings

_RULE = "contributions in the order of their numbers"
"""How winners of one round are evaluated: each contribution has a place of its own."""


def take_reading(transaction: Transaction, reading: readings.MysteryReading | RevealRefuted) -> None:
    """What the trigger box tells, or was found out of it; nothing where the table file has no must-hit-by meter."""
    terms = transaction.house.mystery_meter()
    meter = None if terms is None else transaction.state.progressives.meter(terms.name)
    if meter is None:
        return
    match reading:
        case readings.MysteryCommitted():
            _committed(transaction, meter, reading)
        case readings.MysteryAnswered():
            _answered(transaction, meter, reading)
        case readings.MysteryRevealed(_, cycle, number, drawn_cents, key):
            if cycle > transaction.state.progressives.revealed:
                change_meter(transaction, replace(transaction.state.progressives, revealed=cycle))
                transaction.emit(MysteryRevealed(meter.name, cycle, number, drawn_cents, key))
        case RevealRefuted():
            _dispute(transaction, meter, reading.text)
        case _:
            assert_never(reading)


def _committed(transaction: Transaction, meter: Meter, reading: readings.MysteryCommitted) -> None:
    """A new cycle; the random bytes of this reading's stamp are the table's share of the draw."""
    known = transaction.state.progressives
    if known.cycle is not None and reading.cycle <= known.cycle.number:
        return
    share = transaction.stamped.nonce.hex()
    cycle = Cycle(reading.cycle, reading.commitment, share, reading.reset_cents, reading.ceiling_cents)
    change_meter(transaction, replace(known, cycle=cycle))
    bounds = (reading.reset_cents, reading.ceiling_cents)
    transaction.emit(
        MysteryCommitted(meter.name, reading.cycle, reading.commitment, share, reading.start_units, *bounds)
    )
    ours = (transaction.rules.mystery_reset_cents, transaction.rules.mystery_ceiling_cents)
    stands = _units_passed_on(meter, known.waiting)
    if bounds != ours:
        _dispute(transaction, meter, f"the box draws from {bounds[0]} to {bounds[1]} cents, the profile says {ours}")
    elif reading.start_units != stands:
        _dispute(transaction, meter, f"cycle {reading.cycle} starts at {reading.start_units} units, here at {stands}")


def _answered(transaction: Transaction, meter: Meter, reading: readings.MysteryAnswered) -> None:
    """One contribution was counted by the box, and won or not."""
    known = transaction.state.progressives
    if reading.number <= known.answered:
        return
    if not known.waiting or known.waiting[0].number != reading.number:
        _dispute(
            transaction, meter, f"the box answers contribution {reading.number}, which does not wait for an answer"
        )
        return
    first, *later = known.waiting
    stands = _units_passed_on(meter, tuple(later))
    ours = _award_cents(transaction.rules, stands) if reading.hit else 0
    change_meter(transaction, replace(known, answered=reading.number, waiting=tuple(later)))
    if (reading.meter_units, reading.award_cents) != (stands, ours):
        _dispute(
            transaction,
            meter,
            f"after contribution {reading.number} the box has {reading.meter_units} units and awards"
            f" {reading.award_cents} cents, here it is {stands} units and {ours} cents",
        )
    elif reading.hit:
        _hit(transaction, meter, first, ours)
    _settle_late(transaction, first)


def _hit(transaction: Transaction, meter: Meter, first: Contribution, cents: int) -> None:
    """The contribution won: the meter pays and starts again; what came after it already counts for the next."""
    after = meter.after_award(cents).after_reset()
    won = SpotAward(first.spot, cents, cents, after.resets, after)
    place = (first.round, first.spot, first.bet, MYSTERY_ROW)
    freeze_award(transaction, Jackpot(0, meter.name, *place, cents, after.resets), won, _RULE, first.number)
    change_meter(transaction, transaction.state.progressives.with_meter(after))
    publish_reset(transaction, meter, after)


def _dispute(transaction: Transaction, meter: Meter, reason: str) -> None:
    """Box and table disagree: say it once, and close the meter until people have put it right."""
    known = transaction.state.progressives
    if not known.dispute:
        change_meter(transaction, replace(known, dispute=reason))
        transaction.emit(MysteryDisputed(meter.name, reason))


def _settle_late(transaction: Transaction, first: Contribution) -> None:
    """Settle a wager that the cards had decided and whose round ended before the box could answer for it."""
    if first.net_cents is None:
        return
    place = (first.round, first.spot, first.bet)
    bonus = mystery_cents(transaction.state.progressives, *place)
    why = f"{find(first.bet).title}: {'must-hit-by mystery' if bonus else 'the trigger box answered: no hit'}"
    late_settlement.settle(transaction, place, first.net_cents + bonus, why, first.jackpot_cents + bonus)


def note_decided_wager(
    transaction: Transaction, place: tuple[int, int, str], net_cents: int, jackpot_cents: int
) -> None:
    """The cards have decided a wager that still waits for the box: remember what they gave it.

    ``jackpot_cents`` is what of the net other meters have awarded.
    """
    known = transaction.state.progressives
    after = known.decided(place, net_cents, jackpot_cents)
    if after != known:
        change_meter(transaction, after)


def _units_passed_on(meter: Meter, waiting: tuple[Contribution, ...]) -> int:
    """What the meter stands at without contributions that still wait for the trigger box."""
    return meter.current_units - sum(one.units for one in waiting)


def _award_cents(rules: Rules, units: int) -> int:
    """What a must-hit-by meter that stands at ``units`` pays (A28)."""
    return min(units // UNITS, rules.mystery_ceiling_cents)
