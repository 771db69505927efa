"""One more count costs no more however many slips are remembered, and what is remembered is what it was."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.floor_events import Count, InventoryEntered
from controller.core.messages.inputs import ApproveOrder, DayBegan, EnterInventory
from controller.core.messages.raised_alerts import RESERVED_EACH, AlertKind, AlertRaised
from controller.core.people.table_inventory import COUNTS_LIMIT
from controller.core.persons import UNAUTHENTICATED, Authentication
from controller.core.table.count_book import SlipBook
from controller.core.table.state import State, restore
from controller.formats.replay import read_state, state_bytes
from tests.core.rig import Rig, penn

KEY, PIT = Authentication("key", ("floor",)), Authentication("socket", ("floor",), 1001)
WATCH = Authentication("socket", ("surveillance",), 1002)
FIRST = date(2025, 11, 7)


def a_table(*, bounded: bool = False, counts_bounded: bool = True) -> Rig:
    rig = Rig(penn())
    rig.change_house(two_persons=False, orders_bounded=True, proposals_bound=True)
    rig.change_house(slips_bounded=bounded, counts_bounded=counts_bounded)
    rig.give(DayBegan(rig.now_ns, FIRST.isoformat()))
    return rig


def enter(
    rig: Rig, kind: Count, cents: int, slip: str = "", who: str = "M. Okafor", *, by: Authentication = KEY
) -> None:
    rig.give(EnterInventory(rig.now_ns, kind, cents, (), slip, who, "counted", vouched=by))


def entered(rig: Rig) -> int:
    return len(rig.events_of(InventoryEntered))


# --- what is remembered is what it was --------------------------------------------------------------

DEEDS = st.lists(
    st.tuples(
        st.sampled_from(Count),
        st.sampled_from((100, 100, 200, -100, -200)),
        st.sampled_from(("", "1", "2", "3")),
        st.sampled_from(("A. One", "B. Two", "C. Three")),
        st.sampled_from(("", "", "today", "yesterday", "2025-11-07")),
        st.sampled_from((0, 0, 0, 0, 1, 4, 9)),
        st.booleans(),
    ),
    max_size=40,
)


@settings(max_examples=200, deadline=None)
@given(deeds=DEEDS)
def test_it_is_what_one_list_of_all_entries_would_tell(
    deeds: list[tuple[Count, int, str, str, str, int, bool]],
) -> None:
    """Journals that remember a thousand slips keep such a list, and nothing else is different in so few."""
    tables, day = [a_table(bounded=bounded, counts_bounded=False) for bounded in (True, False)], FIRST
    for kind, cents, slip, who, of_day, later, approved in deeds:
        day += timedelta(later)
        for rig in tables:
            if later:
                rig.give(DayBegan(rig.now_ns, day.isoformat()))
            rig.give(EnterInventory(rig.now_ns, kind, cents, (), slip, who, "counted", of_day, "", KEY))
            if approved and rig.table.state.proposed:
                rig.give(ApproveOrder(rig.now_ns, rig.table.state.proposed[0].number, "J. Lee", WATCH))
        listed, parted = tables
        assert parted.events == listed.events
        assert set(parted.table.state.inventory_people) == set(listed.table.state.inventory_people)
        assert len(parted.table.state.inventory_people) == len(listed.table.state.inventory_people)
        assert len(parted.table.state.inventory_slips) == len(listed.table.state.inventory_slips)


@given(slips=st.lists(st.tuples(st.text(max_size=3), st.integers(-2, 2))))
def test_what_stands_of_slips_is_what_their_entries_come_to(slips: list[tuple[str, int]]) -> None:
    book, sums = SlipBook(), dict[str, int]()
    for slip, cents in slips:
        book, sums[slip] = book.with_entry(slip, cents), sums.get(slip, 0) + cents
    assert {slip: book.net_cents(slip) for slip in sums} == sums
    assert len(book) == sum(1 for net in sums.values() if net)


def parts_changed(before: State, after: State) -> int:
    """Slips that were copied by an entry: those of every part that is not the same as it was."""
    old, new = before.inventory_slips.parts, after.inventory_slips.parts
    people, people_now = before.inventory_people.slips, after.inventory_people.slips
    return sum(len(new[part]) for part in new if new[part] is not old.get(part)) + sum(
        len(people_now[part]) for part in people_now if people_now[part] is not people.get(part)
    )


def test_an_entry_copies_few_of_many_slips() -> None:
    rig = a_table()
    for number in range(4_000):
        enter(rig, Count.FILL, 100, f"F {number}")
        rig.events.clear()
        rig.stamped.clear()
    before = rig.table.state
    enter(rig, Count.FILL, 100, "F 4000")
    # Two parts of 256, once as amounts and once as people; the part of the entry before is looked through too.
    assert parts_changed(before, rig.table.state) < 200
    enter(rig, Count.FILL, -100, "F 17")
    enter(rig, Count.FILL, 100, "F 17")
    enter(rig, Count.FILL, 100, "F 4000")
    (refused,) = rig.events_of(OrderRefused)
    assert refused.reason == "slip F 4000 is entered already, with 1.00"


def test_what_is_remembered_outlasts_a_restart() -> None:
    rig = a_table()
    enter(rig, Count.FILL, 100, "4711", "A. One")
    enter(rig, Count.DROP, 100, "", "A. One")
    state = read_state(state_bytes(rig.table.state))
    assert state == rig.table.state
    rig.table = restore(rig.house, state)
    enter(rig, Count.FILL, -100, "4711", "B. Two")
    enter(rig, Count.DROP, -100, "", "B. Two")
    assert [one.kind for one in rig.events_of(AlertRaised)] == [AlertKind.CORRECTED_ALONE] * 2


# --- how much is remembered of one person -----------------------------------------------------------


@pytest.mark.parametrize("bounded", [True, False])
def test_one_person_enters_thousands_of_counts_on_a_day_and_no_more(*, bounded: bool) -> None:
    rig = a_table(counts_bounded=bounded)
    for _ in range(COUNTS_LIMIT):
        enter(rig, Count.FILL, 1)
        rig.stamped.clear()
    before = entered(rig)
    assert before == COUNTS_LIMIT
    enter(rig, Count.FILL, 1, "4711")
    assert entered(rig) == before + (not bounded)
    if not bounded:
        return
    (refused,) = rig.events_of(OrderRefused)
    text = "5000 counts of yours are entered of this gaming day: another person enters more, or you do tomorrow"
    assert (refused.reason_code, refused.reason) == ("too_many_requests", text)
    enter(rig, Count.FILL, 1, "4711", "J. Lee")
    rig.give(DayBegan(rig.now_ns, "2025-11-08"))
    enter(rig, Count.FILL, 1, "4712")
    assert entered(rig) == before + 2
    assert rig.table.state.inventory_makers == {"2025-11-08 own key M. Okafor": 1}


def test_where_no_day_is_known_none_is_bounded() -> None:
    rig = Rig(penn())
    enter(rig, Count.FILL, 1)
    assert rig.table.state.inventory_makers == {}


@pytest.mark.parametrize("slip", ["", "4711"])
@pytest.mark.parametrize("by", [PIT, UNAUTHENTICATED])
@pytest.mark.parametrize("bounded", [True, False])
def test_of_the_names_at_one_socket_a_few_are_remembered(slip: str, by: Authentication, *, bounded: bool) -> None:
    """Anybody may give any; whoever takes back what others entered is reported all the same."""
    rig = a_table(counts_bounded=bounded)
    enter(rig, Count.FILL, 100, slip, "J. Reyes")
    for number in range(30):
        enter(rig, Count.FILL, -100, slip, "J. Reyes", by=by)
        enter(rig, Count.FILL, 100, slip, f"P. Nobody{number}", by=by)
    kept = {one.person.name for one in rig.table.state.inventory_people}
    assert len(kept) == (1 + RESERVED_EACH if bounded else 31)
    assert "J. Reyes" in kept
    alerts = len(rig.events_of(AlertRaised))
    enter(rig, Count.FILL, -100, slip, "P. Nobody29", by=by)
    assert len(rig.events_of(AlertRaised)) == alerts + 1


@pytest.mark.parametrize("kind", [Count.OPENER, Count.CLOSER])
@pytest.mark.parametrize("bounded", [True, False])
def test_a_rack_that_is_counted_again_and_again_has_its_people_once(kind: Count, *, bounded: bool) -> None:
    rig = a_table(counts_bounded=bounded)
    enter(rig, kind, 5_000, "R", "J. Reyes")
    for number in range(30):
        enter(rig, kind, 5_000, f"R {number}", f"P. Nobody{number % 20}", by=PIT)
    assert len(rig.table.state.inventory_people) == (1 + RESERVED_EACH if bounded else 31)
    enter(rig, kind, 4_000, "S", "P. Nobody0", by=PIT)
    assert "J. Reyes" in rig.events_of(AlertRaised)[-1].text
