"""A double for less that no reader saw is left open between the amounts that the page of settings names."""

from __future__ import annotations

import pytest

from controller.core.messages.events import WagerUnresolved
from firmware_protocols.readings import DeviceHealth, HealthState
from tests.core.rig import Rig, penn
from tests.docs.pages import DOCS


def doubled_unseen(chip_unit_cents: int) -> Rig:
    """A player doubles 25.00 while his reader is lost, and wins."""
    rig = Rig(penn(stand_key="always", chip_unit_cents=chip_unit_cents))
    rig.talk("1 main 25\nkey no_more_bets\n5h 6d 6s Td")
    rig.give(DeviceHealth("bet_spots/1", HealthState.LOST, rig.now_ns, "no answer"))
    rig.talk("key double\nTc\nkey hole_turned\n4d\nkey round_closed")
    return rig


@pytest.mark.parametrize(
    ("unit", "dues"), [(1, (2_501, 5_000)), (100, (2_600, 5_000)), (500, (3_000, 3_500, 4_000, 4_500, 5_000))]
)
def test_it_is_left_open_in_numbers_of_the_smallest_chip(unit: int, dues: tuple[int, ...]) -> None:
    assert [one.possible_cents for one in doubled_unseen(unit).events_of(WagerUnresolved)] == [dues]


def test_a_wager_of_one_smallest_chip_is_doubled_whole() -> None:
    assert doubled_unseen(2_500).postings() == ["1: spot 1 main +50.00"]


def test_the_page_of_settings_names_the_dues() -> None:
    (unresolved,) = doubled_unseen(1).events_of(WagerUnresolved)
    dues = " or ".join(f"{cents / 100:+.2f}" for cents in unresolved.possible_cents)
    page = (DOCS / "reference" / "configuration.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith("| `chip_unit_cents` |"))
    assert f"With 1 such a double of 25.00 is left open as `{dues}`" in row
