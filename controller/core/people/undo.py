"""The key *undo*: the dealer takes back the last key press, as long as no card has come since.

It is a correction like the floor's: the journal keeps it, ``KeyUndone`` says that it no longer counts, the round
is woven again without it, and a wager that was settled on it and now comes to something else is adjusted. What was
opened stays open and what was told stays told. Pressed again it takes back the press before.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.certainty import deal_confirmation, rebuild
from controller.core.messages.events import KeyUndone, QuestionWithdrawn, RoundClosed
from controller.core.table.keymap import DIGITS, EVIDENCE
from controller.core.table.state import Press, State
from controller.core.table.transaction import Desk

PRESSES_LIMIT: Final = 20
"""Presses remembered since the last card; nobody takes back more."""

ANSWER: Final = "answer"
"""What a press is called that answered a question."""


def remember(desk: Desk, meaning: str, before: State) -> None:
    """A key was pressed and taken; ``before`` is what the table remembered before it."""
    press = Press(desk.stamped.number, meaning, before.shoe_round, before.burns, before.burn_presses)
    desk.change(presses=(*desk.state.presses, press)[-PRESSES_LIMIT:])


def forget(desk: Desk) -> None:
    """A card has come, or the last press had no effect: nothing before it can be taken back."""
    desk.change(presses=())


def undo(desk: Desk) -> str:
    """Take back the last press; why that cannot be, or an empty text."""
    if not desk.state.presses:
        return "there is nothing to undo"
    press = desk.state.presses[-1]
    if desk.state.round is not None and press.number < desk.round().dealing.turned_by:
        return "the hole card has been turned since"
    refused = taken_back(desk, press)
    if not refused:
        desk.change(presses=desk.state.presses[:-1])
    return refused


def taken_back(desk: Desk, press: Press) -> str:
    """Undo what a press did; why that cannot be, or an empty text."""
    if press.meaning in EVIDENCE:
        return no_evidence(desk, press)
    match press.meaning:
        case "no_more_bets":
            return unlock(desk, press)
        case "round_closed":
            if desk.state.round is None:
                return "the round is closed"
            withdraw(desk, press)
            # A close that was refused hands nothing to the floor when the key is pressed again: it was taken back.
            desk.change_round(closing=False, close_refused=desk.round().closing and desk.round().close_refused)
        case "burn":
            if not desk.state.burns:
                return "the burn has come"
            withdraw(desk, press)
            desk.change(burns=press.burns, shoe_round=press.shoe_round, burn_presses=press.burn_presses)
        case "cut_card":
            withdraw(desk, press)
            desk.change(shoe=replace(desk.state.shoe, cut_card=-1))
        case "call_floor":
            return "the floor has been called"
        case given if given in {"yes", "no", ANSWER}:
            return "an answer stands until the floor corrects it"
        case digit if digit in DIGITS:
            withdraw(desk, press)
        case other:
            raise AssertionError(f"the key {other} has no branch here")
    return ""


def withdraw(desk: Desk, press: Press) -> None:
    """Say that a press counts no more."""
    desk.tell(KeyUndone(desk.state.open_round(), press.number, press.meaning))


def no_evidence(desk: Desk, press: Press, who: str = "dealer") -> str:
    """The round without a key that spoke of it; why that cannot be, or an empty text."""
    before = desk.state.round
    if before is None:
        return "the round is closed"
    withdraw(desk, press)
    if before.misnamed == press.number:
        # The key named a spot without a wager and never was evidence.
        before = replace(before, curable=True)
    left = tuple(dated for dated in before.evidence if dated.number != press.number)
    if before.turn_key == press.number:
        desk.change_round(turn_key=0)
    desk.change_round(corrected=(who, f"key {press.meaning} taken back"), closing=False)
    rebuild.weave_corrected(desk, replace(before, evidence=left))
    return ""


def unlock(desk: Desk, press: Press) -> str:
    """Bets are open again; why that cannot be, or an empty text."""
    round_now = desk.state.round
    if round_now is not None and round_now.next_lock_ns >= 0:
        withdraw(desk, press)
        desk.change_round(next_lock_ns=-1, next_moved={})
        return ""
    if round_now is not None and round_now.dealing.done_by == press.number:
        withdraw(desk, press)
        deal_confirmation.change(desk, done_by=0)
        deal_confirmation.unconfirm(desk, "the key that said the deal is done was taken back")
        return ""
    if round_now is None or round_now.locked_by != press.number:
        return "the round is closed"
    withdraw(desk, press)
    desk.tell(*map(QuestionWithdrawn, round_now.open_questions()))
    desk.tell(RoundClosed(round_now.number, (), 0, "void"))
    desk.leave_round()
    desk.change(declared=round_now.declared_boxes())
    return ""
