"""Deals of which a person's word says how many cards they have: a box that was declared, a burn that was announced.

The dealer deals what lies on the table, whatever somebody has said. A word that is a slip, or a lie, leaves the deal
fewer cards than the table counts, and what players then draw would complete it.
"""

from __future__ import annotations

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.game.rules import Rules
from controller.core.game.wager import Basis
from controller.core.messages.alerts import AnswerRefused
from controller.core.messages.events import QuestionAsked, WagerSettled
from controller.core.messages.floor_events import BoxDeclared
from controller.core.messages.inputs import AcknowledgeAlert, AnswerQuestion, ApproveOrder, DeclareBox, ShoeChanged
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.persons import Authentication
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn
from tests.core.rig import Rig

FLOOR = Authentication("key", ("floor",))
WATCH = Authentication("socket", ("surveillance",), 1002)
OTHER = Authentication("key", ("dealer",))

KEYLESS = {"stand_key": "sometimes", "deal_key": "sometimes", "turn_key": "sometimes"}


def rules_of(hole: str, **options: str) -> Rules:
    """Hollywood's game where no key need be pressed, with or without a hole card."""
    rules = profile_files.load("hollywood-penn-national", {**KEYLESS, **options}).rules
    return rules if hole == "dealt" else replace(rules, hole_card="none", hole_check="none")


def rig_of(hole: str, *, two_persons: bool = True, **options: str) -> Rig:
    """A table of such a house."""
    rig = Rig(rules_of(hole, **options))
    rig.change_house(orders_bounded=True, orders_traced=True, two_persons=two_persons)
    return rig


def deal(rig: Rig, faces: str) -> None:
    """Cards at the dealer's pace, and then a player's time to think."""
    for face in faces.split():
        rig.card(face)
    rig.pass_ms(4_000)


def announce(rig: Rig, how: str) -> None:
    """Somebody says between two rounds that the shoe is new: by an order, or by the dealer's key."""
    if how == "order":
        rig.give(ShoeChanged(rig.now_ns, -1, "M. Okafor", FLOOR))
    else:
        rig.key("burn")
    rig.pass_ms(4_000)


def asked(rig: Rig) -> list[str]:
    return [event.text for event in rig.events if isinstance(event, QuestionAsked)]


def counted_otherwise(rig: Rig) -> list[str]:
    """The questions whether the deal has other cards than counted."""
    return [text for text in asked(rig) if text.startswith("Are the cards of this deal")]


def say(rig: Rig, answer: str, who: str, vouched: Authentication = FLOOR) -> list[AnswerRefused]:
    """A person answers the last question over the operators' channel; what is refused."""
    number = max(event.question for event in rig.events if isinstance(event, QuestionAsked))
    rig.give(AnswerQuestion(rig.now_ns, number, answer, who, vouched))
    return [event for event in rig.events if isinstance(event, AnswerRefused)]


def end(rig: Rig) -> None:
    """The dealer closes the round, and nobody answers before the next is dealt."""
    rig.talk("1 main 20 \n 2 main 20")
    rig.pass_ms(3_000)
    rig.talk("1 main 0 \n 2 main 0")
    rig.pass_ms(3_000)
    rig.talk("key round_closed")
    rig.pass_ms(6_000)


IN_VAIN = {"dealt": "Ts 6d 9h Kc", "none": "Ts 6d 9h"}
"""A deal to one box, of which the table counts the first card as burned: the player has 19, the dealer a 6."""


@pytest.mark.parametrize("how", ["order", "key"])
@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_burn_announced_in_vain_settles_nothing_and_is_asked_about(hole: str, how: str) -> None:
    rig = rig_of(hole)
    announce(rig, how)
    rig.talk("1 main 10")
    deal(rig, IN_VAIN[hole])
    assert not asked(rig)
    deal(rig, "Th")
    assert asked(rig) == [
        "Are the cards of this deal other ones than counted: was the card before it dealt, not burned?"
    ]
    rig.pass_ms(2_000)
    assert rig.desired.display == "Burned card dealt? yes/no"
    end(rig)
    assert not rig.postings()
    rig.key("yes")
    assert rig.irregularities() == ["the cards of its deal are other ones than counted"]


@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_burn_that_was_drawn_is_not_asked_about_nor_is_the_round_after_it(hole: str) -> None:
    rig = rig_of(hole)
    announce(rig, "key")
    rig.talk("1 main 10")
    deal(rig, f"4c {IN_VAIN[hole]}")
    rig.talk("Th" if hole == "dealt" else "8c 7d")
    end(rig)
    assert not counted_otherwise(rig)
    rig.talk("1 main 10")
    for cards in ("Ts 6d 9h", "Kc", "2d"):
        deal(rig, cards)
    assert not counted_otherwise(rig)


def spaced(rig: Rig, cards: str) -> None:
    """Cards a second apart, but where ``+`` lets another eight tenths pass and ``-`` three seconds."""
    for word in cards.split():
        match word:
            case "+":
                rig.pass_ms(800)
            case "-":
                rig.pass_ms(3_000)
            case face:
                rig.card(face)


@pytest.mark.parametrize(
    ("cards", "is_asked"),
    [
        pytest.param("4c Ts 9d 6h 9h 7d 5c", False, id="even"),
        pytest.param("4c Ts 9d 6h 9h 7d + 5c", True, id="the last card came late"),
        pytest.param("4c Ts 9d 6h 9h + 7d 5c", True, id="the last but one came late"),
        pytest.param("4c Ts 9d 6h + 9h 7d 5c", False, id="one before them came late"),
        pytest.param("4c Ts 9d 6h - 9h 7d 5c", True, id="a pause before them"),
    ],
)
def test_a_deal_bears_a_word_out_by_its_own_rhythm(cards: str, *, is_asked: bool) -> None:
    rig = rig_of("dealt")
    announce(rig, "key")
    rig.talk("1 main 10 \n 2 main 10")
    spaced(rig, cards)
    assert bool(counted_otherwise(rig)) == is_asked


@pytest.mark.parametrize(("last_ms", "is_asked"), [(400, False), (600, True)])
def test_no_player_asks_for_a_card_within_half_a_second(last_ms: int, *, is_asked: bool) -> None:
    """Cards come ten a second, as in a demo that runs quicker than people."""
    rig = rig_of("none")
    announce(rig, "key")
    rig.talk("1 main 10 \n 2 main 10")
    for face in ["4c", "Ts", "9d", "6h", "9h"]:
        rig.pass_ms(100)
        rig.give(CardDrawn(rig.now_ns, Card(face)))
    rig.pass_ms(last_ms)
    rig.give(CardDrawn(rig.now_ns, Card("7d")))
    assert bool(counted_otherwise(rig)) == is_asked


@pytest.mark.parametrize("announced", [False, True])
def test_the_shoes_own_burn_mode_is_a_persons_word_too(*, announced: bool) -> None:
    """A dealer leaves it on, or sets it for the deal's first card."""
    rig = rig_of("dealt")
    if announced:
        announce(rig, "key")
        rig.card("3c")
    rig.draw(Card("4c"), burn=True)
    rig.talk("1 main 10 \n 2 main 10")
    spaced(rig, "Ts 9d 6h - 9h 7d 5c")
    assert counted_otherwise(rig)


def test_what_is_settled_after_the_answer_rests_on_it() -> None:
    rig = rig_of("dealt", stand_key="always", turn_key="always")
    announce(rig, "key")
    rig.talk("1 main 10")
    deal(rig, "4c Ts 6d 9h")
    deal(rig, "Kc")
    rig.key("no")
    rig.talk("key stand hole_turned \n Th")
    rig.pass_ms(3_000)
    settled = [event for event in rig.events if isinstance(event, WagerSettled)]
    assert [(one.net_cents, one.basis) for one in settled] == [(1_000, "answer")]


PHANTOM = {"dealt": "Ts 9d 6h 9h 7d Kc", "none": "Ts 9d 6h 9h 7d"}
"""A deal to two boxes, which have 19 and 16; the dealer shows a 6."""


def phantom(hole: str, *, two_persons: bool = True) -> Rig:
    """One person has declared a box to which no card is dealt; the second player draws."""
    rig = rig_of(hole, two_persons=two_persons)
    rig.talk("1 main 10 \n 2 main 10")
    rig.give(DeclareBox(rig.now_ns, 3, 1, "M. Okafor", "plays cash", FLOOR))
    deal(rig, PHANTOM[hole])
    rig.talk("2c")
    rig.pass_ms(2_000)
    rig.talk("Td" if hole == "dealt" else "3c")
    rig.pass_ms(4_000)
    return rig


@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_box_that_is_dealt_nothing_settles_nothing_and_is_asked_about(hole: str) -> None:
    rig = phantom(hole)
    assert asked(rig) == ["Are the cards of this deal other ones than counted: was none dealt to spot 3?"]
    assert rig.desired.display == "No card: spot 3? yes/no"
    end(rig)
    rig.talk("1 main 10 \n Ts")
    rig.pass_ms(4_000)
    assert not rig.postings()
    assert rig.irregularities() == ["nobody said whether the cards of its deal are those counted"]


def test_who_declared_the_box_does_not_answer_and_another_does() -> None:
    rig = phantom("dealt")
    (refused,) = say(rig, "no", "M. Okafor")
    assert refused.reason_code == "second_person_needed"
    assert say(rig, "yes", "J. Lee", OTHER) == [refused]
    assert rig.irregularities() == ["the cards of its deal are other ones than counted"]


def test_where_the_house_wants_one_person_who_declared_the_box_answers() -> None:
    rig = phantom("dealt", two_persons=False)
    assert not say(rig, "yes", "M. Okafor")
    assert rig.irregularities()


def test_who_announced_the_burn_does_not_answer() -> None:
    rig = rig_of("dealt")
    announce(rig, "order")
    rig.talk("1 main 10")
    deal(rig, IN_VAIN["dealt"])
    deal(rig, "Th")
    assert say(rig, "no", "M. Okafor")
    assert len(say(rig, "no", "J. Lee", OTHER)) == 1
    assert not rig.irregularities()


def test_nor_once_the_bets_were_opened_again_and_locked_anew() -> None:
    rig = rig_of("dealt")
    announce(rig, "order")
    rig.talk("1 main 10 \n key no_more_bets undo no_more_bets")
    deal(rig, IN_VAIN["dealt"])
    deal(rig, "Th")
    assert say(rig, "no", "M. Okafor")


@pytest.mark.parametrize("how", ["order", "key"])
def test_whoever_says_that_the_deal_is_as_counted_is_reported(how: str) -> None:
    """A dealer alone may announce a burn by key, and answer by key."""
    rig = rig_of("dealt")
    announce(rig, how)
    rig.talk("1 main 10")
    deal(rig, IN_VAIN["dealt"])
    deal(rig, "Th")
    rig.key("no")
    (alert,) = rig.events_of(AlertRaised)
    assert isinstance(alert, AlertRaised)
    assert (alert.kind, alert.round, alert.who) == (
        *(AlertKind.CORRECTED_ALONE, 1),
        "M. Okafor" if how == "order" else msgspec.UNSET,
    )


def test_of_a_deal_that_stopped_and_that_no_word_has_counted_no_is_no_correction() -> None:
    rig = rig_of("dealt")
    rig.talk("1 main 10")
    deal(rig, "Ts 6d 9h Kc 2d")
    rig.talk("1 main 0")
    rig.pass_ms(6_000)
    rig.talk("1 main 10")
    deal(rig, "Ts 6d")
    deal(rig, "9h Kc Th")
    assert asked(rig)[-1].endswith("one was burned, or drawn before it?")
    rig.key("no")
    assert not rig.events_of(AlertRaised)


@pytest.mark.parametrize("hole", ["dealt", "none"])
def test_a_declared_box_that_is_dealt_to_is_not_asked_about(hole: str) -> None:
    rig = rig_of(hole)
    rig.talk("1 main 10 \n 2 main 10")
    rig.give(DeclareBox(rig.now_ns, 3, 2_500, "M. Okafor", "plays cash", FLOOR))
    deal(rig, "Ts 9d Th 6h 9h Kd 8c Kc" if hole == "dealt" else "Ts 9d Th 6h 9h Kd 8c")
    rig.talk("Td" if hole == "dealt" else "Kc Td")
    end(rig)
    assert not counted_otherwise(rig)


def test_a_box_that_two_declare_in_play_is_not_asked_about() -> None:
    rig = rig_of("none")
    rig.talk("1 main 10 \n 2 main 10")
    deal(rig, "Ts 9d Th 6h 9h")
    deal(rig, "Kd 8c")
    rig.give(DeclareBox(rig.now_ns, 3, 2_500, "M. Okafor", "plays cash", FLOOR))
    rig.give(ApproveOrder(rig.now_ns, 1, "J. Lee", WATCH))
    assert rig.events_of(BoxDeclared)
    deal(rig, "2c")
    assert not counted_otherwise(rig)


def pinched(rig: Rig, cards: str) -> list[int]:
    """A round in which a player takes chips back; its alerts, each of which the floor's order giver acknowledges."""
    before = len(rig.events_of(AlertRaised))
    rig.talk("1 main 10")
    deal(rig, cards)
    rig.chips(1, "main", 100)
    rig.leave_lying()
    rig.talk("key stand hole_turned")
    end(rig)
    raised = rig.events_of(AlertRaised)[before:]
    assert AlertKind.PINCHING in {one.kind for one in raised}
    for one in raised:
        rig.give(AcknowledgeAlert(rig.now_ns, one.alert, "M. Okafor", "seen", FLOOR))
    return [one.alert for one in raised]


@pytest.mark.parametrize("how", ["order", "key"])
def test_what_chips_seem_to_do_in_a_round_that_rests_on_a_word_is_seen_by_another(how: str) -> None:
    rig = rig_of("dealt", stand_key="always", turn_key="always")
    announce(rig, how)
    first = pinched(rig, "4c Th Ts 9d 7c")
    assert [one.alert for one in rig.table.state.alerts.listed] == (first if how == "order" else [])


def test_nor_is_the_round_after_it_the_announcers() -> None:
    rig = rig_of("dealt", stand_key="always", turn_key="always")
    announce(rig, "order")
    first = pinched(rig, "4c Th Ts 9d 7c")
    pinched(rig, "Th Ts 9d 7c")
    assert [one.alert for one in rig.table.state.alerts.listed] == first


@pytest.mark.parametrize("cents", [100, 4_000])
def test_chips_that_move_in_a_deal_that_only_a_word_has_counted_accuse_nobody(cents: int) -> None:
    rig = rig_of("dealt", stand_key="always", turn_key="always")
    announce(rig, "key")
    rig.talk("1 main 10")
    deal(rig, "Th Ts 9d 7c")
    rig.chips(1, "main", cents)
    rig.leave_lying()
    rig.talk("key stand hole_turned")
    end(rig)
    raised = [one.kind for one in rig.events if isinstance(one, AlertRaised)]
    assert AlertKind.CHIPS_UNEXPLAINED in raised
    assert {AlertKind.PINCHING, AlertKind.CAPPING, AlertKind.BET_TOUCHED}.isdisjoint(raised)


@pytest.mark.parametrize(("answer", "accused"), [("no", True), ("yes", False)])
def test_once_that_is_answered_chips_say_what_they_say_in_any_round(answer: str, *, accused: bool) -> None:
    rig = rig_of("dealt", stand_key="always", turn_key="always")
    announce(rig, "key")
    rig.talk("1 main 10")
    deal(rig, "4c Th Ts 9d")
    deal(rig, "7c")
    rig.key(answer)
    rig.chips(1, "main", 100)
    rig.leave_lying()
    rig.talk("key stand hole_turned")
    end(rig)
    assert (AlertKind.PINCHING in [one.kind for one in rig.events if isinstance(one, AlertRaised)]) == accused


@pytest.mark.parametrize(("left", "kind"), [(0, AlertKind.MISPAY), (10, AlertKind.CHIPS_UNEXPLAINED)])
def test_what_the_dealer_paid_otherwise_is_found_where_quick_draws_bore_a_box_out(left: int, kind: AlertKind) -> None:
    """Spot 1 was declared in vain, and what players drew at once completed its deal: spot 4 lost, and was paid."""
    rig = rig_of("dealt")
    rig.change_house(proposals_bound=True)
    rig.give(DeclareBox(rig.now_ns, 1, 5_000, "M. Okafor", "plays cash", FLOOR))
    rig.talk("4 main 10 \n 6 main 3 \n 7 main 10")
    rig.pass_ms(3_000)
    rig.talk("2d Qs Qc 6s 3s 9c 5c 2h As 4c \n key hole_turned \n 3c 8h")
    for move in ("7 main 0", "4 main 20", f"4 main {left}", "6 main 0"):
        rig.pass_ms(3_000)
        rig.talk(move)
    rig.pass_ms(3_000)
    rig.talk("key round_closed")
    rig.pass_ms(8_000)
    assert "1: spot 4 main -10.00" in rig.postings()
    assert {one.basis for one in rig.events_of(WagerSettled)} == {Basis.ANSWER}
    rig.talk("4 main 0 \n 4 main 15 \n key no_more_bets \n Qd")
    rig.pass_ms(3_000)
    found = [(one.kind, one.spot, one.who) for one in rig.events_of(AlertRaised) if one.round == 1]
    assert found == [(kind, 4, "M. Okafor")]
