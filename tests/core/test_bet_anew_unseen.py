"""A lost wager is taken and as much laid again in one look, while the readers have still to confirm the lock."""

from __future__ import annotations

import pytest

from controller.core.messages.raised_alerts import AlertKind
from tests.core.quick_readers import alerts, draw, table


@pytest.mark.parametrize("anew", [True, False])
def test_only_a_wager_that_lies_there_still_is_left(*, anew: bool) -> None:
    rig = table("3 main 50")
    rig.late = True
    draw(rig, "9s", "7c", "6s", "As")
    rig.pass_ms(1_500)
    draw(rig, "7h")
    rig.pass_ms(1_500)
    if anew:
        rig.exchange(3, "main", 5_000, spread_ms=2_500)
    else:
        rig.pass_ms(2_500)
    rig.key("hole_turned")
    rig.late = False
    rig.pass_ms(5_000)
    rig.talk("key no_more_bets \n 6s 8c Jc 5h")
    rig.pass_ms(4_000)
    assert alerts(rig, AlertKind.LOSING_BET_LEFT) == ([] if anew else [AlertKind.LOSING_BET_LEFT])
