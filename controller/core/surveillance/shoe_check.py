"""Keeping the shoe account: a fold over what a step has told."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.certainty import deal_confirmation
from controller.core.messages.alerts import CardsMayBeMissing, OrderRefused
from controller.core.messages.events import CardBurned, CardDrawn, CardOpened, Event, ShoeBegun, ShoeEnded
from controller.core.messages.floor_events import CardSet
from controller.core.messages.inputs import ShoeChanged
from controller.core.messages.raised_alerts import Kind
from controller.core.table.alert_list import raise_alert
from controller.core.table.shoe import Kept, ShoeAccount, penetration_per_mille, running_count
from controller.core.table.state import Table
from controller.core.table.transaction import Desk
from firmware_protocols import readings

UNREAD: Final = "??"


COUNTED: Final = frozenset({CardDrawn, CardBurned, CardOpened, CardSet, CardsMayBeMissing})
"""The events that change the account of the shoe."""


def count(before: Table, desk: Desk) -> None:
    """What this step means for the shoe."""
    for event in tuple(desk.events):
        if type(event) in COUNTED:
            counted(desk, event)
    if desk.state.turned_by > before.state.turned_by:
        show_turned(desk)
    if desk.state.shoe_round > before.state.shoe_round:
        change_shoe(desk)
    elif desk.state.shoe_round < before.state.shoe_round and desk.state.last_shoe.shoe:
        # The announcement was taken back: under its number the shoe before goes on.
        resumed = replace(desk.state.last_shoe, shoe=desk.state.shoe.shoe)
        desk.change(shoe=resumed, last_shoe=ShoeAccount())


def show_turned(desk: Desk) -> None:
    """The cards of the shoe before that waited for a turn are shown, now that it has come."""
    account = desk.state.last_shoe
    for card in account.closed:
        if not desk.state.unturned(card):
            account = account.counted(str(card.face), 1)
            show(desk, card)
    desk.change(last_shoe=replace(account, closed=tuple(card for card in account.closed if desk.state.unturned(card))))


def show(desk: Desk, card: Kept) -> CardOpened:
    """Open a card that was kept closed."""
    opened = CardOpened(card.number, str(card.face), card.nonce.hex())
    desk.tell(opened)
    return opened


def counted(desk: Desk, event: Event) -> None:
    """What an event means for the shoe."""
    account = desk.state.shoe
    match event:
        case CardDrawn(number, card):
            desk.change(shoe=drawn(desk, account, outside=not number, card=card))
            too_many(desk)
        case CardBurned():
            desk.change(shoe=replace(account, burned=account.burned + 1))
        case CardOpened(card, face) if face == UNREAD:
            desk.change(shoe=replace(account, unread=account.unread + 1))
        case CardOpened(card, face):
            desk.change(shoe=account.counted(face, 1))
            impossible(desk, face, card)
        case CardSet(_, card, was, now):
            corrected(desk, card, was, now)
        case CardsMayBeMissing():
            desk.change(shoe=replace(account, doubtful=True))
        case _:
            pass


def drawn(desk: Desk, account: ShoeAccount, *, outside: bool, card: int) -> ShoeAccount:
    """One card more has left the shoe; the face of one outside a round is kept for the shoe's end."""
    told = desk.stamped.input
    account = replace(account, drawn=account.drawn + 1)
    if not outside or not isinstance(told, readings.CardDrawn) or (told.face is None and not desk.stamped.closed):
        return account
    burned = any(isinstance(event, CardBurned) and event.card == card for event in desk.events)
    kept = Kept(card, told.face, desk.stamped.nonce, deal_confirmation.guarded(desk.rules), burned)
    return replace(account, closed=(*account.closed, kept))


def corrected(desk: Desk, card: int, was: str | None, now: str | None) -> None:
    """The floor named a card or struck it: a struck one may have been none of the shoe's."""
    account = desk.state.shoe
    if was == UNREAD:
        account = replace(account, unread=account.unread - 1)
    elif was:
        account = account.counted(was, -1)
    account = account.counted(now, 1) if now and was else account
    desk.change(shoe=replace(account, doubtful=account.doubtful or not now))
    if now and was:
        impossible(desk, now, card)


def impossible(desk: Desk, face: str, card: int) -> None:
    """A face lies open more often than this shoe can hold it."""
    account = desk.state.shoe
    if account.alerted or not account.impossible(face):
        return
    desk.change(shoe=replace(account, alerted=True))
    text = f"card {card} is {face} number {account.opened[face]} of a shoe that holds {account.decks}"
    raise_alert(desk, Kind.IMPOSSIBLE_CARD, text, round=desk.state.open_round(), readings=(card, desk.stamped.number))


def too_many(desk: Desk) -> None:
    """More cards have left the shoe than it was loaded with."""
    account = desk.state.shoe
    if account.shoe and not account.alerted and account.drawn > account.loaded():
        desk.change(shoe=replace(account, alerted=True))
        text = f"{account.drawn} cards were drawn from a shoe of {account.loaded()}, or nobody announced a new shoe"
        raise_alert(desk, Kind.CARDS_EXTRA, text, round=desk.state.open_round())


# --- from shoe to shoe ------------------------------------------------------------------------------


def burn_pressed(desk: Desk, *, held: bool) -> None:
    """The burn key. Held it tells of a new dealer, within a round of a card of the shoe in use; either burns one.

    Tapped between two rounds it also announces a new shoe, of which the house's number of burns is awaited at once. So
    a dealer may press once, or once for each of them; only a press beyond them stands for one more.
    """
    if desk.state.round is not None or held:
        desk.change(burns=desk.state.burns + 1)
        return
    if desk.state.shoe_round != first_round(desk):
        begin_shoe(desk)
    presses = desk.state.burn_presses + 1
    more = presses > desk.rules.options.new_shoe_burns
    desk.change(burn_presses=presses, burns=desk.state.burns + more)


def first_round(desk: Desk) -> int:
    """The number of the round that would be dealt first from a shoe announced now; its bets may be locked already."""
    return desk.state.rounds + (desk.state.round is None)


def begin_shoe(desk: Desk) -> None:
    """A new shoe is in use; its burns are the next cards (58 Pa. Code 685a.7(c))."""
    burns = desk.state.burns + desk.rules.options.new_shoe_burns
    desk.change(shoe_round=first_round(desk), burns=burns, burn_presses=0)


def burns_text(desk: Desk) -> str:
    """What the dealer is reminded of while burns are awaited; empty: none are."""
    burns = desk.state.burns
    return f"Burn {burns} card{'s' if burns > 1 else ''}" if burns else ""


def announced(desk: Desk, given: ShoeChanged) -> None:
    """A person announces a new shoe, or says how many cards were left in the one that was just replaced."""
    refused = ""
    if desk.state.round is not None and desk.state.round.cards:
        refused = "a round is being played"
    elif desk.state.shoe_round != first_round(desk):
        begin_shoe(desk)
    elif given.left >= 0 and desk.state.last_shoe.shoe:
        weigh(desk, desk.state.last_shoe, given.left)
        desk.change(last_shoe=ShoeAccount(closed=desk.state.last_shoe.closed))
    else:
        refused = "this shoe has been announced, and the one before it is on no account"
    if refused:
        desk.tell(OrderRefused("new shoe", refused, given.who))


def change_shoe(desk: Desk) -> None:
    """The old shoe is over and its closed cards are shown, or wait for the next turn; the next begins full."""
    given = desk.stamped.input
    left, who = (given.left, given.who) if isinstance(given, ShoeChanged) else (-1, "dealer")
    for card in desk.state.shoe.closed:
        if card.nonce and not desk.state.unturned(card):
            counted(desk, show(desk, card))
    old = desk.state.shoe
    kept = (*desk.state.last_shoe.closed, *old.closed)
    waiting = tuple(card for card in kept if card.nonce and desk.state.unturned(card))
    if old.shoe:
        counts = (old.drawn, old.burned, old.unread)
        ends = (left if left >= 0 else None, old.cut_card if old.cut_card >= 0 else None)
        desk.tell(ShoeEnded(old.shoe, old.decks, *counts, *ends, penetration_per_mille(old), running_count(old), who))
        if left >= 0:
            weigh(desk, old, left)
    weighed = ShoeAccount() if left >= 0 else old
    ended = replace(weighed, closed=waiting)
    desk.change(shoe=ShoeAccount(old.shoe + 1, desk.rules.decks), last_shoe=ended)
    desk.tell(ShoeBegun(old.shoe + 1, desk.rules.decks, who))


def weigh(desk: Desk, ended: ShoeAccount, left: int) -> None:
    """Hold what was drawn and what was left against what was loaded."""
    found = ended.drawn + left
    text = f"shoe {ended.shoe}: {ended.drawn} drawn and {left} left are {found} of {ended.loaded()} cards"
    if found > ended.loaded() and not ended.alerted:
        raise_alert(desk, Kind.CARDS_EXTRA, text)
    if found < ended.loaded():
        unheard = "; some may have been drawn unheard" if ended.doubtful else ""
        raise_alert(desk, Kind.CARDS_MISSING, text + unheard)


def cut_card(desk: Desk) -> str:
    """The cut card came; why that means nothing, or an empty text."""
    if desk.state.shoe.cut_card >= 0:
        return "the cut card has come already"
    desk.change(shoe=replace(desk.state.shoe, cut_card=desk.state.shoe.drawn))
    return ""
