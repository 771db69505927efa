"""A change of chips in play counts once they lie still.

A double is laid in two movements, a wager is lifted to be proved and laid back, an antenna misses a chip for a moment.
A quick reader reports each of these as two changes, and the first of them alone would be a double for less, a surrender
or a wager that was taken. So changes of a main zone that follow one another within a moment are one change, with the
interval of them all, as a reader that looks less often would have reported it. Chips that left and came back did not
move.

Chips that came count as soon as their reader has looked again after a card: a dealer who goes on has seen that they
lie. Chips that left wait through cards, as they may come back while another hand is played. So do those that may be a
double of a hand whose turn has not come (``early_doubles``), and more than a double, of which some may be handed back.
Nobody else changes a double once its card is seen: what moves wholly after a card goes on with no move of before it,
but that the same chips come back.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.certainty import deal_confirmation, round_end
from controller.core.game.hand import ways_to_take
from controller.core.game.position import BoxStatus
from controller.core.inference.dues import main_due
from controller.core.messages.house import House
from controller.core.messages.inputs import DaemonStarted, Input, StampedInput
from controller.core.round import early_doubles, next_deal, raised_chips
from controller.core.table.layout import Zone, heard_elsewhere, worth, zone_name
from controller.core.table.round_state import Round
from controller.core.table.state import MovingChips, State, Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, ChipsConfirmed, ChipsSeen, DeviceHealth, HealthState, KeyPressed

_RISE_NS: Final = 1_500_000_000
"""How long chips that came lie before they count: longer than from one movement to the next."""

_FALL_NS: Final = 2_500_000_000
"""How long chips that left are away before that counts: longer than it takes to prove a stack."""

_NEXT_LOOK_NS: Final = 500_000_000
"""How much later than its last look a reader may look again: a slow one shows the next movement only then."""

_CHANGE_NS: Final = 4_000_000_000
"""How long a dealer takes to hand back what is too much of a double."""

_EARLY_NS: Final = 60_000_000_000
"""How long a double that was laid before its hand's turn waits for it."""

_LONGEST_NS: Final = 8_000_000_000
"""Chips that move longer than that are reported as they move."""

_NEXT_BET_NS: Final = 1_200_000_000
"""Other chips that come to a zone which has been empty for longer are another bet, not the same one exchanged."""

_EXCHANGE_NS: Final = 300_000_000
"""The same, certainly empty, where a losing wager may be taken: sooner its player does not lay the next one."""

_ENDING_KEYS: Final = frozenset({"round_closed", "no_more_bets", "surrender"})
"""Keys that are judged on all that has been reported; so is the turn of the hole card on chips that came, which would
be taken for a payment. Any other key, an answer and an order say nothing of chips that a player still moves."""


_NO_DOUBLE: Final = frozenset({"hit", "stand", "surrender"})
"""Keys of another decision."""


def gather(table: Table, stamped: StampedInput) -> tuple[tuple[StampedInput, ...], tuple[MovingChips, ...]]:
    """What is to be stepped now, in order, and the chips that still move."""
    given = stamped.input
    if not table.state.moving and not isinstance(given, ChipsSeen):
        return (stamped,), ()
    before = Transaction(table, stamped)
    moving = [one for one in table.state.moving if not _lies_still(before, one, stamped)]
    at_rest = [
        one for one in table.state.moving if one not in moving and not _is_lost_sight_of(table.house, one, given)
    ]
    ready = [_whole_move(_in_its_turn(before, one)) for one in at_rest]
    match given:
        case ChipsSeen():
            known = next((one for one in moving if (one.spot, one.zone) == (given.spot, given.zone)), None)
            if known is not None:
                moving = [one for one in moving if one is not known]
                if given.chips == known.lay and (_lowered(table.house, known) or _is_undone(before, known, given)):
                    return tuple(ready), tuple(moving)
                if _is_of_box(table.state, known.spot) and _is_one_move(before, known, given):
                    return tuple(ready), (*moving, replace(known, last=stamped))
                ready.append(_whole_move(known))
            if known is None and table.house.doubles_awaited:
                # What has just come to rest there is taken in before this.
                known = next((one for one in at_rest if (one.spot, one.zone) == (given.spot, given.zone)), None)
            lay = _content_before(table, known, given)
            beside = _moving_beside(table, moving, lay, given)
            if beside:
                # What is heard twice is known only of chips that have been taken in.
                ready += map(_whole_move, beside)
                return (*ready, stamped), tuple(one for one in moving if one not in beside)
            if lay is not None and _may_move_on(table, stamped, lay, given):
                content = (lay.chips, _cents(table.house, lay))
                return tuple(ready), (*moving, MovingChips(given.spot, given.zone, *content, stamped, stamped))
        case ChipsConfirmed(spots, upto_ns, unseen) if moving:
            # Of the others it is said again, as the table goes on to ask for it.
            cards_wait = table.house.keyed_doubles_kept and bool(table.state.deferred)
            restless = {one.spot for one in moving if cards_wait or not _is_early(before, one)}
            confirmed = tuple(spot for spot in spots if spot not in restless)
            return (*ready, replace(stamped, input=ChipsConfirmed(confirmed, upto_ns, unseen))), tuple(moving)
        case CardDrawn(at_ns):
            moving = [one if one.drawn_ns >= 0 else replace(one, drawn_ns=at_ns) for one in moving]
        case _:
            pass
    return (*ready, stamped), tuple(moving)


_Moves = tuple[tuple[StampedInput, ...], tuple[MovingChips, ...]]
"""The changes to be stepped before a card, and the chips that still move."""


def laid(table: Table, moving: tuple[MovingChips, ...]) -> _Moves:
    """What is stepped before a card if it may be the next deal's first, as the next bets lie before a deal begins.

    Of chips that are away a card does not say that they were lost.
    """
    return _parted(moving, tuple(one for one in moving if not _lowered(table.house, one)))


def laid_anew(table: Table, moving: tuple[MovingChips, ...]) -> _Moves:
    """What is stepped before a card while others wait for their deal: what lay in an empty place came before it."""
    is_awaited = table.house.movements_joined and bool(table.state.deferred)
    return _parted(moving, tuple(one for one in moving if is_awaited and not one.lay_cents))


def _parted(moving: tuple[MovingChips, ...], at_rest: tuple[MovingChips, ...]) -> _Moves:
    return tuple(map(_whole_move, at_rest)), tuple(one for one in moving if one not in at_rest)


def deadline_ns(transaction: Transaction) -> int:
    """When the next moving chips have lain still for long enough, by the clock of readings; 0: none move."""
    return min((_still_ns(transaction, one) for one in transaction.state.moving), default=0)


def _still_ns(transaction: Transaction, one: MovingChips) -> int:
    """When chips have lain still for long enough, if nothing more is reported of them."""
    house, seen = transaction.house, _seen(one.last)
    still_ns, longest_ns = one.last.at_ns + _usual_ns(house, one), one.first.at_ns + _LONGEST_NS
    if house.moves_reconsidered and not _lowered(house, one) and not _natural_due(transaction, one.spot):
        if _is_early(transaction, one):
            return one.first.at_ns + _EARLY_NS
        # Who lays too much and takes it back between two looks is seen to have laid it only once it is gone.
        longer_ns = max(2 * (seen.by_ns - seen.after_ns), _CHANGE_NS if _is_too_much(transaction, one) else 0)
        before = [_still_ns(transaction, other) for other in _raised_before(transaction, one)]
        still_ns = max(still_ns, one.last.at_ns + longer_ns, *before)
    return min(still_ns, longest_ns)


def _usual_ns(house: House, one: MovingChips) -> int:
    """For how long chips lie still, once they do, where nothing more is to be expected of them."""
    seen = _seen(one.last)
    return max(_FALL_NS if _lowered(house, one) else _RISE_NS, seen.by_ns - seen.after_ns + _NEXT_LOOK_NS)


def _waits_for_another(transaction: Transaction, one: MovingChips) -> bool:
    """Whether chips that came to a box which is played before have still to count."""
    return transaction.house.moves_reconsidered and bool(_raised_before(transaction, one))


def _raised_before(transaction: Transaction, one: MovingChips) -> list[MovingChips]:
    """Chips that come to boxes which are played before that of others."""
    moving, house = transaction.state.moving, transaction.house
    return [other for other in moving if other.spot < one.spot and not _lowered(house, other)]


def _is_early(transaction: Transaction, one: MovingChips) -> bool:
    """Whether chips that came may be a double whose hand's turn has not come by now."""
    seen = _seen(one.last)
    amounts = one.lay_cents, _cents(transaction.house, seen)
    if not transaction.house.moves_reconsidered or one.zone != "main":
        return False
    if not early_doubles.is_laid_early(transaction, one.spot, *amounts):
        return False
    if not early_doubles.explains(transaction, _until_now(transaction, one), *amounts):
        return True
    # Where every decision has its key, that of the hand or its card says whether it is doubled.
    if not early_doubles.stands_are_keyed(transaction) or _is_decided(transaction):
        return False
    return not early_doubles.explains(transaction, _as_seen(one), *amounts)


def _in_its_turn(transaction: Transaction, one: MovingChips) -> MovingChips:
    """Chips that came before their hand's turn, as a reader would have reported them that told of them only now."""
    seen = _seen(one.last)
    amounts = one.lay_cents, _cents(transaction.house, seen)
    if not transaction.house.moves_reconsidered or one.zone != "main" or _says_otherwise(transaction):
        return one
    if not early_doubles.is_laid_early(transaction, one.spot, *amounts) and not early_doubles.was_laid_early(
        transaction, _as_seen(one), *amounts
    ):
        return one
    now = _until_now(transaction, one)
    if early_doubles.explains(transaction, _as_seen(one), *amounts):
        return one
    return (
        replace(one, last=replace(one.last, input=now)) if early_doubles.explains(transaction, now, *amounts) else one
    )


def _says_otherwise(transaction: Transaction) -> bool:
    """Whether a key says that the hand in play is not doubled."""
    pressed = transaction.stamped.input
    return isinstance(pressed, KeyPressed) and transaction.house.keys.get(pressed.key) in _NO_DOUBLE


def _is_decided(transaction: Transaction) -> bool:
    """Whether a card comes, or a key of a decision."""
    match transaction.stamped.input:
        case KeyPressed(_, key):
            return transaction.house.keys.get(key) in {"double", "split", *_NO_DOUBLE}
        case given:
            return isinstance(given, CardDrawn)


def _as_seen(one: MovingChips) -> ChipsSeen:
    """The chips between the looks that showed them."""
    return replace(_seen(one.last), after_ns=_seen(one.first).after_ns)


def _until_now(transaction: Transaction, one: MovingChips) -> ChipsSeen:
    """The chips as if they had been reported only now."""
    return replace(_as_seen(one), by_ns=max(transaction.stamped.at_ns, _seen(one.last).by_ns))


def _natural_due(transaction: Transaction, spot: int) -> int:
    """What a box is paid for its natural, if that is certain whatever the hole card; 0: it is not, or has none."""
    if not _is_of_box(transaction.state, spot) or transaction.round().hides_faces():
        return 0
    box, lattice = transaction.round().bets.spots.index(spot), transaction.lattice()
    if not lattice.frontier or any(node.boxes[box].kind is not BoxStatus.NATURAL for node in lattice.frontier):
        return 0
    due = main_due(lattice, lattice.frontier, box, None).certain()
    return 0 if due is None else due.cents


def _lowered(house: House, one: MovingChips) -> bool:
    """Whether less lies there now than before the first change."""
    return _cents(house, _seen(one.last)) < one.lay_cents


def _cents(house: House, content: ChipsSeen | Zone) -> int:
    """What a zone's content comes to."""
    return worth(content.chips, house.chips, content.values)


def _is_too_much(transaction: Transaction, one: MovingChips) -> bool:
    """Whether some of the chips that came may still be handed back: no double or split adds as much."""
    cents = _cents(transaction.house, _seen(one.last))
    return deal_confirmation.is_beyond_one_move(transaction, one.spot, one.lay_cents, cents)


def _lies_still(transaction: Transaction, one: MovingChips, stamped: StampedInput) -> bool:
    """Whether time, or what is reported now, says that chips lie still."""
    house = transaction.house
    if stamped.at_ns >= _still_ns(transaction, one):
        return True
    match stamped.input:
        case ChipsConfirmed(spots, upto_ns):
            looked = one.spot in spots and 0 <= one.drawn_ns <= upto_ns and not _lowered(house, one)
            if house.splits_awaited and _is_too_much(transaction, one):
                return False
            return looked and not (_is_early(transaction, one) or _waits_for_another(transaction, one))
        case KeyPressed(_, key):
            meaning = house.keys.get(key)
            if meaning == "no_more_bets" and house.moves_reconsidered and transaction.state.round is None:
                # Who lifts his wager just before it is pressed may lay it back just after it.
                return False
            return meaning in _ENDING_KEYS or (meaning == "hole_turned" and not _lowered(house, one))
        case DeviceHealth(device):
            # It may report no more.
            return _is_read_by(house, one, device)
        case CardDrawn():
            # Whose wager is away as the deal begins is not dealt to.
            undealt = transaction.state.round is None or not transaction.round().cards.drawn
            return undealt or _lies_at_card(transaction, one)
        case DaemonStarted():
            return True
        case _:
            return False


def _is_lost_sight_of(house: House, one: MovingChips, given: Input) -> bool:
    """Whether a reader is lost while chips of its zone are away: what became of them it tells once it is back."""
    if not isinstance(given, DeviceHealth) or given.state is not HealthState.LOST:
        return False
    return house.moves_reconsidered and _lowered(house, one) and _is_read_by(house, one, given.device)


def _is_read_by(house: House, one: MovingChips, device: str) -> bool:
    """Whether a device reads the zone in which chips move."""
    zones = house.zones_at(device, one.spot) or (one.zone,)
    return one.spot in house.readers.get(device, ()) and one.zone in zones


def _lies_at_card(transaction: Transaction, one: MovingChips) -> bool:
    """Whether a dealer who draws a card has left chips as they came, though there was time to hand some back."""
    house, now_ns = transaction.house, transaction.stamped.at_ns
    if not house.moves_reconsidered or _lowered(house, one) or now_ns < one.last.at_ns + _usual_ns(house, one):
        return False
    # What is too much of a double may have been handed back since the last look.
    handed_back = house.exchanges_in_play and _is_too_much(transaction, one)
    return not (handed_back or _is_early(transaction, one) or _waits_for_another(transaction, one))


def _is_undone(transaction: Transaction, one: MovingChips, seen: ChipsSeen) -> bool:
    """Whether all of a double that was laid before its hand's turn is taken back before anything came of it."""
    as_before = _cents(transaction.house, seen) == one.lay_cents
    return transaction.house.movements_joined and as_before and _is_early(transaction, one)


def _is_of_box(state: State, spot: int) -> bool:
    """Whether a round is open in which somebody plays there: an order or an answer may have ended that meanwhile."""
    return state.round is not None and spot in state.round.bets.spots


def _is_one_move(transaction: Transaction, one: MovingChips, seen: ChipsSeen) -> bool:
    """Whether a change goes on with the one before it.

    More comes to what came, or a part of it is handed back: all of it is not, for what came and left is a payment that
    was picked up, or chips that passed. What left comes back; other chips are an exchange only if they are worth as
    much and come soon, else a raise or the next bet. Where still more leaves, the first may have been a surrender.
    """
    # Nobody changes a double once its card is seen.
    if 0 <= one.drawn_ns <= seen.after_ns and not _hands_back(transaction, one, seen):
        return False
    house, left = transaction.house, _seen(one.last)
    lies = _cents(house, seen)
    if not _lowered(house, one):
        if house.moves_reconsidered and 0 < _natural_due(transaction, one.spot) == _cents(house, left) - one.lay_cents:
            # What comes beside the payment is the next bet.
            return False
        if house.second_readings_kept and _is_laid_back(transaction, one):
            # What comes beside a wager that was changed may double or split it.
            return False
        if _is_undone(transaction, one, seen):
            return True
        return lies > one.lay_cents and _may_be_one_raise(transaction, one, lies - one.lay_cents)
    if lies < _cents(house, left):
        return False
    if set(seen.chips) - set(left.chips) <= set(one.lay):
        return True
    # For less a wager is not exchanged.
    if lies < one.lay_cents or _are_of_broken_hands(transaction, one):
        return False
    if lies == one.lay_cents and _left_unexplained(transaction, one):
        return True
    if seen.by_ns - left.by_ns > _NEXT_BET_NS:
        return False
    return seen.after_ns - left.by_ns <= _EXCHANGE_NS or not next_deal.may_be_taken(transaction)


def _is_laid_back(transaction: Transaction, one: MovingChips) -> bool:
    """Whether chips that came to an empty zone are as much as had left it, as far as that has been told."""
    if one.zone != "main" or one.lay_cents:
        return False
    lie_cents, waiting = _cents(transaction.house, _seen(one.last)), _waiting_cents(transaction, one)
    if waiting is not None:
        return waiting == (lie_cents, 0)
    last = raised_chips.last_move(transaction.round(), transaction.round().bets.spots.index(one.spot))
    return last is not None and (last[1].before, last[1].after) == (lie_cents, 0)


def _waiting_cents(transaction: Transaction, one: MovingChips) -> tuple[int, int] | None:
    """What lay in a zone, and lies there by readings that wait for a deal's cards; None: no such reading is of it."""
    waiting = [given.input for given in transaction.state.deferred]
    seen = [each for each in waiting if isinstance(each, ChipsSeen) and (each.spot, each.zone) == (one.spot, one.zone)]
    if not seen:
        return None
    before = transaction.state.felt.get(zone_name(one.spot, one.zone)) if len(seen) == 1 else seen[-2]
    return 0 if before is None else _cents(transaction.house, before), _cents(transaction.house, seen[-1])


def _left_unexplained(transaction: Transaction, one: MovingChips) -> bool:
    """Whether no play explains that a wager left, so that as much in other chips is no next bet."""
    round_now, left = transaction.round(), _seen(one.last)
    if not transaction.house.second_readings_kept or one.zone != "main" or left.chips:
        return False
    if round_now.evidence.trouble or round_now.hides_faces():
        return False
    return not early_doubles.explains(transaction, left, one.lay_cents, 0)


def _hands_back(transaction: Transaction, one: MovingChips, seen: ChipsSeen) -> bool:
    """Whether exactly what is too much of a double is handed back: the double itself may not be lowered any more."""
    lies = _cents(transaction.house, seen)
    if not transaction.house.splits_awaited or not _is_too_much(transaction, one):
        return False
    wager = transaction.round().main_wagers()[transaction.round().bets.spots.index(one.spot)]
    return lies == one.lay_cents + wager


def _may_be_one_raise(transaction: Transaction, one: MovingChips, cents: int) -> bool:
    """Whether chips that came to a box may be one double or split: more, with a card among them, are two raises."""
    round_now, since_ns = transaction.round(), transaction.table_ns(_seen(one.first).by_ns)
    dealt = _last_card_ns(transaction) >= since_ns
    return not dealt or cents <= round_now.main_wagers()[round_now.bets.spots.index(one.spot)]


def _last_card_ns(transaction: Transaction) -> int:
    """When the last card came, also of those that wait for their deal to show itself; -1: none has."""
    known_ns = transaction.times().cards_until_ns
    if not transaction.house.deals_by_number:
        return known_ns
    waiting = (one.input.at_ns for one in transaction.state.deferred if isinstance(one.input, CardDrawn))
    return max((known_ns, *map(transaction.table_ns, waiting)))


def _are_of_broken_hands(transaction: Transaction, one: MovingChips) -> bool:
    """Whether chips that left may be those of a split's broken hands, taken while others of the box are played."""
    cents = one.lay_cents - _cents(transaction.house, _seen(one.last))
    box, until_ns = transaction.round().bets.spots.index(one.spot), transaction.table_ns(_seen(one.last).by_ns)
    stakes = {node.boxes[box].busts_not_taken for node in transaction.lattice().as_of(until_ns).frontier}
    return any(sum(taken) == cents for broken in stakes for taken in ways_to_take(broken))


def _content_before(table: Table, known: MovingChips | None, seen: ChipsSeen) -> ChipsSeen | Zone | None:
    """What a zone held when it was last reported, if that is something else; None: it never was, or is the same."""
    before = _last_reported(table, seen.spot, seen.zone) if known is None else _seen(known.last)
    return None if before is None or before.chips == seen.chips else before


def _last_reported(table: Table, spot: int, zone: str) -> ChipsSeen | Zone | None:
    """What was last reported of a zone; what waits for a deal to show itself has been, too."""
    for one in reversed(table.state.deferred):
        if isinstance(one.input, ChipsSeen) and (one.input.spot, one.input.zone) == (spot, zone):
            return one.input
    return table.state.felt.get(zone_name(spot, zone))


def _may_move_on(table: Table, stamped: StampedInput, before: ChipsSeen | Zone, seen: ChipsSeen) -> bool:
    """Whether a change may be the first of several: of a main wager in play, as its reader reports it in time."""
    house, round_now = table.house, table.state.round
    if not house.moves_gathered:
        return False
    if house.moves_reconsidered and _is_lifted_at_lock(table, before, seen):
        return True
    if round_now is None:
        return False
    if seen.zone != "main" or seen.spot not in round_now.bets.spots:
        return False
    if round_now.ending.closing or not (round_now.bets.locked or _is_after_lock(table, round_now, seen)):
        return False
    if _lay_before_waiting_card(table, before, seen) or _is_heard_beside(table, before, seen):
        return False
    # Chips that come in the deal are none of a hand's.
    lowered = _cents(house, seen) < _cents(house, before)
    transaction = Transaction(table, stamped)
    if not (round_now.is_dealt() or lowered) or not _may_still_act(transaction, seen.spot):
        return False
    return not (lowered and next_deal.may_be_next_bet(transaction, before, seen, face_down=True))


def _moving_beside(
    table: Table, moving: list[MovingChips], before: ChipsSeen | Zone | None, seen: ChipsSeen
) -> list[MovingChips]:
    """The moving chips of other zones among which is one that came here too, in the order of their reports."""
    if not table.house.wagers_followed:
        return []
    came = set(seen.chips).difference(() if before is None else before.chips)
    return [one for one in moving if not came.isdisjoint(_seen(one.last).chips)]


def _is_heard_beside(table: Table, before: ChipsSeen | Zone, seen: ChipsSeen) -> bool:
    """Whether another zone hears a chip that came: which of them it lies in is known by what both show from now on."""
    if not table.house.wagers_followed:
        return False
    came = frozenset(seen.chips).difference(before.chips)
    return heard_elsewhere(table.state.felt, zone_name(seen.spot, seen.zone), came)


def _lay_before_waiting_card(table: Table, before: ChipsSeen | Zone, seen: ChipsSeen) -> bool:
    """Whether chips came to an empty zone before a card that may be the next deal's, and waits for what follows it.

    They are its bets if it is, and no double of a hand that has no wager.
    """
    if not table.house.moves_reconsidered or not table.state.deferred or before.chips:
        return False
    first = table.state.deferred[0].input
    return isinstance(first, CardDrawn) and seen.by_ns < first.at_ns


def _is_lifted_at_lock(table: Table, before: ChipsSeen | Zone, seen: ChipsSeen) -> bool:
    """Whether a whole main wager leaves its place while bets are open, or perhaps before the moment of the lock.

    Laid back in its own chips it is a bet that lay there all the time; else it was never one.
    """
    round_now = table.state.round
    if seen.zone != "main" or seen.chips or not before.chips:
        return False
    if round_now is None:
        return True
    is_open = not round_now.bets.locked and bool(round_now.bets.locked_by) and not round_now.cards.drawn
    return is_open and not round_now.ending.closing


def _is_after_lock(table: Table, round_now: Round, seen: ChipsSeen) -> bool:
    """Whether a change came after the moment of the lock, which the readers have still to confirm."""
    return seen.after_ns + table.state.offset_ns >= round_now.bets.lock_ns


def _may_still_act(transaction: Transaction, spot: int) -> bool:
    """Whether a box may still be played: neither is payment certain to have begun, nor are all of its hands broken.

    How long chips wait is seen from outside, so it follows from no card that lies face down.
    """
    round_now = transaction.round()
    if round_now.hides_faces():
        return True
    if round_now.cards.turned and (round_end.payment_has_begun(transaction) or round_end.takes_no_card(transaction)):
        return False
    box = round_now.bets.spots.index(spot)
    # Between a key or a card and the chips that explain it no play does.
    frontier = transaction.lattice().frontier
    return not frontier or any(node.boxes[box].kind is not BoxStatus.BROKEN for node in frontier)


def _whole_move(one: MovingChips) -> StampedInput:
    """The change that the moves of chips come to, as one reading."""
    return replace(one.last, input=_as_seen(one))


def _seen(stamped: StampedInput) -> ChipsSeen:
    """The chips that a reading reports."""
    assert isinstance(stamped.input, ChipsSeen), "chips move as their reader reports them"
    return stamped.input
