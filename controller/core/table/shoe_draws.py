"""How far the draws of each shoe have been taken: what lets a shoe go on where it stopped, and no draw come twice."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.messages.events import CardDrawn, CardOpened
from controller.core.table.transaction import Transaction
from firmware_protocols import readings
from firmware_protocols.readings import ShoeDraws

SHOES_KNOWN: Final = 32
"""Memories of shoes that are remembered: years of exchanged shoes. The one longest away is forgotten first."""


def numbered(transaction: Transaction, shoe: ShoeDraws) -> None:
    """From here on draws are those of ``shoe``, and follow its ``last``."""
    others = [one for one in transaction.state.shoes if (one.serial, one.series) != (shoe.serial, shoe.series)]
    transaction.change(shoes=(*others, shoe)[-SHOES_KNOWN:])


def drawn(transaction: Transaction, sequence: int) -> None:
    """The shoe in use reported the draw of this number."""
    if transaction.state.shoes:
        *others, shoe = transaction.state.shoes
        transaction.change(shoes=(*others, replace(shoe, last=sequence)))


def card_outside(transaction: Transaction, card: readings.CardDrawn) -> None:
    """A card of no round; one that could not be read has no face to keep closed."""
    stamped = transaction.stamped
    transaction.emit(CardDrawn(None, stamped.number, None, stamped.commitment))
    if card.face is None and not stamped.closed:
        transaction.emit(CardOpened(stamped.number, "??", stamped.nonce.hex()))
