"""The Five Card Progressive wager: it contributes to the must-hit-by meter and wins nothing by its cards.

The card of Hollywood Penn National names it without saying what it pays, and no text found says it for blackjack: so it
has no pay table and its cards are not looked at (A27).
"""

from __future__ import annotations

from typing import Final

from controller.core.game.rules import SideBetTerms
from controller.core.game.side_bet import LOST, SideBet, Stage, View


def _row(terms: SideBetTerms, view: View) -> str | None:
    """No row: only the meter can pay this wager."""
    del terms, view
    return LOST


BET: Final = SideBet(
    name="five_card_progressive",
    title="Five Card Progressive",
    placed="before_deal",
    decided=Stage.DEAL,
    rows=(),
    usual=SideBetTerms(),
    source="the card of Hollywood Penn National, which names no pay table",
    row=_row,
)
