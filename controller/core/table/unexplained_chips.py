"""Chips that came or went where nothing explains it, kept until it is known that no other antenna hears them too."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

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
    stays_ns: int = 0
    """How long chips that came must lie there to be what it says; if those that lay before lie there alone by then,
    they were put there by mistake."""
    left_ns: int = -1
    """When chips that had come were seen to be gone; -1: they lie there still."""
    is_put_right: bool = False
    """Whether they left in that time, and nothing but what had lain there lay there still."""
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
        # Chips that were put right may be in a hand on their way to where they belong.
        waits_ns = self.stays_ns if self.left_ns < 0 or self.is_put_right else 0
        return max(self.seen_ns + waits_ns, self.left_ns, self.shared_ns)

    def left(self, now_ns: int, here: Iterable[str]) -> Suspicion:
        """The same once chips of it are seen to be gone and ``here`` lie in their zone."""
        in_time = now_ns < self.seen_ns + self.stays_ns
        return replace(self, left_ns=now_ns, is_put_right=in_time and frozenset(self.before) == frozenset(here))

    def left_while_shared(self, known_ns: int) -> bool:
        """Whether they are gone, and no look round, known up to a moment, has shown them here alone before that."""
        return self.left_ns >= 0 and self.shared_ns > known_ns

    def came(self) -> frozenset[str]:
        """The chips that came."""
        return frozenset(self.after).difference(self.before)
