"""The computed edge against a published one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from controller.core.analysis.computed_edge import main_edge
from controller.core.game.rules import Rules

PUBLISHED = Fraction(5918, 1_000_000)
"""Wizard of Odds, Blackjack Appendix 9, five decks, dealer hits soft 17, doubling after a split.

wizardofodds.com/games/blackjack/appendix/9/5dh17r4: split to four hands, aces once, one card each; a natural is found
before play. That player looks at every card of the hand, so no strategy by the total does better."""


@pytest.mark.counting
def test_five_decks_cost_what_is_published_and_little_more() -> None:
    rules = Rules(name="five", decks=5, soft_17="hit", hole_check="device")
    assert 0 < main_edge(rules).edge - PUBLISHED < Fraction(5, 100_000)
