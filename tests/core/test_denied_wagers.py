"""A late bettor or a newcomer who, as a person says, was not dealt in: the floor may rule that he was."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.game.wager import LockedWager
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import DeniedWagers, QuestionAnswered, WagerSettled, WagerUnresolved
from controller.core.messages.floor_events import RulingProposed
from controller.core.messages.inputs import AdjustWager, AnswerQuestion, ApproveOrder, BookRecalled
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.ledger import recall
from controller.core.table.state import restore
from controller.formats.mqtt.retained_orders import OrdersNow, orders_bytes
from controller.formats.replay import read_state, state_bytes
from tests.core.rig import Rig, penn

FLOOR = Authentication("key", ("floor",))
KEYED = {"stand_key": "always", "turn_key": "always"}
BEFORE = "key burn \n 2c \n 1 main 10 \n key no_more_bets \n 9h Ts 8d 9c \n key stand hole_turned \n 1 main 0"
"""A round that lost; whoever bets at another spot after it comes in mid shoe."""


def table(talk: str, *, bounded: bool, two: bool, refuses: bool = False) -> Rig:
    rules = replace(penn(**KEYED, no_more_bets="sometimes"), mid_shoe_entry="refused" if refuses else "allowed")
    rig = Rig(rules)
    rig.change_house(
        orders_bounded=True, proposals_bound=True, orders_traced=True, two_persons=two, payments_bounded=bounded
    )
    rig.talk(talk)
    rig.pass_ms(6_000)
    return rig


def denied(rig: Rig, who: str = "T. Thief") -> None:
    rig.give(AnswerQuestion(rig.now_ns, rig.table.state.questions, "no", who, FLOOR))
    rig.pass_ms(1_000)


def late(*, bounded: bool = True, two: bool = True) -> Rig:
    """Spot 5 lays 100 within the deal, is dealt in and loses; a person denies it once the hands are played."""
    cards = "1 main 10 \n 3 main 10 \n 4d \n 5 main 100 \n Tc Th 7s Ts 8c 6s Td"
    rig = table(cards, bounded=bounded, two=two)
    rig.key("hole_turned")
    rig.pass_ms(2_000)
    denied(rig)
    rig.talk("1 main 0 \n 3 main 20 \n 3 main 0 \n 5 main 0 \n key round_closed")
    rig.pass_ms(4_000)
    rig.talk("1 main 10 \n key no_more_bets \n 9h")
    rig.pass_ms(2_000)
    return rig


def newcomer() -> Rig:
    """Spot 5 comes in mid shoe with 25, is dealt in and loses; a person denies it."""
    rig = table(f"{BEFORE} \n key round_closed", bounded=True, two=True, refuses=True)
    rig.talk("1 main 10 \n 5 main 25 \n key no_more_bets \n 9h Th Ts 8d 6d 9c")
    rig.pass_ms(2_000)
    denied(rig)
    rig.talk("1 main 0 \n 5 main 0 \n key round_closed")
    rig.pass_ms(4_000)
    return rig


def ordered(rig: Rig, number: int, cents: int, *, case: str = "") -> None:
    """A person rules on the main wager of spot 5, and another approves it if it takes two."""
    rig.give(AdjustWager(rig.now_ns, number, 5, "main", cents, "M. Okafor", "see camera", FLOOR, case))
    for one in rig.table.state.proposed:
        rig.give(ApproveOrder(rig.now_ns, one.number, "J. Lee", Authentication("key", ("surveillance",))))
    rig.pass_ms(500)


def ruled(rig: Rig) -> list[tuple[int, int, int, int, str]]:
    """What the floor settled: round, spot, wager, due, why."""
    found = (one for one in rig.events if isinstance(one, WagerSettled) and one.basis == "floor")
    return [(one.round, one.spot, one.wager_cents, one.net_cents, one.why) for one in found]


@pytest.mark.parametrize("afresh", [False, True])
def test_two_persons_rule_that_a_late_bettor_who_was_denied_has_lost(*, afresh: bool) -> None:
    rig = late()
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    ordered(rig, 1, -10_000)
    assert ruled(rig) == [(1, 5, 10_000, -10_000, "M. Okafor, J. Lee: see camera")]


def test_it_waits_for_the_second_person() -> None:
    rig = late()
    rig.give(AdjustWager(rig.now_ns, 1, 5, "main", -10_000, "M. Okafor", "see camera", FLOOR))
    assert (len(rig.events_of(RulingProposed)), ruled(rig)) == (1, [])


def test_a_newcomer_who_was_denied_before_the_lock_was_published_is_on_the_books_too() -> None:
    rig = newcomer()
    ordered(rig, 2, -2_500)
    assert [one[:4] for one in ruled(rig)] == [(2, 5, 2_500, -2_500)]


def test_the_answer_says_what_it_denies() -> None:
    rig = late()
    (answer,) = [one for one in rig.events if isinstance(one, QuestionAnswered)]
    assert answer.denied == DeniedWagers(1, (LockedWager(5, "main", 10_000),))


def test_beyond_what_cards_could_give_it_is_an_alert_as_for_any_wager() -> None:
    rig = late()
    ordered(rig, 1, 9_000_000)
    assert AlertKind.RULING_BEYOND_RULES in {one.kind for one in rig.events if isinstance(one, AlertRaised)}


def test_where_one_person_may_order_it_alone_that_is_an_alert() -> None:
    rig = late(two=False)
    ordered(rig, 1, -10_000)
    ordered(rig, 1, -5_000)
    found = [one for one in rig.events if isinstance(one, AlertRaised) and one.kind is AlertKind.CORRECTED_ALONE]
    assert [(one.spot, one.who) for one in found] == [(5, "T. Thief"), (5, "M. Okafor")]
    assert found[1].text == "M. Okafor alone: round 1 spot 5 main, of which it was said that it was not dealt in"


def test_of_a_spot_that_laid_nothing_there_is_still_no_wager() -> None:
    rig = late(two=False)
    rig.give(AdjustWager(rig.now_ns, 1, 6, "main", -10_000, "M. Okafor", "see camera", FLOOR))
    rig.give(AdjustWager(rig.now_ns, 9, 5, "main", -10_000, "M. Okafor", "see camera", FLOOR))
    refused = [one.reason_code for one in rig.events if isinstance(one, OrderRefused)]
    assert refused == ["no_such_wager", "no_such_round"]


def test_the_pages_offer_it_among_the_wagers_to_rule_on() -> None:
    rig = late()
    shown = msgspec.json.decode(orders_bytes(rig.house, rig.table.state), type=OrdersNow)
    (offered,) = [one for one in shown.wagers if one.spot == 5]
    assert (offered.round, offered.wager_cents, offered.net_cents) == (1, 10_000, None)


@pytest.mark.parametrize("arrive", [late, newcomer])
def test_long_after_its_round_it_comes_back_from_the_journal(arrive: Callable[[], Rig]) -> None:
    rig = arrive()
    number = 1 if arrive is late else 2
    book = recall(rig.events, number)
    assert book is not None
    assert [one.spot for one in book.denied] == [5]
    others = tuple(one for one in rig.table.state.books if one.round != number)
    rig.table = replace(rig.table, state=replace(rig.table.state, books=others))
    rig.give(BookRecalled(rig.now_ns, book))
    ordered(rig, number, -1_000, case="C-17")
    assert [one[:2] for one in ruled(rig)] == [(number, 5)]


def test_in_a_journal_of_before_it_was_no_wager() -> None:
    rig = late(bounded=False)
    ordered(rig, 1, -10_000)
    assert [one.reason_code for one in rig.events if isinstance(one, OrderRefused)] == ["no_such_wager"]


def test_before_the_lock_is_published_there_is_no_wager_to_rule_on() -> None:
    rig = table(f"{BEFORE} \n key round_closed", bounded=True, two=True, refuses=True)
    rig.talk("1 main 10 \n 5 main 25 \n 6 main 25 \n key no_more_bets")
    rig.pass_ms(2_000)
    denied(rig)
    ordered(rig, 2, -2_500)
    assert [one.reason_code for one in rig.events if isinstance(one, OrderRefused)] == ["no_such_wager"]


@pytest.mark.parametrize("bounded", [True, False])
def test_a_newcomer_who_was_dealt_in_alone_and_denied_is_an_open_wager(*, bounded: bool) -> None:
    rig = table(f"{BEFORE} \n key round_closed", bounded=bounded, two=True, refuses=True)
    rig.talk("5 main 25 \n key no_more_bets \n Th Ts 6d 9c")
    rig.pass_ms(2_000)
    denied(rig)
    rig.talk("5 main 0 \n key round_closed")
    rig.pass_ms(4_000)
    ordered(rig, 2, -2_500)
    assert [(one.round, one.spot) for one in rig.events if isinstance(one, WagerUnresolved)] == [(2, 5)] * bounded
    assert [one[:4] for one in ruled(rig)] == [(2, 5, 2_500, -2_500)] * bounded
