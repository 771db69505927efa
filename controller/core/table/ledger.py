"""The books: what the wagers of the last rounds came to, so that the floor can still rule on a round that is closed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec.structs import replace

from controller.core.game.wager import BookRow, RoundBook
from controller.core.messages.alerts import SettlementDisputed, WagerUncertain
from controller.core.messages.events import (
    BettingClosed,
    DeniedWagers,
    Event,
    InsuranceTaken,
    QuestionAnswered,
    RoundClosed,
    WagerAdjusted,
    WagerSettled,
    WagerUnresolved,
)
from controller.core.messages.floor_events import BoxDeclared, RoundVoided

BOOKS_LIMIT: Final = 20
"""Rounds kept: a quarter of an hour at a busy table. What comes up later is recalled from the journal."""

RECALLED_LIMIT: Final = 50
"""Rounds recalled at once; the oldest makes room for one more."""


KEPT_ON_BOOKS: Final = frozenset(
    {
        *(BettingClosed, RoundClosed, RoundVoided, BoxDeclared, QuestionAnswered),
        *(InsuranceTaken, WagerSettled, WagerAdjusted, SettlementDisputed, WagerUncertain, WagerUnresolved),
    }
)
"""The events that change the books."""

Books = tuple[RoundBook, ...]


def book_of(books: Books, number: int) -> RoundBook | None:
    """The book of a round; None if it has none (any more)."""
    # It is nearly always the last one's.
    return next((book for book in reversed(books) if book.round == number), None)


def books_after(books: Books, event: Event) -> Books:
    """The books after an event."""
    match event:
        case BettingClosed(number, wagers):
            rows = tuple(BookRow(wager.spot, wager.bet, wager.cents) for wager in wagers)
            old = [book for book in books if book.recalled]
            fresh = [book for book in books if not book.recalled and book.round != number]
            # Who was not let in was said before the lock is published.
            begun = book_of(books, number)
            denied = () if begun is None else begun.denied
            return (*old, *(*fresh, RoundBook(number, rows, denied=denied))[-BOOKS_LIMIT:])
        case QuestionAnswered(denied=DeniedWagers(number, denied)):
            if book_of(books, number) is None:
                books = (*books, RoundBook(number, ()))
            return tuple(
                replace(book, denied=(*book.denied, *denied)) if book.round == number else book for book in books
            )
        case InsuranceTaken(number, spot, cents):
            return _put(books, number, replace(_row_of(books, number, spot, "insurance"), wager_cents=cents))
        case BoxDeclared(int(number), spot, 0):
            return tuple(
                replace(book, rows=tuple(row for row in book.rows if row.spot != spot))
                if book.round == number
                else book
                for book in books
            )
        case BoxDeclared(int(number), spot, cents, beside=beside):
            for row in (BookRow(spot, "main", cents), *(BookRow(one.spot, one.bet, one.cents) for one in beside)):
                books = _put(books, number, row)
            return books
        case WagerSettled(number, spot, bet, wager, due, basis) | WagerAdjusted(
            number, spot, bet, wager, _, due, basis=basis
        ):
            return _put(books, number, BookRow(spot, bet, wager, due, basis, jackpot_cents=event.jackpot_cents))
        case SettlementDisputed(number, spot, bet):
            return _put(books, number, replace(_row_of(books, number, spot, bet), doubted=True))
        case WagerUncertain(number, spot, bet, possible):
            return _put(books, number, BookRow(spot, bet, max(possible)))
        case WagerUnresolved(number, spot, bet, wager):
            book = book_of(books, number)
            known = None if book is None else book.row(spot, bet)
            return _put(books, number, BookRow(spot, bet, wager)) if known is None else books
        case RoundVoided(number) | RoundClosed(number, outcome="void"):
            return tuple(replace(book, void=True) if book.round == number else book for book in books)
        case _:
            return books


def recall(events: Iterable[Event], number: int) -> RoundBook | None:
    """The book of a round out of its events, in order; None if it was never dealt.

    Events of other rounds are passed over, so those of a whole journal will do.
    """
    books: Books = ()
    for event in events:
        about = event.denied if isinstance(event, QuestionAnswered) else event
        if getattr(about, "round", None) == number:
            books = books_after(books, event)
    book = book_of(books, number)
    return None if book is None else replace(book, recalled=True)


def with_recalled(books: Books, book: RoundBook) -> Books:
    """The books with one brought back, by round; a round that is on them stays as it is."""
    if book_of(books, book.round) is not None:
        return books
    old = tuple(one for one in books if one.recalled)[-(RECALLED_LIMIT - 1) :]
    fresh = (one for one in books if not one.recalled)
    return (*sorted((*old, book), key=lambda one: one.round), *fresh)


def _row_of(books: Books, number: int, spot: int, bet: str) -> BookRow:
    """The row of a wager, empty if it has none yet."""
    book = book_of(books, number)
    known = None if book is None else book.row(spot, bet)
    return BookRow(spot, bet, 0) if known is None else known


def _put(books: Books, number: int, row: BookRow) -> Books:
    """The books with a row in place of the one for the same wager."""
    place = next((place for place in reversed(range(len(books))) if books[place].round == number), -1)
    if place < 0:
        return books
    others = [one for one in books[place].rows if one.spot != row.spot or one.bet != row.bet]
    return (*books[:place], replace(books[place], rows=(*others, row)), *books[place + 1 :])
