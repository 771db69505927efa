"""Questions about a round's play: asked once the dealer's hand is complete, answered by a key or by the floor.

A round that ends with a question open waits for its answer while the next one is played; at most three wait.
"""

from __future__ import annotations

from controller.core.certainty.agreed_dues import (
    confirmation_needed_ns,
    confirmed_until_ns,
    consistent_with_hole,
    has_open_wagers,
)
from controller.core.certainty.side_wagers import sides_differ, sides_of
from controller.core.inference.outcome_classes import LatticeCase
from controller.core.inference.paths import narrowed
from controller.core.inference.question import Question, best_question
from controller.core.messages.events import QuestionWithdrawn
from controller.core.refusal_reason import RefusalReason
from controller.core.table.round_state import OpenQuestion
from controller.core.table.transaction import Transaction


def consider(transaction: Transaction, points: int | None) -> None:
    """Ask the best question once everybody can see the finished hands and some due still differs.

    ``points`` are the hole card's, as ``hole_points`` has them.
    """
    round_now = transaction.round()
    if round_now.questions.asked is not None:
        withdraw_if_needless(transaction)
        return
    turned = points is not None or not round_now.cards.hole_dealt
    idle = round_now.questions.considered == len(round_now.evidence.observations) or round_now.evidence.trouble
    if not turned or idle or confirmed_until_ns(transaction) < confirmation_needed_ns(transaction):
        return
    lattice = transaction.lattice()
    play = lattice.game
    nodes = consistent_with_hole(lattice.frontier, points)
    is_played = all(play.all_played(node) and _of_points(play.holes(node, drawing=False), points) for node in nodes)
    if is_played and _matters(transaction):
        transaction.change_questions(considered=len(round_now.evidence.observations))
        ask_best(transaction, points)


def _matters(transaction: Transaction) -> bool:
    """Whether some wager still depends on how the round was played."""
    return has_open_wagers(transaction) or sides_differ(transaction)


def _of_points(holes: int, points: int | None) -> bool:
    """Whether a hole card of these points (None: no hole card is dealt) is among these."""
    return bool(holes if points is None else holes >> points & 1)


def ask_best(transaction: Transaction, points: int | None) -> None:
    """Ask the question whose worst answer leaves the fewest different dues, if any answer would change money."""
    case = LatticeCase(transaction.lattice(), points, sides_of(transaction))
    question = best_question((case,), as_shown=transaction.house.questions_fit)
    if question is not None:
        _ask(transaction, question)


def _ask(transaction: Transaction, question: Question) -> None:
    """Put a question to people."""
    spots = transaction.round().bets.spots
    number = transaction.ask(question.about(spots), question.text(spots), question.choices())
    transaction.change_questions(asked=OpenQuestion(number, question))


def withdraw_if_needless(transaction: Transaction) -> None:
    """Take back a question once nothing depends on it."""
    asked = transaction.round().questions.asked
    if asked is not None and (transaction.round().evidence.trouble or not _matters(transaction)):
        transaction.change_questions(asked=None)
        transaction.emit(QuestionWithdrawn(asked.number))


def refuse_choice(transaction: Transaction, asked: OpenQuestion, words: str, who: str) -> None:
    """Say that an answer is none of the question's choices."""
    choices = f"the answers are {', '.join(asked.question.choices())}"
    transaction.refuse_answer(asked.number, words, who, RefusalReason("not_a_choice", choices))


def take_answer(transaction: Transaction, words: str, who: str) -> bool:
    """Take the answer to the round's question; False if it is none of the choices."""
    asked = transaction.round().questions.asked
    assert asked is not None, "an answer comes to a question"
    value = asked.question.value_of(words)
    if value is None:
        refuse_choice(transaction, asked, words, who)
        return False
    transaction.note_answer(asked.number, asked.question.words(value), who)
    answers = (*transaction.round().evidence.answers, *asked.question.answers(value))
    transaction.change_questions(asked=None, considered=-1)
    transaction.change_evidence(answers=answers)
    transaction.change_lattice(narrowed(transaction.lattice(), answers))
    if not consistent_with_hole(transaction.lattice().frontier, transaction.hole_points()):
        transaction.irregular("no legal play agrees with the answer")
    return True
