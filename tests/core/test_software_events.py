"""What the daemon found out about its own program is reported as it was found."""

from __future__ import annotations

from controller.core.messages.events import SoftwareChecked
from controller.core.messages.inputs import SoftwareInspected
from tests.core.rig import Rig, penn


def test_a_look_at_the_program_is_published_and_changes_nothing_else() -> None:
    rig = Rig(penn(stand_key="always"))
    before = rig.table.state
    rig.give(SoftwareInspected(rig.now_ns, "hour", False, "", 0, "", "devices/shoes/shoe.py is another"))
    assert rig.events_of(SoftwareChecked) == [
        SoftwareChecked("hour", False, "", 0, "", "devices/shoes/shoe.py is another")
    ]
    assert rig.table.state.round is before.round
    assert rig.table.state.unfit == before.unfit
