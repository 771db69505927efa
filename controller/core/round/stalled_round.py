"""A round in which nothing has happened for a minute although it may be over: it ends, or a person is asked.

A key that was forgotten, and a hand that may or may not have stopped, would else leave it open until the next deal.
Where the hole card is turned and nothing can follow the round ends. Else an alert is raised and the dealer is asked
whether it is over; a question about its play that waits already is the better one. Whatever happens takes it back.

A question that holds the whole round and that nobody answers for a minute raises the alert too, whatever happens.
"""

from __future__ import annotations

from typing import Final

from controller.core.certainty import deal_confirmation, round_end
from controller.core.messages.inputs import AnswerQuestion, DeadlinePassed
from controller.core.messages.raised_alerts import AlertKind
from controller.core.refusal_reason import RefusalReason
from controller.core.round import closing, lifecycle
from controller.core.table.alert_list import named_people, raise_alert
from controller.core.table.transaction import Transaction

_NOT_TURNED: Final = RefusalReason(
    "round_in_play", "the hole card has not been turned: the dealer turns it, or says at the table that it is over"
)

_QUIET_NS: Final = 60_000_000_000


def _quiet_since(transaction: Transaction) -> int:
    """When the last card, key or chips of the round came."""
    return max(transaction.round().bets.lock_ns, transaction.times().latest_ns)


def deadline_ns(transaction: Transaction) -> int:
    """When the clock is to say that nothing has happened or nobody has answered, in table time; -1: no need."""
    since = [_quiet_since(transaction)] if _waits(transaction) else []
    if _is_held(transaction):
        since.append(transaction.round().questions.held_ns)
    return min(since) + _QUIET_NS if since else -1


def _is_held(transaction: Transaction) -> bool:
    """Whether nobody has answered the question that holds the round, and no alert has said so."""
    round_now = transaction.round()
    return round_now.questions.held_ns >= 0 and bool(round_now.options(transaction.rules).turn_key)


def _waits(transaction: Transaction) -> bool:
    """Whether a minute without anything would say something, and the clock has not reported it yet.

    Of a deal that has begun it says that its cards may be none.
    """
    round_now = transaction.round()
    asked_already = round_now.questions.lingered == len(round_now.evidence.observations)
    if asked_already or not round_now.options(transaction.rules).turn_key or not round_now.cards.drawn:
        return False
    return round_now.bets.locked and not (round_now.ending.closing or round_now.is_suspended())


def review(transaction: Transaction) -> None:
    """End the round, or ask, once a minute has passed; take the question back once anything has happened."""
    given = transaction.stamped.input
    if transaction.state.round is None:
        return
    _review_held(transaction)
    round_now = transaction.round()
    if round_now.questions.lingers and round_now.questions.lingered != len(round_now.evidence.observations):
        closing.withdraw_end_question(transaction)
    late = (
        isinstance(given, DeadlinePassed) and transaction.table_ns(given.at_ns) >= _quiet_since(transaction) + _QUIET_NS
    )
    if not late or not _waits(transaction):
        return
    transaction.change_questions(lingered=len(round_now.evidence.observations))
    if not _may_have_ended(transaction):
        return
    if (
        round_now.cards.turned
        and not round_now.evidence.trouble
        and round_end.is_over(transaction)
        and lifecycle.may_close(transaction)
    ):
        lifecycle.close_round(transaction)
        return
    text = f"nothing has happened for a minute in round {round_now.number}, and it may be over"
    raise_alert(transaction, AlertKind.ROUND_UNENDED, text, round=round_now.number)
    if round_now.questions.asked is None:
        transaction.change_questions(lingers=transaction.ask(0, f"Is round {round_now.number} over?", ("yes", "no")))


def _review_held(transaction: Transaction) -> None:
    """Raise the alert once a question has held the round for a minute; a new question has a minute of its own."""
    round_now, now_ns = transaction.round(), transaction.table_ns(transaction.stamped.at_ns)
    asked, held = round_now.questions, round_now.first_blocking()
    if held != asked.held_by:
        transaction.change_questions(held_by=held, held_ns=now_ns if held else -1)
    elif (
        isinstance(transaction.stamped.input, DeadlinePassed)
        and _is_held(transaction)
        and now_ns >= asked.held_ns + _QUIET_NS
    ):
        transaction.change_questions(held_ns=-1)
        whose = f"what is asked about round {round_now.number}, and nothing of it is concluded"
        text = f"nobody has answered for a minute {whose}"
        raise_alert(transaction, AlertKind.ROUND_UNENDED, text, round=round_now.number)


def _may_have_ended(transaction: Transaction) -> bool:
    """Whether some play of the round is over; where hidden cards would decide that it always counts as one that may."""
    round_now = transaction.round()
    undecided = round_now.evidence.trouble or round_now.hides_faces() or not round_now.is_dealt()
    return bool(undecided) or round_end.some_play_is_over(transaction)


def answered(transaction: Transaction, answer: str, who: str) -> None:
    """A person said whether the round is over; if so it is closed as its key would close it.

    Where a key must turn the hole card only the dealer's own says so, who sees the card: who answers from afar would
    have it opened while the round goes on. Where none need turn it, the round that is over from afar ends with its hole
    card closed and its wagers open; once it is turned, what is settled rests on who said so.
    """
    round_now = transaction.round()
    afar = isinstance(transaction.stamped.input, AnswerQuestion) and transaction.house.words_confirmed
    unturned = round_now.dealing.unturned()
    if afar and unturned and not deal_confirmation.turn_needs_no_key(transaction) and answer == "yes":
        transaction.refuse_answer(round_now.questions.lingers, answer, who, _NOT_TURNED)
        return
    if not transaction.takes_yes_or_no(round_now.questions.lingers, answer, who):
        return
    over = answer == "yes"
    transaction.change_questions(lingers=0)
    if afar and over and transaction.house.ends_traced:
        people = named_people(transaction)
        transaction.rely_on(round_now.number, people)
        transaction.change_round(by_order=True)
        deal_confirmation.note_ended_by_word(transaction, people)
        if unturned:
            closing.close_leaving_wagers_open(transaction)
            return
    refused = over or transaction.round().ending.close_refused
    transaction.change_ending(closing=over, close_key=0, close_refused=refused)
