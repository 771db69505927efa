"""What is published of meters and jackpots. Meters are in units of 1/10,000 cent, awards in cents.

``meter_units`` is what stands in the meter afterwards, ``shown_cents`` what its sign shows: whole cents up to the
limit.
"""

from __future__ import annotations

from controller.core.messages.pool_events import LinkEvent, PoolEntryDeclined
from controller.core.meters.meter import Parameters, Pool, Reason
from controller.core.meters.state import MeterChange
from controller.core.refusal_reason import RefusalCode
from firmware_protocols.values import Value


class MeterOpened(Value, frozen=True, tag="meter_opened"):
    """A meter is counted from here on; the house has paid in its base value."""

    meter: str
    parameters: Parameters
    meter_units: int
    shown_cents: int


class ContributionMade(Value, frozen=True, tag="contribution_made"):
    """A wager raised a meter by ``units`` and its reserve by ``hidden_units``.

    ``number`` is the contribution's number with the trigger box, 0 for a meter that has none.
    """

    meter: str
    round: int
    spot: int
    bet: str
    wager_cents: int
    units: int
    hidden_units: int
    number: int
    meter_units: int
    shown_cents: int


class JackpotHit(Value, frozen=True, tag="jackpot_hit"):
    """A wager won ``cents`` out of what the meter showed; the amount is frozen until people have verified and paid it.

    ``rule`` says how the winners of one round are evaluated; ``number`` is the contribution that lifted a must-hit-by
    meter above its trigger, the posting by which a linked meter's award was claimed, else 0.
    """

    jackpot: int
    meter: str
    round: int
    spot: int
    bet: str
    row: str
    cents: int
    before_cents: int
    rule: str
    number: int
    meter_units: int
    shown_cents: int


class MeterReset(Value, frozen=True, tag="meter_reset"):
    """A meter was won and started again: what the house and the reserve paid of the reset value, and what it holds."""

    meter: str
    house_units: int
    reserve_units: int
    meter_units: int
    shown_cents: int


class JackpotVerified(Value, frozen=True, tag="jackpot_verified"):
    """A person found the award to be in order; ``vouched`` says how the table knows them."""

    jackpot: int
    cents: int
    who: str
    why: str
    vouched: str = ""


class JackpotPaid(Value, frozen=True, tag="jackpot_paid"):
    """A second person says that the award was paid; ``vouched`` says how the table knows them."""

    jackpot: int
    cents: int
    who: str
    verified_by: str
    why: str
    vouched: str = ""


class JackpotRefused(Value, frozen=True, tag="jackpot_refused"):
    """Two people refused the award: it is in its meter again, and its reset value is out, unless won since.

    ``house_units`` went back to the house, ``reserve_units`` to the reserve.
    """

    jackpot: int
    cents: int
    house_units: int
    reserve_units: int
    meter: str
    meter_units: int
    shown_cents: int
    who: str
    second: str
    why: str


class MeterChangeProposed(Value, frozen=True, tag="meter_change_proposed"):
    """One person, known by what ``vouched`` says, proposes what moves a meter; it is done once another approves."""

    order: int
    meter: str
    move: MeterChange
    who: str
    why: str
    vouched: str = ""


class OrderApproved(Value, frozen=True, tag="order_approved"):
    """A second person approved a proposal: what it does follows. How the table knows each of them is said, too."""

    order: int
    who: str
    second: str
    vouched: str = ""
    second_vouched: str = ""


class OrderWithdrawn(Value, frozen=True, tag="order_withdrawn"):
    """A proposal that is not carried out."""

    order: int
    who: str
    why: str


class MeterAdjusted(Value, frozen=True, tag="meter_adjusted"):
    """Two people moved a meter or its reserve by ``units``, for a reason of the closed list."""

    meter: str
    pool: Pool
    units: int
    reason: Reason
    meter_units: int
    shown_cents: int
    who: str
    second: str
    why: str


class ParametersQueued(Value, frozen=True, tag="parameters_queued"):
    """Two people ordered other parameters; they come into force with the meter's next reset."""

    meter: str
    parameters: Parameters
    who: str
    second: str
    why: str


class ParametersChanged(Value, frozen=True, tag="parameters_changed"):
    """Other parameters are in force."""

    meter: str
    before: Parameters
    after: Parameters


class MysteryCommitted(Value, frozen=True, tag="mystery_committed"):
    """The trigger box has drawn its number for ``cycle`` and bound itself to it; ``share`` is what the table adds.

    Commitment and share are hex.
    """

    meter: str
    cycle: int
    commitment: str
    share: str
    start_units: int
    reset_cents: int
    ceiling_cents: int


class MysteryRevealed(Value, frozen=True, tag="mystery_revealed"):
    """The number that ``cycle`` was drawn with, and the key (hex) that opens its commitment."""

    meter: str
    cycle: int
    number: int
    drawn_cents: int
    key: str


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
"""Everything published of meters that needs nobody's eye at once."""


# --- alerts -----------------------------------------------------------------------------------------


class ContributionRefused(Value, frozen=True, tag="contribution_refused"):
    """A wager that would raise a meter by more than anything reasonable: nothing was counted, somebody must look."""

    meter: str
    round: int
    spot: int
    bet: str
    wager_cents: int
    reason: str
    reason_code: RefusalCode | None = None
    """Null in journals from before there were codes."""


class MeterClosed(Value, frozen=True, tag="meter_closed"):
    """A meter cannot be won now, and its sign says so; contributions made all the same are kept and applied later."""

    meter: str
    reason: str


class MysteryDisputed(Value, frozen=True, tag="mystery_disputed"):
    """Trigger box and table disagree about the must-hit-by meter: nothing is paid from it until people have looked."""

    meter: str
    reason: str


class ParametersDiffer(Value, frozen=True, tag="parameters_differ"):
    """The table file orders other parameters than those in force; these stay until two people have changed them."""

    meter: str
    ordered: Parameters
    in_force: Parameters


MeterAlert = ContributionRefused | MeterClosed | MysteryDisputed | ParametersDiffer | PoolEntryDeclined
"""Alerts about meters."""
