"""Who gave an order does not acknowledge the alert about it, and no flood of alerts hides another."""

from __future__ import annotations

import msgspec
import pytest

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.inputs import AcknowledgeAlert, AdjustWager, DeclareBox, WithdrawOrder
from controller.core.messages.raised_alerts import (
    LISTED_LIMIT,
    RESERVED_EACH,
    AlertAcknowledged,
    AlertKind,
    AlertRaised,
)
from controller.core.persons import UNAUTHENTICATED, Authentication
from controller.core.table.state import restore
from controller.formats.mqtt.retained_alerts import AlertsNow, alerts_bytes, listed_alerts
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.readings import ChipsSeen
from tests.core.accounts import published
from tests.core.rig import MS, Rig, penn

KEY = Authentication("key", ("floor",))
FLOOR, OTHER_FLOOR = (Authentication("socket", ("floor",), user) for user in (1001, 1002))
WATCH = Authentication("socket", ("surveillance",), 1003)


def a_table() -> Rig:
    rig = Rig(penn(stand_key="always"))
    rig.change_house(two_persons=True, orders_bounded=True)
    rig.talk("1 main 10 \n 9h Ts 8d 9c \n key stand hole_turned round_closed")
    return rig


def beyond(rig: Rig, who: str = "J. Reyes", vouched: Authentication = KEY) -> None:
    """A person proposes what no cards could make a wager, and takes it back."""
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 10**9, who, "typed", vouched))
    rig.give(WithdrawOrder(rig.now_ns, rig.table.state.progressives.ordered, who, "typed"))


def waiting(rig: Rig, kind: AlertKind = AlertKind.RULING_BEYOND_RULES) -> list[int]:
    return [one.alert for one in rig.table.state.alerts.listed if one.kind is kind]


@pytest.mark.parametrize(
    ("first", "who", "vouched", "seen"),
    [
        (KEY, "J. Reyes", KEY, False),
        (KEY, "M. Okafor", KEY, True),
        (KEY, "M. Okafor", WATCH, True),
        (KEY, "M. Okafor", FLOOR, False),
        (KEY, "Reyes", WATCH, False),
        (KEY, "J. Reyes (surv.)", WATCH, False),
        (KEY, "M. Okafor", UNAUTHENTICATED, False),
        (FLOOR, "M. Okafor", FLOOR, False),
        (FLOOR, "M. Okafor", OTHER_FLOOR, True),
        (FLOOR, "Juan Reyes", OTHER_FLOOR, False),
    ],
)
def test_an_alert_about_an_order_is_for_another_person(
    first: Authentication, who: str, vouched: Authentication, *, seen: bool
) -> None:
    rig = a_table()
    beyond(rig, vouched=first)
    (number,) = waiting(rig)
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.give(AcknowledgeAlert(rig.now_ns, number, who, "typed", vouched))
    assert waiting(rig) == ([] if seen else [number])
    if seen:
        (acknowledged,) = rig.events_of(AlertAcknowledged)
        assert isinstance(acknowledged, AlertAcknowledged)
        assert acknowledged.vouched == vouched.text()
    else:
        (refused,) = rig.events_of(OrderRefused)
        assert isinstance(refused, OrderRefused)
        assert refused.reason_code in {"second_person_needed", "not_vouched"}
        assert refused.reason_code == "not_vouched" or "gave the order or answer it is about" in refused.reason


def test_screens_see_whose_order_an_alert_is_about() -> None:
    rig = a_table()
    beyond(rig)
    shown = msgspec.json.decode(alerts_bytes(rig.table.state), type=AlertsNow)
    assert [one.who for one in shown.unacknowledged] == ["J. Reyes"]


@pytest.mark.parametrize(("who", "seen"), [("Reyes", False), ("M. Okafor", True)])
def test_where_nothing_vouched_for_who_ordered_it_names_are_all_there_is(who: str, *, seen: bool) -> None:
    rig = a_table()
    rig.change_house(two_persons=False)
    rig.talk("1 main 10 \n 9h Ts")
    rig.give(DeclareBox(rig.now_ns, 2, 1000, "J. Reyes", "plays cash"))
    (number,) = waiting(rig, AlertKind.CORRECTED_ALONE)
    rig.give(AcknowledgeAlert(rig.now_ns, number, who, "seen"))
    assert waiting(rig, AlertKind.CORRECTED_ALONE) == ([] if seen else [number])


def flooded(rig: Rig) -> None:
    """A chip that is in no registry is laid down again and again."""
    for serial in range(LISTED_LIMIT + 20):
        rig.give(ChipsSeen(7, "main", (f"E00701{serial:010X}",), rig.now_ns, rig.now_ns + MS))


def test_a_flood_of_one_kind_pushes_no_other_off_the_list() -> None:
    rig = a_table()
    flooded(rig)
    for _ in range(RESERVED_EACH + 3):
        beyond(rig)
    beyond(rig, "M. Okafor")
    assert len(waiting(rig)) == RESERVED_EACH + 1
    assert len(rig.table.state.alerts.listed) == LISTED_LIMIT + RESERVED_EACH + 1
    last = rig.events_of(AlertRaised)[-4:]
    assert [(one.who, one.listed) for one in last] == [("J. Reyes", False)] * 3 + [("M. Okafor", True)]


def test_a_person_has_no_more_places_for_another_name_at_a_socket() -> None:
    rig = a_table()
    flooded(rig)
    for number in range(RESERVED_EACH + 3):
        beyond(rig, f"Person {'ABCDEFGHIJKLMNOP'[number] * 3}", FLOOR)
    assert len(waiting(rig)) == RESERVED_EACH


def test_who_acknowledges_that_too_many_wait_has_not_seen_those_that_are_listed() -> None:
    rig = a_table()
    flooded(rig)
    for _ in range(RESERVED_EACH + 1):
        beyond(rig)
    (full,) = waiting(rig, AlertKind.ALERTS_UNREAD)
    rig.give(AcknowledgeAlert(rig.now_ns, full, "M. Okafor", "looked through", WATCH))
    about = [one for one in listed_alerts(published(rig.events)) if one.event.kind is AlertKind.RULING_BEYOND_RULES]
    assert [one.who for one in about] == [""] * RESERVED_EACH + ["M. Okafor"]


@pytest.mark.parametrize(
    ("who", "vouched", "named", "seen"),
    [
        ("J. Reyes", KEY, True, False),
        ("J. Reyes", KEY, False, True),
        ("M. Okafor", FLOOR, True, False),
        ("M. Okafor", KEY, True, True),
    ],
)
def test_who_an_unlisted_alert_is_about_does_not_take_note_of_those_unlisted(
    who: str, vouched: Authentication, *, named: bool, seen: bool
) -> None:
    """They keep the floor busy with small orders, and then give the one that they mean."""
    rig = a_table()
    rig.change_house(unlisted_named=named)
    flooded(rig)
    for _ in range(RESERVED_EACH + 2):
        beyond(rig)
    (full,) = waiting(rig, AlertKind.ALERTS_UNREAD)
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    shown = msgspec.json.decode(alerts_bytes(rig.table.state), type=AlertsNow)
    assert [one.who for one in shown.unacknowledged if one.alert == full] == ["J. Reyes" if named else ""]
    rig.give(AcknowledgeAlert(rig.now_ns, full, who, "looked through", vouched))
    assert waiting(rig, AlertKind.ALERTS_UNREAD) == ([] if seen else [full])


def test_whoever_a_listed_alert_is_about_takes_note_of_those_unlisted() -> None:
    rig = a_table()
    flooded(rig)
    for _ in range(RESERVED_EACH):
        beyond(rig)
    (full,) = waiting(rig, AlertKind.ALERTS_UNREAD)
    rig.give(AcknowledgeAlert(rig.now_ns, full, "J. Reyes", "looked through", KEY))
    assert not waiting(rig, AlertKind.ALERTS_UNREAD)


def test_all_are_named_that_unlisted_alerts_are_about_and_of_a_socket_s_names_a_few() -> None:
    rig = a_table()
    flooded(rig)
    for _ in range(RESERVED_EACH + 1):
        beyond(rig)
    for number in range(2 * RESERVED_EACH + 3):
        beyond(rig, f"Person {'ABCDEFGHIJKLMNOPQRS'[number] * 3}", FLOOR)
    for _ in range(RESERVED_EACH + 1):
        beyond(rig, "M. Okafor", WATCH)
    (full,) = (one for one in rig.table.state.alerts.listed if one.kind is AlertKind.ALERTS_UNREAD)
    named = [one.name for one in full.people()]
    assert [named[0], named[-1], len(named)] == ["J. Reyes", "M. Okafor", RESERVED_EACH + 2]
    assert rig.table.state.alerts.listed[0].who == ""
