"""How likely one wager is to win a meter, and the least likely that is allowed.

No table progressive may be harder to win than 100,000,000 to 1 (N.J.A.C. 13:69D-1.52(e)4). Rows of cards are counted
exactly, from a full shoe. The must-hit-by meter is won somewhere between reset value and ceiling, every cent as likely:
over a cycle a wager wins with what it adds to the meter as a part of all that can be added.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Final, NamedTuple

from controller.core.analysis.par import par_of
from controller.core.game.rules import Rules
from controller.core.game.side_bet import terms_of
from controller.core.meters.meter import Parameters

LONGEST_ODDS: Final = 100_000_000
"""The most "to one" at which a meter may be won."""


class Chance(NamedTuple):
    """What one wager may win a meter by, and how likely that is."""

    bet: str
    by: str
    """A row of the wager's card, or ``must hit by``."""
    probability: Fraction

    @property
    def one_in(self) -> int:
        """The number of wagers of which one wins, rounded up; 0: no wager ever wins."""
        return 0 if not self.probability else -(-self.probability.denominator // self.probability.numerator)

    @property
    def too_long(self) -> bool:
        """Whether the odds are longer than allowed: more than that many wagers lose for one that wins."""
        return self.probability * (LONGEST_ODDS + 1) < 1


def row_chances(rules: Rules, fed_by: tuple[str, ...]) -> Iterator[Chance]:
    """By each row of these side wagers that a meter pays.

    Raises:
        ParError: a wager's rows cannot be counted.
    """
    for bet in fed_by:
        if bet in rules.side_bets and terms_of(rules, bet).meter_shares:
            for account in par_of(rules, bet):
                yield from (Chance(bet, one.row, one.probability) for one in account.rows if one.meter_share)


def must_hit_by_chances(rules: Rules, fed_by: tuple[str, ...], parameters: Parameters) -> Iterator[Chance]:
    """By the least wager that raises the must-hit-by meter: the card's stake, or one chip of the smallest there is."""
    width_cents = parameters.limit_cents - parameters.reset_cents
    for bet in fed_by:
        if bet in rules.side_bets:
            least_cents = terms_of(rules, bet).stake_cents or rules.options.chip_unit_cents
            part, of = parameters.rate
            yield Chance(bet, "must hit by", min(Fraction(least_cents * part, of * width_cents), Fraction(1)))
