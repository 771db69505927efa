"""What bets should take: against published figures, against the count of par, and against rounds that are dealt."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.commands.par import Shuffler
from controller.core.analysis.computed_edge import MainEdge
from controller.core.analysis.expectation import Theory, of_insurance, of_side_bet, theories
from controller.core.analysis.par import par_of
from controller.core.analysis.simulated_edge import WAGER_CENTS, round_nets_cents
from controller.core.game.rules import Rules
from controller.io.files import profile_files
from controller.io.files.known_edges import known


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


def test_two_boxes_stray_together_as_computed() -> None:
    # Griffin; Schlesinger, Blackjack Attack: variance about 1.3 of a wager, covariance of two hands about 0.5.
    rules = rules_of("hollywood-penn-national")
    deal, edge = Shuffler(8, 5), known(rules)
    assert edge is not None
    nets = [round_nets_cents(rules, deal(), boxes=2) for _ in range(4000)]
    squares = [Fraction(first**2 + second**2, 2 * WAGER_CENTS**2) for first, second in nets]
    products = [Fraction(first * second, WAGER_CENTS**2) for first, second in nets]
    for measured, computed in ((squares, edge.variance), (products, edge.covariance)):
        mean = Fraction(sum(measured), len(measured))
        spread = sum((one - mean) ** 2 for one in measured)
        assert (mean - computed) ** 2 < 9 * spread / len(measured) ** 2


ROUNDS = st.lists(st.lists(st.integers(1, 10_000), min_size=1, max_size=7), max_size=20)


@given(rounds=ROUNDS, edge=st.fractions(-1, 1), variance=st.fractions(0, 4))
def test_the_band_lies_around_what_is_expected(rounds: list[list[int]], edge: Fraction, variance: Fraction) -> None:
    staked = sum(sum(wagers) for wagers in rounds)
    found = Theory(edge, variance, Fraction(0)).band(rounds)
    assert abs(found.expected_cents - edge * staked) <= Fraction(1, 2)
    assert found.high_cents - found.expected_cents == found.expected_cents - found.low_cents >= 0
    together = Theory(edge, variance, variance).band(rounds)
    assert together.low_cents <= found.low_cents


def test_equal_wagers_of_rounds_of_their_own_stray_with_the_root_of_their_number() -> None:
    found = Theory(Fraction(0), Fraction(1), Fraction(0)).band([[100]] * 400)
    assert (found.low_cents, found.expected_cents, found.high_cents) == (-3920, 0, 3920)


def test_what_a_meter_pays_has_no_theory() -> None:
    rules = rules_of("hollywood-penn-national")
    found = theories(rules, MainEdge(Fraction(1, 200), Fraction(13, 10), Fraction(1, 2)))
    assert found["main"] == Theory(Fraction(1, 200), Fraction(13, 10), Fraction(1, 2))
    assert {"main", "insurance"} <= set(found)
    assert all(of_side_bet(rules, bet) is not None for bet in found if bet in rules.side_bets)
