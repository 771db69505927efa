"""A burned card stays closed for as long as the shoe goes on, also where no hole card is dealt."""

from __future__ import annotations

from random import Random

import pytest

from tests.core.burned_rounds import HOLE_CARDS, MEANWHILE, WRONG, Burned, assert_closed
from tests.core.hole_rounds import PROFILES


@pytest.mark.parametrize("hole_card", HOLE_CARDS)
@pytest.mark.parametrize("profile", PROFILES)
def test_no_byte_depends_on_a_burned_card(profile: str, hole_card: str) -> None:
    rng = Random(f"{profile} {hole_card}")
    for seed in range(3):
        doings = (rng.choice(MEANWHILE), rng.choice(MEANWHILE))
        assert_closed(Burned(profile, hole_card, rng.choice(WRONG), doings, seed, boxes=(1, 2)))


@pytest.mark.parametrize("key", ["new_shoe", "void_and_new_shoe", "any_key"])
@pytest.mark.parametrize("hole_card", HOLE_CARDS)
def test_nor_where_somebody_says_in_vain_that_the_shoe_is_over(hole_card: str, key: str) -> None:
    for seed in range(3):
        assert_closed(Burned("borgata", hole_card, "honest", (key, key, key), seed, boxes=(1, 2)))


@pytest.mark.parametrize("hole_card", HOLE_CARDS)
def test_a_card_that_nobody_announced_is_no_burn_and_shows(hole_card: str) -> None:
    """That the test above can fail: the same card, taken for the first of the deal."""
    with pytest.raises(AssertionError):
        assert_closed(Burned("borgata", hole_card), announced=False)
