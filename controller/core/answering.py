"""A person's answer, by key or over the operators' channel, finds the question it belongs to."""

from __future__ import annotations

from controller.core import asking, closing, rounds, unkeyed
from controller.core.alerts import AnswerRefused
from controller.core.desk import Desk
from controller.core.events import QuestionAnswered


def answered(desk: Desk, question: int, answer: str, who: str) -> None:
    """A person answered a question: about the open round, its beginning or its play, or about a round that waits."""
    round_now = desk.state.round if question else None
    if round_now is not None and round_now.doubt == question:
        missed_cards_answered(desk, question, answer, who)
        return
    if round_now is not None and round_now.unkeyed == question:
        unkeyed.answered(desk, answer, who)
        return
    if round_now is not None and round_now.entry == question:
        rounds.let_in(desk, answer, who)
        return
    if round_now is not None and round_now.asked is not None and round_now.asked.number == question:
        asking.take_answer(desk, answer, who)
        return
    for waited in desk.state.waiting:
        if waited.asked is not None and waited.asked.number == question:
            closing.answer_waiting(desk, waited, answer, who)
            return
    desk.tell(AnswerRefused(question, answer, "no such question is open"))


def missed_cards_answered(desk: Desk, question: int, answer: str, who: str) -> None:
    """No card was missed and the round goes on, or it goes to the floor."""
    if answer not in {"yes", "no"}:
        desk.tell(AnswerRefused(question, answer, "the answers are yes and no"))
        return
    desk.tell(QuestionAnswered(question, answer, who))
    desk.change_round(doubt=0)
    if answer == "yes":
        desk.irregular("cards were drawn while the table was not listening")


def number_asked(desk: Desk) -> bool:
    """Whether a digit key answers a question rather than names a spot."""
    round_now = desk.state.round
    asked = [round_now] if round_now is not None else list(desk.state.waiting[-1:])
    return any(one.asked is not None and one.asked.question.by_number() for one in asked)


def question_open(desk: Desk) -> int:
    """The question a key answers: the open round's; between rounds the latest that waits. 0: none."""
    round_now = desk.state.round
    if round_now is not None:
        return round_now.holding() or (round_now.asked.number if round_now.asked else 0)
    waiting = [waited.asked.number for waited in desk.state.waiting if waited.asked is not None]
    return max(waiting, default=0)
