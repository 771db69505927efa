"""What the floor may rule on, and what it has proposed: retained for people who prepare an order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import msgspec

from controller.core.analysis.net_bounds import net_bounds
from controller.core.game.wager import RoundBook
from controller.core.messages.floor_events import ChipCount, OrderProposed
from controller.core.messages.house import House
from controller.core.messages.inputs import AdjustWager, VoidRound
from controller.core.people.corrections import ruled_wager
from controller.core.people.dual_control import order_proposed
from controller.core.table.ledger import book_of
from controller.core.table.state import State

ROUNDS_SHOWN: Final = 2
"""The round on the felt, or the last, and the one before it."""


class RulingNow(msgspec.Struct, frozen=True):
    """A ruling that waits for a second person. ``spot``, ``bet``, ``net_cents`` are null for a whole round.

    ``before_cents``: the player's net as it stands; null: open, or of a whole round.
    """

    order: int
    round: int
    spot: int | None
    bet: str | None
    before_cents: int | None
    net_cents: int | None
    who: str
    why: str
    case: str = ""


class ProposedOrderNow(msgspec.Struct, frozen=True):
    """Another order that waits for a second person: what it is about, as ``order_proposed`` says it."""

    order: int
    verb: str
    text: str
    round: int | None
    card: int | None
    face: str | None
    spot: int | None
    cents: int | None
    who: str
    why: str
    gaming_day: str | msgspec.UnsetType = msgspec.UNSET
    shift: str | msgspec.UnsetType = msgspec.UNSET
    slip: str | msgspec.UnsetType = msgspec.UNSET
    chips: tuple[ChipCount, ...] | msgspec.UnsetType = msgspec.UNSET


class RulableNow(msgspec.Struct, frozen=True):
    """A wager that may be ruled on: the player's net as it stands (null: open), and the least and most by the rules.

    The bounds are those of its bet, its stake and the meters when the books last changed.
    """

    round: int
    spot: int
    bet: str
    wager_cents: int
    net_cents: int | None
    least_cents: int
    most_cents: int


class OrdersNow(msgspec.Struct, frozen=True):
    """Retained on ``state/orders``. ``seq`` is the last event it reflects.

    ``two_persons``: every ``adjust`` and ``void``, and what overrules the known, takes two here; else an ``adjust``
    beyond the rules and a ruling on a round that has left the books alone.
    ``orders``: what waits and is no ruling on a wager or a round.
    """

    seq: int
    two_persons: bool
    rulings: tuple[RulingNow, ...]
    wagers: tuple[RulableNow, ...]
    orders: tuple[ProposedOrderNow, ...] = ()


def orders_bytes(house: House, state: State) -> bytes:
    """The payload of ``state/orders``."""
    books = [book for book in state.books if not (book.void or book.recalled)][-ROUNDS_SHOWN:]
    wagers = tuple(wager for book in books for wager in _rulable(house, state, book))
    rulings: list[RulingNow] = []
    orders: list[ProposedOrderNow] = []
    for one in state.proposed:
        match one.ruling:
            case VoidRound() | AdjustWager() as ruling:
                rulings.append(_ruling(state, one.number, ruling))
            case order:
                orders.append(_order(order_proposed(house, one, order)))
    return msgspec.json.encode(OrdersNow(state.seq, house.two_persons, tuple(rulings), wagers, tuple(orders)))


def _ruling(state: State, number: int, ruling: VoidRound | AdjustWager) -> RulingNow:
    spot, bet, due = ruled_wager(ruling)
    book = book_of(state.books, ruling.round)
    row = None if book is None or spot is None or bet is None else book.row(spot, bet)
    before = None if row is None else row.net_cents
    return RulingNow(number, ruling.round, spot, bet, before, due, ruling.who, ruling.why, ruling.case)


def _order(said: OrderProposed) -> ProposedOrderNow:
    """Another order as it was proposed."""
    places = (said.round, said.card, said.face, said.spot, said.cents)
    counted = (said.gaming_day, said.shift, said.slip, said.chips)
    return ProposedOrderNow(said.order, said.verb, said.text, *places, said.who, said.why, *counted)


def _rulable(house: House, state: State, book: RoundBook) -> Iterator[RulableNow]:
    """The wagers of a round; one whose main wager is unknown has no bounds, and is left out."""
    for row in book.rulable():
        main = book.rulable_row(row.spot, "main")
        if main is not None:
            bounds = net_bounds(house.rules, row.bet, row.wager_cents, main.wager_cents, state.progressives)
            yield RulableNow(book.round, row.spot, row.bet, row.wager_cents, row.net_cents, bounds.least, bounds.most)
