"""Paid against due: what the chips of each settled wager did until the next lock.

A payment is judged when it can no longer go on: at the next lock, on the whole content of the zone. People take, pay,
pick up, press and change chips in any number of steps, and two of them may fall between two looks of a reader; so a
wager is called wrongly paid only if no telling of its changes makes it right. What cannot be seen at all is not judged:
a push that is paid looks like a bet that is pressed, chips swept off by the player like chips taken by the dealer.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from msgspec.structs import replace

from controller.core.messages.raised_alerts import AlertKind
from controller.core.surveillance.payment_course import (
    SLIP_NS,
    Course,
    ExplainedChips,
    is_put_right,
    pays_for_certain,
    unbet_chips,
)
from controller.core.table.payments import WagerDue, ZoneContent, ZoneHistory


class Mispay(NamedTuple):
    """A wager that was not paid as it is due: the content before and after, and the player's net as it was paid."""

    kind: AlertKind
    before: ZoneContent
    after: ZoneContent
    paid_cents: int


class PaymentTerms(NamedTuple):
    """What else decides how the chips of a wager are read."""

    last_card_ns: int
    """When the round's last card left the shoe: main wagers are paid after it."""
    whole: bool = False
    """The wager cannot have grown since the lock: a side wager, or a natural, which may be paid before the others."""
    later: bool = False
    """It was laid after the deal."""
    may_have_broken: bool = False
    """All hands of the box, perhaps: it may have been taken, and bet on anew, while others still played."""
    split: bool = False
    hands: int = 1
    """How many hands the box was split into, as far as every play agrees."""
    surrendered: bool = False
    bounded: bool = False
    """Whether more than can be due is a wrong payment wherever it is certain; False: the journal is of before."""
    hidden: bool = False
    """The readers looked so seldom in this round that a payment may have come and gone between two looks."""
    course: Course | None = None
    """By what a payment is wrong only if no honest course of the chips shows as it does; None: the journal is of
    before, when what two looks may have hidden was not thought of."""
    played_ns: int = -1
    """When the last card came or the last key of the play was pressed: what came and left before it may be a double
    that was taken back; -1: the journal is of before."""


def judge(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms) -> Mispay | None:
    """What is wrong with the payment of a wager; None if some telling of the changes makes it right."""
    if watch.spoilt or (owed.net_cents == 0 and terms.course is None):
        return None
    watch = _until_cleared(watch)
    if watch.wager_cents and not watch.looks[0].cents:
        # Nothing was seen of its stake: what lies there may be that, put up late, a payment beside it or the next bet.
        return None
    found = _wrong(watch, owed, terms) if owed.net_cents else None
    if found is not None and any(_wrong(other, owed, terms) is None for other in _as_withdrawn(watch, terms)):
        found = None
    if terms.course is None:
        return found
    if found is not None and 0 < owed.net_cents < found.paid_cents and _may_be_hidden(watch, found, terms.course):
        found = None
    return found or _unbet(watch, owed, terms, terms.course)


def _as_withdrawn(watch: ZoneHistory, terms: PaymentTerms) -> Iterator[ZoneHistory]:
    """The zone without what came and left again in the play: doubles that were taken back, or made less.

    From any rise to any later fall that leaves no less than lay there before, as one change.
    """
    if terms.whole or terms.later:
        return
    for begin, came in enumerate(watch.looks[1:], start=1):
        if not came.rise():
            continue
        lay_cents = watch.looks[begin - 1].cents
        for end, left in enumerate(watch.looks[begin + 1 :], start=begin + 1):
            if left.first_ns > terms.played_ns:
                break
            if left.fall() and left.cents >= lay_cents:
                both = replace(left, first_ns=came.first_ns, came_cents=left.cents - lay_cents, left_cents=0)
                yield replace(watch, looks=(*watch.looks[:begin], both, *watch.looks[end + 1 :]))


def _may_be_hidden(watch: ZoneHistory, found: Mispay, course: Course) -> bool:
    """Whether what is too much may be the next bet, or the change may have been taken, between two looks."""
    after = watch.looks[watch.looks.index(found.before) + 1 :]
    return any(course.may_be_two_moves(look) for look in after if not look.closed)


def _unbet(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms, course: Course) -> Mispay | None:
    """More than all that may lie there, which left unbet; nobody is accused of it."""
    begun = list(_beginnings(watch, owed, terms))
    if not begun:
        return None
    shown = replace(watch, looks=watch.looks[begun[0] if terms.later else 0 :])
    stake = max(shown.looks[0].cents, *(_stake_at(watch, owed, terms, begin) for begin in begun))
    won, is_lost = max(owed.net_cents, 0), owed.net_cents <= -stake
    if terms.split:
        staked = course.staked_cents or max(stake, _most_staked(owed, terms))
        stake, won = max(stake, staked), max((staked + owed.net_cents) // 2, won)
    # Of a surrendered wager half goes back, and may be laid beside it first.
    least = -owed.net_cents if terms.surrendered else owed.wager_cents
    soon_ns = 0 if is_lost else SLIP_NS
    handed_back_ns = -1 if terms.hidden or owed.net_cents >= 0 else soon_ns
    is_taken = is_lost or terms.surrendered
    explained = ExplainedChips(stake + won, least, owed.wager_cents, is_taken, handed_back_ns)
    look = unbet_chips(shown, explained, course)
    return None if look is None else Mispay(AlertKind.CHIPS_UNEXPLAINED, shown.looks[0], look, look.cents - stake)


def _wrong(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms) -> Mispay | None:
    """What is wrong with the payment of a wager that is won or lost."""
    if terms.surrendered:
        # Half goes back into the player's hand or past the zone; only that nothing was done at all is certain, and what
        # lies there besides the whole wager.
        lay, back = watch.looks[0], owed.wager_cents + owed.net_cents
        if terms.bounded and not terms.split and (over := _more_beside(watch, lay, back, terms)) is not None:
            return Mispay(AlertKind.MISPAY, lay, over, over.cents - lay.cents)
        taken = any(look.left_cents for look in watch.looks[1:])
        return None if taken or not watch.looks[0].cents else _left(watch, 0)
    begun = list(_beginnings(watch, owed, terms))
    if not begun or any(_right(watch, owed, terms, begin) for begin in begun):
        return None
    # A change that may lie before the last card is taken for the payment, which says less.
    found = _finding(watch, owed, terms, begun[0])
    paid_cents = found.paid_cents
    if terms.course is not None and owed.net_cents > 0:
        # What came once the round was closed says nothing of a payment between two looks.
        paid_cents = min(paid_cents, _came_before_close(watch, begun[0]))
    return None if terms.hidden and paid_cents < owed.net_cents else found


def _more_beside(watch: ZoneHistory, lay: ZoneContent, most_cents: int, terms: PaymentTerms) -> ZoneContent | None:
    """The first look before the close at which more than ``most_cents`` lie beside all chips that ``lay`` there.

    None of these has been taken by then, so nobody bets anew. Chips that belong to another box, and are carried on
    within moments, are no payment.
    """
    for at, look in enumerate(watch.looks):
        if look.closed or not set(lay.chips) <= set(look.chips):
            return None
        if look.cents > lay.cents + most_cents and _is_payment(watch, at, 0, terms):
            return look
    return None


def _is_payment(watch: ZoneHistory, at: int, begin: int, terms: PaymentTerms) -> bool:
    """Whether what lies at a look beside a wager, which lay whole at another, is a payment."""
    if terms.course is not None:
        return pays_for_certain(watch, at, begin, terms.course)
    return not is_put_right(watch, at)


def _most_staked(owed: WagerDue, terms: PaymentTerms) -> int:
    """What may have been staked in all at a split box: each hand may have been doubled."""
    return 2 * terms.hands * owed.wager_cents


def _until_cleared(watch: ZoneHistory) -> ZoneHistory:
    """The zone until it is bet on anew: once the round is closed and the zone empty, no payment is made into it."""
    for at, look in enumerate(watch.looks[1:], start=1):
        if look.closed and look.cents and not watch.looks[at - 1].cents:
            return replace(watch, looks=watch.looks[:at])
    return watch


def _beginnings(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms) -> Iterator[int]:
    """The looks after which the payment may have begun. A change that may lie before the last card leaves both open."""
    if terms.later:
        yield from (at for at, look in enumerate(watch.looks) if look.cents == owed.wager_cents)
        return
    begin = 0
    if terms.may_have_broken:
        yield from _taken_in_play(watch, terms.last_card_ns)
    if not terms.whole:
        for at, look in enumerate(watch.looks[1:], start=1):
            if look.first_ns > terms.last_card_ns:
                break
            if look.last_ns > terms.last_card_ns:
                yield begin
            begin = at
    yield begin


def _taken_in_play(watch: ZoneHistory, last_card_ns: int) -> Iterator[int]:
    """The looks after which all of a lost wager was gone before the last card, and others were laid: the next bet."""
    played = [look for look in watch.looks if look.first_ns <= last_card_ns]
    for at, (lay, look) in enumerate(pairwise(played)):
        gone = lay.cents > 0 and lay.is_gone_by(look)
        if gone and any(later.cents for later in played[at + 1 :]):
            yield at


def _stake_at(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms, begin: int) -> int:
    """The whole stake: the wager with what doubles and splits added before the payment began."""
    return owed.wager_cents + (0 if terms.later else sum(look.rise() for look in watch.looks[1 : begin + 1]))


def _right(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms, begin: int) -> bool:
    """Whether the changes after a look can be the right payment, and then whatever a player does with the chips."""
    stake, lying, paying = _stake_at(watch, owed, terms, begin), watch.looks[begin], watch.looks[begin + 1 :]
    if owed.net_cents <= -stake:
        return not _staying(lying, paying) and not _paid_while_lying(watch, begin, terms)
    if any(look.cents - stake == owed.net_cents for look in watch.looks[begin:]):
        return True
    if owed.net_cents < 0:
        if terms.bounded and terms.split and _overpaid_split(watch, owed, terms, begin):
            return False
        return sum(look.left_cents for look in paying) >= -owed.net_cents
    wanted = _payable(owed, terms, watch.looks[1 : begin + 1], paying)
    if terms.course is not None:
        return _may_be_among(watch, begin, wanted, terms.course)
    return not wanted.isdisjoint(_sums(paying, max(wanted)))


def _overpaid_split(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms, begin: int) -> bool:
    """Whether more came at once to a split box than its hands could get back, before what they lost was gone.

    What comes after a payment may be the player's.
    """
    lying, taken = watch.looks[begin], 0
    most = max(_stake_at(watch, owed, terms, begin), _most_staked(owed, terms)) + owed.net_cents
    if terms.course is not None and terms.course.staked_cents:
        most = (terms.course.staked_cents + owed.net_cents) // 2
    for at, look in enumerate(watch.looks[begin + 1 :], start=begin + 1):
        taken += look.left_cents
        if look.closed or taken >= -owed.net_cents:
            return False
        if look.cents > lying.cents + most and _is_payment(watch, at, begin, terms):
            return True
        if look.rise():
            return False
    return False


def _staying(lying: ZoneContent, paying: tuple[ZoneContent, ...]) -> set[str]:
    """The chips of a wager that never left the zone."""
    return set(lying.chips).intersection(*(look.chips for look in paying))


def _paid_while_lying(watch: ZoneHistory, begin: int, terms: PaymentTerms) -> bool:
    """Whether a lost wager grew before the round was closed and before all of it was gone, and by a payment."""
    lying = watch.looks[begin]
    here = set(lying.chips)
    for at, look in enumerate(watch.looks[begin + 1 :], start=begin + 1):
        here &= set(look.chips)
        if not here:
            return False
        grown = look.cents > lying.cents and not look.closed
        if grown and (terms.course is None or pays_for_certain(watch, at, begin, terms.course)):
            return True
    return False


def _sums(paying: tuple[ZoneContent, ...], most: int) -> set[int]:
    """What may have been paid in all after each change, up to ``most``: all that came, or no more than the rise."""
    reached, found = {0}, set[int]()
    for look in paying:
        more = {before + part for before in reached for part in (look.came_cents, look.rise())}
        reached = {total for total in more if total <= most}
        found |= reached
    return found


def _may_be_among(watch: ZoneHistory, begin: int, wanted: set[int], course: Course) -> bool:
    """Whether what came after a look may hold one of these payments, and the player's next bets before or beside it.

    What came at one look is the payment or the next bet; it may be both if two people may have moved chips.
    """
    reached, most = {0}, max(wanted)
    for look in watch.looks[begin + 1 :]:
        within = any(total < cents <= total + look.came_cents for total in reached for cents in wanted)
        if within and course.may_be_two_moves(look):
            return True
        reached |= {total + part for total in reached for part in (look.came_cents, look.rise())}
        if not reached.isdisjoint(wanted):
            return True
        reached = {total for total in reached if total <= most}
    return False


def _payable(
    owed: WagerDue, terms: PaymentTerms, laid: tuple[ZoneContent, ...], paying: tuple[ZoneContent, ...]
) -> set[int]:
    """What the winning hands of a wager may get: its net, and with a split what the losing hands gave up besides.

    ``laid``: the looks from the lock on until payment began, in which hands were split and doubled. What a losing hand
    staked need not be seen to be taken: the player may have picked up the rest before the next look.
    """
    found = {owed.net_cents}
    if terms.split:
        found |= {owed.net_cents + hands * owed.wager_cents for hands in range(1, 8)}
        for doubled in {look.rise() % owed.wager_cents for look in laid}:
            # Doubled for less; what was doubled in full counts as another hand.
            found |= {before + doubled for before in found}
        taken = 0
        for look in paying:
            taken += look.fall()
            found.add(owed.net_cents + taken)
        if terms.bounded:
            # Of all that was staked, what the hands won beyond what others lost.
            staked = owed.wager_cents + sum(look.came_cents for look in laid)
            staked = max(staked, _most_staked(owed, terms))
            if terms.course is not None and terms.course.staked_cents:
                staked = terms.course.staked_cents
            most = (staked + owed.net_cents) // 2
            found = {cents for cents in found if cents <= max(most, owed.net_cents)}
    return found


def _finding(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms, begin: int) -> Mispay:
    """What a wrong payment is called."""
    lying, paying = watch.looks[begin], watch.looks[begin + 1 :]
    came, stake = _came(watch, owed, terms, begin), _stake_at(watch, owed, terms, begin)
    lowest = min((look.cents for look in paying), default=lying.cents)
    taken = max(lying.cents - lowest, 0)
    if owed.net_cents < 0:
        if not came and not lying.cents:
            # All of it was taken, and a part was to go back.
            return Mispay(AlertKind.MISPAY, lying, watch.looks[-1], -stake)
        if not came and not taken and lying.cents < stake:
            return Mispay(AlertKind.MISPAY, lying, watch.looks[-1], lying.cents - stake)
        if not came and not taken:
            return _left(watch, begin)
        return Mispay(AlertKind.MISPAY, lying, watch.looks[-1], came or -taken)
    if not came and taken and not _staying(lying, paying):
        return Mispay(AlertKind.WINNING_BET_TAKEN, lying, watch.looks[-1], -taken)
    return Mispay(AlertKind.MISPAY, lying, watch.looks[-1], came)


def _came(watch: ZoneHistory, owed: WagerDue, terms: PaymentTerms, begin: int) -> int:
    """What is called the payment: all that came before the close; else what came beside a winner by its course."""
    came = _came_before_close(watch, begin)
    if came or terms.course is None or owed.net_cents < 0:
        return came
    here = set(watch.looks[begin].chips)
    return sum(look.rise() for look in watch.looks[begin + 1 :] if here & set(look.chips))


def _came_before_close(watch: ZoneHistory, begin: int) -> int:
    """All that came after a look before the round was closed."""
    return sum(look.rise() for look in watch.looks[begin + 1 :] if not look.closed)


def _left(watch: ZoneHistory, begin: int) -> Mispay:
    """A lost wager that was not taken."""
    return Mispay(AlertKind.LOSING_BET_LEFT, watch.looks[begin], watch.looks[-1], 0)
