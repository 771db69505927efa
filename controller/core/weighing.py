"""What evidence comes to, remembered from one search for an irregularity to the next.

Asked after every line, a search weighs the same accounts again, each with one piece of evidence more. With a memory
only what is new is worked out. It changes nothing of what a search finds.
"""

from __future__ import annotations

from controller.core.dated import Dated
from controller.core.reconstruction import Answer
from controller.core.rules import Rules
from controller.core.tracing import Trace, Ways

Lying = dict[tuple[int, str], int]
"""What lies in zones whose content is not the wager."""


class Memory:
    """What the last search worked out, and the one that is going on; what neither needed is forgotten."""

    def __init__(self) -> None:
        self.hopeless: tuple[object, ...] = ()
        """Of what the last search, which nothing but chips, answers and the close can help, was made."""
        self.beginnings: dict[tuple[object, ...], Trace] = {}
        self.before: dict[tuple[int, Dated], tuple[Trace, Trace | None]] = {}
        self.now: dict[tuple[int, Dated], tuple[Trace, Trace | None]] = {}

    def next_search(self) -> None:
        """A search begins."""
        self.before, self.now = self.now, {}

    def begun(self, rules: Rules, wagers: tuple[int, ...], lying: Lying, answers: tuple[Answer, ...]) -> Trace:
        """A round before its first card. ``rules`` are the same in all searches."""
        key = wagers, tuple(sorted(lying.items())), answers
        if key not in self.beginnings:
            self.beginnings[key] = Trace.begin(rules, wagers, lying, answers)
        return self.beginnings[key]

    def observed(self, found: Trace, dated: Dated, ways: Ways) -> Trace | None:
        """A round with one more piece of evidence; None if its times leave too much open."""
        key = id(found), dated
        known = self.now.get(key) or self.before.get(key)
        if known is None:
            # The round is held with what it comes to, so that its identity stays its own.
            known = found, found.observe(dated, ways)
        self.now[key] = known
        return known[1]
