"""Moves of chips that one play explains and that may have been something else: the other reading is kept beside it."""

from __future__ import annotations

import pytest

from controller.core.messages.events import QuestionAsked
from controller.core.messages.raised_alerts import AlertKind
from tests.core.human import HumanRig, keyless
from tests.core.quick_readers import accused, alerts

WITHDRAWN_AT_ITS_TURN = (
    "2 main 50 / 1 main 20 / 5 main 20 / 6 main 40 / wait 4.2 / deal Ah 7h Ts 5s 3s 7h 3h 9h 2d 8s / 2 main 100"
    " / wait 3.3 / Ah / wait 0.5 / 5 main 40 / 5 main 20 / wait 1.3 / Ad / wait 5.1 / Ad / wait 0.2 / 5c / wait 3.4"
    " / 6 main 80 / 6 main 40 / 5 main 40 / 2 main 200 / 1 main 40 / 2 main 0 / 5 main 0 / 5 main 50 / 2 main 20"
    " / 1 main 50 / wait 7.4 / deal 9h Qh 3s Qs Td 7h Ks 9d Ad Ad / wait 9"
)
"""Ten is doubled while another hand may still be played, nineteen almost so; seven draws an ace and beats seventeen."""

PASSED = (
    "6 main 10 / 4 main 10 / 5 main 20 / 1 main 50 / 3 main 10 / wait 8"
    " / deal 7c Qc Ks 5c Th 5h 5s Ts 9h 2c 7s Ah / 6 main = 10 / wait 3.6 / 4s / 6 main 30 / wait 0.5 / 6 main 10"
    " / wait 0.4 / Td / wait 2 / 6 main = 10 / wait 4.3 / 9d / wait 1.4 / 5d / wait 2.7 / 6 main 0 / wait 1"
    " / 5 main 40 / wait 1 / 5 main 20 / 4 main 0 / wait 1.3 / 1 main 0 / wait 8"
    " / deal 4c 9c 4d As Ah 7s 4c 7h 6s 7d 7d Ac / wait 9"
)
"""Twenty passes over the ten of seventeen, which loses to the dealer's twenty."""

LAID_AS_CARD_CAME = (
    "1 main 10 / 3 main 40 / 4 main 100 / 6 main 100 / wait 6 / deal 3c 2h As 9c Tc 4s 9s 7d 5c 2h / wait 4 / Js"
    " / wait 2 / 3 main 60 / wait 0.5 / 3 main 80 / wait 1.5 / 7s / wait 1 / 6 main 0 / wait 1.5 / 6 main 100"
    " / wait 0.5 / 6s / wait 2 / 6s / wait 6 / 6 main 200 / wait 1 / 1 main 0 / wait 1 / 3 main 0 / wait 1"
    " / 4 main 0 / wait 1 / 6 main 0 / wait 8"
)
"""Eleven is doubled in two movements; fourteen changes its chips just before it hits."""


def played(profile: str, text: str, cycle_ms: int = 350, *, is_kept: bool = True) -> HumanRig:
    """A table without keys; not ``is_kept``: by a journal of before."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(second_readings_kept=is_kept, movements_joined=is_kept)
    rig.play(text)
    return rig


def by_moves_apart(profile: str, text: str, cycle_ms: int = 350) -> HumanRig:
    """The same by a journal of before, which took each of several movements for a move of its own."""
    rig = keyless(profile, cycle_ms)
    rig.change_house(movements_joined=False)
    rig.play(text)
    return rig


def test_a_raise_that_is_taken_back_may_have_been_laid_at_its_turn_or_before() -> None:
    assert played("borgata", WITHDRAWN_AT_ITS_TURN).postings() == ["1: spot 2 main +100.00", "1: spot 5 main +20.00"]


def test_by_a_journal_of_before_it_was_laid_before_its_turn() -> None:
    assert "1: spot 6 main -40.00" in played("borgata", WITHDRAWN_AT_ITS_TURN, is_kept=False).postings()


def test_more_than_a_double_that_passes_over_a_wager_does_not_say_that_it_was_given_up() -> None:
    assert played("hollywood-penn-national", PASSED).postings() == []


def test_nor_over_that_of_a_hand_that_may_be_doubled() -> None:
    over_ten = PASSED.replace("Th 5h 5s Ts 9h 2c 7s", "6h 5h 5s Ts 9h 2c 4s")
    assert played("hollywood-penn-national", over_ten).postings() == []
    assert played("hollywood-penn-national", over_ten, is_kept=False).postings() == ["1: spot 6 main -5.00"]


def test_by_a_journal_of_before_it_was_the_next_bet_of_a_wager_given_up() -> None:
    assert "1: spot 6 main -5.00" in played("hollywood-penn-national", PASSED, is_kept=False).postings()


@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_a_wager_laid_back_as_a_card_comes_does_not_end_the_round(cycle_ms: int) -> None:
    rig = played("borgata", LAID_AS_CARD_CAME, cycle_ms)
    assert (accused(rig), rig.irregularities()) == ([], [])


def test_by_a_journal_of_before_the_card_was_the_next_deals_first() -> None:
    rig = played("borgata", LAID_AS_CARD_CAME, is_kept=False)
    assert rig.irregularities() == ["the round was closed before it could end"]


CHANGED = (
    "3 main 60 / 1 main 100 / wait 5 / deal 6s 6d 5c Kc Kc 9h / wait {quiet} / 3 main 0 / wait {away} / 3 main 60"
    " / wait 5"
)


@pytest.mark.parametrize("away_s", [1, 1.5, 2])
@pytest.mark.parametrize("quiet_s", [0, 1.5])
@pytest.mark.parametrize("cycle_ms", [350, 700])
@pytest.mark.parametrize("profile", ["borgata", "classic-shoe-and-pitch", "hollywood-perryville"])
def test_who_changes_a_wager_that_no_play_lets_leave_is_not_accused(
    profile: str, cycle_ms: int, quiet_s: float, away_s: float
) -> None:
    rig = played(profile, CHANGED.format(quiet=quiet_s, away=away_s), cycle_ms)
    assert alerts(rig, *AlertKind) == []


def test_who_takes_it_away_for_longer_is_accused() -> None:
    rig = played("borgata", CHANGED.format(quiet=0, away=4))
    assert accused(rig) == [AlertKind.PINCHING, AlertKind.BET_TOUCHED]


def test_by_a_journal_of_before_who_changed_it_slowly_was_accused() -> None:
    rig = played("borgata", CHANGED.format(quiet=0, away=1.5), is_kept=False)
    assert accused(rig) == [AlertKind.PINCHING]


RAISED_ONCE_CHANGED = (
    "4 main 50 / 2 main 40 / 6 main 40 / wait 7 / deal Jc 6s 4h 6c 6c As 7c 5c / wait 5 / 6 main 0 / wait 1.9"
    " / 6 main 40 / 6s / wait 1.2 / 6 main 60 / wait 0.8 / 8c / wait 6 / Jd / wait 3 / 6 main 0 / wait 2 / 4 main 0"
    " / wait 0.5 / 2 main 0 / wait 6 / 4 main 20 / wait 6 / deal Qd Ts Js 7d / wait 6"
)
"""Eleven changes its chips and is doubled for less, all within one card: it loses sixty to the dealer's 21."""

PASSED_ONCE_CHANGED = (
    "1 main 10 / wait 0.5 / 6 main 20 / wait 1.3 / 3 main 50 / wait 0.3 / 5 main 100 / wait 4.6"
    " / deal 8h Jh 8h Td 9d Qh 9s 5h 4h 7s / 3 main 0 / wait 2.1 / 3 main 50 / wait 1.9 / 3 main 100 / wait 2"
    " / 3 main 50 / wait 1 / Ad / wait 1.3 / 2h / wait 0.8 / As / wait 2.6 / 5d / wait 9 / 8s / wait 2 / 6 main 40"
    " / wait 1.4 / 6 main 20 / 5 main 200 / wait 1.3 / 3 main 100 / wait 0.3 / 1 main 20 / wait 8"
)
"""Nineteen changes its chips, and fifty pass over them: it beats the dealer, who breaks."""

SURRENDERS = "hollywood-penn-national"


@pytest.mark.parametrize(
    ("text", "cycle_ms", "guessed"),
    [
        (RAISED_ONCE_CHANGED, 350, "1: spot 6 main -20.00"),
        (RAISED_ONCE_CHANGED, 700, "1: spot 6 main -20.00"),
        (PASSED_ONCE_CHANGED, 700, "1: spot 3 main -25.00"),
    ],
)
def test_a_wager_that_was_changed_is_not_given_up_for_what_came_beside_it(
    text: str, cycle_ms: int, guessed: str
) -> None:
    assert guessed not in played(SURRENDERS, text, cycle_ms).postings()
    assert guessed in played(SURRENDERS, text, cycle_ms, is_kept=False).postings()


CHANGED_AS_ANOTHER_BROKE = (
    "1 main 20 / 2 main 50 / wait 6 / deal Ts 6c 2d 6s 8s 5h / wait 4 / Qs / wait 1.4 / 2 main 0 / wait 1.5 / 2 main 50"
    " / wait 1.4 / 1 main 0 / wait 9.5 / 9s / wait 0.9 / Ks / wait 3.2 / 2 main 100 / wait 0.9 / 2 main 0 / wait 6"
    " / 1 main 20 / wait 7 / deal Jh 4c Ah 9c / wait 8"
)
"""Of two hands in a pitch game one breaks and is taken, the other changes its chips; the dealer draws, and breaks."""


def test_a_wager_changed_beside_one_that_was_taken_is_no_next_bet_until_a_deal_comes() -> None:
    rig = played("pitch-h17", CHANGED_AS_ANOTHER_BROKE)
    assert rig.postings() == ["1: spot 1 main -20.00", "1: spot 2 main +50.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_the_dealers_card_began_a_round() -> None:
    rig = played("pitch-h17", CHANGED_AS_ANOTHER_BROKE, is_kept=False)
    assert rig.postings() == ["1: spot 1 main -20.00", "1: spot 2 main -50.00"]
    assert accused(rig) == [AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING]


PASSED_BESIDE_NATURAL = (
    "4 main 20 / 5 main 20 / 6 main 100 / 1 main 20 / wait 6 / deal Ts 8s Ad 5h Td 8c 9d Tc Kd 2s / wait 3.2"
    " / 5 main 40 / wait 0.3 / 5 main 20 / wait 3.8 / 3s / wait 4.7 / 9d / wait 2 / 6 main 0 / wait 1.3 / 5 main 50"
    " / wait 1.3 / 4 main 0 / wait 1.4 / 1 main 0 / wait 2.3 / 5 main 0 / wait 6 / 6 main 20 / wait 6"
    " / deal 8c Qs Kc 6d / wait 8"
)
"""Twenty pass over a natural, which is paid thirty; fifteen hits, and the dealer's 21 beats the others."""


def test_what_a_natural_is_not_paid_does_not_say_that_payment_has_begun() -> None:
    assert played("pitch-h17", PASSED_BESIDE_NATURAL).postings() == ["1: spot 5 main +30.00"]


def test_what_it_is_paid_says_that_all_others_have_stood() -> None:
    paid = PASSED_BESIDE_NATURAL.replace("/ 5 main 40 / wait 0.3", "/ 5 main 50 / wait 0.3")
    assert "1: spot 6 main +100.00" in played("pitch-h17", paid).postings()


def test_by_a_journal_of_before_all_others_had_stood() -> None:
    assert "1: spot 6 main +100.00" in played("pitch-h17", PASSED_BESIDE_NATURAL, is_kept=False).postings()


CHANGED_BEFORE_HIT = (
    "1 main 100 / 4 main 100 / 2 main 40 / wait 5 / deal 5s 5c 4s 2c As 5h 6c 9c / wait 3.9 / 2 main 0 / wait 1.7"
    " / 2 main 40 / wait {pause} / Kh / wait 8"
)


@pytest.mark.parametrize("pause_s", [0, 0.4])
def test_who_changes_a_wager_just_before_a_hit_is_not_accused(pause_s: float) -> None:
    assert accused(played("classic-shoe-and-pitch", CHANGED_BEFORE_HIT.format(pause=pause_s))) == []


def test_by_a_journal_of_before_he_was() -> None:
    rig = played("classic-shoe-and-pitch", CHANGED_BEFORE_HIT.format(pause=0), is_kept=False)
    assert accused(rig) == [AlertKind.PINCHING]


PASSED_OVER_TWENTY = (
    "3 main 10 / wait 4 / deal Js 6h Th 5s / wait 2.8 / 3 main 20 / wait 1.2 / 3 main 10 / wait 4.3 / Th / wait 2.6"
    " / 3 main 0 / wait 1 / 3 main 20 / wait 8 / deal 8c Td Td 6s / wait 2.7 / Ks / wait 6.2 / 3 main 40 / wait 8"
)
"""Ten pass over the ten of twenty, which the dealer beats with 21: with a six up he had to draw. Then he breaks."""

PASSED_OVER_SEVENTEEN = (
    "3 main 10 / wait 4 / deal Td 7d 7s 5c / wait 2.6 / 3 main 20 / wait 0.7 / 3 main 10 / wait 4.1 / 9c / wait 3.5"
    " / 3 main 0 / wait 3 / 3 main 20 / wait 8 / deal 8c Td Td 6s / wait 2.7 / Ks / wait 6.2 / 3 main 40 / wait 8"
)
"""Ten pass over seventeen, which beats no dealer who has not broken."""

KNOWN = "3 main 10 / wait 6 / deal Th 9c Kd 8s / wait 5 / 3 main 20 / wait 1.5 / 3 main 0 / wait 2"
"""A round by which the dealer's rhythm is known."""


PASSED_OVER_NINETEEN = (
    "3 main 20 / wait 4 / deal 9h 9d Kd 5c / wait 1.6 / 3 main 40 / wait 2.5 / 3 main 20 / wait 4.9 / Qc / wait 5.9"
    " / 3 main 40 / wait 1 / 3 main 0 / wait 6 / 3 main 40 / wait 4 / deal 4s 6c 8h Ad / wait 8"
)
"""Twenty pass over the twenty of nineteen, as a payment would that is picked up; the dealer draws and breaks."""


@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_nor_does_a_card_alone_after_chips_that_may_have_been_a_payment(cycle_ms: int) -> None:
    rig = played("borgata", f"{KNOWN} / {PASSED_OVER_NINETEEN}", cycle_ms)
    assert (rig.irregularities(), accused(rig)) == ([], [])
    assert [one.text for one in rig.events_of(QuestionAsked)] == ["Spot 3: how many cards in hand 1?"]


@pytest.mark.parametrize("passed", [PASSED_OVER_TWENTY, PASSED_OVER_SEVENTEEN])
@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_the_card_after_chips_that_no_dealer_pays_then_begins_no_round(cycle_ms: int, passed: str) -> None:
    rig = played("borgata", f"{KNOWN} / {passed}", cycle_ms)
    assert (rig.irregularities(), accused(rig)) == ([], [])
    assert "2: spot 3 main -10.00" in rig.postings()


def test_by_a_journal_of_before_it_began_one_and_its_player_was_accused() -> None:
    rig = played("borgata", f"{KNOWN} / {PASSED_OVER_TWENTY}", is_kept=False)
    assert rig.irregularities() == ["the round was closed before it could end"]
    assert accused(rig) != []


PICKED_UP = f"{KNOWN} / 3 main 10 / wait 4 / deal Js 7h Th Ts / wait 4 / 3 main 20 / wait 1 / 3 main 10 / wait 7"
"""Twenty beats seventeen; its payment is picked up, and the wager lies for the next round."""


@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_a_deal_after_a_payment_that_was_picked_up_begins_one(cycle_ms: int) -> None:
    rig = played("borgata", f"{PICKED_UP} / deal 8c Td Td 6s / wait 6", cycle_ms)
    assert rig.postings() == ["1: spot 3 main +10.00", "2: spot 3 main +10.00"]
    assert rig.irregularities() == []


LAID_TWICE_ON_NINETEEN = (
    "1 main 50 / 6 main 40 / wait 8 / deal Ts Js 4c 7s 9h 7s / wait 2.1 / 6 main 60 / wait 0.5 / 6 main 40 / wait 1.4"
    " / 6 main 80 / wait 1.9 / 6 main 40 / wait 2 / Jc / wait 2.3 / 1 main 0 / wait 1.4 / 1 main 40 / 6 main 0 / wait 8"
)
"""A double is laid on nineteen and taken back, twice, before the dealer draws to 21."""


def test_what_was_laid_twice_on_a_made_hand_and_taken_back_was_never_laid() -> None:
    rig = played("hollywood-penn-national", LAID_TWICE_ON_NINETEEN)
    assert rig.postings() == ["1: spot 6 main -40.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_it_was_doubled_and_pinched() -> None:
    rig = played("hollywood-penn-national", LAID_TWICE_ON_NINETEEN, is_kept=False)
    assert "1: spot 6 main -80.00" in rig.postings()
    assert AlertKind.PINCHING in accused(rig)


LAID_BACK_WHILE_CARDS_WAIT = (
    "1 main 10 / wait 5 / Th / wait 0.7 / 9c / wait 0.7 / Kd / wait 0.7 / 8s / wait 4 / 1 main 20 / wait 1.5 / 1 main 0"
    " / wait 2 / 1 main 40 / 2 main 60 / 4 main 100 / wait 5 / 5c / wait 0.8 / 2c / wait 0.8 / Ah / wait 0.5 / Ah"
    " / wait 0.5 / Ac / wait 1 / 2d / wait 1 / 3h / wait 0.6 / 6c / wait 7 / 5h / wait 1 / 2 main 0 / wait 1.3"
    " / 2 main 60 / wait 2 / 4c / wait 31 / Qs / wait 2 / 9c / wait 1 / Tc / wait 4 / 1 main 80 / wait 1 / 2 main 90"
    " / wait 2 / 2 main 120 / wait 0.5 / 4 main 0"
)
"""Four changes its chips just before it hits, while the card before waits for what follows it."""


def test_a_wager_laid_back_before_a_card_while_others_wait_lies_there_when_it_comes() -> None:
    rig = played("borgata", LAID_BACK_WHILE_CARDS_WAIT)
    assert rig.postings()[1:] == []
    assert accused(rig) == []


def test_by_a_journal_of_before_that_card_began_a_round() -> None:
    rig = by_moves_apart("borgata", LAID_BACK_WHILE_CARDS_WAIT)
    assert "2: spot 2 main -60.00" in rig.postings()


PASSED_AS_CARD_CAME = (
    "2 main 20 / 3 main 20 / 5 main 50 / deal 9h As Qs 2s 4h Ad Kd 3d / 5 main = 50 / Kc / 5 main 70 / 5 main 50 / Tc"
    " / wait 1.2 / 2c / wait 2.2 / 5 main 0 / 3 main 0 / wait 8 / 2 main 10 / wait 6 / deal 4h 2h 7d Ad 8d As 9s 7s"
)
"""Twenty passes over the fifty of twenty, which the house lets nobody double, as thirteen hits and breaks."""


def test_chips_that_the_rules_let_double_no_hand_pass_over_it_whatever_card_comes() -> None:
    rig = played("pitch-h17", PASSED_AS_CARD_CAME)
    assert rig.postings() == ["1: spot 2 main -20.00", "1: spot 3 main -20.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_the_card_was_that_hand_s() -> None:
    rig = by_moves_apart("pitch-h17", PASSED_AS_CARD_CAME)
    assert "1: spot 5 main -50.00" in rig.postings()


LAID_BACK_UNTIL_THE_NEXT_CARD = (
    "5 main 80 / 3 main 40 / wait 6 / deal 5h 8s 9c / wait 4.9 / deal 7c 9d 5c / wait 2.9 / 4s / 5 main 0 / wait 1.2"
    " / Kc / 5 main = 80 / 3 main 0 / wait 4.5 / Jd"
)
"""Seventeen changes its chips while twelve hits twice and breaks; the dealer draws a jack to fourteen."""


def test_a_wager_laid_back_in_other_chips_is_no_next_bet_beside_one_that_is_taken() -> None:
    assert played("classic-shoe-and-pitch", LAID_BACK_UNTIL_THE_NEXT_CARD).postings() == []


def test_by_a_journal_of_before_it_was_and_the_jack_began_a_round() -> None:
    rig = by_moves_apart("classic-shoe-and-pitch", LAID_BACK_UNTIL_THE_NEXT_CARD)
    assert "1: spot 3 main +40.00" in rig.postings()


CHANGED_AND_DOUBLED_FOR_LESS = (
    "1 main 100 / wait 1.3 / 3 main 10 / wait 1 / 5 main 40 / wait 6 / deal 7d Jc Qs 7h 2c 2s 5s 9d / wait 3.1"
    " / 1 main 200 / wait 1.1 / 8c / wait 1.8 / 6c / wait 1.4 / 5 main 0 / wait 0.4 / 5 main 40 / wait 1.3 / 5 main 50"
    " / wait 1.3 / 5 main 60 / wait 1.6 / 5d / wait 6.8 / 6d / wait 2.4 / 5 main 120 / wait 0.7 / 3 main 20 / wait 1.5"
    " / 3 main 10 / wait 0.6 / 1 main 400 / wait 4.1 / 1 main 0 / wait 0.5 / 5 main 0 / wait 0.6 / 5 main 60 / wait 0.6"
    " / 1 main 20 / wait 2.3 / deal 5c 8c Ad 5d 3h Kh 9s 3h / wait 9"
)
"""Fifteen changes its chips and is doubled for half; the dealer breaks."""


@pytest.mark.parametrize("cycle_ms", [350, 700])
def test_a_wager_changed_and_doubled_for_less_in_one_look_is_no_next_bet(cycle_ms: int) -> None:
    rig = played("hollywood-perryville", CHANGED_AND_DOUBLED_FOR_LESS, cycle_ms)
    assert rig.postings() == ["1: spot 1 main +200.00", "1: spot 3 main +10.00", "1: spot 5 main +60.00"]
    assert accused(rig) == []


def test_by_a_journal_of_before_it_was_and_its_player_was_accused() -> None:
    rig = by_moves_apart("hollywood-perryville", CHANGED_AND_DOUBLED_FOR_LESS, 700)
    assert "1: spot 5 main +40.00" in rig.postings()
    assert accused(rig) != []
