"""Chips that came to a box of the open round: the double or split that they may be, and what may take it back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from controller.core.certainty.round_end import CHANGED_NS
from controller.core.game.hand import points_of, total
from controller.core.game.position import BoxStatus, HandStatus
from controller.core.inference.dues import main_due
from controller.core.inference.lattice import Lattice
from controller.core.inference.observation import (
    CardObserved,
    ChipsObserved,
    DatedMove,
    DatedObservation,
    idle,
    main_moves,
)
from controller.core.table.payments import REACH_NS
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_LEAST_MADE: Final = 17
"""A hand of less wins only if the dealer's breaks."""

_ACE: Final = 1 << 1
"""An ace in the hole, as bits have its points."""

_PAIR: Final = 2
"""The cards of a hand that may be split."""

_TEN: Final = 10
"""The points of a ten and of the court cards."""


def rise_before(transaction: Transaction, observation: DatedObservation) -> DatedMove | None:
    """The last change of a box's main zone before this one, if it rose to what has changed now; None: it did not."""
    item = observation.item
    if not isinstance(item, ChipsObserved) or item.zone != "main":
        return None
    for known in reversed(transaction.round().evidence.observations):
        rise = known.chips_at(item.box, "main")
        if rise is not None and not is_of(known, observation):
            return (known, rise) if rise.before < rise.after == item.before else None
    return None


def rise_taken_back(transaction: Transaction, observation: DatedObservation) -> DatedMove | None:
    """The rise of a box's main zone of which a change takes back some, or all, and no card came for certain between.

    None: there is none. A double may be laid, and taken back, in several movements. Where faces lie hidden they do not
    decide it: a rise that no play explains is one, too.
    """
    round_now, item = transaction.round(), observation.item
    if not isinstance(item, ChipsObserved) or item.zone != "main" or item.after >= item.before:
        return None
    lies, wager_cents, last = item.before, round_now.main_wagers()[item.box], None
    cards = [one for one in round_now.evidence.observations if isinstance(one.item, CardObserved)]
    for known in reversed(round_now.evidence.observations):
        moved = known.chips_at(item.box, "main")
        if moved is None or is_of(known, observation):
            continue
        between = any(known.last_ns < card.first_ns and card.last_ns < observation.first_ns for card in cards)
        if between or moved.after != lies or (moved.idle and not round_now.hides_faces()):
            break
        lies = moved.before
        if moved.before < moved.after and item.before - wager_cents <= moved.before:
            if moved.before <= item.after:
                return known, moved
            # All that was laid may have been taken back, and the hand cleared away besides.
            last = known, moved
    return last


def leaves_wager(transaction: Transaction, observation: DatedObservation) -> bool:
    """Whether a change may take back what was laid of a double or split, and no more."""
    found, item = rise_taken_back(transaction, observation), observation.item
    return found is not None and isinstance(item, ChipsObserved) and found[1].before <= item.after


def went_unseen(round_now: Round, observation: DatedObservation, box: int) -> bool:
    """Whether a change of a box's main zone is what several moves came to between two looks."""
    return any(
        one.box == box
        and one.hides("main")
        and one.from_ns <= observation.last_ns
        and observation.first_ns <= one.to_ns
        for one in round_now.evidence.outages
    )


def is_of(known: DatedObservation, observation: DatedObservation) -> bool:
    """Whether what is known is this change, as it is or as one that no play explains and was left out."""
    return known is observation or (known.number == observation.number and known.item == idle(observation.item))


def holds_card(round_now: Round, first_ns: int, last_ns: int) -> bool:
    """Whether a card came between two looks at a zone, with time to reach out before it and after."""
    cards = (known for known in round_now.evidence.observations if isinstance(known.item, CardObserved))
    return any(first_ns + REACH_NS < card.first_ns and card.last_ns < last_ns - REACH_NS for card in cards)


def may_play(transaction: Transaction, came: DatedObservation, box: int) -> bool:
    """Whether a box may still have been played when chips came to it."""
    before = transaction.lattice().as_of(came.first_ns).frontier
    return any(node.acting == box or node.boxes[box].kind is BoxStatus.PENDING for node in before)


def _hands_before(
    lattice: Lattice, came: DatedObservation, box: int, *statuses: HandStatus
) -> Iterator[tuple[int, ...]]:
    """The hands of a box that may still have been played when chips came to it: in play those of these statuses."""
    for node in lattice.as_of(came.first_ns).frontier:
        if node.acting == box:
            yield from (hand.cards for hand in node.hands if hand.now in statuses)
        elif node.boxes[box].kind is BoxStatus.PENDING:
            yield lattice.game.deal.initial[box]


def may_have_been_raised(lattice: Lattice, came: DatedObservation, box: int) -> bool:
    """Whether chips that came to a box may have been a double or split, also again of a hand that has none back yet."""
    return any(map(_may_be_raised, _hands_before(lattice, came, box, HandStatus.OPEN, HandStatus.OWED)))


def may_have_been_doubled(lattice: Lattice, came: DatedObservation, box: int) -> bool:
    """Whether chips that came to a box may have been a double of a hand that was played then."""
    return any(map(_is_doubled, _hands_before(lattice, came, box, HandStatus.OPEN)))


def may_have_passed(transaction: Transaction, came: DatedObservation, gone: DatedObservation) -> bool:
    """Whether what came to a box was no double or split of its hand, and as a payment or the next bet is doubtful.

    A play takes it for the next bet of a box that ended unseen, or for a payment that is not due, or not before the
    dealer draws but with an ace in the hole.
    """
    rise = came.item
    assert isinstance(rise, ChipsObserved), "chips moved"
    lattice, box, cents = transaction.lattice(), rise.box, rise.after - rise.before
    if cents > transaction.round().main_wagers()[box]:
        return True
    is_raise = not transaction.house.movements_joined or _rules_allow_raise(lattice, came, box, cents)
    if is_raise and (_lies_between(transaction.round(), came, gone) or may_have_been_raised(lattice, came, box)):
        return False
    bets_again = any(node.boxes[box].next_bet for node in lattice.frontier)
    dues = [main_due(lattice, lattice.frontier, box, hole).cents() for hole in _standing_holes(lattice)]
    return bets_again or not any(cents in due for due in dues)


def _rules_allow_raise(lattice: Lattice, came: DatedObservation, box: int, cents: int) -> bool:
    """Whether a hand of a box might be doubled or split by so much when chips came to it, or had just been."""
    before = lattice.as_of(came.first_ns)
    for node in before.frontier:
        hand = before.game.hand_in_play(node) if node.acting == box else None
        if hand is not None and (hand.now is HandStatus.OWED or any(before.game.raised(node, hand, cents))):
            return True
        if node.boxes[box].kind is BoxStatus.PENDING and before.game.raises_at_turn(node, box, cents):
            return True
    return False


def _standing_holes(lattice: Lattice) -> list[int]:
    """The points of the hole cards with which the dealer stands once payment has begun; none where only an ace does."""
    holes = 0
    for node in lattice.frontier:
        holes |= node.hole if node.paying else 0
    return [points for points in range(1, 11) if holes >> points & 1] if holes != _ACE else []


def is_beside_natural(transaction: Transaction, rise: ChipsObserved) -> bool:
    """Whether a box has a natural, and what came is not what that may be paid."""
    lattice, box = transaction.lattice(), rise.box
    is_natural = all(node.boxes[box].kind is BoxStatus.NATURAL for node in lattice.frontier)
    return is_natural and rise.after - rise.before not in main_due(lattice, lattice.frontier, box, None).cents()


def is_soon(transaction: Transaction, gone: DatedObservation, back: DatedObservation) -> bool:
    """Whether chips came so soon after a wager went that its player may have changed them.

    From report to report, as each may have happened long before it where a reader is slow.
    """
    since_ns = gone.last_ns if transaction.house.slips_reckoned else gone.first_ns
    return back.last_ns - since_ns <= CHANGED_NS


def may_be_changed(transaction: Transaction, gone: DatedObservation) -> bool:
    """Whether other chips that come to as much as went may be the wager still, as its player changes them in play.

    They are the next bet where no hand may be dealt to any more, and where it is published how this one ended.
    """
    if not transaction.house.exchanges_in_play:
        return False
    round_now, item = transaction.round(), gone.item
    assert isinstance(item, ChipsObserved), "chips moved"
    if transaction.house.looks_reckoned and (round_now.bets.spots[item.box], "main") in round_now.ending.settled:
        return False
    before = transaction.lattice().as_of(gone.first_ns)
    return any(map(before.drawing, before.frontier))


def _lies_between(round_now: Round, came: DatedObservation, gone: DatedObservation) -> bool:
    """Whether a card or key of the round may lie between two changes."""
    others = (one for one in round_now.evidence.observations if not isinstance(one.item, ChipsObserved))
    return any(came.first_ns <= one.last_ns and one.first_ns <= gone.last_ns for one in others)


def picked_up(transaction: Transaction) -> list[tuple[DatedObservation, DatedObservation]]:
    """The chips that came to a wager last and soon left it, as a payment that is picked up does: both changes of each.

    Not where a card or key came meanwhile, or nobody may have been dealt to any more before.
    """
    round_now = transaction.state.round
    if not transaction.house.second_readings_kept or round_now is None or round_now.evidence.trouble:
        return []
    if not round_now.is_dealt() or round_now.first_blocking():
        return []
    last = (moves[-2:] for moves in main_moves(round_now.evidence.observations).values() if len(moves) > 1)
    return [
        (came, gone)
        for (came, rise), (gone, fall) in last
        if 0 < rise.before < rise.after == fall.before and fall.after == rise.before and not (rise.idle or fall.idle)
        if not _lies_between(round_now, came, gone)
        if is_soon(transaction, came, gone) and may_be_changed(transaction, came)
    ]


def last_move(round_now: Round, box: int) -> DatedMove | None:
    """The last change of a box's main zone; None: there was none."""
    moves = ((one, one.chips_at(box, "main")) for one in reversed(round_now.evidence.observations))
    return next(((one, moved) for one, moved in moves if moved is not None), None)


def _is_doubled(cards: tuple[int, ...]) -> bool:
    """Whether a player may double this hand: nobody does so with seventeen or more but with an ace as eleven."""
    points, soft = total(tuple(map(points_of, cards)))
    return len(cards) == _PAIR and (points < _LEAST_MADE or soft)


def _may_be_raised(cards: tuple[int, ...]) -> bool:
    """Whether a player may double or split this hand: nobody splits tens."""
    points = tuple(map(points_of, cards))
    return _is_doubled(cards) or (len(points) == _PAIR and points[0] == points[1] < _TEN)
