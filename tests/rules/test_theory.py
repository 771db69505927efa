"""What bets should take: against published figures, against the count of par, and against rounds simulated anew."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.commands.par import Shuffled
from controller.core.main_par import simulate, simulate_pairs
from controller.core.par import par_of
from controller.core.rules import Rules
from controller.core.theory import Theory, band, of_insurance, of_side_bet, theories
from controller.io import profile_files


def rules_of(name: str) -> Rules:
    return profile_files.load(name).rules


def test_insurance_of_six_decks_costs_what_every_book_says() -> None:
    # Griffin, The Theory of Blackjack: 7.4 % with six decks; 2 x 96 wins against 311 unknown cards.
    theory = of_insurance(Rules(name="six", decks=6))
    assert theory.edge == 1 - 3 * Fraction(96, 311)
    assert theory.covariance == theory.variance


@pytest.mark.parametrize("name", ["hollywood-penn-national", "hollywood-perryville", "borgata"])
def test_a_side_bet_has_the_edge_that_par_prints(name: str) -> None:
    rules = rules_of(name)
    for bet in rules.side_bets:
        theory = of_side_bet(rules, bet)
        accounts = par_of(rules, bet)
        if theory is not None:
            assert theory.edge == accounts[0].edge
        else:
            assert not accounts or any(row.net is None for row in accounts[0].rows)


def test_two_boxes_stray_as_the_literature_says() -> None:
    # Griffin; Schlesinger, Blackjack Attack: variance about 1.3 of a wager, covariance of two hands about 0.5.
    found = simulate_pairs(rules_of("hollywood-penn-national"), Shuffled(8, 5), 4000)
    assert Fraction(11, 10) < found.variance < Fraction(3, 2)
    assert Fraction(1, 3) < found.covariance < Fraction(2, 3)


def test_one_box_alone_is_within_what_two_boxes_say() -> None:
    rules = rules_of("borgata")
    one, two = simulate(rules, Shuffled(8, 5), 3000), simulate_pairs(rules, Shuffled(8, 6), 3000)
    assert abs(one.edge - two.edge) < 2 * one.half_width


def test_a_single_round_has_no_spread() -> None:
    with pytest.raises(ValueError, match="at least 2"):
        simulate_pairs(rules_of("borgata"), Shuffled(8, 5), 1)


ROUNDS = st.lists(st.lists(st.integers(1, 10_000), min_size=1, max_size=7), max_size=20)


@given(rounds=ROUNDS, edge=st.fractions(-1, 1), variance=st.fractions(0, 4))
def test_the_band_lies_around_what_is_expected(rounds: list[list[int]], edge: Fraction, variance: Fraction) -> None:
    staked = sum(sum(wagers) for wagers in rounds)
    found = band(Theory(edge, variance, Fraction(0)), rounds)
    assert abs(found.expected_cents - edge * staked) <= Fraction(1, 2)
    assert found.high_cents - found.expected_cents == found.expected_cents - found.low_cents >= 0
    together = band(Theory(edge, variance, variance), rounds)
    assert together.low_cents <= found.low_cents


def test_equal_wagers_of_rounds_of_their_own_stray_with_the_root_of_their_number() -> None:
    found = band(Theory(Fraction(0), Fraction(1), Fraction(0)), [[100]] * 400)
    assert (found.low_cents, found.expected_cents, found.high_cents) == (-3920, 0, 3920)


def test_what_a_meter_pays_has_no_theory() -> None:
    rules = rules_of("hollywood-penn-national")
    found = theories(rules, simulate_pairs(rules, Shuffled(8, 1), 2))
    assert {"main", "insurance"} <= set(found)
    assert all(of_side_bet(rules, bet) is not None for bet in found if bet in rules.side_bets)
