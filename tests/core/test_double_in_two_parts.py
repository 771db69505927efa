"""A double is laid in two movements, before its card; what comes after the card is no part of it."""

from __future__ import annotations

import pytest

from controller.core.messages.events import HandDoubled, WagerSettled
from controller.core.messages.raised_alerts import AlertKind
from tests.core.alerting import kinds
from tests.core.rig import Rig, penn

KEYED = {"stand_key": "always", "turn_key": "always"}


def doubled(*laid: str) -> Rig:
    """Fourteen is doubled for some of fifteen dollars, and breaks."""
    rig = Rig(penn(**KEYED))
    rig.talk("1 main 15 \n key no_more_bets \n 5c 2c 9h 4c \n key double \n " + " \n ".join(laid))
    rig.pass_ms(5_000)
    rig.talk("key hole_turned \n 1 main 0 \n key round_closed")
    return rig


@pytest.mark.parametrize("first", [16, 20, 29])
def test_the_rest_of_a_double_comes_before_its_card(first: int) -> None:
    rig = doubled(f"1 main {first}", "1 main 30", "9d")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [1_500]
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [-3_000]
    assert kinds(rig) == []


def test_no_double_is_for_more_than_the_wager() -> None:
    rig = doubled("1 main 20", "1 main 35", "9d")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [500]
    assert AlertKind.CAPPING in kinds(rig)


def test_what_comes_after_its_card_is_no_part_of_a_double() -> None:
    rig = doubled("1 main 20", "9d", "1 main 30")
    assert [one.cents for one in rig.events if isinstance(one, HandDoubled)] == [500]
    assert [one.net_cents for one in rig.events if isinstance(one, WagerSettled)] == [-2_000]
