"""What an order came to, in words: why it was refused, or what it changed, before and after, and who must approve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from controller.core.game.wager import Basis
from controller.core.messages.alerts import AnswerRefused, OrderRefused
from controller.core.messages.events import Event, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import (
    BoxDeclared,
    CardAssigned,
    CardSet,
    InventoryEntered,
    OrderProposed,
    RulingProposed,
)
from controller.core.messages.inputs import AdjustWager, ApproveOrder, AssignCard, DeclareBox, Input, SetCard, VoidRound
from controller.core.messages.meter_events import MeterChangeProposed
from controller.core.refusal_reason import RefusalReason
from controller.core.table.alert_list import money
from controller.core.table.ledger import Books, book_of
from controller.formats.text.printable import many

IN_REPLIES: Final = {
    "case_number_needed": "only the last 20 rounds are ruled on without a case number: give the house's (--case)",
    "no_such_order": (
        "no such order waits: it was approved or withdrawn, or lapsed with the round, card or gaming day it was about"
    ),
    "no_such_alert": (
        "no such alert waits: it was never raised, or was acknowledged before (tableside alerts --all); its number is"
        " `alert` in its event, and not that event's seq"
    ),
}
"""What a reply says of a refusal whose sentence in the journal is short. That sentence stays: a change of its wording
would make every journal that has it replay differently."""

CORRECTING: Final = (ApproveOrder, SetCard, AssignCard, DeclareBox)
"""Orders whose reply says what is on record now of cards and boxes."""

SHOWN: Final = 8
"""Wagers named in one reply; a void round of a full table has more, and ``tableside round`` names them all."""


def refusal_of(events: Sequence[Event]) -> RefusalReason | None:
    """Why the table would not; None: it did."""
    refused = [event for event in events if isinstance(event, AnswerRefused | OrderRefused)]
    if not refused:
        return None
    codes = {event.reason_code for event in refused if event.reason_code is not None}
    code = codes.pop() if len(codes) == 1 else "several"
    return RefusalReason(code, "; ".join(IN_REPLIES.get(event.reason_code or "", event.reason) for event in refused))


def remark_of(given: Input, events: Sequence[Event], books: Books) -> str:
    """What is to be said of an order that was accepted; empty where there is nothing to add.

    ``books`` are the table's after it, in which a wager still stands as it did before a proposal.
    """
    changes = list(_changes(events)) if isinstance(given, VoidRound | AdjustWager | ApproveOrder) else []
    more = [f"and {many(len(changes) - SHOWN, 'wager')} more"] if len(changes) > SHOWN else []
    corrected = list(_corrected(events)) if isinstance(given, CORRECTING) else []
    return "; ".join((*corrected, *changes[:SHOWN], *more, *_remarks(events, books)))


def _corrected(events: Sequence[Event]) -> Iterator[str]:
    """What was said of cards and boxes, and of which round, as it is on record now."""
    for event in events:
        match event:
            case BoxDeclared(number, spot, cents):
                place = "the next round" if number is None else f"round {number}"
                yield f"{place}: spot {spot} is {f'in play for {money(cents)}' if cents > 0 else 'not in play'}"
            case CardSet(number, card, _, after):
                yield f"round {number}: card {card} is {after or 'no card of the round'}"
            case CardAssigned(number, card, spot):
                yield f"round {number}: card {card} is {f'of spot {spot}' if spot else 'of the dealer'}"
            case _:
                pass


def _changes(events: Sequence[Event]) -> Iterator[str]:
    for event in events:
        match event:
            case WagerAdjusted(_, spot, bet, _, before, due):
                yield f"spot {spot} {bet}: {money(before)} -> {money(due)}"
            case WagerSettled(_, spot, bet, _, due, Basis.FLOOR):
                yield f"spot {spot} {bet}: open -> {money(due)}"
            case _:
                pass


def _remarks(events: Sequence[Event], books: Books) -> Iterator[str]:
    for event in events:
        match event:
            case RulingProposed(order, number, spot, bet, int(due)):
                what = f"round {number} spot {spot} {bet}: {_net_now(books, number, spot, bet)} -> {money(due)}"
                yield f"order {order} waits for another person to approve it: {what}{_of_case(event)}"
            case RulingProposed(order, number):
                yield f"order {order} waits for another person to approve it: void round {number}{_of_case(event)}"
            case OrderProposed(order, _, text, number):
                where = "" if number is None else f"round {number}: "
                yield f"order {order} waits for another person to approve it: {where}{text}"
            case MeterChangeProposed(order):
                yield f"order {order} waits for another person to approve it"
            case InventoryEntered(entry, kind, cents):
                of_time = f" of gaming day {event.gaming_day}" if event.gaming_day else ""
                shift = f", {event.shift} shift" if event.shift else ""
                yield f"entry {entry}: {kind} {money(cents)}{of_time}{shift}"
            case _:
                pass


def _of_case(proposed: RulingProposed) -> str:
    """The case of a proposed ruling, as a reply adds it."""
    return f", case {proposed.case}" if proposed.case else ""


def _net_now(books: Books, number: int, spot: int | None, bet: str | None) -> str:
    """The player's net of a wager as the books have it."""
    book = book_of(books, number)
    row = None if book is None or spot is None or bet is None else book.row(spot, bet)
    return "open" if row is None or row.net_cents is None else money(row.net_cents)
