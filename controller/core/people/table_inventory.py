"""What a table won by its inventory: closer, credits and drop together, less opener and fills.

The floor enters each count with its slip. Nothing entered is changed afterwards: an entry of the opposite amount puts
it right. Money is integer cents.
"""

from __future__ import annotations

from collections.abc import Iterable

from controller.core.messages.alerts import OrderRefused
from controller.core.messages.floor_events import Count, InventoryEntered
from controller.core.messages.inputs import EnterInventory
from controller.core.table.alert_list import money
from controller.core.table.transaction import Desk
from firmware_protocols.values import Value


class TableInventory(Value, frozen=True, tag=False):
    """The sums of a table's counts over a time, in cents; None: nothing of the kind was entered."""

    opener_cents: int | None = None
    closer_cents: int | None = None
    fill_cents: int = 0
    credit_cents: int = 0
    drop_cents: int | None = None

    @property
    def win_cents(self) -> int | None:
        """What the table won; None while opener, closer or drop is missing, without which it is not known."""
        if self.opener_cents is None or self.closer_cents is None or self.drop_cents is None:
            return None
        return self.closer_cents + self.credit_cents + self.drop_cents - self.opener_cents - self.fill_cents


def inventory_of(entries: Iterable[InventoryEntered]) -> TableInventory:
    """The sums of these counts."""
    sums: dict[Count, int] = {}
    for entry in entries:
        sums[entry.kind] = sums.get(entry.kind, 0) + entry.cents
    return TableInventory(
        opener_cents=sums.get(Count.OPENER),
        closer_cents=sums.get(Count.CLOSER),
        fill_cents=sums.get(Count.FILL, 0),
        credit_cents=sums.get(Count.CREDIT, 0),
        drop_cents=sums.get(Count.DROP),
    )


def enter(desk: Desk, given: EnterInventory) -> None:
    """Publish a count under the next number; a slip that stands already is refused."""
    slips = desk.state.inventory_slips
    slip = f"{given.kind} {given.slip}"
    if given.slip and slips.get(slip, 0) * given.cents > 0:
        reason = f"slip {given.slip} is entered already, with {money(slips[slip])}"
        desk.tell(OrderRefused(f"enter {given.kind}", reason, given.who))
        return
    number = desk.state.inventory_entries + 1
    now = {**slips, slip: slips.get(slip, 0) + given.cents} if given.slip else slips
    desk.change(inventory_entries=number, inventory_slips={name: cents for name, cents in now.items() if cents})
    desk.tell(InventoryEntered(number, given.kind, given.cents, given.chips, given.slip, given.who, given.why))
