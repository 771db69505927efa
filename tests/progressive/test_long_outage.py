"""A long outage of the link (Mich. Admin. Code R 432.1841(2)(e)): only a person ends the stop of the linked bet."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.inputs import DaemonStarted, PoolStateRead, ReopenMeter
from controller.core.messages.meter_events import MeterClosed, MeterReopened
from controller.core.messages.pool_events import MeterReleased
from controller.core.meters.pooled_meter import NOT_HEARD
from controller.core.persons import Authentication
from controller.formats.text.moments import HOUR_NS
from tests.core.rig import coded
from tests.progressive.live import LINKED, NOTHING, MeterRig, Pit, linked, owing

TERMS = replace(LINKED, long_outage_ns=24 * HOUR_NS)
HELD = "the link was away for 24 hours: a person must let it be won again by name"


@pytest.fixture
def rig(pit: Pit) -> MeterRig:
    """A table that has heard its link."""
    found = MeterRig(linked=(TERMS,))
    pit.publishes(found)
    return found


def hours_pass(rig: MeterRig, hours: float) -> None:
    rig.now_ns += int(hours * HOUR_NS)


def lets_go(rig: MeterRig) -> None:
    rig.give(ReopenMeter(rig.now_ns, "pit_sevens", "T. Ito", "sign and link agree"))


def reasons(rig: MeterRig) -> list[str]:
    return [one.reason for one in rig.events_of(MeterClosed) if one.meter == "pit_sevens"]


def test_after_a_day_without_the_link_only_a_person_reopens_the_linked_bet(rig: MeterRig, pit: Pit) -> None:
    pit.is_lost(rig)
    rig.talk(NOTHING)
    hours_pass(rig, 24)
    pit.publishes(rig)
    pit.answers(rig)
    assert reasons(rig)[-1] == HELD
    assert rig.shown()["pit_sevens"] is None
    hours_pass(rig, 1)
    pit.publishes(rig)
    assert rig.shown()["pit_sevens"] is None
    lets_go(rig)
    assert rig.events_of(MeterReleased) == [
        MeterReleased("pit_sevens", HELD, 1_000_085, "T. Ito", "sign and link agree")
    ]
    assert rig.events_of(MeterReopened)[-1] == MeterReopened("pit_sevens", 1_000_085)
    assert rig.shown()["pit_sevens"] == 1_000_085
    assert owing(rig).owed == ()


def test_who_lets_a_meter_go_is_published_with_how_they_are_known(rig: MeterRig, pit: Pit) -> None:
    house = replace(rig.house, orders_bounded=True, proposals_bound=True)
    rig.table = replace(rig.table, house=house)
    pit.is_lost(rig)
    hours_pass(rig, 24)
    pit.publishes(rig)
    pit.answers(rig)
    key = Authentication("key", ("technician",))
    rig.give(ReopenMeter(rig.now_ns, "pit_sevens", "T. Ito", "sign and link agree", key))
    (released,) = rig.events_of(MeterReleased)
    assert isinstance(released, MeterReleased)
    assert released.vouched == "own key"


def test_a_shorter_outage_ends_with_the_links_return(rig: MeterRig, pit: Pit) -> None:
    pit.is_lost(rig)
    hours_pass(rig, 23.9)
    pit.publishes(rig)
    assert rig.shown()["pit_sevens"] == 1_000_000
    pit.is_lost(rig)
    hours_pass(rig, 23.9)
    pit.publishes(rig)
    assert rig.shown()["pit_sevens"] == 1_000_000


def test_it_is_said_while_the_link_is_still_away(rig: MeterRig, pit: Pit) -> None:
    pit.is_lost(rig)
    for _ in range(100):
        hours_pass(rig, 0.25)
        pit.is_lost(rig)
    assert reasons(rig)[-2:] == ["the link is away", HELD]


def test_another_reason_why_it_is_closed_does_not_begin_the_outage_anew(rig: MeterRig, pit: Pit) -> None:
    pit.is_lost(rig)
    hours_pass(rig, 20)
    rig.give(PoolStateRead(rig.now_ns, "pit_sevens", None, "the ledger cannot be reached"))
    hours_pass(rig, 4)
    pit.publishes(rig)
    assert reasons(rig)[-1] == HELD


def test_an_outage_goes_on_over_a_start_and_so_does_the_stop(rig: MeterRig, pit: Pit) -> None:
    pit.is_lost(rig)
    hours_pass(rig, 12)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    hours_pass(rig, 12)
    pit.publishes(rig)
    assert reasons(rig)[-1] == HELD
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    pit.publishes(rig)
    assert rig.shown()["pit_sevens"] is None
    lets_go(rig)
    assert rig.shown()["pit_sevens"] == 1_000_000


def test_a_table_that_was_switched_off_had_no_outage(rig: MeterRig, pit: Pit) -> None:
    hours_pass(rig, 60)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    pit.publishes(rig)
    assert rig.shown()["pit_sevens"] == 1_000_000


def test_a_link_that_was_open_is_closed_by_a_start_and_away_from_then_on(rig: MeterRig, pit: Pit) -> None:
    hours_pass(rig, 60)
    rig.give(DaemonStarted(rig.now_ns, "test", rig.house))
    assert reasons(rig)[-1] == NOT_HEARD
    assert rig.shown()["pit_sevens"] is None
    hours_pass(rig, 24)
    pit.publishes(rig)
    assert reasons(rig)[-1] == HELD


def test_it_is_let_go_only_when_it_is_held_and_the_link_is_back(rig: MeterRig, pit: Pit) -> None:
    def refusal() -> str:
        lets_go(rig)
        found = rig.last(OrderRefused)
        assert isinstance(found, OrderRefused)
        return found.reason

    assert refusal() == "nobody need let pit_sevens be won again"
    pit.is_lost(rig)
    hours_pass(rig, 25)
    pit.is_lost(rig)
    assert refusal() == "it is closed still: the link is away"
    rig.give(ReopenMeter(rig.now_ns, "mystery", "T. Ito", "it looks right"))
    assert rig.last(OrderRefused) == OrderRefused(
        "reopen meter mystery", "mystery is no linked meter of this table", "T. Ito", "no_such_meter"
    )


def test_a_house_may_do_without(pit: Pit) -> None:
    rig = MeterRig(linked=(LINKED,))
    pit.publishes(rig)
    pit.is_lost(rig)
    hours_pass(rig, 1_000)
    pit.publishes(rig)
    assert rig.shown()["pit_sevens"] == 1_000_000


def test_a_meter_the_table_file_no_longer_has_is_not_held(rig: MeterRig, pit: Pit) -> None:
    rig.give(DaemonStarted(rig.now_ns, "test", replace(rig.house, linked=())))
    hours_pass(rig, 30)
    pit.publishes(rig)
    assert linked(rig).blocked == ""
    assert coded(linked(rig))
