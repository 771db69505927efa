"""A round in which nothing has happened for a minute although it may be over: it ends, or a person is asked.

A key that was forgotten, and a hand that may or may not have stopped, would else leave it open until the next deal.
Where the hole card is turned and nothing can follow the round ends. Else an alert is raised and the dealer is asked
whether it is over; a question about its play that waits already is the better one. Whatever happens takes it back.
"""

from __future__ import annotations

from typing import Final

from controller.core.certainty import round_end
from controller.core.messages.inputs import DeadlinePassed
from controller.core.messages.raised_alerts import AlertKind
from controller.core.round import closing, lifecycle
from controller.core.table.alert_list import raise_alert
from controller.core.table.transaction import Transaction

_QUIET_NS: Final = 60_000_000_000


def _quiet_since(transaction: Transaction) -> int:
    """When the last card, key or chips of the round came."""
    return max(transaction.round().bets.lock_ns, transaction.times().latest_ns)


def deadline_ns(transaction: Transaction) -> int:
    """When the clock is to say that nothing has happened, in table time; -1: no need."""
    return _quiet_since(transaction) + _QUIET_NS if _waits(transaction) else -1


def _waits(transaction: Transaction) -> bool:
    """Whether a minute without anything would say something, and the clock has not reported it yet."""
    round_now = transaction.round()
    asked_already = round_now.questions.lingered == len(round_now.evidence.observations)
    if asked_already or not round_now.rules(transaction.rules).options.turn_key or not round_now.is_dealt():
        return False
    return round_now.bets.locked and not (round_now.ending.closing or round_now.is_suspended())


def review(transaction: Transaction) -> None:
    """End the round, or ask, once a minute has passed; take the question back once anything has happened."""
    given, round_now = transaction.stamped.input, transaction.state.round
    if round_now is None:
        return
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


def _may_have_ended(transaction: Transaction) -> bool:
    """Whether some play of the round is over; where hidden cards would decide that it always counts as one that may."""
    round_now = transaction.round()
    return bool(round_now.evidence.trouble) or round_now.hides_faces() or round_end.some_play_is_over(transaction)


def answered(transaction: Transaction, answer: str, who: str) -> None:
    """A person said whether the round is over; if so it is closed as its key would close it."""
    if not transaction.takes_yes_or_no(transaction.round().questions.lingers, answer, who):
        return
    over = answer == "yes"
    transaction.change_questions(lingers=0)
    transaction.change_ending(closing=over, close_refused=over or transaction.round().ending.close_refused)
