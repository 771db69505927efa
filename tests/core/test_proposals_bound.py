"""An approval acts on what was proposed, which the second person read whole; without what it was about it lapses."""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import (
    CardBurned,
    CardDrawn,
    QuestionAnswered,
    QuestionAsked,
    RoundStarted,
    WagerAdjusted,
)
from controller.core.messages.floor_events import (
    BoxDeclared,
    CardAssigned,
    CardSet,
    ChipCount,
    CorrectionEntered,
    Count,
    InventoryEntered,
    OrderProposed,
    RulingProposed,
)
from controller.core.messages.inputs import (
    AdjustWager,
    AnswerQuestion,
    ApproveOrder,
    AssignCard,
    DayBegan,
    DeclareBox,
    EnterInventory,
    SetCard,
    ShoeChanged,
    WithdrawOrder,
)
from controller.core.messages.meter_events import OrderApproved, OrderWithdrawn
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.state import Table, restore
from controller.formats.mqtt.retained_orders import OrdersNow, orders_bytes
from controller.formats.orders.replies import refusal_of, remark_of
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn as CardRead
from firmware_protocols.readings import ChipsSeen
from tests.core.rig import MS, Rig, penn

FLOOR = Authentication("key", ("floor",))
WATCH = Authentication("socket", ("surveillance",), 1002)
KEYED = penn(stand_key="always")
CLOSED = "key stand hole_turned round_closed"


def a_table(*, bound: bool = True, two_persons: bool = True) -> Rig:
    """A table whose proposals are bound."""
    rig = Rig(KEYED)
    rig.change_house(two_persons=two_persons, orders_bounded=True, proposals_bound=bound)
    return rig


def declare(rig: Rig, spot: int, cents: int) -> None:
    rig.give(DeclareBox(rig.now_ns, spot, cents, "M. Okafor", "plays cash", FLOOR))


def approve(rig: Rig, order: int) -> str:
    """Approve an order; what the reply says."""
    before = len(rig.events)
    rig.give(ApproveOrder(rig.now_ns, order, "J. Lee", WATCH))
    published = rig.events[before:]
    refused = refusal_of(published)
    given = rig.stamped[-1].input
    return remark_of(given, published, rig.table.state.books) if refused is None else f"{refused.code}: {refused.text}"


def card(rig: Rig, place: int) -> int:
    drawn = [event for event in rig.events if isinstance(event, CardDrawn)]
    return [one.card for one in drawn if one.position == place][-1]


def picture(rig: Rig) -> OrdersNow:
    """What is retained of orders."""
    found: OrdersNow = msgspec.json.decode(orders_bytes(rig.house, rig.table.state), type=OrdersNow)
    return found


# --- what moves ------------------------------------------------------------------------------------


@pytest.mark.parametrize("then", ["", "1 main 10 \n key no_more_bets \n 9h Tc 8s 9d 7c"])
def test_a_box_proposed_for_one_round_becomes_none_of_another(then: str) -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts 8d 9c")
    declare(rig, 2, 500_000)
    rig.talk(CLOSED)
    rig.pass_ms(3000)
    rig.talk(then)
    assert rig.events_of(OrderWithdrawn) == [OrderWithdrawn(1, "table", "round 1 is over")]
    assert picture(rig).orders == ()
    assert approve(rig, 1).startswith("no_such_order")
    assert not rig.events_of(BoxDeclared, OrderApproved)


def test_a_box_proposed_for_the_open_round_is_declared_there_and_the_reply_says_so() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts 8d 9c")
    declare(rig, 2, 1000)
    assert approve(rig, 1) == "round 1: spot 2 is in play for 10.00"
    (declared,) = rig.events_of(BoxDeclared)
    assert isinstance(declared, BoxDeclared)
    assert (declared.round, declared.cents) == (1, 1000)


def test_a_lock_that_is_taken_back_takes_the_proposed_box_with_it() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n key no_more_bets")
    rig.pass_ms(1500)
    declare(rig, 2, 1000)
    rig.key("undo")
    assert rig.events_of(OrderWithdrawn) == [OrderWithdrawn(1, "table", "round 1 is over")]
    rig.key("no_more_bets")
    rig.pass_ms(1500)
    assert len(rig.events_of(RoundStarted)) == 2
    assert approve(rig, 1).startswith("no_such_order")
    assert not rig.events_of(BoxDeclared)


def test_a_proposal_of_before_proposals_were_bound_lapses_without_its_round() -> None:
    rig = a_table(bound=False)
    rig.talk("1 main 10 \n 9h Ts 8d 9c")
    declare(rig, 2, 1000)
    rig.talk(CLOSED)
    rig.pass_ms(3000)
    assert not rig.events_of(OrderWithdrawn)
    rig.house = replace(rig.house, proposals_bound=True)
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.pass_ms(100)
    rig.talk("1 main 10")
    assert rig.events_of(OrderWithdrawn) == [OrderWithdrawn(1, "table", "round 1 is over")]


@pytest.mark.parametrize("order", ["set-card", "assign-card"])
def test_a_proposal_about_a_card_lapses_when_the_card_is_one_of_no_open_round(order: str) -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 2 main 10 \n 9h 8c Ts 8d 9c 9s")
    number = card(rig, 0)
    if order == "set-card":
        rig.give(SetCard(rig.now_ns, number, Card("2h"), "M. Okafor", "seen", vouched=FLOOR))
    else:
        rig.give(AssignCard(rig.now_ns, number, 1, "M. Okafor", "seen", FLOOR))
        rig.give(AssignCard(rig.now_ns, number, 1, "M. Okafor", "seen again", FLOOR))
        assert len(rig.events_of(CardAssigned)) == 1
    assert len(rig.events_of(OrderProposed)) == 1
    rig.talk("key stand stand hole_turned round_closed")
    rig.pass_ms(3000)
    assert rig.events_of(OrderWithdrawn) == [
        OrderWithdrawn(1, "table", f"card {number} is no longer a card of round 1")
    ]
    assert approve(rig, 1).startswith("no_such_order")
    assert not rig.events_of(CardSet)


def test_a_ruling_keeps_its_round() -> None:
    rig = a_table()
    rig.talk(f"1 main 10 \n 9h Ts 8d 9c \n {CLOSED}")
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 500, "M. Okafor", "dead hand", FLOOR))
    rig.talk(f"1 main 0 \n 1 main 10 \n 9h Ts 8d 9c \n {CLOSED}")
    assert approve(rig, 1) == "spot 1 main: -10.00 -> 5.00"
    assert not rig.events_of(OrderWithdrawn)


def test_bounds_that_a_ruling_has_left_since_are_said_before_it_is_approved() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 2 main 500 \n 9h 8h Ts 8d 9c Td \n key stand stand hole_turned round_closed")
    rig.pass_ms(3000)
    rig.give(AdjustWager(rig.now_ns, 1, 2, "main", 200_000, "M. Okafor", "split aces", FLOOR))
    assert not rig.events_of(AlertRaised)
    (book,) = rig.table.state.books
    rows = tuple(replace(row, wager_cents=1000) if row.spot == 2 else row for row in book.rows)
    rig.table = Table(rig.house, replace(rig.table.state, books=(replace(book, rows=rows),)))
    assert approve(rig, 1).startswith("changed_since: since it was proposed the wager has changed: round 1 spot 2 main")
    (alert,) = rig.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert (alert.kind, alert.who) == (AlertKind.RULING_BEYOND_RULES, "M. Okafor")
    assert alert.text.startswith("M. Okafor proposes: round 1 spot 2 main due 2000.00, and its rules give")
    assert not rig.events_of(WagerAdjusted)
    approve(rig, 1)
    assert len(rig.events_of(WagerAdjusted)) == 1
    assert len(rig.events_of(AlertRaised)) == 1


# --- what the second person reads ------------------------------------------------------------------


def counted(rig: Rig, day: str, shift: str = "") -> None:
    chips = (ChipCount(10_000, 15_000),)
    asked = (Count.DROP, 150_000_000, chips, "S-1", "M. Okafor", "tonight's drop", day, shift, FLOOR)
    rig.give(EnterInventory(rig.now_ns, *asked))


def test_a_proposed_count_is_shown_with_its_day_shift_slip_and_chips() -> None:
    rig = a_table()
    rig.give(DayBegan(rig.now_ns, "2025-11-07"))
    counted(rig, "2025-11-01")
    text = "drop 1500000.00 of gaming day 2025-11-01, slip S-1, chips 100.00x15000"
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    whole = (text, "2025-11-01", "", "S-1", (ChipCount(10_000, 15_000),))
    assert (proposed.text, proposed.gaming_day, proposed.shift, proposed.slip, proposed.chips) == whole
    (order,) = picture(rig).orders
    assert (order.text, order.gaming_day, order.shift, order.slip, order.chips) == whole
    remark = remark_of(rig.stamped[-1].input, [proposed], ())
    assert remark == f"order 1 waits for another person to approve it: {text}"


@pytest.mark.parametrize(("day", "of"), [("today", "2025-11-07"), ("yesterday", "2025-11-06")])
def test_a_day_is_the_one_it_was_when_the_count_was_proposed(day: str, of: str) -> None:
    rig = a_table()
    rig.give(DayBegan(rig.now_ns, "2025-11-07"))
    counted(rig, day)
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    assert proposed.gaming_day == of
    rig.give(DayBegan(rig.now_ns, "2025-11-08"))
    approve(rig, 1)
    (entered,) = rig.events_of(InventoryEntered)
    assert isinstance(entered, InventoryEntered)
    assert entered.gaming_day == of


def test_a_count_of_the_moment_lapses_with_its_gaming_day() -> None:
    rig = a_table()
    rig.give(DayBegan(rig.now_ns, "2025-11-07"))
    counted(rig, "")
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    assert proposed.gaming_day == "2025-11-07"
    assert "of gaming day 2025-11-07, at the moment of its approval, slip S-1" in proposed.text
    rig.give(DayBegan(rig.now_ns, "2025-11-08"))
    assert rig.events_of(OrderWithdrawn) == [OrderWithdrawn(1, "table", "gaming day 2025-11-07 is over")]
    assert approve(rig, 1).startswith("no_such_order")
    assert not rig.events_of(InventoryEntered)


def test_a_proposed_ruling_is_shown_with_its_case() -> None:
    rig = a_table()
    rig.talk(f"1 main 10 \n 9h Ts 8d 9c \n {CLOSED}")
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 500, "M. Okafor", "dead hand", FLOOR, "C-17"))
    (proposed,) = rig.events_of(RulingProposed)
    assert isinstance(proposed, RulingProposed)
    assert proposed.case == "C-17"
    (ruling,) = picture(rig).rulings
    assert ruling.case == "C-17"
    assert remark_of(rig.stamped[-1].input, [proposed], rig.table.state.books).endswith("-10.00 -> 5.00, case C-17")
    approve(rig, 1)
    (entered,) = rig.events_of(CorrectionEntered)
    assert isinstance(entered, CorrectionEntered)
    assert entered.case == "C-17"


@pytest.mark.parametrize("case", ["", " ", "\u200b", "\u2800", "\u3164"])
def test_a_case_nobody_can_see_is_none(case: str) -> None:
    rig = a_table()
    rig.talk(f"1 main 10 \n 9h Ts 8d 9c \n {CLOSED}")
    rig.pass_ms(3000)
    (book,) = rig.table.state.books
    rig.table = Table(rig.house, replace(rig.table.state, books=(replace(book, recalled=True),)))
    rig.give(AdjustWager(rig.now_ns, 1, 1, "main", 500, "M. Okafor", "recording", FLOOR, case))
    (refused,) = rig.events_of(OrderRefused)
    assert isinstance(refused, OrderRefused)
    assert refused.reason_code == "case_number_needed"


# --- who it was ------------------------------------------------------------------------------------


def test_who_withdraws_or_answers_is_published_with_how_they_are_known() -> None:
    rig = a_table()
    rig.talk("1 main 10 \n 9h Ts 8d 9c")
    declare(rig, 2, 1000)
    rig.give(WithdrawOrder(rig.now_ns, 1, "anyone at all", "x"))
    assert rig.events_of(OrderWithdrawn) == [OrderWithdrawn(1, "anyone at all", "x", "nothing")]
    declare(rig, 2, 1000)
    rig.give(WithdrawOrder(rig.now_ns, 2, "J. Lee", "wrong box", WATCH))
    assert rig.events_of(OrderWithdrawn)[1:] == [
        OrderWithdrawn(2, "J. Lee", "wrong box", "socket of surveillance, user 1002")
    ]


@pytest.mark.parametrize(("bound", "known"), [(True, "own key"), (False, msgspec.UNSET)])
def test_an_answer_says_how_who_gave_it_is_known(known: object, *, bound: bool) -> None:
    rig = Rig(penn())
    rig.change_house(orders_bounded=True, proposals_bound=bound)
    rig.talk("1 main 10 \n 2 main 10 \n 5h 5c Tc 6d 5s 7s 9c \n key hole_turned \n 9s Td")
    (asked,) = rig.events_of(QuestionAsked)[:1]
    assert isinstance(asked, QuestionAsked)
    rig.give(AnswerQuestion(rig.now_ns, asked.question, asked.choices[0], "M. Okafor", FLOOR))
    (answered,) = rig.events_of(QuestionAnswered)
    assert isinstance(answered, QuestionAnswered)
    assert answered.vouched == known


# --- cards that left the shoe ----------------------------------------------------------------------


def test_an_unread_card_is_named_by_one_and_struck_by_two() -> None:
    rig = a_table()
    rig.talk("1 main 100 \n 9h 6s 7d Tc")
    rig.card(None)
    rig.give(SetCard(rig.now_ns, card(rig, 4), None, "M. Okafor", "no card", vouched=FLOOR))
    assert not rig.events_of(CardSet)
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    assert proposed.text == f"card {card(rig, 4)} is no card of the round"
    rig.give(SetCard(rig.now_ns, card(rig, 4), Card("Kd"), "M. Okafor", "seen", vouched=FLOOR))
    assert [one.after for one in rig.events_of(CardSet)] == ["Kd"]


def test_where_one_person_is_enough_a_struck_unread_card_is_an_alert() -> None:
    rig = a_table(two_persons=False)
    rig.talk("1 main 100 \n 9h 6s 7d Tc")
    rig.card(None)
    rig.give(SetCard(rig.now_ns, card(rig, 4), None, "M. Okafor", "no card", vouched=FLOOR))
    (alert,) = rig.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert (alert.kind, alert.text) == (
        AlertKind.CORRECTED_ALONE,
        f"M. Okafor alone: card {card(rig, 4)}, which left the shoe",
    )


# --- orders while the table reads the bets ---------------------------------------------------------


CHIP = "E004010000000001"


def reading_the_bets(rules: Rules, faces: str) -> tuple[Rig, int]:
    """A deal's cards are out of the shoe, and no reader has looked since; when the first of them came."""
    rig = Rig(rules, {CHIP: 1000})
    rig.change_house(two_persons=True, orders_bounded=True, proposals_bound=True)
    rig.late = True
    rig.pass_ms(5000)
    dealt_ns = rig.now_ns
    for face in faces.split():
        rig.give(CardRead(rig.now_ns, Card(face)))
        rig.now_ns += 400 * MS
    assert rig.table.state.deferred
    return rig, dealt_ns


def looked(rig: Rig, dealt_ns: int) -> None:
    """The readers report a chip at spot 1 that lay there before the first card."""
    rig.give(ChipsSeen(1, "main", (CHIP,), dealt_ns - 1000 * MS, dealt_ns - 100 * MS))
    rig.late = False
    rig.pass_ms(100)
    assert not rig.table.state.deferred


def test_a_box_declared_after_the_deals_cards_left_the_shoe_is_one_of_a_round_that_has_begun() -> None:
    rig, dealt_ns = reading_the_bets(KEYED, "9h As 6d 9c Kh")
    declare(rig, 2, 1000)
    assert not rig.events_of(BoxDeclared, OrderProposed)
    looked(rig, dealt_ns)
    assert not rig.events_of(BoxDeclared)
    (proposed,) = rig.events_of(OrderProposed)
    assert isinstance(proposed, OrderProposed)
    assert (proposed.round, proposed.spot) == (1, 2)
    approve(rig, 1)
    (declared,) = rig.events_of(BoxDeclared)
    assert isinstance(declared, BoxDeclared)
    assert declared.round == 1


def test_an_order_waits_its_turn_over_a_restart() -> None:
    rig, dealt_ns = reading_the_bets(KEYED, "9h As 6d 9c Kh")
    declare(rig, 2, 1000)
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    looked(rig, dealt_ns)
    assert len(rig.events_of(OrderProposed)) == 1


def test_a_new_shoe_announced_after_the_first_card_makes_no_burn_of_it() -> None:
    rig, dealt_ns = reading_the_bets(penn(stand_key="always", new_shoe_burns=1), "9h")
    rig.give(ShoeChanged(rig.now_ns, -1, "M. Okafor"))
    looked(rig, dealt_ns)
    assert [one.position for one in rig.events if isinstance(one, CardDrawn)] == [0]
    assert not rig.events_of(CardBurned)


def test_in_an_older_journal_an_order_overtakes_what_waits() -> None:
    rig, _ = reading_the_bets(KEYED, "9h As 6d 9c Kh")
    rig.change_house(proposals_bound=False)
    declare(rig, 2, 1000)
    (declared,) = rig.events_of(BoxDeclared)
    assert isinstance(declared, BoxDeclared)
    assert declared.round is None


def test_an_approval_waits_its_turn_and_so_does_what_takes_the_proposal_back() -> None:
    for takes_back in (False, True):
        rig, dealt_ns = reading_the_bets(KEYED, "9h As 6d 9c Kh")
        declare(rig, 2, 1000)
        if takes_back:
            rig.give(WithdrawOrder(rig.now_ns, 1, "M. Okafor", "wrong box", FLOOR))
        rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", WATCH))
        looked(rig, dealt_ns)
        assert len(rig.events_of(OrderProposed)) == 1
        assert len(rig.events_of(BoxDeclared)) == (not takes_back)
        assert len(rig.events_of(OrderWithdrawn)) == takes_back
