"""What the dealer is advised to take and pay, as values. Money is integer cents; spots count from 1."""

from __future__ import annotations

from enum import StrEnum

from firmware_protocols.values import Value


class DealerAction(StrEnum):
    """What the dealer does about a wager."""

    TAKE = "take"
    PAY = "pay"
    LEAVE = "leave"
    """A push: the wager is the player's."""


class Stack(Value, frozen=True, tag=False):
    """Chips of one value."""

    value_cents: int
    """The value of one chip."""
    count: int
    """How many."""


class AdviceLine(Value, frozen=True, tag=False):
    """One thing for the dealer to do."""

    spot: int
    bet: str
    hand: int | None
    """Which of a split spot's hands, from 0 on the left; null: the whole wager."""
    move: DealerAction
    """``take``, ``pay``, or ``leave``: a push."""
    cents: int
    """The amount to take, pay or leave."""
    chips: tuple[Stack, ...]
    """Chips of the registry's values that make the amount, the largest first."""
    missing_cents: int
    """The part of the amount that no chips of the table make."""


class PaymentAdvised(Value, frozen=True, tag="payment_advised"):
    """The chips to take and pay for the wagers that were just settled.

    It is never published before a settlement, and so never before the hole card lies open where the hole card matters.
    Insurance comes first, then the spots from the highest number down, and a split spot's hands from right to left.
    """

    round: int
    lines: tuple[AdviceLine, ...]
    """What to do, in order."""


class Advice(Value, frozen=True, tag=False):
    """Everything advised for one round, in the order it is done; ``round`` 0: nothing yet since the last lock."""

    round: int = 0
    lines: tuple[AdviceLine, ...] = ()
