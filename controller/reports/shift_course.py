"""The course of a shift: what the table has won after each round, beside what its rules say it should have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import msgspec

from controller.core.analysis.expectation import Theory, bands
from controller.reports.revenue_rows import RoundRow, WagerRow

MOST_POINTS: Final = 200


class Point(msgspec.Struct, frozen=True):
    """The table after a round: what all bets with a theory have won together, and what they should have."""

    round: int
    time: str
    win_cents: int
    expected_cents: int
    low_cents: int
    high_cents: int


def course(
    rounds: Sequence[RoundRow], settled: Iterable[WagerRow], theories: Mapping[str, Theory]
) -> tuple[Point, ...]:
    """Round by round; the bands of the bets are added up as if all strayed together, which is on the safe side."""
    by_round: dict[int, list[WagerRow]] = {}
    for wager in settled:
        if wager.bet in theories:
            by_round.setdefault(wager.round, []).append(wager)
    grown: dict[str, list[list[int]]] = {}
    win = 0
    points: list[Point] = []
    step = max(1, len(rounds) // MOST_POINTS)
    # They come in the order in which they closed, and one that waits closes after later ones.
    for place, row in enumerate(sorted(rounds, key=lambda row: row.round), start=1):
        own = by_round.get(row.round, [])
        win += sum(wager.win_cents for wager in own)
        for bet in {wager.bet for wager in own}:
            grown.setdefault(bet, []).append([w.wager_cents for w in own if w.bet == bet])
        if place % step == 0 or place == len(rounds):
            sums = bands(theories, grown).values()
            expected, low, high = (sum(column) for column in zip(*sums, strict=True)) if sums else (0, 0, 0)
            points.append(Point(row.round, row.closed, win, expected, low, high))
    return tuple(points)


def by_round(wagers: Iterable[WagerRow]) -> list[list[int]]:
    """What was wagered at the lock, round by round."""
    found: dict[int, list[int]] = {}
    for wager in wagers:
        found.setdefault(wager.round, []).append(wager.wager_cents)
    return list(found.values())
