"""The lattice of a round again, after its cards, boxes or outages were corrected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from controller.core.certainty.agreed_dues import confirmed_until_ns, consistent_with_hole
from controller.core.game.hand import place_of
from controller.core.inference.lattice import Lattice, PlayAnswer
from controller.core.inference.observation import (
    CardObserved,
    ChipsObserved,
    DatedObservation,
    KeyObserved,
    Observation,
    idle,
)
from controller.core.inference.unobserved import Outage
from controller.core.messages.alerts import ChipsUnexplained
from controller.core.messages.events import QuestionWithdrawn
from controller.core.messages.floor_events import RoundResumed
from controller.core.table.keymap import KEYPAD
from controller.core.table.ledger import book_of
from controller.core.table.round_state import Round
from controller.core.table.state import empty_lattice
from controller.core.table.transaction import Transaction

_MOST_CORRECTED: Final = 10_000
"""States that the table goes through for one correction: about a second at a full table with readers lost."""


def rebuild(transaction: Transaction, before: Round, *, bounded: bool = False) -> None:
    """Rebuild the round's lattice; its evidence, answers and outages name cards and boxes as ``before``.

    ``bounded``: only as far as the table can follow in time, as where a person corrects the round or its boxes turn out
    to be others. Beyond that the round is the floor's.

    Changes of chips that no play explains any more are alerted. A question that waits is taken back; the next review
    asks again if need be.
    """
    now = transaction.round()
    boxes = {box: now.bets.spots.index(spot) for box, spot in enumerate(before.bets.spots) if spot in now.bets.spots}
    numbers = [card.number for card in now.cards.drawn]
    places = {
        place: numbers.index(card.number) for place, card in enumerate(before.cards.drawn) if card.number in numbers
    }
    _decide_anew(transaction)
    transaction.change_evidence(
        observations=(),
        answers=tuple(_answers_named(before.evidence.answers, boxes, places)),
        outages=tuple(replace(one, box=boxes[one.box]) for one in before.evidence.outages if one.box in boxes),
    )
    transaction.change_lattice(empty_lattice(transaction.rules, transaction.round()))
    most_states = _MOST_CORRECTED if bounded and transaction.house.corrections_bounded else 0
    for dated in before.evidence.observations:
        item = _item_named(transaction.round(), dated.item, boxes, places)
        if item is None:
            continue
        chips = isinstance(item, ChipsObserved)
        explained = transaction.observe(replace(dated, item=item), may_drop=chips, most_states=most_states)
        most_states = most_states and max(1, most_states - transaction.lattice().cuts[-1].states)
        if isinstance(item, ChipsObserved) and not (
            explained or dated.item == idle(dated.item) or transaction.round().evidence.trouble
        ):
            spot = transaction.round().bets.spots[item.box]
            transaction.emit_when_shown(
                ChipsUnexplained(transaction.round().number, spot, item.zone, item.before, item.after)
            )


def rebuild_with_more_plays(transaction: Transaction, observations: tuple[DatedObservation, ...]) -> None:
    """Take the open round's evidence anew, some of which may mean more than before.

    No play becomes impossible by it; some may become possible, and explain chips that none explained.
    """
    lattice = transaction.lattice().with_evidence(observations)
    if lattice is None:
        transaction.irregular("the times of the readings leave too many orders open", known=False)
        return
    _decide_anew(transaction)
    transaction.change_evidence(observations=observations)
    transaction.change_lattice(lattice)


def _decide_anew(transaction: Transaction) -> None:
    """What has been published of the open round's play, asked of it and decided by its cards is to be found anew."""
    now = transaction.round()
    if now.questions.asked is not None:
        transaction.emit(QuestionWithdrawn(now.questions.asked.number))
    transaction.change_evidence(corrected_at=len(now.evidence.published))
    transaction.change_questions(asked=None, considered=-1)
    # What the cards had decided of wagers that wait for the trigger box they must decide again.
    transaction.change(progressives=transaction.state.progressives.undecided(now.number))


def rebuilt_with_hole(transaction: Transaction, until: int) -> Lattice:
    """The lattice where the hole card, which is turned now, leaves no play.

    Chips that were moved before the turn in a way that only another hole card explains mean nothing: they are left out
    and alerted. Where that leaves no play either everything stays as it is.
    """
    before = transaction.savepoint()
    transaction.turn_hole()
    rebuild(transaction, transaction.round())
    view = transaction.lattice().as_of(until)
    if not transaction.legal(view):
        transaction.roll_back(before)
        view = transaction.lattice().as_of(until)
    return view


def payment_began(transaction: Transaction) -> bool:
    """Whether at some moment every play, whatever the hole card, had the players finished: then it counts as turned."""
    if not transaction.round().is_dealt() or not transaction.round().cards.hole_dealt:
        return False
    lattice = empty_lattice(transaction.rules, transaction.round())
    for dated in transaction.round().evidence.observations:
        lattice = lattice.observe(dated)
        if lattice.frontier and all(lattice.game.finished(node) for node in lattice.frontier):
            return True
    return False


def _item_named(now: Round, item: Observation, boxes: dict[int, int], places: dict[int, int]) -> Observation | None:
    """Evidence with cards and boxes as they are called now; None if its card or box is gone."""
    match item:
        case CardObserved(card):
            place = places.get(place_of(card))
            return None if place is None else CardObserved(now.remembered_card(place))
        case ChipsObserved(box):
            return replace(item, box=boxes[box], idle=False) if box in boxes else None
        case KeyObserved(action, None):
            return KeyObserved(action)
        case KeyObserved(action, box) if box is not None:
            return KeyObserved(action, boxes[box]) if box in boxes else None
        case _:
            raise AssertionError("no such evidence")


def _answers_named(
    answers: tuple[PlayAnswer, ...], boxes: dict[int, int], places: dict[int, int]
) -> Iterator[PlayAnswer]:
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


def reader_lost(
    transaction: Transaction, device: str, unwatched: Mapping[int, tuple[str, ...]], at_ns: int
) -> tuple[int, ...]:
    """A reader is lost: from what it last confirmed on, boxes play unwatched. Gives the spots that do so now.

    ``unwatched`` are the zones at its spots that no reader sees; empty: all, and nothing of the box is seen.
    """
    before = transaction.round()
    lost: list[int] = []
    outages = list(before.evidence.outages)
    for spot, zones in unwatched.items():
        box = before.bets.spots.index(spot) if spot in before.bets.spots else -1
        open_now = [one for one in outages if one.box == box and one.open()]
        if box < 0 or any(one.reader == device for one in open_now):
            continue
        from_ns = max(transaction.state.confirmed.get(str(spot), -1), before.bets.lock_ns)
        outages.append(Outage(box, min(from_ns, at_ns), reader=device, zones=zones))
        if not zones and not any(one.hides("main") for one in open_now):
            lost.append(spot)
    if tuple(outages) != before.evidence.outages:
        rebuild_with_outages(transaction, tuple(outages))
    return tuple(lost)


def is_keypad_away(transaction: Transaction) -> bool:
    """Whether the keypad is lost, so that no key that was not heard says anything."""
    return not transaction.state.is_ready(KEYPAD)


def leave_keys_unheard(transaction: Transaction) -> None:
    """Keys may go unheard, or did: of the open round, or the next, no key that was not heard says anything."""
    transaction.change(keypad_lost=True)
    if transaction.state.round is not None and not transaction.round().evidence.keys_unheard:
        transaction.change_evidence(keys_unheard=True)
        rebuild_with_outages(transaction, transaction.round().evidence.outages)


def reader_returned(transaction: Transaction, device: str, at_ns: int) -> None:
    """A reader is back: it tells afresh what lies there, so its outage ends."""
    before = transaction.round()
    back = tuple(
        replace(one, to_ns=at_ns) if one.open() and one.reader == device else one for one in before.evidence.outages
    )
    if back != before.evidence.outages:
        rebuild_with_outages(transaction, back)


def rebuild_with_outages(transaction: Transaction, outages: tuple[Outage, ...]) -> None:
    """Rebuild the open round's lattice with other outages of its readers."""
    transaction.change_evidence(outages=outages)
    if not transaction.round().evidence.trouble:
        rebuild(transaction, transaction.round())


def rebuild_corrected(transaction: Transaction, before: Round) -> None:
    """Rebuild after a correction: wagers without a person's ruling are settled anew; a round that is cured resumes."""
    book = book_of(transaction.state.books, before.number)
    ruled = tuple((row.spot, row.bet) for row in book.rows if row.ruled()) if book is not None else ()
    trouble, curable, closed = (
        before.evidence.trouble,
        before.evidence.curable and not before.evidence.burned,
        transaction.round().dealing.withholds_faces(),
    )
    transaction.change_evidence(trouble="")
    transaction.change_ending(settled=tuple(mark for mark in before.ending.settled if mark in ruled))
    if trouble and (not curable or closed):
        transaction.change_evidence(trouble=trouble)
    if _hole_number(transaction.round()) != _hole_number(before):
        # What was turned was another card.
        transaction.change_cards(turned=False)
    rebuild(transaction, before, bounded=True)
    if not trouble or not curable:
        return
    if closed:
        # Whether it is cured closed faces decide, the hole card's perhaps.
        known = transaction.round().dealing
        transaction.change_evidence(curable=True)
        transaction.change_round(dealing=replace(known, resumes=True))
        return
    if not has_legal_play(transaction):
        transaction.change_evidence(trouble=trouble)
    elif not transaction.round().evidence.trouble:
        transaction.emit(RoundResumed(before.number))


def resume_if_cured(transaction: Transaction) -> None:
    """The hole card is turned: see whether a correction made before that has cured the irregular round."""
    known = transaction.round().dealing
    transaction.change_round(dealing=replace(known, resumes=False))
    if transaction.round().evidence.trouble and transaction.round().evidence.curable:
        rebuild_corrected(transaction, transaction.round())


def _hole_number(round_now: Round) -> int:
    """The number of the hole card; 0: it has not been drawn."""
    place = round_now.hole_place()
    return round_now.cards.drawn[place].number if 0 <= place < len(round_now.cards.drawn) else 0


def has_legal_play(transaction: Transaction, *, over: bool = False) -> bool:
    """Whether some legal play explains the round: all of it if it is ``over``, else what the readers have confirmed."""
    view = transaction.lattice() if over else transaction.lattice().as_of(confirmed_until_ns(transaction))
    return bool(consistent_with_hole(view.frontier, transaction.hole_points()))
