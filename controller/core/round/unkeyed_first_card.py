"""A first card without the key *no more bets*, in a house that always presses it (``no_more_bets = "always"``).

The key is what says that a round begins. Where it is missing the card may be the next round's, its key forgotten, or a
card that belongs to none: an unannounced burn, one that was pushed out of the shoe. A person says which; until then
nothing of the round is published. Once as many cards have come as a deal has, nobody's word alone takes the round back:
who knows how it ended would void it.
"""

from __future__ import annotations

from typing import Final

from controller.core.betting import lock
from controller.core.messages.events import QuestionWithdrawn
from controller.core.table.transaction import Transaction

_TEXT: Final = "A card came before the bets were locked: has a new round begun?"

_DENIED_AFTER_DEAL: Final = "it was said that no round had begun, once all cards of its deal had come"


def ask(transaction: Transaction) -> None:
    """The card of this step has locked the bets: where the key should have, ask whether it began a round."""
    if transaction.round().options(transaction.rules).no_more_bets == "always":
        transaction.change_questions(unkeyed=transaction.ask(0, _TEXT, ("yes", "no")))


def answered(transaction: Transaction, answer: str, who: str) -> None:
    """A person said whether a round has begun; if not, its cards belong to none and the bets are open again."""
    if not transaction.takes_yes_or_no(transaction.round().questions.unkeyed, answer, who):
        return
    transaction.change_questions(unkeyed=0, begun_by_word=True)
    if answer == "no" and transaction.house.floor_claims_checked and transaction.round().is_dealt():
        transaction.irregular(_DENIED_AFTER_DEAL)
    elif answer == "no":
        transaction.emit(*map(QuestionWithdrawn, transaction.round().open_questions()))
        lock.replace_bets(transaction, lock.Bets((), (), (), ()))
