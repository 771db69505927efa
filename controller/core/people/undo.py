"""The key *undo*: the dealer takes back the last key press, as long as no card has come since.

It is a correction like the floor's: the journal keeps it, ``KeyUndone`` says that it no longer counts, the round
is rebuilt without it, and a wager that was settled on it and now comes to something else is adjusted. What was
opened stays open and what was published stays published. Pressed again it takes back the press before.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.certainty import deal_confirmation, rebuild
from controller.core.messages.events import KeyUndone, QuestionWithdrawn, RoundClosed
from controller.core.refusal_reason import RefusalReason
from controller.core.table.keymap import DIGITS, EVIDENCE
from controller.core.table.state import KeyPress, State
from controller.core.table.transaction import Transaction

_PRESSES_LIMIT: Final = 20
"""Presses remembered since the last card: the most that can be taken back."""

ANSWER: Final = "answer"
"""What a press is called that answered a question."""


def remember(transaction: Transaction, meaning: str, before: State) -> None:
    """A key was pressed and taken; ``before`` is what the table remembered before it."""
    press = KeyPress(transaction.stamped.number, meaning, before.shoe_round, before.burns, before.burn_presses)
    transaction.change(presses=(*transaction.state.presses, press)[-_PRESSES_LIMIT:])


def forget(transaction: Transaction) -> None:
    """A card has come, or the last press had no effect: nothing before it can be taken back."""
    if transaction.state.presses:
        transaction.change(presses=())


def undo(transaction: Transaction) -> RefusalReason | None:
    """Take back the last press; why that cannot be; None: it is done."""
    if not transaction.state.presses:
        return RefusalReason("nothing_to_undo", "there is nothing to undo")
    press = transaction.state.presses[-1]
    if transaction.state.round is not None and press.number < transaction.round().dealing.turned_by:
        return RefusalReason("cannot_be_undone", "the hole card has been turned since")
    refused = _taken_back(transaction, press)
    if refused is None:
        transaction.change(presses=transaction.state.presses[:-1])
    return refused


def _taken_back(transaction: Transaction, press: KeyPress) -> RefusalReason | None:
    """Undo what a press did; why that cannot be; None: it is done."""
    if press.meaning in EVIDENCE:
        return take_back_evidence(transaction, press)
    match press.meaning:
        case "no_more_bets":
            return _unlock(transaction, press)
        case "round_closed":
            if transaction.state.round is None:
                return RefusalReason("round_over", "the round is closed")
            _withdraw(transaction, press)
            # A close that was refused hands nothing to the floor when the key is pressed again: it was taken back.
            transaction.change_ending(
                closing=False,
                close_refused=transaction.round().ending.closing and transaction.round().ending.close_refused,
            )
        case "burn":
            if not transaction.state.burns:
                return RefusalReason("cannot_be_undone", "the burn has come")
            _withdraw(transaction, press)
            transaction.change(burns=press.burns, shoe_round=press.shoe_round, burn_presses=press.burn_presses)
        case "cut_card":
            _withdraw(transaction, press)
            transaction.change(shoe=replace(transaction.state.shoe, cut_card=-1))
        case "call_floor":
            return RefusalReason("cannot_be_undone", "the floor has been called")
        case given if given in {"yes", "no", ANSWER}:
            return RefusalReason("cannot_be_undone", "an answer stands until the floor corrects it")
        case digit if digit in DIGITS:
            _withdraw(transaction, press)
        case other:
            raise AssertionError(f"the key {other} has no branch here")
    return None


def _withdraw(transaction: Transaction, press: KeyPress) -> None:
    """Say that a press counts no more."""
    transaction.emit(KeyUndone(transaction.state.open_round(), press.number, press.meaning))


def take_back_evidence(transaction: Transaction, press: KeyPress, who: str = "dealer") -> RefusalReason | None:
    """The round without a key that spoke of it; why that cannot be; None: it is done."""
    before = transaction.state.round
    if before is None:
        return RefusalReason("round_over", "the round is closed")
    _withdraw(transaction, press)
    if before.evidence.misnamed == press.number:
        # The key named a spot without a wager and never was evidence.
        before = replace(before, evidence=replace(before.evidence, curable=True))
    left = tuple(dated for dated in before.evidence.observations if dated.number != press.number)
    if before.cards.turn_key == press.number:
        transaction.change_cards(turn_key=0)
    transaction.change_round(
        corrected=(who, f"key {press.meaning} taken back"), corrected_by=msgspec.UNSET, said=("", "")
    )
    transaction.change_ending(closing=False)
    rebuild.rebuild_corrected(transaction, replace(before, evidence=replace(before.evidence, observations=left)))
    return None


def _unlock(transaction: Transaction, press: KeyPress) -> RefusalReason | None:
    """Bets are open again; why that cannot be; None: it is done."""
    round_now = transaction.state.round
    if round_now is not None and round_now.ending.next_lock_ns >= 0:
        _withdraw(transaction, press)
        transaction.change_ending(next_lock_ns=-1, next_moved={})
        return None
    if round_now is not None and round_now.dealing.done_by == press.number:
        _withdraw(transaction, press)
        deal_confirmation.change_deal(transaction, done_by=0)
        deal_confirmation.unconfirm(transaction, "the key that said the deal is done was taken back")
        return None
    if round_now is None or round_now.bets.locked_by != press.number:
        return RefusalReason("round_over", "the round is closed")
    _withdraw(transaction, press)
    transaction.emit(*map(QuestionWithdrawn, round_now.open_questions()))
    transaction.emit(RoundClosed(round_now.number, (), 0, "void"))
    transaction.leave_round()
    transaction.change(declared=round_now.declared_boxes())
    return None
