"""The chips of each round's wagers, followed from the lock to the next, and what is due on them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.betting.acceptance import is_after_deal_zone
from controller.core.certainty import round_end
from controller.core.certainty.reader_zones import spot_and_zone
from controller.core.game.hand import deal_cards, is_natural, seen
from controller.core.game.side_bet import terms_of
from controller.core.game.wager import Basis
from controller.core.inference.observation import ChipsObserved, Observation
from controller.core.messages.events import (
    BettingClosed,
    DeviceStatusChanged,
    Event,
    HandCompleted,
    HandsSplit,
    InsuranceTaken,
    RoundClosed,
    RoundPending,
    SpotSurrendered,
    TableStarted,
    WagerAdjusted,
    WagerSettled,
)
from controller.core.messages.floor_events import RoundVoided
from controller.core.messages.raised_alerts import AlertKind
from controller.core.surveillance import irregular_payments, opening_payments
from controller.core.surveillance.payment_course import TWO_MOVES_NS, Course
from controller.core.surveillance.payment_judgement import Mispay, PaymentTerms, judge
from controller.core.table.layout import Zone, worth, zone_name
from controller.core.table.payments import (
    HIDDEN_NS,
    RoundPayments,
    WagerDue,
    ZoneContent,
    ZoneHistory,
)
from controller.core.table.round_state import Round, RoundCard
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import ChipsSeen, HealthState, KeyPressed

_EARLIER: Final = 10
"""Rounds from which it is known how seldom the readers look."""

_ROUNDS_LIMIT: Final = 5
"""Rounds followed at once: the open one, those that wait for an answer, and one that is being paid."""


_TAKEN_IN: Final = frozenset(
    {
        *(BettingClosed, RoundClosed, RoundPending, RoundVoided, WagerSettled, WagerAdjusted),
        *(InsuranceTaken, HandsSplit, HandCompleted, SpotSurrendered, TableStarted, DeviceStatusChanged),
    }
)
"""The events that mean something for payments."""


class RoundMispay(NamedTuple):
    """A wager that was not paid as it is due."""

    round: int
    owed: WagerDue
    finding: Mispay


def follow(before: Table, transaction: Transaction) -> list[RoundMispay]:
    """Take in what a step's reading says of the chips, then what it made the table say; what is found wrong by it."""
    _look_at_chips(before, transaction)
    open_round = transaction.state.round
    if open_round is not None and _cards_changed(before, open_round) and _follows(transaction, open_round):
        was = before.state.round
        _look_at_cards(transaction, open_round, dealt=was is None or _deal_of(was) != _deal_of(open_round))
    found: list[RoundMispay] = []
    for event in [event for event in transaction.events if type(event) in _TAKEN_IN]:
        paid = transaction.state.payments_of(event.round) if isinstance(event, (RoundClosed, RoundPending)) else None
        if paid is not None and paid.closed_ns < 0:
            by_key = _closed_by_key(before, transaction)
            change_payments(
                transaction, replace(paid, by_evidence=not by_key, closed_ns=_closed_ns(before, transaction))
            )
        found += _take_in(transaction, event)
    for paid in transaction.state.paid[-1:]:
        reviewed = opening_payments.review(transaction, paid)
        if reviewed is not paid:
            change_payments(transaction, reviewed)
    return found


def change_payments(transaction: Transaction, after: RoundPayments) -> None:
    """Remember a round as it is now."""
    transaction.change(paid=tuple([after if one.round == after.round else one for one in transaction.state.paid]))


def exclude_zone(transaction: Transaction, name: str) -> None:
    """What lies in a zone cannot be counted: its payment is not judged."""
    spot, zone = spot_and_zone(name)
    if transaction.state.paid and not transaction.state.paid[-1].next_locked:
        change_payments(transaction, transaction.state.paid[-1].spoilt(frozenset({spot}), zone))


def exclude_zones_hearing(transaction: Transaction, chip: str) -> None:
    """Two zones hear a chip: their payments are not judged, but where it is known at which of them it lies.

    A chip that has lain at one for so long that another antenna's own chip would have been heard there, too, counts
    there as before. To hold a chip to another antenna, or a copy of it, switches no check off. In journals of before
    no zone is judged that hears a chip twice.
    """
    heard, felt = transaction.heard(), transaction.state.felt
    zones: Collection[str] = heard.zones()
    if transaction.house.floor_claims_checked:
        zones = heard.heard_twice[chip]
        homes = [name for name in zones if chip not in felt[name].doubted]
        if len(homes) == 1 and _lies_firmly(transaction, chip, homes[0]):
            return
    for name in zones:
        exclude_zone(transaction, name)


def _lies_firmly(transaction: Transaction, chip: str, name: str) -> bool:
    """Whether a chip has been heard at a zone for some time, without a break."""
    since_ns, now_ns = transaction.state.felt[name].seen_ns, transaction.table_ns(transaction.stamped.at_ns)
    watch = transaction.state.paid[-1].watches.get(name) if transaction.state.paid else None
    for look in () if watch is None else reversed(watch.looks):
        if chip not in look.chips:
            break
        since_ns = look.last_ns
    return now_ns - since_ns >= _FIRM_NS


_FIRM_NS: Final = 3_000_000_000
"""Several looks of the slowest reader: what another antenna hears only then does not lie there."""


# --- chips and cards --------------------------------------------------------------------------------


def _look_at_chips(before: Table, transaction: Transaction) -> None:
    """A zone's new content, as one more look at it."""
    reading = transaction.stamped.input
    if not isinstance(reading, ChipsSeen) or not transaction.state.paid or transaction.state.paid[-1].next_locked:
        return
    paid, was, now = transaction.state.paid[-1], before.state.felt, transaction.state.felt
    name = zone_name(reading.spot, reading.zone)
    apart_ns = _looks_apart_ns(transaction, reading, was.get(name))
    if paid.closed_ns >= 0:
        paid = replace(paid, after_ns=max(paid.after_ns, apart_ns))
    else:
        paid = replace(paid, slowest_ns=max(paid.slowest_ns, apart_ns))
    for other, zone in now.items():
        lay = was.get(other)
        if zone is not lay is not None and other != name and lay.cents != zone.cents:
            paid = paid.spoilt(frozenset({zone.spot}), zone.name)
    old = was.get(name) or Zone(reading.spot, reading.zone, (), 0, reading.after_ns)
    new, watch = now[name], paid.watches.get(name)
    is_heard_twice = _is_heard_twice(transaction, name)
    if transaction.house.floor_claims_checked:
        old, new = _counted_chips(old), _counted_chips(new)
        is_heard_twice = is_heard_twice and watch is None
    if watch is None and (reading.zone == "insurance" or is_after_deal_zone(transaction.rules, reading.zone)):
        watch = ZoneHistory(reading.spot, reading.zone, 0, (ZoneContent(0, 0, 0, old.cents, old.chips),))
    if watch is not None and old.chips != new.chips:
        look = _looked(transaction, reading, old, new, paid.closed_ns)
        sound = look.came_cents - look.left_cents == new.cents - old.cents
        watch = watch.after(look)
        if not sound or is_heard_twice:
            watch = replace(watch, spoilt=True)
        paid = replace(paid, watches={**paid.watches, name: watch})
    change_payments(transaction, paid)


def _counted_chips(zone: Zone) -> Zone:
    """A zone with the chips that count there: not those which it hears and that lie at another, as far as is known."""
    return replace(zone, chips=tuple(chip for chip in zone.chips if chip not in zone.doubted)) if zone.doubted else zone


def _looked(transaction: Transaction, reading: ChipsSeen, old: Zone, now: Zone, closed_ns: int) -> ZoneContent:
    """A zone's content with the value of the chips that came and of those that left."""
    chips = transaction.house.chips
    came = worth(set(now.chips) - set(old.chips), chips, now.values)
    left = worth(set(old.chips) - set(now.chips), chips, old.values)
    first_ns, last_ns = transaction.table_ns(reading.after_ns), transaction.table_ns(reading.by_ns)
    # A reader often tells after the close what happened before it.
    closed = 0 <= closed_ns <= first_ns
    over = _may_hold_next_bets(transaction, transaction.state.paid[-1].round)
    return ZoneContent(transaction.stamped.number, first_ns, last_ns, now.cents, now.chips, came, left, closed, over)


def _looks_apart_ns(transaction: Transaction, reading: ChipsSeen, lay: Zone | None) -> int:
    """How far apart the looks lie that show a change; a reader of which one look is enough looks more seldom.

    Two looks agree on what came, two on what went, and both are told of other chips, so that one in three is shared.
    """
    wide_ns = reading.by_ns - reading.after_ns
    if not transaction.house.looks_reckoned:
        return wide_ns
    old = frozenset(() if lay is None else lay.chips)
    is_exchange = not old <= set(reading.chips) and not old >= set(reading.chips)
    return wide_ns // (3 if is_exchange else 2)


def _may_hold_next_bets(transaction: Transaction, number: int) -> bool:
    """Whether a round that is followed may be over, so that chips may be the next bets."""
    round_now = transaction.state.round
    if round_now is None or round_now.number != number:
        return True
    return round_now.is_dealt() and not round_now.evidence.trouble and round_end.some_play_is_over(transaction)


def _closed_by_key(before: Table, transaction: Transaction) -> bool:
    """Whether a key has closed the round that was open."""
    reading, round_now = transaction.stamped.input, before.state.round
    pressed = isinstance(reading, KeyPressed) and transaction.house.keys.get(reading.key) == "round_closed"
    return pressed or round_now is None or round_now.ending.closing


def _closed_ns(before: Table, transaction: Transaction) -> int:
    """When the open round was closed: by its key, where it has waited for a look since."""
    round_now = before.state.round
    keyed_ns = -1 if round_now is None or not round_now.ending.closing else round_now.ending.close_keyed_ns
    return keyed_ns if keyed_ns >= 0 else transaction.table_ns(transaction.stamped.at_ns)


def _follows(transaction: Transaction, round_now: Round) -> bool:
    """Whether the chips of the open round are followed."""
    return bool(transaction.state.paid) and transaction.state.paid[-1].round == round_now.number


def _cards_changed(before: Table, round_now: Round) -> bool:
    """Whether the open round has other cards, or other evidence of them, than before this step."""
    was = before.state.round
    return (
        was is None
        or was.cards.drawn is not round_now.cards.drawn
        or was.evidence.observations is not round_now.evidence.observations
    )


def _deal_of(round_now: Round) -> tuple[tuple[int, ...], tuple[RoundCard, ...]]:
    """The boxes, and the cards that are dealt to them and to the dealer before the hole card."""
    spots = round_now.bets.spots
    return spots, round_now.cards.drawn[: deal_cards(len(spots), hole=False)]


def _look_at_cards(transaction: Transaction, round_now: Round, *, dealt: bool = True) -> None:
    """The time of the last card, and which boxes have naturals; not ``dealt``: the deal has not changed."""
    paid = transaction.state.paid[-1]
    last_ns = max(transaction.times().cards_until_ns, 0)
    naturals = paid.naturals
    boxes = len(round_now.bets.spots)
    if not naturals and dealt and len(round_now.cards.drawn) > 2 * boxes:
        naturals = tuple(
            spot for box, spot in enumerate(round_now.bets.spots) if _natural_at(round_now, box, box + boxes + 1)
        )
    played_ns = max(paid.played_ns, _played_ns(round_now)) if transaction.house.falls_at_cards else paid.played_ns
    if (last_ns, naturals, played_ns) != (paid.last_card_ns, paid.naturals, paid.played_ns):
        last_ns = max(last_ns, paid.last_card_ns)
        change_payments(transaction, replace(paid, last_card_ns=last_ns, naturals=naturals, played_ns=played_ns))


def _played_ns(round_now: Round) -> int:
    """When the last card came or the last key of the play was pressed, that of the turn too; -1: neither was yet."""
    known = reversed(round_now.evidence.observations)
    return next((one.first_ns for one in known if not isinstance(one.item, ChipsObserved)), -1)


def _natural_at(round_now: Round, first: int, second: int) -> bool:
    """Whether the cards at two places are a natural; a card that was not read makes none."""
    one, other = round_now.cards.drawn[first].shown(), round_now.cards.drawn[second].shown()
    return one is not None and other is not None and is_natural(seen(0, one), seen(0, other))


# --- what the table says ----------------------------------------------------------------------------


def _take_in(transaction: Transaction, event: Event) -> Iterator[RoundMispay]:
    """What an event means for the payments."""
    match event:
        case BettingClosed():
            yield from _locked(transaction, event)
        case WagerSettled():
            yield from _settled(transaction, event)
        case WagerAdjusted(number) if transaction.state.payments_of(number) is not None:
            yield from _adjusted(transaction, event, _of_round(transaction, number))
        case InsuranceTaken(number, spot, cents) if transaction.state.payments_of(number) is not None:
            paid = _of_round(transaction, number)
            change_payments(transaction, replace(paid, insured={**paid.insured, str(spot): cents}))
        case HandsSplit(number, spot) if transaction.state.payments_of(number) is not None:
            change_payments(
                transaction,
                replace(_of_round(transaction, number), splits=(*_of_round(transaction, number).splits, spot)),
            )
        case HandCompleted(number, spot) if transaction.state.payments_of(number) is not None:
            _hand_completed(transaction, event)
        case SpotSurrendered(number, spot) if transaction.state.payments_of(number) is not None:
            paid = _of_round(transaction, number)
            change_payments(transaction, replace(paid, surrendered=(*paid.surrendered, spot)))
        case RoundClosed(number, _, _, outcome) if transaction.state.payments_of(number) is not None:
            paid = _of_round(transaction, number)
            if outcome == "irregular":
                irregular_payments.report(transaction, paid)
            change_payments(transaction, paid.spoilt() if outcome in {"irregular", "void"} else paid)
        case RoundVoided(number) if transaction.state.payments_of(number) is not None:
            change_payments(transaction, _of_round(transaction, number).spoilt())
        case TableStarted(_, _, _, True):
            for paid in transaction.state.paid:
                change_payments(transaction, paid.spoilt())
        case DeviceStatusChanged(device, state) if state != HealthState.READY:
            _no_more_seen(transaction, device)
        case _:
            pass


def _hand_completed(transaction: Transaction, event: HandCompleted) -> None:
    """A hand that has not broken is not taken while others play; what a split hand staked bounds what it is paid."""
    paid = _of_round(transaction, event.round)
    if transaction.house.payments_by_course and event.spot in paid.splits:
        paid = replace(paid, stakes={**paid.stakes, f"{event.spot}/{event.hand}": event.stake_cents})
    if event.total <= 21:
        paid = replace(paid, unbroken=(*paid.unbroken, event.spot))
    change_payments(transaction, paid)


def _no_more_seen(transaction: Transaction, device: str) -> None:
    """A reader is lost: what lies in its zones is not judged."""
    for paid in transaction.state.paid:
        if paid.next_locked:
            continue
        seen = paid
        for spot in transaction.house.readers.get(device, ()):
            for zone in transaction.house.zones_at(device, spot) or ("",):
                seen = seen.spoilt(frozenset({spot}), zone)
        if seen is not paid:
            change_payments(transaction, seen)


def _of_round(transaction: Transaction, number: int) -> RoundPayments:
    """A round that is known to be followed."""
    found = transaction.state.payments_of(number)
    assert found is not None, "the round is not followed"
    return found


def _locked(transaction: Transaction, event: BettingClosed) -> Iterator[RoundMispay]:
    """The next bets are locked: what was to be paid is paid. The new round's zones are followed from here."""
    for paid in transaction.state.paid:
        if not paid.next_locked:
            change_payments(transaction, replace(paid, next_locked=True))
            for owed in paid.owed:
                yield from _wrong(transaction, paid, owed)
    open_rounds = {one.number for one in (*transaction.state.waiting, transaction.state.round) if one is not None}
    kept = tuple(paid for paid in transaction.state.paid if paid.round in open_rounds)
    watches: dict[str, ZoneHistory] = {}
    # A lock that is reported as its round ends or waits for an answer: what became of the chips was not followed.
    is_late = transaction.state.round is None or transaction.state.round.number != event.round
    for wager in event.wagers:
        zone = transaction.state.felt.get(zone_name(wager.spot, wager.bet))
        if zone is not None:
            look = ZoneContent(0, 0, 0, zone.cents, zone.chips)
            # Other chips than those at the lock lie there already, or some that nobody can count.
            name = zone_name(wager.spot, wager.bet)
            spoilt = is_late or zone.cents != wager.cents or _may_be_bet_anew(transaction, zone)
            spoilt = spoilt or _is_heard_twice(transaction, name)
            watches[name] = ZoneHistory(wager.spot, wager.bet, wager.cents, (look,), spoilt)
    earlier = tuple(ns for paid in transaction.state.paid[-1:] for ns in (*paid.earlier_ns, paid.widest_ns()))[
        -_EARLIER:
    ]
    transaction.change(paid=(*kept, RoundPayments(event.round, watches, earlier_ns=earlier))[-_ROUNDS_LIMIT:])
    if transaction.state.round is not None and transaction.state.round.number == event.round:
        _look_at_cards(transaction, transaction.state.round)


def _may_be_bet_anew(transaction: Transaction, zone: Zone) -> bool:
    """Whether chips have moved there since the lock, which is reported late: a wager that was lost may be gone."""
    round_now = transaction.round()
    if transaction.house.moves_reconsidered and any(
        _is_at(round_now, one.item, zone) for one in round_now.evidence.observations
    ):
        return True
    return transaction.house.payments_bounded and not set(zone.chips).isdisjoint(round_now.cards.replaced)


def _is_at(round_now: Round, item: Observation, zone: Zone) -> bool:
    """Whether evidence is of the chips in a zone."""
    return isinstance(item, ChipsObserved) and (round_now.bets.spots[item.box], item.zone) == (zone.spot, zone.name)


def _is_heard_twice(transaction: Transaction, name: str) -> bool:
    """Whether another zone hears a chip of this one too."""
    return name in transaction.heard().zones()


def _settled(transaction: Transaction, event: WagerSettled) -> Iterator[RoundMispay]:
    """A wager's due is known; if the chips lie still already it can be judged at once."""
    paid = transaction.state.payments_of(event.round)
    judged = event.basis in {Basis.EVIDENCE, Basis.ANSWER} and not _by_hand(transaction, event)
    if paid is None or not judged:
        return
    owed = WagerDue(event.spot, event.bet, event.wager_cents, event.net_cents, transaction.stamped.number)
    first = (
        (zone_name(event.spot, event.bet),) if opening_payments.is_settled_before_play(transaction, paid, event) else ()
    )
    change_payments(transaction, replace(paid, owed=(*paid.owed, owed), first=(*paid.first, *first)))
    if paid.next_locked:
        yield from _wrong(transaction, paid, owed)


def _adjusted(transaction: Transaction, event: WagerAdjusted, paid: RoundPayments) -> Iterator[RoundMispay]:
    """A wager's due is another. One that follows from the cards is what is to be paid, whenever it was known.

    On what people ruled themselves, perhaps after the chips were moved, the chips say nothing.
    """
    known = next((one for one in paid.owed if (one.spot, one.zone) == (event.spot, event.bet)), None)
    by_cards = transaction.house.orders_bounded and event.basis is not Basis.FLOOR and not _by_hand(transaction, event)
    if known is None or not by_cards:
        change_payments(transaction, paid.spoilt(frozenset({event.spot}), event.bet))
        return
    owed = replace(known, net_cents=event.net_cents, number=transaction.stamped.number)
    change_payments(transaction, replace(paid, owed=tuple(owed if one is known else one for one in paid.owed)))
    if paid.next_locked and event.net_cents != known.net_cents:
        yield from _wrong(transaction, paid, owed)


def _by_hand(transaction: Transaction, event: WagerSettled | WagerAdjusted) -> bool:
    """Whether a win is one of those awards that are paid out away from the table, such as a meter's."""
    if event.jackpot_cents:
        return True
    if event.bet not in transaction.rules.side_bets or event.net_cents <= 0:
        return False
    terms = terms_of(transaction.rules, event.bet)
    return bool(terms.awards_cents or terms.meter_shares)


def _wrong(transaction: Transaction, paid: RoundPayments, owed: WagerDue) -> Iterator[RoundMispay]:
    """What is wrong with the payment of one wager, if anything is."""
    watch = paid.watches.get(zone_name(owed.spot, owed.zone))
    if watch is None or (watch.wager_cents and watch.wager_cents != owed.wager_cents):
        return
    terms = _terms(transaction, paid, owed, later=watch.wager_cents == 0)
    found = judge(watch, owed, terms)
    if found is None or (terms.course is not None and _is_break_even(paid, owed, found)):
        return
    shown = watch
    if paid.by_evidence:
        # What came may be the next bets: wrong is only what is wrong either way.
        shown = watch.closed_once_over()
    elif paid.closed_ns >= 0:
        shown = watch.closed_by(paid.closed_ns)
    either = judge(shown, owed, terms)
    if either is not None:
        unexplained = found.kind is AlertKind.CHIPS_UNEXPLAINED
        yield RoundMispay(paid.round, owed, found if unexplained else either)


def _terms(transaction: Transaction, paid: RoundPayments, owed: WagerDue, *, later: bool) -> PaymentTerms:
    """What else decides how the chips of a wager are read; ``later``: it was laid after the deal."""
    main = owed.zone == "main"
    return PaymentTerms(
        last_card_ns=paid.last_card_ns,
        whole=not main or owed.spot in paid.naturals,
        later=later,
        may_have_broken=main and owed.net_cents < 0 and owed.spot not in paid.unbroken,
        split=main and owed.spot in paid.splits,
        hands=1 + paid.splits.count(owed.spot),
        surrendered=main and owed.spot in paid.surrendered,
        hidden=paid.hidden(),
        bounded=transaction.house.payments_bounded,
        course=_course(paid, owed) if transaction.house.payments_by_course else None,
        played_ns=paid.played_ns,
    )


def _course(paid: RoundPayments, owed: WagerDue) -> Course:
    """What tells which course the chips of a wager took."""
    stakes = [cents for name, cents in paid.stakes.items() if name.partition("/")[0] == str(owed.spot)]
    staked = sum(stakes) if len(stakes) == 1 + paid.splits.count(owed.spot) else 0
    # A natural is paid while others play, and movements that follow one another are told as one then.
    one_move_ns = HIDDEN_NS if owed.zone == "main" and owed.spot in paid.naturals else TWO_MOVES_NS
    name = zone_name(owed.spot, owed.zone)
    return Course(tuple([watch for other, watch in paid.watches.items() if other != name]), one_move_ns, staked)


def _is_break_even(paid: RoundPayments, owed: WagerDue, found: Mispay) -> bool:
    """Whether insurance that won was settled against the main wager that lost as much: neither is paid nor taken.

    Dealers leave both to the player, or lay on one zone what is due on the other.
    """
    other = {"insurance": "main", "main": "insurance"}.get(owed.zone)
    known = next((one for one in paid.owed if (one.spot, one.zone) == (owed.spot, other)), None)
    if known is None or known.net_cents + owed.net_cents or found.kind is AlertKind.CHIPS_UNEXPLAINED:
        return False
    if owed.zone == "insurance":
        return owed.net_cents >= 0 and found.paid_cents <= 0
    watch = paid.watches.get(zone_name(owed.spot, "insurance"))
    is_paid = watch is not None and any(look.cents > known.wager_cents for look in watch.looks)
    return found.kind is AlertKind.LOSING_BET_LEFT and not is_paid
