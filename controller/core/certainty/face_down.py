"""Cards dealt face down to the players (pitch): nothing that leaves the process depends on them before they are shown.

A player picks the cards up, and the felt shows no face of a hand until the dealer turns it over to settle it. Until
then the lattice is woven as ever, but nothing it says is told: no owner of a drawn card, no hand, no due, no question,
no alert about chips whose meaning the cards decide. Only the up card lies open, and what the dealer draws after the key
of the turn. The players' cards are shown, all together, when the dealer's own open cards are complete after that key or
a main wager is touched after it, as then he turns the hands over; when payment has begun in every play; or when the
round is closed. Then everything is told at once.

A hand that its player shows earlier (a natural, a broken hand, a pair) is told with the others: which hands those are,
the hidden cards decide.
"""

from __future__ import annotations

from msgspec.structs import replace

from controller.core.certainty.agreed_facts import Names, dealt_initially
from controller.core.game.hand import points_of, seen, total
from controller.core.inference.lattice import Reconstruction
from controller.core.inference.observation import ChipsMoved
from controller.core.table.shoe import Kept
from controller.core.table.transaction import Desk
from controller.core.table.workings import Facts


def look(desk: Desk) -> None:
    """See whether the players' cards are shown now."""
    round_now = desk.round()
    if not round_now.hides() or not round_now.is_dealt():
        return
    if round_now.turn_key:
        # The dealer says so; whether the players can be done the hidden cards would decide.
        desk.turn_hole()
    if round_now.face_down and (dealer_is_done(desk) or touched(desk) or paid(desk)):
        show(desk)


def paid(desk: Desk) -> bool:
    """Whether payment has begun in every play; before the turn hidden cards must not decide that they are shown."""
    return not desk.round().blind() and desk.lattice().paying


def touched(desk: Desk) -> bool:
    """Whether the chips of a main wager changed after the key of the turn: the dealer takes and pays."""
    key = desk.round().turn_key
    later = (one.item for one in desk.round().evidence if 0 < key < one.number)
    return any(isinstance(item, ChipsMoved) and item.zone == "main" for item in later)


def show(desk: Desk) -> None:
    """The players' cards lie face up: what was kept back is told."""
    kept = desk.round().kept_back
    desk.change_round(shown=True, kept_back=())
    desk.tell(*kept)


def release(desk: Desk) -> None:
    """Tell what was kept back while the deal was closed."""
    kept = desk.round().kept_back
    if kept and not desk.round().hides():
        desk.change_round(kept_back=())
        desk.tell(*kept)


def dealer_is_done(desk: Desk) -> bool:
    """Whether the dealer's own open cards are complete: the up card, the hole card, what was drawn after the turn."""
    round_now = desk.round()
    if not round_now.turn_key:
        return False
    hole = round_now.hole_place()
    places = [len(round_now.spots), *([hole] if hole >= 0 else [])]
    places += [place for place, card in enumerate(round_now.cards) if card.number > round_now.turn_key]
    faces = [round_now.cards[place].shown() for place in places]
    points = tuple(points_of(seen(0, face)) for face in faces if face is not None)
    if len(points) < max(len(faces), 2):
        return False
    best, soft = total(points)
    return best > 17 or (best == 17 and not (soft and desk.rules.soft_17 == "hit"))


def open_lying(desk: Desk) -> None:
    """Open every card that lies face up."""
    round_now = desk.round()
    hole = round_now.hole_place()
    for place, card in enumerate(round_now.cards):
        if not card.opened and place != hole and not round_now.conceals(place):
            desk.open_card(place)


def keep_closed(desk: Desk, *places: int) -> None:
    """Cards that count no more and lie closed (none named: all of the round) are kept in the shoe account."""
    cards = desk.round().cards
    chosen = [cards[place] for place in places] if places else cards
    if not desk.round().dealing.unturned():
        return
    kept = tuple(Kept(card.number, card.face, card.nonce, guarded=True) for card in chosen if not card.opened)
    desk.change(shoe=replace(desk.state.shoe, closed=(*desk.state.shoe.closed, *kept)))


def tell_deal(desk: Desk, view: Reconstruction) -> None:
    """Whose the cards of the deal are: its order is certain whatever their faces."""
    round_now = desk.round()
    names = Names(round_now.number, round_now.spots, tuple(card.number for card in round_now.cards))
    # What was told before a correction of the deal stays told, too.
    known = Facts().of(round_now.told, 0) if round_now.corrected_at else desk.facts()
    facts = tuple(dealt_initially(view.cards, view.play(), names, known))
    if facts:
        desk.tell(*facts)
        desk.change_round(told=(*round_now.told, *facts))
