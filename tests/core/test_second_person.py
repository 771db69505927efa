"""What moves money takes two people where the house wants it: one proposes, another approves, and it is on record."""

from __future__ import annotations

import msgspec
import pytest

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import CardDrawn, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import RoundVoided, RulingProposed
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AdjustWager,
    ApproveOrder,
    SetCard,
    VoidRound,
    WithdrawOrder,
)
from controller.core.messages.meter_events import OrderApproved, OrderWithdrawn
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertRaised
from controller.core.meters.state import ORDERS_LIMIT
from controller.core.persons import UNAUTHENTICATED, Authentication
from controller.core.table.state import Table, restore
from controller.formats.mqtt.retained_orders import OrdersNow, RulableNow, RulingNow, orders_bytes
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn

ROUND = """
1 main 10
9h Ts 8d 9c
key stand hole_turned round_closed
"""


FLOOR = Authentication("key", ("floor",))
SURVEILLANCE = Authentication("socket", ("surveillance",), 1002)


def a_table() -> Rig:
    rig = Rig(penn(stand_key="always"))
    rig.house = msgspec.structs.replace(rig.house, two_persons=True)
    rig.table = Table(rig.house, rig.table.state)
    rig.talk(ROUND)
    assert rig.events_of(WagerSettled)
    return rig


def void(rig: Rig, who: str, number: int = 1) -> None:
    rig.give(VoidRound(rig.now_ns, number, who, "foul deal", FLOOR))


def approve(rig: Rig, order: int, who: str, vouched: Authentication = SURVEILLANCE) -> None:
    rig.give(ApproveOrder(rig.now_ns, order, who, vouched))


def orders(rig: Rig) -> OrdersNow:
    """What is retained of orders."""
    found: OrdersNow = msgspec.json.decode(orders_bytes(rig.house, rig.table.state), type=OrdersNow)
    return found


def test_the_picture_of_orders_has_before_and_after_and_what_the_rules_give() -> None:
    rig = a_table()
    assert orders(rig).two_persons
    (wager,) = orders(rig).wagers
    # Four hands of ten dollars, each doubled.
    assert wager == RulableNow(1, 1, "main", 1000, -1000, wager.least_cents, wager.most_cents)
    assert -wager.least_cents == wager.most_cents >= 2000
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 500, "M. Okafor", "dead hand", FLOOR))
    void(rig, "M. Okafor")
    assert orders(rig).rulings == (
        RulingNow(1, 1, 1, "main", -1000, 500, "M. Okafor", "dead hand"),
        RulingNow(2, 1, None, None, None, None, "M. Okafor", "foul deal"),
    )
    approve(rig, 2, "J. Lee")
    assert (orders(rig).wagers, [one.order for one in orders(rig).rulings]) == ((), [1])


def test_the_picture_of_orders_has_two_rounds() -> None:
    rig = a_table()
    rig.talk(f"1 main 0\n{ROUND}\n1 main 0\n{ROUND}")
    assert {one.round for one in orders(rig).wagers} == {2, 3}


def test_one_person_moves_nothing() -> None:
    rig = a_table()
    void(rig, "M. Okafor")
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 500, "M. Okafor", "dead hand", FLOOR))
    assert rig.events_of(RulingProposed) == [
        RulingProposed(1, 1, None, None, None, "M. Okafor", "foul deal", "own key"),
        RulingProposed(2, 1, 1, "main", 500, "M. Okafor", "dead hand", "own key"),
    ]
    assert not rig.events_of(RoundVoided)
    assert not rig.events_of(WagerAdjusted)


def test_another_person_approves_and_both_are_named() -> None:
    rig = a_table()
    void(rig, "M. Okafor")
    approve(rig, 1, "J. Lee")
    assert rig.events_of(OrderApproved) == [
        OrderApproved(1, "M. Okafor", "J. Lee", "own key", "socket of surveillance, user 1002")
    ]
    (voided,) = rig.events_of(RoundVoided)
    assert (voided.who, voided.why) == ("M. Okafor, J. Lee", "foul deal")
    assert [one.net_cents for one in rig.events_of(WagerAdjusted)] == [0]


def test_nobody_approves_their_own() -> None:
    rig = a_table()
    void(rig, "M. Okafor")
    approve(rig, 1, "m.  okafor")
    assert [one.reason for one in rig.events_of(OrderRefused)] == ["M. Okafor proposed it; another person must approve"]
    assert not rig.events_of(RoundVoided)
    approve(rig, 1, "J. Lee")
    assert rig.events_of(RoundVoided)


@pytest.mark.parametrize(
    "second",
    ["M. Okafor\u200b", "\u2060M. Okafor", "M.\u00a0Okafor", "\uff2d. OKAFOR", "m. o\u00adkafor", "M. Okafor\ufe0f"],
)
def test_nobody_approves_their_own_under_another_spelling(second: str) -> None:
    rig = a_table()
    void(rig, "M. Okafor")
    approve(rig, 1, second)
    assert not rig.events_of(RoundVoided)


@pytest.mark.parametrize("vouched", [UNAUTHENTICATED, Authentication("socket", ("floor",), 1001)])
def test_an_approval_counts_only_from_somebody_vouched_for_as_another(vouched: Authentication) -> None:
    """Over MQTT nobody is, and whoever has a key of the floor's may be at the floor's socket, too."""
    rig = a_table()
    void(rig, "M. Okafor")
    approve(rig, 1, "J. Lee", vouched)
    assert not rig.events_of(RoundVoided)
    (refused,) = rig.events_of(OrderRefused)
    assert "another person must approve" in refused.reason or "nothing vouches for J. Lee" in refused.reason


@pytest.mark.parametrize("named", [True, False])
def test_a_ruling_beyond_the_rules_that_nothing_vouches_for_is_refused_with_what_to_do(named: bool) -> None:
    rig = a_table()
    rig.change_house(causes_named=named)
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 10_000_000, "M. Okafor", "typed"))
    (refused,) = rig.events_of(OrderRefused)
    assert refused.reason.startswith("nothing vouches for M. Okafor: ")
    assert ("correct the amount, or order it over the operator channel" in refused.reason) is named
    assert ("what takes two persons is ordered over the operator channel" in refused.reason) is not named


def test_what_nobody_vouches_for_is_not_even_proposed() -> None:
    rig = a_table()
    rig.give(VoidRound(rig.now_ns, 1, "M. Okafor", "foul deal"))
    (refused,) = rig.events_of(OrderRefused)
    assert refused.reason.startswith("nothing vouches for M. Okafor: what takes two persons is ordered over the")
    assert not rig.events_of(RulingProposed)


def test_what_could_not_be_done_is_not_proposed_and_not_approved() -> None:
    rig = a_table()
    void(rig, "M. Okafor", number=7)
    assert not rig.events_of(RulingProposed)
    void(rig, "M. Okafor")
    void(rig, "J. Lee")
    approve(rig, 1, "J. Lee")
    approve(rig, 2, "A. Ames")
    reasons = [one.reason for one in rig.events_of(OrderRefused)]
    assert reasons[1:] == ["the round is void already"]
    assert len(rig.events_of(RoundVoided)) == 1


def test_an_order_taken_back_is_carried_out_no_more() -> None:
    rig = a_table()
    void(rig, "M. Okafor")
    rig.give(WithdrawOrder(rig.now_ns, 1, "M. Okafor", "wrong round"))
    assert rig.events_of(OrderWithdrawn) == [OrderWithdrawn(1, "M. Okafor", "wrong round")]
    approve(rig, 1, "J. Lee")
    assert not rig.events_of(RoundVoided)
    assert [one.what for one in rig.events_of(OrderRefused)] == ["approve order 1"]


def test_a_proposal_outlives_a_restart() -> None:
    rig = a_table()
    void(rig, "M. Okafor")
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    approve(rig, 1, "J. Lee")
    assert rig.events_of(RoundVoided)


def test_so_many_may_wait_and_no_more() -> None:
    rig = a_table()
    for _ in range(ORDERS_LIMIT + 1):
        void(rig, "M. Okafor")
    assert len(rig.events_of(RulingProposed)) == ORDERS_LIMIT
    assert "orders wait already" in rig.events_of(OrderRefused)[-1].reason


def test_where_one_person_is_enough_nothing_waits() -> None:
    rig = Rig(penn(stand_key="always"))
    rig.talk(ROUND)
    void(rig, "M. Okafor")
    assert rig.events_of(RoundVoided)
    assert not rig.events_of(RulingProposed)


# --- names as they look -----------------------------------------------------------------------------

PIT = Authentication("socket", ("floor",), 1001)


@pytest.mark.parametrize("compared", [True, False])
def test_nobody_approves_their_own_in_a_name_that_looks_like_it(*, compared: bool) -> None:
    """In journals of before a hair of space within a word made it another person's."""
    rig = a_table()
    rig.change_house(orders_bounded=True, looks_compared=compared)
    rig.give(VoidRound(rig.now_ns, 1, "J. Reyes", "foul deal", PIT))
    approve(rig, 1, "J. Re\u200ayes (surv.)")
    assert bool(rig.events_of(RoundVoided)) is not compared
    if compared:
        (refused,) = rig.events_of(OrderRefused)
        assert "may be J. Reyes, who proposed it: give the full name" in refused.reason
        approve(rig, 1, "J. Lee")
        assert rig.events_of(RoundVoided)


@pytest.mark.parametrize("vouched", [PIT, UNAUTHENTICATED])
@pytest.mark.parametrize("compared", [True, False])
def test_nobody_acknowledges_their_own_alert_in_a_name_that_looks_like_it(
    vouched: Authentication, *, compared: bool
) -> None:
    rig = Rig(penn())
    rig.change_house(two_persons=False, orders_bounded=True, looks_compared=compared)
    rig.talk("1 main 10 \n 9h Ts")
    drawn = rig.events_of(CardDrawn)[0].card
    rig.give(SetCard(rig.now_ns, drawn, Card("8h"), "J. Reyes", "seen", vouched=vouched))
    (alert,) = rig.events_of(AlertRaised)
    rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, "J. Re yes (surv.)", "", SURVEILLANCE))
    assert bool(rig.events_of(AlertAcknowledged)) is not compared
