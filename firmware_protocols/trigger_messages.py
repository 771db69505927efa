"""What passes between a table and its mystery trigger box, vendor words removed: reports and commands.

The box holds the number that a must-hit-by meter has to exceed, and the meter itself; the table tells it of each
contribution and answers whether it hit. Meters are in units of 1/10,000 cent. docs/reference/mystery-trigger.md is the
whole account.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from firmware_protocols.values import Value

UNITS_PER_CENT: Final = 10_000
"""A meter is counted in 1/10,000 cent, so that no part of a contribution is ever dropped."""

SHARE_BYTES: Final = 32
"""Random bytes that the table adds to each draw, after the box has committed to its own number."""

KEY_BYTES: Final = 32
"""Random bytes under which a box commits to a number."""

ROOT_BYTES: Final = 32
"""Length of the root of a journal's tree: SHA-256."""

SIGNATURE_BYTES: Final = 64
"""Length of the signature of a journal's head: Ed25519."""


class TriggerCondition(StrEnum):
    """What a box can do now. Only ``open`` takes contributions."""

    UNGREETED = "ungreeted"
    OPEN = "open"
    AWAITING_SHARE = "awaiting_share"
    NO_RANDOMNESS = "no_randomness"
    ROLLED_BACK = "rolled_back"
    OTHER_TABLE = "other_table"
    DISPUTED = "disputed"
    ENDED = "ended"


class GreetTrigger(Value, frozen=True, tag="greet_trigger"):
    """The table says who it is and how much it knows; the answer repeats ``token`` (1 to 65,535).

    ``cycle`` and ``number`` are the last commitment and the last answered contribution its journal has, 0 if none. A
    box that knows less was set back, and takes no contribution.
    """

    token: int
    site: str
    table: str
    epoch: int
    cycle: int
    number: int


class CheckTrigger(Value, frozen=True, tag="check_trigger"):
    """The heartbeat: ask a box how it is. The answer repeats ``token`` (1 to 65,535)."""

    token: int


class OpenCycle(Value, frozen=True, tag="open_cycle"):
    """The table's share of the draw of ``cycle``: 32 random bytes chosen after the box's commitment was stored."""

    cycle: int
    share: bytes


class Contribute(Value, frozen=True, tag="contribute"):
    """Contribution ``number`` of the epoch, counted from 1 without a gap: ``amount_units`` in 1/10,000 cent, above 0.

    Said again it is answered again in the same words, and counted once.
    """

    number: int
    amount_units: int


class RecallCycle(Value, frozen=True, tag="recall_cycle"):
    """Ask a box to say again what it committed to for ``cycle``, and, once that has been hit, to reveal it again."""

    cycle: int


class KeepHead(Value, frozen=True, tag="keep_head"):
    """A signed head of the table's journal, for the box to keep: the journal of ``epoch`` had ``size`` records.

    ``root`` is that of the Merkle tree over them. The box keeps the latest it was sent (by epoch, then size), without
    checking the signature, and answers with the one it has then.
    """

    epoch: int
    size: int
    root: bytes
    signature: bytes


class RecallHead(Value, frozen=True, tag="recall_head"):
    """Ask a box for the signed head that it keeps. A table asks before it has the box keep another."""


class TriggerGreeted(Value, frozen=True, tag="trigger_greeted"):
    """Answer to a greeting: which box this is, and the bounds it draws and counts within from the next cycle on.

    ``most_units``: the largest contribution it takes for a plausible one. ``serial`` has 1 to 16 characters,
    ``firmware`` 1 to 12, printable ASCII.
    """

    token: int
    serial: str
    firmware: str
    reset_cents: int
    ceiling_cents: int
    most_units: int


class TriggerStatus(Value, frozen=True, tag="trigger_status"):
    """How a box is, asked or (``token`` 0) because that changed: its running cycle, the last contribution counted."""

    token: int
    condition: TriggerCondition
    cycle: int
    number: int


class CycleCommitted(Value, frozen=True, tag="cycle_committed"):
    """The box has drawn its number for ``cycle`` and binds itself to it. The meter starts at ``start_units``."""

    cycle: int
    commitment: bytes
    start_units: int
    reset_cents: int
    ceiling_cents: int


class ContributionAnswered(Value, frozen=True, tag="contribution_answered"):
    """Contribution ``number`` lifted the meter to ``meter_units``.

    ``hit``: it stands above the trigger, and ``award_cents`` is won (else 0). What the award leaves in the meter is
    carried into the next cycle.
    """

    number: int
    cycle: int
    meter_units: int
    hit: bool
    award_cents: int


class CycleRevealed(Value, frozen=True, tag="cycle_revealed"):
    """``cycle`` was hit by contribution ``number``: the box's own number and the key that open its commitment."""

    cycle: int
    number: int
    drawn_cents: int
    key: bytes


class HeadKept(Value, frozen=True, tag="head_kept"):
    """The signed head that the box keeps; ``size`` 0, and zeros in the rest: none."""

    epoch: int
    size: int
    root: bytes
    signature: bytes


class TriggerAlarm(Value, frozen=True, tag="trigger_alarm"):
    """The box complains: a code of 1 to 16 characters and a text of at most 64, printable ASCII."""

    code: str
    text: str


TriggerReport = (
    TriggerGreeted | TriggerStatus | CycleCommitted | ContributionAnswered | CycleRevealed | HeadKept | TriggerAlarm
)
"""Everything a box may say."""

TriggerCommand = GreetTrigger | CheckTrigger | OpenCycle | Contribute | RecallCycle | KeepHead | RecallHead
"""Everything a box may be sent."""


class TriggerWish(Value, frozen=True, tag="trigger_wish"):
    """What a table wants of its trigger box: a function of the table, sent anew after every commit that changes it.

    ``cycle``, ``revealed`` and ``number`` are what its journal has: the last commitment, the last cycle revealed, the
    last contribution answered, each 0 if none. ``share`` is chosen once the commitment is in the journal, and
    ``contributions`` are those not yet answered, in order, the first of them ``number + 1``; ``made`` is the last that
    the journal has, sent or not.
    """

    cycle: int = 0
    revealed: int = 0
    number: int = 0
    share: OpenCycle | None = None
    contributions: tuple[Contribute, ...] = ()
    made: int = 0
