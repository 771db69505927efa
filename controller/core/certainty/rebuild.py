"""Weaving a round again after something about its cards or boxes was corrected."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from controller.core.certainty.agreed_dues import hole_points, known_until, of_hole
from controller.core.game.hand import place_of, seen
from controller.core.inference.lattice import Answer, Reconstruction
from controller.core.inference.observation import CardCame, ChipsMoved, Item, KeySpoke, idle
from controller.core.inference.unobserved import Silence
from controller.core.messages.alerts import ChipsUnexplained
from controller.core.messages.events import QuestionWithdrawn
from controller.core.messages.floor_events import RoundResumed
from controller.core.table.keymap import KEYPAD
from controller.core.table.ledger import book_of
from controller.core.table.state import Round, begun
from controller.core.table.transaction import Desk


def remembered(round_now: Round, place: int) -> int:
    """A card as the lattice learns it: never the hole card's face, so that nothing before the turn depends on it."""
    face = round_now.cards[place].shown()
    return place << 4 if face is None or place == round_now.hole_place() else seen(place, face)


def weave_again(desk: Desk, before: Round) -> None:
    """Weave the open round again; its evidence, answers and silences name cards and boxes as they were ``before``.

    Changes of chips that no play explains any more are alerted. A question that waits is taken back; the next review
    asks again if need be.
    """
    now = desk.round()
    boxes = {box: now.spots.index(spot) for box, spot in enumerate(before.spots) if spot in now.spots}
    numbers = [card.number for card in now.cards]
    places = {place: numbers.index(card.number) for place, card in enumerate(before.cards) if card.number in numbers}
    if now.asked is not None:
        desk.tell(QuestionWithdrawn(now.asked.number))
    desk.change_round(
        evidence=(),
        asked=None,
        considered=-1,
        corrected_at=len(now.told),
        answers=tuple(answers_named(before.answers, boxes, places)),
        silences=tuple(replace(one, box=boxes[one.box]) for one in before.silences if one.box in boxes),
    )
    # What the cards had decided of wagers that wait for the trigger box they must decide again.
    desk.change(progressives=desk.state.progressives.undecided(now.number))
    desk.found = begun(desk.rules, desk.round())
    for dated in before.evidence:
        item = item_named(desk.round(), dated.item, boxes, places)
        if item is None:
            continue
        chips = isinstance(item, ChipsMoved)
        explained = desk.observe(replace(dated, item=item), may_drop=chips)
        if isinstance(item, ChipsMoved) and not (explained or dated.item == idle(dated.item) or desk.round().trouble):
            spot = desk.round().spots[item.box]
            desk.tell_shown(ChipsUnexplained(desk.round().number, spot, item.zone, item.before, item.after))


def woven_with_hole(desk: Desk, until: int) -> Reconstruction:
    """The lattice where the hole card, which is turned now, leaves no play.

    Chips that were moved before the turn in a way that only another hole card explains mean nothing: they are left out
    and alerted. Where that leaves no play either everything stays as it is.
    """
    back = desk.state, desk.found, len(desk.events)
    desk.turn_hole()
    weave_again(desk, desk.round())
    view = desk.lattice().as_of(until)
    if not desk.legal(view):
        desk.state, desk.found = back[0], back[1]
        del desk.events[back[2] :]
        view = desk.lattice().as_of(until)
    return view


def payment_began(desk: Desk) -> bool:
    """Whether at some moment every play, whatever the hole card, had the players finished: then it counts as turned."""
    if not desk.round().is_dealt() or not desk.round().hole_dealt:
        return False
    found = begun(desk.rules, desk.round())
    for dated in desk.round().evidence:
        found = found.observe(dated)
        if found.frontier and all(found.play().finished(node) for node in found.frontier):
            return True
    return False


def item_named(now: Round, item: Item, boxes: dict[int, int], places: dict[int, int]) -> Item | None:
    """Evidence with cards and boxes as they are called now; None if its card or box is gone."""
    match item:
        case CardCame(card):
            place = places.get(place_of(card))
            return None if place is None else CardCame(remembered(now, place))
        case ChipsMoved(box, zone, before, after):
            return ChipsMoved(boxes[box], zone, before, after) if box in boxes else None
        case KeySpoke(action, None):
            return KeySpoke(action)
        case KeySpoke(action, box) if box is not None:
            return KeySpoke(action, boxes[box]) if box in boxes else None
        case _:
            raise AssertionError("no such evidence")


def answers_named(answers: tuple[Answer, ...], boxes: dict[int, int], places: dict[int, int]) -> Iterator[Answer]:
    """Answers with cards and boxes as they are called now; those about cards and boxes that are gone are left out."""
    for answer in answers:
        card = answer.holds if answer.holds is not None else answer.lacks
        if answer.box not in boxes or (card is not None and card not in places):
            continue
        moved = None if card is None else places[card]
        yield replace(
            answer,
            box=boxes[answer.box],
            holds=moved if answer.holds is not None else None,
            lacks=moved if answer.lacks is not None else None,
        )


def hear_no_more(desk: Desk, spots: tuple[int, ...], at_ns: int) -> tuple[int, ...]:
    """The reader of these spots is lost: from what it last confirmed on, its boxes go by hand. Gives their spots."""
    before = desk.round()
    lost: list[int] = []
    silences = list(before.silences)
    for spot in spots:
        box = before.spots.index(spot) if spot in before.spots else -1
        if box < 0 or any(one.box == box and one.open() for one in silences):
            continue
        from_ns = max(desk.state.confirmed.get(str(spot), -1), before.lock_ns)
        silences.append(Silence(box, min(from_ns, at_ns)))
        lost.append(spot)
    if lost:
        weave_with(desk, tuple(silences))
    return tuple(lost)


def keypad_away(desk: Desk) -> bool:
    """Whether the keypad is lost, so that no key that was not heard says anything."""
    return not desk.state.is_ready(KEYPAD)


def hear_no_keys(desk: Desk) -> None:
    """The keypad is lost, or was: of the open round no key that was not heard says anything."""
    desk.change(keypad_lost=True)
    if desk.state.round is not None and not desk.round().keys_unheard:
        desk.change_round(keys_unheard=True)
        weave_with(desk, desk.round().silences)


def hear_again(desk: Desk, spots: tuple[int, ...], at_ns: int) -> None:
    """The reader of these spots is back: it tells afresh what lies there, so the silence ends."""
    before = desk.round()
    back = tuple(
        replace(one, to_ns=at_ns) if one.open() and before.spots[one.box] in spots else one for one in before.silences
    )
    if back != before.silences:
        weave_with(desk, back)


def weave_with(desk: Desk, silences: tuple[Silence, ...]) -> None:
    """Weave the open round again with other silences of its readers."""
    desk.change_round(silences=silences)
    if not desk.round().trouble:
        weave_again(desk, desk.round())


def weave_corrected(desk: Desk, before: Round) -> None:
    """Weave the round again after a correction: what no person has ruled is settled anew; if it is cured it resumes."""
    book = book_of(desk.state.books, before.number)
    ruled = tuple((row.spot, row.bet) for row in book.rows if row.ruled()) if book is not None else ()
    trouble, curable, closed = before.trouble, before.curable, desk.round().dealing.closed()
    desk.change_round(trouble="", settled=tuple(mark for mark in before.settled if mark in ruled))
    if trouble and (not curable or closed):
        desk.change_round(trouble=trouble)
    if hole_number(desk.round()) != hole_number(before):
        # What was turned was another card.
        desk.change_round(turned=False)
    weave_again(desk, before)
    if not trouble or not curable:
        return
    if closed:
        # Whether it is cured closed faces decide, the hole card's perhaps.
        known = desk.round().dealing
        desk.change_round(curable=True, dealing=replace(known, resumes=True))
        return
    if not possible(desk):
        desk.change_round(trouble=trouble)
    elif not desk.round().trouble:
        desk.tell(RoundResumed(before.number))


def resume(desk: Desk) -> None:
    """The hole card is turned: see whether a correction made before that has cured the irregular round."""
    known = desk.round().dealing
    desk.change_round(dealing=replace(known, resumes=False))
    if desk.round().trouble and desk.round().curable:
        weave_corrected(desk, desk.round())


def hole_number(round_now: Round) -> int:
    """The number of the hole card; 0: it has not been drawn."""
    place = round_now.hole_place()
    return round_now.cards[place].number if 0 <= place < len(round_now.cards) else 0


def possible(desk: Desk, *, over: bool = False) -> bool:
    """Whether some legal play explains the round: all of it if it is ``over``, else what the readers have confirmed."""
    view = desk.lattice() if over else desk.lattice().as_of(known_until(desk))
    return bool(of_hole(view.frontier, hole_points(desk)))
