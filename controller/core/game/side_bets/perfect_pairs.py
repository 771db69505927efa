"""Perfect Pairs: the first two cards are of one rank.

Rows as the makers' sheets name them: identical cards, cards of one colour, cards of two colours. No profile that comes
with the program offers it.
"""

from __future__ import annotations

from typing import Final

from controller.core.game.rules import SideBetTerms
from controller.core.game.side_bet import LOST, SideBet, Stage, View

_RED: Final = frozenset("dh")


def _row(terms: SideBetTerms, view: View) -> str | None:
    """The highest row of the first two cards."""
    del terms
    if view.first.value[0] != view.second.value[0]:
        return LOST
    if view.first is view.second:
        return "perfect"
    one_colour = (view.first.value[1] in _RED) == (view.second.value[1] in _RED)
    return "coloured" if one_colour else "mixed"


BET: Final = SideBet(
    name="perfect_pairs",
    title="Perfect Pairs",
    placed="before_deal",
    decided=Stage.DEAL,
    rows=("perfect", "coloured", "mixed"),
    usual=SideBetTerms(pays={"perfect": (25, 1), "coloured": (12, 1), "mixed": (6, 1)}, least_decks=2),
    source="the makers' sheets",
    row=_row,
)
