"""What one person counts has bounds: what the table cannot have held takes two, or is an alert."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.floor_events import ChipCount, Count, InventoryEntered, OrderProposed
from controller.core.messages.inputs import ApproveOrder, EnterInventory
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.persons import Authentication
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
WATCH = Authentication("socket", ("surveillance",), 1002)
CHIPS = {f"E0040100000000{number:02}": 2500 for number in range(10)}
"""Ten chips of 25: the table holds no more than 250."""


def a_table(*, two_persons: bool, chips: dict[str, int] = CHIPS) -> Rig:
    rig = Rig(penn(), dict(chips))
    rig.change_house(two_persons=two_persons, orders_bounded=True)
    return rig


def enter(rig: Rig, kind: Count, cents: int, *chips: tuple[int, int], slip: str = "") -> None:
    counted = tuple(ChipCount(*one) for one in chips)
    rig.give(EnterInventory(rig.now_ns, kind, cents, counted, slip, "M. Okafor", "counted", vouched=FLOOR))


UNLIKELY = [
    (Count.FILL, 25_001, (), "fill 250.01, and all chips of this table come to 250.00"),
    (Count.OPENER, 10**12, (), "opener 10000000000.00, and all chips of this table come to 250.00"),
    (Count.CREDIT, 20_000, ((10_000, 2),), "credit 200.00 has 2 chips of 100.00, of which this table has 0"),
    (Count.DROP, 100_000_001, (), "drop 1000000.01 is more than 1000000.00"),
    (Count.DROP, -1, (), "drop -0.01 takes back more than the 0.00 that was entered"),
    (Count.CLOSER, -1, (), "closer -0.01 takes back more than the 0.00 that was entered"),
]


@pytest.mark.parametrize(("kind", "cents", "chips", "message"), UNLIKELY)
def test_where_one_person_is_enough_it_is_an_alert_that_names_who(
    kind: Count, cents: int, chips: tuple[tuple[int, int], ...], message: str
) -> None:
    rig = a_table(two_persons=False)
    enter(rig, kind, cents, *chips)
    (entered,) = rig.events_of(InventoryEntered)
    assert isinstance(entered, InventoryEntered)
    assert (entered.cents, entered.vouched) == (cents, "own key")
    (alert,) = rig.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert (alert.kind, alert.who, alert.text) == (
        AlertKind.INVENTORY_UNLIKELY,
        "M. Okafor",
        f"M. Okafor alone: {message}",
    )


@pytest.mark.parametrize(("kind", "cents", "chips", "message"), UNLIKELY)
def test_where_the_house_wants_two_it_takes_two(
    kind: Count, cents: int, chips: tuple[tuple[int, int], ...], message: str
) -> None:
    rig = a_table(two_persons=True)
    enter(rig, kind, cents, *chips)
    assert message
    assert not rig.events_of(InventoryEntered, AlertRaised)
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    assert (proposed.verb, proposed.round, proposed.cents) == ("inventory", None, cents)
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", WATCH))
    (entered,) = rig.events_of(InventoryEntered)
    assert isinstance(entered, InventoryEntered)
    assert (entered.who, entered.cents) == ("M. Okafor, J. Lee", cents)
    assert entered.vouched == "own key; socket of surveillance, user 1002"


def test_what_the_table_may_hold_one_person_enters_and_takes_back() -> None:
    rig = a_table(two_persons=True)
    enter(rig, Count.FILL, 25_000, (2500, 10), slip="1")
    enter(rig, Count.FILL, -25_000, (2500, -10), slip="1")
    enter(rig, Count.DROP, 90_000_000)
    assert len(rig.events_of(InventoryEntered)) == 3
    assert not rig.events_of(OrderProposed, AlertRaised)


def test_a_table_without_a_registry_of_chips_has_no_such_bound() -> None:
    rig = a_table(two_persons=True, chips={})
    enter(rig, Count.FILL, 10**9)
    assert len(rig.events_of(InventoryEntered)) == 1


def test_what_the_table_refuses_is_not_proposed() -> None:
    rig = a_table(two_persons=True)
    enter(rig, Count.FILL, 25_000, slip="1")
    enter(rig, Count.FILL, 26_000, slip="1")
    (refused,) = rig.events_of(OrderRefused)
    assert isinstance(refused, OrderRefused)
    assert (refused.what, refused.reason_code) == ("enter fill", "already_done")
    assert not rig.events_of(OrderProposed)


@pytest.mark.parametrize("two_persons", [True, False])
def test_a_slip_that_carries_nothing_is_refused_and_an_empty_rack_or_drop_box_is_counted(*, two_persons: bool) -> None:
    rig = a_table(two_persons=two_persons)
    for kind in (Count.FILL, Count.CREDIT):
        enter(rig, kind, 0, slip="1")
        enter(rig, kind, 0, (2500, 4), (10_000, -1), slip="2")
    refused = rig.events_of(OrderRefused)
    advice = "enter the amount on its slip; of chips exchanged, enter what came as a fill and what went as a credit"
    assert [(one.what, one.reason_code, one.reason) for one in refused] == [
        (f"enter {kind}", "invalid_value", f"a {kind} of 0.00 carries nothing: {advice}")
        for kind in ("fill", "fill", "credit", "credit")
    ]
    for kind in (Count.OPENER, Count.CLOSER, Count.DROP):
        enter(rig, kind, 0)
    entered = [one.kind for one in rig.events_of(InventoryEntered)]
    assert entered == [Count.OPENER, Count.CLOSER, Count.DROP]
    assert not rig.events_of(OrderProposed, AlertRaised)


def test_in_a_journal_of_before_it_was_entered() -> None:
    rig = a_table(two_persons=True)
    rig.change_house(slips_of_something=False)
    enter(rig, Count.FILL, 0, slip="1")
    enter(rig, Count.CREDIT, 0, slip="1")
    assert len(rig.events_of(InventoryEntered)) == 2
