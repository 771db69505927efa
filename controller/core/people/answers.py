"""A person's answer, by key or over the operators' channel, finds the question it belongs to."""

from __future__ import annotations

from functools import partial
from typing import Final, NamedTuple

from controller.core.people import undo
from controller.core.refusal_reason import RefusalReason
from controller.core.round import closing, first_card, lifecycle, missed_cards, questions, stalled_round
from controller.core.table.round_state import OpenQuestion, Round
from controller.core.table.state import KeyPress, State
from controller.core.table.transaction import Transaction

_NO_QUESTION: Final = RefusalReason("no_such_question", "no such question is open")


def answered(transaction: Transaction, question: int, answer: str, who: str) -> None:
    """A person answered a question: about the open round, its beginning or its play, or about a round that waits."""
    round_now = transaction.state.round if question else None
    if round_now is not None and round_now.questions.doubt == question:
        _missed_cards_answered(transaction, question, answer, who)
        return
    if round_now is not None and round_now.questions.unkeyed == question:
        first_card.answered(transaction, answer, who)
        return
    if round_now is not None and round_now.questions.entry == question:
        lifecycle.resolve_entry(transaction, answer, who)
        return
    if round_now is not None and round_now.questions.lingers == question:
        stalled_round.answered(transaction, answer, who)
        return
    if round_now is not None and round_now.questions.asked is not None and round_now.questions.asked.number == question:
        questions.take_answer(transaction, answer, who)
        return
    for waited in transaction.state.waiting:
        asked = waited.questions.asked
        if asked is not None and asked.number == question:
            if asked.question.value_of(answer) is None:
                # To judge a long round anew takes time, which whoever answers at random would take from the table.
                questions.refuse_choice(transaction, asked, answer, who)
                return
            closing.rejudge_waiting(transaction, waited, partial(questions.take_answer, transaction, answer, who))
            return
    transaction.refuse_answer(question, answer, who, _NO_QUESTION)


def _missed_cards_answered(transaction: Transaction, question: int, answer: str, who: str) -> None:
    """No card was missed and the round goes on, or it goes to the floor."""
    if refused := missed_cards.own_word_reason(transaction):
        transaction.refuse_answer(question, answer, who, refused)
        return
    if not transaction.takes_yes_or_no(question, answer, who):
        return
    hit, why = transaction.round().questions.missed_after, missed_cards.irregular_reason(transaction.round())
    transaction.change_questions(doubt=0, missed_after=0)
    missed_cards.note_goes_on(transaction, answer)
    if answer == "yes":
        transaction.irregular(why)
    elif hit:
        if refusal := undo.take_back_evidence(transaction, KeyPress(hit, "hit"), who):
            transaction.irregular(f"play went on after the key hit without its card, and {refusal.text}")
    else:
        transaction.change_ending(next_bets="")
        missed_cards.note_said_counted(transaction, who, question)


class QuestionShown(NamedTuple):
    """The question that the dealer's display shows and a key answers.

    ``asked`` is None for one about the open round as a whole: whether cards were missed, it has begun or is over, or a
    newcomer plays.
    """

    number: int
    round: Round
    asked: OpenQuestion | None


def question_shown(state: State) -> QuestionShown | None:
    """The question in the dealer's sight, None without one: the open round's, between rounds the latest that waits."""
    round_now = state.round
    if round_now is None:
        round_now = next((one for one in reversed(state.waiting) if one.questions.asked is not None), None)
    elif holding := round_now.first_blocking() or round_now.questions.lingers:
        return QuestionShown(holding, round_now, None)
    if (
        round_now is None
        or round_now.questions.asked is None
        or round_now.is_published_irregular()
        or round_now.waits_for_card()
    ):
        return None
    return QuestionShown(round_now.questions.asked.number, round_now, round_now.questions.asked)


_READING_NS: Final = 500_000_000
"""To read a question and press a key takes longer: a key that comes sooner was meant for what stood there before."""


def was_read(state: State, at_ns: int) -> bool:
    """Whether the question shown has been on the display so long that a key of this moment can be meant for it."""
    return state.question_displayed == question_open(state) and at_ns - state.displayed_ns >= _READING_NS


def note_displayed(transaction: Transaction, question: int, at_ns: int) -> None:
    """From this moment on the display has this question; 0: another line."""
    if question != transaction.state.question_displayed:
        transaction.change(question_displayed=question, displayed_ns=at_ns)


def number_asked(state: State, at_ns: int) -> bool:
    """Whether a digit key of this moment answers the question shown rather than names a spot."""
    shown = question_shown(state)
    by_number = shown is not None and shown.asked is not None and shown.asked.question.by_number()
    return by_number and was_read(state, at_ns)


def question_open(state: State) -> int:
    """The number of the question a key answers; 0: none."""
    shown = question_shown(state)
    return 0 if shown is None else shown.number
