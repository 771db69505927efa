"""Jackpots: who of a round takes what from a meter, in which order, and an award's life from the hit to the payment.

A hit freezes the amount and the meter goes on from its reset value at once; the frozen amount is verified and paid, or
refused and put back, by people. So play never waits for a verification, and no verification can change an amount.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from msgspec.structs import replace

from controller.core.meters.meter import Meter
from controller.core.persons import UNAUTHENTICATED, Authentication, same_person
from controller.core.refusal_reason import RefusalReason
from firmware_protocols.values import Value


class Winner(NamedTuple):
    """A spot that won a part of a meter."""

    spot: int
    share: tuple[int, int]


class _Take(NamedTuple):
    """One step of the evaluation: these spots take this part of what the meter shows, in equal shares."""

    spots: tuple[int, ...]
    part: int
    of: int

    def whole(self) -> bool:
        """Whether nothing is left and the meter starts again."""
        return self.part == self.of

    def cents_each(self, shown_cents: int) -> int:
        """What each spot gets, rounded down to the cent; what does not divide stays in the meter."""
        return shown_cents * self.part // self.of // len(self.spots)


def awards_in_order(winners: Iterable[Winner], *, shared: bool) -> Iterator[_Take]:
    """The takes of one round in the order in which they are made (A23).

    Evaluated from the highest spot down; a part lowers the meter before the next winner (S.D. 20:18:15:30.19). Winners
    of the whole meter share it equally if ``shared``, once the last of them is reached; else the first takes it and the
    next finds the reset value.
    """
    ordered = sorted(winners, reverse=True)
    whole = tuple(winner.spot for winner in ordered if winner.share[0] == winner.share[1])
    for spot, (part, of) in ordered:
        if part != of:
            yield _Take((spot,), part, of)
        elif not shared:
            yield _Take((spot,), 1, 1)
        elif spot == whole[-1]:
            yield _Take(whole, 1, 1)


class SpotAward(NamedTuple):
    """The award of a spot; ``resets``: the meter's count of resets after it, None if the spot won only a part."""

    spot: int
    cents: int
    shown_cents: int
    """What the meter showed before it."""
    resets: int | None
    after: Meter
    """The meter after it."""


def pay_winners(meter: Meter, winners: Iterable[Winner], *, shared: bool) -> tuple[tuple[SpotAward, ...], Meter]:
    """What the winners of one round get of a meter, in the order of evaluation, and the meter after them."""
    won: list[SpotAward] = []
    for take in awards_in_order(winners, shared=shared):
        shown = meter.shown_cents()
        each = take.cents_each(shown)
        meter = meter.after_award(each * len(take.spots), hits=len(take.spots))
        if take.whole():
            meter = meter.after_reset(winners=len(take.spots))
        resets = meter.resets if take.whole() else None
        won.extend(SpotAward(spot, each, shown, resets, meter) for spot in take.spots)
    return tuple(won), meter


class AwardStatus(StrEnum):
    """How far an award has come."""

    PENDING = "pending"
    VERIFIED = "verified"
    PAID = "paid"
    REFUSED = "refused"


class Jackpot(Value, frozen=True, tag=False):
    """An award out of a meter, its amount frozen at the hit."""

    number: int
    meter: str
    round: int
    spot: int
    bet: str
    row: str
    cents: int
    resets: int | None
    """The meter's count of resets after this award started it again; None: a part of it was won."""
    standing: AwardStatus = AwardStatus.PENDING
    who: str = ""
    """Who brought it to where it stands."""
    ledger_number: int = 0
    """What a pool's ledger calls it; 0: it is out of a meter of the table's own."""
    vouched: Authentication = UNAUTHENTICATED
    """How the table knew them; a pool's ledger does not say."""

    def open(self) -> bool:
        """Whether people still have to verify, pay or refuse it."""
        return self.standing in {AwardStatus.PENDING, AwardStatus.VERIFIED}

    def verified(self, who: str, vouched: Authentication = UNAUTHENTICATED) -> Jackpot | RefusalReason:
        """The award verified, or why it cannot be."""
        if self.standing is not AwardStatus.PENDING:
            return RefusalReason("already_done", f"jackpot {self.number} is {self.standing}")
        return replace(self, standing=AwardStatus.VERIFIED, who=who, vouched=vouched)

    def paid(self, who: str) -> Jackpot | RefusalReason:
        """The award paid, or why it cannot be: it takes another person than who verified it."""
        if self.standing is not AwardStatus.VERIFIED:
            return RefusalReason(
                "already_done", f"jackpot {self.number} is {self.standing}; what is paid must be verified first"
            )
        if same_person(who, self.who):
            return RefusalReason(
                "second_person_needed",
                f"{self.who} verified jackpot {self.number}; another person must say that it is paid",
            )
        return replace(self, standing=AwardStatus.PAID, who=who)

    def refused(self, who: str) -> Jackpot | RefusalReason:
        """The award refused, or why it cannot be."""
        if not self.open():
            return RefusalReason("already_done", f"jackpot {self.number} is {self.standing}")
        return replace(self, standing=AwardStatus.REFUSED, who=who)
