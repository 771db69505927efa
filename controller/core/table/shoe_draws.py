"""How far the draws of each shoe have been taken: what lets a shoe go on where it stopped, and no draw come twice."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.messages.events import CardDrawn, CardOpened
from controller.core.table.transaction import Desk
from firmware_protocols import readings
from firmware_protocols.readings import ShoeDraws

SHOES_KNOWN: Final = 32
"""Memories of shoes that are remembered: years of exchanged shoes. The one longest away is forgotten first."""


def numbered(desk: Desk, shoe: ShoeDraws) -> None:
    """From here on draws are those of ``shoe``, and follow its ``last``."""
    others = [one for one in desk.state.shoes if (one.serial, one.series) != (shoe.serial, shoe.series)]
    desk.change(shoes=(*others, shoe)[-SHOES_KNOWN:])


def drawn(desk: Desk, sequence: int) -> None:
    """The shoe in use told the draw of this number."""
    if desk.state.shoes:
        *others, shoe = desk.state.shoes
        desk.change(shoes=(*others, replace(shoe, last=sequence)))


def card_outside(desk: Desk, card: readings.CardDrawn) -> None:
    """A card of no round; one that could not be read has no face to keep closed."""
    stamped = desk.stamped
    desk.tell(CardDrawn(None, stamped.number, None, stamped.commitment))
    if card.face is None and not stamped.closed:
        desk.tell(CardOpened(stamped.number, "??", stamped.nonce.hex()))
