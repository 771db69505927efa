"""21+3 Xtreme: the first two cards and the up card as a hand of three-card poker.

Rows and pays: the cards of Hollywood Penn National and Perryville. Ranking: N.J.A.C. 13:69F-20.3: three of a kind
"regardless of suit" above the straight (A19); the ace is high or low in a straight and never in the middle (A20). A pay
table may add the row ``suited_trips``.
"""

from __future__ import annotations

from typing import Final

from controller.core.game.hand import RANKS
from controller.core.game.rules import SideBetTerms
from controller.core.game.side_bet import LOST, SideBet, Stage, View, chosen

_CHOICES: Final = {"king_ace_two": ("nothing", "straight")}


def _row(terms: SideBetTerms, view: View) -> str | None:
    """The highest row of the three cards; their order is of no interest."""
    cards = (view.first, view.second, view.up)
    ranks = sorted(RANKS[card.rank] for card in cards)
    flush = len({card.value[1] for card in cards}) == 1
    if ranks[0] == ranks[2]:
        return "suited_trips" if flush and "suited_trips" in terms.pays else "trips"
    straight = ranks[0] + 2 == ranks[1] + 1 == ranks[2] or ranks == [1, 12, 13]
    if ranks == [1, 2, 13] and chosen(_CHOICES, terms, "king_ace_two") == "straight":
        straight = True
    if straight:
        return "straight_flush" if flush else "straight"
    return "flush" if flush else LOST


BET: Final = SideBet(
    name="twenty_one_plus_three",
    title="21+3",
    placed="before_deal",
    decided=Stage.DEAL,
    rows=("suited_trips", "straight_flush", "trips", "straight", "flush"),
    usual=SideBetTerms(
        pays={"straight_flush": (30, 1), "trips": (20, 1), "straight": (10, 1), "flush": (5, 1)},
        least_decks=6,
    ),
    source="the cards of Hollywood Penn National and Perryville",
    row=_row,
    choices=_CHOICES,
)
