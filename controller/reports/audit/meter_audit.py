"""A table's meters added up again from what it published: every unit accounted for, by somebody who was not there.

The equations are those of the meter itself, but counted here from the events alone: what was paid in, less what was
paid out, is what stands in the meter; what was contributed is rate times wagers, within one unit in all.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec

from controller.core.messages.events import Event
from controller.core.messages.meter_events import (
    ContributionMade,
    ContributionRefused,
    JackpotHit,
    JackpotPaid,
    JackpotRefused,
    JackpotVerified,
    MeterAdjusted,
    MeterChangeProposed,
    MeterClosed,
    MeterOpened,
    MeterReopened,
    MeterReset,
    MysteryCommitted,
    OrderApproved,
    OrderWithdrawn,
    ParametersChanged,
    ParametersQueued,
)
from controller.core.meters.meter import UNITS, Parameters
from controller.reports.audit.pool_meter_audit import LinkedAccount, enter_linked


class AwardAccount(msgspec.Struct):
    """An award, and how far it has come."""

    jackpot: int
    meter: str
    round: int
    spot: int
    bet: str
    row: str
    cents: int
    standing: str = "pending"
    who: str = ""


class MeterAccount(msgspec.Struct):
    """A meter as its events add up. Units are 1/10,000 cent."""

    meter: str
    shown_cents: int
    meter_units: int
    """What the last event says stands in it."""
    reserve_units: int = 0
    closed: str = ""
    wagers: int = 0
    wagered_cents: int = 0
    refused_wagers: int = 0
    funded_units: int = 0
    contributed_units: int = 0
    reserved_units: int = 0
    reserve_moved_units: int = 0
    adjusted_units: int = 0
    won_units: int = 0
    returned_units: int = 0
    recovered_units: int = 0
    hits: int = 0
    resets: int = 0
    parameters: Parameters | None = None
    queued: Parameters | None = None
    cycle: int = 0
    wrong: list[str] = msgspec.field(default_factory=list)
    """Where the events do not add up; empty: every unit is accounted for."""

    def put_in_units(self) -> int:
        """What was put in and not taken out again."""
        came = self.funded_units + self.contributed_units + self.reserve_moved_units + self.adjusted_units
        return came + self.returned_units - self.recovered_units - self.won_units


class MeterBook(msgspec.Struct):
    """All meters of a table, their awards, and the proposals that wait."""

    meters: dict[str, MeterAccount] = msgspec.field(default_factory=dict)
    awards: dict[int, AwardAccount] = msgspec.field(default_factory=dict)
    orders: dict[int, dict[str, Any]] = msgspec.field(default_factory=dict)
    linked: dict[str, LinkedAccount] = msgspec.field(default_factory=dict)

    def reconciled(self) -> bool:
        """Whether every meter's events add up."""
        wrong = [*(one.wrong for one in self.meters.values()), *(one.wrong for one in self.linked.values())]
        return not any(wrong)


class _Exact(msgspec.Struct):
    """What the rate times the wagers is, exactly, in units."""

    main: Fraction = Fraction(0)
    hidden: Fraction = Fraction(0)


def meter_book(events: Iterable[Event]) -> MeterBook:
    """The book that published events give, in their order."""
    book, exact = MeterBook(), dict[str, _Exact]()
    for event in events:
        enter(book, exact, event)
    return book


def enter(book: MeterBook, exact: dict[str, _Exact], event: Event) -> None:
    """Enter one event, and compare where it says what a meter stands at."""
    if enter_linked(book.linked, event):
        return
    match event:
        case MeterOpened(meter, parameters, units, cents):
            book.meters[meter] = MeterAccount(meter, cents, units, funded_units=units, parameters=parameters)
            exact[meter] = _Exact()
        case ContributionMade():
            contribute(book.meters[event.meter], exact[event.meter], event)
        case ContributionRefused(meter):
            book.meters[meter].refused_wagers += 1
        case JackpotHit(jackpot, meter, number, spot, bet, row, cents):
            book.awards[jackpot] = AwardAccount(jackpot, meter, number, spot, bet, row, cents)
            if meter in book.meters:
                line = book.meters[meter]
                line.won_units += cents * UNITS
                line.hits += 1
                line.meter_units, line.shown_cents = event.meter_units, event.shown_cents
        case MeterReset(meter, house, reserve, units, cents):
            line = book.meters[meter]
            line.funded_units += house
            line.reserve_moved_units += reserve
            line.reserve_units -= reserve
            line.resets += 1
            stands(line, units, cents)
        case JackpotVerified(jackpot, _, who):
            book.awards[jackpot].standing, book.awards[jackpot].who = "verified", who
        case JackpotPaid(jackpot, _, who):
            book.awards[jackpot].standing, book.awards[jackpot].who = "paid", who
        case JackpotRefused(jackpot, cents, house, reserve, meter, units, shown):
            book.awards[jackpot].standing, book.awards[jackpot].who = "refused", event.who
            if meter in book.meters:
                line = book.meters[meter]
                line.returned_units += cents * UNITS
                line.recovered_units += house
                line.reserve_moved_units -= reserve
                line.reserve_units += reserve
                stands(line, units, shown)
        case _:
            people(book, event)


def people(book: MeterBook, event: Event) -> None:
    """Proposals, corrections, parameters, and what is closed."""
    match event:
        case MeterAdjusted(meter, pool, moved, _, units, shown):
            line = book.meters[meter]
            if pool == "meter":
                line.adjusted_units += moved
            else:
                line.reserve_units += moved
            stands(line, units, shown)
        case MeterChangeProposed(order, meter, move, who, why):
            found = {"order": order, "meter": meter, "move": msgspec.to_builtins(move), "who": who, "why": why}
            book.orders[order] = found
        case OrderWithdrawn(order) | OrderApproved(order):
            book.orders.pop(order, None)
        case ParametersQueued(meter, parameters):
            book.meters[meter].queued = parameters
        case ParametersChanged(meter, _, after):
            book.meters[meter].parameters, book.meters[meter].queued = after, None
        case MeterClosed(meter, reason):
            book.meters[meter].closed = reason
        case MeterReopened(meter):
            book.meters[meter].closed = ""
        case MysteryCommitted(meter, cycle):
            book.meters[meter].cycle = cycle
        case _:
            pass


def contribute(line: MeterAccount, exact: _Exact, event: ContributionMade) -> None:
    """A wager came: the meter has risen by its part, and by nothing else."""
    line.wagers += 1
    line.wagered_cents += event.wager_cents
    line.contributed_units += event.units
    line.reserved_units += event.hidden_units
    line.reserve_units += event.hidden_units
    parameters = line.parameters
    assert parameters is not None, "a meter is opened before anything is contributed"
    exact.main += Fraction(*parameters.rate) * event.wager_cents * UNITS
    exact.hidden += Fraction(*parameters.hidden_rate) * event.wager_cents * UNITS
    for name, due, counted in (
        ("meter", exact.main, line.contributed_units),
        ("reserve", exact.hidden, line.reserved_units),
    ):
        if not 0 <= due - counted < 1:
            line.wrong.append(f"{name}: {counted} units contributed, rate times wagers is {due}")
    stands(line, event.meter_units, event.shown_cents)


def stands(line: MeterAccount, units: int, shown_cents: int) -> None:
    """An event says what a meter stands at: hold it against what was put in and taken out."""
    line.meter_units, line.shown_cents = units, shown_cents
    left = line.put_in_units()
    if left != units:
        line.wrong.append(f"it stands at {units} units, what was put in less what was taken out is {left}")
