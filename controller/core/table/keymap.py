"""What the dealer's keys mean (a 5 by 5 pad, keys ``A`` to ``Y`` row by row)."""

from __future__ import annotations

from typing import Final

KEYPAD: Final = "keypad"
"""What the dealer's keypad is called as a device."""

DEFAULT_KEYS: Final[dict[str, str]] = {
    **dict(zip("ABCDE", ("1", "2", "3", "4", "5"), strict=True)),
    **dict(zip("FGHIJ", ("6", "7", "8", "9", "0"), strict=True)),
    **dict(zip("KLMNO", ("hit", "stand", "double", "split", "surrender"), strict=True)),
    **dict(
        zip("PQRST", ("no_more_bets", "insurance_closed", "even_money", "hole_turned", "round_closed"), strict=True)
    ),
    **dict(zip("UVWXY", ("yes", "no", "undo", "burn", "call_floor"), strict=True)),
}
"""The map used unless the table file gives another."""

DIGITS: Final = frozenset("1234567890")
"""A digit names the spot of the action key that follows it."""

DECISIONS: Final = frozenset({"hit", "stand", "double", "split", "surrender", "even_money"})
"""Keys that speak of a spot's play."""

EVIDENCE: Final = DECISIONS | {"insurance_closed", "hole_turned"}
"""Keys that are evidence of the round's course."""

_PROCEDURE: Final = frozenset({"no_more_bets", "round_closed", "yes", "no", "undo", "burn", "cut_card", "call_floor"})
"""Keys that speak of the table."""

MEANINGS: Final = DIGITS | EVIDENCE | _PROCEDURE
"""Everything a key may mean."""
