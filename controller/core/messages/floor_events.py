"""What the floor corrects, as events: who said what, and why. What was before stays readable."""

from __future__ import annotations

from enum import StrEnum

from controller.core.game.wager import LockedWager
from firmware_protocols.values import Value


class RulingProposed(Value, frozen=True, tag="ruling_proposed"):
    """A person proposes to void a round or to adjust a wager to ``net_cents``; another must approve.

    ``spot``, ``bet`` and ``net_cents`` are null for the whole round.
    """

    order: int
    round: int
    spot: int | None
    bet: str | None
    net_cents: int | None
    who: str
    why: str
    vouched: str = ""
    """How the table knows them: own key, a socket of which role, or nothing."""


class RoundVoided(Value, frozen=True, tag="round_voided"):
    """The floor voided a round: every wager goes back."""

    round: int
    who: str
    why: str


class CorrectionEntered(Value, frozen=True, tag="correction_entered"):
    """A ruling on a case, under the house's number for it. What it changes follows: ``wager_adjusted`` of each wager.

    ``spot``, ``bet`` and the nets null: the whole round goes back. ``before_cents`` null: the wager was open. ``who``
    are the one who proposed it and the one who approved it, ``late`` whether its round had left the table's books.
    """

    case: str
    round: int
    spot: int | None
    bet: str | None
    before_cents: int | None
    net_cents: int | None
    who: str
    why: str
    late: bool


class CardSet(Value, frozen=True, tag="card_set"):
    """The floor named a card's face. ``before``: ``??`` unread, null if it did not lie open.

    A card whose ``after`` is null no longer counts in the round: it was read twice, drawn back or put aside.
    """

    round: int
    card: int
    before: str | None
    after: str | None
    who: str
    why: str


class CardAssigned(Value, frozen=True, tag="card_assigned"):
    """The floor said whose a card is. ``spot`` 0 is the dealer."""

    round: int
    card: int
    spot: int
    who: str
    why: str


class BoxDeclared(Value, frozen=True, tag="box_declared"):
    """The floor said that a box without chips is in play (``round`` null: in the next one); 0 cents: it is not.

    ``beside`` are the side wagers at that spot that stand now that it has a main wager.
    """

    round: int | None
    spot: int
    cents: int
    who: str
    why: str
    beside: tuple[LockedWager, ...] = ()


class RoundResumed(Value, frozen=True, tag="round_resumed"):
    """A correction of the floor's explains an irregular round: it is settled again like any other."""

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


class ChipCount(Value, frozen=True, tag=False):
    """So many chips of one value."""

    value_cents: int
    count: int


class InventoryEntered(Value, frozen=True, omit_defaults=True, tag="inventory_entered"):
    """The floor entered a count of ``cents`` in all, of which ``chips`` by value where they were counted so.

    ``entry`` numbers them in the epoch. ``slip`` is the number on the paper and may be empty. A negative amount takes
    back an earlier one. ``gaming_day`` (a date) and ``shift`` are what it belongs to where it was entered later; left
    out, it belongs to the time of the event.
    """

    entry: int
    kind: Count
    cents: int
    chips: tuple[ChipCount, ...]
    slip: str
    who: str
    why: str
    gaming_day: str = ""
    shift: str = ""
