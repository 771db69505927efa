"""A key or an order does not hide what came to a wager, and does not turn a payment into a player's offence."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import AnswerRefused
from controller.core.messages.inputs import AcknowledgeAlert, AnswerQuestion, DeclareBox
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Authentication
from tests.core.rig import Rig, penn

FLOOR, WATCH = Authentication("key", ("floor",)), Authentication("socket", ("surveillance",), 1003)
NINETEEN_WINS = "1 main 10 \n Th Ts 9d 7c \n key stand hole_turned"
"""Nineteen against seventeen: ten dollars are due."""


def table(deal: str = NINETEEN_WINS, *, traced: bool = True) -> Rig:
    rig = Rig(penn(stand_key="always"))
    rig.change_house(orders_bounded=True, orders_traced=traced)
    rig.talk(deal)
    rig.pass_ms(1_500)
    return rig


def pay(rig: Rig, dollars: int) -> None:
    rig.talk(f"1 main {10 + dollars}")
    rig.pass_ms(1_500)


def end(rig: Rig, *, presses: int = 1) -> None:
    for _ in range(presses):
        rig.key("round_closed")
        rig.pass_ms(1_500)
    rig.talk("1 main 0")
    rig.pass_ms(1_000)
    rig.talk("2 main 10 \n 2h Ts 8d 9c")
    rig.pass_ms(2_500)


def raised(rig: Rig) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised)]


def alerts(rig: Rig) -> list[tuple[AlertKind, str]]:
    return [(one.kind, one.text) for one in raised(rig)]


def test_an_illegal_key_after_the_payment_leaves_the_alert_with_what_lies_there() -> None:
    rig = table()
    pay(rig, 500)
    rig.key("split")
    end(rig, presses=2)
    assert rig.outcomes() == ["irregular"]
    disputed = "settled before the round contradicted it, to be confirmed or adjusted: spot 1 main 10.00"
    assert (AlertKind.SETTLEMENT_DISPUTED, f"{disputed} (510.00 lie there)") in alerts(rig)


@pytest.mark.parametrize("first", ["key", "payment"])
def test_more_than_any_cards_could_pay_in_an_irregular_round_is_an_alert(first: str) -> None:
    rig = table()
    if first == "key":
        rig.key("split")
    pay(rig, 500)
    if first == "payment":
        rig.key("split")
    end(rig, presses=2)
    (text,) = [text for kind, text in alerts(rig) if kind is AlertKind.CHIPS_UNEXPLAINED]
    assert text == (
        "spot 1 main: 500.00 came in a round that no legal play explains,"
        " where 110.00 is the most that could be staked and won on 10.00"
    )


@pytest.mark.parametrize(("dollars", "traced"), [(10, True), (110, True), (500, False)])
def test_what_some_cards_could_pay_is_not(dollars: int, *, traced: bool) -> None:
    rig = table(traced=traced)
    rig.key("split")
    pay(rig, dollars)
    end(rig, presses=2)
    assert AlertKind.CHIPS_UNEXPLAINED not in {kind for kind, _ in alerts(rig)}


def test_the_next_bets_of_an_irregular_round_that_no_key_closes_are_no_payment() -> None:
    rig = table()
    rig.key("split")
    rig.talk("1 main 0 \n 1 main 500")
    rig.pass_ms(6_000)
    rig.talk("2h Ts 8d 9c")
    rig.pass_ms(2_500)
    assert AlertKind.CHIPS_UNEXPLAINED not in {kind for kind, _ in alerts(rig)}


def test_a_payment_whose_keys_are_undone_is_no_capping() -> None:
    rig = table()
    pay(rig, 500)
    for key in ("undo", "undo", "stand", "hole_turned"):
        rig.key(key)
    end(rig)
    assert (
        AlertKind.CHIPS_UNEXPLAINED,
        "spot 1 main: 10.00 became 510.00 once the wager was settled, which is disputed since",
    ) in alerts(rig)
    assert AlertKind.CAPPING not in {kind for kind, _ in alerts(rig)}


def test_chips_added_in_play_are_capping_all_the_same() -> None:
    rig = table("1 main 10 \n Th Ts 9d 7c")
    pay(rig, 500)
    rig.talk("key stand hole_turned")
    end(rig)
    assert AlertKind.CAPPING in {kind for kind, _ in alerts(rig)}


def test_so_they_are_where_their_change_is_published_once_the_wager_is_settled() -> None:
    """What moved in the deal is kept back until the hole card lies open."""
    rig = table("1 main 10 \n 2 main 10 \n key no_more_bets \n Th 9s Ts Td 9c 9d \n key stand")
    rig.talk("1 main 20")
    rig.pass_ms(9_000)
    rig.talk("key stand hole_turned")
    end(rig)
    assert AlertKind.CAPPING in {kind for kind, _ in alerts(rig)}


@pytest.mark.parametrize(
    ("question", "answer"), [(1, "perhaps"), (99, "yes")], ids=["no choice of the question", "no such question"]
)
def test_an_answer_that_is_refused_names_who_gave_it(question: int, answer: str) -> None:
    rig = Rig(penn(stand_key="sometimes"))
    rig.change_house(orders_traced=True)
    rig.talk("1 main 10 \n 8h Ts 8d 9c \n 1 main 20 \n Th Tc \n key hole_turned")
    rig.give(AnswerQuestion(rig.now_ns, question, answer, "M. Okafor"))
    (refused,) = [one for one in rig.events if isinstance(one, AnswerRefused)]
    assert (refused.answer, refused.who) == (answer, "M. Okafor")


def test_who_declared_a_box_beyond_the_limits_does_not_acknowledge_the_alert() -> None:
    rig = Rig(penn(stand_key="always", maximum_cents=50_000))
    rig.change_house(orders_bounded=True, orders_traced=True)
    rig.talk("1 main 10 \n Th Ts 9d 7c 8c 9h")
    rig.give(DeclareBox(rig.now_ns, 3, 100_000, "M. Okafor", "plays cash", FLOOR))
    (alert,) = [one for one in raised(rig) if one.kind is AlertKind.WAGER_OUTSIDE_LIMITS]
    assert alert.who == "M. Okafor"
    for who, vouched in (("M. Okafor", FLOOR), ("J. Lee", WATCH)):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", vouched))
    assert [one.who for one in rig.events if isinstance(one, AlertAcknowledged)] == ["J. Lee"]
