"""What a key of the dealer's does: name a spot, answer a question, speak of the round or of the table."""

from __future__ import annotations

from typing import Final

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation, round_end
from controller.core.certainty.rebuild import leave_keys_unheard
from controller.core.messages.alerts import AssistanceRequested, KeyRefused
from controller.core.messages.events import KeyRead
from controller.core.people import answers, undo
from controller.core.refusal_reason import RefusalReason
from controller.core.round import lifecycle
from controller.core.round.awaited_bets import may_lock_next
from controller.core.surveillance import shoe_check
from controller.core.table import readiness
from controller.core.table.keymap import DECISIONS, DIGITS, EVIDENCE
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import KeyPressed

_NAMED_FOR_NS: Final = 5_000_000_000
"""A digit names a spot for the key that follows it, not for one of the next hand: where none comes it names nothing."""

_WANTS_CARD: Final = frozenset({"hit", "double", "split"})
"""Keys that say that the next card is the open round's."""


def key_pressed(transaction: Transaction, pressed: KeyPressed) -> None:
    """A key of the dealer's."""
    meaning = transaction.house.keys.get(pressed.key, "")
    if not meaning:
        transaction.emit(KeyRefused(pressed.key, "", "the key map gives this key no meaning", "no_such_key"))
        return
    transaction.emit(KeyRead(pressed.key, meaning))
    at_ns = transaction.table_ns(pressed.at_ns)
    named, before = _spot_named(transaction, at_ns), transaction.state
    deal_confirmation.key_came(transaction, at_ns)
    transaction.change(spot_named=int(meaning) if meaning in DIGITS else 0, named_ns=at_ns)
    does = meaning
    if meaning in DIGITS:
        reason: RefusalReason | None = None
        if answers.number_asked(transaction.state, at_ns):
            does = undo.ANSWER
            answers.answered(
                transaction, answers.question_open(transaction.state), "10" if meaning == "0" else meaning, "dealer"
            )
    elif meaning in EVIDENCE:
        reason = _evidence_key(transaction, meaning, named, at_ns)
    elif meaning == "undo":
        reason = undo.undo(transaction)
    else:
        reason = _procedure_key(transaction, meaning, at_ns, held=pressed.held)
    if reason is not None:
        transaction.emit(KeyRefused(pressed.key, meaning, reason.text, reason.code))
    if reason is not None and meaning != "undo":
        undo.forget(transaction)
    elif meaning != "undo":
        undo.remember(transaction, does, before)


def _spot_named(transaction: Transaction, at_ns: int) -> int:
    """The spot that this key speaks of because a digit has just named it; 0: none."""
    fresh = at_ns - transaction.state.named_ns <= _NAMED_FOR_NS
    return transaction.state.spot_named if fresh else 0


def card_came(transaction: Transaction) -> None:
    """What was pressed before a card cannot be taken back after it, nor does a digit name a spot any more."""
    undo.forget(transaction)
    if transaction.state.spot_named:
        transaction.change(spot_named=0)


def _evidence_key(transaction: Transaction, meaning: str, named: int, at_ns: int) -> RefusalReason | None:
    """A key that speaks of the round; why it means nothing; None: it is done."""
    if transaction.state.round is None or not transaction.round().cards.drawn:
        if _may_be_of_unheard_cards(transaction, meaning):
            leave_keys_unheard(transaction)
        return RefusalReason("no_cards", "no cards have been dealt")
    if meaning == "even_money" and not named:
        return RefusalReason("spot_needed", "even money names its spot: the spot's digit first, then this key")
    if meaning in _WANTS_CARD:
        # So the round is played on, whatever *no more bets* was pressed for.
        transaction.change_ending(next_bets="")
    if not named or meaning not in DECISIONS:
        lifecycle.take_key(transaction, meaning, None, at_ns)
    elif named in transaction.round().bets.spots:
        lifecycle.take_key(transaction, meaning, transaction.round().bets.spots.index(named), at_ns)
    else:
        fresh = not transaction.round().evidence.trouble
        transaction.irregular(f"a key names spot {named}, which has no wager")
        if fresh:
            transaction.change_evidence(misnamed=transaction.stamped.number)
    return None


def _may_be_of_unheard_cards(transaction: Transaction, meaning: str) -> bool:
    """Whether a decision is keyed although no card has been reported: the shoe may be late to tell of them."""
    if not transaction.house.garbled_devices_heard or meaning not in DECISIONS:
        return False
    return transaction.state.round is not None or transaction.state.shoe_lost


def _procedure_key(transaction: Transaction, meaning: str, at_ns: int, *, held: bool) -> RefusalReason | None:
    """A key that speaks of the table; why it means nothing; None: it is done."""
    match meaning:
        case "no_more_bets":
            return _no_more_bets(transaction, at_ns)
        case "round_closed":
            if transaction.state.round is None:
                return RefusalReason("no_round", "no round is open")
            keyed_ns = at_ns if _chips_alone_say(transaction) else -1
            transaction.change_ending(closing=True, close_key=transaction.stamped.number, close_keyed_ns=keyed_ns)
        case "yes" | "no":
            if not answers.question_open(transaction.state):
                return RefusalReason("nothing_asked", "nothing was asked")
            if not answers.was_read(transaction.state, at_ns):
                return RefusalReason("question_unread", "the question has only just appeared: read it, and press again")
            answers.answered(transaction, answers.question_open(transaction.state), meaning, "dealer")
        case "burn":
            if not held and transaction.state.round is not None and _over_unsaid(transaction):
                lifecycle.close_round(transaction)
            shoe_check.burn_pressed(transaction, held=held)
        case "cut_card":
            return shoe_check.cut_card(transaction)
        case "call_floor":
            transaction.emit(AssistanceRequested(transaction.state.open_round()))
        case _:
            raise AssertionError(f"the key {meaning} has no branch here")
    return None


def _chips_alone_say(transaction: Transaction) -> bool:
    """Whether a player may have given up and no key have said so, nor that he played on."""
    rules = transaction.rules
    return transaction.house.moves_gathered and rules.options.stand_key != "always" and rules.surrender != "none"


def _over_unsaid(transaction: Transaction) -> bool:
    """Whether the open round is over and no key has said so; a burn announced now is none of its cards."""
    return (
        not transaction.round().ending.closing
        and round_end.is_over(transaction)
        and may_lock_next(transaction)
        and lifecycle.may_close(transaction)
    )


def _no_more_bets(transaction: Transaction, at_ns: int) -> RefusalReason | None:
    """Lock the bets of the next round; why that cannot be; None: it is done."""
    if transaction.state.round is not None:
        if not may_lock_next(transaction):
            if deal_confirmation.deal_done(transaction):
                return None
            if transaction.round().cards.drawn:
                in_play = transaction.round().dealing.unturned() and not deal_confirmation.is_long_after_last_card(
                    transaction
                )
                transaction.change_ending(next_bets="unturned" if in_play else "pressed")
            if transaction.round().questions.unkeyed:
                return RefusalReason("round_in_play", "say first whether a new round has begun: yes or no")
            return RefusalReason("round_in_play", "a round is being played")
        if transaction.round().ending.closing and not lifecycle.may_close(transaction):
            transaction.change_ending(next_lock_ns=at_ns, next_locked_by=transaction.stamped.number, next_moved={})
            return None
        lifecycle.close_round(transaction)
    if not lock.lock(transaction, at_ns):
        closed = readiness.block_reason(transaction.state)
        if closed:
            return RefusalReason("play_blocked", f"no round may begin: {closed}")
        return RefusalReason("no_wager", "no wager lies on the layout")
    transaction.change_bets(locked_by=transaction.stamped.number)
    # Bets that are locked now have been dealt to by no card.
    transaction.change(dealt_unheard=False)
    return None
