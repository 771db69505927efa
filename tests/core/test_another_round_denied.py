"""A person says that no other round has begun: what is settled then rests on that answer, and so does the next deal.

The dealer deals again at once, and a slow reader reports only after the next deal's first card that the lost wager was
taken. Counted as the dealer's own, that card breaks him.
"""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import AnswerRefused
from controller.core.messages.events import QuestionAsked, WagerSettled
from controller.core.messages.inputs import AcknowledgeAlert, AnswerQuestion, ShoeChanged
from controller.core.messages.raised_alerts import AlertAcknowledged, AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.core.table.state import restore
from controller.formats.replay import read_state, state_bytes
from controller.io.files import profile_files
from tests.core.human import HumanRig
from tests.core.rig import Rig, penn
from tests.core.test_dealt_at_once import ASKED, BARE, LOST, WON, asked

FLOOR, DEALER = Authentication("key", ("floor",)), Authentication("key", ("dealer",))
SOONER = "Are the cards of this deal other ones than counted: did an earlier card begin it?"
REST = "wait 0.1 / deal 9c 8s Kh"
"""The other cards of that deal: its player has eighteen against a nine."""
TAKEN = "wait 2.5 / 1 main 0 / wait 4 / 1 main 26 / wait 6"
"""He loses to the dealer's nineteen, and bets again."""
PAID = "wait 3 / 1 main 20 / wait 2 / 1 main 10 / wait 6"


def denied(*, answer: str = "no", by: str = "floor", traced: bool = True, declared: bool = True) -> HumanRig:
    """Seventeen has lost to nineteen; a person says of the next deal's first card whether another round has begun."""
    rig = HumanRig(profile_files.load("borgata", BARE).rules, {}, cycle_ms=1_200)
    rig.change_house(
        orders_bounded=True,
        orders_traced=True,
        two_persons=True,
        words_traced=traced,
        declarations_traced=declared,
        doubles_awaited=traced,
    )
    rig.reads_display = False
    rig.play(f"{WON}{WON}{WON} wait 3 / {LOST} 1 main 0 / wait 1 / 1 main 10 / wait 1.2 / Jd / wait 0.3")
    assert asked(rig) == [ASKED]
    if by == "floor":
        say(rig, answer, "M. Okafor")
    else:
        rig.play("wait 0.6 / key no")
    return rig


def say(rig: Rig, answer: str, who: str, vouched: Authentication = FLOOR) -> list[str]:
    """A person answers the last question; why that was refused, each time."""
    number = max(one.question for one in rig.events if isinstance(one, QuestionAsked))
    rig.give(AnswerQuestion(rig.now_ns, number, answer, who, vouched))
    return [str(one.reason_code) for one in rig.events if isinstance(one, AnswerRefused)]


def settled(rig: Rig, number: int) -> list[tuple[int, str]]:
    return [(s.net_cents, str(s.basis)) for s in rig.events if isinstance(s, WagerSettled) and s.round == number]


def alerts(rig: Rig, number: int) -> list[AlertRaised]:
    return [one for one in rig.events if isinstance(one, AlertRaised) and one.round == number]


@pytest.mark.parametrize("by", ["floor", "key"])
def test_what_is_settled_then_rests_on_the_answer(by: str) -> None:
    rig = denied(by=by)
    rig.play("wait 3 / 1 main 0 / wait 6")
    assert settled(rig, 4) == [(1_000, "answer")]


@pytest.mark.parametrize(
    ("by", "answer", "traced", "is_reported"),
    [
        ("floor", "no", True, True),
        ("floor", "yes", True, False),
        ("key", "no", True, False),
        ("floor", "no", False, False),
    ],
)
def test_who_says_so_from_elsewhere_is_reported(by: str, answer: str, *, traced: bool, is_reported: bool) -> None:
    rig = denied(by=by, answer=answer, declared=traced)
    found = [one for one in alerts(rig, 4) if one.kind is AlertKind.CORRECTED_ALONE]
    assert [(one.text, one.who) for one in found] == is_reported * [
        ("M. Okafor alone: no other round has begun, though cards came that may be the next deal's", "M. Okafor")
    ]


def test_in_a_journal_of_before_it_rested_on_the_evidence() -> None:
    rig = denied(traced=False)
    rig.play(f"{REST} / {TAKEN}")
    assert settled(rig, 4) == [(1_000, "evidence")]
    assert [(one.kind, bool(one.who)) for one in alerts(rig, 5)] == [(AlertKind.PINCHING, False)]
    assert SOONER not in asked(rig)


@pytest.mark.parametrize("afresh", [False, True])
def test_chips_of_the_next_round_accuse_nobody_and_its_alerts_are_not_for_who_answered(*, afresh: bool) -> None:
    rig = denied()
    if afresh:
        rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.play(f"{REST} / {TAKEN}")
    (alert,) = alerts(rig, 5)
    assert (alert.kind, alert.who) == (AlertKind.CHIPS_UNEXPLAINED, "M. Okafor")
    for who in ("M. Okafor", "J. Lee"):
        rig.give(AcknowledgeAlert(rig.now_ns, alert.alert, who, "seen", FLOOR))
    assert [one.who for one in rig.events if isinstance(one, AlertAcknowledged)] == ["J. Lee"]


def test_the_next_deal_is_asked_about_where_its_rhythm_does_not_bear_that_out_and_another_answers() -> None:
    rig = denied()
    rig.play(f"{REST} / wait 2.5 / Tc / wait 2")
    assert asked(rig) == [ASKED, SOONER]
    assert rig.desired.display == "Deal begun sooner? yes/no"
    assert say(rig, "no", "M. Okafor") == ["second_person_needed"]
    assert len(say(rig, "yes", "J. Lee", DEALER)) == 1
    assert rig.irregularities() == ["the cards of its deal are other ones than counted"]


@pytest.mark.parametrize(("traced", "basis"), [(True, "answer"), (False, "evidence")])
def test_after_an_honest_answer_the_next_deal_is_not_asked_about_and_rests_on_it(basis: str, *, traced: bool) -> None:
    """The dealer drew that card, broke, and pays. A quick player would leave the rhythm of a deal begun sooner."""
    rig = denied(declared=traced)
    rig.play(f"{PAID} / deal Th Kd 9c 7d / wait 3 / key stand hole_turned / {PAID} / key round_closed / wait 3")
    assert asked(rig) == [ASKED]
    assert settled(rig, 4) == [(1_000, "answer")]
    assert settled(rig, 5) == [(1_000, basis)]
    rig.play(f"{PAID} / deal Th Kd 9c / wait 4 / 7d / wait 3")
    assert SOONER not in asked(rig)


def test_nor_is_a_deal_asked_about_whose_bets_a_key_has_locked() -> None:
    rig = denied()
    rig.play(f"{PAID} / key no_more_bets / deal Ts 9c 9d / wait 4 / Kh / wait 4")
    assert SOONER not in asked(rig)


def test_after_yes_the_cards_are_the_next_deals_and_no_deal_after_it_is_asked_about() -> None:
    rig = denied(answer="yes")
    rig.play(
        "wait 0.1 / deal 9c 8s Kh / wait 2.5 / 1 main 0 / wait 4 / 1 main 26 / wait 6 / deal Ts 9c 9d / wait 4 / Kh"
    )
    rig.play("wait 4")
    assert asked(rig)[:1] == [ASKED]
    assert SOONER not in asked(rig)


def test_a_new_shoe_announced_since_names_both() -> None:
    rig = denied()
    rig.play(f"{PAID} / key round_closed / wait 2")
    rig.give(ShoeChanged(rig.now_ns, -1, "J. Lee", FLOOR))
    rig.play("deal Ts 9c 9d Kh / wait 3")
    assert [one.name for one in rig.table.state.people_of(5)] == ["M. Okafor", "J. Lee"]


# --- the other questions about a round as a whole -----------------------------------------------------------


def test_what_is_settled_after_it_was_said_that_no_card_was_missed_rests_on_that_too() -> None:
    rig = Rig(penn(stand_key="always", turn_key="always", deal_key="sometimes"))
    rig.talk("1 main 10 \n key no_more_bets \n Th 9s")
    rig.table = restore(rig.house, read_state(state_bytes(rig.table.state)))
    rig.give(rig.stamped[0].input)
    rig.talk("8d 9c \n key no stand hole_turned \n 1 main 0 \n key round_closed")
    assert [str(one.basis) for one in rig.events if isinstance(one, WagerSettled)] == ["answer"]
    assert not rig.table.state.denied_next
