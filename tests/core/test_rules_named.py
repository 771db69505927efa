"""A round says by which rules it is played and settled."""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.messages.events import BettingClosed
from controller.core.messages.inputs import DaemonStarted
from controller.io.files import profile_files
from tests.core.rig import Rig


def test_every_round_names_the_rules_it_is_played_by() -> None:
    rig = Rig(profile_files.load("hollywood-penn-national").rules)
    rig.talk("1 main 10 \n Th 9c 7d 8c \n key stand hole_turned round_closed")
    rig.give(DaemonStarted(rig.now_ns, "test", replace(rig.house, profile_hash="1" * 64)))
    rig.chips(1, "main", 0)
    rig.talk("1 main 10 \n Th")
    locked = [event.profile_hash for event in rig.events_of(BettingClosed)]
    assert locked == ["0" * 64, "1" * 64]
