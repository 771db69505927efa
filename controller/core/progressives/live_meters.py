"""The table's meters in a round: contributions at the lock, awards when the cards decide, what signs show.

The wagers of a round contribute once its bets are locked for certain and its first card has left the shoe: from then on
they are collected and cannot be taken back. A contribution stays made whatever becomes of the round.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec.structs import replace

from controller.core.game.side_bet import meter_winners, terms_of
from controller.core.game.wager import LockedWager
from controller.core.messages.meter_events import (
    ContributionMade,
    ContributionRefused,
    JackpotHit,
    MeterClosed,
    MeterOpened,
    MeterReopened,
    MeterReset,
    ParametersChanged,
    ParametersDiffer,
)
from controller.core.meters.awards import AwardStatus, Jackpot, SpotAward, Winner, pay_winners
from controller.core.meters.meter import Meter, MeterContribution, Unreasonable, opened
from controller.core.meters.pooled_meter import PostingBacklog
from controller.core.meters.state import (
    WAITING_LIMIT,
    Contribution,
    MeterTerms,
    Progressives,
    terms_named,
    terms_paying_rows,
)
from controller.core.progressives import pool_outbox
from controller.core.refusal_reason import RefusalReason
from controller.core.table.desired import Desired, MeterShown
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import HealthState
from firmware_protocols.trigger_messages import Contribute, OpenCycle, TriggerWish

TRIGGER_BOX: Final = "mystery_trigger"
"""The device that knows when the must-hit-by meter is won."""

MYSTERY_ROW: Final = "must_hit_by_mystery"
"""The row of a wager that lifted the must-hit-by meter above its trigger."""

_TOLD_AT_ONCE: Final = 16
"""Contributions the trigger box is informed of ahead of its answers: two rounds of a full table."""


def change_meter(transaction: Transaction, progressives: Progressives) -> None:
    """Remember this of the progressives."""
    transaction.change(progressives=progressives)


# --- opening ----------------------------------------------------------------------------------------


def open_meters(transaction: Transaction) -> None:
    """Open the meters that the table file names for the first time; of the others say where it differs."""
    for terms in transaction.house.meters:
        meter = transaction.state.progressives.meter(terms.name)
        if meter is None:
            meter = opened(terms.name, terms.parameters)
            known = transaction.state.progressives
            change_meter(transaction, replace(known, meters=(*known.meters, meter)))
            transaction.emit(MeterOpened(meter.name, meter.parameters, meter.current_units, meter.shown_cents()))
        elif terms.parameters not in {meter.parameters, meter.queued}:
            transaction.emit(ParametersDiffer(meter.name, terms.parameters, meter.parameters))
    pool_outbox.open_linked(transaction)


# --- contributions ----------------------------------------------------------------------------------


def contribute_round(transaction: Transaction) -> None:
    """Let the wagers of the open round raise their meters, once."""
    round_now = transaction.round()
    if round_now.bets.contributed or not round_now.cards.drawn:
        return
    transaction.change_bets(contributed=True)
    contribute(transaction, round_now.bets.wagers)


def contribute(transaction: Transaction, wagers: Iterable[LockedWager]) -> None:
    """Let wagers of the open round raise the meters they feed, in the order of spots and bets."""
    for wager in sorted(wagers, key=lambda one: (one.spot, one.bet)):
        for terms in transaction.house.meters:
            if wager.bet in terms.fed_by:
                _raise_meter(transaction, terms, wager)
        pool_outbox.post_wager(transaction, wager)


def _raise_meter(transaction: Transaction, terms: MeterTerms, wager: LockedWager) -> None:
    """One wager raises one meter."""
    known = transaction.state.progressives
    meter = known.meter(terms.name)
    assert meter is not None, "every meter of the table file was opened at the start"
    place = (transaction.round().number, wager.spot, wager.bet)
    mystery = terms.kind == "mystery"
    given = meter.after_wager(wager.cents)
    refused: RefusalReason | None = None
    if isinstance(given, Unreasonable):
        text = f"it would add {given.units} units; no more than {given.most_units} are reasonable"
        refused = RefusalReason("meter_rules", text)
    elif mystery and len(known.waiting) >= WAITING_LIMIT:
        refused = RefusalReason("too_many_waiting", f"{WAITING_LIMIT} contributions wait for the trigger box")
    if refused is not None:
        transaction.emit(ContributionRefused(meter.name, *place, wager.cents, refused.text, refused.code))
        return
    assert isinstance(given, MeterContribution), "what is not unreasonable is contributed"
    number = 0
    if mystery and given.units:
        number = known.numbered + 1
        waiting = Contribution(number, *place, wager.cents, given.units)
        known = replace(known, numbered=number, waiting=(*known.waiting, waiting))
    change_meter(transaction, known.with_meter(given.meter))
    amounts = (given.units, given.hidden_units, number, given.meter.current_units, given.meter.shown_cents())
    transaction.emit(ContributionMade(meter.name, *place, wager.cents, *amounts))


# --- awards -----------------------------------------------------------------------------------------


def award_rows(transaction: Transaction, bet: str, rows: dict[int, str]) -> None:
    """Award the parts of the meter that the wagers of one round have won; ``rows`` by spot, all of the round's.

    Nothing is awarded twice: not after a correction of the floor's, and not again after a refusal.
    """
    terms = terms_paying_rows(transaction.house.meters, bet)
    meter = None if terms is None else transaction.state.progressives.meter(terms.name)
    if meter is None:
        pool_outbox.post_row_claims(transaction, bet, rows)
        return
    number, shares = transaction.round().number, terms_of(transaction.rules, bet).meter_shares
    judged = {
        (one.round, one.spot, one.bet) for one in transaction.state.progressives.jackpots if one.row != MYSTERY_ROW
    }
    winners = [
        Winner(spot, shares[row]) for spot, row in rows.items() if row in shares and (number, spot, bet) not in judged
    ]
    if not winners:
        return
    rule = meter_winners(transaction.rules, bet)
    won, after = pay_winners(meter, winners, shared=rule == "share")
    for place, one in enumerate(won):
        freeze_award(
            transaction, Jackpot(0, meter.name, number, one.spot, bet, rows[one.spot], one.cents, one.resets), one, rule
        )
        if one.resets is not None and (place + 1 == len(won) or won[place + 1].resets != one.resets):
            publish_reset(transaction, meter, one.after)
    change_meter(transaction, transaction.state.progressives.with_meter(after))


def freeze_award(transaction: Transaction, jackpot: Jackpot, won: SpotAward, rule: str, number: int = 0) -> None:
    """Freeze an award, and publish it."""
    known = transaction.state.progressives
    jackpot = replace(jackpot, number=known.hits + 1)
    change_meter(transaction, replace(known.with_jackpot(jackpot), hits=jackpot.number))
    place = (jackpot.round, jackpot.spot, jackpot.bet, jackpot.row)
    stands = (won.after.current_units, won.after.shown_cents())
    transaction.emit(
        JackpotHit(jackpot.number, jackpot.meter, *place, won.cents, won.shown_cents, rule, number, *stands)
    )


def publish_reset(transaction: Transaction, before: Meter, after: Meter) -> None:
    """A meter has started again, maybe on other parameters."""
    transaction.emit(MeterReset(after.name, *after.reset_by, after.current_units, after.shown_cents()))
    if before.queued is not None:
        transaction.emit(ParametersChanged(after.name, before.parameters, after.parameters))


def awarded(transaction: Transaction, bet: str) -> Iterator[tuple[int, int]]:
    """Spot and cents of each part of a meter that this round's wagers have won by their rows; 0 of a refused one."""
    number = transaction.round().number
    for one in transaction.state.progressives.jackpots:
        if (one.round, one.bet) == (number, bet) and one.row != MYSTERY_ROW:
            yield one.spot, 0 if one.standing is AwardStatus.REFUSED else one.cents


def mystery_cents(progressives: Progressives, number: int, spot: int, bet: str) -> int:
    """What a wager has won of the must-hit-by meter."""
    return sum(one.cents for one in progressives.won(number, spot, bet) if one.row == MYSTERY_ROW)


# --- what can be won, and what signs show -----------------------------------------------------------


def _sensors_closed(transaction: Transaction, bets: tuple[str, ...]) -> str:
    """Why it is not known who makes one of these side bets; empty: it is known."""
    for bet in bets:
        unit = transaction.house.counted.get(bet)
        if unit is not None and transaction.state.devices.get(unit.device) != HealthState.READY:
            return f"{unit.device} does not answer"
    return ""


def _closed_because(transaction: Transaction, meter: Meter) -> str:
    """Why a meter cannot be won now; empty: it can."""
    terms, known = terms_named(transaction.house.meters, meter.name), transaction.state.progressives
    if terms is None:
        return "the table file no longer has it"
    if unseen := _sensors_closed(transaction, terms.fed_by):
        return unseen
    if terms.kind == "rows":
        return ""
    if known.dispute:
        return known.dispute
    if transaction.state.devices.get(TRIGGER_BOX) != HealthState.READY:
        return "the trigger box does not answer"
    if known.cycle is None or known.cycle.number == known.revealed:
        return "the trigger box has not drawn its next number yet"
    return ""


def review(transaction: Transaction) -> None:
    """Publish which meters have closed and which can be won again."""
    known = transaction.state.progressives
    if not (known.meters or known.linked or known.closed):
        return
    now = {meter.name: _closed_because(transaction, meter) for meter in known.meters}
    fed_by = {one.name: one.fed_by for one in transaction.house.linked}
    for one in known.linked:
        now[one.name] = pool_outbox.closed_reason(transaction.house, one) or _sensors_closed(
            transaction, fed_by.get(one.name, ())
        )
    if now == known.closed:
        return
    cents = {one.meter: one.cents or 0 for one in _shown(replace(known, closed={}))}
    for name, after in now.items():
        before = known.closed.get(name, "")
        if after and after != before:
            transaction.emit(MeterClosed(name, after))
        elif before and not after:
            transaction.emit(MeterReopened(name, cents[name]))
    change_meter(transaction, replace(known, closed=now))


def _shown(progressives: Progressives) -> tuple[MeterShown, ...]:
    """What each meter's sign shows: None where the truth is not known."""
    stand = ((meter.name, meter.shown_cents()) for meter in progressives.meters)
    pools = ((linked.name, linked.shown_cents) for linked in progressives.linked)
    return tuple(MeterShown(name, None if progressives.closed.get(name) else cents) for name, cents in (*stand, *pools))


def _notice(progressives: Progressives) -> str:
    """The newest award that has not been verified yet, for all to see; empty: every award has."""
    pending = [one for one in progressives.jackpots if one.standing is AwardStatus.PENDING]
    if not pending:
        return ""
    cents = pending[-1].cents
    return f"JACKPOT ${cents // 100:,}.{cents % 100:02d} SPOT {pending[-1].spot}"


def with_meters(progressives: Progressives, desired: Desired) -> Desired:
    """What the devices should be sent, signs and trigger box included."""
    if not progressives.meters and not progressives.linked:
        return desired
    owing = tuple(PostingBacklog(one.name, one.posted, one.owed) for one in progressives.linked)
    parts = (_shown(progressives), _notice(progressives), desired_trigger_state(progressives))
    return replace(desired, meters=parts[0], notice=parts[1], trigger=parts[2], owing=owing)


def desired_trigger_state(progressives: Progressives) -> TriggerWish:
    """What the trigger box should be sent."""
    cycle = progressives.cycle
    if cycle is None:
        return TriggerWish()
    share = None if cycle.number == progressives.revealed else OpenCycle(cycle.number, bytes.fromhex(cycle.share))
    sent = () if progressives.dispute else progressives.waiting[:_TOLD_AT_ONCE]
    contributions = tuple(Contribute(one.number, one.units) for one in sent)
    made = progressives.answered + len(progressives.waiting)
    return TriggerWish(cycle.number, progressives.revealed, progressives.answered, share, contributions, made)
