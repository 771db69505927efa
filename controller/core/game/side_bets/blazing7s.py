"""Blazing 7's: sevens among the first two cards, and the up card behind two of them.

Rows and awards: the card of Hollywood Penn National, which is S.D. Admin. R. 20:18:15:30.19. The awards are "for one":
the stake is gone before the deal (A22). The two highest rows are paid by the linked meter. From the top, the highest
row only; the up card's seven counts behind two sevens of the box's own (A21).
"""

from __future__ import annotations

from typing import Final

from controller.core.game.rules import SideBetTerms
from controller.core.game.side_bet import LOST, SideBet, Stage, View, chosen

_CHOICES: Final = {
    "up_card_seven": ("behind_two", "always"),
    # ``always``: with one seven in the box an up card seven makes two, without any it makes one.
    "two_meter_winners": ("share", "in_turn"),
    # Two who win the whole meter in one round share it, or the first one evaluated takes it (A23).
}


def _row(terms: SideBetTerms, view: View) -> str | None:
    """The highest row of the box's two cards and the up card."""
    own = (view.first.value[0] == "7") + (view.second.value[0] == "7")
    up = view.up.value[0] == "7"
    if own == 2 and up:
        suits = {view.first.value[1], view.second.value[1], view.up.value[1]}
        if suits == {"d"}:
            return "three_diamonds"
        if len(suits) == 1:
            return "three_suited"
        return "three_same_color" if suits in ({"d", "h"}, {"c", "s"}) else "three"
    sevens = own + (up and chosen(_CHOICES, terms, "up_card_seven") == "always")
    return ("one", "two")[sevens - 1] if sevens else LOST


BET: Final = SideBet(
    name="blazing7s",
    title="Blazing 7's",
    placed="before_deal",
    decided=Stage.DEAL,
    rows=("three_diamonds", "three_suited", "three_same_color", "three", "two", "one"),
    usual=SideBetTerms(
        awards_cents={"three_same_color": 250_000, "three": 100_000, "two": 12_500, "one": 1_000},
        meter_shares={"three_diamonds": (1, 1), "three_suited": (1, 10)},
        stake_cents=500,
        least_decks=6,
    ),
    source="S.D. Admin. R. 20:18:15:30.19",
    row=_row,
    choices=_CHOICES,
)
