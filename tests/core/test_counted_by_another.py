"""One person takes back what another counted, or counts it anew: both stay in the stream, and it is an alert."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from controller.core.messages.floor_events import Count, InventoryEntered
from controller.core.messages.inputs import AcknowledgeAlert, ApproveOrder, DayBegan, EnterInventory
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.people.table_inventory import Recount, inventory_of
from controller.core.persons import Authentication
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from controller.formats.text.moments import Period
from controller.reports.shift_inventory import counted
from tests.core.accounts import published
from tests.core.rig import Rig, penn
from tests.core.test_inventory_days import CHIPS, SHIFTS, WATCH

FLOOR = Authentication("key", ("floor",))
HONEST, CROOK = "A. Honest", "M. Crook"


def a_table(*, two_persons: bool = True, traced: bool = True, racks: bool = True) -> Rig:
    rig = Rig(penn(), dict(CHIPS))
    house = replace(rig.house, two_persons=two_persons, orders_bounded=True, proposals_bound=True, gaming_day=SHIFTS)
    rig.house = replace(house, declarations_traced=traced, racks_traced=racks)
    rig.table = restore(rig.house, rig.table.state)
    rig.give(DayBegan(rig.now_ns, "2025-11-07"))
    return rig


def enter(rig: Rig, who: str, kind: Count, cents: int, *, slip: str = "", shift: str = "", day: str = "") -> None:
    before = len(rig.events_of(InventoryEntered))
    rig.give(EnterInventory(rig.now_ns, kind, cents, (), slip, who, "counted", day, shift, FLOOR))
    assert len(rig.events_of(InventoryEntered)) == before + 1


def deal(rig: Rig) -> None:
    """A round begins, so that the rack may hold something else than before."""
    rig.chips(1, "main", 10_000)
    rig.key("no_more_bets")
    assert rig.table.state.rounds == 1


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


@pytest.mark.parametrize("traced", [True, False])
def test_who_takes_back_under_a_slip_of_their_own_what_another_counted_last_is_reported(*, traced: bool) -> None:
    rig = a_table(racks=traced)
    enter(rig, HONEST, Count.OPENER, 9_000_000)
    enter(rig, CROOK, Count.CLOSER, 6_000_000, slip="C1")
    enter(rig, HONEST, Count.OPENER, 6_000_000)
    enter(rig, HONEST, Count.CLOSER, 6_000_000, slip="C2")
    enter(rig, CROOK, Count.CLOSER, -1, slip="C1")
    enter(rig, CROOK, Count.CLOSER, -2_999_999, slip="C1")
    assert inventory_of(rig.events_of(InventoryEntered)).closer_cents == 3_000_000
    message = "M. Crook alone: closer {} takes back what A. Honest counted"
    assert reported(rig) == ([message.format("-0.01"), message.format("-29999.99")] if traced else [])


@pytest.mark.parametrize("traced", [True, False])
@pytest.mark.parametrize("shifts", [("", "day"), ("day", "")])
def test_so_is_who_counts_a_rack_anew_with_its_shift_named_or_left_out(
    shifts: tuple[str, str], *, traced: bool
) -> None:
    rig = a_table(racks=traced)
    enter(rig, HONEST, Count.CLOSER, 6_000_000, shift=shifts[0])
    enter(rig, CROOK, Count.CLOSER, 3_000_000, shift=shifts[1])
    message = "M. Crook alone: closer 30000.00 stands in the place of what A. Honest counted"
    assert reported(rig) == ([message] if traced else [])


@pytest.mark.parametrize("shift", ["", "day"])
@pytest.mark.parametrize("back", ["", "day"])
def test_so_is_who_first_counts_the_shifts_other_end_and_takes_that_back(shift: str, back: str) -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 6_000_000, shift=shift)
    if back:
        enter(rig, CROOK, Count.OPENER, 100)
    else:
        enter(rig, CROOK, Count.OPENER, 100, shift=shift)
    enter(rig, CROOK, Count.OPENER, -100, shift=back or shift)
    enter(rig, CROOK, Count.CLOSER, 3_000_000)
    assert reported(rig) == ["M. Crook alone: closer 30000.00 stands in the place of what A. Honest counted"]


def test_so_is_who_takes_back_of_a_shift_more_than_was_counted_of_it() -> None:
    rig = a_table()
    enter(rig, CROOK, Count.CLOSER, 6_000_000)
    enter(rig, CROOK, Count.OPENER, 6_000_000)
    enter(rig, HONEST, Count.CLOSER, 6_000_000, shift="day")
    enter(rig, CROOK, Count.CLOSER, -3_000_000, shift="swing")
    assert len(reported(rig)) == 1


def test_of_the_slip_of_another_day_it_is_reported_too() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 6_000_000, slip="C1")
    rig.give(DayBegan(rig.now_ns, "2025-11-08"))
    enter(rig, CROOK, Count.CLOSER, 6_000_000, slip="C2")
    enter(rig, CROOK, Count.CLOSER, -3_000_000, slip="C1")
    assert len(reported(rig)) == 1


def test_a_count_beside_the_rack_or_of_another_day_is_not_the_shifts_other_end() -> None:
    rig = a_table()
    rig.give(DayBegan(rig.now_ns, "2025-11-08"))
    enter(rig, HONEST, Count.CLOSER, 6_000_000)
    enter(rig, CROOK, Count.FILL, 100)
    enter(rig, CROOK, Count.OPENER, 100, day="yesterday")
    enter(rig, CROOK, Count.CLOSER, 3_000_000)
    assert len(reported(rig)) == 1


def test_an_opener_is_anew_although_another_shift_was_closed_since() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.OPENER, 6_000_000, shift="day")
    enter(rig, CROOK, Count.CLOSER, 6_000_000, shift="swing")
    enter(rig, CROOK, Count.OPENER, 7_000_000, shift="day")
    assert len(reported(rig)) == 1


def test_nor_does_an_opener_that_was_taken_back_end_a_shift_where_another_stands() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 6_000_000)
    enter(rig, CROOK, Count.OPENER, 100)
    enter(rig, CROOK, Count.OPENER, 200, shift="day")
    enter(rig, CROOK, Count.OPENER, -100)
    before = len(reported(rig))
    enter(rig, CROOK, Count.CLOSER, 3_000_000)
    assert len(reported(rig)) == before + 1


def test_who_counted_is_kept_while_any_of_it_stands() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 6_000_000)
    enter(rig, CROOK, Count.CLOSER, 5_000_000, shift="day")
    enter(rig, CROOK, Count.CLOSER, -5_000_000)
    enter(rig, CROOK, Count.CLOSER, 3_000_000)
    assert len(reported(rig)) == 3


def test_what_is_no_rack_is_a_sum_and_its_other_shifts_are_not_touched() -> None:
    rig = a_table()
    enter(rig, CROOK, Count.CREDIT, 100_000)
    enter(rig, HONEST, Count.CREDIT, 100_000, shift="day")
    enter(rig, CROOK, Count.CREDIT, -100_000, shift="swing")
    assert not reported(rig)


def test_nor_is_who_counts_a_shift_of_which_more_was_taken_back_than_counted() -> None:
    rig = a_table()
    enter(rig, CROOK, Count.CLOSER, 6_000_000)
    enter(rig, CROOK, Count.CLOSER, -1_000_000, shift="swing")
    enter(rig, HONEST, Count.CLOSER, 6_000_000, shift="day")
    before = len(reported(rig))
    enter(rig, CROOK, Count.CLOSER, 500_000, shift="swing")
    assert len(reported(rig)) == before


def test_who_takes_back_a_rack_of_their_own_shift_is_not() -> None:
    rig = a_table()
    enter(rig, CROOK, Count.CLOSER, 6_000_000, shift="day", slip="C1")
    enter(rig, HONEST, Count.CLOSER, 6_000_000, shift="swing", slip="C2")
    enter(rig, CROOK, Count.CLOSER, -6_000_000, shift="day", slip="C1")
    enter(rig, CROOK, Count.CLOSER, 5_000_000, shift="day", slip="C3")
    assert not reported(rig)


def test_its_correction_lowers_in_the_account_of_the_day_what_they_counted() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.OPENER, 9_000_000, shift="day", day="today")
    enter(rig, CROOK, Count.CLOSER, 6_000_000, shift="day", day="today")
    enter(rig, HONEST, Count.OPENER, 6_000_000, shift="swing", day="today")
    enter(rig, HONEST, Count.CLOSER, 5_000_000, shift="swing", day="today")
    enter(rig, CROOK, Count.CLOSER, -1_000_000, shift="day", day="today")
    assert not reported(rig)
    entered = [one for one in published(rig.events) if isinstance(one.event, InventoryEntered)]
    whole = Period(datetime(2025, 11, 7, 6, tzinfo=UTC), datetime(2025, 11, 8, 6, tzinfo=UTC))
    of_day = counted(entered, SHIFTS, whole).now
    assert (of_day.closer_cents, of_day.recounts) == (5_000_000, (Recount(5_000_000, 6_000_000),))


def test_nor_who_opens_a_shift_by_name_after_a_closer_that_names_the_one_before() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.OPENER, 9_000_000)
    enter(rig, CROOK, Count.CLOSER, 9_000_000, shift="day")
    enter(rig, CROOK, Count.OPENER, 9_000_000, shift="swing")
    enter(rig, CROOK, Count.CLOSER, 9_000_000, shift="swing")
    assert not reported(rig)


@pytest.mark.parametrize(("again", "is_reported"), [("day", True), ("swing", False)])
def test_a_closer_is_anew_although_another_shift_was_opened_since(again: str, *, is_reported: bool) -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 9_000_000)
    enter(rig, CROOK, Count.OPENER, 9_000_000, shift="swing")
    deal(rig)
    enter(rig, CROOK, Count.CLOSER, 8_000_000, shift=again)
    assert bool(reported(rig)) == is_reported


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


def test_nor_who_closes_without_a_name_the_shift_that_was_opened_by_its_name() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 9_000_000, shift="day")
    enter(rig, CROOK, Count.OPENER, 9_000_000, shift="swing")
    deal(rig)
    enter(rig, CROOK, Count.CLOSER, 8_000_000)
    assert not reported(rig)


def test_nor_who_corrects_by_its_slip_the_rack_they_counted_last_themselves() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 9_000_000, slip="C1")
    enter(rig, CROOK, Count.OPENER, 9_000_000, shift="swing")
    deal(rig)
    enter(rig, CROOK, Count.CLOSER, 8_000_000, shift="swing", slip="C2")
    enter(rig, CROOK, Count.CLOSER, -1_000_000, shift="swing", slip="C2")
    assert not reported(rig)


def test_who_counted_under_that_slip_before_the_other_counted_is() -> None:
    rig = a_table()
    enter(rig, CROOK, Count.CLOSER, 9_000_000, shift="day", slip="C1")
    enter(rig, HONEST, Count.OPENER, 9_000_000)
    enter(rig, HONEST, Count.CLOSER, 9_000_000, slip="C2")
    enter(rig, CROOK, Count.CLOSER, -1_000_000, shift="day", slip="C1")
    assert inventory_of(rig.events_of(InventoryEntered)).closer_cents == 8_000_000
    assert len(reported(rig)) == 1


@pytest.mark.parametrize("traced", [True, False])
@pytest.mark.parametrize(
    ("shift", "opened", "again"), [("", "", ""), ("day", "day", "day"), ("day", "swing", ""), ("", "swing", "swing")]
)
def test_who_counts_a_rack_anew_after_its_other_end_is_where_no_round_was_dealt(
    shift: str, opened: str, again: str, *, traced: bool
) -> None:
    rig = a_table()
    rig.change_house(recounts_traced=traced)
    enter(rig, HONEST, Count.CLOSER, 9_000_000, shift=shift)
    enter(rig, CROOK, Count.OPENER, 9_000_000, shift=opened)
    enter(rig, CROOK, Count.CLOSER, 8_000_000, shift=again)
    message = "M. Crook alone: closer 80000.00 stands in the place of what A. Honest counted"
    assert reported(rig) == ([message] if traced else [])


def test_so_is_who_opens_a_rack_anew_after_closing_it() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.OPENER, 9_000_000, shift="day")
    enter(rig, CROOK, Count.CLOSER, 9_000_000, shift="day")
    enter(rig, CROOK, Count.OPENER, 8_000_000, shift="day")
    assert reported(rig) == ["M. Crook alone: opener 80000.00 stands in the place of what A. Honest counted"]


@pytest.mark.parametrize("afresh", [False, True])
def test_who_first_repeats_the_count_of_another_is_reported_once_it_is_counted_otherwise(*, afresh: bool) -> None:
    rig = a_table()
    deal(rig)
    enter(rig, HONEST, Count.CLOSER, 9_000_000)
    enter(rig, CROOK, Count.OPENER, 9_000_000)
    enter(rig, CROOK, Count.CLOSER, 9_000_000)
    assert not reported(rig)
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    enter(rig, CROOK, Count.CLOSER, 8_000_000)
    assert reported(rig) == ["M. Crook alone: closer 80000.00 stands in the place of what A. Honest counted"]


def test_once_a_round_was_dealt_who_closes_it_again_has_counted_their_own() -> None:
    rig = a_table()
    enter(rig, HONEST, Count.CLOSER, 9_000_000)
    enter(rig, CROOK, Count.OPENER, 9_000_000)
    deal(rig)
    enter(rig, CROOK, Count.CLOSER, 8_000_000)
    enter(rig, CROOK, Count.CLOSER, 7_000_000)
    assert not reported(rig)
