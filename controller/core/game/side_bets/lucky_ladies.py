"""Lucky Ladies: the first two cards total twenty.

Rows and pays: the cards of Hollywood Penn National and Perryville, which are S.D. Admin. R. 20:18:15:30.04 paytable B.
"Matched" is a pair of identical cards and "suited" two cards of one suit, both of them twenties (A16); an ace with a
nine is a twenty. The highest row only is paid, per wager (A18).
"""

from __future__ import annotations

from typing import Final

from controller.core.game.rules import SideBetTerms
from controller.core.game.side_bet import LOST, SideBet, Stage, View, chosen
from firmware_protocols.cards import POINTS, Card, Rank

_CHOICES: Final = {
    "pairs": ("twenties", "any_pair"),
    # What the cards call "Matched Pair": a matched twenty, or any two identical cards.
    "queens_settled": ("when_turned", "at_once"),
    # A pair of queens of hearts with an ace or ten up waits for the dealer's natural, or is paid as without it.
}


def _row(terms: SideBetTerms, view: View) -> str | None:
    """The highest row of the first two cards; the pair of queens of hearts may wait for the dealer's second card."""
    first, second = view.first, view.second
    if first is Card.QH and second is Card.QH:
        return _queens(terms, view)
    if not _is_twenty(first, second):
        any_pair = first is second and chosen(_CHOICES, terms, "pairs") == "any_pair"
        return "matched_20" if any_pair else LOST
    if first is second:
        return "matched_20"
    return "suited_20" if first.value[1] == second.value[1] else "any_20"


def _is_twenty(first: Card, second: Card) -> bool:
    """Two ten-point cards, or an ace with a nine."""
    points = POINTS[first.rank] + POINTS[second.rank]
    return points == 20 or (points == 10 and Rank.ACE in {first.rank, second.rank})


def _queens(terms: SideBetTerms, view: View) -> str | None:
    """Two queens of hearts: more with a dealer's natural, which only an ace or ten up leaves open (A17).

    A dealer who was dealt no hole card and need not take a second one has no natural.
    """
    up = POINTS[view.up.rank]
    if up not in {1, 10} or chosen(_CHOICES, terms, "queens_settled") == "at_once":
        return "queen_hearts_pair"
    if len(view.dealer) < 2:
        return "queen_hearts_pair" if view.complete else None
    natural = {up, POINTS[view.dealer[1].rank]} == {1, 10}
    return "queen_hearts_pair_and_dealer_natural" if natural else "queen_hearts_pair"


BET: Final = SideBet(
    name="lucky_ladies",
    title="Lucky Ladies",
    placed="before_deal",
    decided=Stage.DEAL,
    rows=("queen_hearts_pair_and_dealer_natural", "queen_hearts_pair", "matched_20", "suited_20", "any_20"),
    usual=SideBetTerms(
        pays={
            "queen_hearts_pair_and_dealer_natural": (1000, 1),
            "queen_hearts_pair": (200, 1),
            "matched_20": (25, 1),
            "suited_20": (10, 1),
            "any_20": (4, 1),
        },
        least_decks=2,
    ),
    source="S.D. Admin. R. 20:18:15:30.04 paytable B",
    row=_row,
    choices=_CHOICES,
)
