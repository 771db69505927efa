"""What may have happened at a box between two looks of its reader: more than one move, or the next bet.

A slow reader shows several moves as one change, and chips that lie in place of all that lay there may be the same wager
or another's. What cannot be told apart counts as unseen: every course that comes to what lies there now is kept.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.certainty.rebuild import rebuild_with_more_plays, rebuild_with_outages
from controller.core.certainty.round_end import boxes_are_cleared, lies_as_dealt, some_play_was_over
from controller.core.certainty.shared_chips import boxes_are_lost
from controller.core.game.position import BoxStatus, Node
from controller.core.inference.dues import main_due
from controller.core.inference.lattice import Lattice, OutcomesByBox, join
from controller.core.inference.observation import (
    CardObserved,
    ChipsObserved,
    DatedMove,
    DatedObservation,
    KeyObserved,
    idle,
    main_moves,
)
from controller.core.inference.unobserved import Outage
from controller.core.round import dropped_changes
from controller.core.round.raised_chips import (
    holds_card,
    is_beside_natural,
    is_of,
    is_soon,
    last_move,
    leaves_wager,
    may_be_changed,
    may_have_been_doubled,
    may_have_been_raised,
    may_have_passed,
    may_play,
    picked_up,
    rise_before,
    rise_taken_back,
    went_unseen,
)
from controller.core.table.layout import Zone, exceeds_one_move, zone_name
from controller.core.table.payments import REACH_NS
from controller.core.table.transaction import Transaction

_RAISES: Final = frozenset({"double", "split"})
"""Keys that say that chips were laid for more."""


def take_several_changes(
    transaction: Transaction, earlier: Lattice, observation: DatedObservation, *, explained: bool
) -> bool:
    """Whether a change is what several moves with a card between them came to between two looks of a slow reader.

    A pair that is split, dealt to and split again; a hand that is doubled, breaks and is cleared away, perhaps for the
    next bet. Then what happened at the box between these looks counts as unseen. ``earlier`` is the lattice without it,
    ``explained`` whether it was taken for one move.

    Whether a hand was doubled unseen is asked wherever the looks leave time for it, unless every decision is keyed and
    no double was since the look before: that the bets were locked by a key says nothing of the keys of the play.
    """
    round_now, item = transaction.round(), observation.item
    if not isinstance(item, ChipsObserved) or item.zone != "main" or not round_now.is_dealt():
        return False
    if round_now.evidence.trouble or transaction.has_unread_card(observation):
        return False
    two_moves = observation.last_ns - observation.first_ns > REACH_NS
    if item.after and two_moves and _is_cleared(transaction, round_now.bets.spots[item.box]):
        # What lies there may be the next bet, laid as soon as the wager was gone.
        return _happened_unseen(transaction, earlier, round_now.evidence.observations[:-1], observation)
    is_one_move = explained and not exceeds_one_move(item.before, item.after)
    if item.after == 0 or _may_be_split(earlier, item.box) or _may_be_split(transaction.lattice(), item.box):
        # A double that was keyed may have broken and been cleared away before a look found its chips; of a split two
        # hands may have been doubled.
        keyed = _is_keyed(transaction, observation.first_ns)
        if keyed and explained and transaction.legal(transaction.lattice()):
            return False
    elif item.after <= item.before or (is_one_move and transaction.legal(transaction.lattice())):
        return False
    if not holds_card(round_now, observation.first_ns, observation.last_ns):
        return False
    return _happened_unseen(transaction, earlier, round_now.evidence.observations[:-1], observation)


def note_lifted(transaction: Transaction, item: ChipsObserved) -> None:
    """Keep which chips may have lain in a main zone that is emptied: its own may come back."""
    if item.zone == "main" and not item.after:
        transaction.change_cards(lifted=transaction.round().cards.lying)


def take_laid_back(transaction: Transaction, observation: DatedObservation) -> bool:
    """Whether a change is a wager laid back whole that was taken for given up, by its own chips or others for as much.

    The dealer who takes a surrendered wager gives half of it back: its chips do not all come again, and others may be
    its player's next bet. Then what happened at the box meanwhile counts as unseen.
    """
    round_now, item = transaction.round(), observation.item
    if not transaction.house.words_confirmed or not isinstance(item, ChipsObserved) or item.zone != "main":
        return False
    spot, before = round_now.bets.spots[item.box], round_now.evidence.observations
    own = set(transaction.state.felt[zone_name(spot, "main")].chips) <= set(round_now.cards.lifted)
    if item.before:
        return False
    gone = next((one for one in reversed(before) if _may_lie_again(transaction, one, item)), None)
    if gone is None:
        return False
    # Where no other wager lies as it did at the last card, all may have been settled, unless the dealer draws still.
    goes_on = any(lies_as_dealt(transaction, one) for one in round_now.bets.spots) or (
        transaction.house.deals_by_number and not some_play_was_over(transaction, observation.last_ns)
    )
    if not (own or (goes_on and is_soon(transaction, gone, observation) and may_be_changed(transaction, gone))):
        return False
    # Other chips in the place of a broken hand's may be the next bet.
    bets_again = transaction.house.second_readings_kept and not own
    broke = any(node.boxes[item.box].kind is BoxStatus.BROKEN for node in transaction.lattice().frontier)
    _take_as_changed(transaction, (gone, observation), exchanged=bets_again and broke)
    return True


def _may_lie_again(transaction: Transaction, gone: DatedObservation, item: ChipsObserved) -> bool:
    """Whether chips in an empty zone come to what had left it, or to twice as much with what a double or split adds.

    A double for less may add less, where a surrender may explain that the wager left, and no broken hand.
    """
    left = gone.chips_at(item.box, "main")
    if left is None or left != replace(item, before=left.before, after=0):
        return False
    if item.after == left.before or (transaction.house.looks_reckoned and item.after == 2 * left.before):
        return True
    if not (transaction.house.second_readings_kept and left.before < item.after < 2 * left.before):
        return False
    kinds = {node.boxes[item.box].kind for node in transaction.lattice().frontier}
    return BoxStatus.SURRENDERED in kinds and BoxStatus.BROKEN not in kinds


def _take_as_changed(
    transaction: Transaction, *changed: tuple[DatedObservation, DatedObservation], exchanged: bool = False
) -> None:
    """Take what went and what came as the same wagers: what happened at their boxes meanwhile counts as unseen.

    ``exchanged``: as in ``Outage``.
    """
    round_now, moved = transaction.round(), [one for pair in changed for one in pair]
    kept = [one for one in round_now.evidence.observations if not any(is_of(one, other) for other in moved)]
    unseen = list[Outage]()
    for gone, back in changed:
        went, came = gone.item, back.item
        assert isinstance(went, ChipsObserved), "chips moved"
        assert isinstance(came, ChipsObserved), "chips moved"
        outage = round_now.main_zone_outage(came.box, gone.first_ns, back.last_ns)
        unseen.append(replace(outage, exchanged=exchanged, cleared=exchanged and transaction.house.movements_joined))
        if went.before != came.after:
            kept.append(replace(back, item=replace(came, before=went.before)))
    transaction.change_evidence(observations=tuple(kept))
    rebuild_with_outages(transaction, (*round_now.evidence.outages, *unseen))


def wagers_may_be_changed(transaction: Transaction) -> bool:
    """Whether what came as the next bet may as well be a wager of the open round whose player changed his chips."""
    return bool(_changed_wagers(transaction))


def take_as_changed(transaction: Transaction) -> None:
    """The cards that follow are no deal: what came as the next bets are the open round's wagers still.

    What came beside them as a payment, and was picked up, may have passed.
    """
    changed = (*_changed_wagers(transaction), *picked_up(transaction))
    if transaction.house.wagers_followed and changed:
        _take_as_changed(transaction, *changed)
        return
    for pair in changed:
        _take_as_changed(transaction, pair)


def leave_as_dealt(transaction: Transaction) -> bool:
    """Take what went and what came as the same wagers, with which nothing was done meanwhile; whether there are any."""
    moved = [one for pair in _changed_wagers(transaction) for one in pair]
    if not moved:
        return False
    evidence = transaction.round().evidence
    kept = tuple(one for one in evidence.observations if all(one is not other for other in moved))
    transaction.change_evidence(observations=kept)
    rebuild_with_outages(transaction, evidence.outages)
    return True


def _changed_wagers(transaction: Transaction) -> tuple[tuple[DatedObservation, DatedObservation], ...]:
    """The wagers that went and came again in other chips, each time: the changes before and after."""
    round_now = transaction.state.round
    if not transaction.house.deals_by_number or round_now is None:
        return ()
    if (
        round_now.evidence.trouble
        or not round_now.is_dealt()
        or round_now.first_blocking()
        or boxes_are_lost(round_now)
    ):
        # Nothing is settled by these chips in any case.
        return ()
    moves = main_moves(round_now.evidence.observations)
    return tuple(pair for box in sorted(moves) for pair in _changed_at(transaction, moves[box], box))


def _changed_at(
    transaction: Transaction, here: list[DatedMove], box: int
) -> list[tuple[DatedObservation, DatedObservation]]:
    """Each time that a box's wager went and as much came, one after another to the end; what then comes doubles it."""
    wager = transaction.round().main_wagers()[box]
    while here and 0 < here[-1][1].before < here[-1][1].after:
        here.pop()
        if not transaction.house.movements_joined:
            break
    pairs = list[tuple[DatedObservation, DatedObservation]]()
    while len(here) > 1:
        (gone, went), (back, came) = here[-2:]
        # With what a double or split adds it is twice as much, where one look shows both; for less, not as much.
        may_be_doubled = not pairs and went.before == wager
        for_less = wager < came.after < 2 * wager and _may_be_for_less(transaction, gone, box)
        is_as_much = came.after == went.before or (may_be_doubled and (for_less or came.after == 2 * wager))
        is_as_much = is_as_much and not went.after and not came.before
        if not (is_as_much and is_soon(transaction, gone, back)):
            break
        pairs, here = [(gone, back), *pairs], here[:-2]
    return pairs if pairs and may_be_changed(transaction, pairs[0][0]) else []


def _may_be_for_less(transaction: Transaction, gone: DatedObservation, box: int) -> bool:
    """Whether a wager that left may be back, doubled for less: not where its hand may have broken by then."""
    plays = transaction.lattice().as_of(gone.last_ns).frontier
    return transaction.house.movements_joined and all(node.boxes[box].kind is not BoxStatus.BROKEN for node in plays)


def take_handed_back(transaction: Transaction, observation: DatedObservation) -> bool:
    """Whether a change hands back what was too much of a double or split, so that both changes together are one.

    The rise alone can be no double, and counts as a payment or the next bet; what stays of it was laid with it.
    """
    found, item = rise_before(transaction, observation), observation.item
    if not transaction.house.looks_reckoned or found is None or not isinstance(item, ChipsObserved):
        return False
    came, rise = found
    wager = transaction.round().main_wagers()[rise.box]
    if rise.after - rise.before <= wager or not rise.before < item.after < rise.after:
        return False
    if transaction.house.wagers_followed and went_unseen(transaction.round(), came, rise.box):
        # It was more than one move, a split and a double: a broken hand may have been taken since.
        return False
    return _take_as_one(transaction, came, observation)


def take_back_at_card(transaction: Transaction, observation: DatedObservation, *, explained: bool) -> bool:
    """Whether a fall may take back of a double or split what was laid before its card, which lies between its looks.

    Before that card the hand is as it was; after it all that was laid stands, and who took it back has pinched it. Both
    are kept. So is that a double was taken back in a deal that is not confirmed, whose faces may decide nothing yet, or
    at once what was laid in several movements.
    """
    item, round_now = observation.item, transaction.round()
    found = rise_taken_back(transaction, observation) if transaction.house.falls_at_cards else None
    if found is None or not isinstance(item, ChipsObserved):
        return False
    came, rise = found
    evidence = round_now.evidence.observations
    meanwhile = [one for one in evidence if came.first_ns <= one.last_ns and one.first_ns <= observation.last_ns]
    keys = [(one.first_ns, one.item.action) for one in meanwhile if isinstance(one.item, KeyObserved)]
    if any(action in _RAISES or came.last_ns < at_ns <= observation.first_ns for at_ns, action in keys):
        # What was keyed stands, and so does what lay there when the next decision was.
        return False
    at_card = bool(keys) or any(isinstance(one.item, CardObserved) for one in meanwhile)
    in_parts = rise.after != item.before
    raised = (in_parts or round_now.hides_faces()) and may_have_been_raised(transaction.lattice(), came, item.box)
    # What no play explains was taken back whatever the hand.
    raised = raised or (transaction.house.second_readings_kept and in_parts and not explained)
    moves = [replace(item, takes_back=True)]
    if item.after < rise.before:
        # With its card the hand may have broken, and been cleared away.
        at_card, raised = holds_card(round_now, observation.first_ns, observation.last_ns), False
        moves = [replace(item, after=rise.before, takes_back=True), replace(item, before=rise.before)]
    if not (at_card or raised):
        return False
    falls = [replace(observation, item=one) for one in moves]
    known = tuple(one for old in evidence for one in (falls if is_of(old, observation) else (old,)))
    stands = tuple(replace(one, item=idle(one.item)) if is_of(one, observation) else one for one in evidence)
    if not _adds_plays(transaction, known, stands):
        return False
    rebuild_with_more_plays(transaction, known)
    return True


def _adds_plays(
    transaction: Transaction, known: tuple[DatedObservation, ...], stands: tuple[DatedObservation, ...]
) -> bool:
    """Whether some play by what is ``known`` is none where all that was laid ``stands``, nor one of the round as it is.

    Also where that leaves too much open to be followed in time.
    """
    lattices = [transaction.lattice(), *(transaction.lattice().with_evidence(one) for one in (stands, known))]
    more = lattices.pop()
    if more is None:
        return True
    plays: dict[Node, OutcomesByBox] = {}
    for lattice in filter(None, lattices):
        for node, outcomes in lattice.frontier.items():
            join(plays, node, outcomes)
    before = dict(plays)
    for node, outcomes in more.frontier.items():
        join(plays, node, outcomes)
    return plays != before


def take_thought_better(transaction: Transaction, observation: DatedObservation, *, explained: bool) -> bool:
    """Whether a change that no play explains goes on with a double or split before its card: both changes are one.

    Some of it is taken back, in whatever chips, or the rest of it is laid. What lies there as the card comes counts.
    Where some play takes it for a payment that was picked up, of a part or of what no play owes, both may be so.
    """
    found, item = rise_before(transaction, observation), observation.item
    if not transaction.house.doubles_awaited or found is None or not isinstance(item, ChipsObserved):
        return False
    came, rise = found
    round_now, is_taken_back = transaction.round(), item.after < rise.after
    if not rise.before <= item.after <= rise.before + round_now.main_wagers()[rise.box]:
        return False
    unseen = went_unseen(round_now, came, rise.box)
    if (unseen and not transaction.house.raises_withdrawn) or (rise.idle and is_taken_back):
        # Of what no play explains either nothing is known but that it was taken back.
        return False
    if not explained and _lies_as_before(transaction, came, rise.box):
        # What came and went is reported.
        return False
    others = (one for one in round_now.evidence.observations if not isinstance(one.item, ChipsObserved))
    if any(came.first_ns < one.last_ns and one.first_ns < observation.last_ns for one in others):
        return False
    if not explained and not unseen:
        is_one = _take_as_one(transaction, came, observation)
        if is_one and transaction.house.parts_reckoned:
            dropped_changes.forget_unexplained(transaction, came)
        return is_one
    # Laid in other chips for the whole it may have been the next bet too.
    part = rise.after - rise.before < rise.before
    # A play in which it was laid before its turn explains it, whatever its hand; one at its turn must, too.
    early = transaction.house.second_readings_kept and (rise.waits or rise.follows)
    doubtful = not explained or part or early or _may_be_withdrawn(transaction, came, rise)
    if doubtful and is_taken_back and may_play(transaction, came, rise.box):
        _take_as_changed(transaction, (came, observation))
        if transaction.house.falls_at_cards and round_now.must_ignore_faces():
            _note_left(transaction, item.box)
        return True
    return False


def take_passed(transaction: Transaction, observation: DatedObservation) -> bool:
    """Whether chips that leave a box soon as they came were no double of its hand, and maybe no wager at all.

    The plays that explain them as the next bet, after an end of the box that was not seen, or as a payment, stay beside
    those in which they only passed.
    """
    found, item = rise_before(transaction, observation), observation.item
    if not transaction.house.second_readings_kept or transaction.round().evidence.trouble:
        return False
    if found is None or not isinstance(item, ChipsObserved):
        return False
    came, rise = found
    if item.after != rise.before or not is_soon(transaction, came, observation):
        return False
    may_pass = may_play(transaction, came, rise.box) and may_have_passed(transaction, came, observation)
    if not may_pass and not is_beside_natural(transaction, rise):
        return False
    _take_as_changed(transaction, (came, observation))
    return True


def _lies_as_before(transaction: Transaction, came: DatedObservation, box: int) -> bool:
    """Whether the chips of a box's main zone are those that lay there before others ``came`` for a while."""
    round_now = transaction.round()
    spot = round_now.bets.spots[box]
    left = set(transaction.state.felt[zone_name(spot, "main")].chips)
    visits = (one for one in round_now.evidence.visits if (one.spot, one.zone) == (spot, "main"))
    if transaction.house.parts_reckoned:
        visits = (one for one in visits if one.from_ns >= came.first_ns)
    return any(set(one.lay) == left for one in visits)


def _may_be_withdrawn(transaction: Transaction, came: DatedObservation, rise: ChipsObserved) -> bool:
    """Whether what came as a whole double and left may have been one: it was not owed if its hand loses."""
    round_now, box = transaction.round(), rise.box
    whole = rise.after - rise.before <= round_now.main_wagers()[box]
    if not transaction.house.raises_withdrawn or not whole or round_now.hides_faces():
        return False
    lattice, points = transaction.lattice(), transaction.hole_points()
    if transaction.house.falls_at_cards:
        # A hand that wins as it is may be doubled or split all the same.
        return may_have_been_raised(lattice, came, box)
    if not may_have_been_doubled(lattice, came, box):
        return False
    unknown = points is None and round_now.cards.hole_dealt
    holes = range(1, 11) if unknown else (points,)
    return any(cents < 0 for hole in holes for cents in main_due(lattice, lattice.frontier, box, hole).cents())


def _take_as_one(transaction: Transaction, came: DatedObservation, observation: DatedObservation) -> bool:
    """Take a rise and the change after it as one change; whether some play explains that."""
    round_now, item, rise = transaction.round(), observation.item, came.item
    assert isinstance(item, ChipsObserved), "chips moved"
    assert isinstance(rise, ChipsObserved), "chips moved"
    before = transaction.savepoint()
    known = round_now.evidence.observations
    kept = tuple(one for one in known if one is not came and not is_of(one, observation))
    transaction.change_evidence(observations=kept)
    rebuild_with_outages(transaction, round_now.evidence.outages)
    both = replace(observation, item=replace(item, before=rise.before, unheard=rise.unheard))
    if transaction.house.doubles_dated:
        # What stays was laid with the rise, maybe before a card that came since.
        both = replace(both, first_ns=came.first_ns)
    if rise.before == item.after or transaction.observe(both, may_drop=True):
        if transaction.house.slips_reckoned and item.after < item.before:
            # It may be handed back in other chips for the whole: what lies there is the wager still.
            _note_left(transaction, item.box)
        return True
    transaction.roll_back(before)
    return False


def _note_left(transaction: Transaction, box: int) -> None:
    """Keep that what lies in a box's main zone is its wager still."""
    left = transaction.state.felt[zone_name(transaction.round().bets.spots[box], "main")].chips
    transaction.change_cards(replaced=(*transaction.round().cards.replaced, *left))


def note_laid_back(transaction: Transaction, item: ChipsObserved) -> None:
    """Keep that a wager which left unexplained lies again, in whatever chips, while another lies as it was dealt to."""
    goes_on = any(lies_as_dealt(transaction, spot) for spot in transaction.round().bets.spots)
    if transaction.house.movements_joined and item.before == item.after and goes_on:
        _note_left(transaction, item.box)


def _may_be_split(lattice: Lattice, box: int) -> bool:
    """Whether several hands may be played at a box: the chips of some are taken while others are doubled.

    Where another box's chips have still to come no play explains all of the evidence: then by what some play explains.
    """
    plays = next((cut.frontier for cut in reversed(lattice.cuts) if cut.frontier), {})
    return any(
        node.boxes[box].busts_not_taken
        or (node.acting == box and len(node.hands) > 1)
        or any(len(outcome.hands) > 1 for outcome in outcomes[box])
        for node, outcomes in plays.items()
    )


def _happened_unseen(
    transaction: Transaction, earlier: Lattice, before: tuple[DatedObservation, ...], observation: DatedObservation
) -> bool:
    """Take a change of a main zone so that what happened there between its looks went unseen, if a play explains that.

    Where that leaves more open than the table can follow in time the round is irregular. ``earlier`` is the lattice of
    the evidence ``before`` it.
    """
    round_now, item = transaction.round(), observation.item
    assert isinstance(item, ChipsObserved), "chips moved"
    unseen = round_now.main_zone_outage(item.box, observation.first_ns, observation.last_ns)
    outages = (*round_now.evidence.outages, unseen)
    lattice = earlier.with_unseen(outages, observation)
    if lattice is None:
        transaction.irregular("too much went unseen to tell what was played", known=False)
        return True
    if transaction.legal(earlier) and not transaction.legal(lattice):
        # Else it is another reader that has still to tell of what comes first.
        return False
    transaction.change_lattice(lattice)
    transaction.change_evidence(observations=(*before, observation), outages=outages)
    return True


def take_exchanged_chips(transaction: Transaction, zone: Zone, first_ns: int, last_ns: int) -> None:
    """Other chips than before lie in a zone, and come to the same.

    They mean nothing, but where a card came between two looks. If a box's hand has broken and no chip is left of those
    that lay there, that hand was cleared away and they are the next bet. It may have been doubled before. Where more
    than the wager lies and a part of it was exchanged, the chips of one broken hand may have been taken and as many
    laid for another of its hands: then what happened there between the looks counts as unseen.
    """
    round_now = transaction.round()
    if zone.name != "main" or zone.spot not in round_now.bets.spots or not round_now.bets.locked:
        return
    if round_now.evidence.trouble or not round_now.is_dealt() or _is_keyed(transaction, first_ns):
        return
    if not holds_card(round_now, first_ns, last_ns):
        return
    box = round_now.bets.spots.index(zone.spot)
    if not _is_cleared(transaction, zone.spot):
        if zone.cents > round_now.main_wagers()[box]:
            unseen = round_now.main_zone_outage(box, first_ns, last_ns)
            rebuild_with_outages(transaction, (*round_now.evidence.outages, unseen))
        return
    if round_now.hides_faces():
        # Whether a hand broke is said by faces that nothing may depend on yet.
        return
    lattice = transaction.lattice()
    if all(node.boxes[box].kind is BoxStatus.BROKEN for node in lattice.frontier):
        cleared = ChipsObserved(box, zone.name, zone.cents, 0)
        observation = DatedObservation(first_ns, last_ns, cleared, transaction.stamped.number)
        if not transaction.has_unread_card(observation):
            _happened_unseen(transaction, lattice, round_now.evidence.observations, observation)


def note_replaced(transaction: Transaction, before: Zone, after: Zone) -> None:
    """Other chips lie in a box's main zone than all those that one look earlier lay there: they may be its wager still.

    A player changes his chips, or doubles or splits with others for the whole; a dealer takes a hand of a split from a
    chip that is worth several, and leaves change.
    """
    round_now = transaction.round()
    cards, at_box = round_now.cards, after.name == "main" and after.spot in round_now.bets.spots
    wager = {*cards.lying, *cards.replaced}
    may_stay = before.cents <= after.cents or (
        at_box and (_are_several(transaction, before, after) or _is_part_of_raise(transaction, before, after))
    )
    may_stay = may_stay or _may_be_taken_back(transaction)
    may_stay = may_stay and wager.isdisjoint(after.chips)
    if at_box and may_stay and not wager.isdisjoint(before.chips):
        transaction.change_cards(replaced=(*cards.replaced, *after.chips))


def _is_part_of_raise(transaction: Transaction, before: Zone, after: Zone) -> bool:
    """Whether what lay there was laid in other chips for the whole since the last card, and a wager's worth lies still.

    A double, say, that is made less in other chips again; who is paid beside a wager has its own chips there.
    """
    round_now = transaction.round()
    if not transaction.house.parts_reckoned or not round_now.bets.locked:
        return False
    wager_cents = round_now.main_wagers()[round_now.bets.spots.index(after.spot)]
    return set(before.chips) <= set(round_now.cards.replaced) and wager_cents <= after.cents < before.cents


def _are_several(transaction: Transaction, before: Zone, after: Zone) -> bool:
    """Whether wagers of several hands lay there as a card came, of which one at least may still lie."""
    round_now = transaction.round()
    if not transaction.house.raises_withdrawn or not round_now.bets.locked:
        return False
    box = round_now.bets.spots.index(after.spot)
    if not round_now.main_wagers()[box] <= after.cents < before.cents:
        return False
    seen, number = round_now.evidence.observations, transaction.stamped.number
    laid_ns = [one.last_ns for one in seen if one.chips_at(box, "main") is not None and one.number != number]
    # Else what lay there was a payment, say, or the next bet.
    return any(isinstance(one.item, CardObserved) and one.first_ns > max(laid_ns, default=-1) for one in seen)


def _may_be_taken_back(transaction: Transaction) -> bool:
    """Whether what is reported now may take back what was laid of a double or split, where faces lie hidden."""
    round_now = transaction.round()
    if not transaction.house.falls_at_cards or not round_now.must_ignore_faces():
        return False
    last = (one for one in round_now.evidence.observations if one.number == transaction.stamped.number)
    return any(leaves_wager(transaction, one) for one in last)


def take_left_as_next_bets(transaction: Transaction) -> bool:
    """Take what may have been left of a double for the next bet, as a deal follows; whether only such lie there."""
    round_now, left = transaction.round(), set[str]()
    if not transaction.house.falls_at_cards or not round_now.must_ignore_faces() or round_now.first_blocking():
        return False
    for box, spot in enumerate(round_now.bets.spots):
        moved = last_move(round_now, box)
        if moved is not None and leaves_wager(transaction, moved[0]):
            left.update(transaction.state.felt[zone_name(spot, "main")].chips)
    replaced = tuple(one for one in round_now.cards.replaced if one not in left)
    if replaced == round_now.cards.replaced:
        return False
    transaction.change_cards(replaced=replaced)
    return boxes_are_cleared(transaction)


def _is_keyed(transaction: Transaction, first_ns: int) -> bool:
    """Whether the dealer keys every decision, and keyed no double whose card came after a look: it has its chips.

    Whose procedure has a key for each decision presses *double* for every double. How much was laid no key says.
    """
    round_now = transaction.round()
    if round_now.options(transaction.rules).stand_key != "always":
        return False
    for known in reversed(round_now.evidence.observations):
        if isinstance(known.item, KeyObserved) and known.item.action == "double":
            return False
        if isinstance(known.item, CardObserved) and known.last_ns < first_ns:
            return True
    return True


def _is_cleared(transaction: Transaction, spot: int) -> bool:
    """Whether no chip of those at a box's main zone lay at the round's boxes when its last card was reported."""
    return set(transaction.state.felt[zone_name(spot, "main")].chips).isdisjoint(transaction.round().cards.lying)
