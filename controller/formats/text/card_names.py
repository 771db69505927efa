"""Cards as people write them, in any case: ``8h``, ``Th``, ``10h``, ``AS``, ``A♠``."""

from __future__ import annotations

import re
from typing import Final

from firmware_protocols.cards import Card

_NAME: Final = re.compile(r"(10|[2-9TJQKA])\s*([SHDC♠♥♦♣])")
_SUITS: Final = dict(zip("♠♥♦♣", "shdc", strict=True))


def card_named(text: str) -> Card | None:
    """The card that a person means; None: it is the name of none."""
    named = _NAME.fullmatch(text.strip().upper())
    return Card(f"{named[1].replace('10', 'T')}{_SUITS.get(named[2], named[2].lower())}") if named else None
