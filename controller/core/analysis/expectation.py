"""What a bet should take by its rules, and how far chance alone takes it from that.

Wagers of one round are not independent: they meet the same dealer's hand. So a bet has three numbers, each per unit
staked: what the house expects to keep, how far one wager strays from it, and how far two wagers of one round stray
together. Everything is an exact fraction; the one root at the end is rounded outwards to a whole cent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from math import isqrt
from typing import Final, NamedTuple

from controller.core.analysis.computed_edge import MainEdge
from controller.core.analysis.par import ParError, par_of
from controller.core.analysis.simulated_edge import NORMAL_95
from controller.core.game.rules import Rules
from controller.core.game.side_bet import find

_INSURANCE: Final = "insurance"


class Theory(NamedTuple):
    """One bet, per unit staked."""

    edge: Fraction
    """What the house keeps on average."""
    variance: Fraction
    """Of one wager's net."""
    covariance: Fraction
    """Of the nets of two wagers in one round."""

    def band(self, rounds: Iterable[Sequence[int]]) -> Band:
        """What should have been won on ``rounds``, each the wagers of one round in cents."""
        staked = squares = shared = 0
        for wagers in rounds:
            staked += sum(wagers)
            squares += sum(wager * wager for wager in wagers)
            shared += sum(wagers) ** 2
        spread = (self.variance - self.covariance) * squares + self.covariance * shared
        width = _root_up(NORMAL_95**2 * spread)
        expected = self.edge * staked
        middle = (2 * expected.numerator + expected.denominator) // (2 * expected.denominator)
        return Band(middle, middle - width, middle + width)


class Band(NamedTuple):
    """What a bet's wagers should have won for the house: the expectation, and the 95 % band around it, in cents."""

    expected_cents: int
    low_cents: int
    high_cents: int


def theories(rules: Rules, main: MainEdge) -> dict[str, Theory]:
    """Every bet of a house that has a theory; one that a meter pays has none, for it hangs on how high that is."""
    found = {"main": Theory(main.edge, main.variance, main.covariance)}
    if rules.insurance:
        found[_INSURANCE] = of_insurance(rules)
    for name in rules.side_bets:
        theory = of_side_bet(rules, name)
        if theory is not None:
            found[name] = theory
    return found


def edges_at_hand(rules: Rules, main: MainEdge | None, sides: Mapping[str, Fraction]) -> dict[str, Fraction]:
    """The edges that need no counting: of insurance, and of main and side wagers where they were computed before."""
    found = dict(sides) if main is None else {**sides, "main": main.edge}
    return found | ({_INSURANCE: of_insurance(rules).edge} if rules.insurance else {})


def of_insurance(rules: Rules) -> Theory:
    """Insurance from a full shoe but for the ace: every insured box of a round wins or loses with the same card."""
    tens = Fraction(16 * rules.decks, 52 * rules.decks - 1)
    won = Fraction(*rules.insurance_pays)
    edge = (1 - tens) - won * tens
    variance = won**2 * tens + (1 - tens) - edge**2
    return Theory(edge, variance, variance)


def of_side_bet(rules: Rules, name: str) -> Theory | None:
    """A side wager, from the very count that ``par`` prints; None where a meter pays, or nothing can be counted."""
    try:
        accounts = par_of(rules, name)
    except ParError:
        return None
    if not accounts or any(row.net is None and row.probability for row in accounts[0].rows):
        return None
    nets = [(row.probability, row.net) for row in accounts[0].rows if row.net is not None]
    mean = sum((chance * net for chance, net in nets), Fraction(0))
    variance = sum((chance * net**2 for chance, net in nets), Fraction(0)) - mean**2
    # A wager made after the deal is decided by the dealer's hand, which all boxes share; others by a box's own cards.
    together = variance if find(name).placed == "after_deal" else Fraction(0)
    return Theory(-mean, variance, together)


def bands(found: Mapping[str, Theory], wagers: Mapping[str, Iterable[Sequence[int]]]) -> dict[str, Band]:
    """The band of each bet that has both a theory and wagers."""
    return {bet: found[bet].band(rounds) for bet, rounds in wagers.items() if bet in found}


def _root_up(square: Fraction) -> int:
    """The square root, rounded up."""
    whole = -(-square.numerator // square.denominator)
    root = isqrt(whole)
    return root + (root * root < whole)
