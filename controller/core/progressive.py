"""Meters of progressive wagers: what they award in a round, and where they stand afterwards. Whole cents.

The linked meter pays shares of itself to rows of a side wager. The must-hit-by meter rises with each contribution and
is paid when it stands above a number nobody at the table knows: number and meter belong to the progressive controller,
and are known here only where somebody tells them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from controller.core.rules import Rules


class Linked(NamedTuple):
    """The linked meter: what it stands at, and the value it starts again from."""

    meter_cents: int
    reset_cents: int


class Mystery(NamedTuple):
    """The must-hit-by meter: where it stands, what one wager adds, the number to exceed, and the number after a hit."""

    meter_cents: int
    increment_cents: int
    trigger_cents: int
    next_trigger_cents: int


class Meters(NamedTuple):
    """The meters a round needs; None: not told."""

    linked: Linked | None = None
    mystery: Mystery | None = None


class Winner(NamedTuple):
    """A spot that won a part of the linked meter."""

    spot: int
    share: tuple[int, int]


def linked_awards(linked: Linked, winners: Iterable[Winner], *, shared: bool) -> tuple[dict[int, int], Linked]:
    """What each winner of one round gets, by spot, and the meter after it.

    Evaluated from the highest spot down; a part lowers the meter before the next winner (S.D. 20:18:15:30.19). Winners
    of the whole meter share it equally if ``shared``, and what does not divide stays in the meter; else the first takes
    it and the next finds the reset value (A23). Shares are rounded down to the cent.
    """
    meter_cents, reset_cents = linked
    awards: dict[int, int] = {}
    ordered = sorted(winners, reverse=True)
    whole = [winner.spot for winner in ordered if winner.share[0] == winner.share[1]]
    for spot, (part, of) in ordered:
        if part != of:
            awards[spot] = meter_cents * part // of
            meter_cents -= awards[spot]
        elif not shared:
            awards[spot], meter_cents = meter_cents, reset_cents
        elif spot == whole[-1]:
            each, rest = divmod(meter_cents, len(whole))
            awards.update(dict.fromkeys(whole, each))
            meter_cents = reset_cents + rest
    return awards, Linked(meter_cents, reset_cents)


def mystery_awards(
    rules: Rules, mystery: Mystery, wagers: Iterable[tuple[int, str]]
) -> tuple[dict[tuple[int, str], int], Mystery]:
    """What the must-hit-by meter pays as ``wagers`` (spot and bet) raise it in spot order, and the meter after it.

    Hit when the meter stands above its number; the award is the whole meter after the increment, up to the ceiling, and
    what lies above the ceiling is carried into the meter that starts again (A28).
    """
    awards: dict[tuple[int, str], int] = {}
    meter_cents, trigger_cents = mystery.meter_cents, mystery.trigger_cents
    for wager in sorted(wagers):
        meter_cents += mystery.increment_cents
        if meter_cents > trigger_cents:
            awards[wager] = min(meter_cents, rules.mystery_ceiling_cents)
            meter_cents = rules.mystery_reset_cents + meter_cents - awards[wager]
            trigger_cents = mystery.next_trigger_cents
    return awards, mystery._replace(meter_cents=meter_cents, trigger_cents=trigger_cents)
