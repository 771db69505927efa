"""What two people may do about a linked meter at its table: refuse an award, grant one. The rest is the link's."""

from __future__ import annotations

from typing import Final, assert_never

from controller.core.game.side_bet import terms_of
from controller.core.meters.awards import Jackpot
from controller.core.meters.pool_postings import ClaimPosting, WinningRow
from controller.core.meters.pooled_meter import PooledMeter
from controller.core.meters.state import Adjustment, Grant, JackpotRefusal, MeterChange, MeterOrder, NewParameters
from controller.core.progressives.pool_outbox import OrderedBy, post_claim, post_verdict
from controller.core.refusal_reason import RefusalReason
from controller.core.table.transaction import Transaction

_AT_THE_LINK = RefusalReason(
    "at_the_pool", "the pool is moved at the link, by two people: tableside link adjust, tableside link change"
)

NO_JACKPOT: Final = RefusalReason("no_such_jackpot", "there is no such jackpot, or it is no longer kept")


def refusal_of_move(transaction: Transaction, linked: PooledMeter, move: MeterChange) -> RefusalReason | None:
    """Why a move could not be carried out now; None: it could."""
    match move:
        case Adjustment() | NewParameters():
            return _AT_THE_LINK
        case JackpotRefusal(number):
            jackpot = transaction.state.progressives.jackpot(number)
            if jackpot is None or jackpot.meter != linked.name:
                return NO_JACKPOT
            refused = jackpot.refused("")
            return refused if isinstance(refused, RefusalReason) else None
        case Grant(number, spot, bet):
            claims = (one.deed for one in linked.owed if isinstance(one.deed, ClaimPosting) and one.round == number)
            if any((one.spot, one.bet) == (spot, bet) for deed in claims for one in deed.winners):
                return RefusalReason("already_done", "the wager's claim waits for the link")
            return None
        case _:
            assert_never(move)


def carry_out(transaction: Transaction, linked: PooledMeter, order: MeterOrder, second: str) -> None:
    """Do what two people ordered: at once at the table, and owed to the ledger."""
    people = OrderedBy(order.who, second, order.why)
    match order.move:
        case JackpotRefusal(number):
            jackpot = transaction.state.progressives.jackpot(number)
            refused = None if jackpot is None else jackpot.refused(f"{order.who}, {second}")
            assert isinstance(refused, Jackpot), "an order that is possible names an open jackpot"
            transaction.change(progressives=transaction.state.progressives.with_jackpot(refused))
            post_verdict(transaction, refused, "refused", people)
        case Grant(number, spot, bet, row):
            winners = (WinningRow(spot, bet, row, terms_of(transaction.rules, bet).meter_shares[row]),)
            post_claim(
                transaction,
                linked,
                ClaimPosting(number, winners, shared=False),
                f"granted by {order.who} and {second}",
                people,
            )
        case Adjustment() | NewParameters():
            raise AssertionError(_AT_THE_LINK.text)
        case _:
            assert_never(order.move)
