"""What is known is overruled by two where the house wants two; what nobody could see, one person says alone."""

from __future__ import annotations

import msgspec
import pytest

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis
from controller.core.messages.alerts import OrderRefused, WagerOutsideLimits
from controller.core.messages.events import CardDrawn, WagerSettled
from controller.core.messages.floor_events import BoxDeclared, CardAssigned, CardSet, OrderProposed
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    ApproveOrder,
    AssignCard,
    DeclareBox,
    SetCard,
    WithdrawOrder,
)
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.formats.mqtt.retained_orders import OrdersNow, ProposedOrderNow, orders_bytes
from controller.formats.orders.replies import remark_of
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
WATCH = Authentication("socket", ("surveillance",), 1002)
KEYED = penn(stand_key="always")


def a_table(rules: Rules = KEYED, *, two_persons: bool = True) -> Rig:
    """A table whose orders are bounded."""
    rig = Rig(rules)
    rig.change_house(two_persons=two_persons, orders_bounded=True)
    return rig


def card(rig: Rig, place: int) -> int:
    drawn = (event for event in rig.events if isinstance(event, CardDrawn))
    return next(one.card for one in drawn if one.position == place)


def set_card(rig: Rig, place: int, face: str | None) -> None:
    named = None if face is None else Card(face)
    rig.give(SetCard(rig.now_ns, card(rig, place), named, "M. Okafor", "seen", vouched=FLOOR))


def declare(rig: Rig, spot: int, cents: int, who: str = "M. Okafor") -> None:
    rig.give(DeclareBox(rig.now_ns, spot, cents, who, "plays cash", FLOOR))


def approve(rig: Rig, order: int) -> None:
    rig.give(ApproveOrder(rig.now_ns, order, "J. Lee", WATCH))


def alerts(rig: Rig) -> list[AlertKind]:
    return [event.kind for event in rig.events if isinstance(event, AlertRaised)]


# --- cards -----------------------------------------------------------------------------------------


def test_a_card_that_was_read_is_named_otherwise_by_two() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts 8d 9c")
    set_card(rig, 0, "2h")
    assert not rig.events_of(CardSet)
    number = card(rig, 0)
    proposed = OrderProposed(
        1, "set-card", f"card {number} is 2h", 1, number, "2h", None, None, "M. Okafor", "seen", "own key"
    )
    assert rig.events_of(OrderProposed) == [proposed]
    picture = msgspec.json.decode(orders_bytes(rig.house, rig.table.state), type=OrdersNow)
    where = (f"card {number} is 2h", 1, number, "2h", None, None)
    assert (picture.rulings, picture.orders) == ((), (ProposedOrderNow(1, "set-card", *where, "M. Okafor", "seen"),))
    assert remark_of(rig.stamped[-1].input, [proposed], ()) == (
        f"order 1 waits for another person to approve it: round 1: card {number} is 2h"
    )
    approve(rig, 1)
    (named,) = rig.events_of(CardSet)
    assert isinstance(named, CardSet)
    assert (named.before, named.after, named.who) == ("9h", "2h", "M. Okafor, J. Lee")
    assert named.vouched == "own key; socket of surveillance, user 1002"
    assert alerts(rig) == []


def test_a_card_that_was_read_is_struck_by_two() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts 8d 9c")
    set_card(rig, 2, None)
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    assert proposed.text == f"card {card(rig, 2)} is no card of the round"
    assert not rig.events_of(CardSet)


def test_an_unread_card_is_named_by_one_and_named_anew_by_two() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts")
    rig.card(None)
    set_card(rig, 2, "8d")
    (named,) = rig.events_of(CardSet)
    assert isinstance(named, CardSet)
    assert (named.after, named.vouched) == ("8d", "own key")
    set_card(rig, 2, "Kd")
    assert len(rig.events_of(CardSet)) == 1
    assert len(rig.events_of(OrderProposed)) == 1


def test_where_one_person_is_enough_a_card_named_otherwise_is_an_alert() -> None:
    rig = a_table(two_persons=False)
    rig.talk("1 main 10 \n 9h Ts 8d 9c")
    set_card(rig, 0, "2h")
    assert len(rig.events_of(CardSet)) == 1
    (alert,) = rig.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert (alert.kind, alert.who, alert.round) == (AlertKind.CORRECTED_ALONE, "M. Okafor", 1)
    assert alert.text == f"M. Okafor alone: card {card(rig, 0)}, which was read or named already"


def test_what_the_table_would_refuse_is_neither_proposed_nor_an_alert() -> None:
    for two_persons in (True, False):
        rig = a_table(two_persons=two_persons)
        rig.talk("1 main 10 \n 9h Ts 8d 9c")
        set_card(rig, 0, "9h")
        assert len(rig.events_of(OrderRefused)) == 1
        assert not rig.events_of(OrderProposed, AlertRaised)


def test_whose_a_card_is_one_says_and_two_say_otherwise() -> None:
    rig = a_table(penn())
    rig.talk("1 main 10 \n 2 main 10 \n 5h 5c Tc 6d 5s 7s 9c")
    for spot in (1, 2):
        rig.give(AssignCard(rig.now_ns, card(rig, 6), spot, "M. Okafor", "seen", FLOOR))
    (assigned,) = rig.events_of(CardAssigned)
    assert isinstance(assigned, CardAssigned)
    assert (assigned.spot, assigned.vouched) == (1, "own key")
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    assert (proposed.verb, proposed.text, proposed.spot) == ("assign-card", f"card {card(rig, 6)} is of spot 2", 2)


IN_VAIN = "1 main 10 \n 2 main 500 \n 9h 9c Tc 7h 7c 8d 5s"
"""Sixteen at two spots that stand without a key: spot 1 has drawn a five, and nobody can tell."""


def paid(rig: Rig, first_cents: int, second_cents: int) -> None:
    """The dealer turns, takes or pays, and closes; the next deal shows that no chips are wrong."""
    rig.key("hole_turned")
    rig.pass_ms(3000)
    rig.chips(1, "main", first_cents)
    rig.chips(2, "main", second_cents)
    rig.pass_ms(8000)
    rig.key("round_closed")
    rig.pass_ms(2000)
    rig.talk("1 main 10 \n 2 main 0 \n 9h 9c Tc 7h")
    rig.pass_ms(4000)


@pytest.mark.parametrize("two_persons", [True, False])
@pytest.mark.parametrize("reported", [True, False])
def test_who_alone_says_whose_a_card_is_in_vain_is_reported(*, two_persons: bool, reported: bool) -> None:
    """The dealer pays as if it were so: 500.00 that nothing else at the table contradicts."""
    rig = a_table(penn(), two_persons=two_persons)
    rig.change_house(owners_reported=reported)
    rig.talk(IN_VAIN)
    rig.give(AssignCard(rig.now_ns, card(rig, 6), 2, "M. Okafor", "seen", FLOOR))
    paid(rig, 0, 100_000)
    due = {one.spot: (one.net_cents, one.basis) for one in rig.events_of(WagerSettled)}
    assert due == {1: (-1_000, Basis.ANSWER), 2: (50_000, Basis.ANSWER)}
    text = f"M. Okafor alone: card {card(rig, 6)} is of spot 2, which the readings leave open"
    found = [(one.kind, one.text, one.round, one.who) for one in rig.events_of(AlertRaised)]
    assert found == ([(AlertKind.CORRECTED_ALONE, text, 1, "M. Okafor")] if reported else [])


def test_another_person_acknowledges_that() -> None:
    rig = a_table(penn())
    rig.talk(IN_VAIN)
    rig.give(AssignCard(rig.now_ns, card(rig, 6), 2, "M. Okafor", "seen", FLOOR))
    rig.give(AcknowledgeAlert(rig.now_ns, 1, "M. Okafor", "", FLOOR))
    assert not rig.events_of(AlertAcknowledged)
    rig.give(AcknowledgeAlert(rig.now_ns, 1, "J. Lee", "seen on the recording", WATCH))
    assert rig.events_of(AlertAcknowledged)


def test_where_the_dealer_pays_what_the_cards_are_due_the_word_is_refuted() -> None:
    rig = a_table(penn())
    rig.talk(IN_VAIN)
    rig.give(AssignCard(rig.now_ns, card(rig, 6), 2, "M. Okafor", "seen", FLOOR))
    paid(rig, 2_000, 0)
    assert alerts(rig) == [AlertKind.CORRECTED_ALONE, AlertKind.MISPAY, AlertKind.WINNING_BET_TAKEN]
    assert {one.who for one in rig.events_of(AlertRaised)} == {"M. Okafor"}


def test_whose_a_card_is_that_the_readings_give_somebody_may_be_said_unreported() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 2 main 10 \n 9h 9c Tc 7h 7c 8d \n key hit \n 5s")
    rig.pass_ms(2000)
    rig.give(AssignCard(rig.now_ns, card(rig, 6), 1, "M. Okafor", "seen", FLOOR))
    assert rig.events_of(CardAssigned)
    assert alerts(rig) == []


def test_a_card_is_the_dealers_on_one_persons_word() -> None:
    rig = a_table(penn())
    rig.talk("1 main 10 \n 9h 6c 3c Td 5s")
    rig.give(AssignCard(rig.now_ns, card(rig, 4), 0, "M. Okafor", "seen", FLOOR))
    (alert,) = rig.events_of(AlertRaised)
    assert alert.text == f"M. Okafor alone: card {card(rig, 4)} is of the dealer, which the readings leave open"


def test_a_card_that_there_is_not_is_refused_and_reported_to_nobody() -> None:
    rig = a_table(penn())
    rig.talk(IN_VAIN)
    rig.give(AssignCard(rig.now_ns, 4711, 2, "M. Okafor", "seen", FLOOR))
    assert rig.events_of(OrderRefused)
    assert alerts(rig) == []


# --- boxes -----------------------------------------------------------------------------------------


def test_a_box_of_a_round_that_has_begun_is_declared_by_two() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts")
    declare(rig, 2, 1000)
    assert not rig.events_of(BoxDeclared)
    approve(rig, 1)
    (declared,) = rig.events_of(BoxDeclared)
    assert isinstance(declared, BoxDeclared)
    assert (declared.round, declared.spot, declared.cents, declared.who) == (1, 2, 1000, "M. Okafor, J. Lee")


def test_a_box_of_the_next_round_is_declared_by_one() -> None:
    rig = a_table()
    declare(rig, 2, 1000)
    (declared,) = rig.events_of(BoxDeclared)
    assert isinstance(declared, BoxDeclared)
    assert (declared.round, declared.vouched) == (None, "own key")


def test_where_one_person_is_enough_a_box_declared_late_is_an_alert() -> None:
    rig = a_table(two_persons=False)
    rig.talk("1 main 10 \n 9h Ts")
    declare(rig, 2, 1000)
    assert alerts(rig) == [AlertKind.CORRECTED_ALONE]


def test_a_declared_box_is_held_against_the_limits_whenever_it_is_declared() -> None:
    for before in (True, False):
        rig = a_table(penn(stand_key="always", maximum_cents=50_000), two_persons=False)
        if before:
            declare(rig, 2, 60_000)
        rig.talk("1 main 10 \n 9h Ts 8d 9c 2h")
        rig.pass_ms(2000)
        if not before:
            declare(rig, 2, 60_000)
        assert rig.events_of(WagerOutsideLimits) == [WagerOutsideLimits(1, 2, "main", 60_000, None, 50_000)]
        assert AlertKind.WAGER_OUTSIDE_LIMITS in alerts(rig)


@pytest.mark.parametrize("begun", [False, True])
@pytest.mark.parametrize(("maximum", "most"), [(50_000, 500_000), (0, 100_000_000)])
def test_no_box_is_declared_for_what_nobody_would_take(maximum: int, most: int, *, begun: bool) -> None:
    rig = a_table(penn(stand_key="always", maximum_cents=maximum))
    if begun:
        rig.talk("1 main 10 \n 9h Ts")
    declare(rig, 2, most + 1)
    (refused,) = rig.events_of(OrderRefused)
    assert isinstance(refused, OrderRefused)
    assert refused.reason_code == "invalid_value"
    declare(rig, 2, most)
    assert len(rig.events_of(OrderRefused)) == 1


def test_a_box_declared_in_play_is_taken_back_and_its_cards_are_the_others() -> None:
    rig = a_table(two_persons=False)
    rig.talk("1 main 10 \n 9h 8d")
    declare(rig, 2, 1000)
    declare(rig, 2, 0)
    assert [event.cents for event in rig.events_of(BoxDeclared)] == [1000, 0]
    rig.talk("Ts 9c \n key stand hole_turned round_closed")
    assert rig.outcomes() == ["settled"]
    (book,) = rig.table.state.books
    assert [(row.spot, row.net_cents) for row in book.rows] == [(1, 1000)]


def test_a_box_that_is_settled_or_alone_is_not_taken_back() -> None:
    rig = a_table(two_persons=False)
    declare(rig, 2, 1000)
    rig.talk("9h 8d")
    declare(rig, 2, 0)
    rig.talk("Ts 9c \n key stand hole_turned")
    rig.pass_ms(2000)
    declare(rig, 2, 0)
    reasons = [event.reason for event in rig.events_of(OrderRefused)]
    assert reasons == [
        "without this box there is no round: void it",
        "spot 2 is settled: adjust its wagers to 0",
    ]


# --- places ----------------------------------------------------------------------------------------


def test_one_person_has_a_few_places_and_leaves_the_others_theirs() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts")
    for spot in range(2, 8):
        declare(rig, spot, 1000)
    assert len(rig.events_of(OrderProposed)) == 4
    declare(rig, 6, 1000, "J. Reyes")
    assert len(rig.events_of(OrderProposed)) == 5
    rig.give(WithdrawOrder(rig.now_ns, 1, "M. Okafor", "enough"))
    declare(rig, 6, 1000)
    assert len(rig.events_of(OrderProposed)) == 6


def test_what_one_key_proposes_takes_no_place_of_the_floors_socket() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts")
    for spot in range(2, 6):
        declare(rig, spot, 1000)
    declare(rig, 6, 1000)
    assert len(rig.events_of(OrderProposed)) == 4
    at_socket = Authentication("socket", ("floor",), 1001)
    for spot in (6, 7, 6, 7, 6):
        rig.give(DeclareBox(rig.now_ns, spot, 1000, "J. Reyes", "plays cash", at_socket))
    assert len(rig.events_of(OrderProposed)) == 8
    rig.give(DeclareBox(rig.now_ns, 6, 1000, "A. Other", "plays cash", at_socket))
    assert len(rig.events_of(OrderProposed)) == 8
    rig.give(DeclareBox(rig.now_ns, 6, 1000, "A. Other", "plays cash", Authentication("socket", ("floor",), 1002)))
    assert len(rig.events_of(OrderProposed)) == 9


def test_a_key_that_signs_and_the_same_owners_key_that_connects_are_one() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts")
    for spot in range(2, 6):
        declare(rig, spot, 1000)
    rig.give(DeclareBox(rig.now_ns, 6, 1000, "M. Okafor", "plays cash", Authentication("signature", ("floor",))))
    assert len(rig.events_of(OrderProposed)) == 4
