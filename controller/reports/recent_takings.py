"""What the rounds of the last hours took, bet by bet: the figures of the account of a shift, kept while a table runs.

A round belongs to the time in which it closed, and counts as it stands now: with its doubles and splits, by the last
ruling, and not at all once it is void.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from controller.core.messages.events import BettingClosed
from controller.formats.mqtt.envelope import Published, nanoseconds
from controller.formats.mqtt.retained_state import BetFigures
from controller.reports.revenue_rows import Faces, RoundFold, WagerRow, WagerState

ROUNDS_LIMIT: Final = 2_000
"""Rounds that are kept, the latest: more than a day of a fast table."""

NO_EDGES: Final[Mapping[str, Fraction]] = {}

KINDS: Final = frozenset(
    [
        "betting_closed",
        "box_declared",
        "hand_completed",
        "insurance_taken",
        "round_closed",
        "round_voided",
        "settlement_disputed",
        "wager_adjusted",
        "wager_settled",
        "wager_uncertain",
        "wager_unresolved",
    ]
)
"""The events that change what a round took."""


class RecentTakings:
    """The rounds of a table whose beginning was heard, until they are forgotten."""

    def __init__(self) -> None:
        self._rounds: dict[int, RoundFold] = {}

    def take(self, published: Published) -> None:
        """One more event, in order."""
        event = published.event
        if isinstance(event, BettingClosed):
            self._rounds[event.round] = RoundFold(event, published, Faces({}, {}))
            while len(self._rounds) > ROUNDS_LIMIT:
                del self._rounds[min(self._rounds)]
        known = self._rounds.get(getattr(event, "round", None) or 0)
        if known is not None:
            known.take(published)

    def forget(self, before_ns: int) -> None:
        """Leave out the rounds that closed before a moment (wall time)."""
        self._rounds = {
            number: one
            for number, one in self._rounds.items()
            if one.closed is None or nanoseconds(one.ended) >= before_ns
        }

    def figures(self, edges: Mapping[str, Fraction] = NO_EDGES) -> tuple[BetFigures, ...]:
        """Of each bet what its settled wagers took; ``edges``: what the house keeps of a bet, per unit laid."""
        by_bet: dict[str, list[WagerRow]] = {}
        for one in self._rounds.values():
            for wager in one.wager_rows() if one.closed is not None else ():
                if wager.state is WagerState.SETTLED:
                    by_bet.setdefault(wager.bet, []).append(wager)
        return tuple(bet_figures(bet, by_bet[bet], edges.get(bet)) for bet in sorted(by_bet))


def bet_figures(bet: str, wagers: list[WagerRow], edge: Fraction | None = None) -> BetFigures:
    """What settled wagers of one bet took."""
    laid = sum(wager.wager_cents for wager in wagers)
    handle, win = sum(wager.handle_cents for wager in wagers), sum(wager.win_cents for wager in wagers)
    return BetFigures(bet, handle, win, None if edge is None else _nearest(edge * laid), len(wagers), laid)


def _nearest(cents: Fraction) -> int:
    """Rounded half up to whole cents."""
    return (2 * cents.numerator + cents.denominator) // (2 * cents.denominator)
