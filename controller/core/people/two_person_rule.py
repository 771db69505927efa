"""Which orders of the floor take a second person.

A ruling on what a wager is due always does where the house wants two (``two_persons``), and in every house where no
cards account for the due or the round has long left the books. What the table could not see one person says alone, for
the game waits: the face of an unread card, the owner of a card, a box of the next round. To overrule what is known
moves money as well, and takes two: a face that was read or named, that a card left the shoe, a stated owner, a box in
a round that has begun, whatever changes the due of a settled wager, and a count that the table cannot have held. A
count that changes what was entered of a past day takes two in every house, as a late ruling does.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from msgspec import UNSET

from controller.core.analysis.net_bounds import net_bounds
from controller.core.messages.events import Event, WagerAdjusted
from controller.core.messages.inputs import (
    AdjustWager,
    AssignCard,
    DeclareBox,
    EnterInventory,
    Ruling,
    SetCard,
    VoidRound,
)
from controller.core.people import corrections, table_inventory
from controller.core.refusal_reason import RefusalReason
from controller.core.round import lifecycle
from controller.core.table.alert_list import money
from controller.core.table.ledger import book_of
from controller.core.table.transaction import Transaction


class OrderTrial:
    """An order carried out on a copy of the table, at most once: late in a round of seven boxes it takes long."""

    def __init__(self, transaction: Transaction, ruling: Ruling | EnterInventory) -> None:
        self._copy, self._ruling = Transaction(transaction.table(), transaction.stamped), ruling

    @cached_property
    def refused(self) -> RefusalReason | None:
        """Why the order would be refused now; None: it would not."""
        if isinstance(self._ruling, EnterInventory):
            return table_inventory.enter(self._copy, self._ruling, UNSET)
        return corrections.carry_out(self._copy, self._ruling)

    @cached_property
    def events(self) -> Sequence[Event]:
        """What it would give."""
        if self.refused is None:
            lifecycle.review(self._copy)
        return self._copy.events


def applies(transaction: Transaction, ruling: Ruling | EnterInventory, overruled: str) -> bool:
    """Whether the house wants a second person for an order; ``overruled``: what is known that it overrules."""
    match ruling:
        case VoidRound() | AdjustWager():
            return transaction.house.two_persons or _is_recalled(transaction, ruling)
        case EnterInventory() if table_inventory.restates_past_day(transaction, ruling):
            return True
        case _:
            return transaction.house.two_persons and bool(overruled)


def beyond_rules(transaction: Transaction, ruling: Ruling | EnterInventory) -> str:
    """What a ruling orders that no cards could give its wager, in words; empty: they could."""
    book = book_of(transaction.state.books, ruling.round) if isinstance(ruling, AdjustWager) else None
    if book is None or not isinstance(ruling, AdjustWager):
        return ""
    row, main = book.rulable_row(ruling.spot, ruling.bet), book.rulable_row(ruling.spot, "main")
    if (row is None and ruling.bet != "insurance") or main is None:
        return ""
    wager_cents = 0 if row is None else row.wager_cents
    bounds = net_bounds(transaction.rules, ruling.bet, wager_cents, main.wager_cents, transaction.state.progressives)
    if bounds.hold(ruling.net_cents):
        return ""
    given = f"its rules give {money(bounds.least)} to {money(bounds.most)}"
    return f"round {ruling.round} spot {ruling.spot} {ruling.bet} due {money(ruling.net_cents)}, and {given}"


def overruled(transaction: Transaction, ruling: Ruling | EnterInventory, trial: OrderTrial) -> str:
    """What is known that an order overrules, in words; empty: nothing, or the journal is of before that mattered."""
    if not transaction.house.orders_bounded:
        return ""
    match ruling:
        case SetCard(_, card):
            return _known_face(transaction, card) or _struck_card(transaction, ruling) or _changed_due(trial)
        case AssignCard(_, card):
            return _known_owner(transaction, card) or _changed_due(trial)
        case DeclareBox(_, spot, cents):
            number = transaction.state.open_round()
            amount = "not in play" if cents <= 0 else f"in play for {money(cents)}"
            return "" if number is None else f"spot {spot} {amount}, said after round {number} began"
        case EnterInventory():
            return table_inventory.unlikely(transaction, ruling)
        case AdjustWager():
            return _denied_wager(transaction, ruling)
        case _:
            return ""


def round_of(transaction: Transaction, ruling: Ruling | EnterInventory) -> int | None:
    """The round that an order is about; None: the next one, or none."""
    match ruling:
        case VoidRound(_, number) | AdjustWager(_, number):
            return number
        case SetCard(_, card) | AssignCard(_, card):
            found = corrections.round_with(transaction, card)
            return None if found is None else found[0].number
        case DeclareBox():
            return transaction.state.open_round()
        case _:
            return None


def _is_recalled(transaction: Transaction, ruling: VoidRound | AdjustWager) -> bool:
    """Whether a ruling is on a round that was recalled from the journal."""
    book = book_of(transaction.state.books, ruling.round)
    return book is not None and book.recalled


def _known_face(transaction: Transaction, card: int) -> str:
    """That the shoe has read a card, or a person has named it; empty: neither."""
    found = corrections.round_with(transaction, card)
    if found is None:
        return ""
    round_now, place = found
    return "" if round_now.cards.drawn[place].unread else f"card {card}, which was read or named already"


def _known_owner(transaction: Transaction, card: int) -> str:
    """That a person has said whose a card is; empty: nobody has."""
    found = corrections.round_with(transaction, card)
    if found is None:
        return ""
    round_now, place = found
    said = any(place in {one.holds, one.lacks} for one in round_now.evidence.answers)
    return f"card {card}, of which it was said already whose it is" if said else ""


def _denied_wager(transaction: Transaction, ruling: AdjustWager) -> str:
    """That a person has said that what an order rules on was no wager; empty: it is one, or there is none."""
    book = book_of(transaction.state.books, ruling.round)
    if book is None or book.row(ruling.spot, ruling.bet) is not None:
        return ""
    if book.rulable_row(ruling.spot, ruling.bet) is None:
        return ""
    return f"round {ruling.round} spot {ruling.spot} {ruling.bet}, of which it was said that it was not dealt in"


def _struck_card(transaction: Transaction, ruling: SetCard) -> str:
    """That a card left the shoe which an order strikes; empty: it strikes none.

    A hand that waited for that card has its due turned round by it, and nothing shows afterwards what the card was.
    """
    if ruling.face is not None or not transaction.house.proposals_bound:
        return ""
    return (
        "" if corrections.round_with(transaction, ruling.card) is None else f"card {ruling.card}, which left the shoe"
    )


def _changed_due(trial: OrderTrial) -> str:
    """The settled wager whose due an order would change; empty: it would change none."""
    if trial.refused is not None:
        return ""
    changed = (one for one in trial.events if isinstance(one, WagerAdjusted) and one.before_cents != one.net_cents)
    return next((f"round {one.round} spot {one.spot} {one.bet} was settled already" for one in changed), "")
