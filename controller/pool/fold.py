"""One deed on a pool: the same meter fold as a table's own, whoever stores it."""

from __future__ import annotations

from typing import NamedTuple, Protocol, assert_never

from controller.core.meters.awards import AwardStatus, Jackpot, Winner, pay_winners
from controller.core.meters.meter import CENTS_LIMIT, UNITS, Meter, Unreasonable
from controller.core.meters.pool_postings import (
    AwardOutcome,
    ClaimPosting,
    ContributionOutcome,
    DeclinedOutcome,
    PoolAmounts,
    VerdictOutcome,
    VerdictPosting,
    WagerPosting,
)
from controller.core.meters.state import Adjustment, NewParameters
from controller.core.persons import same_person
from controller.core.refusal_reason import RefusalReason
from controller.pool.postings import ChangeOutcome, ChangePosting, PostingBody, PostingOutcome

WINNERS_LIMIT = 64
"""Wagers of one round that may win; more than any table has."""


class FoldStep(NamedTuple):
    """What a deed did: the meter after it, and the awards it made or changed."""

    outcome: PostingOutcome
    meter: Meter
    jackpots: tuple[Jackpot, ...] = ()


class Awards(Protocol):
    """What a deed has to know of the awards made before it."""

    hits: int
    """How many there are."""

    def award(self, table: str, number: int) -> Jackpot | None:
        """The award of this number, if it is the table's."""
        ...

    def won(self, table: str, epoch: int, number: int, spot: int, bet: str) -> bool:
        """Whether a wager of a round has an award that was not refused."""
        ...


def stepped(meter: Meter, table: str, epoch: int, deed: PostingBody, awards: Awards) -> FoldStep:
    """Do a deed of a table's."""
    match deed:
        case WagerPosting():
            return wagered(meter, deed)
        case ClaimPosting():
            before = [one for one in deed.winners if awards.won(table, epoch, deed.round, one.spot, one.bet)]
            if before:
                said = f"spot {before[0].spot}, {before[0].bet}, of round {deed.round} has its award already"
                return FoldStep(DeclinedOutcome(said), meter)
            return claimed(meter, deed, awards.hits)
        case VerdictPosting():
            return judged(meter, deed, awards.award(table, deed.jackpot))
        case ChangePosting():
            return moved(meter, deed)
        case _:
            assert_never(deed)


def wagered(meter: Meter, deed: WagerPosting) -> FoldStep:
    """Count a wager, unless it cannot be one."""
    if not 0 < deed.wager_cents < CENTS_LIMIT:
        return FoldStep(DeclinedOutcome(f"a wager of {deed.wager_cents} cents is none"), meter)
    given = meter.after_wager(deed.wager_cents)
    if isinstance(given, Unreasonable):
        said = f"{deed.wager_cents} cents would add {given.units} units; one wager adds {given.most_units} at most"
        return FoldStep(DeclinedOutcome(said), meter)
    return FoldStep(ContributionOutcome(given.units, given.hidden_units), given.meter)


def claimed(meter: Meter, deed: ClaimPosting, hits: int) -> FoldStep:
    """Freeze what the winners of one round get; ``hits``: awards made before."""
    winners = {winner.spot: winner for winner in deed.winners}
    if not 0 < len(winners) == len(deed.winners) <= WINNERS_LIMIT:
        return FoldStep(DeclinedOutcome("a claim names each winning spot once, and at least one"), meter)
    if not all(0 < part <= of <= UNITS for part, of in (winner.share for winner in deed.winners)):
        return FoldStep(
            DeclinedOutcome("a share is a part of the meter, such as [1, 10], and not more than the whole"), meter
        )
    won, meter = pay_winners(meter, (Winner(one.spot, one.share) for one in deed.winners), shared=deed.shared)
    jackpots = tuple(
        Jackpot(hits + place, meter.name, deed.round, one.spot, row.bet, row.row, one.cents, one.resets)
        for place, one in enumerate(won, start=1)
        for row in (winners[one.spot],)
    )
    stands = tuple(PoolAmounts(one.shown_cents, one.after.current_units, one.after.shown_cents()) for one in won)
    return FoldStep(AwardOutcome(jackpots, stands), meter, jackpots)


def judged(meter: Meter, deed: VerdictPosting, jackpot: Jackpot | None) -> FoldStep:
    """Bring an award on its way; refused, its amount goes back into the pool."""
    if jackpot is None:
        return FoldStep(DeclinedOutcome(f"this table has no jackpot {deed.jackpot}"), meter)
    match deed.verdict:
        case "verified":
            after = jackpot.verified(deed.who)
        case "paid":
            after = jackpot.paid(deed.who)
        case "refused":
            after = jackpot.refused(deed.who)
        case _:
            assert_never(deed.verdict)
    if isinstance(after, RefusalReason):
        return FoldStep(DeclinedOutcome(after.text), meter)
    if after.standing is AwardStatus.REFUSED:
        shown = meter.shown_cents()
        meter, recovered = meter.after_return(after.cents, after.resets)
        stands = PoolAmounts(shown, meter.current_units, meter.shown_cents())
        return FoldStep(VerdictOutcome(after, stands, *recovered), meter, (after,))
    return FoldStep(VerdictOutcome(after), meter, (after,))


def moved(meter: Meter, deed: ChangePosting) -> FoldStep:
    """Move the pool as two people said, for a reason of the closed list."""
    if not deed.who.strip() or not deed.second.strip() or same_person(deed.who, deed.second):
        return FoldStep(DeclinedOutcome("two people move a pool"), meter)
    match deed.move:
        case Adjustment(pool, units, reason):
            after = meter.after_adjustment(pool, units, reason)
            if isinstance(after, RefusalReason):
                return FoldStep(DeclinedOutcome(after.text), meter)
            return FoldStep(ChangeOutcome(units), after)
        case NewParameters(parameters):
            wrong = parameters.mistakes()
            if wrong:
                return FoldStep(DeclinedOutcome("; ".join(f"{key}: {what}" for key, what in wrong)), meter)
            after_change = meter.with_parameters(parameters)
            return FoldStep(ChangeOutcome(0, queued=after_change.queued is not None), after_change)
        case _:
            assert_never(deed.move)
