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
    count: int


class AdviceLine(Value, frozen=True, tag=False):
    """One thing to do. ``hand``: which of a split spot's hands, from 0 on the left; null: the whole wager.

    ``chips`` make the amount, the largest first; ``missing_cents`` is what no chips of the table make of it.
    """

    spot: int
    bet: str
    hand: int | None
    move: DealerAction
    cents: int
    chips: tuple[Stack, ...]
    missing_cents: int


class PaymentAdvised(Value, frozen=True, tag="payment_advised"):
    """The chips to take and pay for the wagers that were just settled.

    It is never published before a settlement, and so never before the hole card lies open where the hole card matters.
    Insurance comes first, then the spots from the highest number down, and a split spot's hands from right to left.
    """

    round: int
    lines: tuple[AdviceLine, ...]
    """The actions: ``spot``, ``bet``, ``hand`` (of a split spot, from 0 on the left; null: the whole wager), ``move``
    (``take``, ``pay``, ``leave``), ``cents``, ``chips`` (``value_cents`` and ``count``, of the registry's values, the
    largest first), ``missing_cents`` (the part that no chips make).
    """


class Advice(Value, frozen=True, tag=False):
    """Everything advised for one round, in the order it is done; ``round`` 0: nothing yet since the last lock."""

    round: int = 0
    lines: tuple[AdviceLine, ...] = ()
