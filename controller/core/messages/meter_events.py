"""What is published of meters and jackpots. Meters are in units of 1/10,000 cent, awards in cents.

``meter_units`` is what stands in the meter afterwards, ``shown_cents`` what its sign shows: whole cents up to the
limit.
"""

from __future__ import annotations

import msgspec

from controller.core.messages.pool_events import LinkEvent, PoolEntryDeclined
from controller.core.meters.meter import AdjustmentReason, MeterPart, Parameters
from controller.core.meters.state import MeterChange
from controller.core.refusal_reason import RefusalCode
from firmware_protocols.values import Value


class MeterOpened(Value, frozen=True, tag="meter_opened"):
    """The table counts a meter from here on; the house has paid in its base value."""

    meter: str
    parameters: Parameters
    """The meter's parameters."""
    meter_units: int
    shown_cents: int


class ContributionMade(Value, frozen=True, tag="contribution_made"):
    """A wager raised a meter, and its reserve."""

    meter: str
    round: int
    spot: int
    bet: str
    wager_cents: int
    units: int
    """The amount it added to the meter, in 1/10,000 cent."""
    hidden_units: int
    """The amount it added to the reserve, in 1/10,000 cent."""
    number: int
    """The contribution's number with the trigger box; 0: the meter has none."""
    meter_units: int
    shown_cents: int


class JackpotHit(Value, frozen=True, tag="jackpot_hit"):
    """A wager won an award from the amount the meter showed.

    The amount is frozen until people have verified and paid it.
    """

    jackpot: int
    meter: str
    round: int
    spot: int
    bet: str
    row: str
    """The row of the wager, or ``must_hit_by_mystery``."""
    cents: int
    """The amount won."""
    before_cents: int
    """The amount the meter showed before the award."""
    rule: str
    """How the winners of one round are evaluated."""
    number: int
    """The contribution that lifted the must-hit-by meter above its trigger, or the posting that claimed it from a pool;
    0: won by a row of the table's own meter.
    """
    meter_units: int
    shown_cents: int


class MeterReset(Value, frozen=True, tag="meter_reset"):
    """A meter was won and started again."""

    meter: str
    house_units: int
    """The part of the reset value that the house paid, in 1/10,000 cent."""
    reserve_units: int
    """The part of the reset value that the reserve paid, in 1/10,000 cent."""
    meter_units: int
    shown_cents: int


class JackpotVerified(Value, frozen=True, tag="jackpot_verified"):
    """A person checked the award and found it in order."""

    jackpot: int
    cents: int
    """The amount won."""
    who: str
    why: str
    vouched: str = ""


class JackpotPaid(Value, frozen=True, tag="jackpot_paid"):
    """A second person confirms that the award was paid."""

    jackpot: int
    cents: int
    """The amount won."""
    who: str
    verified_by: str
    """Who verified it."""
    why: str
    vouched: str = ""


class JackpotRefused(Value, frozen=True, tag="jackpot_refused"):
    """Two people refused the award.

    Its amount is in its meter again, and the reset value is out of it, unless the meter has been won since.
    """

    jackpot: int
    cents: int
    """The amount won."""
    house_units: int
    """The part of the reset value that went back to the house, in 1/10,000 cent."""
    reserve_units: int
    """The part of the reset value that went back to the reserve, in 1/10,000 cent."""
    meter: str
    meter_units: int
    shown_cents: int
    who: str
    """Who proposed."""
    second: str
    why: str


class MeterChangeProposed(Value, frozen=True, tag="meter_change_proposed"):
    """One person proposes a change that moves a meter; it is carried out once another person approves."""

    order: int
    meter: str
    move: MeterChange
    """The change: an ``adjustment``, ``refusal``, ``grant`` or ``new_parameters``, with its fields."""
    who: str
    why: str
    vouched: str = ""


class OrderApproved(Value, frozen=True, tag="order_approved"):
    """A second person approved a proposal. Its effects follow."""

    order: int
    who: str
    """Who proposed."""
    second: str
    vouched: str = ""
    """How the table knows who proposed: ``own key``, ``own signature``, ``socket of ROLE, user NUMBER``, or
    ``nothing``.
    """
    second_vouched: str = ""
    """How the table knows who approved, in the same words."""


class OrderWithdrawn(Value, frozen=True, tag="order_withdrawn"):
    """A proposal was withdrawn, or lapsed, and is not carried out.

    It lapses when what it was about is there no longer: the round of a box, the card, the gaming day of a count.
    """

    order: int
    who: str
    """Who withdrew it; ``table``: it lapsed."""
    why: str
    vouched: str | msgspec.UnsetType = msgspec.UNSET
    """How the table knows who withdrew it, as in ``order_approved``; left out where it lapsed."""


class MeterAdjusted(Value, frozen=True, tag="meter_adjusted"):
    """Two people moved a meter or its reserve, for one of a fixed list of reasons."""

    meter: str
    pool: MeterPart
    """``meter`` or ``reserve``."""
    units: int
    """The amount of the move, in 1/10,000 cent; negative: out of the meter."""
    reason: AdjustmentReason
    """``funding``, ``equipment_correction``, ``over_limit_correction`` or ``seed_recovery``."""
    meter_units: int
    shown_cents: int
    who: str
    """Who proposed."""
    second: str
    why: str


class ParametersQueued(Value, frozen=True, tag="parameters_queued"):
    """Two people ordered other parameters. They come into force with the meter's next reset."""

    meter: str
    parameters: Parameters
    """The meter's parameters."""
    who: str
    """Who proposed."""
    second: str
    why: str


class ParametersChanged(Value, frozen=True, tag="parameters_changed"):
    """Other parameters are in force now."""

    meter: str
    before: Parameters
    """The parameters until now."""
    after: Parameters
    """The parameters from now on."""


class MysteryCommitted(Value, frozen=True, tag="mystery_committed"):
    """The trigger box has drawn its number for a cycle and committed itself to it."""

    meter: str
    cycle: int
    """The cycle's number."""
    commitment: str
    """The trigger box's commitment to its number, hex."""
    share: str
    """The table's share of the draw, hex."""
    start_units: int
    """The amount at which the meter starts, in 1/10,000 cent."""
    reset_cents: int
    """The least amount the number can be."""
    ceiling_cents: int
    """The amount at which the meter is won at the latest."""


class MysteryRevealed(Value, frozen=True, tag="mystery_revealed"):
    """The number that was drawn for a cycle, and the key that opens its commitment."""

    meter: str
    cycle: int
    """The cycle's number."""
    number: int
    """The contribution that won."""
    drawn_cents: int
    """The amount that the trigger box drew."""
    key: str
    """The key that opens the commitment, hex."""


class MeterReopened(Value, frozen=True, tag="meter_reopened"):
    """A meter that was closed can be won again."""

    meter: str
    shown_cents: int


MeterEvent = (
    MeterOpened
    | ContributionMade
    | JackpotHit
    | MeterReset
    | JackpotVerified
    | JackpotPaid
    | JackpotRefused
    | MeterChangeProposed
    | OrderApproved
    | OrderWithdrawn
    | MeterAdjusted
    | ParametersQueued
    | ParametersChanged
    | MysteryCommitted
    | MysteryRevealed
    | MeterReopened
    | LinkEvent
)
"""Everything published of meters that is no alert."""


# --- alerts -----------------------------------------------------------------------------------------


class ContributionRefused(Value, frozen=True, tag="contribution_refused"):
    """A wager would raise a meter by more than a reasonable amount. Nothing was counted; a person must look at it."""

    meter: str
    round: int
    spot: int
    bet: str
    wager_cents: int
    reason: str
    reason_code: RefusalCode | None = None


class MeterClosed(Value, frozen=True, tag="meter_closed"):
    """A meter cannot be won now, and its sign says so. Contributions made meanwhile are kept and applied later."""

    meter: str
    reason: str


class MysteryDisputed(Value, frozen=True, tag="mystery_disputed"):
    """Trigger box and table disagree about the must-hit-by meter, or the box revealed what it was not committed to.

    Nothing is paid from it until people have looked at it.
    """

    meter: str
    reason: str
    """The claims of both, for display."""


class ParametersDiffer(Value, frozen=True, tag="parameters_differ"):
    """The table file orders other parameters than those in force.

    The parameters in force stay until two people have changed them.
    """

    meter: str
    ordered: Parameters
    """The parameters in the table file."""
    in_force: Parameters
    """The parameters that the meter runs on."""


MeterAlert = ContributionRefused | MeterClosed | MysteryDisputed | ParametersDiffer | PoolEntryDeclined
"""Alerts about meters."""
