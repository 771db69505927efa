"""Whether a card is the next round's first: it ends the open round, or came without its key.

In a house that always presses *no more bets* (``no_more_bets = "always"``) the key is what says that a round begins.
Where it is missing the card may be the next round's, its key forgotten, or a card that belongs to none: an unannounced
burn, one that was pushed out of the shoe. A person says which; until then nothing of the round is published. Once as
many cards have come as a deal has, nobody's word alone takes the round back: who knows how it ended would void it.
"""

from __future__ import annotations

from typing import Final

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation
from controller.core.certainty.round_end import boxes_are_cleared, is_over, payment_has_begun, takes_no_card
from controller.core.inference.observation import CardObserved
from controller.core.messages.events import QuestionWithdrawn
from controller.core.table.alert_list import named_people
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_TEXT: Final = "A card came before the bets were locked: has a new round begun?"

_DENIED_AFTER_DEAL: Final = "it was said that no round had begun, once all cards of its deal had come"


def ended_by_card(transaction: Transaction, at_ns: int) -> bool:
    """Whether a card ends the open round: a key has said that it is over, or none can follow and no key need say so."""
    # A card that finds no wager begins no round: where it is not payment that says so, it may be one too many of this.
    round_now = transaction.round()
    paid = payment_has_begun(transaction) and not round_now.dealing.unturned()
    dealt_to = round_now.evidence.trouble or paid or lock.has_main_wager(transaction)
    return bool(round_now.ending.closing or dealt_to) and may_be_ended_by_card(transaction, at_ns)


def may_be_ended_by_card(transaction: Transaction, at_ns: int) -> bool:
    """Whether a card that finds a wager of the next round ends the open one."""
    round_now = transaction.round()
    ending = round_now.ending
    if ending.closing or (ending.next_bets == "pressed" and _next_locked(transaction, at_ns)):
        return True
    if ending.close_refused and _close_meant(transaction, at_ns):
        return True
    by_chips = round_now.options(transaction.rules).no_more_bets == "sometimes"
    return by_chips and deal_confirmation.may_end_by_card(transaction, at_ns) and is_over(transaction)


def _next_locked(transaction: Transaction, at_ns: int) -> bool:
    """Whether *no more bets*, refused as nothing had shown payment, says with the card after it that the round is over.

    In no play anybody could get that card: the wager lies there as it did since its payment was picked up unseen.
    """
    round_now = transaction.round()
    return not round_now.dealing.unturned() and is_long_after_cards(round_now, at_ns) and takes_no_card(transaction)


def _close_meant(transaction: Transaction, at_ns: int) -> bool:
    """Whether *round closed*, refused as no key had turned the hole card, was meant, and a card is the next round's.

    Every chip that lay at the boxes at the last card is gone, and others lie there. The dealer forgot two keys.
    """
    round_now = transaction.round()
    if not round_now.dealing.unturned() or not is_long_after_cards(round_now, at_ns):
        return False
    return lock.has_main_wager(transaction) and boxes_are_cleared(transaction)


def is_long_after_cards(round_now: Round, at_ns: int) -> bool:
    """Whether a moment is so long after the last card of a round that the next bets may have been laid."""
    cards = (one.last_ns for one in round_now.evidence.observations if isinstance(one.item, CardObserved))
    return at_ns - max(cards, default=at_ns) >= deal_confirmation.BETWEEN_ROUNDS_NS


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
        if transaction.house.ends_traced:
            # Its cards count as burned by that word: the next deal bears it out, or another person does.
            people = dict.fromkeys((*transaction.state.announcers, *named_people(transaction)))
            burned = transaction.state.burned_since + len(transaction.round().cards.drawn)
            transaction.change(burned_since=burned, announcers=tuple(people))
        transaction.emit(*map(QuestionWithdrawn, transaction.round().open_questions()))
        lock.replace_bets(transaction, lock.Bets((), (), (), ()))
