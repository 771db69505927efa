"""The retained picture of a table's meters: what each stands at, what was won, what people have still to do."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from controller.core.meters.awards import Jackpot
from controller.core.meters.meter import Meter
from controller.core.meters.pooled_meter import PooledMeter
from controller.core.meters.state import MeterOrder, Progressives
from controller.core.table.state import State

JACKPOTS_SHOWN: Final = 25
"""Awards in the picture: the latest, open or not."""


class MeterNow(msgspec.Struct, frozen=True):
    """A meter with its accounts. Units are 1/10,000 cent; ``closed`` says why it cannot be won, empty if it can."""

    meter: str
    shown_cents: int
    closed: str
    meter_units: int
    overflow_units: int
    reserve_units: int
    wagers: int
    contributed_units: int
    reserved_units: int
    hits: int
    won_units: int
    resets: int


class LinkedNow(msgspec.Struct, frozen=True):
    """A linked meter: what its pool shows, and what of this table's postings the pool's ledger has answered.

    ``shown_cents`` is null while ``closed`` says why it is not known. Units and cents are what the ledger counted of
    this table's wagers and awards.
    """

    meter: str
    pool: str
    shown_cents: int | None
    closed: str
    posted: int
    waiting: int
    entry: int
    wagers: int
    contributed_units: int
    reserved_units: int
    hits: int
    won_cents: int
    returned_cents: int


class JackpotNow(msgspec.Struct, frozen=True):
    """An award and how far it has come."""

    jackpot: int
    meter: str
    round: int
    spot: int
    row: str
    cents: int
    standing: str
    who: str


class OrderNow(msgspec.Struct, frozen=True):
    """A proposal that waits for a second person; ``move`` as in ``meter_change_proposed``."""

    order: int
    meter: str
    move: dict[str, Any]
    who: str
    why: str


class MetersNow(msgspec.Struct, frozen=True):
    """Retained on ``state/meters``. ``seq`` is the last event it reflects."""

    seq: int
    meters: tuple[MeterNow, ...]
    jackpots: tuple[JackpotNow, ...]
    orders: tuple[OrderNow, ...]
    waiting: int
    """Contributions the trigger box has still to answer."""
    linked: tuple[LinkedNow, ...] = ()


def meter_now(meter: Meter, closed: str) -> MeterNow:
    """One meter."""
    return MeterNow(
        meter=meter.name,
        shown_cents=meter.shown_cents(),
        closed=closed,
        meter_units=meter.current_units,
        overflow_units=meter.overflow_units(),
        reserve_units=meter.reserve_units,
        wagers=meter.wagers,
        contributed_units=meter.main.units,
        reserved_units=meter.hidden.units,
        hits=meter.hits,
        won_units=meter.won_units,
        resets=meter.resets,
    )


def linked_now(linked: PooledMeter, closed: str) -> LinkedNow:
    """One linked meter."""
    return LinkedNow(
        meter=linked.name,
        pool=linked.pool,
        shown_cents=None if closed else linked.shown_cents,
        closed=closed,
        posted=linked.posted,
        waiting=len(linked.owed),
        entry=linked.entry,
        wagers=linked.wagers,
        contributed_units=linked.contributed_units,
        reserved_units=linked.reserved_units,
        hits=linked.hits,
        won_cents=linked.won_cents,
        returned_cents=linked.returned_cents,
    )


def jackpot_now(one: Jackpot) -> JackpotNow:
    """One award."""
    return JackpotNow(one.number, one.meter, one.round, one.spot, one.row, one.cents, one.standing.value, one.who)


def order_now(one: MeterOrder) -> OrderNow:
    """One proposal."""
    return OrderNow(one.number, one.meter, msgspec.to_builtins(one.move), one.who, one.why)


def meters_now(progressives: Progressives, seq: int) -> MetersNow:
    """All of it."""
    return MetersNow(
        seq=seq,
        meters=tuple(meter_now(one, progressives.closed.get(one.name, "")) for one in progressives.meters),
        jackpots=tuple(jackpot_now(one) for one in progressives.jackpots[-JACKPOTS_SHOWN:]),
        orders=tuple(order_now(one) for one in progressives.orders),
        waiting=len(progressives.waiting),
        linked=tuple(linked_now(one, progressives.closed.get(one.name, "")) for one in progressives.linked),
    )


def meters_bytes(state: State) -> bytes:
    """The payload of ``state/meters``."""
    return msgspec.json.encode(meters_now(state.progressives, state.seq))
