"""A round whose hole card nobody said was turned, as the keypad was lost: the floor has it, its wagers open."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import WagerUnresolved
from controller.io.files import profile_files
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState
from tests.core.rig import Rig

UNTURNED = "it ended with its hole card not said to be turned: the keypad was lost"


@pytest.mark.parametrize(
    ("lost_draws", "reason"),
    [(False, UNTURNED), (True, "cards were drawn while the table was not listening")],
    ids=["in order", "irregular before"],
)
def test_the_next_deal_hands_it_to_the_floor_for_one_reason(reason: str, *, lost_draws: bool) -> None:
    rig = Rig(profile_files.load("borgata", {"stand_key": "always", "turn_key": "always"}).rules)
    rig.talk("1 main 10 \n 2 main 10 \n key no_more_bets \n Th 9h 6c Td 8h 5s")
    rig.pass_ms(2_000)
    if lost_draws:
        rig.give(DeviceComplained("shoe", "draws_missing", "draws 7 to 8 never came", rig.now_ns))
        rig.key("yes")
    for state in (HealthState.LOST, HealthState.READY):
        rig.give(DeviceHealth("keypad", state, rig.now_ns))
        rig.pass_ms(100)
    rig.talk("1 main 0 \n 2 main 20 \n 2 main 0")
    rig.pass_ms(60_000)
    rig.talk("1 main 30 \n key no_more_bets \n Kh Kc Kd Ks")
    assert rig.outcomes() == ["irregular"]
    assert [event.reason for event in rig.told(RoundIrregular) if isinstance(event, RoundIrregular)] == [reason]
    assert [event.wager_cents for event in rig.told(WagerUnresolved) if isinstance(event, WagerUnresolved)] == [
        1000,
        1000,
    ]
