"""The hole card stays closed whatever two persons order, and whatever befalls the table, before the dealer turns it."""

from __future__ import annotations

import pytest

from tests.core.hole_rounds import IRREGULARITIES, OTHERS, PROFILES, Case, assert_secret
from tests.core.test_hole_card import TURN_KEYS


@pytest.mark.parametrize("doing", [one.__name__ for one in OTHERS])
@pytest.mark.parametrize("profile", PROFILES)
def test_nor_whatever_two_persons_order_or_befalls_the_table_meanwhile(profile: str, doing: str) -> None:
    for seed, irregularity in enumerate(IRREGULARITIES):
        if (seed + PROFILES.index(profile)) % 3 == 0:
            assert_secret(Case(profile, irregularity, (doing,), 300 + seed, turn_key=TURN_KEYS[seed % 2]))
