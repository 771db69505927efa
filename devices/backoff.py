"""How long to leave alone what does not answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

_MS: Final = 1_000_000

TRIES: Final = 3
"""Requests without an answer before something is given up: one may be damaged, hardly three in a row."""

RETRY_NS: Final = 50 * _MS
"""Before that it is asked again after so long, so that others on the same bus are asked in between."""

BACKOFF_FIRST_NS: Final = 500 * _MS
BACKOFF_MOST_NS: Final = 10_000 * _MS
"""What was given up is asked after half a second, then after twice as long each time, up to ten seconds: each try
costs the bus a time-out."""


@dataclass(slots=True)
class PollBackoff:
    """Counts the answers missing. Nothing is to be asked before ``due_ns``."""

    misses: int = 0
    due_ns: int = 0
    wait_ns: int = BACKOFF_FIRST_NS

    def answered(self) -> None:
        """Forget all misses."""
        self.misses = 0
        self.due_ns = 0
        self.wait_ns = BACKOFF_FIRST_NS

    def missed(self, now_ns: int) -> bool:
        """One more answer is missing; true once it is given up."""
        self.misses += 1
        if self.misses < TRIES:
            self.due_ns = now_ns + RETRY_NS
            return False
        self.give_up(now_ns)
        return True

    def give_up(self, now_ns: int) -> None:
        """Leave it alone for longer than the last time."""
        self.misses = max(self.misses, TRIES)
        self.due_ns = now_ns + self.wait_ns
        self.wait_ns = min(2 * self.wait_ns, BACKOFF_MOST_NS)
