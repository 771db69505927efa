"""What a trigger box has done, entry by entry: its store is nothing else, and its state follows from them alone."""

from __future__ import annotations

import msgspec

from controller.formats.journal.records import Identity
from firmware_protocols.trigger_messages import UNITS_PER_CENT
from firmware_protocols.values import Value


class BoxCommissioned(Value, frozen=True, tag="begun"):
    """Two people began the store for a table. The first cycle has number ``cycle`` + 1.

    With ``cycle`` above 0 the box takes over from one that was lost: what the table knows of the last cycle and
    contribution, and by how much its meter stands above the reset value. ``epoch`` 0: that of the first table to greet.
    """

    site: str
    table: str
    epoch: int
    cycle: int
    number: int
    carried_units: int
    operations: str
    surveillance: str
    wall_ns: int


class BoundsSet(Value, frozen=True, tag="bounds_set"):
    """Two people set the bounds that hold from the next draw on."""

    reset_cents: int
    ceiling_cents: int
    most_units: int
    operations: str
    surveillance: str
    wall_ns: int


class BoxRestored(Value, frozen=True, tag="adopted"):
    """The first greeting named the table's epoch."""

    epoch: int


class CycleDrawn(Value, frozen=True, tag="drawn"):
    """A number was drawn for ``cycle`` and sealed, with the pool as it is after the draw."""

    cycle: int
    start_units: int
    reset_cents: int
    ceiling_cents: int
    commitment: bytes
    sealed: bytes
    pool: bytes


class CycleShared(Value, frozen=True, tag="shared"):
    """The table's share of the draw came: the cycle is open."""

    cycle: int
    share: bytes


class ContributionCounted(Value, frozen=True, tag="counted"):
    """Contribution ``number`` was counted, and this is its answer for all time."""

    number: int
    cycle: int
    amount_units: int
    meter_units: int
    award_cents: int


class CycleOpened(Value, frozen=True, tag="opened"):
    """``cycle`` was hit by contribution ``number`` (0: two people ended the box), and what was sealed is so no more."""

    cycle: int
    number: int
    drawn_cents: int
    key: bytes


class HeadStored(Value, frozen=True, tag="kept"):
    """A later signed head of the table's journal came to be kept (``KeepHead``)."""

    epoch: int
    size: int
    root: bytes
    signature: bytes

    def is_later_than(self, other: HeadStored | None) -> bool:
        """Whether it is of a later epoch, or of more records of the same."""
        return other is None or (self.epoch, self.size) > (other.epoch, other.size)


class BoxRetired(Value, frozen=True, tag="ended"):
    """Two people took the box out of service."""

    operations: str
    surveillance: str
    wall_ns: int


BoxEntry = (
    BoxCommissioned
    | BoundsSet
    | BoxRestored
    | CycleDrawn
    | CycleShared
    | ContributionCounted
    | CycleOpened
    | HeadStored
    | BoxRetired
)
"""Everything a store may hold."""


class BoxState(Value, frozen=True, tag="state"):
    """A box as its entries leave it.

    ``over``: no cycle runs, the next is to be drawn and starts ``carried_units`` above the reset value.
    """

    site: str = ""
    table: str = ""
    epoch: int = 0
    cycle: int = 0
    number: int = 0
    meter_units: int = 0
    bounds: BoundsSet | None = None
    drawn: CycleDrawn | None = None
    share: bytes = b""
    over: bool = False
    carried_units: int = 0
    ended: bool = False
    head: HeadStored | None = None

    def identity(self) -> Identity:
        """Whose contributions it counts."""
        return Identity(self.site, self.table, self.epoch)


class ImpossibleEntry(ValueError):  # noqa: N818 - named for what it is
    """An entry that cannot follow what came before: the store was put together by somebody."""


def after(state: BoxState, entry: BoxEntry) -> BoxState:
    """The state once ``entry`` is stored.

    Raises:
        Impossible: it cannot follow.
    """
    change = msgspec.structs.replace
    match entry:
        case BoxCommissioned() if not state.site:
            return BoxState(
                entry.site,
                entry.table,
                entry.epoch,
                entry.cycle,
                entry.number,
                bounds=state.bounds,
                over=True,
                carried_units=entry.carried_units,
            )
        case BoundsSet():
            return change(state, bounds=entry)
        case BoxRestored(epoch) if state.epoch == 0:
            return change(state, epoch=epoch)
        case CycleDrawn() if state.over and entry.cycle == state.cycle + 1:
            return change(state, cycle=entry.cycle, meter_units=entry.start_units, drawn=entry, share=b"", over=False)
        case CycleShared(cycle, share) if cycle == state.cycle and not state.share and not state.over:
            return change(state, share=share)
        case ContributionCounted(number, cycle, amount, meter, award) if (number, cycle, meter) == (
            state.number + 1,
            state.cycle,
            state.meter_units + amount,
        ):
            left = meter - award * UNITS_PER_CENT
            return change(state, number=number, meter_units=meter, over=award > 0, carried_units=left)
        case CycleOpened(cycle) if cycle == state.cycle:
            return change(state, over=True)
        case HeadStored() if entry.is_later_than(state.head):
            return change(state, head=entry)
        case BoxRetired():
            return change(state, ended=True)
        case _:
            raise ImpossibleEntry(f"{type(entry).__name__} cannot follow here")
