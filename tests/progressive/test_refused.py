"""What a meter does not count and what people do not pay."""

from __future__ import annotations

import pytest

from controller.core.meters.awards import AwardStatus, Jackpot
from controller.core.meters.meter import Parameters, Unreasonable, opened
from tests.progressive.live import why

METER = opened("m", Parameters(base_cents=100_000, reset_cents=50_000, rate=(17, 100), unreasonable_cents=85))


@pytest.mark.parametrize("cents", [0, -500])
def test_what_is_no_wager_adds_nothing(cents: int) -> None:
    assert isinstance(METER.after_wager(cents), Unreasonable)


def test_a_contribution_may_be_as_high_as_the_limit_and_no_higher() -> None:
    assert not isinstance(METER.after_wager(500), Unreasonable)
    assert METER.after_wager(501) == Unreasonable(851_700, 850_000)


def test_a_refused_jackpot_names_who_refused_it_and_is_refused_once() -> None:
    hit = Jackpot(1, "m", 12, 3, "blazing7s", "three_diamonds", 123_456, 1)
    refused = hit.refused("A. Ames")
    assert isinstance(refused, Jackpot)
    assert (refused.standing, refused.who, refused.cents) == (AwardStatus.REFUSED, "A. Ames", 123_456)
    assert why(refused.refused("B. Bell")) == "jackpot 1 is refused"
    assert why(refused.paid("B. Bell")) == "jackpot 1 is refused; what is paid must be verified first"
