"""Chips that came in an irregular round, beyond what any cards of it could have been paid.

What is due in such a round is for the floor to say, so nothing in it is held against a due. A key that no play allows
must not hide a payment for all that: what came before the key that closed the round is held against the most that the
rules could let a player stake and win. Without that key the chips may be the next bets.
"""

from __future__ import annotations

from controller.core.analysis.net_bounds import net_bounds
from controller.core.messages.raised_alerts import AlertKind
from controller.core.table.alert_list import money, raise_alert
from controller.core.table.payments import RoundPayments, ZoneHistory
from controller.core.table.transaction import Transaction


def report(transaction: Transaction, paid: RoundPayments) -> None:
    """Raise an alert about each wager that more came to than its rules could account for."""
    if paid.by_evidence or not transaction.house.orders_traced:
        return
    for watch in paid.watches.values():
        came_cents = sum(look.rise() for look in watch.looks[1:])
        most_cents = _most(transaction, paid, watch)
        if watch.spoilt or not watch.wager_cents or came_cents <= most_cents:
            continue
        text = (
            f"spot {watch.spot} {watch.zone}: {money(came_cents)} came in a round that no legal play explains,"
            f" where {money(most_cents)} is the most that could be staked and won on {money(watch.wager_cents)}"
        )
        raise_alert(transaction, AlertKind.CHIPS_UNEXPLAINED, text, round=paid.round, spot=watch.spot, zone=watch.zone)


def _most(transaction: Transaction, paid: RoundPayments, watch: ZoneHistory) -> int:
    """The most cents that may come to a wager: all that may be staked beside it, and the largest win."""
    main = paid.watches.get(f"{watch.spot}/main")
    main_cents = main.wager_cents if main is not None else 0
    progressives = transaction.state.progressives
    bounds = net_bounds(transaction.rules, watch.zone, watch.wager_cents, main_cents, progressives)
    return bounds.most - bounds.least - watch.wager_cents
