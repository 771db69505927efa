"""EZ Bust: the dealer breaks, wagered once the up card lies there.

Rule: the card of Hollywood Penn National. Offered against 2 to 6 before the first decision, to holders of naturals too
(A26). It wins if and only if the dealer breaks with a card drawn; two cards on which the dealer stands lose (A24). If
every hand at the table broke the dealer draws nothing and the wager is returned; naturals and surrendered hands are not
broken (A25).
"""

from __future__ import annotations

from typing import Final

from controller.core.game.hand import total
from controller.core.game.rules import SideBetTerms
from controller.core.game.side_bet import LOST, PUSH, SideBet, Stage, View, chosen
from firmware_protocols.cards import POINTS

_CHOICES: Final = {"no_card_drawn": ("loses", "pushes"), "all_broke": ("push", "plays_out")}


def _row(terms: SideBetTerms, view: View) -> str | None:
    """Push if every hand broke, else by the dealer's complete hand."""
    if view.all_broke is None:
        return None
    if view.all_broke and chosen(_CHOICES, terms, "all_broke") == "push":
        return PUSH
    if not view.complete:
        return None
    if len(view.dealer) == 2 and chosen(_CHOICES, terms, "no_card_drawn") == "pushes":
        return PUSH
    points, _ = total(tuple(POINTS[card.rank] for card in view.dealer))
    return "dealer_broke" if points > 21 else LOST


BET: Final = SideBet(
    name="ez_bust",
    title="EZ Bust",
    placed="after_deal",
    decided=Stage.END,
    rows=("dealer_broke",),
    usual=SideBetTerms(pays={"dealer_broke": (1, 1)}, up_cards=(2, 3, 4, 5, 6)),
    source="the card of Hollywood Penn National",
    row=_row,
    choices=_CHOICES,
)
