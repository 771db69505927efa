"""Keeping the shoe account: a fold over what a step has published."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.betting.lock import has_main_wager
from controller.core.certainty import deal_confirmation
from controller.core.messages.alerts import CardsMayBeMissing
from controller.core.messages.events import (
    CardBurned,
    CardDrawn,
    CardOpened,
    Event,
    ShoeBegun,
    ShoeCounted,
    ShoeEnded,
)
from controller.core.messages.floor_events import CardSet
from controller.core.messages.inputs import ShoeChanged
from controller.core.messages.raised_alerts import AlertKind, AlertRaised
from controller.core.persons import Person
from controller.core.refusal_reason import RefusalReason
from controller.core.round.missed_cards import BurnedCard
from controller.core.table.alert_list import named_people, raise_alert, raise_alert_about
from controller.core.table.shoe import CountOfShoe, NamedCard, ShoeAccount, UnseenCard
from controller.core.table.state import State, Table
from controller.core.table.transaction import Transaction
from firmware_protocols import readings

_UNREAD: Final = "??"


_COUNTED: Final = frozenset({CardDrawn, CardBurned, CardOpened, CardSet, CardsMayBeMissing})
"""The events that change the account of the shoe."""


def count(before: Table, transaction: Transaction) -> None:
    """What this step means for the shoe."""
    for event in tuple(transaction.events):
        if type(event) in _COUNTED:
            _counted(transaction, event)
    if _may_show_waiting(before, transaction.state):
        _show_waiting(transaction)
    if transaction.state.shoe_round > before.state.shoe_round:
        _change_shoe(transaction)
    elif transaction.state.shoe_round < before.state.shoe_round and transaction.state.last_shoe.shoe:
        # The announcement was taken back: under its number the shoe before goes on, and is counted when it is over.
        resumed = replace(transaction.state.last_shoe, shoe=transaction.state.shoe.shoe, counts=())
        transaction.change(shoe=resumed, last_shoe=ShoeAccount())


def _may_show_waiting(before: Table, state: State) -> bool:
    """Whether a hole card was turned in this step or a card drawn, which cards of the shoe before may wait for.

    Also where another shoe is announced: since a restart the house's may have fewer cards.
    """
    if before.house.turns_keyed and state.shoe_round > before.state.shoe_round:
        return True
    turned = state.turned_by > before.state.turned_by or state.keyed_turn > before.state.keyed_turn
    return turned or state.cards_drawn > before.state.cards_drawn


def _show_waiting(transaction: Transaction) -> None:
    """The cards of the shoe before are shown that waited for a turn or for its end, now that it has come."""
    account = transaction.state.last_shoe
    waiting = tuple(card for card in account.closed if _waits(transaction, card))
    if len(waiting) == len(account.closed):
        return
    for card in account.closed:
        if card not in waiting:
            opened = _show(transaction, card)
            if _is_of_last_shoe(transaction, card):
                account = _checked(transaction, account.counted(opened.face, 1), opened.face, card.number)
    transaction.change(last_shoe=replace(account, closed=waiting))


def _waits(transaction: Transaction, card: UnseenCard) -> bool:
    """Whether a card of a shoe that is said to be over stays closed all the same.

    It may be a hole card that lies as it was dealt. Its shoe may be in use still, whatever was said, until as many
    cards have been drawn since as a shoe is loaded with. Until then a burned card stays closed, and any other until a
    key has turned a hole card: a round that a player feigns has a turn too, by the table's conclusion.
    """
    since = transaction.state.cards_drawn - card.place
    if since < ShoeAccount(decks=transaction.rules.decks).loaded():
        if card.burned and transaction.house.words_confirmed:
            return True
        if transaction.house.turns_keyed and transaction.state.unkeyed(card):
            return True
    return transaction.state.unturned(card)


def _is_of_last_shoe(transaction: Transaction, card: UnseenCard) -> bool:
    """Whether a card that waited was drawn from the shoe before this one, and not from an earlier one."""
    state = transaction.state
    return (
        not transaction.house.turns_keyed or card.place > state.cards_drawn - state.shoe.drawn - state.last_shoe.drawn
    )


def _show(transaction: Transaction, card: UnseenCard) -> CardOpened:
    """Open a card that was kept closed."""
    opened = CardOpened(card.number, str(card.face), card.nonce.hex())
    transaction.emit(opened)
    return opened


def _counted(transaction: Transaction, event: Event) -> None:
    """What an event means for the shoe."""
    account = transaction.state.shoe
    match event:
        case CardDrawn(number, card):
            drawn, place = (
                _drawn(transaction, account, outside=not number, card=card),
                transaction.state.cards_drawn + 1,
            )
            burned = 0 if number else transaction.state.burned_beside_bets
            transaction.change(shoe=drawn, cards_drawn=place, burned_beside_bets=burned)
            _too_many(transaction)
            if number:
                _dealt_from(transaction)
        case CardBurned(card):
            transaction.change(shoe=replace(account, burned=account.burned + 1))
            _burned_beside_bets(transaction, card)
        case CardOpened(card, face) if face == _UNREAD:
            transaction.change(shoe=replace(account, unread=account.unread + 1))
        case CardOpened(card, face):
            transaction.change(shoe=_checked(transaction, account.counted(face, 1), face, card))
        case CardSet(_, card, was, now):
            _corrected(transaction, card, was, now)
        case CardsMayBeMissing():
            transaction.change(shoe=replace(account, doubtful=True))
        case _:
            pass


def _drawn(transaction: Transaction, account: ShoeAccount, *, outside: bool, card: int) -> ShoeAccount:
    """One card more has left the shoe; the face of one outside a round is kept for the shoe's end."""
    reading = transaction.stamped.input
    account = replace(account, drawn=account.drawn + 1)
    if (
        not outside
        or not isinstance(reading, readings.CardDrawn)
        or (reading.face is None and not transaction.stamped.closed)
    ):
        return account
    burned = any(isinstance(event, CardBurned) and event.card == card for event in transaction.events)
    kept = UnseenCard(
        *(card, reading.face, transaction.stamped.nonce, deal_confirmation.guards_hole_card(transaction.rules), burned),
        transaction.state.cards_drawn + 1,
    )
    return replace(account, closed=(*account.closed, kept))


def _corrected(transaction: Transaction, card: int, was: str | None, now: str | None) -> None:
    """The floor named a card or struck it: a struck one may have been none of the shoe's."""
    account = transaction.state.shoe
    if was == _UNREAD:
        account = replace(account, unread=account.unread - 1)
    elif was:
        account = account.counted(was, -1)
    named = tuple(one for one in account.named if one.number != card)
    account = replace(account, doubtful=account.doubtful or not now, named=named)
    if now and was:
        if transaction.house.words_carried:
            account = replace(account, named=(*named, NamedCard(card, now, named_people(transaction))))
        account = _checked(transaction, account.counted(now, 1), now, card)
    transaction.change(shoe=account)


def _checked(transaction: Transaction, account: ShoeAccount, face: str, card: int) -> ShoeAccount:
    """The account of a shoe once it was said, where it is so, that a face lies open more often than it can hold it."""
    by_word = account.said_to_be(face, card)
    if not account.impossible(face) or (account.alerted and not by_word):
        return account
    text = f"card {card} is {face} number {account.opened[face]} of a shoe that holds {account.decks}"
    about = {"round": transaction.state.open_round(), "readings": (card, transaction.stamped.number)}
    if by_word:
        # What somebody may have made up keeps silent nothing that the shoe shows by itself.
        people = dict.fromkeys(person for one in by_word for person in one.people)
        raise_alert_about(transaction, tuple(people), AlertKind.IMPOSSIBLE_CARD, text, **about)
        return account
    raise_alert(transaction, AlertKind.IMPOSSIBLE_CARD, text, **about)
    return replace(account, alerted=True)


def _too_many(transaction: Transaction) -> None:
    """More cards have left the shoe than it was loaded with."""
    account = transaction.state.shoe
    if account.shoe and not account.alerted and account.drawn > account.loaded():
        transaction.change(shoe=replace(account, alerted=True))
        text = f"{account.drawn} cards were drawn from a shoe of {account.loaded()}, or nobody announced a new shoe"
        raise_alert(transaction, AlertKind.CARDS_EXTRA, text, round=transaction.state.open_round())


def _dealt_from(transaction: Transaction) -> None:
    """A round is dealt from the shoe: that another was announced is taken back no more, nor how that one ended."""
    account = transaction.state.shoe
    if account.ended:
        by, place = account.announcers, transaction.state.open_round()
        raise_alert_about(transaction, by, AlertKind.SHOE_ENDED_EARLY, account.ended, round=place)
    transaction.change(shoe=replace(account, dealt=True, ended=""))


# --- from shoe to shoe ------------------------------------------------------------------------------


def burn_pressed(transaction: Transaction, *, held: bool) -> None:
    """The burn key. Held it tells of a new dealer, within a round of a card of the shoe in use; either burns one.

    Tapped between two rounds it also announces a new shoe, of which the house's number of burns is awaited at once. So
    a dealer may press once, or once for each of them; only a press beyond them stands for one more.
    """
    if transaction.state.round is not None or held:
        transaction.change(burns=transaction.state.burns + 1)
        return
    if transaction.state.shoe_round != _first_round(transaction):
        _begin_shoe(transaction)
    presses = transaction.state.burn_presses + 1
    more = presses > transaction.rules.options.new_shoe_burns
    transaction.change(burn_presses=presses, burns=transaction.state.burns + more)


def _first_round(transaction: Transaction) -> int:
    """The number of the round that would be dealt first from a shoe announced now; its bets may be locked already."""
    return transaction.state.rounds + (transaction.state.round is None)


def _begin_shoe(transaction: Transaction, *people: Person) -> None:
    """A new shoe is in use, as ``people`` say; its burns are the next cards (58 Pa. Code 685a.7(c))."""
    burns = transaction.state.burns + transaction.rules.options.new_shoe_burns
    announcers = people if transaction.house.words_confirmed else ()
    if transaction.house.words_traced:
        announcers = tuple(dict.fromkeys((*transaction.state.announcers, *announcers)))
    transaction.change(shoe_round=_first_round(transaction), burns=burns, burn_presses=0, announcers=announcers)


def burned_in_play(transaction: Transaction, waited: BurnedCard) -> None:
    """A card was burned that a hand of the open round may have been waiting for, as text and spot say."""
    raise_alert(
        transaction, AlertKind.BURNED_IN_PLAY, waited.text, round=transaction.state.open_round(), spot=waited.spot
    )


def _burned_beside_bets(transaction: Transaction, card: int) -> None:
    """A card is burned while bets lie there and no hand waits: no more than the house burns, or a round is dealt so."""
    in_play = any(type(one) is AlertRaised and one.kind is AlertKind.BURNED_IN_PLAY for one in transaction.events)
    if in_play or not transaction.house.floor_claims_checked or not has_main_wager(transaction):
        return
    burned, most = transaction.state.burned_beside_bets + 1, _burns_allowed(transaction)
    transaction.change(burned_beside_bets=burned)
    if burned > most:
        text = (
            f"card {card} was burned while bets lay there, number {burned} without a card dealt; the house burns {most}"
        )
        raise_alert(transaction, AlertKind.BURNED_IN_PLAY, text, round=transaction.state.open_round())


def _burns_allowed(transaction: Transaction) -> int:
    """The most cards the house burns in a row: one for a new dealer, and those of a shoe that may be new.

    In a round whose cards have come, which may be over, the burn key announces no shoe.
    """
    round_now, of_new_shoe = transaction.state.round, transaction.rules.options.new_shoe_burns
    may_be_new = transaction.state.shoe_round == _first_round(transaction)
    may_be_new = may_be_new or (round_now is not None and bool(round_now.cards.drawn))
    return _NEW_DEALER_BURNS + (of_new_shoe if may_be_new else 0)


_NEW_DEALER_BURNS: Final = 1
"""Cards burned where another dealer comes to the table."""


def burns_text(transaction: Transaction) -> str:
    """What the dealer is reminded of while burns are awaited; empty: none are."""
    burns = transaction.state.burns
    return f"Burn {burns} card{'s' if burns > 1 else ''}" if burns else ""


_BETS_ARE_LOCKED: Final = RefusalReason(
    "round_in_play", "the bets of a round are locked: a new shoe is announced before, or once that key is undone"
)
"""An order from elsewhere would make a burn of the deal's first card, which is in the dealer's hand."""


def announced(transaction: Transaction, given: ShoeChanged) -> None:
    """A person announces a new shoe, or says how many cards were left in the one that was just replaced."""
    refused: RefusalReason | None = None
    if transaction.state.round is not None and transaction.state.round.cards.drawn:
        refused = RefusalReason("round_in_play", "a round is being played")
    elif transaction.state.shoe_round != _first_round(transaction):
        if transaction.state.round is not None and transaction.house.floor_claims_checked:
            refused = _BETS_ARE_LOCKED
        else:
            _begin_shoe(transaction, Person(given.who, given.vouched))
    elif given.left >= 0 and transaction.state.last_shoe.shoe:
        transaction.change(last_shoe=_take_count(transaction, transaction.state.last_shoe, given))
    else:
        refused = RefusalReason("already_done", "this shoe has been announced, and the one before it is on no account")
    if refused is not None:
        transaction.refuse("new shoe", given.who, refused)


def _change_shoe(transaction: Transaction) -> None:
    """The old shoe is over and its closed cards are shown, or wait until they may be; the next begins full."""
    given = transaction.stamped.input
    count_given = given if isinstance(given, ShoeChanged) and given.left >= 0 else None
    left = None if count_given is None else count_given.left
    who = given.who if isinstance(given, ShoeChanged) else "dealer"
    for card in transaction.state.shoe.closed:
        if card.nonce and not _waits(transaction, card):
            _counted(transaction, _show(transaction, card))
    old = transaction.state.shoe
    kept = (*transaction.state.last_shoe.closed, *old.closed)
    waiting = tuple(card for card in kept if card.nonce and _waits(transaction, card))
    if old.shoe:
        counts = (old.drawn, old.burned, old.unread)
        ends = (left, old.cut_card if old.cut_card >= 0 else None)
        transaction.emit(
            ShoeEnded(old.shoe, old.decks, *counts, *ends, old.penetration_per_mille(), old.running_count(), who)
        )
    counted = old if count_given is None or not old.shoe else _take_count(transaction, old, count_given)
    ended = replace(counted, closed=waiting)
    begun = ShoeAccount(old.shoe + 1, transaction.rules.decks)
    if transaction.house.words_traced:
        # Of one that was announced in vain, no round having been dealt from it, it goes on to be said who did.
        earlier = () if old.dealt else old.announcers
        by = (Person(given.who, given.vouched),) if isinstance(given, ShoeChanged) else ()
        why = _early_end(old, who) if old.shoe and old.ended_early() else old.ended
        begun = replace(begun, ended=why, announcers=tuple(dict.fromkeys((*earlier, *by))))
    transaction.change(shoe=begun, last_shoe=ended)
    transaction.emit(ShoeBegun(old.shoe + 1, transaction.rules.decks, who))


def _early_end(old: ShoeAccount, who: str) -> str:
    """What a shoe that ended long before its cut card wants a person to know."""
    drawn = f"{old.drawn} of the {old.loaded()} cards of shoe {old.shoe}"
    return f"{who} announced a new shoe once {drawn} were drawn; what lay open before counts no more"


def _take_count(transaction: Transaction, ended: ShoeAccount, given: ShoeChanged) -> ShoeAccount:
    """Publish a count of a shoe that is over and weigh it; the account with it, on which other counts may follow.

    In journals of before only what did not fit was said, and the first count closed the account.
    """
    if not transaction.house.shoe_claims_checked:
        _reconcile(transaction, ended, given.left, ())
        return ShoeAccount(closed=ended.closed)
    counted = CountOfShoe(given.left, given.who, given.vouched)
    fields = (ended.shoe, ended.loaded(), ended.drawn, given.left, given.who, given.vouched.text())
    transaction.emit(ShoeCounted(*fields))
    if any(one.left == given.left for one in ended.counts):
        return ended
    _reconcile(transaction, ended, given.left, (counted.by(),))
    for other in ended.counts[:1]:
        text = f"shoe {ended.shoe}: {other.who} counted {other.left} cards left, {given.who} {given.left}"
        by = (other.by(), *((counted.by(),) if transaction.house.floor_claims_checked else ()))
        raise_alert_about(transaction, by, AlertKind.SHOE_COUNTS_DIFFER, text)
    return replace(ended, counts=(*ended.counts, counted))


def _reconcile(transaction: Transaction, ended: ShoeAccount, left: int, by: tuple[Person, ...]) -> None:
    """Hold what was drawn and what was left against what was loaded; ``by``: who counted it."""
    found = ended.drawn + left
    text = f"shoe {ended.shoe}: {ended.drawn} drawn and {left} left are {found} of {ended.loaded()} cards"
    if found > ended.loaded() and not ended.alerted:
        raise_alert_about(transaction, by, AlertKind.CARDS_EXTRA, text)
    if found < ended.loaded():
        unheard = "; some may have been drawn unheard" if ended.doubtful else ""
        raise_alert_about(transaction, by, AlertKind.CARDS_MISSING, text + unheard)


def cut_card(transaction: Transaction) -> RefusalReason | None:
    """The cut card came; why that means nothing; None: it is done."""
    if transaction.state.shoe.cut_card >= 0:
        return RefusalReason("already_done", "the cut card has come already")
    transaction.change(shoe=replace(transaction.state.shoe, cut_card=transaction.state.shoe.drawn))
    return None
