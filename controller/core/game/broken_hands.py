"""Which of a box's broken split hands may have been taken."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations


def ways_to_take(stakes: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """The ways to take some of the stakes, or all."""
    return chain.from_iterable(combinations(stakes, count + 1) for count in range(len(stakes)))


def left_after(stakes: tuple[int, ...], taken: tuple[int, ...]) -> tuple[int, ...]:
    """The stakes without those taken."""
    left = list(stakes)
    for stake in taken:
        left.remove(stake)
    return tuple(left)
