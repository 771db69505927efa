"""Chips that two antennas hear when the bets are locked, so that they may be of either zone's wager.

The lock waits until one antenna is left, and the wager is what its zone then shows. Of a chip that was picked up before
that nobody ever knows it: a side wager it may be of stays open between the amounts without it and with it, and where it
may be of a main wager the floor rules.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Final

from controller.core.certainty import uncertain_wagers
from controller.core.inference.observation import NEVER_ENDS
from controller.core.table.layout import Felt, Zone, ZoneChange, worth, zone_name
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

UNPLACED: Final = "a chip lay between two zones, and nobody knows of which wager it was"


def note_shared(transaction: Transaction) -> None:
    """Keep which chips two zones heard at the lock, and what their wagers come to without and with them."""
    felt, lock_ns, round_now = transaction.state.felt, transaction.round().bets.lock_ns, transaction.round()
    found = dict(round_now.bets.shared.zones_of)
    for chip, zones in transaction.heard().heard_twice.items():
        heard = tuple(name for name in zones if felt[name].doubted.get(chip, -1) <= lock_ns)
        # A zone of no wager yet, such as insurance, may have heard it first: then the wager beside it lacks the chip.
        if len(heard) > 1 and any(_is_bet(transaction, name) for name in heard) and chip not in found:
            found[chip] = heard
    if found != round_now.bets.shared.zones_of:
        names = {name for zones in found.values() for name in zones}
        amounts = {name: _amounts_of(transaction, felt[name], set(found)) for name in sorted(names)}
        transaction.change_shared(zones_of=found, amounts={**amounts, **round_now.bets.shared.amounts})


def note_departure(transaction: Transaction, before: Zone | None, after: Zone, last_ns: int) -> None:
    """A zone hears a chip no more that two heard at the lock: the other must be looked at again before it counts."""
    round_now, name = transaction.round(), zone_name(after.spot, after.name)
    if round_now.bets.locked or not round_now.bets.shared.zones_of:
        return
    gone = set(() if before is None else before.chips).difference(after.chips)
    heard = (chip for chip, zones in round_now.bets.shared.zones_of.items() if name in zones)
    if not gone.isdisjoint(heard):
        transaction.change_shared(changed_ns=max(last_ns, round_now.bets.shared.changed_ns))


def forget(transaction: Transaction) -> None:
    """Chips moved before the lock: what two zones heard then is to be noted again."""
    transaction.change_shared(zones_of={}, amounts={})


def main_cents_elsewhere(transaction: Transaction, zone: Zone) -> int:
    """What a main zone's chips come to that count at a zone of another bet, whose antenna heard them first.

    Of those that its own has heard only since the bets were locked none is of its wager.
    """
    if zone.name != "main" or not zone.doubted:
        return 0
    round_now = transaction.state.round if transaction.house.overheard_kept else None
    until_ns = NEVER_ENDS if round_now is None or round_now.bets.locked else round_now.bets.lock_ns
    mains = (other for other in transaction.state.felt.values() if other.name == "main")
    counted = {chip for other in mains for chip in other.chips if chip not in other.doubted}
    chips = (chip for chip, since_ns in zone.doubted.items() if chip not in counted and since_ns <= until_ns)
    return worth(chips, transaction.house.chips, zone.values)


def _is_bet(transaction: Transaction, name: str) -> bool:
    """Whether a zone is that of a wager made before the deal."""
    _, _, zone = name.partition("/")
    return zone == "main" or uncertain_wagers.is_before_deal_zone(transaction, zone)


def _amounts_of(transaction: Transaction, zone: Zone, between: set[str]) -> tuple[int, int]:
    """What a zone comes to without the chips that may lie elsewhere, and with them."""
    alone = (chip for chip in zone.chips if chip not in between)
    return (
        worth(alone, transaction.house.chips, zone.values),
        worth(zone.chips, transaction.house.chips, zone.values),
    )


def _unsettled(transaction: Transaction) -> tuple[str, ...]:
    """The chips whose zone at the lock is not known yet."""
    felt, round_now = transaction.state.felt, transaction.round()
    return tuple(
        chip
        for chip, zones in round_now.bets.shared.zones_of.items()
        if round_now.bets.shared.lost or not lies_in_one(felt, chip, zones)
    )


def lies_in_one(felt: Felt, chip: str, zones: tuple[str, ...]) -> bool:
    """Whether one of these zones hears a chip, and no other does."""
    now = [name for name in felt if chip in felt[name].chips]
    return len(now) == 1 and now[0] in zones


def lock_waits(transaction: Transaction) -> bool:
    """Whether the lock waits for a chip to be heard by one antenna alone."""
    return not transaction.round().bets.locked and bool(_unsettled(transaction))


def is_between_boxes(transaction: Transaction) -> bool:
    """Whether the lock waits for a chip that may be of the main wager of one spot or of another."""
    zones_of = transaction.round().bets.shared.zones_of
    return lock_waits(transaction) and any(
        sum(name.endswith("/main") for name in zones_of[chip]) > 1 for chip in _unsettled(transaction)
    )


def may_be_dealt(transaction: Transaction) -> bool:
    """Whether the deal is done if a spot is no box of which only chips that may lie elsewhere make one."""
    round_now = transaction.round()
    if round_now.bets.locked:
        return round_now.is_dealt()
    amounts = round_now.bets.shared.amounts
    boxes = sum(1 for spot in round_now.bets.spots if amounts.get(zone_name(spot, "main"), (1, 1))[0])
    return round_now.is_dealt(boxes)


def only_places_chip(transaction: Transaction, change: ZoneChange, last_ns: int) -> bool:
    """Whether a change only says where a chip lay at the lock: once it is placed its zones are locked as they show now.

    Chips that leave together with it say nothing: it was picked up, and where it lay is lost.
    """
    round_now, name = transaction.round(), zone_name(change.spot, change.zone)
    heard = [chip for chip, zones in round_now.bets.shared.zones_of.items() if name in zones]
    if round_now.bets.locked or not heard:
        return False
    gone = any(chip not in transaction.state.felt[name].chips for chip in heard)
    settles = change.settles and name not in round_now.bets.moved and not round_now.bets.shared.lost
    lost = round_now.bets.shared.lost or (not settles and (gone or change.settles))
    transaction.change_shared(changed_ns=max(last_ns, round_now.bets.shared.changed_ns), lost=lost)
    return settles


def may_be_lost_chip(transaction: Transaction, change: ZoneChange) -> bool:
    """Whether a change is that of a zone between which and another a wager is lost, and may be only of its chip."""
    round_now = transaction.round()
    if not round_now.bets.shared.lost or (change.since_ns < 0 and change.spot in round_now.bets.spots):
        return False
    name = zone_name(change.spot, change.zone)
    return any(name in zones for zones in round_now.bets.shared.zones_of.values())


def boxes_are_lost(round_now: Round) -> bool:
    """Whether a chip was picked up that may have been of one box's main wager or another's, before anybody knew."""
    if round_now.bets.locked or not round_now.bets.shared.lost:
        return False
    return any(name.endswith("/main") for names in round_now.bets.shared.zones_of.values() for name in names)


def only_removes_shared(transaction: Transaction, change: ZoneChange) -> bool:
    """Whether a change is that chips which two zones heard at the lock went from one of them, and no more than that."""
    bets, name = transaction.round().bets, zone_name(change.spot, change.zone)
    return not bets.locked and bets.shared.lost and bets.shared.amounts.get(name) == (change.after, change.before)


def end_wait(transaction: Transaction) -> str:
    """The round ends and the zone of some chips is not known: why the floor must rule; empty where it need not."""
    zones = (
        {name for chip in _unsettled(transaction) for name in transaction.round().bets.shared.zones_of[chip]}
        if lock_waits(transaction)
        else set[str]()
    )
    for name in sorted(zones):
        spot, _, zone = name.partition("/")
        if zone != "main" and _is_bet(transaction, name):
            uncertain_wagers.note_possible_amounts(
                transaction, ZoneChange(int(spot), zone, *transaction.round().bets.shared.amounts[name])
            )
    return UNPLACED if any(name.endswith("/main") for name in zones) else ""


def display_text(transaction: Transaction) -> str:
    """What the dealer's display says while the lock waits for a chip; empty where it does not."""
    if not lock_waits(transaction):
        return ""
    spots = sorted(
        {
            name.partition("/")[0]
            for chip in _unsettled(transaction)
            for name in transaction.round().bets.shared.zones_of[chip]
        }
    )
    return f"Chip between zones: spot {' and '.join(spots)}"


def may_be_incomplete(felt: Felt, change: ZoneChange) -> bool:
    """Whether a zone's antenna hears a chip that does not count there yet: a change may be more than was reported."""
    return bool(felt[zone_name(change.spot, change.zone)].doubted)


def ambiguous_since_ns(felt: Felt, spots: Container[int]) -> int:
    """Since when an antenna of these spots hears a chip that may lie elsewhere, and does not know what lies there."""
    since = NEVER_ENDS
    for zone in felt.values():
        if zone.doubted and zone.spot in spots and zone.name in {"main", "insurance"}:
            since = min(since, *zone.doubted.values())
    return since
