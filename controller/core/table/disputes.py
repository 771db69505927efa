"""Settlements that stand in doubt: what was settled of a round before something showed that it may not have been so."""

from __future__ import annotations

from collections.abc import Callable

from controller.core.game.wager import Basis, BookRow
from controller.core.messages.alerts import RoundIrregular, SettlementDisputed
from controller.core.messages.events import Event, RoundClosed, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import RoundVoided
from controller.core.meters.state import Progressives
from controller.core.table.ledger import Books, book_of
from controller.core.table.round_state import Round


def undisputed_settlements(
    books: Books, number: int, reason: str, doubted: Callable[[BookRow], bool] = lambda _: True
) -> tuple[SettlementDisputed, ...]:
    """What has been settled of a round, is not the floor's ruling, and is not in doubt yet."""
    book = book_of(books, number)
    rows = () if book is None else book.unruled()
    return tuple(
        SettlementDisputed(number, row.spot, row.bet, row.wager_cents, row.net_cents or 0, reason)
        for row in rows
        if doubted(row)
    )


def disputes_of_overtaken(books: Books, round_now: Round) -> tuple[SettlementDisputed, ...]:
    """What was settled of the round before an irregular one, if neither a key nor a payment says that it was over.

    Its chips had moved as only payment explains, so the next card had to begin another round. But they had not moved as
    was due, and the round so begun is none: the card may have been the old round's, and its chips a double.
    """
    if not round_now.evidence.trouble or not round_now.overtook_unpaid:
        return ()
    why = "a card ended it before it was paid as it is due, and the round so begun is irregular"
    return undisputed_settlements(books, round_now.overtook, f"{why}: {round_now.evidence.trouble}")


def still_decided(progressives: Progressives, event: Event) -> Progressives:
    """What the cards have decided of wagers that wait for the trigger box, once an event is published.

    A person's ruling on the wager takes its place; of a round that is void or irregular nothing is decided.
    """
    match event:
        case WagerSettled(number, spot, bet, basis=Basis.FLOOR) | WagerAdjusted(number, spot, bet, basis=Basis.FLOOR):
            return progressives.undecided(number, spot, bet)
        case RoundVoided(number) | RoundIrregular(number) | RoundClosed(number, outcome="irregular"):
            return progressives.undecided(number)
        case _:
            return progressives
