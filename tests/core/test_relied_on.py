"""Whose word a round rests on is named when it is adjusted, and by what is found wrong with it later."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from controller.core.messages.events import QuestionAsked, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import OrderProposed
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AnswerQuestion,
    ApproveOrder,
    DeclareBox,
    SetCard,
    ShoeChanged,
)
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Authentication, Person
from controller.core.table.state import Table, restore
from controller.core.table.transaction import Transaction
from controller.core.table.unexplained_chips import Suspicion
from controller.formats.replay import read_state, state_bytes
from firmware_protocols.cards import Card
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
KEYED = {"stand_key": "always", "no_more_bets": "always", "turn_key": "always"}


def table(talk: str, *, bounded: bool = True, two: bool = False, rules: Any = None) -> Rig:
    rig = Rig(penn(**KEYED) if rules is None else rules)
    rig.change_house(
        orders_bounded=True, proposals_bound=True, orders_traced=True, two_persons=two, payments_bounded=bounded
    )
    rig.talk(talk)
    rig.pass_ms(2_000)
    return rig


def named(rig: Rig, card: int, face: str, who: str = "M. Okafor") -> None:
    """A person names a card of the last round, by its place."""
    number = rig.table.state.round.cards.drawn[card].number if rig.table.state.round is not None else 0
    rig.give(SetCard(rig.now_ns, number, Card(face), who, "as the camera shows", vouched=FLOOR))
    rig.pass_ms(1_000)


def give_answer(rig: Rig, answer: str, who: str) -> None:
    """A person answers the last question."""
    asked = [one.question for one in rig.events if isinstance(one, QuestionAsked)]
    rig.give(AnswerQuestion(rig.now_ns, asked[-1], answer, who, FLOOR))
    rig.pass_ms(1_000)


def alerts(rig: Rig, kind: AlertKind) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is kind]


def bases(rig: Rig) -> dict[int, tuple[int, str]]:
    """The net and the basis of each spot's last settlement."""
    return {one.spot: (one.net_cents, str(one.basis)) for one in rig.events if isinstance(one, WagerSettled)}


def next_lock(rig: Rig) -> None:
    rig.talk("key round_closed \n 5 main 10 \n key no_more_bets")
    rig.pass_ms(2_000)


def acknowledged_by(rig: Rig, alert: AlertRaised, *people: str) -> list[str]:
    """Who of these may acknowledge an alert: each tries."""
    for who in people:
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", FLOOR))
    return [one.who for one in rig.events_of(AlertAcknowledged)]


# --- alerts that are raised later -------------------------------------------------------------------


def unread(*, bounded: bool = True, paid: str = "1 main 200 \n 1 main 0") -> Rig:
    """Spot 1 stands with a ten and a card that nobody read, against seventeen, and is paid; then the card is named."""
    rig = table("1 main 100 \n key no_more_bets \n Th Ts", bounded=bounded)
    rig.card(None)
    rig.talk("7c \n key stand hole_turned")
    rig.pass_ms(2_000)
    rig.talk(paid)
    rig.pass_ms(5_000)
    return rig


@pytest.mark.parametrize("afresh", [False, True])
def test_who_named_a_card_is_named_by_the_wrong_payment_that_follows_from_it(*, afresh: bool) -> None:
    rig = unread()
    named(rig, 2, "5s")
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    next_lock(rig)
    (alert,) = alerts(rig, AlertKind.MISPAY)
    assert (alert.round, alert.who) == (1, "M. Okafor")
    assert acknowledged_by(rig, alert, "M. Okafor", "J. Lee") == ["J. Lee"]


def test_who_named_a_card_is_named_when_the_dealer_plays_by_another() -> None:
    rig = table("1 main 100 \n key no_more_bets \n Th Ts 9c")
    rig.card(None)
    rig.talk("key stand hole_turned")
    rig.pass_ms(2_000)
    named(rig, 3, "8s")
    rig.talk("5d")
    rig.pass_ms(3_000)
    for kind in (AlertKind.DEALER_AGAINST_RULE, AlertKind.SETTLEMENT_DISPUTED):
        (alert,) = alerts(rig, kind)
        assert alert.who == "M. Okafor"


def test_who_declared_a_box_before_its_round_is_named_by_a_wrong_payment_in_it() -> None:
    rig = table("1 main 10")
    rig.give(DeclareBox(rig.now_ns, 5, 50_000, "M. Okafor", "plays on credit", vouched=FLOOR))
    rig.talk("key no_more_bets \n 9h Th 7s 9d Td Tc \n key stand stand hole_turned")
    rig.pass_ms(2_000)
    rig.talk("1 main 5000")
    rig.pass_ms(4_500)
    next_lock(rig)
    (alert,) = alerts(rig, AlertKind.MISPAY)
    assert alert.who == "M. Okafor"


def test_both_whose_words_a_round_rests_on_are_named_each_once() -> None:
    rig = unread()
    named(rig, 2, "5s")
    named(rig, 2, "6s", "J. Lee")
    named(rig, 2, "5s")
    next_lock(rig)
    (alert,) = alerts(rig, AlertKind.MISPAY)
    assert alert.who == "M. Okafor, J. Lee"


def test_a_wager_that_was_settled_on_the_evidence_rests_on_nobodys_word() -> None:
    """It had lost before a person gave a card of it another suit."""
    rig = table("1 main 100 \n key no_more_bets \n 9h Ts 8d 9c \n key stand hole_turned")
    rig.pass_ms(2_000)
    named(rig, 0, "9s")
    rig.talk("1 main 200")
    next_lock(rig)
    (alert,) = alerts(rig, AlertKind.MISPAY)
    assert not alert.who


def test_in_a_journal_of_before_nobody_was_named_later() -> None:
    rig = unread(bounded=False)
    named(rig, 2, "5s")
    next_lock(rig)
    (alert,) = alerts(rig, AlertKind.MISPAY)
    assert not alert.who


def test_of_very_many_rounds_and_people_the_last_and_the_first_are_remembered() -> None:
    rig = table("")
    transaction = Transaction(rig.table, rig.stamped[-1])
    for number in range(1, 13):
        transaction.rely_on(number, [Person(f"P. {one}", FLOOR) for one in range(20)])
    assert [one.round for one in transaction.state.relied_on] == list(range(3, 13))
    assert [one.name for one in transaction.state.people_of(12)] == [f"P. {one}" for one in range(16)]


@pytest.mark.parametrize("kept", ["open", "overtaken", "waiting", "paid", "suspected"])
def test_nobody_is_forgotten_of_whose_round_something_may_still_be_found(kept: str) -> None:
    rig = table("1 main 100 \n key no_more_bets \n Th")
    state, doubt = rig.table.state, Suspicion(9, 0, "pinching", "critical", "", 1, 1, "main", 100, 0, (), ())
    assert state.round is not None
    later = replace(state.round, number=40, overtook=1 if kept == "overtaken" else 0)
    state = replace(
        state,
        round=state.round if kept == "open" else later,
        waiting=(state.round,) if kept == "waiting" else (),
        paid=state.paid if kept == "paid" else (),
        suspected=(doubt,) if kept == "suspected" else (),
    )
    transaction = Transaction(Table(rig.house, state), rig.stamped[-1])
    for number in range(1, 13):
        transaction.rely_on(number, [Person("M. Okafor", FLOOR)])
    assert [one.round for one in transaction.state.relied_on] == [1, *range(3, 13)]


def waits_on_a_word(*, traced: bool = True) -> Rig:
    """A person names a card of a round that then waits for an answer; eleven new shoes are announced and dealt from."""
    rig = table("1 main 10 \n 2 main 10 \n 5h 5c Tc 6d 5s 7s", rules=penn())
    rig.house = replace(rig.house, words_traced=traced)
    rig.table = restore(rig.house, rig.table.state)
    rig.card(None)
    named(rig, 6, "9c")
    rig.talk("key hole_turned round_closed \n 1 main 0 \n 2 main 0")
    assert [one.number for one in rig.table.state.waiting] == [1]
    for _ in range(11):
        rig.give(ShoeChanged(rig.now_ns, -1, "A. Third", FLOOR))
        rig.talk("3 main 10 \n 2c Th 9c Kd 8s \n key stand hole_turned \n 3 main 20 \n 3 main 0 \n key round_closed")
    assert [one.number for one in rig.table.state.waiting] == [1]
    return rig


@pytest.mark.parametrize(("traced", "who"), [(True, "M. Okafor, J. Lee"), (False, "J. Lee")])
def test_of_a_round_that_waits_nobody_is_forgotten(who: str, *, traced: bool) -> None:
    rig = waits_on_a_word(traced=traced)
    hole = rig.table.state.waiting[0].cards.drawn[5].number
    rig.give(SetCard(rig.now_ns, hole, Card("5s"), "J. Lee", "as the camera shows", vouched=FLOOR))
    (alert,) = [one for one in alerts(rig, AlertKind.ROUND_IRREGULAR) if one.round == 1]
    assert alert.who == who


def test_once_it_is_over_it_is_forgotten_like_any_other() -> None:
    rig = waits_on_a_word()
    give_answer(rig, "3", "J. Lee")
    assert not rig.table.state.waiting
    rig.give(ShoeChanged(rig.now_ns, -1, "A. Third", FLOOR))
    rig.talk("3 main 10 \n 2c Th")
    assert [one.round for one in rig.table.state.relied_on] == [*range(5, 13), 1, 13]


# --- orders that nothing else of a round shows --------------------------------------------------------------


def struck(*, traced: bool = True) -> Rig:
    """One person strikes the card with which spot 1 has nineteen, against seventeen; the dealer pays what he saw."""
    rig = table("1 main 100 \n key no_more_bets \n Th Ts 4h 7c 5d")
    rig.house = replace(rig.house, declarations_traced=traced)
    rig.table = restore(rig.house, rig.table.state)
    assert rig.table.state.round is not None
    number = rig.table.state.round.cards.drawn[4].number
    rig.give(SetCard(rig.now_ns, number, None, "M. Crook", "burned", vouched=FLOOR))
    rig.talk("key stand hole_turned")
    rig.pass_ms(2_000)
    rig.talk("1 main 200 \n 1 main 0")
    rig.pass_ms(5_000)
    next_lock(rig)
    return rig


@pytest.mark.parametrize("traced", [True, False])
def test_what_is_settled_once_one_person_has_struck_a_card_rests_on_that_order(*, traced: bool) -> None:
    rig = struck(traced=traced)
    assert bases(rig) == {1: (-10_000, "answer" if traced else "evidence")}
    (alert,) = alerts(rig, AlertKind.MISPAY)
    assert acknowledged_by(rig, alert, "M. Crook", "J. Lee")[:1] == ["J. Lee" if traced else "M. Crook"]


def announced_in_vain(*, traced: bool = True, how: str = "order") -> Rig:
    """The deal's first card counts as burned, and a player draws as quickly as the dealer deals.

    The player has fifteen against the dealer's twenty-two, and sixteen against nineteen as the table counts.
    """
    rules = replace(penn(stand_key="sometimes", turn_key="sometimes"), hole_card="none", hole_check="none")
    rig = table("", two=True, rules=rules)
    rig.house = replace(rig.house, declarations_traced=traced)
    rig.table = restore(rig.house, rig.table.state)
    if how == "order":
        rig.give(ShoeChanged(rig.now_ns, -1, "M. Crook", FLOOR))
    else:
        rig.key("burn")
    rig.talk("1 main 100 \n 2s 6d 3h Th")
    rig.pass_ms(4_000)
    rig.talk("9c 7c")
    rig.pass_ms(4_000)
    rig.talk("1 main 200 \n 1 main 0")
    rig.pass_ms(5_000)
    next_lock(rig)
    return rig


@pytest.mark.parametrize(
    ("how", "traced", "basis"), [("order", True, "answer"), ("order", False, "evidence"), ("key", True, "evidence")]
)
def test_what_is_settled_after_an_ordered_shoe_rests_on_that_order(how: str, basis: str, *, traced: bool) -> None:
    rig = announced_in_vain(how=how, traced=traced)
    assert bases(rig) == {1: (-10_000, basis)}
    (alert,) = alerts(rig, AlertKind.MISPAY)
    assert acknowledged_by(rig, alert, "M. Crook", "J. Lee")[:1] == ["J. Lee" if basis == "answer" else "M. Crook"]


def test_where_the_house_burns_no_card_an_ordered_shoe_counts_none_of_the_deal() -> None:
    rig = table("", rules=penn(stand_key="always", new_shoe_burns=0))
    rig.give(ShoeChanged(rig.now_ns, -1, "M. Okafor", FLOOR))
    rig.talk("1 main 100 \n 9h Ts 8d 9c \n key stand hole_turned")
    assert bases(rig) == {1: (-10_000, "evidence")}


# --- who adjusted a wager ---------------------------------------------------------------------------


def corrected(*, bounded: bool = True) -> Rig:
    """Spot 1 has a natural and is settled, until two say it is another card; then how it played is asked."""
    rules = replace(penn(), surrender="none")
    rig = table(
        "1 main 100 \n 2 main 10 \n key no_more_bets \n Ah Th Ts Kd 4c 7c", bounded=bounded, two=True, rules=rules
    )
    rig.pass_ms(4_000)
    rig.talk("8h")
    rig.pass_ms(4_000)
    named(rig, 3, "2d")
    order = [one.order for one in rig.events_of(OrderProposed)][-1]
    rig.give(ApproveOrder(rig.now_ns, order, "J. Lee", Authentication("key", ("surveillance",))))
    rig.pass_ms(2_000)
    rig.key("hole_turned")
    rig.pass_ms(3_000)
    return rig


def adjusted(rig: Rig) -> dict[int, str]:
    """Who last adjusted the wager of each spot."""
    return {one.spot: one.who for one in rig.events_of(WagerAdjusted)}


@pytest.mark.parametrize(("bounded", "who"), [(True, "A. Third"), (False, "M. Okafor, J. Lee")])
def test_an_adjustment_names_whose_answer_it_follows_from(who: str, *, bounded: bool) -> None:
    rig = corrected(bounded=bounded)
    give_answer(rig, "2", "A. Third")
    last = rig.events_of(WagerAdjusted)[-1]
    assert (last.spot, last.who) == (1, who)
    if bounded:
        assert (last.why, last.vouched) == ("answered 2", "own key")


def test_by_the_keypad_it_names_the_dealer_and_no_way_of_knowing_them() -> None:
    rig = corrected()
    rig.pass_ms(1_000)
    rig.key("2")
    last = rig.events_of(WagerAdjusted)[-1]
    assert (last.who, last.why) == ("dealer", "answered 2")
    assert not last.vouched


def test_a_correction_after_the_answer_is_the_cause_again() -> None:
    rig = corrected()
    give_answer(rig, "2", "A. Third")
    named(rig, 3, "Qd", "S. Fourth")
    order = [one.order for one in rig.events_of(OrderProposed)][-1]
    rig.give(ApproveOrder(rig.now_ns, order, "J. Lee", Authentication("key", ("surveillance",))))
    rig.pass_ms(2_000)
    assert adjusted(rig)[1] == "S. Fourth, J. Lee"
