"""A device has found no dealer's natural: the dealer takes lost insurance before anybody plays."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.events import WagerSettled, WagerUnresolved
from controller.io.files import profile_files
from tests.core.rig import Rig

PROFILES = ("hollywood-penn-national", "borgata")


def played(profile: str, insurance: int) -> Rig:
    """Box 6 insures its 50; what is left of that changes before it draws, breaks and is taken."""
    rules = profile_files.load(profile, {"turn_key": "sometimes"}).rules
    rig = Rig(replace(rules, hole_check="device"))
    rig.talk("6 main 50")
    rig.pass_ms(3_000)
    rig.talk("5h Ad Jh 4h")
    rig.pass_ms(3_000)
    rig.talk("6 insurance 25")
    rig.pass_ms(3_000)
    rig.talk(f"6 insurance {insurance}")
    rig.pass_ms(3_000)
    rig.talk("9c \n 6 main 0")
    rig.pass_ms(3_000)
    rig.talk("6 main 10")
    rig.pass_ms(7_000)
    rig.talk("5h 8d Kh Jd")
    rig.pass_ms(3_000)
    return rig


@pytest.mark.parametrize("profile", PROFILES)
def test_taken_or_withdrawn_it_is_open_between_both(profile: str) -> None:
    rig = played(profile, 0)
    settled = [(one.bet, one.net_cents) for one in rig.events if isinstance(one, WagerSettled) and one.round == 1]
    left = [(one.bet, one.possible_cents) for one in rig.events if isinstance(one, WagerUnresolved) and one.round == 1]
    assert (settled, left) == ([("main", -5_000)], [("insurance", (-2_500, 0))])
