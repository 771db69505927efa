"""Chips of a wager that are not heard any more: taken off by somebody, or lying there with a tag that fell silent.

Where no play explains that they left, the wager stands. What comes beside the rest may make it whole in other chips, so
that only what lies beyond the wager doubles or splits the hand; or nothing was missing, and all of it does.

So it may be with chips that left just before the bets were locked: if the very same come again as soon as the deal is
out, the wager may have been what lies there now, and they double nothing.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.inference.observation import ChipsObserved, DatedObservation
from controller.core.table.layout import Zone, worth, zone_name
from controller.core.table.round_state import Round
from controller.core.table.state import State
from controller.core.table.transaction import Transaction

_SOON_NS: Final = 10_000_000_000
"""Who takes a chip off his wager does not double with it so soon after the deal."""


def note_left(transaction: Transaction, before: Zone | None, after: Zone) -> None:
    """Keep which chips a look at a box's main zone does not show any more."""
    if not _is_of_box(transaction, after) or before is None:
        return
    left = {*_unheard_at(transaction, after.spot), *before.chips}.difference(after.chips)
    _change_unheard(transaction, after.spot, left)


def forget_accounted(transaction: Transaction, before: Zone | None, after: Zone) -> None:
    """Forget chips that left as some play explains; for those that left unexplained others may come."""
    if not _is_of_box(transaction, after) or before is None:
        return
    number = transaction.stamped.number
    moved = (one.item for one in transaction.round().evidence.observations if one.number == number)
    if not any(isinstance(item, ChipsObserved) and item.idle and item.after < item.before for item in moved):
        _change_unheard(transaction, after.spot, {*_unheard_at(transaction, after.spot)}.difference(before.chips))


def _unheard_at(transaction: Transaction, spot: int) -> tuple[str, ...]:
    """The chips of a spot's main wager that are not heard any more."""
    return transaction.round().cards.unheard.get(zone_name(spot, "main"), ())


def _change_unheard(transaction: Transaction, spot: int, chips: set[str]) -> None:
    unheard = {**transaction.round().cards.unheard, zone_name(spot, "main"): tuple(sorted(chips))}
    transaction.change_cards(unheard={name: left for name, left in unheard.items() if left})


def with_unheard(transaction: Transaction, item: ChipsObserved) -> ChipsObserved:
    """A rise of a box's main zone, with what of its wager may lie there unheard."""
    if not transaction.house.garbled_devices_heard or item.zone != "main" or item.after <= item.before:
        return item
    missing = _unheard_at(transaction, transaction.round().bets.spots[item.box])
    return replace(item, unheard=worth(missing, transaction.house.chips, {}))


def note_lowered(transaction: Transaction, before: Zone | None, after: Zone, last_ns: int) -> None:
    """Keep what lay in a main zone before some of its chips left, until something else changes there."""
    if not transaction.house.garbled_devices_heard or after.name != "main" or before is None:
        return
    name = zone_name(after.spot, "main")
    lowered = {other: left for other, left in transaction.state.lowered.items() if other != name}
    if after.chips and set(after.chips) < set(before.chips):
        lowered[name] = last_ns, before.chips
    transaction.change(lowered=lowered)


def is_wager_doubtful(transaction: Transaction, rise: DatedObservation) -> bool:
    """Whether chips that some play takes for a double or split may be of the wager, unheard as the bets were locked.

    Not where every decision has its key, which says that a hand is doubled.
    """
    round_now, item = transaction.round(), rise.item
    if not isinstance(item, ChipsObserved) or item.zone != "main" or not item.rises():
        return False
    if round_now.options(transaction.rules).stand_key == "always":
        return False
    zone = transaction.state.felt[zone_name(round_now.bets.spots[item.box], "main")]
    away_ns = away_at_lock_ns(transaction.state, round_now, zone, rise.first_ns)
    return away_ns is not None and away_ns <= _SOON_NS


def away_at_lock_ns(before: State, round_now: Round, zone: Zone, back_ns: int) -> int | None:
    """How long chips were away as the bets were locked, if they lie in their zone as before; None: they were not.

    ``before`` knows what had left; ``back_ns`` is when they are back, in table time.
    """
    left_ns, lay = before.lowered.get(zone_name(zone.spot, zone.name), (0, ()))
    return back_ns - left_ns if lay and lay == zone.chips and left_ns <= round_now.bets.lock_ns else None


def _is_of_box(transaction: Transaction, zone: Zone) -> bool:
    """Whether a zone is a main wager's of the open round."""
    round_now = transaction.state.round
    if not transaction.house.garbled_devices_heard or round_now is None or zone.name != "main":
        return False
    return zone.spot in round_now.bets.spots
