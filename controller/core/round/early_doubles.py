"""A double that is laid before its hand's turn: who plays two boxes lays the chips of both at once.

No play explains the second while the first hand is played, so it would be a capped bet. It waits until the turn of its
box has come, and counts as if its reader had been slow to tell of it. A key that says otherwise ends the wait.
"""

from __future__ import annotations

from controller.core.game.position import BoxStatus
from controller.core.inference.lattice import TooManySequences
from controller.core.inference.observation import ChipsObserved, DatedObservation
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import ChipsSeen


def is_laid_early(transaction: Transaction, spot: int, lay_cents: int, lie_cents: int) -> bool:
    """Whether chips that came to a box may be a double of its hand, whose turn has not come."""
    round_now = transaction.state.round
    if round_now is None or spot not in round_now.bets.spots or not round_now.bets.locked or not round_now.is_dealt():
        return False
    if round_now.evidence.trouble or round_now.is_suspended() or round_now.hides_faces() or round_now.cards.turned:
        return False
    box, frontier = round_now.bets.spots.index(spot), transaction.lattice().frontier
    if not 0 < lie_cents - lay_cents <= round_now.main_wagers()[box]:
        return False
    return bool(frontier) and all(node.boxes[box].kind is BoxStatus.PENDING for node in frontier)


def explains(transaction: Transaction, seen: ChipsSeen, lay_cents: int, lie_cents: int) -> bool:
    """Whether some play explains now that chips came to a box between two looks."""
    box = transaction.round().bets.spots.index(seen.spot)
    moved = ChipsObserved(box, seen.zone, lay_cents, lie_cents)
    first_ns, last_ns = transaction.table_ns(seen.after_ns), transaction.table_ns(seen.by_ns)
    try:
        return bool(transaction.lattice().observe(DatedObservation(first_ns, last_ns, moved)).frontier)
    except TooManySequences:
        return True
