"""A wager settled after its round: the trigger box or the pool's ledger answered only then.

Such an answer completes what the cards decided, and nothing else. Where people have ruled meanwhile, where the round
was voided, turned out irregular or was corrected, what the cards had decided no longer holds and the answer settles
nothing.
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.game.wager import Basis
from controller.core.messages.events import WagerSettled
from controller.core.table.ledger import book_of
from controller.core.table.transaction import Transaction


def settle(transaction: Transaction, place: tuple[int, int, str], net_cents: int, why: str, jackpot_cents: int) -> None:
    """Settle the open wager at ``place`` (round, spot, bet) of a round that is over; the open round settles its own.

    ``jackpot_cents`` is what of the net the awards of meters are.
    """
    number, spot, bet = place
    book = book_of(transaction.state.books, number)
    row = None if book is None or book.void else book.row(spot, bet)
    if (
        row is None
        or row.net_cents is not None
        or (transaction.state.round is not None and transaction.state.round.number == number)
    ):
        return
    rests = (transaction.stamped.number,)
    transaction.emit(WagerSettled(*place, row.wager_cents, net_cents, Basis.EVIDENCE, rests, why, jackpot_cents))
    # A round that waits for an answer is judged again: this wager of it is done.
    waiting = tuple(
        replace(one, ending=replace(one.ending, settled=(*one.ending.settled, (spot, bet))))
        if one.number == number
        else one
        for one in transaction.state.waiting
    )
    transaction.change(waiting=waiting)
