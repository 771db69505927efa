"""The strategy that measures the main game, and the measurement on rigged shoes whose answer is known."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.analysis.scripted_round import ScriptedRound
from controller.core.analysis.simulated_edge import (
    NORMAL_95,
    ROUND_CARDS,
    WAGER_CENTS,
    MainPar,
    round_net_cents,
    simulate,
)
from controller.core.game import basic_strategy
from controller.core.game.basic_strategy import StrategyTable, choose, ups
from controller.core.game.rules import Rules
from controller.io.files import profile_files
from firmware_protocols.cards import DECK, Card
from tests.docs.pages import page, sections
from tests.rules.scripted_rounds import rule_sets

HPN = profile_files.load("hollywood-penn-national").rules
PITCH = profile_files.load("pitch-h17").rules
PV = profile_files.load("hollywood-perryville").rules

# First card, up card, second card, hole card, then what is drawn.
NATURAL = "Ah 9c Kd 7d"
LOSES = "Th 9c 8d Ts"
PUSHES = "Th 9c 9d Ts"
DOUBLES = "6h 6c 5d Ts Tc 9h"
GIVES_UP = "Th Tc 6d 7s"
SPLITS = "8h 6c 8d Ts Tc 9h 5h"
STOPS = "Th Ac 6d Kd"


def shoe(text: str) -> tuple[Card, ...]:
    return tuple(Card(one) for one in text.split())


@pytest.mark.parametrize(
    ("cards", "net"),
    [
        (NATURAL, 1500),
        (LOSES, -1000),
        (PUSHES, 0),
        (DOUBLES, 2000),
        (GIVES_UP, -500),
        # Eights split: 18, then 8 and 9 stand on 17; the dealer's 16 draws a five.
        (SPLITS, -2000),
        # Surrendered against an ace: all is lost to the dealer's natural.
        (STOPS, -1000),
    ],
)
def test_a_rigged_round(cards: str, net: int) -> None:
    assert round_net_cents(HPN, shoe(cards)) == net


def test_a_natural_found_by_a_device_ends_the_round_before_anybody_plays() -> None:
    checked = replace(HPN, hole_check="device", surrender="none")
    assert round_net_cents(checked, shoe("6h Ac 5d Kd")) == -1000


def rigged(*shoes: str) -> Callable[[], Sequence[Card]]:
    dealt = cycle([shoe(one) for one in shoes])
    return lambda: next(dealt)


def test_one_outcome_is_measured_exactly() -> None:
    found = simulate(HPN, rigged(NATURAL), 10)
    assert found == MainPar(10, 15_000, 10 * 1500**2)
    assert (found.edge, found.half_width) == (Fraction(-3, 2), Fraction(0))


def test_the_interval_is_that_of_the_textbook() -> None:
    found = simulate(HPN, rigged(DOUBLES, LOSES, LOSES, PUSHES), 400)
    nets = [2, -1, -1, 0] * 100
    assert found.edge == Fraction(-sum(nets), 400) == 0
    variance = Fraction(sum(net * net for net in nets), 399)
    exact_square = NORMAL_95**2 * variance / 400
    assert found.half_width**2 >= exact_square > (found.half_width - Fraction(1, 10**9)) ** 2
    assert found.interval == (-found.half_width, found.half_width)


def test_the_interval_of_shoes_drawn_at_random_holds_their_mean() -> None:
    shoes = [shoe(one) for one in (NATURAL, LOSES, LOSES, PUSHES, DOUBLES, GIVES_UP)]
    exact = Fraction(-sum(round_net_cents(HPN, one) for one in shoes), len(shoes) * WAGER_CENTS)
    chance = random.Random(5)
    low, high = simulate(HPN, lambda: chance.choice(shoes), 600).interval
    assert low < exact < high
    assert high - low < Fraction(1, 4)


def test_one_round_has_no_spread() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        simulate(HPN, rigged(NATURAL), 1)


@settings(max_examples=60)
@given(rules=rule_sets(), seed=st.integers(0, 2**32))
def test_the_strategy_asks_for_nothing_any_rules_refuse(rules: Rules, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(4):
        net = round_net_cents(rules, chance.sample(DECK * rules.decks, ROUND_CARDS))
        assert abs(net) <= 2 * rules.max_hands * WAGER_CENTS


def act(cards: str, up: str, rules: Rules) -> str:
    first, second = cards.split()
    script = ScriptedRound(rules, {1: WAGER_CENTS}, shoe(f"{first} {up} {second} 2c"))
    standing = script.deal()
    hand = script.play.hand_in_play(standing.node)
    assert hand is not None
    return choose(script.play, standing.node, hand)


@pytest.mark.parametrize(
    ("cards", "up", "rules", "wanted"),
    [
        ("Th 2d", "3c", HPN, "hit"),
        ("Th 2d", "4c", HPN, "stand"),
        ("Th 6d", "9c", HPN, "surrender"),
        ("Th 6d", "9c", PV, "hit"),
        ("Th 6d", "7c", HPN, "hit"),
        ("Th 7d", "Ac", HPN, "stand"),
        ("Th 7d", "Ac", replace(HPN, soft_17="hit"), "surrender"),
        ("8h 8d", "Tc", HPN, "split"),
        ("8h 8d", "Ac", HPN, "split"),
        ("8h 8d", "Ac", replace(HPN, soft_17="hit"), "surrender"),
        ("8h 8d", "7c", replace(HPN, max_hands=1), "hit"),
        ("5h 5d", "9c", HPN, "double"),
        ("5h 5d", "Tc", HPN, "hit"),
        ("6h 5d", "Ac", HPN, "hit"),
        ("6h 5d", "Ac", replace(HPN, soft_17="hit"), "double"),
        ("Ah 7d", "2c", HPN, "stand"),
        ("Ah 7d", "3c", HPN, "double"),
        ("Ah 7d", "3c", PITCH, "stand"),
        ("Ah 7d", "9c", HPN, "hit"),
        ("Ah 6d", "2c", HPN, "hit"),
        ("Ah 8d", "6c", HPN, "stand"),
        ("Ah 8d", "6c", replace(HPN, soft_17="hit"), "double"),
        ("Ah Ad", "Ac", HPN, "split"),
        ("4h 4d", "5c", HPN, "split"),
        ("4h 4d", "5c", replace(HPN, double_after_split=False), "hit"),
        ("9h 9d", "7c", HPN, "stand"),
        ("Th Kd", "6c", HPN, "stand"),
    ],
)
def test_the_strategys_choices(cards: str, up: str, rules: Rules, wanted: str) -> None:
    assert act(cards, up, rules) == wanted


def written(first: str, second: str) -> dict[str, tuple[frozenset[int], frozenset[int]]]:
    rows = sections(page("par.md"))["The strategy"].rows()
    return {row[1]: (ups(row[2]), ups(row[3])) for row in rows if row[0] == first and row[1].startswith(second)}


def by_rule(one: StrategyTable, other: StrategyTable, called: str) -> dict[str, tuple[frozenset[int], frozenset[int]]]:
    return {
        f"{called}{points}": (one.get(points, frozenset()), other.get(points, frozenset()))
        for points in sorted({*one, *other})
    }


def test_the_page_writes_the_strategy_down_as_it_is() -> None:
    hard, soft = basic_strategy.HARD_DOUBLES, basic_strategy.SOFT_DOUBLES
    assert written("surrender", "hard") == by_rule(
        basic_strategy.SURRENDERS["stand"], basic_strategy.SURRENDERS["hit"], "hard "
    )
    assert written("double", "hard") == by_rule(hard["stand"], hard["hit"], "hard ")
    assert written("double", "soft") == by_rule(soft["stand"], soft["hit"], "soft ")
    assert written("stand", "hard") == by_rule(basic_strategy.HARD_STANDS, basic_strategy.HARD_STANDS, "hard ")
    assert written("stand", "soft") == {"soft 18": (basic_strategy.SOFT_18_STANDS,) * 2}
    splits = {
        points: (
            basic_strategy.SPLITS[True].get(points, frozenset()),
            basic_strategy.SPLITS[False].get(points, frozenset()),
        )
        for points in basic_strategy.SPLITS[True]
    }
    assert written("split", "") == {("A, A" if p == 1 else f"{p}, {p}"): both for p, both in splits.items()}
