"""One person takes back what another counted, or counts it anew: both stay in the stream, and it is an alert."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.floor_events import Count, InventoryEntered
from controller.core.messages.inputs import AcknowledgeAlert, ApproveOrder, DayBegan, EnterInventory
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from tests.core.rig import Rig, penn
from tests.core.test_inventory_days import CHIPS, SHIFTS, WATCH

FLOOR = Authentication("key", ("floor",))
HONEST, CROOK = "A. Honest", "M. Crook"


def a_table(*, two_persons: bool = True, traced: bool = True) -> Rig:
    rig = Rig(penn(), dict(CHIPS))
    house = replace(rig.house, two_persons=two_persons, orders_bounded=True, proposals_bound=True, gaming_day=SHIFTS)
    rig.house = replace(house, declarations_traced=traced)
    rig.table = restore(rig.house, rig.table.state)
    rig.give(DayBegan(rig.now_ns, "2025-11-07"))
    return rig


def enter(rig: Rig, who: str, kind: Count, cents: int, *, slip: str = "", shift: str = "", day: str = "") -> None:
    before = len(rig.events_of(InventoryEntered))
    rig.give(EnterInventory(rig.now_ns, kind, cents, (), slip, who, "counted", day, shift, FLOOR))
    assert len(rig.events_of(InventoryEntered)) == before + 1


def reported(rig: Rig) -> list[str]:
    raised = [one for one in rig.events if isinstance(one, AlertRaised)]
    assert {one.kind for one in raised} <= {AlertKind.CORRECTED_ALONE}
    return [one.text for one in raised]


@pytest.mark.parametrize("afresh", [False, True])
@pytest.mark.parametrize("two_persons", [False, True])
def test_who_alone_replaces_anothers_drop_is_reported(*, two_persons: bool, afresh: bool) -> None:
    rig = a_table(two_persons=two_persons)
    enter(rig, HONEST, Count.DROP, 500_000)
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    enter(rig, CROOK, Count.DROP, -500_000)
    enter(rig, CROOK, Count.DROP, 300_000)
    assert reported(rig) == ["M. Crook alone: drop -5000.00 takes back what A. Honest counted"]
    (alert,) = [one for one in rig.events if isinstance(one, AlertRaised)]
    assert alert.who == CROOK
    for who in (CROOK, HONEST):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", FLOOR))
    assert [one.who for one in rig.events if isinstance(one, AlertAcknowledged)] == [HONEST]


def test_in_a_journal_of_before_nobody_was() -> None:
    rig = a_table(traced=False)
    enter(rig, HONEST, Count.DROP, 500_000)
    enter(rig, CROOK, Count.DROP, -500_000)
    assert not reported(rig)
    assert not rig.table.state.inventory_people


def test_who_takes_back_their_own_is_not_nor_who_enters_more() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.DROP, 500_000)
    enter(rig, HONEST, Count.DROP, -500_000)
    enter(rig, HONEST, Count.DROP, 400_000)
    enter(rig, CROOK, Count.DROP, 100_000)
    enter(rig, CROOK, Count.FILL, 100_000)
    enter(rig, CROOK, Count.FILL, -100_000)
    assert not reported(rig)
    assert len(rig.table.state.inventory_people) == 3


def test_who_has_taken_something_back_has_counted_nothing() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.DROP, 500_000)
    for who in (CROOK, HONEST):
        enter(rig, who, Count.DROP, -100_000)
    assert len(reported(rig)) == 1


@pytest.mark.parametrize(("slip", "is_reported"), [("4711", True), ("471 1", True), ("4712", False)])
def test_of_a_slip_only_who_entered_that_slip_matters(slip: str, *, is_reported: bool) -> None:
    rig = a_table()
    enter(rig, HONEST, Count.FILL, 100_000, slip="4711")
    enter(rig, CROOK, Count.FILL, 100_000, slip="4712")
    enter(rig, CROOK, Count.FILL, -100_000, slip=slip)
    assert bool(reported(rig)) == is_reported


@pytest.mark.parametrize(
    ("first", "then", "is_reported"),
    [("day", "day", True), ("day", "swing", False), ("", "swing", True), ("swing", "", True), ("", "", True)],
)
def test_of_a_shift_only_what_may_be_of_that_shift(first: str, then: str, *, is_reported: bool) -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CREDIT, 100_000, shift=first)
    enter(rig, CROOK, Count.CREDIT, 100_000, shift=then or "swing")
    enter(rig, CROOK, Count.CREDIT, -100_000, shift=then)
    assert bool(reported(rig)) == is_reported


def test_of_another_day_nothing() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.FILL, 100_000)
    rig.give(DayBegan(rig.now_ns, "2025-11-08"))
    enter(rig, CROOK, Count.FILL, 100_000)
    enter(rig, CROOK, Count.FILL, -100_000)
    assert not reported(rig)


def test_a_rack_counted_anew_by_another_is_reported_once() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.OPENER, 9_000_000)
    enter(rig, HONEST, Count.CLOSER, 9_000_000)
    enter(rig, CROOK, Count.CLOSER, 8_000_000)
    assert reported(rig) == ["M. Crook alone: closer 80000.00 stands in the place of what A. Honest counted"]
    enter(rig, CROOK, Count.CLOSER, 7_000_000)
    assert len(reported(rig)) == 1


def test_so_is_that_of_a_shift_whose_next_has_begun_and_by_another_slip() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 9_000_000, shift="day", slip="4711")
    enter(rig, CROOK, Count.OPENER, 9_000_000, shift="swing")
    enter(rig, CROOK, Count.CLOSER, 8_000_000, shift="day", slip="4712")
    assert len(reported(rig)) == 1


def test_so_is_one_taken_back_and_then_counted_anew() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 9_000_000)
    enter(rig, CROOK, Count.CLOSER, -9_000_000)
    enter(rig, CROOK, Count.CLOSER, 8_000_000)
    assert reported(rig) == ["M. Crook alone: closer -90000.00 takes back what A. Honest counted"]


@pytest.mark.parametrize("shifts", [("", ""), ("day", "swing"), ("", "swing")])
def test_a_rack_that_is_counted_shift_by_shift_is_not(shifts: tuple[str, str]) -> None:
    rig = a_table()
    for who, shift in zip((HONEST, CROOK), shifts, strict=True):
        enter(rig, who, Count.OPENER, 9_000_000, shift=shift)
        enter(rig, who, Count.CLOSER, 9_000_000, shift=shift)
    assert not reported(rig)


def test_nor_what_two_have_approved() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.DROP, 500_000)
    rig.give(DayBegan(rig.now_ns, "2025-11-08"))
    given = EnterInventory(rig.now_ns, Count.DROP, 400_000, (), "", CROOK, "counted", "yesterday", "", FLOOR)
    rig.give(given)
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", WATCH))
    assert not reported(rig)
    assert [one.person.name for one in rig.table.state.inventory_people] == [HONEST, CROOK, "J. Lee"]


def test_who_counted_is_forgotten_with_the_day_but_not_of_a_slip_that_stands() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.FILL, 100_000)
    enter(rig, HONEST, Count.FILL, 100_000, slip="4711")
    enter(rig, HONEST, Count.FILL, 100_000, slip="4712")
    enter(rig, HONEST, Count.FILL, -100_000, slip="4712")
    rig.give(DayBegan(rig.now_ns, "2025-11-15"))
    enter(rig, CROOK, Count.FILL, 200_000)
    assert [(one.person.name, one.slip) for one in rig.table.state.inventory_people] == [
        (HONEST, "fill 4711"),
        (CROOK, ""),
    ]
    enter(rig, CROOK, Count.FILL, -100_000, slip="4711")
    assert len(reported(rig)) == 1
