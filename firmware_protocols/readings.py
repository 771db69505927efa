"""What the table receives: the evidence. Dated, debounced, free of vendors.

Times are monotonic nanoseconds of the machine that took the reading. Every reading is stamped with a number,
wall time and 32 random bytes on the impure floor before it is stepped.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

from firmware_protocols.cards import Card
from firmware_protocols.values import Value


class CardDrawn(Value, frozen=True, tag="card_drawn"):
    """A card left the shoe at ``at_ns``. ``face`` None: it could not be read. ``burn``: by the shoe's burn mode.

    ``since_ns``: it was reported late (its first telling was lost, or nobody listened) and left the shoe at some moment
    from then to ``at_ns``; 0: nobody knows since when; -1: it was reported at once.
    """

    at_ns: int
    face: Card | None
    burn: bool = False
    sequence: int | None = None
    since_ns: int = -1


class ShoeDraws(Value, frozen=True, tag=False):
    """How far the draws of one shoe have been taken, of those that one memory of it numbers.

    ``series`` is that memory's own random number (32 bits), ``last`` the number of the last draw taken; -1: none yet.
    """

    serial: str
    series: int
    last: int


class ShoeNumbering(Value, frozen=True, tag="shoe_numbering"):
    """From here on draws are those of ``shoe``, and follow its ``last``. Reported before any of them is asked for."""

    shoe: ShoeDraws
    at_ns: int


class ChipsSeen(Value, frozen=True, omit_defaults=True, tag="chips_seen"):
    """The chips of one zone of one spot changed to ``chips`` (ids, sorted).

    It happened between ``after_ns`` (last inventory without the change) and ``by_ns`` (first with it). ``values`` is
    what those of the chips say themselves, in cents, that carry their value and were asked for it.
    """

    spot: int
    zone: str
    chips: tuple[str, ...]
    after_ns: int
    by_ns: int
    values: dict[str, int] = msgspec.field(default_factory=dict)


class ChipsConfirmed(Value, frozen=True, omit_defaults=True, tag="chips_confirmed"):
    """Every change of chips at these spots up to ``upto_ns`` has been reported.

    Given when asked for: each zone of the spots was inventoried by a request sent after ``upto_ns`` and held what was
    last reported. Without it the silence of a reader that is polled now and then would be taken for evidence.
    ``unseen`` are zones of these spots, as ``SPOT/ZONE``, of which it is not said, because their readers are lost or
    faulty.
    """

    spots: tuple[int, ...]
    upto_ns: int
    unseen: tuple[str, ...] = ()


class KeyPressed(Value, frozen=True, tag="key_pressed"):
    """The dealer pressed a key (``A`` to ``Y``); ``held``: for longer than the hold time. Dated when it went down."""

    at_ns: int
    key: str
    held: bool = False


class HealthState(StrEnum):
    """How a device is: its silence means something only while it is ``ready``."""

    READY = "ready"
    LOST = "lost"
    FAULTY = "faulty"


class DeviceHealth(Value, frozen=True, tag="device_health"):
    """A device's state changed at ``at_ns``; ``detail`` for people."""

    device: str
    state: HealthState
    at_ns: int
    detail: str = ""


class DeviceComplained(Value, frozen=True, tag="device_complained"):
    """A device raised an alarm of its own (shoe alarm, stuck key)."""

    device: str
    code: str
    text: str
    at_ns: int


class LineDisturbed(Value, frozen=True, tag="line_disturbed"):
    """Bytes from a device that are no message. ``data`` is at most 64 bytes, ``reason`` for people."""

    device: str
    reason: str
    data: bytes
    at_ns: int


class WagersSensed(Value, frozen=True, tag="wagers_sensed"):
    """What the sensors of ``device`` see of the side bet ``bet`` changed; spots, rising.

    ``live``: where a wager lies now. ``latched``: where one lay when the unit was locked for ``lock``, the number the
    table gave it (0, and nothing latched: it is open). It changed between ``after_ns`` and ``by_ns``.
    """

    device: str
    bet: str
    live: tuple[int, ...]
    latched: tuple[int, ...]
    lock: int
    after_ns: int
    by_ns: int


# --- the mystery trigger (docs/reference/mystery-trigger.md) --------------------------------------------------
# Reported in the order reveal, then the next commitment; one may come again after a restart, in the same words.


class MysteryCommitted(Value, frozen=True, tag="mystery_committed"):
    """The trigger box has drawn its number for ``cycle`` and binds itself to it: HMAC-SHA-256 in hex.

    The meter starts at ``start_units`` (1/10,000 cent): the reset value and what the last award left. The table now
    chooses its share of the draw (the random bytes of this reading's stamp) and tells the box.
    """

    at_ns: int
    cycle: int
    commitment: str
    start_units: int
    reset_cents: int
    ceiling_cents: int


class MysteryAnswered(Value, frozen=True, tag="mystery_answered"):
    """Contribution ``number`` was counted in ``cycle`` and lifted the box's meter to ``meter_units``.

    ``hit``: it lifted the meter above the trigger, and whoever made it wins ``award_cents`` (else 0).
    """

    at_ns: int
    number: int
    cycle: int
    meter_units: int
    hit: bool
    award_cents: int


class MysteryRevealed(Value, frozen=True, tag="mystery_revealed"):
    """``cycle`` was hit by contribution ``number``: the box's number, and the key (hex) that opens its commitment."""

    at_ns: int
    cycle: int
    number: int
    drawn_cents: int
    key: str


MysteryReading = MysteryCommitted | MysteryAnswered | MysteryRevealed
"""What a mystery trigger box tells."""

Reading = (
    CardDrawn
    | ShoeNumbering
    | ChipsSeen
    | ChipsConfirmed
    | KeyPressed
    | DeviceHealth
    | DeviceComplained
    | LineDisturbed
    | WagersSensed
    | MysteryReading
)
"""Everything a device session may hand to the table."""
