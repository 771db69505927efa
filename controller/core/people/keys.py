"""What a key of the dealer's does: name a spot, answer a question, speak of the round or of the table."""

from __future__ import annotations

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation, round_end
from controller.core.messages.alerts import AssistanceRequested, KeyRefused
from controller.core.messages.events import KeyRead
from controller.core.people import answers, undo
from controller.core.round import lifecycle
from controller.core.round.awaited_bets import may_lock_next
from controller.core.surveillance import shoe_check
from controller.core.table import readiness
from controller.core.table.keymap import DECISIONS, DIGITS, EVIDENCE
from controller.core.table.transaction import Desk
from firmware_protocols.readings import KeyPressed


def key_pressed(desk: Desk, pressed: KeyPressed) -> None:
    """A key of the dealer's."""
    meaning = desk.house.keys.get(pressed.key, "")
    if not meaning:
        desk.tell(KeyRefused(pressed.key, "", "the key map gives this key no meaning"))
        return
    desk.tell(KeyRead(pressed.key, meaning))
    at_ns = desk.table_ns(pressed.at_ns)
    named, before = desk.state.spot_named, desk.state
    deal_confirmation.key_came(desk, at_ns)
    desk.change(spot_named=int(meaning) if meaning in DIGITS else 0)
    does = meaning
    if meaning in DIGITS:
        reason = ""
        if answers.number_asked(desk.state):
            does = undo.ANSWER
            answers.answered(desk, answers.question_open(desk.state), "10" if meaning == "0" else meaning, "dealer")
    elif meaning in EVIDENCE:
        reason = evidence_key(desk, meaning, named, at_ns)
    elif meaning == "undo":
        reason = undo.undo(desk)
    else:
        reason = procedure_key(desk, meaning, at_ns, held=pressed.held)
    if reason:
        desk.tell(KeyRefused(pressed.key, meaning, reason))
    if reason and meaning != "undo":
        undo.forget(desk)
    elif meaning != "undo":
        undo.remember(desk, does, before)


def card_came(desk: Desk) -> None:
    """What was pressed before a card cannot be taken back after it."""
    undo.forget(desk)


def evidence_key(desk: Desk, meaning: str, named: int, at_ns: int) -> str:
    """A key that speaks of the round; why it means nothing, or an empty text."""
    if desk.state.round is None or not desk.round().cards:
        return "no cards have been dealt"
    if meaning == "even_money" and not named:
        return "even money names its spot: the spot's digit first, then this key"
    if not named or meaning not in DECISIONS:
        lifecycle.key(desk, meaning, None, at_ns)
    elif named in desk.round().spots:
        lifecycle.key(desk, meaning, desk.round().spots.index(named), at_ns)
    else:
        fresh = not desk.round().trouble
        desk.irregular(f"a key names spot {named}, which has no wager")
        if fresh:
            desk.change_round(misnamed=desk.stamped.number)
    return ""


def procedure_key(desk: Desk, meaning: str, at_ns: int, *, held: bool) -> str:
    """A key that speaks of the table; why it means nothing, or an empty text."""
    match meaning:
        case "no_more_bets":
            return no_more_bets(desk, at_ns)
        case "round_closed":
            if desk.state.round is None:
                return "no round is open"
            desk.change_round(closing=True)
        case "yes" | "no":
            if not answers.question_open(desk.state):
                return "nothing was asked"
            answers.answered(desk, answers.question_open(desk.state), meaning, "dealer")
        case "burn":
            if not held and desk.state.round is not None and over_unsaid(desk):
                lifecycle.close(desk)
            shoe_check.burn_pressed(desk, held=held)
        case "cut_card":
            return shoe_check.cut_card(desk)
        case "call_floor":
            desk.tell(AssistanceRequested(desk.state.open_round()))
        case _:
            raise AssertionError(f"the key {meaning} has no branch here")
    return ""


def over_unsaid(desk: Desk) -> bool:
    """Whether the open round is over and no key has said so; a burn announced now is none of its cards."""
    return not desk.round().closing and round_end.is_over(desk) and may_lock_next(desk) and lifecycle.may_close(desk)


def no_more_bets(desk: Desk, at_ns: int) -> str:
    """Lock the bets of the next round; why that cannot be, or an empty text."""
    if desk.state.round is not None:
        if not may_lock_next(desk):
            if deal_confirmation.deal_done(desk):
                return ""
            if desk.round().cards and not desk.round().dealing.unturned():
                desk.change_round(next_bets="pressed")
            unsaid = "say first whether a new round has begun: yes or no"
            return unsaid if desk.round().unkeyed else "a round is being played"
        if desk.round().closing and not lifecycle.may_close(desk):
            desk.change_round(next_lock_ns=at_ns, next_locked_by=desk.stamped.number, next_moved={})
            return ""
        lifecycle.close(desk)
    if not lock.lock(desk, at_ns):
        closed = readiness.closed_by(desk.state)
        return f"no round may begin: {closed}" if closed else "no wager lies on the layout"
    desk.change_round(locked_by=desk.stamped.number)
    # Bets that are locked now have been dealt to by no card.
    desk.change(dealt_unheard=False)
    return ""
