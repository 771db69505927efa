"""The books: what the wagers of the last rounds came to, so that the floor can still rule on a round that is closed."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.alerts import SettlementDoubted, WagerUncertain
from controller.core.events import (
    BetsLocked,
    Event,
    InsuranceTaken,
    RoundClosed,
    WagerAdjusted,
    WagerOpen,
    WagerSettled,
)
from controller.core.floor_events import BoxDeclared, RoundVoided
from controller.core.wager import Basis
from firmware_protocols.values import Value

BOOKS_LIMIT: Final = 20
"""Rounds kept: a quarter of an hour at a busy table. What comes up later is for the house's accounts."""


class Row(Value, frozen=True, tag=False):
    """A wager and how it stands: open while ``due_cents`` is None, then settled on ``basis``.

    Only the floor's own ruling on this wager is ``Basis.FLOOR``: whatever else settled it gives way when the round is
    corrected.
    """

    spot: int
    bet: str
    wager_cents: int
    due_cents: int | None = None
    """The player's net."""
    basis: Basis | None = None
    doubted: bool = False
    """Whether something has contradicted the settlement since."""
    jackpot_cents: int = 0
    """What of the net the awards of meters are."""

    def ruled(self) -> bool:
        """Whether people ruled on this very wager."""
        return self.basis is Basis.FLOOR


class Book(Value, frozen=True, tag=False):
    """A round's wagers."""

    round: int
    rows: tuple[Row, ...]
    void: bool = False

    def row(self, spot: int, bet: str) -> Row | None:
        """The row of a wager."""
        return next((row for row in self.rows if (row.spot, row.bet) == (spot, bet)), None)

    def unruled(self) -> tuple[Row, ...]:
        """What was settled on evidence, answers or payments and is in no doubt yet."""
        return tuple(row for row in self.rows if row.due_cents is not None and not row.ruled() and not row.doubted)


Books = tuple[Book, ...]


def book_of(books: Books, number: int) -> Book | None:
    """The book of a round; None if it has none (any more)."""
    return next((book for book in books if book.round == number), None)


def entered(books: Books, event: Event) -> Books:
    """The books after an event."""
    match event:
        case BetsLocked(number, wagers):
            rows = tuple(Row(wager.spot, wager.bet, wager.cents) for wager in wagers)
            return (*books, Book(number, rows))[-BOOKS_LIMIT:]
        case InsuranceTaken(number, spot, cents):
            return put(books, number, replace(row_of(books, number, spot, "insurance"), wager_cents=cents))
        case BoxDeclared(number, spot, cents, beside=beside) if number:
            for row in (Row(spot, "main", cents), *(Row(one.spot, one.bet, one.cents) for one in beside)):
                books = put(books, number, row)
            return books
        case WagerSettled(number, spot, bet, wager, due, basis) | WagerAdjusted(
            number, spot, bet, wager, _, due, basis=basis
        ):
            return put(books, number, Row(spot, bet, wager, due, basis, jackpot_cents=event.jackpot_cents))
        case SettlementDoubted(number, spot, bet):
            return put(books, number, replace(row_of(books, number, spot, bet), doubted=True))
        case WagerUncertain(number, spot, bet, possible):
            return put(books, number, Row(spot, bet, max(possible)))
        case WagerOpen(number, spot, bet, wager):
            book = book_of(books, number)
            known = None if book is None else book.row(spot, bet)
            return put(books, number, Row(spot, bet, wager)) if known is None else books
        case RoundVoided(number) | RoundClosed(number, outcome="void"):
            return tuple(replace(book, void=True) if book.round == number else book for book in books)
        case _:
            return books


def row_of(books: Books, number: int, spot: int, bet: str) -> Row:
    """The row of a wager, empty if it has none yet."""
    book = book_of(books, number)
    known = None if book is None else book.row(spot, bet)
    return Row(spot, bet, 0) if known is None else known


def put(books: Books, number: int, row: Row) -> Books:
    """The books with a row in place of the one for the same wager."""
    return tuple(
        replace(book, rows=(*(one for one in book.rows if (one.spot, one.bet) != (row.spot, row.bet)), row))
        if book.round == number
        else book
        for book in books
    )
