"""Chance as an argument: the part of a seeded generator that people at a table need."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Chance(Protocol):
    """A source of randomness; a seeded ``Random`` of the standard library is one."""

    def randrange(self, stop: int, /) -> int:
        """A whole number from 0 to ``stop`` - 1, each as likely."""
        ...

    def shuffle(self, x: list[Any], /) -> None:
        """Put the list into a random order, in place."""
        ...


def happens(rng: Chance, per_mille: int) -> bool:
    """True in ``per_mille`` of 1000 cases (0: never, 1000: always)."""
    return rng.randrange(1000) < per_mille


def pick(rng: Chance, items: Sequence[T]) -> T:
    """One of ``items``, each as likely; raises ``ValueError`` when there are none."""
    if not items:
        raise ValueError("nothing to pick from")
    return items[rng.randrange(len(items))]
