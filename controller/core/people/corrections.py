"""The floor's corrections: new events, each with who and why; what was before stays readable.

A correction of cards or boxes rebuilds the open round's lattice. Cards that were opened stay opened and facts that were
published stay published; a wager that was settled and now comes to something else is adjusted, with before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, assert_never

import msgspec
from msgspec.structs import replace

from controller.core.betting import acceptance
from controller.core.certainty import deal_confirmation, face_down, rebuild
from controller.core.game.wager import Basis, BookRow, LockedWager, RoundBook
from controller.core.inference.lattice import PlayAnswer
from controller.core.messages.events import QuestionWithdrawn, RoundClosed, WagerAdjusted, WagerSettled
from controller.core.messages.floor_events import (
    BoxDeclared,
    CardAssigned,
    CardSet,
    CorrectionEntered,
    RoundVoided,
    Vouched,
)
from controller.core.messages.house import House
from controller.core.messages.inputs import (
    AdjustWager,
    AssignCard,
    DeclareBox,
    EnterInventory,
    Ruling,
    SetCard,
    VoidRound,
)
from controller.core.persons import Person, is_seen
from controller.core.progressives.live_meters import contribute
from controller.core.refusal_reason import RefusalReason
from controller.core.round import closing, late_bettors, lifecycle
from controller.core.table.alert_list import money, named_people
from controller.core.table.layout import cents_at
from controller.core.table.ledger import book_of
from controller.core.table.round_state import Round, RoundCard
from controller.core.table.state import BoxDeclaration
from controller.core.table.transaction import Transaction


def carry_out(transaction: Transaction, ruling: Ruling, vouched: Vouched = msgspec.UNSET) -> RefusalReason | None:
    """Carry out a correction of the floor's; why that cannot be; None: it is done."""
    match ruling:
        case VoidRound():
            return _void_round(transaction, ruling, vouched)
        case SetCard():
            return _set_card(transaction, ruling, vouched)
        case AssignCard():
            return _assign_card(transaction, ruling, vouched)
        case DeclareBox():
            return _declare_box(transaction, ruling, vouched)
        case AdjustWager():
            return _adjust_wager(transaction, ruling, vouched)
        case _:
            assert_never(ruling)


def ruling_text(ruling: Ruling) -> str:
    """The text of a ruling, as a refused order names it."""
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


def _void_round(transaction: Transaction, ruling: VoidRound, vouched: Vouched) -> RefusalReason | None:
    """Return every wager of a round; why that cannot be; None: it is done."""
    book = book_of(transaction.state.books, ruling.round)
    if book is not None and book.void:
        return RefusalReason("already_done", "the round is void already")
    round_now = transaction.state.round
    if round_now is not None and round_now.number == ruling.round:
        acceptance.abandon_lock(transaction)
        if book is not None:
            _enter_case(transaction, ruling, book, None)
        transaction.emit(RoundVoided(ruling.round, ruling.who, ruling.why, vouched))
        _return_wagers(transaction, book_of(transaction.state.books, ruling.round), ruling, vouched)
        _end_void(transaction)
        return None
    if book is None:
        return _NO_BOOK
    if book.recalled and not _names_case(transaction, ruling):
        return _NO_CASE
    _enter_case(transaction, ruling, book, None)
    transaction.emit(RoundVoided(ruling.round, ruling.who, ruling.why, vouched))
    _return_wagers(transaction, book, ruling, vouched)
    for waited in transaction.state.waiting:
        if waited.number == ruling.round:
            if waited.questions.asked is not None:
                transaction.emit(QuestionWithdrawn(waited.questions.asked.number))
            transaction.emit(RoundClosed(waited.number, (), 0, "void"))
            closing.keep_waiting(transaction, tuple(one for one in transaction.state.waiting if one is not waited))
    return None


_NO_BOOK = RefusalReason("no_such_round", "no such round: it was never dealt, or its bets were not locked")
_NO_CASE = RefusalReason("case_number_needed", "the round is long over: expected the case number with it (--case)")


def _names_case(transaction: Transaction, ruling: VoidRound | AdjustWager) -> bool:
    """Whether a ruling names its case, by a number that can be seen."""
    return is_seen(ruling.case) if transaction.house.proposals_bound else bool(ruling.case)


def _enter_case(
    transaction: Transaction, ruling: VoidRound | AdjustWager, book: RoundBook, row: BookRow | None
) -> None:
    """Publish what is ruled under its case, before what it changes."""
    if not ruling.case and not book.recalled:
        return
    spot, bet, due = ruled_wager(ruling)
    before = None if row is None else row.net_cents
    place = (ruling.case, ruling.round, spot, bet, before, due)
    transaction.emit(CorrectionEntered(*place, ruling.who, ruling.why, book.recalled))


def ruled_wager(ruling: VoidRound | AdjustWager) -> tuple[int, str, int] | tuple[None, None, None]:
    """The spot and bet that a ruling is about, and the net in cents it orders; a void is about a whole round."""
    match ruling:
        case AdjustWager():
            return ruling.spot, ruling.bet, ruling.net_cents
        case VoidRound():
            return None, None, None
        case _:
            assert_never(ruling)


def _return_wagers(transaction: Transaction, book: RoundBook | None, ruling: VoidRound, vouched: Vouched) -> None:
    """Every wager of the round goes back."""
    for row in () if book is None else book.rows:
        if row.net_cents != 0:
            _settle_or_adjust(transaction, ruling, row, 0, f"the round is void: {ruling.why}", vouched=vouched)


def _end_void(transaction: Transaction) -> None:
    """The open round ends void; its cards are turned over on the felt."""
    round_now = transaction.round()
    if round_now.questions.asked is not None:
        transaction.emit(QuestionWithdrawn(round_now.questions.asked.number))
    transaction.emit(*map(QuestionWithdrawn, round_now.open_questions()))
    if round_now.dealing.unturned() and round_now.cards.drawn:
        # The round is over for the table, but the dealer's hand has turned nothing.
        face_down.open_face_up(transaction)
        face_down.keep_closed(transaction)
    else:
        if transaction.round().hides_faces():
            face_down.show_hands(transaction)
        closing.open_all_cards(transaction)
    transaction.emit(RoundClosed(round_now.number, (), 0, "void"))
    transaction.leave_round()
    if not round_now.cards.drawn and transaction.house.declarations_traced:
        # The deal for which they were declared has still to come.
        transaction.change(declared=round_now.declared_boxes())
    lifecycle.lock_deferred_bets(transaction, round_now)


def _settle_or_adjust(
    transaction: Transaction,
    ruling: VoidRound | AdjustWager,
    row: BookRow,
    net_cents: int,
    why: str,
    *,
    vouched: Vouched,
) -> None:
    """Settle an open wager on the floor's word, or adjust a settled one."""
    number, who = ruling.round, ruling.who
    if row.net_cents is None:
        fields = (number, row.spot, row.bet, row.wager_cents, net_cents)
        transaction.emit(WagerSettled(*fields, Basis.FLOOR, (transaction.stamped.number,), f"{who}: {why}"))
    else:
        fields_now = (number, row.spot, row.bet, row.wager_cents, row.net_cents, net_cents)
        transaction.emit(WagerAdjusted(*fields_now, who, why, Basis.FLOOR, vouched=vouched))


def _adjust_wager(transaction: Transaction, ruling: AdjustWager, vouched: Vouched) -> RefusalReason | None:
    """Rule what a wager is due; why that cannot be; None: it is done."""
    book = book_of(transaction.state.books, ruling.round)
    if book is None:
        return _NO_BOOK
    if book.void:
        return RefusalReason("round_void", "the round is void")
    if book.recalled and not _names_case(transaction, ruling):
        return _NO_CASE
    row = book.rulable_row(ruling.spot, ruling.bet)
    if row is None and ruling.bet == "insurance" and book.row(ruling.spot, "main") is not None:
        # Made unseen: at a spot whose reader was lost, or by word of mouth.
        if book.no_ace or _shows_no_ace(transaction, ruling.round):
            text = f"the up card of round {ruling.round} is no ace: there was no insurance; name the bet that is meant"
            return RefusalReason("no_such_wager", text)
        row = BookRow(ruling.spot, ruling.bet, 0)
    if row is None:
        return RefusalReason(
            "no_such_wager", f"there is no wager {ruling.bet!r} at spot {ruling.spot} in round {ruling.round}"
        )
    if row.net_cents == ruling.net_cents and row.ruled():
        return RefusalReason("already_done", "the floor has ruled so already")
    _enter_case(transaction, ruling, book, row)
    found = row

    def ruled() -> bool:
        mark = (ruling.spot, ruling.bet)
        if mark not in transaction.round().ending.settled:
            transaction.change_ending(settled=(*transaction.round().ending.settled, mark))
        _settle_or_adjust(transaction, ruling, found, ruling.net_cents, ruling.why, vouched=vouched)
        return True

    if not _change_open_or_waiting(transaction, ruling.round, ruled):
        _settle_or_adjust(transaction, ruling, found, ruling.net_cents, ruling.why, vouched=vouched)
    return None


def _shows_no_ace(transaction: Transaction, number: int) -> bool:
    """Whether a round is open, and every play of it has an up card that is no ace."""
    round_now, lattice = transaction.state.round, transaction.open_lattice
    if not transaction.house.insurance_needs_ace or round_now is None or round_now.number != number or lattice is None:
        return False
    return round_now.is_dealt() and not round_now.evidence.trouble and lattice.game.up_points > 1


def _change_open_or_waiting(transaction: Transaction, number: int, change: Callable[[], bool]) -> bool:
    """Change the open round or one that waits; False: it is neither."""
    if transaction.state.round is not None and transaction.state.round.number == number:
        change()
        return True
    for waited in transaction.state.waiting:
        if waited.number == number:
            closing.rejudge_waiting(transaction, waited, change)
            return True
    return False


# --- cards and boxes --------------------------------------------------------------------------------


def round_with(transaction: Transaction, card: int) -> tuple[Round, int] | None:
    """The open or waiting round that has the card, and the card's place in it."""
    for one in (transaction.state.round, *transaction.state.waiting):
        for place, kept in enumerate(() if one is None else one.cards.drawn):
            if one is not None and kept.number == card:
                return one, place
    return None


def _judge_corrected(transaction: Transaction, ruling: Ruling, vouched: Vouched, before: Round) -> None:
    """Judge a round again, of which a correction has changed what ``before`` was."""
    transaction.change_round(corrected=(ruling.who, ruling.why), corrected_by=vouched, said=("", ""))
    if transaction.house.declarations_traced:
        transaction.change_round(by_order=True)
    transaction.rely_on(before.number, named_people(transaction))
    rebuild.rebuild_corrected(transaction, before)


def _no_card(transaction: Transaction, card: int) -> RefusalReason:
    """That a card is in no round whose cards can be corrected."""
    text = "no open round has this card"
    if transaction.house.refusals_advise:
        text = f"no open or waiting round has card {card}: of a round that is over, adjust the wagers or void it"
    return RefusalReason("no_such_card", text)


def _set_card(transaction: Transaction, ruling: SetCard, vouched: Vouched) -> RefusalReason | None:
    """Name a card's face, or strike it from the round; why that cannot be; None: it is done."""
    if ruling.misnamed:
        return RefusalReason("invalid_value", f"face: expected a face such as 8h, or none, got {ruling.misnamed!r}")
    found = round_with(transaction, ruling.card)
    if found is None:
        return _no_card(transaction, ruling.card)
    round_now, place = found
    kept = round_now.cards.drawn[place]
    if ruling.face is not None and place == round_now.hole_place() and not round_now.cards.turned:
        return RefusalReason("card_concealed", "the hole card is named once it lies face up")
    if ruling.face is not None and round_now.conceals(place):
        return RefusalReason("card_concealed", "a card dealt face down is named once it is shown")
    lying = kept.ruled or (kept.face if kept.opened else None)
    if ruling.face is not None and lying is ruling.face:
        return RefusalReason("already_done", f"the card is {ruling.face} already")

    def corrected() -> bool:
        before = transaction.round()
        was = str(kept.shown() or "??") if kept.opened else None
        now = None if ruling.face is None else str(ruling.face)
        transaction.emit(CardSet(before.number, ruling.card, was, now, ruling.who, ruling.why, vouched))
        if ruling.face is None:
            deal_confirmation.deal_corrected(transaction, "a card was struck")
            face_down.keep_closed(transaction, place)
        before = replace(before, dealing=transaction.round().dealing)
        transaction.change_cards(drawn=_with_card(before, place, ruling))
        _judge_corrected(transaction, ruling, vouched, before)
        return True

    _change_open_or_waiting(transaction, round_now.number, corrected)
    return None


def _with_card(round_now: Round, place: int, ruling: SetCard) -> tuple[RoundCard, ...]:
    """The round's cards with one of them named or struck."""
    kept = round_now.cards.drawn[place]
    named = () if ruling.face is None else (replace(kept, ruled=ruling.face, unread=False),)
    return (*round_now.cards.drawn[:place], *named, *round_now.cards.drawn[place + 1 :])


def _assign_card(transaction: Transaction, ruling: AssignCard, vouched: Vouched) -> RefusalReason | None:
    """Say whose a card is; why that cannot be; None: it is done."""
    found = round_with(transaction, ruling.card)
    if found is None:
        return _no_card(transaction, ruling.card)
    round_now, place = found
    if ruling.spot and ruling.spot not in round_now.bets.spots:
        return RefusalReason("no_such_spot", f"spot {ruling.spot} has no wager in this round")
    if round_now.hides_faces():
        return RefusalReason("card_concealed", "the players' cards have not been shown yet")
    said = (
        (PlayAnswer(round_now.bets.spots.index(ruling.spot), holds=place),)
        if ruling.spot
        else tuple(PlayAnswer(box, lacks=place) for box in range(len(round_now.bets.spots)))
    )
    kept = tuple(one for one in round_now.evidence.answers if place not in {one.holds, one.lacks})
    open_round = transaction.state.round
    refused: RefusalReason | None = None

    def assigned() -> bool:
        nonlocal refused
        untried = transaction.savepoint()
        before = transaction.round()
        before = replace(before, evidence=replace(before.evidence, answers=(*kept, *said)))
        transaction.emit(CardAssigned(before.number, ruling.card, ruling.spot, ruling.who, ruling.why, vouched))
        _judge_corrected(transaction, ruling, vouched, before)
        if transaction.round().evidence.trouble or not rebuild.has_legal_play(
            transaction, over=round_now is not open_round
        ):
            transaction.roll_back(untried)
            whose = f"spot {ruling.spot}" if ruling.spot else "the dealer"
            refused = RefusalReason("no_legal_play", f"no legal play gives this card to {whose}")
            return False
        return True

    _change_open_or_waiting(transaction, round_now.number, assigned)
    return refused


def _declare_box(transaction: Transaction, ruling: DeclareBox, vouched: Vouched) -> RefusalReason | None:
    """A box without chips is in play; why that cannot be; None: it is done."""
    spot, round_now = ruling.spot, transaction.state.round
    if not 1 <= spot <= transaction.rules.boxes:
        return RefusalReason("no_such_spot", f"the layout has spots 1 to {transaction.rules.boxes}")
    if round_now is None:
        return _beyond_boxes(transaction, ruling) or _declare_next(transaction, ruling, vouched)
    if ruling.cents <= 0 and spot in round_now.bets.declared and transaction.house.orders_bounded:
        return _take_back(transaction, ruling, round_now, vouched)
    if spot in round_now.bets.spots:
        return RefusalReason("already_done", f"spot {spot} is in play already")
    if ruling.cents <= 0:
        return _no_box(transaction, ruling)
    if beyond := _beyond_boxes(transaction, ruling):
        return beyond
    # A side wager beside the box was none for want of a main wager; now the card's other rules decide.
    beside = tuple(wager for wager in round_now.bets.refused if wager.spot == spot and wager.bet != "main")
    late = late_bettors.laid_beside(transaction, spot)
    before = (one for one in beside if one.bet not in {other.bet for other in late})
    box = (LockedWager(spot, "main", ruling.cents), *before, *late)
    stand, refused = acceptance.accepted_wagers(transaction.house, box, round_now.bets.closed_meters)
    wagers = sorted((*round_now.bets.wagers, *stand), key=LockedWager.sort_key)
    transaction.emit(BoxDeclared(round_now.number, spot, ruling.cents, ruling.who, ruling.why, stand[1:], vouched))
    if transaction.house.orders_bounded and round_now.bets.locked and not round_now.questions.entry:
        transaction.emit(*acceptance.outside_limits(transaction.rules, round_now.number, stand))
    deal_confirmation.deal_corrected(transaction, "a box was declared")
    _note_declarer(transaction, spot)
    transaction.change_bets(
        spots=tuple(sorted((*round_now.bets.spots, spot))),
        wagers=tuple(wagers),
        declared=(*round_now.bets.declared, spot),
        refused=(*(one for one in round_now.bets.refused if one not in beside), *refused),
    )
    if round_now.bets.contributed:
        contribute(transaction, stand)
    _judge_corrected(transaction, ruling, vouched, round_now)
    late_bettors.declared(transaction, spot)
    return None


def _no_box(transaction: Transaction, ruling: DeclareBox) -> RefusalReason:
    """That a box of no amount is neither one to declare nor one to take back."""
    if ruling.cents < 0 or not transaction.house.refusals_advise:
        return RefusalReason("invalid_value", "a box in play needs a wager above zero")
    said = f"no box was declared at spot {ruling.spot}, so none is taken back"
    return RefusalReason("no_wager", f"{said}; to declare one, give the amount of its wager")


def _take_back(
    transaction: Transaction, ruling: DeclareBox, round_now: Round, vouched: Vouched
) -> RefusalReason | None:
    """A declared box is not in play after all: its cards are another's; why that cannot be; None: it is done."""
    spot, bets = ruling.spot, round_now.bets
    wagers = tuple(wager for wager in bets.wagers if wager.spot == spot)
    book = book_of(transaction.state.books, round_now.number)
    rows = () if book is None else book.rows
    if any(row.net_cents is not None for row in rows if row.spot == spot):
        return RefusalReason("already_done", f"spot {spot} is settled: adjust its wagers to 0")
    if bets.contributed and any(wager.bet in _fed_bets(transaction.house) for wager in wagers):
        return RefusalReason("meter_rules", f"a wager of spot {spot} is in a meter: adjust its wagers to 0")
    if len(bets.spots) == 1:
        return RefusalReason("no_wager", "without this box there is no round: void it")
    beside = tuple(wager for wager in wagers if wager.bet != "main")
    transaction.emit(BoxDeclared(round_now.number, spot, 0, ruling.who, ruling.why, vouched=vouched))
    deal_confirmation.deal_corrected(transaction, "a box was taken back")
    transaction.change_bets(
        spots=tuple(one for one in bets.spots if one != spot),
        wagers=tuple(wager for wager in bets.wagers if wager.spot != spot),
        declared=tuple(one for one in bets.declared if one != spot),
        refused=(*bets.refused, *beside),
    )
    _judge_corrected(transaction, ruling, vouched, round_now)
    return None


def _fed_bets(house: House) -> frozenset[str]:
    """The bets that raise a meter."""
    own = (bet for terms in house.meters for bet in terms.fed_by)
    return frozenset((*own, *(bet for terms in house.linked for bet in terms.fed_by)))


def _beyond_boxes(transaction: Transaction, ruling: DeclareBox) -> RefusalReason | None:
    """Why a box cannot be of this amount, which nobody would have taken; None: it can."""
    options = transaction.rules.options
    most = options.maximum_cents * _BOX_TIMES or _BOX_LIMIT_CENTS
    if not transaction.house.orders_bounded or ruling.cents <= most:
        return None
    return RefusalReason("invalid_value", f"a box is declared for at most {money(most)} here")


_BOX_TIMES: Final = 10
"""A declared box may be above the sign's limit, as any wager may that was dealt to, but not by so much."""

_BOX_LIMIT_CENTS: Final = 100_000_000
"""The same where the sign has no limit: a million of the house's currency."""


def _declare_next(transaction: Transaction, ruling: DeclareBox, vouched: Vouched) -> RefusalReason | None:
    """A box without chips for the next round, or none after all."""
    others = tuple(box for box in transaction.state.declared if box.spot != ruling.spot)
    if ruling.cents <= 0:
        if others == transaction.state.declared:
            return RefusalReason("no_wager", f"no box was declared at spot {ruling.spot}")
        transaction.change(declared=others)
        _note_taken_back(transaction, ruling.spot, named_people(transaction))
    else:
        if cents_at(transaction.state.felt, ruling.spot, "main"):
            return RefusalReason("chips_on_spot", f"chips lie at spot {ruling.spot}: they are its wager")
        box = LockedWager(ruling.spot, "main", ruling.cents)
        known = box in transaction.state.declared and transaction.house.declarations_traced
        transaction.change(declared=(*others, box))
        _note_declarer(transaction, ruling.spot, as_before=known)
        _note_taken_back(transaction, ruling.spot, ())
    transaction.emit(BoxDeclared(None, ruling.spot, max(ruling.cents, 0), ruling.who, ruling.why, vouched=vouched))
    return None


def declared_by_another(transaction: Transaction, ruling: Ruling | EnterInventory) -> str:
    """What another person declared for the next deal and an order changes, in words; empty: nothing."""
    if not isinstance(ruling, DeclareBox) or not transaction.house.declarations_traced:
        return ""
    spot, now_cents = ruling.spot, max(ruling.cents, 0)
    was_cents = next((one.cents for one in transaction.state.declared if one.spot == spot), now_cents)
    people = next((one.people for one in transaction.state.declarers if one.spot == spot), ())
    others = [one.name for one in people if one != Person(ruling.who, ruling.vouched)]
    if was_cents == now_cents or not others:
        return ""
    now = f"in play for {money(now_cents)}" if now_cents else "not in play"
    return f"spot {spot} is {now}, which {', '.join(others)} declared for {money(was_cents)}"


def _note_taken_back(transaction: Transaction, spot: int, people: tuple[Person, ...]) -> None:
    """Keep who takes back a box of the next deal, for the dealer may deal to it; no people: it was declared again."""
    others = tuple(one for one in transaction.state.undeclared if one.spot != spot)
    if transaction.house.declarations_traced:
        taken_back = (BoxDeclaration(spot, people),) if people else ()
        transaction.change(undeclared=(*others, *taken_back))


def _note_declarer(transaction: Transaction, spot: int, *, as_before: bool = False) -> None:
    """Keep who declares a box, for the alert about its amount; beside who did ``as_before``."""
    others = (one for one in transaction.state.declarers if one.spot != spot)
    before = (one.people for one in transaction.state.declarers if one.spot == spot and as_before)
    people = dict.fromkeys((*next(before, ()), *named_people(transaction)))
    if transaction.house.floor_claims_checked:
        transaction.change(declarers=(*others, BoxDeclaration(spot, tuple(people))))
