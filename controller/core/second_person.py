"""Rulings that move money, where the house wants two people for them: one proposes, another approves.

Nothing is moved by a proposal. It is tried out when it is made and judged again when it is approved, for the round may
have changed. Proposals share their numbers with those of meters, so that an order has one number at a table.
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core import floor, meter_rulings
from controller.core.alerts import FloorRefused
from controller.core.desk import Desk
from controller.core.floor_events import RulingProposed
from controller.core.inputs import AdjustWager, ApproveOrder, MeterRuling, Ruling, VoidRound, WithdrawOrder
from controller.core.jackpots import same_person
from controller.core.meter_events import OrderApproved, OrderWithdrawn
from controller.core.progressives import ORDERS_LIMIT
from controller.core.state import Proposed, Table


def rule(desk: Desk, ruling: Ruling) -> None:
    """Carry out a ruling; where the house wants two people for it, keep it until another approves."""
    if not desk.house.two_persons or not isinstance(ruling, VoidRound | AdjustWager):
        floor.rule(desk, ruling)
        return
    refusals = tried(desk, ruling)
    if len(desk.state.proposed) >= ORDERS_LIMIT:
        refusals = (f"{ORDERS_LIMIT} orders wait already; approve or withdraw some",)
    if refusals:
        desk.tell(FloorRefused(floor.what(ruling), "; ".join(refusals), ruling.who))
        return
    number = desk.state.progressives.ordered + 1
    desk.change(
        proposed=(*desk.state.proposed, Proposed(number, ruling)),
        progressives=replace(desk.state.progressives, ordered=number),
    )
    spot, bet, due = (ruling.spot, ruling.bet, ruling.due_cents) if isinstance(ruling, AdjustWager) else (0, "", None)
    desk.tell(RulingProposed(number, ruling.round, spot, bet, due, ruling.who, ruling.why))


def order(desk: Desk, asked: MeterRuling) -> None:
    """What people do with orders: those of rulings are here, all others are the meters'."""
    proposed = None
    if isinstance(asked, ApproveOrder | WithdrawOrder):
        proposed = next((one for one in desk.state.proposed if one.number == asked.order), None)
    match asked:
        case ApproveOrder() if proposed is not None:
            approve(desk, proposed, asked)
        case WithdrawOrder() if proposed is not None:
            forget(desk, proposed)
            desk.tell(OrderWithdrawn(asked.order, asked.who, asked.why))
        case _:
            meter_rulings.rule(desk, asked)


def approve(desk: Desk, proposed: Proposed, asked: ApproveOrder) -> None:
    """Carry a proposal out in both names, or say why it cannot be."""
    ruling = proposed.ruling
    refusals = tried(desk, ruling)
    if same_person(ruling.who, asked.who):
        refusals = (f"{ruling.who} proposed it; another person must approve",)
    if refusals:
        desk.tell(FloorRefused(f"approve order {asked.order}", "; ".join(refusals), asked.who))
        return
    forget(desk, proposed)
    desk.tell(OrderApproved(asked.order, ruling.who, asked.who))
    floor.rule(desk, replace(ruling, at_ns=asked.at_ns, who=f"{ruling.who}, {asked.who}"))


def tried(desk: Desk, ruling: Ruling) -> tuple[str, ...]:
    """Why a ruling would be refused now; none: it would not."""
    trial = Desk(Table(desk.house, desk.state, desk.found), desk.stamped)
    floor.rule(trial, ruling)
    return tuple(event.reason for event in trial.events if isinstance(event, FloorRefused))


def forget(desk: Desk, proposed: Proposed) -> None:
    """The proposal waits no longer."""
    desk.change(proposed=tuple(one for one in desk.state.proposed if one.number != proposed.number))
