"""A change of chips in play counts once they lie still.

A double is laid in two movements, a wager is lifted to be proved and laid back, an antenna misses a chip for a moment.
A quick reader reports each of these as two changes, and the first of them alone would be a double for less, a surrender
or a wager that was taken. So changes of a main zone that follow one another within a moment are one change, with the
interval of them all, as a reader that looks less often would have reported it. What comes back to the same chips was no
change.

Chips that came count as soon as their reader has looked again after a card or a key: a dealer who goes on has seen that
they lie. Chips that left wait through cards and play keys, as they may come back while another hand is played.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, get_args

from msgspec.structs import replace

from controller.core.certainty import round_end
from controller.core.game.position import BoxStatus
from controller.core.messages.house import House
from controller.core.messages.inputs import AnswerQuestion, ApproveOrder, DaemonStarted, Ruling, StampedInput
from controller.core.table.layout import Zone, worth, zone_name
from controller.core.table.state import MovingChips, State, Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, DeviceHealth, KeyPressed

_RISE_NS: Final = 1_500_000_000
"""How long chips that came lie before they count: longer than from one movement of a hand to the next."""

_FALL_NS: Final = 2_500_000_000
"""How long chips that left are away before that counts: longer than it takes to prove a stack."""

_LONGEST_NS: Final = 8_000_000_000
"""Chips that move longer than that are reported as they move."""

_NEXT_BET_NS: Final = 1_200_000_000
"""Other chips that come to a zone which has been empty for longer are another bet, not the same one exchanged."""

_PLAY_KEYS: Final = frozenset({"hit", "stand", "double", "split", "even_money", "insurance_closed", "hole_turned"})
"""Keys that may be pressed while chips are on their way back, as may a spot's number."""

_ENDS: Final = (*get_args(Ruling), DaemonStarted, DeviceHealth, AnswerQuestion, ApproveOrder)
"""What ends the wait: it is judged on all that has been reported, or the reader may report no more."""


def gather(table: Table, stamped: StampedInput) -> tuple[tuple[StampedInput, ...], tuple[MovingChips, ...]]:
    """What is to be stepped now, in order, and the chips that still move."""
    given = stamped.input
    if not table.state.moving and not isinstance(given, ChipsSeen):
        return (stamped,), ()
    moving = [one for one in table.state.moving if not _lies_still(table.house, one, stamped)]
    ready = [reading for one in table.state.moving if one not in moving for reading in _reported(one)]
    match given:
        case ChipsSeen():
            known = next((one for one in moving if (one.spot, one.zone) == (given.spot, given.zone)), None)
            if known is not None and _is_one_move(table.house, known, given):
                again = [replace(one, last=stamped, played_on_ns=-1) if one is known else one for one in moving]
                return tuple(ready), tuple(again)
            if known is not None:
                moving = [one for one in moving if one is not known]
                ready += _reported(known)
            before = _content_before(table, known, given)
            if before is not None and _may_move_on(Transaction(table, stamped), before, given):
                lay = (before.chips, _cents(table.house, before))
                return tuple(ready), (*moving, MovingChips(given.spot, given.zone, *lay, stamped, stamped))
        case ChipsConfirmed(spots, upto_ns, unseen) if moving:
            at_rest = tuple(spot for spot in spots if all(one.spot != spot for one in moving))
            moving = [replace(one, confirmed=stamped) if one.spot in spots else one for one in moving]
            if at_rest:
                ready.append(replace(stamped, input=ChipsConfirmed(at_rest, upto_ns, unseen)))
            return tuple(ready), tuple(moving)
        case CardDrawn(at_ns) | KeyPressed(at_ns):
            moving = [one if one.played_on_ns >= 0 else replace(one, played_on_ns=at_ns) for one in moving]
        case _:
            pass
    return (*ready, stamped), tuple(moving)


def deadline_ns(state: State, house: House) -> int:
    """When the next moving chips have lain still for long enough, by the clock of readings; 0: none move."""
    return min((_still_ns(house, one) for one in state.moving), default=0)


def _still_ns(house: House, one: MovingChips) -> int:
    """When chips have lain still for long enough, if nothing more is reported of them."""
    wait_ns = _RISE_NS if _came(house, one) else _FALL_NS
    return min(one.last.at_ns + wait_ns, one.first.at_ns + _LONGEST_NS)


def _came(house: House, one: MovingChips) -> bool:
    """Whether more lies there now than before the first change."""
    return _cents(house, _seen(one.last)) > one.lay_cents


def _cents(house: House, content: ChipsSeen | Zone) -> int:
    """What a zone's content comes to."""
    return worth(content.chips, house.chips, content.values)


def _lies_still(house: House, one: MovingChips, stamped: StampedInput) -> bool:
    """Whether time, or what is reported now, says that chips lie still."""
    if stamped.at_ns >= _still_ns(house, one) or isinstance(stamped.input, _ENDS):
        return True
    match stamped.input:
        case ChipsConfirmed(spots, upto_ns):
            return one.spot in spots and 0 <= one.played_on_ns <= upto_ns and _came(house, one)
        case KeyPressed(_, key):
            meaning = house.keys.get(key, "")
            return not (meaning.isdigit() or meaning in _PLAY_KEYS)
        case _:
            return False


def _is_one_move(house: House, one: MovingChips, seen: ChipsSeen) -> bool:
    """Whether a change goes on with the one before it.

    More comes to what came, or a part of it is handed back: all of it is not, for what came and left is a payment that
    was picked up, or chips that passed. What left comes back, unless its place was empty for so long that other chips
    are the next bet; where still more leaves, the first may have been a surrender.
    """
    left, lies = _seen(one.last), _cents(house, seen)
    if _came(house, one):
        return lies > one.lay_cents
    if lies < _cents(house, left):
        return False
    next_bet = not left.chips and bool(seen.chips) and set(seen.chips).isdisjoint(one.lay)
    return not next_bet or seen.by_ns - left.by_ns <= _NEXT_BET_NS


def _content_before(table: Table, known: MovingChips | None, seen: ChipsSeen) -> ChipsSeen | Zone | None:
    """What a zone held when it was last reported, if that is something else; None: it never was, or is the same."""
    before = table.state.felt.get(zone_name(seen.spot, seen.zone)) if known is None else _seen(known.last)
    return None if before is None or before.chips == seen.chips else before


def _may_move_on(transaction: Transaction, before: ChipsSeen | Zone, seen: ChipsSeen) -> bool:
    """Whether a change may be the first of several: of a main wager in play, as its reader reports it in time."""
    house, state, round_now = transaction.house, transaction.state, transaction.state.round
    afresh = zone_name(seen.spot, seen.zone) in state.afresh
    if not house.moves_gathered or round_now is None or state.deferred or afresh:
        return False
    if seen.zone != "main" or seen.spot not in round_now.bets.spots:
        return False
    if round_now.evidence.trouble or round_now.ending.closing or not round_now.bets.locked:
        return False
    # Chips that come in the deal are none of a hand's.
    fell = _cents(house, seen) < _cents(house, before)
    return (round_now.is_dealt() or fell) and _is_played(transaction, seen.spot)


def _is_played(transaction: Transaction, spot: int) -> bool:
    """Whether a box may still be played: neither is payment certain to have begun, nor are all of its hands broken.

    How long chips wait is seen from outside, so it follows from no card that lies face down.
    """
    round_now = transaction.round()
    if round_now.hides_faces():
        return True
    if round_now.cards.turned and (round_end.payment_has_begun(transaction) or round_end.takes_no_card(transaction)):
        return False
    box = round_now.bets.spots.index(spot)
    return any(node.boxes[box].kind is not BoxStatus.BROKEN for node in transaction.lattice().frontier)


def _reported(one: MovingChips) -> Iterator[StampedInput]:
    """The change of chips that have come to rest, if it is one, and what their reader has confirmed meanwhile."""
    first, last = _seen(one.first), _seen(one.last)
    if last.chips != one.lay:
        yield replace(one.last, input=replace(last, after_ns=first.after_ns, values={**first.values, **last.values}))
    if one.confirmed is not None and isinstance(one.confirmed.input, ChipsConfirmed):
        yield replace(one.confirmed, input=replace(one.confirmed.input, spots=(one.spot,)))


def _seen(stamped: StampedInput) -> ChipsSeen:
    """The chips that a reading reports."""
    assert isinstance(stamped.input, ChipsSeen), "chips move as their reader reports them"
    return stamped.input
