"""The round printed in the README is the one that is played."""

from __future__ import annotations

import random

from controller.io.files import profile_files
from controller.reports.live_narrative import LiveNarrator
from simulators.people.dealer import play
from simulators.people.house import house_from
from simulators.people.rack import Rack
from tests.core.rig import Rig
from tests.docs.pages import ROOT, blocks

PROFILE = "hollywood-penn-national"


def test_the_round_shown_is_the_third_of_seed_62() -> None:
    (shown,) = [block.text for block in blocks((ROOT / "README.md").read_text()) if block.kind == "text demo"]
    rack = Rack()
    rig = Rig(profile_files.load(PROFILE, {"stand_key": "always"}).rules, dict(registry(rack)))
    rig.perform(play(house_from(profile_files.raw(PROFILE)), random.Random(62), rack, (1, 7), rounds=3))
    teller = LiveNarrator()
    narrated = "\n".join(line for event in rig.events for line in teller.tell(event))
    third = narrated[narrated.index("Round 3\n") :].strip()
    # Chips and cards come closer together than with readers that must be asked, so the order may differ.
    assert sorted(third.splitlines()) == sorted(shown.splitlines())


def registry(rack: Rack) -> list[tuple[str, int]]:
    rows = [line.split(",") for line in rack.registry_csv().splitlines()[1:]]
    return [(chip, int(cents)) for chip, cents in rows]
