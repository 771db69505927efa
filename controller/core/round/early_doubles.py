"""A double that is laid before its hand's turn: who plays two boxes lays the chips of both at once.

No play explains the second while the first hand is played, so it would be a capped bet. It waits until the turn of its
box has come, and counts as if its reader had been slow to tell of it. A key that says otherwise ends the wait. Where
the first hand may have stood without a key it counts at once, but the cards that follow may be the first hand's: in
such plays its chips lie there until its turn (``ahead`` in ``core/game/position.py``), however many cards come before.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.certainty.rebuild import rebuild_with_more_plays, rebuild_with_outages
from controller.core.game.position import BoxStatus
from controller.core.inference.lattice import Lattice, TooManySequences
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation
from controller.core.round import dropped_changes
from controller.core.round.raised_chips import last_move, may_have_been_raised
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import ChipsSeen


def is_laid_early(transaction: Transaction, spot: int, lay_cents: int, lie_cents: int) -> bool:
    """Whether chips that came to a box may be a double of its hand, whose turn has not come."""
    box = _raised_box(transaction, spot, lay_cents, lie_cents)
    return box is not None and not transaction.round().hides_faces() and _is_pending(transaction.lattice(), box)


def was_laid_early(transaction: Transaction, seen: ChipsSeen, lay_cents: int, lie_cents: int) -> bool:
    """The same of chips that came when the turn of their box had not come, though its hand has been played since."""
    box = _raised_box(transaction, seen.spot, lay_cents, lie_cents)
    if not transaction.house.second_readings_kept or not box:
        # The first box is played as soon as the deal is out.
        return False
    return _is_pending(transaction.lattice().as_of(transaction.table_ns(seen.after_ns)), box)


def _raised_box(transaction: Transaction, spot: int, lay_cents: int, lie_cents: int) -> int | None:
    """The box that chips may double while hands are played; None: they double none."""
    round_now = transaction.state.round
    if round_now is None or spot not in round_now.bets.spots or not round_now.bets.locked or not round_now.is_dealt():
        return None
    if round_now.evidence.trouble or round_now.is_suspended() or round_now.cards.turned:
        return None
    box = round_now.bets.spots.index(spot)
    return box if 0 < lie_cents - lay_cents <= round_now.main_wagers()[box] else None


def _is_pending(lattice: Lattice, box: int) -> bool:
    """Whether the turn of a box has not come in any play."""
    return bool(lattice.frontier) and all(node.boxes[box].kind is BoxStatus.PENDING for node in lattice.frontier)


def explains(transaction: Transaction, seen: ChipsSeen, lay_cents: int, lie_cents: int) -> bool:
    """Whether some play explains now that chips came to a box between two looks."""
    box = transaction.round().bets.spots.index(seen.spot)
    moved = ChipsObserved(box, seen.zone, lay_cents, lie_cents)
    first_ns, last_ns = transaction.table_ns(seen.after_ns), transaction.table_ns(seen.by_ns)
    try:
        return bool(transaction.lattice().observe(DatedObservation(first_ns, last_ns, moved)).frontier)
    except TooManySequences:
        return True


def follow(transaction: Transaction, item: ChipsObserved) -> ChipsObserved:
    """A change of chips, which goes on with what was laid before its box's turn if the last change there may be that.

    Of what no play explains it is not known what of it lies there still. Nobody doubles a made hand.
    """
    last = last_move(transaction.round(), item.box)
    if not transaction.house.movements_joined or item.zone != "main" or item.idle or last is None or last[1].idle:
        return item
    goes_on = last[1].waits or last[1].follows
    return replace(item, follows=goes_on and may_have_been_raised(transaction.lattice(), last[0], item.box))


_CARDS: Final = 4
"""So many cards the hands that are played before may take, until a double is known to be able to wait."""


def stands_are_keyed(transaction: Transaction) -> bool:
    """Whether a key says of every hand that it stands, before the next card comes.

    A press that may belong one card earlier (``key_slack``) leaves open whose that card was, as a stand without a key.
    """
    options = transaction.round().options(transaction.rules)
    may_be_late = transaction.house.movements_joined and options.key_slack > 0
    return options.stand_key == "always" and not may_be_late


def note_card(transaction: Transaction, at_ns: int) -> None:
    """A card is drawn: what may have been laid before its hand's turn may be a double that this card is not for."""
    round_now = transaction.round()
    if not transaction.house.doubles_awaited or not round_now.is_dealt() or not round_now.bets.locked:
        return
    evidence = round_now.evidence
    keyed = stands_are_keyed(transaction)
    if evidence.trouble or round_now.cards.turned or (keyed and not transaction.house.keyed_doubles_kept):
        return
    if evidence.outages and not transaction.house.turns_awaited:
        # Enough is open, and more would be too much to follow.
        return
    for one in evidence.observations:
        _take_up(transaction, one, at_ns)
    if keyed:
        # What a play explains has had its turn.
        return
    known = transaction.round().evidence.observations
    early = [one for one in known if _may_be_early(transaction, one)]
    if early:
        waiting = tuple(_waiting(transaction, one, at_ns) if one in early else one for one in known)
        if transaction.house.turns_awaited:
            rebuild_with_more_plays(transaction, waiting)
            return
        transaction.change_evidence(observations=waiting)
        rebuild_with_outages(transaction, evidence.outages)


def note_reported(transaction: Transaction) -> None:
    """Chips are reported that some play explains: a double whose turn has not come waits for it from then on.

    Cards of the hands before it may have come since it was laid.
    """
    if transaction.house.turns_awaited:
        note_card(transaction, transaction.times().last_card_ns)


def _take_up(transaction: Transaction, one: DatedObservation, at_ns: int) -> None:
    """Let a double count that no play explained when it was reported, if its turn may have come by this card."""
    item = one.item
    if not isinstance(item, ChipsObserved) or not item.idle:
        return
    left_out = replace(one, item=replace(item, idle=False))
    if not _may_be_early(transaction, left_out):
        return
    waiting = _waiting(transaction, left_out, at_ns)
    # No play explains it before the cards that have come since.
    others = (known for known in transaction.round().evidence.observations if known is not one)
    dropped_changes.count_if_explained(transaction, waiting, (*others, waiting))


def _waiting(transaction: Transaction, one: DatedObservation, until_ns: int) -> DatedObservation:
    """A double that waits for its turn; in journals of before, as if its chips had come at any time until then."""
    assert isinstance(one.item, ChipsObserved), "chips moved"
    if transaction.house.turns_awaited:
        return replace(one, item=replace(one.item, waits=True))
    return replace(one, last_ns=until_ns, item=replace(one.item, early=True))


def _may_be_early(transaction: Transaction, one: DatedObservation) -> bool:
    """Whether a change may be a double that was laid before its hand's turn, which has not come in every play yet."""
    round_now, item = transaction.round(), one.item
    if not isinstance(item, ChipsObserved) or item.zone != "main" or item.idle or item.waits or item.follows:
        return False
    if not 0 < item.before < item.after <= item.before + round_now.main_wagers()[item.box]:
        return False
    others = (other for other in round_now.evidence.observations if other.number != one.number)
    since = [other for other in others if other.last_ns > one.first_ns]
    if any(other.chips_at(item.box, "main") is not None for other in since):
        return False
    if sum(isinstance(other.item, CardObserved) for other in since) >= _CARDS:
        return False
    before = transaction.lattice().as_of(one.first_ns).frontier
    return any(node.acting < item.box and node.boxes[item.box].kind is BoxStatus.PENDING for node in before)
