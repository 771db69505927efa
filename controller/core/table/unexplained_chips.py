"""Chips that came where nothing explains it, kept until it is known that no other antenna hears them too."""

from __future__ import annotations

from firmware_protocols.values import Value


class Suspicion(Value, frozen=True, tag=False):
    """A rise that nobody is accused of yet: what the alert will say of it."""

    number: int
    """The reading that told of it."""
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

    def came(self) -> frozenset[str]:
        """The chips that came."""
        return frozenset(self.after).difference(self.before)
