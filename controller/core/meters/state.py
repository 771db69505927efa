"""What a table remembers of its progressives: the meters it counts, awards not yet paid, what people have proposed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal, TypeVar

import msgspec
from msgspec.structs import replace

from controller.core.meters.awards import Jackpot
from controller.core.meters.meter import AdjustmentReason, Meter, MeterPart, Parameters
from controller.core.meters.pooled_meter import PooledMeter, PooledTerms, WhileClosed
from controller.core.persons import UNAUTHENTICATED, Authentication
from firmware_protocols.values import Value

_KEPT_JACKPOTS: Final = 25
"""Awards kept once nothing is open about them: what the standards ask a controller to show."""

WAITING_LIMIT: Final = 10_000
"""Contributions kept while the trigger box is away: a full table for a day. More are refused, and said so."""

ORDERS_LIMIT: Final = 16
"""Orders that may wait for a second person; more than a shift proposes."""


class MeterTerms(Value, frozen=True, tag=False):
    """A meter as the table file orders it."""

    name: str
    kind: Literal["rows", "mystery"]
    """What wins it: the rows of a side wager, or the trigger box (must-hit-by)."""
    fed_by: tuple[str, ...]
    """The side wagers that raise it."""
    parameters: Parameters
    title: str = ""
    """What people call it."""
    while_closed: WhileClosed = "stand"


_Terms = TypeVar("_Terms", bound=MeterTerms | PooledTerms)


def terms_named(entries: Iterable[_Terms], name: str) -> _Terms | None:
    """The table file's entry for a meter, own or linked as ``entries`` are; None: it has none (any more)."""
    return next((terms for terms in entries if terms.name == name), None)


def terms_paying_rows(entries: Iterable[_Terms], bet: str) -> _Terms | None:
    """The entry of the meter that pays the rows of a side wager. A must-hit-by meter pays none."""
    fed = (terms for terms in entries if bet in terms.fed_by)
    return next((terms for terms in fed if isinstance(terms, PooledTerms) or terms.kind == "rows"), None)


class Contribution(Value, frozen=True, tag=False):
    """A contribution the trigger box has not answered yet."""

    number: int
    round: int
    spot: int
    bet: str
    wager_cents: int
    units: int
    net_cents: int | None = None
    """What the cards alone gave the wager, once they had decided; None: not yet, or not any more."""
    jackpot_cents: int = 0
    """What of it other meters have awarded."""

    def place(self) -> tuple[int, int, str]:
        """The wager: its round, spot and bet."""
        return self.round, self.spot, self.bet


class Cycle(Value, frozen=True, tag=False):
    """A cycle of the must-hit-by meter, as the trigger box committed itself to it; ``share`` is ours, in hex."""

    number: int
    commitment: str
    share: str
    reset_cents: int
    ceiling_cents: int


class Adjustment(Value, frozen=True, tag="adjustment"):
    """Move a meter or its reserve by ``units`` for a reason of the closed list."""

    pool: MeterPart
    """``meter`` or ``reserve``."""
    units: int
    """By how much, in 1/10,000 cent; negative: it falls."""
    reason: AdjustmentReason
    """``equipment_correction``, ``over_limit_correction``, ``seed_recovery`` or ``funding``."""


class JackpotRefusal(Value, frozen=True, tag="refusal"):
    """Put the amount of an award back into its meter."""

    jackpot: int


class Grant(Value, frozen=True, tag="grant"):
    """Award a row's part of the meter for a wager that the table could not judge."""

    round: int
    spot: int
    bet: str
    row: str
    """The row of the side bet's pay table."""


class NewParameters(Value, frozen=True, tag="new_parameters"):
    """Put a meter on other parameters, with its next reset."""

    parameters: Parameters
    """The parameters from then on."""


MeterChange = Adjustment | JackpotRefusal | Grant | NewParameters
"""What moves a meter, and so takes two people."""


class MeterOrder(Value, frozen=True, tag=False):
    """What one person has proposed and another must approve."""

    number: int
    meter: str
    move: MeterChange
    who: str
    why: str
    vouched: Authentication = UNAUTHENTICATED


class Progressives(Value, frozen=True, tag=False):
    """All of it; a table without meters has none of it."""

    meters: tuple[Meter, ...] = ()
    jackpots: tuple[Jackpot, ...] = ()
    """Those still open, and the last 25 others, oldest first."""
    hits: int = 0
    orders: tuple[MeterOrder, ...] = ()
    ordered: int = 0
    numbered: int = 0
    """Contributions numbered for the trigger box so far."""
    answered: int = 0
    waiting: tuple[Contribution, ...] = ()
    cycle: Cycle | None = None
    revealed: int = 0
    """The last cycle the box has revealed."""
    dispute: str = ""
    """Why box and table disagree; the must-hit-by meter is closed until people have put it right. Empty: they agree."""
    closed: dict[str, str] = msgspec.field(default_factory=dict)
    """Why a meter is closed, by name, as last reported."""
    linked: tuple[PooledMeter, ...] = ()
    """Meters that are pools of many tables."""

    def meter(self, name: str) -> Meter | None:
        """The meter of this name."""
        return next((one for one in self.meters if one.name == name), None)

    def with_meter(self, meter: Meter) -> Progressives:
        """With this meter in place of the one of its name."""
        return replace(self, meters=tuple(meter if one.name == meter.name else one for one in self.meters))

    def linked_meter(self, name: str) -> PooledMeter | None:
        """The linked meter of this name."""
        return next((one for one in self.linked if one.name == name), None)

    def with_linked(self, linked: PooledMeter) -> Progressives:
        """With this linked meter, new or in place of the one of its name."""
        if self.linked_meter(linked.name) is None:
            return replace(self, linked=(*self.linked, linked))
        return replace(self, linked=tuple(linked if one.name == linked.name else one for one in self.linked))

    def jackpot(self, number: int) -> Jackpot | None:
        """The award of this number; None: there is none, or it is no longer kept."""
        return next((one for one in self.jackpots if one.number == number), None)

    def won(self, number: int, spot: int, bet: str) -> tuple[Jackpot, ...]:
        """What a wager of a round has won, refused awards left out."""
        place = (number, spot, bet)
        return tuple(
            one for one in self.jackpots if (one.round, one.spot, one.bet) == place and one.standing != "refused"
        )

    def with_jackpot(self, jackpot: Jackpot) -> Progressives:
        """With this award, new or in place of the one of its number."""
        others = tuple(jackpot if one.number == jackpot.number else one for one in self.jackpots)
        known = any(one.number == jackpot.number for one in self.jackpots)
        jackpots = others if known else (*others, jackpot)
        closed = [one.number for one in jackpots if not one.open()]
        gone = set(closed[:-_KEPT_JACKPOTS])
        return replace(self, jackpots=tuple(one for one in jackpots if one.number not in gone))

    def decided(self, place: tuple[int, int, str], net_cents: int, jackpot_cents: int) -> Progressives:
        """With what the cards gave a wager (round, spot, bet) that waits for the trigger box."""
        waiting = tuple(
            replace(one, net_cents=net_cents, jackpot_cents=jackpot_cents) if one.place() == place else one
            for one in self.waiting
        )
        return self if waiting == self.waiting else replace(self, waiting=waiting)

    def undecided(self, number: int, spot: int | None = None, bet: str = "") -> Progressives:
        """Without what the cards gave one wager of a round, or all of them: it no longer holds."""
        waiting = tuple(
            replace(one, net_cents=None, jackpot_cents=0)
            if one.round == number and (spot is None or (one.spot, one.bet) == (spot, bet))
            else one
            for one in self.waiting
        )
        return self if waiting == self.waiting else replace(self, waiting=waiting)

    def awaits(self, number: int, spot: int, bet: str) -> bool:
        """Whether the trigger box has still to answer for a wager of a round."""
        place = (number, spot, bet)
        return any((one.round, one.spot, one.bet) == place for one in self.waiting)
