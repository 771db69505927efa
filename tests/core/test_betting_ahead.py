"""A wager is gone and others still play: the player bets again at once, and nobody takes these chips for payment.

Nor for the old wager, where one look shows other chips than the look before.
"""

from __future__ import annotations

import pytest

from controller.core.messages.advice import PaymentAdvised
from controller.core.messages.events import HoleCardRevealed, WagerUnresolved
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.io.files import profile_files
from tests.core.human import HumanRig

HOUSES = ("hollywood-penn-national", "hollywood-perryville", "borgata", "classic-shoe-and-pitch")
ACCUSING = {
    *(AlertKind.CAPPING, AlertKind.PINCHING, AlertKind.PAST_POSTING, AlertKind.BET_TOUCHED),
    *(AlertKind.MISPAY, AlertKind.LOSING_BET_LEFT, AlertKind.WINNING_BET_TAKEN),
}

NEXT_DEAL = "wait 8 / deal Th 9c 8c 9d 8d Td / wait 8"


def silent(house: str, *, cycle_ms: int = 350, seed: int = 1, turn_key: str = "sometimes") -> HumanRig:
    """A table at which nobody presses a key."""
    rules = profile_files.load(house, {"turn_key": turn_key, "new_shoe_burns": 0}).rules
    return HumanRig(rules, {}, seed=seed, cycle_ms=cycle_ms)


def dues(rig: HumanRig, spot: int) -> set[int]:
    """What the first round's main wager may be due: as it was settled, or what it is open between; empty: not said."""
    posted = {p for p in rig.postings() if p.startswith(f"1: spot {spot} main ")}
    settled = {round(100 * float(posting.split()[-1])) for posting in posted}
    left = [e for e in rig.events if isinstance(e, WagerUnresolved) and (e.round, e.spot, e.bet) == (1, spot, "main")]
    return settled | {net for event in left for net in event.possible_cents}


def advised(rig: HumanRig) -> list[tuple[int, str]]:
    """What the dealer is to take and pay in the first round, by spot."""
    advice = (event for event in rig.events if isinstance(event, PaymentAdvised) and event.round == 1)
    return [(line.spot, str(line.move)) for event in advice for line in event.lines]


def accused(rig: HumanRig) -> list[AlertRaised]:
    return [event for event in rig.events if isinstance(event, AlertRaised) and event.kind in ACCUSING]


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("bets", ["2 main 5", "2 main 5 / wait 0.9 / 2 main 15", "2 main 20 / wait 0.9 / 2 main 5"])
def test_a_broken_box_bets_again_before_the_dealer_draws(house: str, bets: str) -> None:
    """Nineteen beats seventeen; sixteen broke, was taken, and has laid the next bet."""
    rig = silent(house)
    rig.play("1 main 10 / 2 main 10 / wait 6 / deal Th 6s 8c 9d Td 5d / wait 3 / Kh / 2 main 0 / wait 1.3")
    rig.play(f"{bets} / wait 1.5 / 4s / wait 1 / 1 main 20 / wait 0.3 / 1 main 10 / {NEXT_DEAL}")
    assert dues(rig, 1) <= {1_000}
    assert dues(rig, 2) <= {-1_000}
    assert rig.postings()[:2] == ["1: spot 1 main +10.00", "1: spot 2 main -10.00"]
    assert advised(rig) == [(1, "pay")]
    assert accused(rig) == []


@pytest.mark.parametrize("house", HOUSES)
@pytest.mark.parametrize("wait", ["0.3", "0.9"])
def test_one_that_bets_as_quickly_as_a_wager_is_exchanged_leaves_nothing_wrong(house: str, wait: str) -> None:
    rig = silent(house)
    rig.play(f"1 main 10 / 2 main 10 / wait 6 / deal Th 6s 8c 9d Td 5d / wait 3 / Kh / 2 main 0 / wait {wait}")
    rig.play(f"2 main 5 / wait 1.5 / 4s / wait 1 / 1 main 20 / wait 0.3 / 1 main 10 / {NEXT_DEAL}")
    assert 1_000 in dues(rig, 1)
    assert -1_000 in dues(rig, 2)
    assert accused(rig) == []


@pytest.mark.parametrize("house", HOUSES)
def test_its_chips_turn_no_hole_card_while_another_player_still_plays(house: str) -> None:
    rig = silent(house)
    rig.play("1 main 10 / 4 main 5 / wait 6 / deal 9h 4s Tc 7h 7c 9h / wait 3 / Kd / 1 main 0 / wait 1")
    rig.play("1 main 20 / wait 1 / 2d / wait 3")
    assert rig.events_of(HoleCardRevealed) == []


@pytest.mark.parametrize("house", HOUSES)
def test_so_does_a_box_that_surrendered_or_had_doubled(house: str) -> None:
    rig = silent(house)
    rig.play("1 main 10 / 2 main 10 / wait 6 / deal 6h 9s 8c 5d Td 5d / wait 3 / 1 main 20 / wait 1 / 9h / wait 2 / 8h")
    rig.play("wait 1 / 2 main 0 / wait 0.9 / 2 main 25 / wait 1.5 / 4s / wait 1 / 1 main 40 / wait 0.9 / 1 main 10")
    rig.play(NEXT_DEAL)
    assert dues(rig, 1) <= {2_000}
    assert dues(rig, 2) <= {-1_000}
    assert accused(rig) == []


@pytest.mark.parametrize("house", HOUSES)
def test_a_double_with_other_chips_for_all_of_them_is_one_also_where_a_look_spans_its_card(house: str) -> None:
    """Eleven doubled gets a seven; the dealer breaks."""
    rig = silent(house, cycle_ms=1_500, seed=3)
    rig.play("1 main 10 / wait 6 / deal 6h 6s 5c 9d / wait 2 / 1 main = 20 / 7d / wait 3 / Kc / wait 3")
    rig.play("1 main 40 / 1 main 10 / wait 8 / deal Th 9c 8c 9d / wait 8")
    assert rig.postings() == ["1: spot 1 main +20.00"]


@pytest.mark.parametrize("wait", [0.1, 2])
@pytest.mark.parametrize("then", [2, 7])
def test_other_chips_for_the_same_amount_end_no_round_whose_cards_lie_face_down(wait: float, then: int) -> None:
    """Twelve draws to nineteen against seventeen."""
    rig = silent("pitch-h17")
    rig.play(f"1 main 25 / wait 6 / deal 3c 7d 9c Jh / wait {wait} / 1 main = 25 / wait {then} / 2s / 5c / wait 5")
    rig.play("1 main 50 / wait 2 / 1 main 25 / wait 6 / deal Th 9c 8c 9d")
    assert dues(rig, 1) <= {2_500}
    assert accused(rig) == []


@pytest.mark.parametrize("house", HOUSES)
def test_a_loser_who_was_taken_and_bet_twice_as_much_between_two_looks_was_not_paid(house: str) -> None:
    """Twelve drew a three and lost to 21, or stood, and the dealer broke: chips of which none lay there say neither."""
    rig = silent(house)
    rig.play("1 main 10 / wait 6 / deal Td 9s 2c 4d / wait 3 / 3h / wait 2 / 8c / wait 3 / 1 main = 20 / wait 2")
    rig.play("key round_closed / wait 6 / deal Th 9c 8c 9d / wait 8")
    assert dues(rig, 1) == {-1_000, 1_000}
    assert accused(rig) == []


@pytest.mark.parametrize("house", HOUSES)
def test_its_next_bet_lying_since_the_last_card_keeps_no_round_from_ending(house: str) -> None:
    """Spot 1 broke and bets again before spot 2 draws to eighteen, which loses to nineteen; no card is the dealer's."""
    rig = silent(house)
    rig.play("1 main 10 / 2 main 10 / wait 6 / deal 6s 8c 9c Td 5d Td / wait 3 / Kh / 1 main 0 / wait 1.5 / 1 main 5")
    rig.play(f"wait 1.5 / 5h / wait 3 / 2 main 0 / wait 1 / 2 main 25 / {NEXT_DEAL}")
    assert rig.postings()[:2] == ["1: spot 1 main -10.00", "1: spot 2 main -10.00"]
    assert rig.events_of(AlertRaised) == []


def test_fewer_chips_in_place_of_all_are_no_wager_that_was_changed() -> None:
    """Eighteen loses to nineteen in a house of hidden hands: it was taken, and a lower bet laid."""
    rig = silent("pitch-h17")
    rig.play("1 main 25 / wait 6 / deal Th 9d 8c Td / wait 6 / 1 main = 10 / wait 7 / deal Th 9c 8c 9d / wait 8")
    assert rig.postings() == ["1: spot 1 main -25.00"]
    assert rig.outcomes() == ["settled"]
