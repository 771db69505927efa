"""Chips that two antennas heard, once the readers have looked again and only one of them still hears them."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.certainty import shared_chips
from controller.core.certainty.rebuild import rebuild_with_outages
from controller.core.certainty.round_end import played_zones
from controller.core.inference.observation import ChipsObserved, DatedObservation
from controller.core.inference.unobserved import Outage
from controller.core.messages.inputs import DeadlinePassed
from controller.core.round import lifecycle, passing_chips
from controller.core.table.layout import Felt, FeltHeard, Zone, ZoneChange, placed_after_look, zone_name
from controller.core.table.ledger import book_of
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import ChipsConfirmed


def place_chips_heard_by_one_antenna(transaction: Transaction, quiet: ChipsConfirmed | DeadlinePassed) -> None:
    """The readers have looked at every zone of some spots: a chip that only one antenna still hears lies there."""
    if isinstance(quiet, ChipsConfirmed):
        _place(transaction, quiet)
        _forget_placed(transaction, quiet)


def _place(transaction: Transaction, quiet: ChipsConfirmed) -> None:
    """Place the chips that only one antenna still hears, with what follows from it."""
    upto_ns = transaction.table_ns(quiet.upto_ns)
    felt, changes, events = placed_after_look(transaction.state.felt, transaction.house.chips, quiet.spots, upto_ns)
    if felt is transaction.state.felt:
        return
    before = transaction.state.felt
    transaction.change(felt=felt)
    transaction.emit(*events)
    if transaction.state.round is not None:
        for name, zone in felt.items():
            came = set(before[name].doubted).difference(zone.doubted)
            if came and zone.name == "main":
                passing_chips.heard_at_insurance(transaction, zone.spot, came)
            elif came and transaction.house.overheard_kept:
                _forget_elsewhere(transaction, name, came)
    for change in changes:
        if transaction.state.round is not None:
            whole = _whole_change(transaction, change, upto_ns)
            _report_withheld(transaction, before, zone_name(change.spot, change.zone))
            lifecycle.take_chips(transaction, whole, change.since_ns, upto_ns)
    changed_now = {zone_name(change.spot, change.zone) for change in changes}
    for name in sorted(set(before).difference(changed_now)):
        _report_withheld(transaction, before, name)


def _forget_elsewhere(transaction: Transaction, name: str, came: set[str]) -> None:
    """These chips lie in this zone: where another insurance line heard them nothing was wagered."""
    overheard = transaction.round().evidence.overheard
    for other in dict.fromkeys(other for chip in came for other in overheard.get(chip, ())):
        spot, _, zone = other.partition("/")
        if other != name and zone == "insurance" and _is_offered(transaction, int(spot), zone):
            passing_chips.heard_at_insurance(transaction, int(spot), came)


def _whole_change(transaction: Transaction, change: ZoneChange, upto_ns: int) -> ZoneChange:
    """A chip counts only now at a box whose chips have changed since it may have come: the change with all its chips.

    A double reported without one of them looks like one for less. Nothing has been concluded from it yet; but it was
    not seen whether the chip came with the others, so what was done meanwhile at the box counts as unseen.
    """
    round_now = transaction.round()
    if (
        not round_now.bets.locked
        or change.spot not in round_now.bets.spots
        or change.zone not in played_zones(transaction)
    ):
        return change
    parts = _parts(transaction, change.spot, change.zone, change.since_ns)
    if not parts or any(item.idle and one.last_ns == change.since_ns for one, item in parts):
        return change
    # A part that no play explains says that the rest of it is to come, not that anything went unseen.
    seen = any(item.idle for _, item in parts)
    _take_back(transaction, parts, change, None if seen else (change.since_ns, upto_ns))
    return replace(change, before=parts[0][1].before)


_Part = tuple[DatedObservation, ChipsObserved]
"""A change that was reported without chips that may have been of it."""


def _parts(transaction: Transaction, spot: int, zone: str, since_ns: int) -> list[_Part]:
    """The changes of a box's zone since a moment."""
    box = transaction.round().bets.spots.index(spot)
    moved = (one for one in transaction.round().evidence.observations if one.last_ns >= since_ns)
    return [(one, item) for one in moved if (item := one.chips_at(box, zone)) is not None]


def _take_back(transaction: Transaction, parts: list[_Part], at: ZoneChange, unseen: tuple[int, int] | None) -> None:
    """Tell these changes of a zone no more; ``unseen``: between which moments what was done at the box is not known."""
    round_now, taken_back = transaction.round(), [one for one, _ in parts]
    transaction.change_evidence(
        observations=tuple(one for one in round_now.evidence.observations if one not in taken_back)
    )
    outages = round_now.evidence.outages
    if unseen is not None:
        from_ns, to_ns = unseen
        box = round_now.bets.spots.index(at.spot)
        outages = (*outages, Outage(box, max(from_ns, round_now.bets.lock_ns), to_ns))
    rebuild_with_outages(transaction, outages)


def _report_withheld(transaction: Transaction, before: Felt, name: str) -> None:
    """Say what changes look like that no play explains, once a zone hears no chip any more that may lie elsewhere."""
    known = before.get(name)
    if known is None or not known.doubted or transaction.state.felt[name].doubted or transaction.state.round is None:
        return
    round_now, since_ns = transaction.round(), min(known.doubted.values())
    for one in round_now.evidence.observations:
        item = one.item
        if isinstance(item, ChipsObserved) and item.idle and one.last_ns > since_ns:
            spot = round_now.bets.spots[item.box]
            if zone_name(spot, item.zone) == name:
                change = ZoneChange(spot, item.zone, item.before, item.after)
                lifecycle.report_unexplained(transaction, change, one.first_ns, one.last_ns)


def place_chips(
    transaction: Transaction, after: FeltHeard, name: str, last_ns: int, changes: tuple[ZoneChange, ...]
) -> tuple[ZoneChange, ...]:
    """Chips lie so now, by these changes of a zone; the changes as they are to be judged.

    Of a box whose chips went before anybody knew which were its own nothing was seen till then: what was reported
    meanwhile lacked chips that may have been of it, and only what it came to in the end is known.
    """
    was, felt = transaction.state.felt, after.felt
    before = was.get(name)
    transaction.change_felt(after)
    if felt[name].doubted and transaction.state.round is not None and not transaction.round().bets.locked:
        # Also where no amount changes: the reader of a chip's own zone may be the later one to tell of it.
        shared_chips.note_shared(transaction)
    if transaction.state.round is not None:
        _note_overheard(transaction)
        shared_chips.note_departure(transaction, before, felt[name], last_ns)
    since_ns, now = _unplaced_since(transaction, before, felt[name]), felt[name]
    if since_ns >= 0 and transaction.state.round is not None and now.name in played_zones(transaction):
        round_now = transaction.round()
        if round_now.bets.locked and now.spot in round_now.bets.spots:
            parts = _parts(transaction, now.spot, now.name, since_ns)
            whole = ZoneChange(now.spot, now.name, parts[0][1].before if parts else 0, now.cents, since_ns)
            _take_back(transaction, parts, whole, (since_ns, last_ns))
            if parts:
                changes = (whole,) if whole.before != whole.after else ()
                _note_unplaced(transaction, whole, max(item.after for _, item in parts))
    if _take_back_unplaced(transaction, before, now, last_ns):
        changes = ()
    _report_withheld(transaction, was, name)
    return changes


def _take_back_unplaced(transaction: Transaction, before: Zone | None, now: Zone, last_ns: int) -> bool:
    """No antenna hears any more of some chips that two heard: what was wagered with them after the deal stays open.

    Whether the change of this zone is among those that say nothing any more.
    """
    if not transaction.house.overheard_kept or transaction.state.round is None or before is None:
        return False
    felt, overheard = transaction.state.felt, transaction.round().evidence.overheard
    if overheard.keys().isdisjoint(before.chips):
        return False
    lying = {chip for zone in felt.values() for chip in zone.chips}
    lost = [chip for chip in before.chips if chip in overheard and chip not in lying]
    names = dict.fromkeys(name for chip in lost for name in overheard[chip])
    taken_back = [name for name in names if _take_back_offer(transaction, felt[name], last_ns)]
    return zone_name(now.spot, now.name) in taken_back


def _take_back_offer(transaction: Transaction, zone: Zone, last_ns: int) -> bool:
    """Take back what was reported of the zone of a wager made after the deal, if it is empty and on no books."""
    round_now = transaction.round()
    if zone.name == "main" or zone.chips or not _is_offered(transaction, zone.spot, zone.name):
        return False
    parts = _parts(transaction, zone.spot, zone.name, round_now.bets.lock_ns)
    if parts:
        whole = ZoneChange(zone.spot, zone.name, 0, 0)
        _take_back(transaction, parts, whole, (parts[0][0].first_ns, last_ns))
        _note_unplaced(transaction, whole, max(max(item.before, item.after) for _, item in parts))
    return bool(parts)


def _is_offered(transaction: Transaction, spot: int, zone: str) -> bool:
    """Whether a zone is that of a wager made after the deal at a box of the open round, and it is on no books yet."""
    round_now = transaction.round()
    if not round_now.bets.locked or spot not in round_now.bets.spots or zone not in played_zones(transaction):
        return False
    book = book_of(transaction.state.books, round_now.number)
    return book is None or book.row(spot, zone) is None


def _note_unplaced(transaction: Transaction, whole: ZoneChange, cents: int) -> None:
    """All that lay in the zone of a wager made after the deal is gone: what was wagered there is the floor's to say."""
    if transaction.house.overheard_kept and whole.zone != "main" and not (whole.before or whole.after):
        known = transaction.round().evidence.unplaced
        transaction.change_evidence(unplaced={**known, zone_name(whole.spot, whole.zone): cents})


def _note_overheard(transaction: Transaction) -> None:
    """Keep which chips two antennas hear: what changes in their zones accuses nobody."""
    known, felt = transaction.round().evidence.overheard, transaction.state.felt
    heard_twice = transaction.heard().heard_twice.items()
    now = {chip: zones for chip, zones in heard_twice if chip not in known and not _was_alone(felt, chip, zones)}
    if transaction.house.overheard_kept and now:
        transaction.change_evidence(overheard={**known, **now})


def _was_alone(felt: Felt, chip: str, zones: tuple[str, ...]) -> bool:
    """Whether one of these zones had shown a chip before another may have heard it, so that it lies there."""
    counting = [felt[name] for name in zones if chip not in felt[name].doubted]
    since = [felt[name].doubted[chip] for name in zones if chip in felt[name].doubted]
    return len(counting) == 1 and bool(since) and counting[0].seen_ns <= min(since)


def _forget_placed(transaction: Transaction, quiet: ChipsConfirmed) -> None:
    """Forget the chips that two antennas have heard of which both have shown since in which zone they lie."""
    if transaction.state.round is None or not transaction.round().evidence.overheard:
        return
    known, felt = transaction.round().evidence.overheard, transaction.state.felt
    upto_ns = transaction.table_ns(quiet.upto_ns)
    kept = {
        chip: zones
        for chip, zones in known.items()
        if not shared_chips.lies_in_one(felt, chip, zones)
        or any(felt[name].spot not in quiet.spots or felt[name].seen_ns > upto_ns for name in zones)
    }
    if len(kept) < len(known):
        transaction.change_evidence(overheard=kept)


def _lying_since_lock(transaction: Transaction) -> frozenset[str]:
    """The chips of locked wagers that have counted in their zones, unchanged, since before the lock."""
    felt = transaction.state.felt.values()
    lock_ns = transaction.round().bets.lock_ns if transaction.state.round is not None else -1
    return frozenset(
        chip for zone in felt if zone.seen_ns <= lock_ns for chip in zone.chips if chip not in zone.doubted
    )


def _unplaced_since(transaction: Transaction, before: Zone | None, after: Zone) -> int:
    """Since when chips had been at a zone, perhaps, that went with others before they counted there; -1: none did."""
    if before is None or not before.doubted or before.chips == after.chips:
        return -1
    elsewhere = _lying_since_lock(transaction)
    gone = {
        chip: since_ns for chip, since_ns in before.doubted.items() if chip not in after.chips and chip not in elsewhere
    }
    alone = set(before.chips).difference(after.chips) == set(gone) and set(after.chips) <= set(before.chips)
    heard_elsewhere = alone and not set(gone).intersection(before.released)
    return -1 if heard_elsewhere else min(gone.values(), default=-1)
