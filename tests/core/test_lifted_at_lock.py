"""A wager lifted after *no more bets* and laid back, while the readers have still to confirm the lock."""

from __future__ import annotations

import pytest

from controller.core.messages.events import BettingClosed
from controller.core.messages.raised_alerts import AlertKind
from tests.core.quick_readers import accused, alerts, draw, table

KEYED = {"stand_key": "always", "turn_key": "always", "no_more_bets": "always"}


@pytest.mark.parametrize("away_ms", [300, 1_500])
def test_it_was_proved_and_the_round_is_paid_and_judged_as_ever(away_ms: int) -> None:
    rig = table("1 main 100 \n 2 main 10", **KEYED)
    chips = rig.lying[1, "main"]
    rig.late = True
    rig.key("no_more_bets")
    rig.lay(1, "main", ())
    rig.late = False
    rig.pass_ms(away_ms)
    rig.lay(1, "main", chips)
    rig.pass_ms(1_500)
    assert [one.wagers[0].cents for one in rig.events if isinstance(one, BettingClosed)] == [10_000]
    draw(rig, "Th", "9h", "Ts", "6d", "9d", "9c")
    rig.pass_ms(3_000)
    rig.talk("key stand stand hole_turned")
    rig.pass_ms(3_000)
    assert accused(rig) == []
    rig.talk("1 main 5100")
    rig.pass_ms(4_500)
    rig.talk("2 main 0 \n key round_closed \n 3 main 10 \n key no_more_bets")
    rig.pass_ms(2_000)
    assert alerts(rig, AlertKind.MISPAY) == [AlertKind.MISPAY]
