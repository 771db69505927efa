"""A hole card that no hand has turned stays closed, whatever people make the table believe of the rounds since."""

from __future__ import annotations

from random import Random
from typing import Final

import pytest

from tests.core.feigned_rounds import Feigned, assert_stays_closed, random_case

SHOWN: Final = {
    "opened by a new shoe": Feigned("borgata", 95, "sometimes", "sometimes", turns_keyed=False),
    "published as advice": Feigned("pitch-h17", 344, turns_keyed=False),
    "published as a card that waits": Feigned("borgata", 1034917716, insurance=True, turns_keyed=False),
}
"""Rounds that showed the card, by journals of before."""


@pytest.mark.parametrize("part", range(4))
def test_no_byte_depends_on_it_and_it_is_never_opened(part: int) -> None:
    rng = Random(part)
    assert sum(assert_stays_closed(random_case(rng)) for _ in range(10)) > 1


@pytest.mark.parametrize("shown", SHOWN)
def test_nor_in_the_rounds_that_showed_it_once(shown: str) -> None:
    case = SHOWN[shown]
    with pytest.raises(AssertionError):
        assert_stays_closed(case)
    assert_stays_closed(case._replace(turns_keyed=True))
