"""The arithmetic of a mystery cycle that anybody can do again: commitment, share, trigger, award.

docs/reference/mystery-trigger.md has the same in words, with worked examples.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Final, NamedTuple

from controller.formats.journal.records import Identity
from firmware_protocols.trigger_messages import UNITS_PER_CENT

COMMITMENT_PURPOSE: Final = "tableside.mystery.v1"
SHARE_PURPOSE: Final = "tableside.mystery.share.v1"


class Bounds(NamedTuple):
    """What a cycle's number is drawn between: ``reset_cents`` to ``ceiling_cents`` - 1, in whole cents."""

    reset_cents: int
    ceiling_cents: int

    @property
    def width(self) -> int:
        """How many numbers there are to draw from."""
        return self.ceiling_cents - self.reset_cents

    def contains(self, cents: int) -> bool:
        """Whether a number may have been drawn."""
        return self.reset_cents <= cents < self.ceiling_cents


def commitment(key: bytes, identity: Identity, cycle: int, drawn_cents: int) -> bytes:
    """HMAC-SHA-256 keyed with 32 random bytes over purpose, ``site/table/epoch``, cycle and number, by line feeds."""
    message = "\n".join((COMMITMENT_PURPOSE, identity.text(), str(cycle), str(drawn_cents)))
    return hmac.digest(key, message.encode(), hashlib.sha256)


def opens_commitment(committed: str, key: bytes, identity: Identity, cycle: int, drawn_cents: int) -> bool:
    """Whether the key and the number open what the box was committed to (hex)."""
    return commitment(key, identity, cycle, drawn_cents).hex() == committed


def moved_by(share: bytes, identity: Identity, cycle: int, width: int) -> int:
    """The number below ``width`` that follows from the table's share, each as likely; larger ones are passed over."""
    mask = (1 << (width - 1).bit_length()) - 1
    attempt = 0
    while True:
        message = "\n".join((SHARE_PURPOSE, identity.text(), str(cycle), str(attempt)))
        found = int.from_bytes(hmac.digest(share, message.encode(), hashlib.sha256)[:8], "big") & mask
        if found < width:
            return found
        attempt += 1


def trigger_cents(drawn_cents: int, share: bytes, identity: Identity, cycle: int, bounds: Bounds) -> int:
    """The trigger: the box's number moved on by what the table's share says, within the same bounds."""
    low = bounds.reset_cents
    moved = moved_by(share, identity, cycle, bounds.width)
    return low + (drawn_cents - low + moved) % bounds.width


def is_hit(meter_units: int, trigger: int) -> bool:
    """Whether a meter stands above the trigger (cents)."""
    return meter_units > trigger * UNITS_PER_CENT


def award_cents(meter_units: int, ceiling_cents: int) -> int:
    """What a hit wins: the meter in whole cents, at most the ceiling."""
    return min(meter_units // UNITS_PER_CENT, ceiling_cents)


def next_start_units(meter_units: int, award: int, reset_cents: int) -> int:
    """Where the next cycle starts: the reset value, and what the award (cents) left in the meter."""
    return reset_cents * UNITS_PER_CENT + meter_units - award * UNITS_PER_CENT
