"""A bettor who lays his chips in the middle of the deal, and cards of the deal that went to no box."""

from __future__ import annotations

from typing import Any

import pytest

from controller.core.game.wager import Basis
from controller.core.messages.alerts import AnswerRefused
from controller.core.messages.events import BettingClosed, CardOpened, QuestionWithdrawn, RoundClosed, WagerSettled
from controller.core.messages.floor_events import BoxDeclared
from controller.core.messages.inputs import DeclareBox
from controller.core.messages.raised_alerts import AlertKind, AlertRaised, Severity
from controller.io.files import profile_files
from tests.core.rig import Rig
from tests.core.test_lingering import MINUTE_MS, alerted, asked
from tests.core.test_unanswered import left_open, reasons, unanswered

BURNED = "Are the cards of this deal other ones than counted: one was burned, or drawn before it?"
LATE = "Spot 5 bet late: dealt in?"


def table(**options: Any) -> Rig:
    return Rig(profile_files.load("hollywood-perryville", {"turn_key": "sometimes", **options}).rules)


def settled(rig: Rig) -> list[tuple[int, int, int, Basis]]:
    return [(one.round, one.spot, one.net_cents, one.basis) for one in rig.events_of(WagerSettled)]


# --- a late bettor ----------------------------------------------------------------------------------------


def late(**options: Any) -> Rig:
    """Spot 5 lays 25 between the first card and the second, and is dealt in: 19, 17 and 20 against 17."""
    rig = table(**options)
    rig.talk("1 main 10 \n 3 main 10 \n Td \n 5 main 25 \n 9c Th 7s 9h 8c Ts Tc")
    rig.pass_ms(6_000)
    return rig


def paid(rig: Rig) -> None:
    rig.chips(5, "main", 5000)
    rig.chips(1, "main", 2000)
    for spot in (1, 3, 5):
        rig.chips(spot, "main", 0)


def test_a_late_bettor_who_may_have_been_dealt_in_is_asked_about_and_nothing_is_settled() -> None:
    rig = late()
    assert asked(rig) == [LATE]
    assert rig.desired.display == LATE
    paid(rig)
    rig.pass_ms(5_000)
    rig.talk("1 main 10 \n key no_more_bets \n Th 9c 9d 8s")
    assert settled(rig) == []
    assert reasons(rig)[:1] == ["nobody said whether spot 5 was dealt in"]
    assert left_open(rig, 1) == [(1, "main", 1000), (3, "main", 1000), (5, "main", 2500)]
    assert len(rig.events_of(QuestionWithdrawn)) == 1


def test_who_was_dealt_in_late_is_settled_on_that_word() -> None:
    rig = late()
    rig.key("yes")
    assert [(one.spot, one.cents) for one in rig.events_of(BoxDeclared)] == [(5, 2500)]
    rig.key("hole_turned")
    paid(rig)
    rig.key("round_closed")
    found = {(spot, net) for _, spot, net, basis in settled(rig) if basis is not Basis.EVIDENCE}
    assert found == {(1, 1000), (3, 0), (5, 2500)}
    assert len(rig.events_of(BettingClosed)) == 1


def test_who_was_not_dealt_in_has_no_wager() -> None:
    """Spot 1 drew the seventh card at once, and broke with the eighth; spot 3 stands on 17 against 17."""
    rig = table()
    rig.talk("1 main 10 \n 3 main 10 \n Td \n 5 main 25 \n 9c 7s 4h 8c Tc 3d")
    rig.pass_ms(2_000)
    rig.talk("Tc")
    rig.pass_ms(6_000)
    assert asked(rig) == [LATE]
    rig.key("no")
    rig.talk("1 main 0 \n key hole_turned round_closed")
    assert {(spot, net) for _, spot, net, _ in settled(rig)} == {(1, -1000), (3, 0)}
    assert left_open(rig, 1) == []


def test_two_late_bettors_are_asked_about_one_after_the_other() -> None:
    rig = table()
    rig.talk("1 main 10 \n Td \n 2 main 25 \n 5 main 15 \n 9c Th 7s 9h 8c Ts Tc")
    rig.pass_ms(6_000)
    assert asked(rig) == ["Spot 2 bet late: dealt in?"]
    rig.key("yes")
    assert asked(rig) == ["Spot 2 bet late: dealt in?", LATE]
    rig.answer("perhaps")
    assert asked(rig)[2:] == []
    rig.answer("yes")
    rig.talk("key hole_turned round_closed")
    assert {(spot, net) for _, spot, net, _ in settled(rig)} == {(1, 1000), (2, 0), (5, 1500)}


# --- declared by the floor --------------------------------------------------------------------------------


def declare(rig: Rig, spot: int, cents: int) -> None:
    rig.give(DeclareBox(rig.now_ns, spot, cents, "M. Okafor", "dealt in late"))


def test_a_box_that_the_floor_declares_answers_whether_its_late_bettor_was_dealt_in() -> None:
    """The floor says that 20 count of the 25 that lie there."""
    rig = late()
    declare(rig, 5, 2000)
    assert rig.desired.display != LATE
    assert len(rig.events_of(QuestionWithdrawn)) == 1
    rig.answer("no")
    assert len(rig.events_of(AnswerRefused)) == 1
    rig.key("hole_turned")
    paid(rig)
    rig.key("round_closed")
    assert {(spot, net) for _, spot, net, _ in settled(rig)} == {(1, 1000), (3, 0), (5, 2000)}
    assert left_open(rig, 1) == []
    assert len(rig.events_of(BettingClosed)) == 1


def test_what_such_a_bettor_laid_is_not_open_beside_the_box() -> None:
    rig = table()
    rig.talk("1 main 10 \n 3 main 10 \n Td \n 5 main 25 \n 9c Th")
    declare(rig, 5, 2000)
    rig.talk("7s 9h 8c Ts Tc")
    rig.pass_ms(6_000)
    rig.talk("1 main 0 \n 3 main 0 \n 5 main 0 \n 1 main 10 \n key no_more_bets \n Th 9c 9d 8s")
    rig.pass_ms(6_000)
    assert left_open(rig, 1) == [(1, "main", 1000), (3, "main", 1000), (5, "main", 2000)]


@pytest.mark.parametrize("declared", [2, 5])
def test_of_two_late_bettors_the_other_is_still_asked_about(declared: int) -> None:
    rig = table()
    rig.talk("1 main 10 \n Td \n 2 main 25 \n 5 main 15 \n 9c Th 7s 9h 8c Ts Tc")
    rig.pass_ms(6_000)
    declare(rig, declared, 2500 if declared == 2 else 1500)
    assert rig.desired.display == f"Spot {7 - declared} bet late: dealt in?"
    rig.key("yes")
    assert len(asked(rig)) == (2 if declared == 2 else 1)
    rig.talk("key hole_turned round_closed")
    assert {(spot, net) for _, spot, net, _ in settled(rig)} == {(1, 1000), (2, 0), (5, 1500)}


def test_a_box_that_is_declared_at_another_spot_answers_nothing() -> None:
    rig = late()
    declare(rig, 2, 1000)
    assert rig.desired.display == LATE
    assert not rig.events_of(QuestionWithdrawn)


def test_his_side_wagers_count_as_they_lay_when_the_floor_declared_his_box() -> None:
    """The one that he had laid before the lock without a main wager, he raised in the deal."""
    rig = table()
    rig.talk(
        "1 main 10 \n 3 main 10 \n 5 lucky_ladies 5 \n Td \n 5 main 25 \n 5 lucky_ladies 10 \n 9c Th 7s 9h 8c Ts Tc"
    )
    rig.pass_ms(6_000)
    assert asked(rig) == [LATE]
    declare(rig, 5, 2500)
    (box,) = rig.events_of(BoxDeclared)
    assert [(one.bet, one.cents) for one in box.beside] == [("lucky_ladies", 1000)]


def test_in_a_journal_of_before_it_was_asked_further() -> None:
    rig = late()
    rig.change_house(declarations_answer=False)
    declare(rig, 5, 2500)
    assert not rig.events_of(QuestionWithdrawn)
    rig.key("yes")
    assert len(rig.events_of(BettingClosed)) == 2


def test_a_deal_that_stops_at_its_last_card_has_dealt_in_nobody_else() -> None:
    rig = table()
    rig.talk("1 main 10 \n 3 main 10 \n Td \n 5 main 25 \n 9c 7s 9h 8c Tc")
    rig.pass_ms(6_000)
    rig.talk("key hole_turned round_closed")
    assert asked(rig) == []
    assert {(spot, net, basis) for _, spot, net, basis in settled(rig)} == {
        (1, 1000, Basis.EVIDENCE),
        (3, 0, Basis.EVIDENCE),
    }
    assert left_open(rig, 1) == []


@pytest.mark.parametrize("then", ["key hit", "1 main 20"])
def test_a_key_or_a_double_says_that_the_next_card_is_of_no_deal(then: str) -> None:
    rig = table()
    rig.talk(f"1 main 10 \n 3 main 10 \n 5d \n 5 main 25 \n 9c 7s 5h 8c Tc \n {then} \n 9d")
    assert asked(rig) == []


def test_late_chips_that_were_handed_back_in_the_deal_are_nothing() -> None:
    rig = table()
    rig.talk("1 main 10 \n 3 main 10 \n Td \n 5 main 25 \n 5 main 0 \n 9c 7s 4h 8c Tc 3d")
    rig.pass_ms(6_000)
    assert asked(rig) == []


def test_a_late_side_wager_without_a_main_wager_is_none() -> None:
    rig = table()
    rig.talk("1 main 10 \n 3 main 10 \n Td \n 5 lucky_ladies 5 \n 9c 7s 4h 8c Tc 3d")
    rig.pass_ms(6_000)
    assert asked(rig) == []


def test_paying_a_late_bettor_accuses_nobody() -> None:
    rig = late()
    published = len(rig.events)
    paid(rig)
    severities = {one.severity for one in rig.events[published:] if isinstance(one, AlertRaised)}
    assert Severity.CRITICAL not in severities
    assert unanswered(rig) == []
    rig.pass_ms(MINUTE_MS + 1_000)
    assert len(unanswered(rig)) == 1


# --- cards to no box --------------------------------------------------------------------------------------


def burned(**options: Any) -> Rig:
    """The second card went to an empty box and was burned there; the dealer waited for the floor, and dealt on."""
    rig = table(**options)
    rig.talk("1 main 10 \n 3 main 10 \n Td 5c")
    rig.pass_ms(6_000)
    rig.talk("9c 7s 9h 8c Tc")
    rig.pass_ms(6_000)
    return rig


def test_a_deal_that_stopped_and_went_on_beyond_its_last_card_is_asked_about() -> None:
    rig = burned()
    assert asked(rig) == [BURNED]
    assert rig.desired.display == "Card burned in deal? yes/no"
    rig.talk("1 main 20 \n 1 main 0 \n 3 main 0 \n key round_closed \n 1 main 10 \n Th 9c 9d 8s")
    assert settled(rig) == []
    assert reasons(rig)[:1] == ["nobody said whether the cards of its deal are those counted"]
    assert left_open(rig, 1) == [(1, "main", 1000), (3, "main", 1000)]


def test_said_to_be_other_cards_than_counted_the_round_goes_to_the_floor() -> None:
    rig = burned()
    rig.key("yes")
    assert reasons(rig) == ["the cards of its deal are other ones than counted"]


def test_said_to_be_the_cards_counted_the_round_goes_on_and_is_not_asked_about_again() -> None:
    rig = table()
    rig.talk("1 main 10 \n 3 main 10 \n Td 9c")
    rig.pass_ms(6_000)
    rig.talk("7s 4h 8c Tc 7d")
    rig.pass_ms(6_000)
    assert asked(rig) == [BURNED]
    rig.talk("key no")
    rig.pass_ms(6_000)
    rig.talk("key hole_turned round_closed")
    assert asked(rig).count(BURNED) == 1
    assert reasons(rig) == []
    rig.answer("3")
    assert {(spot, net) for _, spot, net, _ in settled(rig)} == {(1, 1000), (3, 0)}


def test_a_deal_that_stopped_and_has_its_cards_is_not_asked_about() -> None:
    rig = table()
    rig.talk("1 main 10 \n 3 main 10 \n Td 9c")
    rig.pass_ms(6_000)
    rig.talk("7s 9h 8c Tc")
    rig.pass_ms(6_000)
    rig.talk("key hole_turned round_closed")
    assert asked(rig) == []
    assert {(spot, net) for _, spot, net, _ in settled(rig)} == {(1, 1000), (3, 0)}


# --- bets locked when a deal had just begun ----------------------------------------------------------------


def relocked() -> Rig:
    """A push's chips lie at spot 3, a card is burned and nobody says so; the others bet, and the bets are locked."""
    rig = table()
    rig.talk("3 main 40 \n 5h")
    rig.pass_ms(6_000)
    rig.talk("1 main 15 \n 5 main 25 \n key no_more_bets")
    return rig


def test_bets_locked_when_a_deal_had_just_begun_are_those_of_a_round_of_its_own() -> None:
    rig = relocked()
    assert reasons(rig) == ["the next bets were locked when its deal had just begun"]
    assert sorted(left_open(rig, 1)) == [(1, "main", 1500), (3, "main", 4000), (5, "main", 2500)]
    assert rig.events_of(RoundClosed) == [RoundClosed(1, (), 0, "irregular")]
    assert rig.events_of(CardOpened) == []
    rig.talk("Th 9c Kd 7h 9h 9d 8d Tc")
    assert asked(rig) == [BURNED]
    assert AlertKind.ROUND_IRREGULAR in alerted(rig)
    rig.key("no")
    rig.talk("key hole_turned round_closed")
    assert {(number, spot, net) for number, spot, net, _ in settled(rig)} == {(2, 1, 1500), (2, 3, 4000), (2, 5, 2500)}


def test_nobody_answers_and_every_wager_of_that_deal_is_open() -> None:
    rig = relocked()
    rig.talk("Th 9c Kd 7h 9h 9d 8d Tc \n key stand stand stand hole_turned round_closed no_more_bets \n Th")
    assert settled(rig) == []
    assert sorted(left_open(rig, 2)) == [(1, "main", 1500), (3, "main", 4000), (5, "main", 2500)]


def test_the_key_right_after_a_card_is_a_slip_of_the_finger() -> None:
    rig = table()
    rig.talk("3 main 40 \n 5h \n 1 main 15 \n key no_more_bets")
    assert rig.outcomes() == []


def test_a_round_that_is_irregular_already_says_so_once_when_it_breaks_off() -> None:
    rig = table()
    rig.talk("3 main 40 \n 5h \n key 5 hit")
    rig.pass_ms(6_000)
    rig.talk("1 main 15 \n key no_more_bets")
    assert reasons(rig) == ["a key names spot 5, which has no wager"]
    assert left_open(rig, 1) == [(3, "main", 4000), (1, "main", 1500)]


# --- wagers made after the deal in a round that turns out irregular -----------------------------------------


def test_insurance_of_a_round_that_no_play_explains_is_named_with_its_open_wagers() -> None:
    rig = table()
    rig.talk("1 main 10 \n key no_more_bets \n Th Ac 9d Ts")
    rig.late = True
    rig.talk("1 insurance 5 \n key 5 hit")
    rig.late = False
    rig.pass_ms(1_000)
    rig.talk("key round_closed round_closed")
    assert rig.outcomes() == ["irregular"]
    assert left_open(rig, 1) == [(1, "main", 1000), (1, "insurance", 500)]
