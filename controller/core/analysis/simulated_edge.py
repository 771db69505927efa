"""What the main wager loses, measured: rounds scripted, and settled by the code that settles live ones.

Chance is handed in. The sums are integers and the interval is exact arithmetic on them, so equal deals give equal
answers on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isqrt
from typing import Final, NamedTuple

from controller.core.analysis.scripted_round import ScriptedAct, ScriptedRound
from controller.core.game.basic_strategy import choose
from controller.core.game.refusals import Refusal
from controller.core.game.rules import Rules
from controller.core.game.settlement import main_net
from firmware_protocols.cards import Card

_Deal = Callable[[], Sequence[Card]]
"""The first ``ROUND_CARDS`` cards of a freshly shuffled full shoe (a single deck: all), in the order they leave it."""

ROUND_CARDS: Final = 64
"""More than a round of one box uses: four hands of the strategy take at most twelve cards each, the dealer eleven."""

WAGER_CENTS: Final = 1_000
"""The main wager: 3 to 2 and half of it are whole cents."""

NORMAL_95: Final = Fraction(1_959_964, 1_000_000)
"""The two-sided 95 % point of the normal distribution."""

_SCALE: Final = 10**9
"""The half width is rounded up to a billionth of the wager."""

_SPOT: Final = 1


class MainPar(NamedTuple):
    """What the rounds came to."""

    rounds: int
    net_cents: int
    """Sum of the player's nets."""
    net_squares: int
    """Sum of their squares, in square cents."""

    @property
    def edge(self) -> Fraction:
        """What the house kept per initial wager."""
        return Fraction(-self.net_cents, self.rounds * WAGER_CENTS)

    @property
    def half_width(self) -> Fraction:
        """Half of the 95 % confidence interval around ``edge``: 1.96 standard errors, rounded up."""
        spread = self.rounds * self.net_squares - self.net_cents**2
        variance = Fraction(spread, self.rounds**2 * (self.rounds - 1) * WAGER_CENTS**2)
        square = variance * NORMAL_95**2 * _SCALE**2
        whole = -(-square.numerator // square.denominator)
        root = isqrt(whole)
        return Fraction(root + (root * root < whole), _SCALE)

    @property
    def interval(self) -> tuple[Fraction, Fraction]:
        """The 95 % confidence interval of the edge."""
        return self.edge - self.half_width, self.edge + self.half_width


def simulate(rules: Rules, deal: _Deal, rounds: int) -> MainPar:
    """Play ``rounds`` (at least 2) rounds of one box, each from a shoe of its own.

    Raises:
        ValueError: fewer than two rounds have no spread.
    """
    if rounds < 2:
        raise ValueError(f"{rounds} rounds: expected at least 2")
    net_cents = net_squares = 0
    for _ in range(rounds):
        net = round_net_cents(rules, deal())
        net_cents += net
        net_squares += net * net
    return MainPar(rounds, net_cents, net_squares)


def round_net_cents(rules: Rules, shoe: Sequence[Card]) -> int:
    """The player's net of one round of one box, played by ``choose`` without insurance or even money.

    Raises:
        TellingError: the shoe ends before the round does.
    """
    return round_nets_cents(rules, shoe, boxes=1)[0]


def round_nets_cents(rules: Rules, shoe: Sequence[Card], boxes: int) -> tuple[int, ...]:
    """The players' nets of one round of several boxes, from the first spot on, each played as ``round_net_cents`` says.

    Raises:
        TellingError: the shoe ends before the round does.
    """
    spots = tuple(range(_SPOT, _SPOT + boxes))
    scripted = ScriptedRound(rules, dict.fromkeys(spots, WAGER_CENTS), shoe)
    standing = scripted.deal()
    while (hand := scripted.play.hand_in_play(standing.node)) is not None and not scripted.natural_found(standing):
        act = choose(scripted.play, standing.node, hand)
        after = scripted.act(
            standing, ScriptedAct(spots[standing.node.acting], act, scripted.play.current(standing.node))
        )
        assert not isinstance(after, Refusal), f"the strategy asks for nothing the rules refuse: {act}"
        standing = after
    ended = scripted.finish(standing)
    return tuple(main_net(rules, outcome, ended.end).cents for outcome in ended.outcomes)
