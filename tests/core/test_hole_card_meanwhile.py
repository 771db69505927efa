"""The hole card stays closed whatever two persons order, and whatever befalls the table, before the dealer turns it."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HoleCardRevealed
from tests.core.hole_doings import OTHERS, UNHEARD
from tests.core.hole_rounds import IRREGULARITIES, PROFILES, Case, assert_secret
from tests.core.test_hole_card import TURN_KEYS, table

CARD_TOO_MANY = ("an unannounced burn", "a card read twice")
"""Such a deal is confirmed by a pause just before the hole card: docs/reference/threat-model.md says so."""


@pytest.mark.parametrize("doing", [one.__name__ for one in OTHERS])
@pytest.mark.parametrize("profile", PROFILES)
def test_nor_whatever_two_persons_order_or_befalls_the_table_meanwhile(profile: str, doing: str) -> None:
    for seed, irregularity in enumerate(IRREGULARITIES):
        if (seed + PROFILES.index(profile)) % 3 == 0:
            assert_secret(Case(profile, irregularity, (doing,), 300 + seed, turn_key=TURN_KEYS[seed % 2]))


@pytest.mark.parametrize("doing", [one.__name__ for one in UNHEARD])
@pytest.mark.parametrize("profile", PROFILES)
def test_nor_where_a_card_went_unheard_and_a_player_draws_as_fast_as_the_dealer_deals(profile: str, doing: str) -> None:
    """By number and rhythm the player's card then is the hole card, and the hole card a player's or the up card."""
    for seed in range(12):
        assert_secret(Case(profile, "a card drawn in the dealer's rhythm", (doing,), seed, boxes=(1, 1)))


@pytest.mark.parametrize("irregularity", [one for one in IRREGULARITIES if one not in CARD_TOO_MANY])
@pytest.mark.parametrize("profile", PROFILES)
def test_nor_where_nobody_does_anything_for_a_while(profile: str, irregularity: str) -> None:
    for seed in range(2):
        assert_secret(Case(profile, irregularity, ("wait",), seed, turn_key=TURN_KEYS[seed]))


@pytest.mark.parametrize(("turn_key", "turned"), [("always", 0), ("sometimes", 1)])
def test_a_card_beyond_21_turns_it_only_where_no_key_says_so(turn_key: str, turned: int) -> None:
    """To a hand of 21, which gets no more, a card is drawn all the same: by the readings it is the dealer's."""
    rig = table(turn_key)
    rig.talk("1 main 10 \n key no_more_bets")
    rig.deal("3c 2d Kc 5c")
    rig.talk("8h \n 2s")
    rig.pass_ms(3_000)
    assert len(rig.events_of(HoleCardRevealed)) == turned
