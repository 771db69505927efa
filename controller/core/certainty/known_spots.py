"""Which spots are known to be dealt to where who sat out a round may be refused until the shuffle.

Chips cannot show it: a player may lay them and wait for the shuffle. A spot is known that bet the last round of the
shoe, and in the first round of a shoe every spot is. Where only a person's word has made it so (an answer, a box
declared, a shoe announced by order), what is dealt later still rests on that word: until the spot sits out a round,
another person has borne the deal out, or the dealer announces a shoe. If a deal has not borne the word out, the next
lock asks again.
"""

from __future__ import annotations

from typing import Final

from controller.core.game.wager import RoundBook
from controller.core.table.alert_list import named_people
from controller.core.table.state import BoxDeclaration
from controller.core.table.transaction import Transaction

_SPOTS: Final = frozenset(range(1, 8))


def newcomers(transaction: Transaction, spots: tuple[int, ...]) -> tuple[int, ...]:
    """The spots among ``spots`` that did not bet the last round of this shoe, where such a wager is refused.

    Nothing is known of the rounds before the first that this table saw; a burn announced between two rounds begins a
    shoe. Of a spot whose last deal did not bear out that it was dealt to, nothing is known either.
    """
    if transaction.rules.mid_shoe_entry == "allowed":
        return ()
    last = _last_book(transaction, transaction.state.shoe_round, transaction.state.rounds + 1)
    if last is None:
        return ()
    bet = _spots_of(last).difference(transaction.state.unproven)
    return tuple(spot for spot in spots if spot not in bet)


def _last_book(transaction: Transaction, since: int, before: int) -> RoundBook | None:
    """The book of the last round that counts, from ``since`` on and before ``before``; None: there is none."""
    books = reversed(transaction.state.books)
    return next((book for book in books if since <= book.round < before and not book.void), None)


def _spots_of(book: RoundBook) -> set[int]:
    """The spots that bet in a round."""
    return {row.spot for row in book.rows if row.bet == "main"}


def _keeps_words(transaction: Transaction) -> bool:
    """Whether it matters in later rounds on whose word a spot is in play."""
    return transaction.house.words_carried and transaction.rules.mid_shoe_entry == "refused"


def _is_first_of_shoe(transaction: Transaction) -> bool:
    """Whether no round that counts has been dealt before the open one from the shoe that was announced last."""
    return _last_book(transaction, transaction.state.shoe_round, transaction.round().number) is None


def note_answered(transaction: Transaction, spot: int, *, dealt_in: bool) -> None:
    """A person has said of a newcomer whether they were dealt in: by key it is the dealer, who deals."""
    if not _keeps_words(transaction):
        return
    state, people = transaction.state, named_people(transaction)
    let_in = tuple(one for one in state.let_in if one.spot != spot)
    said = (BoxDeclaration(spot, people),) if dealt_in and people else ()
    unproven = tuple(one for one in state.unproven if one != spot)
    transaction.change(let_in=(*let_in, *said), unproven=unproven)


def note_unanswered(transaction: Transaction) -> None:
    """A round ends and it was not said of its newcomers whether they were dealt in."""
    if _keeps_words(transaction):
        spots = {*transaction.state.unproven, *transaction.round().questions.entering}
        transaction.change(unproven=tuple(sorted(spots)))


def carry(transaction: Transaction) -> tuple[int, ...]:
    """As the lock is published: the boxes that are in play only by what was said before; their round rests on it.

    Whose boxes are declared is kept for the rounds after this one.
    """
    if not _keeps_words(transaction):
        return ()
    round_now = transaction.round()
    said = _in_by_word(transaction)
    others = set(round_now.bets.spots).difference(round_now.bets.declared, round_now.dealing.entered)
    carried = [one for one in said.values() if one.spot in others]
    declared = {one.spot: one for one in transaction.state.declarers if one.spot in round_now.bets.declared}
    earlier = {one.spot: one for one in transaction.state.let_in}
    transaction.change(let_in=tuple({**earlier, **said, **declared}.values()))
    transaction.rely_on(round_now.number, [person for one in carried for person in one.people])
    return tuple(one.spot for one in carried)


def _in_by_word(transaction: Transaction) -> dict[int, BoxDeclaration]:
    """The spots that only somebody's word has made known, whether or not they bet."""
    state, by_order = transaction.state, transaction.state.shoe.announcers
    said = {one.spot: one for one in state.let_in}
    if not _is_first_of_shoe(transaction):
        return said
    if not by_order:
        return {}
    last = _last_book(transaction, 0, transaction.round().number)
    known = _SPOTS if last is None else _spots_of(last).difference(state.unproven)
    return {**said, **{spot: BoxDeclaration(spot, by_order) for spot in sorted(_SPOTS.difference(known))}}


def note_left(transaction: Transaction, *, borne_out: bool) -> None:
    """The open round is over; ``borne_out``: its deal has as many cards as counted, and not by a word alone."""
    round_now, state = transaction.round(), transaction.state
    if not round_now.cards.drawn or not _keeps_words(transaction):
        return
    on_word, let_in, earlier = round_now.boxes_on_word(), state.let_in, state.unproven
    if _is_first_of_shoe(transaction):
        let_in, earlier = tuple(one for one in let_in if one.spot in on_word), ()
    asked, trouble = round_now.questions.miscounted, bool(round_now.evidence.trouble)
    if asked and transaction.house.two_persons:
        # It is another person who has said that the cards of the deal are those counted; or it is asked again.
        let_in = tuple(one for one in let_in if one.spot not in on_word)
    unproven = {*earlier, *(() if borne_out and not (asked and trouble) else on_word)}
    transaction.change(let_in=let_in, unproven=tuple(sorted(unproven)))
