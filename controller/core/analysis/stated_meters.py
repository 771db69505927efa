"""Meters of progressive wagers: what they award in a round, and where they stand afterwards. Whole cents.

The linked meter pays shares of itself to rows of a side wager. The must-hit-by meter rises with each contribution and
is paid when it stands above a number that is secret at the table: number and meter belong to the progressive
controller, and are known here only where somebody tells them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from controller.core.game.rules import Rules
from controller.core.meters.awards import Winner, awards_in_order


class StatedPooledMeter(NamedTuple):
    """The linked meter: what it stands at, and the value it starts again from."""

    meter_cents: int
    reset_cents: int


class StatedMystery(NamedTuple):
    """The must-hit-by meter: where it stands, what one wager adds, the number to exceed, and the number after a hit."""

    meter_cents: int
    increment_cents: int
    trigger_cents: int
    next_trigger_cents: int


class StatedMeters(NamedTuple):
    """The meters a round needs; None: not given."""

    linked: StatedPooledMeter | None = None
    mystery: StatedMystery | None = None


def linked_awards(
    linked: StatedPooledMeter, winners: Iterable[Winner], *, shared: bool
) -> tuple[dict[int, int], StatedPooledMeter]:
    """What each winner of one round gets, by spot, and the meter after it (A23; see ``awards_in_order``)."""
    meter_cents, reset_cents = linked
    awards: dict[int, int] = {}
    for take in awards_in_order(winners, shared=shared):
        each = take.cents_each(meter_cents)
        awards.update(dict.fromkeys(take.spots, each))
        meter_cents -= each * len(take.spots)
        if take.whole():
            meter_cents += reset_cents
    return awards, StatedPooledMeter(meter_cents, reset_cents)


def mystery_awards(
    rules: Rules, mystery: StatedMystery, wagers: Iterable[tuple[int, str]]
) -> tuple[dict[tuple[int, str], int], StatedMystery]:
    """What the must-hit-by meter pays as ``wagers`` (spot and bet) raise it in spot order, and the meter after it.

    Hit when the meter stands above its number, or has reached the ceiling, where the bonus is guaranteed. The
    award is the whole meter after the increment, up to the ceiling; what lies above is carried into the meter that
    starts again (A28).
    """
    awards: dict[tuple[int, str], int] = {}
    meter_cents, trigger_cents = mystery.meter_cents, mystery.trigger_cents
    for wager in sorted(wagers):
        meter_cents += mystery.increment_cents
        if meter_cents > min(trigger_cents, rules.mystery_ceiling_cents - 1):
            awards[wager] = min(meter_cents, rules.mystery_ceiling_cents)
            meter_cents = rules.mystery_reset_cents + meter_cents - awards[wager]
            trigger_cents = mystery.next_trigger_cents
    return awards, mystery._replace(meter_cents=meter_cents, trigger_cents=trigger_cents)
