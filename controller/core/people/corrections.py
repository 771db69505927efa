"""The floor's corrections: new events, each with who and why; what was before stays readable.

A correction of cards or boxes weaves the open round again. Cards that were opened stay opened and facts that were told
stay told; a wager that was settled and now comes to something else is adjusted, with before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from msgspec.structs import replace

from controller.core.betting import acceptance
from controller.core.certainty import deal_confirmation, face_down, rebuild
from controller.core.game.wager import Basis, LockedWager
from controller.core.inference.lattice import Answer
from controller.core.messages.alerts import OrderRefused
from controller.core.messages.events import QuestionWithdrawn, RoundClosed, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import BoxDeclared, CardAssigned, CardSet, CorrectionEntered, RoundVoided
from controller.core.messages.inputs import AdjustWager, AssignCard, DeclareBox, Ruling, SetCard, VoidRound
from controller.core.progressives.live_meters import contribute
from controller.core.round import closing, lifecycle
from controller.core.table.layout import cents_at
from controller.core.table.ledger import Book, Row, book_of
from controller.core.table.state import CardKept, Round
from controller.core.table.transaction import Desk


def rule(desk: Desk, ruling: Ruling) -> None:
    """Carry out a correction of the floor's, or say why it cannot be."""
    match ruling:
        case VoidRound():
            refused = void_round(desk, ruling)
        case SetCard():
            refused = set_card(desk, ruling)
        case AssignCard():
            refused = assign_card(desk, ruling)
        case DeclareBox():
            refused = declare_box(desk, ruling)
        case AdjustWager():
            refused = adjust_wager(desk, ruling)
        case _:
            assert_never(ruling)
    if refused:
        desk.tell(OrderRefused(what(ruling), refused, ruling.who))


def what(ruling: Ruling) -> str:
    """A ruling in a few words."""
    match ruling:
        case VoidRound():
            return f"void round {ruling.round}"
        case SetCard():
            return f"set card {ruling.card}"
        case AssignCard():
            return f"assign card {ruling.card}"
        case DeclareBox():
            return f"declare box {ruling.spot}"
        case AdjustWager():
            return f"adjust round {ruling.round} spot {ruling.spot} {ruling.bet}"
        case _:
            assert_never(ruling)


# --- wagers -----------------------------------------------------------------------------------------


def void_round(desk: Desk, ruling: VoidRound) -> str:
    """Return every wager of a round; why that cannot be, or an empty text."""
    book = book_of(desk.state.books, ruling.round)
    if book is not None and book.void:
        return "the round is void already"
    round_now = desk.state.round
    if round_now is not None and round_now.number == ruling.round:
        acceptance.given_up(desk)
        if book is not None:
            enter_case(desk, ruling, book, None)
        desk.tell(RoundVoided(ruling.round, ruling.who, ruling.why))
        return_wagers(desk, book_of(desk.state.books, ruling.round), ruling)
        end_void(desk)
        return ""
    if book is None:
        return NO_BOOK
    if book.recalled and not ruling.case:
        return NO_CASE
    enter_case(desk, ruling, book, None)
    desk.tell(RoundVoided(ruling.round, ruling.who, ruling.why))
    return_wagers(desk, book, ruling)
    for waited in desk.state.waiting:
        if waited.number == ruling.round:
            if waited.asked is not None:
                desk.tell(QuestionWithdrawn(waited.asked.number))
            desk.tell(RoundClosed(waited.number, (), 0, "void"))
            closing.keep_waiting(desk, tuple(one for one in desk.state.waiting if one is not waited))
    return ""


NO_BOOK = "no such round: it was never dealt, or its bets were not locked"
NO_CASE = "the round is long over: expected the case number with it (--case)"


def enter_case(desk: Desk, ruling: VoidRound | AdjustWager, book: Book, row: Row | None) -> None:
    """Publish what is ruled under its case, before what it changes."""
    if not ruling.case and not book.recalled:
        return
    spot, bet, due = ruled_wager(ruling)
    before = None if row is None else row.net_cents
    place = (ruling.case, ruling.round, spot, bet, before, due)
    desk.tell(CorrectionEntered(*place, ruling.who, ruling.why, book.recalled))


def ruled_wager(ruling: VoidRound | AdjustWager) -> tuple[int, str, int] | tuple[None, None, None]:
    """The spot and bet that a ruling is about, and the net in cents it orders; a void is about a whole round."""
    match ruling:
        case AdjustWager():
            return ruling.spot, ruling.bet, ruling.net_cents
        case VoidRound():
            return None, None, None
        case _:
            assert_never(ruling)


def return_wagers(desk: Desk, book: Book | None, ruling: VoidRound) -> None:
    """Every wager of the round goes back."""
    for row in () if book is None else book.rows:
        if row.net_cents != 0:
            put_right(desk, ruling, row, 0, f"the round is void: {ruling.why}")


def end_void(desk: Desk) -> None:
    """The open round ends void; its cards are turned over on the felt."""
    round_now = desk.round()
    if round_now.asked is not None:
        desk.tell(QuestionWithdrawn(round_now.asked.number))
    desk.tell(*map(QuestionWithdrawn, round_now.open_questions()))
    if round_now.dealing.unturned() and round_now.cards:
        # The round is over for the table, but the dealer's hand has turned nothing.
        face_down.open_lying(desk)
        face_down.keep_closed(desk)
    else:
        if desk.round().hides():
            face_down.show(desk)
        closing.turn_over(desk)
    desk.tell(RoundClosed(round_now.number, (), 0, "void"))
    desk.leave_round()
    lifecycle.lock_put_off(desk, round_now)


def put_right(desk: Desk, ruling: VoidRound | AdjustWager, row: Row, net_cents: int, why: str) -> None:
    """Settle an open wager on the floor's word, or adjust a settled one."""
    number, who = ruling.round, ruling.who
    if row.net_cents is None:
        fields = (number, row.spot, row.bet, row.wager_cents, net_cents)
        desk.tell(WagerSettled(*fields, Basis.FLOOR, (desk.stamped.number,), f"{who}: {why}"))
    else:
        fields_now = (number, row.spot, row.bet, row.wager_cents, row.net_cents, net_cents)
        desk.tell(WagerAdjusted(*fields_now, who, why, Basis.FLOOR))


def adjust_wager(desk: Desk, ruling: AdjustWager) -> str:
    """Rule what a wager is due; why that cannot be, or an empty text."""
    book = book_of(desk.state.books, ruling.round)
    if book is None:
        return NO_BOOK
    if book.void:
        return "the round is void"
    if book.recalled and not ruling.case:
        return NO_CASE
    row = book.row(ruling.spot, ruling.bet)
    if row is None and ruling.bet == "insurance" and book.row(ruling.spot, "main") is not None:
        # Made where nobody saw it: at a spot whose reader was lost, or by word of mouth.
        row = Row(ruling.spot, ruling.bet, 0)
    if row is None:
        return f"there is no wager {ruling.bet!r} at spot {ruling.spot} in round {ruling.round}"
    if row.net_cents == ruling.net_cents and row.ruled():
        return "the floor has ruled so already"
    enter_case(desk, ruling, book, row)
    found = row

    def ruled() -> bool:
        mark = (ruling.spot, ruling.bet)
        if mark not in desk.round().settled:
            desk.change_round(settled=(*desk.round().settled, mark))
        put_right(desk, ruling, found, ruling.net_cents, ruling.why)
        return True

    if not in_round(desk, ruling.round, ruled):
        put_right(desk, ruling, found, ruling.net_cents, ruling.why)
    return ""


def in_round(desk: Desk, number: int, change: Callable[[], bool]) -> bool:
    """Change the open round or one that waits; False: it is neither."""
    if desk.state.round is not None and desk.state.round.number == number:
        change()
        return True
    for waited in desk.state.waiting:
        if waited.number == number:
            closing.revisit(desk, waited, change)
            return True
    return False


# --- cards and boxes --------------------------------------------------------------------------------


def round_of(desk: Desk, card: int) -> Round | None:
    """The open or waiting round that has the card."""
    for one in (desk.state.round, *desk.state.waiting):
        if one is not None and any(kept.number == card for kept in one.cards):
            return one
    return None


NO_CARD = "no open round has this card"


def set_card(desk: Desk, ruling: SetCard) -> str:
    """Name a card's face, or strike it from the round; why that cannot be, or an empty text."""
    if ruling.misnamed:
        return f"face: expected a face such as 8h, or none, got {ruling.misnamed!r}"
    round_now = round_of(desk, ruling.card)
    if round_now is None:
        return NO_CARD
    place = next(place for place, kept in enumerate(round_now.cards) if kept.number == ruling.card)
    kept = round_now.cards[place]
    if ruling.face is not None and place == round_now.hole_place() and not round_now.turned:
        return "the hole card is named once it lies face up"
    if ruling.face is not None and round_now.conceals(place):
        return "a card dealt face down is named once it is shown"
    lying = kept.ruled or (kept.face if kept.opened else None)
    if ruling.face is not None and lying is ruling.face:
        return f"the card is {ruling.face} already"

    def corrected() -> bool:
        before = desk.round()
        was = str(kept.shown() or "??") if kept.opened else None
        now = None if ruling.face is None else str(ruling.face)
        desk.tell(CardSet(before.number, ruling.card, was, now, ruling.who, ruling.why))
        if ruling.face is None:
            deal_confirmation.moved(desk, "a card was struck")
            face_down.keep_closed(desk, place)
        before = replace(before, dealing=desk.round().dealing)
        desk.change_round(cards=with_card(before, place, ruling), corrected=(ruling.who, ruling.why))
        rebuild.weave_corrected(desk, before)
        return True

    in_round(desk, round_now.number, corrected)
    return ""


def with_card(round_now: Round, place: int, ruling: SetCard) -> tuple[CardKept, ...]:
    """The round's cards with one of them named or struck."""
    kept = round_now.cards[place]
    named = () if ruling.face is None else (replace(kept, ruled=ruling.face, unread=False),)
    return (*round_now.cards[:place], *named, *round_now.cards[place + 1 :])


def assign_card(desk: Desk, ruling: AssignCard) -> str:
    """Say whose a card is; why that cannot be, or an empty text."""
    round_now = round_of(desk, ruling.card)
    if round_now is None:
        return NO_CARD
    if ruling.spot and ruling.spot not in round_now.spots:
        return f"spot {ruling.spot} has no wager in this round"
    if round_now.hides():
        return "the players' cards have not been shown yet"
    place = next(place for place, kept in enumerate(round_now.cards) if kept.number == ruling.card)
    said = (
        (Answer(round_now.spots.index(ruling.spot), holds=place),)
        if ruling.spot
        else tuple(Answer(box, lacks=place) for box in range(len(round_now.spots)))
    )
    kept = tuple(one for one in round_now.answers if place not in {one.holds, one.lacks})
    open_round = desk.state.round
    refused = ""

    def assigned() -> bool:
        nonlocal refused
        back = (desk.state, desk.found, len(desk.events))
        before = replace(desk.round(), answers=(*kept, *said))
        desk.tell(CardAssigned(before.number, ruling.card, ruling.spot, ruling.who, ruling.why))
        desk.change_round(corrected=(ruling.who, ruling.why))
        rebuild.weave_corrected(desk, before)
        if desk.round().trouble or not rebuild.possible(desk, over=round_now is not open_round):
            desk.state, desk.found = back[0], back[1]
            del desk.events[back[2] :]
            refused = f"no legal play gives this card to {f'spot {ruling.spot}' if ruling.spot else 'the dealer'}"
            return False
        return True

    in_round(desk, round_now.number, assigned)
    return refused


def declare_box(desk: Desk, ruling: DeclareBox) -> str:
    """A box without chips is in play; why that cannot be, or an empty text."""
    spot, round_now = ruling.spot, desk.state.round
    if not 1 <= spot <= desk.rules.boxes:
        return f"the layout has spots 1 to {desk.rules.boxes}"
    if round_now is None:
        return declare_next(desk, ruling)
    if spot in round_now.spots:
        return f"spot {spot} is in play already"
    if ruling.cents <= 0:
        return "a box in play needs a wager above zero"
    # A side wager beside the box was none for want of a main wager; now the card's other rules decide.
    beside = tuple(wager for wager in round_now.refused if wager.spot == spot and wager.bet != "main")
    box = (LockedWager(spot, "main", ruling.cents), *beside)
    stand, refused = acceptance.standing(desk.house, box, round_now.closed_meters)
    wagers = sorted((*round_now.wagers, *stand), key=lambda wager: (wager.spot, wager.bet != "main", wager.bet))
    desk.tell(BoxDeclared(round_now.number, spot, ruling.cents, ruling.who, ruling.why, stand[1:]))
    deal_confirmation.moved(desk, "a box was declared")
    desk.change_round(
        spots=tuple(sorted((*round_now.spots, spot))),
        wagers=tuple(wagers),
        declared=(*round_now.declared, spot),
        refused=(*(one for one in round_now.refused if one not in beside), *refused),
        corrected=(ruling.who, ruling.why),
    )
    if round_now.contributed:
        contribute(desk, stand)
    rebuild.weave_corrected(desk, round_now)
    return ""


def declare_next(desk: Desk, ruling: DeclareBox) -> str:
    """A box without chips for the next round, or none after all."""
    others = tuple(box for box in desk.state.declared if box.spot != ruling.spot)
    if ruling.cents <= 0:
        if others == desk.state.declared:
            return f"no box was declared at spot {ruling.spot}"
        desk.change(declared=others)
    else:
        if cents_at(desk.state.felt, ruling.spot, "main"):
            return f"chips lie at spot {ruling.spot}: they are its wager"
        desk.change(declared=(*others, LockedWager(ruling.spot, "main", ruling.cents)))
    desk.tell(BoxDeclared(None, ruling.spot, max(ruling.cents, 0), ruling.who, ruling.why))
    return ""
