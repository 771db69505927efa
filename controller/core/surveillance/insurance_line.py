"""Insurance that is more than its card allows, or is taken back once it counts.

On this line a wager is made, corrected, laid in parts, taken and paid. What lies there while the offer is open may be
corrected, and with its payment at 2 to 1 it is three times the wager. So what is too much is said when the offer
closes, and only of chips that cannot be a payment.
"""

from __future__ import annotations

from typing import Final

from controller.core.inference.observation import CardObserved, KeyObserved
from controller.core.messages.alerts import ChipsUnexplained, InsuranceTooLarge
from controller.core.messages.raised_alerts import AlertKind
from controller.core.surveillance import payment_check
from controller.core.surveillance.unexplained_moves import not_all_heard
from controller.core.table.alert_list import money, raise_alert
from controller.core.table.layout import cents_at, zone_name
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, ChipsSeen, KeyPressed

_PLAY: Final = frozenset({"insurance_closed", "stand", "hit", "double", "split"})
"""Keys before which no insurance is paid."""


def insurance_too_large(before: Table, transaction: Transaction) -> None:
    """More than the card allows lay on an insurance line when the offer closed, and is no payment."""
    lattice, was, now = transaction.open_lattice, before.state.round, transaction.state.round
    if lattice is None or lattice.game.offered_zone != "insurance" or not transaction.house.slips_awaited:
        return
    if was is None or now is None or was.number != now.number or now.evidence.trouble or not now.is_dealt():
        return
    closes = before.lattice is not None and any(node.offers for node in before.lattice.frontier)
    reading = transaction.stamped.input
    if not (closes or (isinstance(reading, ChipsSeen) and reading.zone == "insurance")):
        return
    if not lattice.frontier or any(node.offers for node in lattice.frontier) or _may_be_paid(transaction):
        return
    for spot, wager_cents in zip(now.bets.spots, now.main_wagers(), strict=True):
        most = transaction.rules.insurance_cap_cents(wager_cents)
        lay, lies = (cents_at(felt, spot, "insurance") for felt in (before.state.felt, transaction.state.felt))
        # As it closes both are looked at; after that only what a reader tells late of the time before.
        if (min(lay, lies) if closes else lies * (lay < lies)) > most and not _is_unexplained(transaction, spot):
            transaction.emit_when_shown(InsuranceTooLarge(now.number, spot, lies, most))


def _is_unexplained(transaction: Transaction, spot: int) -> bool:
    """Whether this step has found that chips came to the line once the offer was over."""
    return any(
        isinstance(one, ChipsUnexplained) and (one.spot, one.zone) == (spot, "insurance") for one in transaction.events
    )


def _may_be_paid(transaction: Transaction) -> bool:
    """Whether what lies on the line as the offer closes may be the payment of what was wagered.

    Once the hole card is turned it says so. Before, a card comes only where insurance has lost, and a key of the play
    before it is paid. Where neither closes the offer the dealer may have looked at his cards long before.
    """
    reading = transaction.stamped.input
    if isinstance(reading, ChipsSeen) and _is_played_after(transaction, transaction.table_ns(reading.by_ns)):
        return False
    if transaction.round().cards.turned:
        return {transaction.lattice().game.up_points, transaction.hole_points()} == {1, 10}
    return not isinstance(reading, CardDrawn | KeyPressed) and _may_be_settled(transaction)


def _is_played_after(transaction: Transaction, moment_ns: int) -> bool:
    """Whether a card, or a key of the play, came after a moment: insurance is paid after all of them."""
    return any(
        one.first_ns > moment_ns
        and (isinstance(one.item, CardObserved) or (isinstance(one.item, KeyObserved) and one.item.action in _PLAY))
        for one in transaction.round().evidence.observations
    )


def insurance_lowered(before: Table, transaction: Transaction) -> None:
    """Insurance taken back once it counts and before it is settled: it counts all the same."""
    reading, round_now = transaction.stamped.input, transaction.state.round
    if (
        not isinstance(reading, ChipsSeen)
        or reading.zone != "insurance"
        or round_now is None
        or round_now.evidence.trouble
    ):
        return
    paid = transaction.state.paid[-1] if transaction.state.paid else None
    name = zone_name(reading.spot, reading.zone)
    was, now = before.state.felt.get(name), transaction.state.felt[name]
    counted = paid.insured.get(str(reading.spot), 0) if paid is not None else 0
    settled = round_now.cards.turned or (reading.spot, "insurance") in round_now.ending.settled
    # A device that finds no natural has decided it before anything shows that; hidden hands tell nothing of theirs.
    settled = settled or transaction.rules.hole_check == "device" or round_now.hides_faces()
    if paid is None or was is None or settled or now.cents >= min(was.cents, counted) or _may_be_settled(transaction):
        return
    kind = AlertKind.CHIPS_UNEXPLAINED if not_all_heard(round_now, reading.spot, reading.zone) else AlertKind.PINCHING
    text = f"spot {reading.spot} insurance: {money(was.cents)} became {money(now.cents)} after the offer had closed"
    amounts = {"before_cents": was.cents, "after_cents": now.cents, "before": was.chips, "after": now.chips}
    raise_alert(transaction, kind, text, round=round_now.number, spot=reading.spot, zone=reading.zone, **amounts)
    payment_check.exclude_zone(transaction, name)


def _may_be_settled(transaction: Transaction) -> bool:
    """Whether insurance may have been taken or paid: in some play all boxes have played, or no play is left.

    What follows an unread card is no part of the plays before its name is known.
    """
    if transaction.house.names_awaited and transaction.round().waits_for_card():
        return True
    lattice = transaction.lattice()
    play, insured = lattice.game, lattice.last_layout().insured
    reached = (after for node in lattice.frontier for after, _ in play.reach(node, insured))
    return not lattice.frontier or any(play.all_played(node) for node in reached)
