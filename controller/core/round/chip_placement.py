"""Chips that two antennas heard, once the readers have looked again and only one of them still hears them."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.certainty import shared_chips
from controller.core.certainty.rebuild import weave_with
from controller.core.certainty.round_end import played_zones
from controller.core.inference.observation import ChipsMoved
from controller.core.inference.unobserved import Silence
from controller.core.messages.inputs import DeadlinePassed
from controller.core.round import lifecycle, passing_chips
from controller.core.table.layout import Change, Felt, Zone, key, placed
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import ChipsConfirmed


def looked_again(transaction: Transaction, silence: ChipsConfirmed | DeadlinePassed) -> None:
    """The readers have looked at every zone of some spots: a chip that only one antenna still hears lies there."""
    if not isinstance(silence, ChipsConfirmed):
        return
    upto_ns = transaction.table_ns(silence.upto_ns)
    felt, changes, told = placed(transaction.state.felt, transaction.house.chips, silence.spots, upto_ns)
    if felt is transaction.state.felt:
        return
    before = transaction.state.felt
    transaction.change(felt=felt)
    transaction.emit(*told)
    if transaction.state.round is not None:
        for name, zone in felt.items():
            came = set(before[name].doubted).difference(zone.doubted)
            if came and zone.name == "main":
                passing_chips.heard_at_insurance(transaction, zone.spot, came)
    for change in changes:
        if transaction.state.round is not None:
            whole = _told_whole(transaction, change, upto_ns)
            _tell_held_back(transaction, before, key(change.spot, change.zone))
            lifecycle.chips(transaction, whole, change.since_ns, upto_ns)
    told_now = {key(change.spot, change.zone) for change in changes}
    for name in sorted(set(before).difference(told_now)):
        _tell_held_back(transaction, before, name)


def _told_whole(transaction: Transaction, change: Change, upto_ns: int) -> Change:
    """A chip counts only now at a box whose chips have changed since it may have come: the change with all its chips.

    A double told without one of them looks like one for less. Nothing has been concluded from it yet; but nobody saw
    whether the chip came with the others, so what was done meanwhile at the box counts as unseen.
    """
    round_now = transaction.round()
    if (
        not round_now.bets.locked
        or change.spot not in round_now.bets.spots
        or change.zone not in played_zones(transaction)
    ):
        return change
    box = round_now.bets.spots.index(change.spot)
    zone = box, change.zone
    moved = [(one, one.item) for one in round_now.evidence.observations if isinstance(one.item, ChipsMoved)]
    parts = [(one, item) for one, item in moved if (item.box, item.zone) == zone and one.last_ns >= change.since_ns]
    if not parts or any(item.idle and one.last_ns == change.since_ns for one, item in parts):
        return change
    told = [one for one, _ in parts]
    transaction.change_evidence(observations=tuple(one for one in round_now.evidence.observations if one not in told))
    # A part that no play explains says that the rest of it is to come, not that anything went unseen.
    unseen = Silence(box, max(change.since_ns, round_now.bets.lock_ns), upto_ns)
    more = () if any(item.idle for _, item in parts) else (unseen,)
    weave_with(transaction, (*round_now.evidence.silences, *more))
    return replace(change, before=parts[0][1].before)


def _tell_held_back(transaction: Transaction, before: Felt, name: str) -> None:
    """Say what changes look like that no play explains, once a zone hears no chip any more that may lie elsewhere."""
    known = before.get(name)
    if known is None or not known.doubted or transaction.state.felt[name].doubted or transaction.state.round is None:
        return
    round_now, since_ns = transaction.round(), min(known.doubted.values())
    for one in round_now.evidence.observations:
        item = one.item
        if isinstance(item, ChipsMoved) and item.idle and one.last_ns > since_ns:
            spot = round_now.bets.spots[item.box]
            if key(spot, item.zone) == name:
                lifecycle.unexplained(transaction, Change(spot, item.zone, item.before, item.after), one.first_ns)


def lie(transaction: Transaction, felt: Felt, name: str, last_ns: int) -> None:
    """Chips lie so now. Of a box whose chips went before anybody knew which were its own nothing was seen till then."""
    was = transaction.state.felt
    before = was.get(name)
    transaction.change(felt=felt)
    if felt[name].doubted and transaction.state.round is not None and not transaction.round().bets.locked:
        # Also where no amount changes: the reader of a chip's own zone may be the later one to tell of it.
        shared_chips.note(transaction)
    if transaction.state.round is not None:
        shared_chips.look(transaction, before, felt[name], last_ns)
    since_ns = _unplaced_since(before, felt[name])
    if since_ns >= 0 and transaction.state.round is not None and felt[name].name in played_zones(transaction):
        round_now, spot = transaction.round(), felt[name].spot
        if round_now.bets.locked and spot in round_now.bets.spots:
            unseen = Silence(round_now.bets.spots.index(spot), max(since_ns, round_now.bets.lock_ns), last_ns)
            weave_with(transaction, (*round_now.evidence.silences, unseen))
    _tell_held_back(transaction, was, name)


def _unplaced_since(before: Zone | None, after: Zone) -> int:
    """Since when chips had been at a zone, perhaps, that went with others before they counted there; -1: none did."""
    if before is None or before.chips == after.chips:
        return -1
    gone = {chip: since_ns for chip, since_ns in before.doubted.items() if chip not in after.chips}
    alone = set(before.chips).difference(after.chips) == set(gone) and set(after.chips) <= set(before.chips)
    heard_elsewhere = alone and not set(gone).intersection(before.released)
    return -1 if heard_elsewhere else min(gone.values(), default=-1)
