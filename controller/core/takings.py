"""Which of a box's broken split hands may have been taken."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations


def subsets(stakes: tuple[int, ...], cents: int) -> Iterator[tuple[int, ...]]:
    """The ways to take some of the stakes that make up ``cents``."""
    for count in range(1, len(stakes) + 1):
        for taken in combinations(stakes, count):
            if sum(taken) == cents:
                yield taken


def left_after(stakes: tuple[int, ...], taken: tuple[int, ...]) -> tuple[int, ...]:
    """The stakes without those taken."""
    left = list(stakes)
    for stake in taken:
        left.remove(stake)
    return tuple(left)
