"""What the floor corrects, as events: who said what, and why. What was before stays readable."""

from __future__ import annotations

from enum import StrEnum

import msgspec

from controller.core.game.wager import LockedWager
from firmware_protocols.values import Value

Vouched = str | msgspec.UnsetType
"""How the channel knows who ordered something, in words; left out by versions that did not say it."""


class ChipCount(Value, frozen=True, tag=False):
    """A number of chips of one value."""

    value_cents: int
    """The value of one chip."""
    count: int
    """How many."""


class RulingProposed(Value, frozen=True, tag="ruling_proposed"):
    """A person proposes to void a round or to adjust a wager; another must approve.

    This is published where the house wants two people for orders that move money (``two_persons``), and in every house
    for a ruling on a round that has left the books and for a due beyond the wager's rules. The proposal changes
    nothing until another person approves it (``order_approved``); the proposed ruling then follows, in both names.
    A proposal may also be withdrawn (``order_withdrawn``).
    """

    order: int
    round: int
    spot: int | None
    """The wager's spot; null: the whole round is to be voided."""
    bet: str | None
    """The wager; null: the whole round."""
    net_cents: int | None
    """The player's net that is proposed; null: the whole round."""
    who: str
    why: str
    vouched: str = ""
    case: str | msgspec.UnsetType = msgspec.UNSET
    """The house's number for the matter, as ``correction_entered`` will carry it; empty: none was given."""


class OrderProposed(Value, frozen=True, tag="order_proposed"):
    """A person orders something that takes a second person; another must approve.

    This is published where the house wants two people for orders that move money (``two_persons``): for a card that was
    read or named already, or is to be struck (``set-card``), or whose owner was stated (``assign-card``), for a box in
    a round whose bets are locked (``declare-box``), for what changes the due of a settled wager, and for a count that
    the table cannot have held (``inventory``); in every house for a count that changes what was entered of a past day.
    What becomes of it is told as with ``ruling_proposed``.
    """

    order: int
    verb: str
    """What was ordered, as the operator channel calls it: ``set-card``, ``assign-card``, ``declare-box`` or
    ``inventory``.
    """
    text: str
    """The order in words, for display."""
    round: int | None
    """The round; null: the order is not about a round."""
    card: int | None
    """The card's number; null: the order is not about a card."""
    face: str | None
    """The face that is proposed; null: none, or the card is to be struck."""
    spot: int | None
    """The spot, 0: the dealer; null: the order is not about a spot."""
    cents: int | None
    """The amount; null: the order is not about an amount."""
    who: str
    why: str
    vouched: str
    gaming_day: str | msgspec.UnsetType = msgspec.UNSET
    """Of a count: the gaming day it belongs to, by its date; empty: no day was known."""
    shift: str | msgspec.UnsetType = msgspec.UNSET
    """Of a count: the shift of that day; empty: the whole day, or the moment at which the count is entered."""
    slip: str | msgspec.UnsetType = msgspec.UNSET
    """Of a count: the number on the paper."""
    chips: tuple[ChipCount, ...] | msgspec.UnsetType = msgspec.UNSET
    """Of a count: of the amount, the chips of each value, the highest first."""


class RoundVoided(Value, frozen=True, tag="round_voided"):
    """The floor voided the round. Open wagers are settled with 0, settled ones adjusted to 0."""

    round: int
    who: str
    why: str
    vouched: Vouched = msgspec.UNSET


class CorrectionEntered(Value, frozen=True, tag="correction_entered"):
    """A ruling under one of the house's case numbers, published before its effects.

    The effects are a ``wager_adjusted`` for each wager, or a ``round_voided``. Every ruling on a round that had left
    the table's books (the last 20 rounds) has one; other rulings have one if a case was given.
    """

    case: str
    """The house's number for the matter."""
    round: int
    spot: int | None
    """The spot; null: the whole round is void."""
    bet: str | None
    """``main``, ``insurance`` or a side bet; null where the round is void."""
    before_cents: int | None
    """The player's net before; null: the wager was open, or the round is void."""
    net_cents: int | None
    """The player's net now; null: the round is void."""
    who: str
    """Who proposed it, and who approved it."""
    why: str
    """The reason, in the proposer's words."""
    late: bool
    """Whether the round had left the table's books."""


class CardSet(Value, frozen=True, tag="card_set"):
    """The floor named a card's face, or struck the card from the round.

    A card is struck that was read twice, drawn back or put aside. The commitment of the card still opens with the face
    that the shoe read.
    """

    round: int
    card: int
    before: str | None
    """The face before; ``??``: unread; null: the card did not lie open."""
    after: str | None
    """The face now; null: it is not a card of the round."""
    who: str
    why: str
    vouched: Vouched = msgspec.UNSET


class CardAssigned(Value, frozen=True, tag="card_assigned"):
    """The floor named the owner of a card. Only plays that agree are kept."""

    round: int
    card: int
    spot: int
    """The card's owner; 0: the dealer."""
    who: str
    why: str
    vouched: Vouched = msgspec.UNSET


class BoxDeclared(Value, frozen=True, tag="box_declared"):
    """A box that was none at the lock is in play: without chips (cash, a match play), or of a bettor dealt in late."""

    round: int | None
    """The round; null: the next one."""
    spot: int
    cents: int
    """The wager; 0: it is not in play after all."""
    who: str
    why: str
    beside: tuple[LockedWager, ...] = ()
    """Side wagers at that spot that stand now that it has a main wager."""
    vouched: Vouched = msgspec.UNSET


class RoundResumed(Value, frozen=True, tag="round_resumed"):
    """An irregular round is explained again, and is settled like any other.

    A correction by the floor explains it, or chips that no play explained are heard where they belong.
    """

    round: int


class Count(StrEnum):
    """What the floor counts at a table, in the words of the cage's slips."""

    OPENER = "opener"
    """The chips in the rack when the table opened."""
    CLOSER = "closer"
    """The chips in the rack when it closed."""
    FILL = "fill"
    """Chips brought from the cage."""
    CREDIT = "credit"
    """Chips taken to the cage."""
    DROP = "drop"
    """Cash and markers out of the table's drop box."""


class InventoryEntered(Value, frozen=True, omit_defaults=True, tag="inventory_entered"):
    """The floor entered a count of the table's chips or cash (``docs/guide/accounting.md#drop-and-hold``)."""

    entry: int
    """The entry's number, counted from 1 within the epoch."""
    kind: Count
    """``opener``, ``closer``, ``fill``, ``credit`` or ``drop``."""
    cents: int
    """The amount in all; negative where it takes back an earlier entry."""
    chips: tuple[ChipCount, ...]
    """Of the amount, the chips of each value, the highest first; empty where no chips were counted."""
    slip: str
    """The number on the paper; may be empty."""
    who: str
    why: str
    gaming_day: str = ""
    """The gaming day it belongs to, by its date; left out where that is the day of the event."""
    shift: str = ""
    """The shift of that day, by its name in the table file; left out where the entry belongs to the whole day."""
    vouched: str = ""
