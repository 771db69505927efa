"""Which shoes belong to a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from firmware_protocols.messages import SHOE_VERSION, ShoeIdentified


@dataclass(frozen=True, slots=True)
class ExpectedShoe:
    """Which shoe belongs to the table; None accepts any. ``serials`` are the shoes it may be; empty accepts any."""

    vendor: str | None = None
    model: str | None = None
    serials: tuple[str, ...] = ()

    def complaint(self, found: ShoeIdentified) -> str:
        """What is wrong with the shoe found; empty if it is one of them."""
        if found.version != SHOE_VERSION:
            spoken = f"version {found.version} of the protocol, which is not version {SHOE_VERSION}"
            return f"{named(found)} speaks {spoken}: it needs other firmware"
        wanted = (("vendor", self.vendor), ("model", self.model))
        wrong = [f"{what} {text}" for what, text in wanted if text is not None and text != getattr(found, what)]
        if self.serials and found.serial not in self.serials:
            wrong.append(f"serial {' or '.join(self.serials)}")
        return f"expected {', '.join(wrong)}; this is {named(found)}" if wrong else ""


ANY_SHOE: Final = ExpectedShoe()


def named(shoe: ShoeIdentified) -> str:
    """A shoe in words."""
    return f"{shoe.vendor} {shoe.model} {shoe.serial}, firmware {shoe.firmware}"
