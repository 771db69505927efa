"""Counts are bounded day by day: parts are added up, and no more is taken back than was entered of that gaming day."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.floor_events import ChipCount, Count, InventoryEntered, OrderProposed
from controller.core.messages.house import GamingDay
from controller.core.messages.inputs import ApproveOrder, DayBegan, EnterInventory
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.people.table_inventory import PEOPLE_LIMIT, SLIPS_LIMIT, inventory_of
from controller.core.persons import UNAUTHENTICATED, Authentication
from controller.core.table.state import Table, restore
from controller.formats.replay import read_state, state_bytes
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
WATCH = Authentication("socket", ("surveillance",), 1002)
CHIPS = {f"E0040100000{number:05}": 10_000 for number in range(1000)}
"""A thousand chips of 100: the table holds no more than 100,000.00."""

SHIFTS = GamingDay("UTC", "06:00", {"day": "06:00", "swing": "14:00"})


def a_table(*, two_persons: bool = True, bound: bool = True) -> Rig:
    """A table after a week of honest counts, on the evening of the seventh day."""
    rig = Rig(penn(), dict(CHIPS))
    rig.house = replace(
        rig.house, two_persons=two_persons, orders_bounded=True, proposals_bound=bound, gaming_day=SHIFTS
    )
    rig.table = Table(rig.house, rig.table.state)
    for day in range(1, 8):
        begin(rig, f"2025-11-0{day}")
        enter(rig, Count.OPENER, 9_000_000)
        enter(rig, Count.DROP, 2_000_000, slip=f"box {day}")
        enter(rig, Count.CLOSER, 9_000_000)
    assert len(rig.events_of(InventoryEntered)) == 21
    assert not rig.events_of(OrderProposed, AlertRaised)
    return rig


def begin(rig: Rig, day: str) -> None:
    rig.give(DayBegan(rig.now_ns, day))


def enter(
    rig: Rig,
    kind: Count,
    cents: int,
    *,
    slip: str = "",
    day: str = "",
    shift: str = "",
    chips: tuple[ChipCount, ...] = (),
    by: Authentication = FLOOR,
) -> bool:
    """Enter a count; whether it stands at once, in one name."""
    before = len(rig.events_of(InventoryEntered))
    rig.give(EnterInventory(rig.now_ns, kind, cents, chips, slip, "M. Okafor", "counted", day, shift, by))
    return len(rig.events_of(InventoryEntered)) > before


def proposed(rig: Rig) -> list[str]:
    return [one.text for one in rig.events_of(OrderProposed)]


# --- what one person cannot do ---------------------------------------------------------------------

BEYOND = [
    (Count.CLOSER, -50_000_000, "", "closer -500000.00 takes back more than the 90000.00 that was entered"),
    (Count.CLOSER, -9_000_001, "", "closer -90000.01 takes back more than the 90000.00 that was entered"),
    (Count.OPENER, -9_000_001, "", "opener -90000.01 takes back more than the 90000.00 that was entered"),
    (Count.DROP, -2_000_001, "", "drop -20000.01 takes back more than the 20000.00 that was entered"),
    (Count.DROP, -1, "box 8", "drop -0.01 takes back more than the 0.00 that was entered"),
    (Count.DROP, 98_000_001, "", "drop 980000.01 makes the drop of gaming day 2025-11-07 1000000.01"),
]


@pytest.mark.parametrize(("kind", "cents", "slip", "message"), BEYOND)
def test_what_a_day_cannot_have_held_takes_two(kind: Count, cents: int, slip: str, message: str) -> None:
    rig = a_table()
    assert not enter(rig, kind, cents, slip=slip)
    assert len(proposed(rig)) == 1
    alone = a_table(two_persons=False)
    assert enter(alone, kind, cents, slip=slip)
    (alert,) = alone.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert alert.kind is AlertKind.INVENTORY_UNLIKELY
    assert alert.text.startswith(f"M. Okafor alone: {message}")


def test_credits_are_added_up_and_so_are_fills() -> None:
    for kind, other in ((Count.CREDIT, Count.FILL), (Count.FILL, Count.CREDIT)):
        rig = a_table()
        assert enter(rig, kind, 6_000_000, slip="1")
        assert not enter(rig, kind, 6_000_000, slip="2")
        assert enter(rig, other, 2_000_000, slip="3")
        assert enter(rig, kind, 6_000_000, slip="4")
        assert not enter(rig, other, -2_000_000, slip="3")
        assert len(proposed(rig)) == 2


def test_the_sum_is_one_of_a_day() -> None:
    rig = a_table()
    assert enter(rig, Count.CREDIT, 10_000_000)
    assert not enter(rig, Count.CREDIT, 1)
    begin(rig, "2025-11-08")
    assert enter(rig, Count.CREDIT, 10_000_000)


def test_no_rack_is_left_below_nothing() -> None:
    """A second closer stands in the place of the first: what is taken back is taken from the last."""
    rig = a_table()
    assert enter(rig, Count.CLOSER, 5_000_000)
    assert not enter(rig, Count.CLOSER, -9_000_000)
    assert enter(rig, Count.CLOSER, -5_000_000)
    of_day = rig.events_of(InventoryEntered)[18:]
    assert inventory_of(of_day).closer_cents == 9_000_000


def test_a_shift_takes_back_what_was_entered_of_it() -> None:
    rig = a_table()
    begin(rig, "2025-11-08")
    assert enter(rig, Count.FILL, 100_000, slip="1", day="today", shift="day")
    assert not enter(rig, Count.FILL, -100_000, slip="1", day="today", shift="swing")
    assert enter(rig, Count.FILL, -100_000, slip="1", day="today", shift="day")
    assert enter(rig, Count.FILL, 100_000, slip="2")
    assert enter(rig, Count.FILL, -100_000, slip="2", day="today", shift="swing")


def test_an_older_journal_adds_up_the_whole_epoch() -> None:
    rig = a_table(bound=False)
    assert enter(rig, Count.CLOSER, -50_000_000)
    assert enter(rig, Count.CREDIT, 10_000_000)
    assert enter(rig, Count.CREDIT, 10_000_000)
    assert enter(rig, Count.DROP, -1, day="2025-11-03")
    assert not rig.table.state.inventory_days


# --- a past day ------------------------------------------------------------------------------------


@pytest.mark.parametrize("two_persons", [True, False])
@pytest.mark.parametrize(
    ("kind", "cents", "slip", "day"),
    [
        (Count.DROP, -1_500_000, "box 6", "yesterday"),
        (Count.CLOSER, 8_500_000, "", "yesterday"),
        (Count.OPENER, -9_000_000, "", "2025-11-02"),
        (Count.DROP, 10_000, "", "2025-11-02"),
        (Count.FILL, 10_000, "", "2025-10-30"),
    ],
)
def test_a_past_day_is_restated_by_two_in_every_house(
    kind: Count, cents: int, slip: str, day: str, *, two_persons: bool
) -> None:
    rig = a_table(two_persons=two_persons)
    assert not enter(rig, kind, cents, slip=slip, day=day)
    assert len(proposed(rig)) == 1
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", WATCH))
    last = rig.events_of(InventoryEntered)[-1]
    assert isinstance(last, InventoryEntered)
    assert (last.who, last.cents) == ("M. Okafor, J. Lee", cents)
    assert not rig.events_of(AlertRaised)


def test_who_is_not_known_restates_no_past_day() -> None:
    rig = a_table(two_persons=False)
    assert not enter(rig, Count.DROP, -1, day="yesterday", by=UNAUTHENTICATED)
    (refused,) = rig.events_of(OrderRefused)
    assert isinstance(refused, OrderRefused)
    assert (refused.what, refused.reason_code) == ("enter drop", "not_vouched")


def test_a_shift_of_a_past_day_is_entered_once_by_one() -> None:
    rig = a_table()
    begin(rig, "2025-11-08")
    begin(rig, "2025-11-09")
    for shift in ("day", "swing"):
        assert enter(rig, Count.FILL, 10_000, day="yesterday", shift=shift)
        assert not enter(rig, Count.FILL, 10_000, day="yesterday", shift=shift)
    assert not enter(rig, Count.FILL, 10_000, day="yesterday")
    assert enter(rig, Count.CREDIT, 10_000, day="yesterday")
    assert not enter(rig, Count.CREDIT, 10_000, day="yesterday", shift="day")


# --- honest practice -------------------------------------------------------------------------------


def test_what_happens_every_day_one_person_enters() -> None:
    rig = a_table()
    begin(rig, "2025-11-08")
    assert enter(rig, Count.OPENER, 9_000_000)
    for number in range(20):
        assert enter(rig, Count.FILL, 1_000_000, slip=f"F{number}", chips=(ChipCount(10_000, 100),))
        assert enter(rig, Count.CREDIT, 900_000, slip=f"C{number}", chips=(ChipCount(10_000, 90),))
    assert enter(rig, Count.CLOSER, 7_000_000)
    assert enter(rig, Count.OPENER, 7_000_000)
    assert enter(rig, Count.CLOSER, 8_000_000)
    for box in range(3):
        assert enter(rig, Count.DROP, 3_000_000, slip=f"box 2{box}")
    assert not rig.events_of(OrderProposed, AlertRaised)


def test_a_slip_of_the_pen_one_person_puts_right_the_same_day() -> None:
    rig = a_table()
    begin(rig, "2025-11-08")
    for kind in Count:
        assert enter(rig, kind, 6_000_000, slip="17", chips=(ChipCount(10_000, 600),))
        assert enter(rig, kind, -6_000_000, slip="17", chips=(ChipCount(10_000, -600),))
        assert enter(rig, kind, 600_000, slip="17", chips=(ChipCount(10_000, 60),))
        assert enter(rig, kind, -600_000)
        assert enter(rig, kind, 700_000)
    assert not rig.events_of(OrderProposed, AlertRaised)


def test_the_count_room_enters_the_boxes_of_the_days_before() -> None:
    rig = a_table()
    for day in ("2025-11-08", "2025-11-09", "2025-11-10"):
        begin(rig, day)
    assert enter(rig, Count.DROP, 2_000_000, day="2025-11-08")
    assert enter(rig, Count.DROP, 2_000_000, day="yesterday", shift="day")
    assert enter(rig, Count.DROP, 2_000_000, day="yesterday", shift="swing", slip="box 40")
    assert enter(rig, Count.DROP, 1_000_000, day="yesterday", shift="swing", slip="box 41")
    assert enter(rig, Count.CLOSER, 9_000_000, day="yesterday")
    assert not rig.events_of(OrderProposed, AlertRaised)


def test_before_any_gaming_day_counts_are_bounded_together() -> None:
    rig = Rig(penn(), dict(CHIPS))
    rig.change_house(two_persons=True, orders_bounded=True, proposals_bound=True)
    assert enter(rig, Count.CREDIT, 10_000_000)
    assert not enter(rig, Count.CREDIT, 1)
    begin(rig, "2025-11-01")
    assert enter(rig, Count.CREDIT, 10_000_000)
    assert list(rig.table.state.inventory_days) == ["2025-11-01 credit", "2025-11-01 credit *"]


# --- what is kept ----------------------------------------------------------------------------------


def test_a_few_days_are_kept_and_outlive_a_restart() -> None:
    rig = a_table()
    for day in range(8, 30):
        begin(rig, f"2025-11-{day:02}")
        enter(rig, Count.DROP, 2_000_000)
    days = {key.partition(" ")[0] for key in rig.table.state.inventory_days}
    assert days == {f"2025-11-{day}" for day in range(22, 30)}
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    assert not enter(rig, Count.DROP, -2_000_001)
    assert enter(rig, Count.DROP, -2_000_000)


# --- what is remembered ----------------------------------------------------------------------------


@pytest.mark.parametrize("bounded", [True, False])
def test_of_many_slips_the_last_are_remembered_and_none_of_these_is_entered_twice(bounded: bool) -> None:
    rig = a_table()
    rig.house = replace(rig.house, slips_bounded=bounded)
    rig.table = Table(rig.house, rig.table.state)
    first = len(rig.table.state.inventory_slips)
    for number in range(SLIPS_LIMIT + 10):
        assert enter(rig, Count.FILL, 100, slip=f"F {number}")
    state = rig.table.state
    assert len(state.inventory_slips) == (SLIPS_LIMIT if bounded else first + SLIPS_LIMIT + 10)
    assert not enter(rig, Count.FILL, 100, slip=f"F {SLIPS_LIMIT}")
    assert enter(rig, Count.FILL, 100, slip="F 0") is bounded
    for number in range(SLIPS_LIMIT):
        enter(rig, Count.CREDIT, 100, slip=f"C {number}")
    kept = len(rig.table.state.inventory_people)
    assert (kept == PEOPLE_LIMIT) if bounded else (kept > PEOPLE_LIMIT)
    assert len(state_bytes(rig.table.state)) < 1_000_000


def test_in_a_journal_that_begins_now_no_slip_is_forgotten_nor_who_entered_it() -> None:
    rig = a_table()
    assert not rig.house.slips_bounded
    for number in range(1_500):
        assert enter(rig, Count.FILL, 100, slip=f"F {number}")
    for number in range(1_000):
        assert enter(rig, Count.CREDIT, 100, slip=f"C {number}")
    assert not enter(rig, Count.FILL, 100, slip="F 0")
    (refused,) = rig.events_of(OrderRefused)
    assert isinstance(refused, OrderRefused)
    assert (refused.reason_code, refused.reason) == ("already_done", "slip F 0 is entered already, with 1.00")
    assert not rig.events_of(AlertRaised)
    rig.give(EnterInventory(rig.now_ns, Count.FILL, -100, (), "F 0", "M. Crook", "miscounted", vouched=FLOOR))
    (alert,) = rig.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert alert.text == "M. Crook alone: fill -1.00 takes back what M. Okafor counted"
