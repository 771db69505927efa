"""Nobody answers what is asked about a whole round: the next deal is its own, and an alert says so within a minute."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from controller.core.messages.alerts import RoundIrregular
from controller.core.messages.events import BettingClosed, CardDrawn, QuestionAsked, RoundClosed, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.io.files import profile_files
from firmware_protocols.cards import Card
from firmware_protocols.readings import CardDrawn as CardRead
from tests.core.rig import Rig
from tests.core.test_lingering import MINUTE_MS, alerted, asked


def table(profile: str, **options: str) -> Rig:
    return Rig(profile_files.load(profile, {"turn_key": "sometimes", **options}).rules)


def deal(rig: Rig, faces: str) -> None:
    """Cards as a dealer deals them, after a quiet time; then everybody looks at them."""
    rig.pass_ms(6_000)
    for face in faces.split():
        rig.pass_ms(400)
        rig.give(CardRead(rig.now_ns, Card(face)))
    rig.pass_ms(2_600)


def cards_of(rig: Rig, number: int) -> int:
    return sum(event.round == number for event in rig.events_of(CardDrawn))


def reasons(rig: Rig) -> list[str]:
    return [event.reason for event in rig.events_of(RoundIrregular)]


def left_open(rig: Rig, number: int) -> list[tuple[int, str, int]]:
    return [(one.spot, one.bet, one.wager_cents) for one in rig.events_of(WagerUnresolved) if one.round == number]


def unkeyed(**options: str) -> Rig:
    """A round whose first card came without the key that this house always presses; eighteen pushes and lies there."""
    rig = table("hollywood-perryville", no_more_bets="always", **options)
    rig.talk("1 main 10 \n 3 main 10")
    deal(rig, "Td 9c 8s 9h 9s 9d")
    return rig


def test_where_no_more_bets_is_never_pressed_each_deal_is_a_round_that_is_asked_about() -> None:
    rig = unkeyed()
    rig.talk("1 main 20 \n 1 main 10")
    deal(rig, "Tc 8c 8d 9s 9c Tc")
    assert [cards_of(rig, number) for number in (1, 2)] == [6, 6]
    assert reasons(rig) == ["nobody said whether its first card began it"]
    assert left_open(rig, 1) == [(1, "main", 1000), (3, "main", 1000)]
    assert len(asked(rig)) == 2
    assert AlertKind.ROUND_UNENDED in alerted(rig)
    assert len(rig.events_of(BettingClosed)) == 2


def test_the_next_deal_is_its_own_where_the_key_was_pressed_once_and_never_again() -> None:
    rig = table("hollywood-perryville", no_more_bets="always")
    rig.talk("1 main 10 \n key no_more_bets")
    deal(rig, "Td 9c 8s 9h")
    deal(rig, "Tc 8c 8d 9s")
    assert [cards_of(rig, number) for number in (1, 2)] == [4, 4]
    assert left_open(rig, 1) == [(1, "main", 1000)]
    assert len(asked(rig)) == 1


def test_where_a_key_turns_the_hole_card_the_next_deal_is_its_own_once_the_boxes_are_cleared() -> None:
    rig = unkeyed(turn_key="always")
    rig.talk("1 main 0 \n 3 main 0 \n 1 main 15 \n 3 main 15")
    deal(rig, "Tc 8c 8d 9s 9c Tc")
    assert [cards_of(rig, number) for number in (1, 2)] == [6, 6]
    assert left_open(rig, 1) == [(1, "main", 1000), (3, "main", 1000)]


def newcomer() -> Rig:
    """Spot 3 sits one hand out and comes back in mid shoe, and nobody says whether it was dealt in."""
    rig = table("pitch-h17")
    for bets, cards in (("1 main 10", "Th 9c 9s Tc"), ("3 main 10", "Td 9h Ts 8s 9d Th")):
        rig.talk(bets)
        deal(rig, cards)
        if not asked(rig):
            rig.talk("1 main 0 \n 1 main 10")
    return rig


@pytest.mark.parametrize("boxes", ["", "6 main 25"])
def test_a_newcomer_of_whom_nobody_says_whether_he_was_dealt_in_swallows_no_later_deal(boxes: str) -> None:
    rig = newcomer()
    assert asked(rig) == ["Spot 3 came in mid shoe: dealt in?"]
    rig.talk(f"1 main 30 \n 3 main 0 \n 3 main 10 \n {boxes}")
    deal(rig, "Tc 8c 8d 9s 9c Tc" if not boxes else "Tc 8c 5d 8d 9s 9c 6s Tc")
    assert cards_of(rig, 2) == 6
    assert cards_of(rig, 3) == (8 if boxes else 6)
    assert reasons(rig) == ["nobody said whether spot 3 was dealt in"]
    assert left_open(rig, 2) == [(1, "main", 1000), (3, "main", 1000)]


def unanswered(rig: Rig) -> list[str]:
    return [
        one.text for one in rig.events_of(AlertRaised) if one.kind is AlertKind.ROUND_UNENDED and "answered" in one.text
    ]


@pytest.mark.parametrize("make", [unkeyed, newcomer])
def test_a_question_that_nobody_answers_for_a_minute_raises_an_alert_whatever_happens_meanwhile(
    make: Callable[[], Rig],
) -> None:
    rig = make()
    for _ in range(6):
        rig.pass_ms(9_000)
        rig.talk("1 main 20 \n 1 main 10")
    rig.pass_ms(MINUTE_MS // 4)
    assert len(unanswered(rig)) == 1
    rig.pass_ms(5 * MINUTE_MS)
    assert len(unanswered(rig)) == 1
    assert len(asked(rig)) == 1


def test_an_answer_in_time_raises_none() -> None:
    rig = unkeyed()
    rig.pass_ms(MINUTE_MS // 2)
    rig.key("yes")
    rig.pass_ms(MINUTE_MS // 2)
    assert unanswered(rig) == []


def test_a_deal_that_stops_for_a_minute_is_asked_about_and_alerted() -> None:
    rig = table("hollywood-perryville")
    rig.talk("1 main 10 \n 3 main 10 \n Td")
    rig.pass_ms(MINUTE_MS + 5_000)
    assert asked(rig) == ["Is round 1 over?"]
    assert alerted(rig) == [AlertKind.ROUND_UNENDED]
    rig.key("yes")
    assert rig.events_of(RoundClosed)[-1] == RoundClosed(1, (), 0, "irregular")
    assert left_open(rig, 1) == [(1, "main", 1000), (3, "main", 1000)]


def test_bets_that_are_locked_and_not_dealt_to_yet_are_not_hurried() -> None:
    rig = table("hollywood-perryville")
    rig.talk("1 main 10 \n key no_more_bets")
    rig.pass_ms(3 * MINUTE_MS)
    assert rig.events_of(QuestionAsked) == []


# --- a house that always presses "stand", and does not -------------------------------------------------------


def keyless(rounds: int) -> Rig:
    """Nobody presses any key: 19 is paid and picked up, 17 pushes and is taken up, again and again."""
    rig = table("hollywood-perryville", stand_key="always")
    for _ in range(rounds):
        rig.talk("1 main 10 \n 3 main 10")
        deal(rig, "Td 9c 7s 9h 8c Tc")
        rig.pass_ms(5_000)
        rig.talk("1 main 20 \n 1 main 0 \n 3 main 0")
    return rig


def test_paying_accuses_nobody_from_the_second_round_on_in_which_no_key_is_pressed_that_always_should_be() -> None:
    rig = keyless(5)
    severities = {one.severity for one in rig.events_of(AlertRaised) if one.round != 1}
    assert Severity.CRITICAL not in severities


def test_after_two_rounds_without_any_key_a_missing_one_says_nothing() -> None:
    rig = keyless(6)
    assert rig.postings()[:4] == [
        "3: spot 1 main +10.00",
        "3: spot 3 main +0.00",
        "4: spot 1 main +10.00",
        "4: spot 3 main +0.00",
    ]
    assert [cards_of(rig, number) for number in range(1, 6)] == [6] * 5
    assert all(left_open(rig, number) for number in (1, 2))


def test_a_key_that_comes_again_is_expected_again() -> None:
    rig = keyless(3)
    rig.pass_ms(6_000)
    rig.talk("1 main 10 \n key no_more_bets")
    deal(rig, "Th 9c 5d 8s")
    rig.talk("1 main 3")
    found = [one.severity for one in rig.events_of(AlertRaised) if one.spot == 1]
    assert found[-1:] == [Severity.CRITICAL]
