"""Cards dealt face down to the players (pitch): nothing that leaves the process depends on them before they are shown.

A player picks the cards up, and the felt shows no face of a hand until the dealer turns it over to settle it. Until
then the lattice is built as ever, but nothing it says is published: no owner of a drawn card, no hand, no due, no
question, no alert about chips whose meaning the cards decide. Only the up card lies open, and what the dealer draws
after the key of the turn. The players' cards are shown, all together, when the dealer's own open cards are complete
after that key or a main wager is touched after it, as then he turns the hands over; when payment has begun in every
play; or when the round is closed. Then everything is published at once.

A hand that its player shows earlier (a natural, a broken hand, a pair) is published with the others: which hands those
are, the hidden cards decide.
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.certainty.agreed_facts import RoundNames, dealt_initially
from controller.core.game.hand import points_of, seen, total
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import ChipsObserved
from controller.core.table.round_state import Round
from controller.core.table.shoe import UnseenCard
from controller.core.table.transaction import Transaction
from controller.core.table.workings import PublishedFacts, are_identical


def detect_show(transaction: Transaction) -> None:
    """See whether the players' cards are shown now."""
    round_now = transaction.round()
    if not round_now.hides_faces() or not round_now.is_dealt():
        return
    if round_now.cards.turn_key:
        # The dealer says so; whether the players can be done the hidden cards would decide.
        transaction.turn_hole()
    if round_now.cards.face_down and (_dealer_is_done(transaction) or _touched(transaction) or _paid(transaction)):
        show_hands(transaction)


def _paid(transaction: Transaction) -> bool:
    """Whether payment has begun in every play; before the turn hidden cards must not decide that they are shown."""
    return not transaction.round().must_ignore_faces() and transaction.lattice().paying


def _touched(transaction: Transaction) -> bool:
    """Whether the chips of a main wager changed after the key of the turn: the dealer takes and pays."""
    key = transaction.round().cards.turn_key
    later = (one.item for one in transaction.round().evidence.observations if 0 < key < one.number)
    return any(isinstance(item, ChipsObserved) and item.zone == "main" for item in later)


def show_hands(transaction: Transaction) -> None:
    """The players' cards lie face up: what was kept back is published."""
    kept = transaction.round().cards.kept_back
    transaction.change_cards(shown=True, kept_back=())
    transaction.emit(*kept)


def release_withheld(transaction: Transaction) -> None:
    """Tell what was kept back while the deal was closed."""
    round_now = transaction.round()
    kept = round_now.cards.kept_back
    if kept and not round_now.hides_faces():
        transaction.change_cards(kept_back=())
        transaction.emit(*kept)


def _dealer_is_done(transaction: Transaction) -> bool:
    """Whether the dealer's own open cards are complete: the up card, the hole card, what was drawn after the turn."""
    round_now = transaction.round()
    if not round_now.cards.turn_key:
        return False
    hole = round_now.hole_place()
    places = [len(round_now.bets.spots), *([hole] if hole >= 0 else [])]
    places += [place for place, card in enumerate(round_now.cards.drawn) if card.number > round_now.cards.turn_key]
    faces = [round_now.cards.drawn[place].shown() for place in places]
    points = tuple(points_of(seen(0, face)) for face in faces if face is not None)
    if len(points) < max(len(faces), 2):
        return False
    best, soft = total(points)
    return best > 17 or (best == 17 and not (soft and transaction.rules.soft_17 == "hit"))


def open_face_up(transaction: Transaction) -> None:
    """Open every card that lies face up."""
    round_now = transaction.round()
    if are_identical(transaction.opened, _decides_what_lies_open(round_now)):
        return
    hole = round_now.hole_place()
    for place, card in enumerate(round_now.cards.drawn):
        if not card.opened and place != hole and not round_now.conceals(place):
            transaction.open_card(place)
    transaction.opened = _decides_what_lies_open(transaction.round())


def _decides_what_lies_open(round_now: Round) -> tuple[object, ...]:
    """All that ``Round.conceals`` and the place of the hole card rest on."""
    return round_now.cards, round_now.dealing, round_now.bets.spots


def keep_closed(transaction: Transaction, *places: int) -> None:
    """Cards that count no more and lie closed (none named: all of the round) are kept in the shoe account."""
    cards = transaction.round().cards.drawn
    chosen = [cards[place] for place in places] if places else cards
    if not transaction.round().dealing.unturned():
        return
    # As if all were the last that was drawn: their shoe is not taken for over any sooner than that one's.
    place = transaction.state.cards_drawn
    kept = tuple(
        UnseenCard(card.number, card.face, card.nonce, guarded=True, place=place) for card in chosen if not card.opened
    )
    transaction.change(shoe=replace(transaction.state.shoe, closed=(*transaction.state.shoe.closed, *kept)))


def publish_deal(transaction: Transaction, view: Lattice) -> None:
    """Whose the cards of the deal are: its order is certain whatever their faces."""
    round_now = transaction.round()
    names = RoundNames(round_now.number, round_now.bets.spots, tuple(card.number for card in round_now.cards.drawn))
    # What was published before a correction of the deal stays published, too.
    known = (
        PublishedFacts().of(round_now.evidence.published, 0) if round_now.evidence.corrected_at else transaction.facts()
    )
    facts = tuple(dealt_initially(view.cards, view.game, names, known))
    if facts:
        transaction.emit(*facts)
        transaction.change_evidence(published=(*round_now.evidence.published, *facts))
