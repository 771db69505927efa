"""A round in which nothing has happened for a minute although it may be over: it ends, or somebody is asked."""

from __future__ import annotations

import pytest

from controller.core.messages.alerts import AnswerRefused
from controller.core.messages.events import (
    HoleCardRevealed,
    QuestionAnswered,
    QuestionAsked,
    QuestionWithdrawn,
    WagerSettled,
)
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn as CardRead
from tests.core.rig import Rig

MINUTE_MS = 60_000


def table(talk: str, turn_key: str = "always", profile: str = "hollywood-penn-national") -> Rig:
    rig = Rig(profile_files.load(profile, {"stand_key": "always", "turn_key": turn_key}).rules)
    rig.talk(talk)
    return rig


def asked(rig: Rig) -> list[str]:
    return [event.text for event in rig.events_of(QuestionAsked)]


def alerted(rig: Rig) -> list[AlertKind]:
    return [event.kind for event in rig.events_of(AlertRaised)]


STOOD = "1 main 10 \n key no_more_bets \n Th 9c Kd 8s \n key stand"


def test_a_settled_round_whose_last_key_was_forgotten_ends_after_a_minute() -> None:
    rig = table(f"{STOOD} hole_turned \n 1 main 20 \n 1 main 0")
    rig.pass_ms(MINUTE_MS - 5_000)
    assert rig.outcomes() == []
    rig.pass_ms(10_000)
    assert rig.outcomes() == ["settled"]
    assert (asked(rig), alerted(rig)) == ([], [])


def test_a_round_whose_hole_card_nobody_said_was_turned_is_asked_about_and_alerted() -> None:
    rig = table(STOOD)
    rig.pass_ms(MINUTE_MS + 5_000)
    assert asked(rig) == ["Is round 1 over?"]
    assert alerted(rig) == [AlertKind.ROUND_UNENDED]
    assert rig.desired.display == "Round over? yes/no"
    rig.key("yes")
    assert rig.outcomes() == ["settled"]
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_whoever_answers_from_afar_does_not_open_a_hole_card_that_a_key_must_turn() -> None:
    rig = table(STOOD)
    rig.pass_ms(MINUTE_MS + 5_000)
    rig.answer("yes")
    (refused,) = rig.events_of(AnswerRefused)
    assert isinstance(refused, AnswerRefused)
    assert refused.reason_code == "round_in_play"
    assert (rig.outcomes(), rig.events_of(HoleCardRevealed)) == ([], [])
    rig.key("yes")
    assert rig.outcomes() == ["settled"]


def test_once_it_is_turned_they_close_the_round_and_it_rests_on_their_word() -> None:
    rig = table(f"{STOOD} hole_turned")
    rig.pass_ms(MINUTE_MS + 5_000)
    rig.answer("yes")
    assert rig.outcomes() == ["settled"]
    assert [person.name for person in rig.table.state.people_of(1)] == ["floor"]


@pytest.mark.parametrize(("traced", "outcome", "turned"), [(True, "open", 0), (False, "settled", 1)])
def test_where_no_key_must_turn_it_they_end_the_round_with_its_hole_card_closed(
    outcome: str, turned: int, *, traced: bool
) -> None:
    """The player may still think; in journals of before the hole card was opened."""
    rig = table(STOOD, "sometimes")
    rig.change_house(ends_traced=traced)
    rig.pass_ms(MINUTE_MS + 5_000)
    rig.answer("yes")
    assert rig.outcomes() == [outcome]
    assert len(rig.events_of(HoleCardRevealed)) == turned


@pytest.mark.parametrize(
    ("carried", "locked", "basis"),
    [(True, "", "answer"), (True, "key no_more_bets", "evidence"), (False, "", "evidence")],
)
def test_the_cards_that_follow_may_be_that_round_s_still_until_a_key_locks_the_next_bets(
    locked: str, basis: str, *, carried: bool
) -> None:
    """He still played: what a next round made of his cards comes to rests on who said that there was one."""
    rig = table("1 main 10 \n key no_more_bets \n 2s 6d 3h 9c", "sometimes")
    rig.change_house(words_carried=carried)
    rig.pass_ms(MINUTE_MS + 5_000)
    rig.answer("yes")
    rig.talk(f"{locked} \n Ad 2c Th Kd")
    rig.pass_ms(4_000)
    rig.talk("key hole_turned \n 1 main 0")
    rig.pass_ms(6_000)
    assert {str(one.basis) for one in rig.events_of(WagerSettled)} == {basis}
    assert [person.name for person in rig.table.state.people_of(2)] == (["floor"] if carried else [])


def test_the_dealer_s_own_word_opens_it_there() -> None:
    rig = table(STOOD, "sometimes")
    rig.pass_ms(MINUTE_MS + 5_000)
    rig.key("yes")
    assert rig.outcomes() == ["settled"]


def test_no_lets_it_go_on_and_nothing_is_asked_again_before_something_has_happened() -> None:
    rig = table(STOOD)
    rig.pass_ms(MINUTE_MS + 5_000)
    rig.key("no")
    rig.pass_ms(5 * MINUTE_MS)
    assert len(asked(rig)) == 1
    assert [one.answer for one in rig.events_of(QuestionAnswered)] == ["no"]
    rig.talk("key hole_turned \n 1 main 20 \n 1 main 0 \n key round_closed")
    assert rig.postings() == ["1: spot 1 main +10.00"]


def test_what_happens_meanwhile_takes_the_question_back() -> None:
    rig = table(STOOD)
    rig.pass_ms(MINUTE_MS + 5_000)
    rig.key("hole_turned")
    assert len(rig.events_of(QuestionWithdrawn)) == 1
    assert rig.desired.display != "Round over? yes/no"


def test_a_close_takes_the_question_back() -> None:
    rig = table("1 main 10 \n Th 9c 6d 8s \n Kh \n 1 main 0", "sometimes")
    rig.pass_ms(2 * MINUTE_MS)
    rig.talk("key round_closed round_closed")
    assert rig.outcomes() == ["settled"]
    assert len(rig.events_of(QuestionWithdrawn)) == len(asked(rig)) == 1


def test_all_boxes_broke_and_were_taken_without_any_key() -> None:
    rig = table("1 main 10 \n Th 9c 6d 8s \n Kh \n 1 main 0", "sometimes")
    rig.pass_ms(2 * MINUTE_MS)
    assert asked(rig) == ["Is round 1 over?"]
    rig.key("yes")
    assert rig.postings() == ["1: spot 1 main -10.00"]


def test_a_pitch_round_without_the_key_of_the_turn_does_not_hang_unsaid() -> None:
    rig = table("1 main 10 \n Th 9c Kd 8s \n 1 main 20", "sometimes", "pitch-h17")
    rig.pass_ms(2 * MINUTE_MS)
    assert asked(rig) == ["Is round 1 over?"]
    assert alerted(rig) == [AlertKind.ROUND_UNENDED]


def test_a_player_who_thinks_for_a_minute_is_not_hurried_while_no_play_is_over() -> None:
    rig = table("1 main 10 \n 2 main 10 \n key no_more_bets")
    for face in ("Th", "9d", "9c", "Kd", "2c", "8s"):
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(3 * MINUTE_MS)
    assert (asked(rig), alerted(rig)) == ([], [])
