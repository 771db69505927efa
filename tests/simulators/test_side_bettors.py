"""Simulated side wagers: what they come to, against the worked hands, and what a script with them must not do."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from controller.io.files import profile_files
from firmware_protocols.cards import Card
from simulators.people.acts import Act, Draw, Lay, Press, RoundPlayed
from simulators.people.dealer import play
from simulators.people.deck import LoadedShoe
from simulators.people.house import house_from
from simulators.people.progressive_bets import AWARDS_CENTS, UNITS, SevensMeter, row_of
from simulators.people.rack import Rack
from simulators.people.side_bettors import (
    SEVENS,
    STACKED,
    STAKES_CENTS,
    SideBetHabits,
    lucky_ladies_cents,
    three_cards_cents,
    with_side_bets,
)
from simulators.people.simulated_table import KEY_NO_MORE_BETS
from simulators.people.win_limit import limited

CASES = json.loads((Path(__file__).parents[1] / "cases" / "hand-cases.json").read_text(encoding="utf-8"))["cases"]
SCORED = [case for case in CASES if not case["contested"]]


def first_cards(case: dict[str, Any], spot: int) -> tuple[Card, Card, Card]:
    shoe = [Card(face) for face in case["shoe"]][case.get("burn", 0) :]
    spots = sorted(int(one) for one, bets in case["bets"].items() if "main" in bets)
    box = spots.index(spot)
    return shoe[box], shoe[box + len(spots) + 1], shoe[len(spots)]


def wagers_on(bet: str) -> list[Any]:
    found = []
    for case in SCORED:
        refused = case["expect"].get("rejected_bets", [])
        for spot, bets in case["bets"].items():
            if bet in bets and bet in case["expect"]["net_cents"].get(spot, {}) and not refused:
                found.append(pytest.param(case, int(spot), id=f"{case['id']} spot {spot}"))
    return found


@pytest.mark.parametrize(("case", "spot"), wagers_on("lucky_ladies"))
def test_a_worked_hand_of_lucky_ladies(case: dict[str, Any], spot: int) -> None:
    first, second, up = first_cards(case, spot)
    staked, net = case["bets"][str(spot)]["lucky_ladies"], case["expect"]["net_cents"][str(spot)]["lucky_ladies"]
    natural = {up.value[0], case["expect"]["dealer"][1][0]} & set("TJQK") and "A" in {up.value[0]} | {
        case["expect"]["dealer"][1][0]
    }
    queens = first is second is Card.QH
    assert net == (1000 * staked if queens and natural else lucky_ladies_cents(first, second, staked))


@pytest.mark.parametrize(("case", "spot"), wagers_on("twenty_one_plus_three"))
def test_a_worked_hand_of_three_cards(case: dict[str, Any], spot: int) -> None:
    staked = case["bets"][str(spot)]["twenty_one_plus_three"]
    net = case["expect"]["net_cents"][str(spot)]["twenty_one_plus_three"]
    assert net == three_cards_cents(first_cards(case, spot), staked)


@pytest.mark.parametrize(("case", "spot"), wagers_on("blazing7s"))
def test_a_worked_hand_of_sevens(case: dict[str, Any], spot: int) -> None:
    row = row_of(*first_cards(case, spot))
    net = case["expect"]["net_cents"][str(spot)]["blazing7s"]
    assert row in {"diamonds", "suited"} or net == AWARDS_CENTS.get(row, 0) - 500


def script(seed: int, rounds: int, per_mille: int = 500, stacked: int = 0, limit_cents: int = 0) -> list[Act]:
    house = house_from(profile_files.raw("hollywood-penn-national"))
    chance, rack = Random(seed), Rack()
    shoe = LoadedShoe(chance, house.decks)
    acts = play(house, chance, rack, (2, 4), rounds=rounds, shoe=shoe, bust_bets_per_mille=per_mille)
    meter = SevensMeter(10**10, 10**10, 85 * UNITS)
    side_habits = SideBetHabits(tuple(STAKES_CENTS), per_mille, stacked, limit_cents=limit_cents)
    return list(with_side_bets(acts, Random(~seed), rack, shoe, side_habits=side_habits, meter=meter))


def truths(acts: list[Act]) -> list[RoundPlayed]:
    return [act for act in acts if isinstance(act, RoundPlayed)]


def test_every_bet_is_laid_and_sometimes_won() -> None:
    wagers = Counter(
        (wager.bet, wager.net_cents > 0) for one in truths(script(5, 400, stacked=200)) for wager in one.wagers
    )
    for bet in (*STAKES_CENTS, "ez_bust"):
        assert wagers[bet, False] > 50
        assert wagers[bet, True] > 5 or bet == "five_card_progressive"


def test_a_round_names_every_wager_that_lay_at_the_lock() -> None:
    felt: dict[tuple[int, str], int] = {}
    locked: dict[tuple[int, str], int] = {}
    rack = Rack()
    for act in script(11, 60):
        match act:
            case Lay(spot, zone, chips):
                felt[spot, zone] = rack.value_cents(chips)
            case Press(key) if key == KEY_NO_MORE_BETS:
                locked = {place: cents for place, cents in felt.items() if cents and place[1] != "insurance"}
            case RoundPlayed(wagers=wagers):
                before = {(one.spot, one.bet): one.wager_cents for one in wagers if one.bet in {"main", *STAKES_CENTS}}
                assert before == locked
            case _:
                pass


def test_a_chip_lies_at_one_place_only() -> None:
    felt: dict[tuple[int, str], tuple[str, ...]] = {}
    for act in script(12, 60):
        if isinstance(act, Lay):
            felt[act.spot, act.zone] = act.chips
            lying = [chip for chips in felt.values() for chip in chips]
            assert len(lying) == len(set(lying))


@pytest.mark.parametrize("seed", range(4))
def test_with_a_bust_bet_the_dealer_plays_out_unless_every_hand_broke(seed: int) -> None:
    looked_at = 0
    for one in truths(script(seed, 150)):
        bust = [wager for wager in one.wagers if wager.bet == "ez_bust"]
        if not bust:
            continue
        looked_at += 1
        assert one.dealer[0].value[0] in "23456"
        broke = all(points(hand) > 21 for hands in one.hands.values() for hand in hands)
        assert {wager.net_cents for wager in bust if broke} <= {0}
        assert broke or points(one.dealer) >= 17
        assert broke or all((wager.net_cents > 0) == (points(one.dealer) > 21) for wager in bust)
    assert looked_at > 10


def points(cards: tuple[Card, ...]) -> int:
    low = sum("A23456789TJQK".index(card.value[0]) + 1 if card.value[0] not in "TJQK" else 10 for card in cards)
    return low + 10 if low <= 11 and any(card.value[0] == "A" for card in cards) else low


def test_stacked_rounds_deal_what_a_bet_pays_for() -> None:
    dealt = script(3, 40, per_mille=700, stacked=1000)
    cards = [act.card.value for act in dealt if isinstance(act, Draw)]
    assert {Card.QH.value, Card("7d").value} <= set(cards)
    won = [one for truth in truths(dealt) for one in truth.wagers if one.bet == SEVENS and one.net_cents > 10_000]
    assert won
    assert set(STACKED) < set(STAKES_CENTS)


def test_a_shoe_that_has_too_few_of_a_card_brings_none() -> None:
    drawn = []
    for wanted in ({}, dict.fromkeys(range(3), Card.QH)):
        shoe = LoadedShoe(Random(1), 2)
        shoe.load()
        shoe.bring(wanted)
        drawn.append([shoe.draw() for _ in range(20)])
    assert drawn[0] == drawn[1]


# --- the aggregate limit ------------------------------------------------------------------------------


def test_wins_over_the_limit_are_lowered_in_proportion_and_losses_are_not() -> None:
    dues = {
        (1, "lucky_ladies"): 5_000,
        (1, "twenty_one_plus_three"): 2_500,
        (2, "lucky_ladies"): 2_000,
        (2, "ez_bust"): -500,
    }
    assert limited(dues, 7_000) == {
        (1, "lucky_ladies"): 3_684,
        (1, "twenty_one_plus_three"): 1_842,
        (2, "lucky_ladies"): 1_473,
        (2, "ez_bust"): -500,
    }
    assert limited(dues, 9_500) == limited(dues, 0) == dues


def test_no_round_wins_more_than_the_limit() -> None:
    reached = within = 0
    for one in truths(script(21, 300, stacked=300, limit_cents=4_000)):
        sides = [wager for wager in one.wagers if wager.bet not in {"main", "insurance"} and wager.net_cents > 0]
        # The meter stands above ten thousand dollars; a tenth of it is no win at fixed odds either.
        won = sum(wager.net_cents for wager in sides if wager.net_cents < 50_000)
        assert won <= 4_000
        # Each win is rounded down by less than a cent.
        reached += won > 4_000 - len(sides)
        within += 0 < won <= 3_990
    assert reached > 20
    assert within > 20


def test_of_a_round_over_the_limit_no_win_is_paid_in_chips_on_the_layout() -> None:
    rack, felt, most = Rack(), dict[tuple[int, str], int](), dict[tuple[int, str], int]()
    looked_at = 0
    for act in script(22, 200, stacked=300, limit_cents=500):
        match act:
            case Press(key) if key == KEY_NO_MORE_BETS:
                most = {}
            case Lay(spot, zone, chips):
                felt[spot, zone] = rack.value_cents(chips)
                most[spot, zone] = max(most.get((spot, zone), 0), felt[spot, zone])
            case RoundPlayed(wagers=wagers):
                won = [one for one in wagers if one.bet in {"lucky_ladies", "ez_bust"} and one.net_cents > 0]
                if sum(one.net_cents for one in won) >= 495:
                    looked_at += 1
                    assert all(most.get((one.spot, one.bet), 0) <= one.wager_cents + 500 for one in won)
            case _:
                pass
    assert looked_at > 20
