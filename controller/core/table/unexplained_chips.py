"""Chips that came or went where nothing explains it, kept until it is known that no other antenna hears them too."""

from __future__ import annotations

from collections.abc import Iterable

from firmware_protocols.values import Value


class Suspicion(Value, frozen=True, tag=False):
    """A move without an accusation yet: what the alert will say of it."""

    number: int
    """The reading that reported it."""
    seen_ns: int
    """When the chips were seen, in table time."""
    kind: str
    severity: str
    text: str
    round: int
    spot: int
    zone: str
    before_cents: int
    after_cents: int
    before: tuple[str, ...]
    after: tuple[str, ...]
    left_ns: int = -1
    """When chips that had come were seen to be gone; -1: they lie there still."""
    is_shared: bool = False
    """Whether another antenna hears them, too."""
    shared_ns: int = -1
    """When another antenna was seen to hear them no more; -1: none ever did, or one does."""

    def moved(self) -> frozenset[str]:
        """The chips that came or went."""
        return frozenset(self.after).symmetric_difference(self.before)

    def gone(self, here: Iterable[str]) -> frozenset[str]:
        """Of these chips those that are not in their zone, where ``here`` lie now."""
        return self.moved().difference(here)

    def since_ns(self) -> int:
        """The moment from which every reader must have looked round before anybody is accused."""
        return max(self.seen_ns, self.left_ns, self.shared_ns)

    def left_while_shared(self, known_ns: int) -> bool:
        """Whether they are gone, and no look round, known up to a moment, has shown them here alone before that."""
        return self.left_ns >= 0 and self.shared_ns > known_ns

    def came(self) -> frozenset[str]:
        """The chips that came."""
        return frozenset(self.after).difference(self.before)
