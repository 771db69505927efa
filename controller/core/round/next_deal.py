"""A round's first card that neither key nor chips show to be one: the quiet before it and its deal's rhythm say it.

Where nothing is pressed a hand that stood without a sign, and a push whose chips are let lie, look like a hand still in
play, so the next round's first card looks like its hit. But nobody hits as dealers deal: after a quiet time exactly the
cards of a deal to the boxes where wagers lie now, as evenly as the deals before, then a pause. So a card after a quiet
time, in a round that may be over, waits for what follows it, a second or two; what it is told with is what it then was.
Of a deal to two boxes or more one card may come late, if not as late as after a pause.

No face decides it, and the round before ends without opening any: its hole card stays closed if nothing turned it, its
open wagers are the floor's, and an alert says so.
"""

from __future__ import annotations

from typing import Final

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation, round_end
from controller.core.messages.inputs import DeadlinePassed, Stamped
from controller.core.messages.raised_alerts import Kind
from controller.core.round import closing, lifecycle, missed_cards
from controller.core.table.alert_list import raise_alert
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, ChipsSeen, KeyPressed

_MAY_FALTER: Final = 6
"""In the cards of a deal to two boxes the dealer may falter once: so many hits are never dealt that evenly."""

_NO_BOX: Final = 2
"""The dealer's own cards of a deal."""


def may_begin(transaction: Transaction) -> bool:
    """Whether a card may be the next round's first although nothing shows that the open one is over."""
    drawn, round_now = transaction.stamped.input, transaction.state.round
    if (
        not isinstance(drawn, CardDrawn)
        or drawn.burn
        or drawn.since_ns >= 0
        or transaction.state.burns
        or round_now is None
    ):
        return False
    at_ns, options = transaction.table_ns(drawn.at_ns), round_now.rules(transaction.rules).options
    by_key = options.no_more_bets == "always" or options.turn_key != "sometimes"
    if (
        by_key
        or round_now.ending.closing
        or (not round_now.questions.doubt and (round_now.held() or not round_now.is_dealt()))
    ):
        return False
    quiet = at_ns - round_now.dealing.last_ns >= deal_confirmation.BETWEEN_ROUNDS_NS
    if not quiet or not deal_confirmation.guarded(transaction.rules) or not deal_confirmation.usual_ms(transaction):
        return False
    # Where cards may be missing neither their number nor a play says whether it is over.
    may_be_over = (
        round_now.questions.doubt
        or round_now.evidence.trouble
        or round_now.blind()
        or round_end.may_be_over(transaction)
    )
    return bool(may_be_over) and (bool(round_now.questions.doubt) or not lifecycle.ended_by_card(transaction, at_ns))


def begins_round(table: Table, held: tuple[Stamped, ...]) -> bool | None:
    """Whether the first of the cards that wait begins a round; None: that is not known yet."""
    transaction = Transaction(table, held[0])
    gap_ns, most_ms = deal_confirmation.gap_ns(transaction), deal_confirmation.rhythm_ms(transaction)
    cards = _deal_size(transaction, held)
    count, last_ns, uneven = 0, 0, int(cards < _MAY_FALTER)
    if cards == _NO_BOX:
        return False
    for one in held:
        match one.input:
            case CardDrawn(at_ns, _, burn, since_ns=since_ns):
                if count == cards and at_ns - last_ns >= gap_ns:
                    return True
                uneven += bool(count and at_ns - last_ns > most_ms * 1_000_000)
                if burn or since_ns >= 0 or count == cards or uneven > 1 or (count and at_ns - last_ns >= gap_ns):
                    return False
                count, last_ns = count + 1, at_ns
            case DeadlinePassed(at_ns) if at_ns >= last_ns + gap_ns:
                return count == cards
            case KeyPressed(_, key):
                return transaction.house.keys.get(key) == "no_more_bets" and count == cards
            case _:
                pass
    return None


def _deal_size(transaction: Transaction, held: tuple[Stamped, ...]) -> int:
    """The cards of a deal to the boxes where main wagers lie when the first of these comes."""
    first = held[0].input
    assert isinstance(first, CardDrawn), "a card began the wait"
    spots = {wager.spot for wager in lock.lying(transaction) if wager.bet == "main"}
    for one in held:
        seen = one.input
        if isinstance(seen, ChipsSeen) and seen.zone == "main" and seen.after_ns < first.at_ns:
            known = any(transaction.house.chips.get(chip) for chip in seen.chips)
            spots = {*spots, seen.spot} if known else spots - {seen.spot}
    boxes = len(spots | {box.spot for box in transaction.state.declared})
    return 2 * boxes + _NO_BOX


def deadline_ns(table: Table) -> int:
    """When the clock is to say that no more of the cards that wait have come, in table time."""
    transaction = Transaction(table, table.state.held[0])
    cards = [one.input.at_ns for one in table.state.held if isinstance(one.input, CardDrawn)]
    return transaction.table_ns(cards[-1]) + deal_confirmation.gap_ns(transaction)


def overtake(transaction: Transaction) -> None:
    """The next round's first card comes, and nothing had shown that the open one was over: it ends as it is known."""
    round_now = transaction.round()
    text = f"the next deal began before anything showed that round {round_now.number} was over; see what is open of it"
    raise_alert(transaction, Kind.ROUND_UNENDED, text, round=round_now.number)
    if round_now.questions.doubt:
        transaction.irregular(missed_cards.untold(round_now))
    if round_now.dealing.unturned():
        closing.give_way(transaction)
    else:
        lifecycle.close(transaction)
