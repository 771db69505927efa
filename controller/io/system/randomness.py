"""The one place that asks for chance."""

from __future__ import annotations

import os
from typing import Protocol


class Entropy(Protocol):
    """Random bytes that cannot be foretold."""

    def take(self, count: int) -> bytes:
        """``count`` fresh random bytes."""
        ...


class SystemEntropy:
    """The operating system's generator."""

    def take(self, count: int) -> bytes:
        """As ``Entropy.take``."""
        return os.urandom(count)
