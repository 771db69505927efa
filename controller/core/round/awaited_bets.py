"""A round that may have begun although no reader has reported a bet: what comes waits for the next look at the layout.

Chips are reported when two looks have agreed on them, often after the key or the card that locks them. Where *no more
bets* or a first card finds no main wager, this reading and what follows it wait until every reader has confirmed the
layout up to that moment. Then they are taken in the order in which they happened: chips that may have lain there by
then come first. What truly finds no chips is refused, or is a card without bets, as it is where nothing can still be
reported.
"""

from __future__ import annotations

from typing import Final, assert_never, get_args

import msgspec
from msgspec.structs import replace

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation, round_end
from controller.core.certainty.reader_zones import spots_watched
from controller.core.game.hand import deal_cards
from controller.core.inference.observation import NEVER_ENDS
from controller.core.messages.inputs import (
    ApproveOrder,
    DaemonStarted,
    DeadlinePassed,
    Input,
    Ruling,
    ShoeChanged,
    StampedInput,
    WithdrawOrder,
)
from controller.core.round import first_card, lifecycle, next_deal, raised_chips, unseen_moves
from controller.core.round.next_deal import DealVerdict
from controller.core.table import readiness
from controller.core.table.layout import zone_name
from controller.core.table.payments import REACH_NS
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import (
    CardDrawn,
    ChipsConfirmed,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    KeyPressed,
    LineDisturbed,
    ShoeNumbering,
    WagersSensed,
)

_IN_ORDER: Final = (CardDrawn, ShoeNumbering, KeyPressed, ChipsSeen, ChipsConfirmed, DeadlinePassed, WagersSensed)
"""What waits behind such a reading."""

_ORDERS: Final = (*get_args(Ruling), ApproveOrder, WithdrawOrder, ShoeChanged)
"""Orders that are of what waits, or of what comes after it: taken before, they would find no round where one has begun.
In older journals they overtook it."""

_BEGINNINGS: Final = (CardDrawn, KeyPressed)
"""What may begin a round, or another."""

_ENDS: Final = (DaemonStarted, DeviceHealth, DeviceComplained, LineDisturbed)
"""What ends the wait: a look may never come, or more than the layout is in doubt."""


class InputSchedule(msgspec.Struct, frozen=True):
    """What is to be taken now, in order, and what is deferred.

    ``ahead``: what comes before that; ``begins``: which of ``now`` begins a round by its deal's rhythm, or 0, and
    ``may_begin`` which may, with a pause in that rhythm; ``continues``: which is a card of the open round, whose wagers
    were changed, by its rhythm or until a person says otherwise;
    ``looked``: the layout is known at its first, and it has waited for nothing else.
    """

    now: tuple[StampedInput, ...]
    deferred: tuple[StampedInput, ...]
    begins: int = 0
    may_begin: int = 0
    continues: int = 0
    ahead: tuple[StampedInput, ...] = ()
    looked: bool = False


def schedule_inputs(table: Table, stamped: StampedInput) -> InputSchedule:
    """What is to be taken now, and what is deferred."""
    deferred = table.state.deferred
    if not deferred:
        if not isinstance(stamped.input, _BEGINNINGS):
            return InputSchedule((stamped,), ())
        transaction = Transaction(table, stamped)
        waits = _awaits(transaction) or next_deal.may_begin(transaction)
        return InputSchedule((), (stamped,)) if waits else InputSchedule((stamped,), ())
    by_rhythm = waits_for_deal(table)
    if isinstance(stamped.input, _ENDS) and (not by_rhythm or _tells_of_cards(stamped.input)):
        begins = deferred[0].number if by_rhythm and next_deal.is_whole(table, deferred) else 0
        if by_rhythm and not begins:
            # More cards may have come than are known: where a wager may have been changed, a person says whose this is.
            changed = _of_changed(table, deferred)
            return InputSchedule((*deferred, stamped), (), may_begin=changed, continues=changed)
        ahead, now = _in_order(table, deferred)
        return InputSchedule((*now, stamped), (), begins, ahead=ahead)
    if not isinstance(stamped.input, _IN_ORDER) and not _is_order(table, stamped.input):
        return InputSchedule((stamped,), deferred)
    deferred = (*deferred, stamped)
    if by_rhythm:
        return _by_deal(table, deferred)
    if not _is_known(table, deferred):
        return InputSchedule((), deferred)
    ahead, now = _in_order(table, deferred)
    return InputSchedule(now, (), ahead=ahead, looked=True)


def _is_order(table: Table, given: Input) -> bool:
    """Whether an order waits its turn."""
    return table.house.proposals_bound and isinstance(given, _ORDERS)


def split_after_beginning(
    table: Table, given: InputSchedule
) -> tuple[tuple[StampedInput, ...], tuple[StampedInput, ...]]:
    """Of what is to be taken now, what waits for nothing more, and what follows it.

    *Round closed* that was pressed while the first card or the key of another round waited is said of the round before,
    and comes before it. A card that has waited for the layout and is not known to be one by it waits for its deal.
    """
    if not given.now or not isinstance(given.now[0].input, _BEGINNINGS):
        return (), given.now
    first, *others = given.now
    transaction = Transaction(table, first)
    if given.looked and next_deal.may_begin(transaction) and not _awaits(transaction):
        return (), given.now
    is_of_round = transaction.state.round is None or given.continues == first.number
    if is_of_round or not (given.begins or _ends_round(transaction)):
        return (first,), tuple(others)
    closes = tuple(one for one in others if _closes(transaction, one))
    return (*closes, first), tuple(one for one in others if one not in closes)


def _ends_round(transaction: Transaction) -> bool:
    """Whether the key or card of this step ends the open round, which no key has closed."""
    drawn = transaction.stamped.input
    return not isinstance(drawn, CardDrawn) or first_card.ended_by_card(transaction, transaction.table_ns(drawn.at_ns))


def _closes(transaction: Transaction, one: StampedInput) -> bool:
    """Whether a reading is the key *round closed*."""
    return isinstance(one.input, KeyPressed) and transaction.house.keys.get(one.input.key) == "round_closed"


def _tells_of_cards(given: Input) -> bool:
    """Whether a card may have been lost.

    A flood at the broker, a lost sign or a keypad that goes or comes back says nothing of the cards of a deal: a key
    that is not heard is as one that was forgotten.
    """
    return isinstance(given, DaemonStarted) or (isinstance(given, _ENDS) and given.device == "shoe")


def waits_for_deal(table: Table) -> bool:
    """Whether what waits waits for the cards of a deal, and not for a look at the layout."""
    transaction = Transaction(table, table.state.deferred[0])
    return not _awaits(transaction) and next_deal.may_begin(transaction)


def _by_deal(table: Table, deferred: tuple[StampedInput, ...]) -> InputSchedule:
    """What waits for the cards of a deal, once they are one or are none."""
    first, changed = deferred[0].number, _of_changed(table, deferred)
    verdict = next_deal.judged_by_rhythm(table, deferred)
    if verdict is not None and not changed and _of_picked_up(table, deferred):
        if verdict is DealVerdict.NONE:
            return InputSchedule(deferred, (), continues=first)
        # The payment has ended the round, whatever else the rhythm leaves open.
        ahead, now = _in_order(table, deferred)
        return InputSchedule(now, (), ahead=ahead)
    match verdict:
        case None:
            return InputSchedule((), deferred)
        case DealVerdict.NONE:
            return InputSchedule(deferred, (), continues=changed)
        case DealVerdict.PERHAPS:
            return InputSchedule(deferred, (), may_begin=first, continues=changed)
        case DealVerdict.BY_NUMBER if not _is_known(table, deferred):
            return InputSchedule(deferred, (), may_begin=first, continues=changed)
        case DealVerdict.DEAL | DealVerdict.BY_NUMBER:
            ahead, now = _in_order(table, deferred)
            # Chips alone have shown that the round before is over: the rhythm confirms it, and says nothing new.
            confirmed = changed and _ends_round(Transaction(table, deferred[0]))
            return InputSchedule(now, (), 0 if confirmed else first, ahead=ahead)
        case never:
            assert_never(never)


def _of_changed(table: Table, deferred: tuple[StampedInput, ...]) -> int:
    """The first reading that waits, where the open round's players may have changed their chips; else 0."""
    first = deferred[0]
    return first.number if unseen_moves.wagers_may_be_changed(Transaction(table, first)) else 0


def _of_picked_up(table: Table, deferred: tuple[StampedInput, ...]) -> bool:
    """Whether a payment that was picked up ends the open round with the first card that waits, and may be none."""
    transaction = Transaction(table, deferred[0])
    return bool(raised_chips.picked_up(transaction)) and _ends_round(transaction)


def _awaits(transaction: Transaction) -> bool:
    """Whether a reading would begin a round and a reader may still tell of its bets, or of the round before."""
    match transaction.stamped.input:
        case CardDrawn(at_ns, _, burn) if not burn and not transaction.state.burns:
            begins = transaction.state.round is None or first_card.may_be_ended_by_card(
                transaction, transaction.table_ns(at_ns)
            )
        case KeyPressed(at_ns, pressed) if transaction.house.keys.get(pressed) == "no_more_bets":
            begins = transaction.state.round is None or (
                may_lock_next(transaction, bets=True) and not transaction.round().ending.closing
            )
        case _:
            return False
    if not begins or readiness.block_reason(transaction.state):
        return False
    bets = lock.has_main_wager(transaction)
    # Of a round of which cards may be missing nothing that is still reported decides anything.
    judged = (
        transaction.state.round is None or bool(transaction.round().questions.doubt) or lifecycle.may_close(transaction)
    )
    return not (bets and judged) and not _is_known(transaction.table(), (transaction.stamped,))


def awaited_ns(table: Table, deferred: tuple[StampedInput, ...]) -> int:
    """The moment up to which the layout must be known, in table time."""
    first = deferred[0].input
    assert isinstance(first, CardDrawn | KeyPressed), "a card or a key began the wait"
    return first.at_ns + table.state.offset_ns


def _is_known(table: Table, deferred: tuple[StampedInput, ...]) -> bool:
    """Whether every reader that works has confirmed the layout up to the moment of the first."""
    transaction, wanted_ns = Transaction(table, deferred[0]), awaited_ns(table, deferred)
    confirmed = dict(table.state.confirmed)
    for one in deferred:
        if isinstance(one.input, ChipsConfirmed):
            upto_ns = transaction.table_ns(one.input.upto_ns)
            confirmed |= {str(spot): max(upto_ns, confirmed.get(str(spot), -1)) for spot in one.input.spots}
    spots = spots_watched(transaction.house, transaction.state)
    # What is taken ahead of the first has been confirmed up to just before it.
    return all(confirmed.get(str(spot), -1) >= wanted_ns - 1 for spot in spots)


def _in_order(
    table: Table, deferred: tuple[StampedInput, ...]
) -> tuple[tuple[StampedInput, ...], tuple[StampedInput, ...]]:
    """What waited: ahead the chips that lay there by the moment of the first, or may have, and that no others did.

    A main wager reported in an interval that holds the moment lay there, for cards are dealt to what lies there; a side
    wager may have come after, and follows. So may chips that a whole deal went by before they were reported, where
    others lay there already: a double, or what is left of a surrendered bet.
    """
    wanted_ns, transaction = awaited_ns(table, deferred), Transaction(table, deferred[0])
    lying = {name: zone.chips for name, zone in table.state.felt.items()}
    played_ns, first, then = _first_play_ns(transaction, deferred), list[StampedInput](), list[StampedInput]()
    for one in deferred:
        seen = one.input
        if not isinstance(seen, ChipsSeen) or transaction.table_ns(seen.after_ns) >= wanted_ns:
            then.append(one)
            continue
        name, by_ns = zone_name(seen.spot, seen.zone), transaction.table_ns(seen.by_ns)
        if by_ns <= wanted_ns or (seen.zone == "main" and (not lying.get(name) or by_ns < played_ns)):
            first.append(one)
            lying[name] = seen.chips
        else:
            then.append(one)
    return (*first, *_confirmed_by(deferred)), tuple(then)


def _first_play_ns(transaction: Transaction, deferred: tuple[StampedInput, ...]) -> int:
    """The first moment at which a hand may be played, if the cards that wait are a deal to one box; else never.

    Of a round whose last card came only just before it is played still: no deal follows a hand at once.
    """
    cards = [transaction.table_ns(one.input.at_ns) for one in deferred if isinstance(one.input, CardDrawn)]
    last = cards[deal_cards(1, hole=transaction.rules.has_hole_card()) - 1 :][:1]
    if (
        transaction.state.round is not None
        and cards
        and not first_card.is_long_after_cards(transaction.round(), cards[0])
    ):
        return 0
    return last[0] + REACH_NS if last else NEVER_ENDS


def _confirmed_by(deferred: tuple[StampedInput, ...]) -> tuple[StampedInput, ...]:
    """What the readers have confirmed before the moment of the first and no further: chips at that moment follow it."""
    first = deferred[0].input
    assert isinstance(first, CardDrawn | KeyPressed), "a card or a key began the wait"
    return tuple(
        replace(one, input=replace(one.input, upto_ns=first.at_ns - 1))
        for one in deferred
        if isinstance(one.input, ChipsConfirmed) and one.input.upto_ns >= first.at_ns
    )


def _broke_off(transaction: Transaction) -> bool:
    """Whether the deal had just begun and stopped so long ago that the key can only be another deal's.

    Where the key had to come before the first card a person says first what that card was.
    """
    round_now = transaction.round()
    stopped_ns = transaction.table_ns(transaction.stamped.at_ns) - round_now.dealing.last_ns
    stopped = stopped_ns >= deal_confirmation.BETWEEN_ROUNDS_NS
    return stopped and deal_confirmation.broke_off(round_now) and not round_now.questions.unkeyed


def may_lock_next(transaction: Transaction, *, bets: bool = False) -> bool:
    """Whether *no more bets* ends the open round: it is over, or the floor must rule on it.

    ``bets``: whether the next bets count as laid although no reader has reported one.
    """
    if transaction.round().waits_for_card() and transaction.round().cards.turn_key:
        # The dealer's hand lies open; no card of it or of a player's has been corrected.
        return True
    if transaction.round().dealing.unturned():
        # A slip of the finger opens no hole card.
        if deal_confirmation.can_only_lock_this_deal(transaction):
            return False
        bets = bets or lock.has_main_wager(transaction)
        if bets and _broke_off(transaction):
            return True
        forgot_turn = bets and deal_confirmation.is_long_after_last_card(transaction)
        if forgot_turn and transaction.round().ending.close_refused:
            # Two keys have said so.
            return True
        by_key = transaction.round().ending.closing or (bets and deal_confirmation.may_end_by_key(transaction))
        is_irregular = transaction.house.irregular_rounds_end and bool(transaction.round().evidence.trouble)
        return (by_key or forgot_turn) and (round_end.is_over(transaction) or (by_key and is_irregular))
    return (
        round_end.is_over(transaction)
        or bool(transaction.round().evidence.trouble)
        or transaction.round().waits_for_card()
    )
