"""Whom a count takes something from is found in one pass; here by its definition, entry by entry."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.messages.floor_events import Count
from controller.core.messages.house import House
from controller.core.messages.inputs import EnterInventory
from controller.core.people.table_inventory import counted_by_another
from controller.core.persons import Authentication, Person
from controller.core.table.count_book import CountBook, CountEntry
from controller.core.table.state import State, Table
from controller.core.table.transaction import Transaction
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
RACKS = (Count.OPENER, Count.CLOSER)
DAYS, SHIFTS, SLIPS, PEOPLE = ("2025-11-06", "2025-11-07"), ("", "day", "swing"), ("", "1", "2"), ("A", "B", "C")
ROUNDS = 1
RIG = Rig(penn())

ENTRIES = st.lists(
    st.builds(
        CountEntry,
        st.sampled_from((*RACKS, *RACKS, Count.FILL)),
        st.sampled_from(DAYS),
        st.sampled_from(SHIFTS),
        st.sampled_from(SLIPS),
        st.builds(Person, st.sampled_from(PEOPLE), st.just(FLOOR)),
        st.integers(0, ROUNDS),
    ),
    unique=True,
    max_size=12,
)

STANDING = st.dictionaries(
    st.builds(
        "{} {} {}".format, st.sampled_from(DAYS), st.sampled_from(RACKS), st.sampled_from(("", "*", "day", "swing"))
    ).map(str.rstrip),
    st.sampled_from((0, 100, 200)),
)


GIVEN = st.builds(
    EnterInventory,
    st.just(0),
    st.sampled_from((*RACKS, Count.FILL)),
    st.sampled_from((-200, -100, 0, 100, 200)),
    st.just(()),
    st.sampled_from(SLIPS),
    st.just("A"),
    st.just("counted"),
    st.just(""),
    st.sampled_from(SHIFTS),
    st.just(FLOOR),
)


@settings(max_examples=500, deadline=None)
@given(ENTRIES, STANDING, GIVEN, st.tuples(st.booleans(), st.booleans()))
def test_it_is_who_made_each_count_that_the_entry_is_about(
    entries: list[CountEntry], standing: dict[str, int], entry: EnterInventory, facts: tuple[bool, bool]
) -> None:
    house = replace(RIG.house, racks_traced=facts[0], recounts_traced=facts[1])
    known = tuple(replace(one, slip=f"{one.kind} {one.slip}" if one.slip else "") for one in entries)
    state = State(gaming_day=DAYS[-1], rounds=ROUNDS, inventory_people=CountBook(known), inventory_days=standing)
    others = dict.fromkeys(
        one.person.name
        for at, one in enumerate(known)
        if one.person != Person("A", FLOOR) and is_about(house, state, entry, at)
    )
    does = "takes back" if entry.cents < 0 else "stands in the place of"
    text = f"{entry.kind} {entry.cents / 100:.2f} {does} what {', '.join(others)} counted"
    transaction = Transaction(Table(house, state), RIG.stamped[0])
    assert counted_by_another(transaction, entry) == (text if others else "")


def is_about(house: House, state: State, entry: EnterInventory, at: int) -> bool:
    """Whether an entry of today takes back an earlier one, or counts it anew."""
    known = state.inventory_people.racks
    earlier, since = known[at], known[at + 1 :]
    today, rack = state.gaming_day, entry.kind in RACKS
    if earlier.kind is not entry.kind or (entry.cents >= 0 and not rack):
        return False
    traced, slip = house.racks_traced and rack, f"{entry.kind} {entry.slip}"
    if entry.cents < 0 and entry.slip and earlier.slip == slip:
        return True
    own = (entry.kind, today, entry.shift, slip)
    counted_since = own in [(one.kind, one.day, one.shift, one.slip) for one in since]
    if entry.cents < 0 and entry.slip and (not traced or counted_since):
        return False
    named = state.inventory_days.get(f"{today} {entry.kind} {entry.shift}".rstrip(), 0)
    beyond = entry.cents < 0 and traced and named + entry.cents < 0
    may_be_same = "" in {entry.shift, earlier.shift} or entry.shift == earlier.shift
    if earlier.day != today or not (may_be_same or beyond):
        return False
    return entry.cents < 0 or is_same_end(house, state, entry, at)


def is_same_end(house: House, state: State, entry: EnterInventory, at: int) -> bool:
    """Whether a rack is counted anew at the end of a shift at which it was counted."""
    known = state.inventory_people.racks
    earlier, since = known[at], known[at + 1 :]
    if not house.racks_traced:
        return earlier.shift == entry.shift
    holds = state.inventory_days.get(f"{earlier.day} {earlier.kind} {earlier.shift or '*'}", 0) == entry.cents
    if house.recounts_traced and earlier.rounds == state.rounds and not holds:
        return True
    other = Count.OPENER if entry.kind is Count.CLOSER else Count.CLOSER
    shifts = {one.shift for one in since if (one.kind, one.day) == (other, earlier.day)}
    if entry.shift == earlier.shift or (entry.shift and entry.kind is Count.CLOSER):
        shifts &= {entry.shift, earlier.shift}
    return not shifts or state.inventory_days.get(f"{earlier.day} {other}") == 0
