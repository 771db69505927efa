"""A round's first card that neither key nor chips show to be one: the quiet before it and its deal's rhythm say it.

Where nothing is pressed a hand that stood without a sign, and a push whose chips are let lie, look like a hand still
in play, so the next round's first card looks like its hit. So a card after a quiet time, in a round that may be over,
waits for what follows it, a second or two; what it is dealt with is what it then was. As many cards as a deal to the
boxes where wagers lie now, as evenly as the deals before, and then a pause are a deal: players do not hit as dealers
deal. Of a deal to two boxes or more one card may come late, if not as late as after a pause. As many cards, but not
as evenly, are a deal if the open round could not take them. Where the dealer's key turns the hole card, payment must
be seen besides; the dealer forgot that key, and the next two.

No face that is hidden decides it, and the round before ends without opening any: its hole card stays closed if
nothing turned it, its open wagers are the floor's, and an alert says so.
"""

from __future__ import annotations

from enum import Enum
from itertools import pairwise
from typing import Final, NamedTuple

from msgspec.structs import replace

from controller.core.betting import lock
from controller.core.certainty import deal_confirmation, round_end, shared_chips
from controller.core.certainty.rebuild import rebuild_with_outages
from controller.core.game.hand import deal_cards
from controller.core.game.position import BoxStatus
from controller.core.inference.lattice import TooManySequences
from controller.core.inference.observation import ChipsObserved, DatedObservation
from controller.core.messages.inputs import DeadlinePassed, StampedInput
from controller.core.messages.raised_alerts import AlertKind
from controller.core.round import closing, first_card, lifecycle, missed_cards, raised_chips, unseen_moves
from controller.core.table.alert_list import raise_alert
from controller.core.table.layout import Zone, zone_name
from controller.core.table.round_state import Round
from controller.core.table.state import Table
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, ChipsSeen, KeyPressed

_MAY_FALTER: Final = 6
"""In the cards of a deal to two boxes the dealer may falter once: as many hits are never dealt that evenly."""

_FEW_GAPS: Final = 10
"""Fewer gaps do not show a dealer's rhythm well: they may all have been short ones."""

_LONGEST_PAUSE: Final = 2
"""A dealer may falter in a deal for so many times the gap that otherwise ends one: then people are asked."""

_STOP_NS: Final = 3_000_000_000
"""So long a dealer may stop in a deal at the least, however quickly he deals otherwise."""

_LATE_PER_MILLE: Final = 1_500
"""A card of the deal comes late if so much more than the average gap of the last deals lies before it."""

_LATE_WHERE_DOUBTED_PER_MILLE: Final = 1_750
"""The same where few gaps are known, or a key has said that the round is over."""

_DEALT_TO_NS: Final = 4_000_000_000
"""So soon after its chips were laid a hand that is split or doubled gets its card."""

_NO_BOX: Final = deal_cards(0, hole=True)
"""The dealer's own cards of a deal."""

_LARGEST: Final = deal_cards(7, hole=True)
"""The cards of a deal to seven boxes."""


def is_or_may_be_first(transaction: Transaction, drawn: CardDrawn) -> bool:
    """Whether a card of an open round is the next one's first, or may be."""
    if transaction.state.round is None or transaction.state.deferred or drawn.burn:
        return False
    return first_card.ended_by_card(transaction, transaction.table_ns(drawn.at_ns)) or may_begin(transaction)


def may_begin(transaction: Transaction) -> bool:
    """Whether a card may be the next round's first although nothing shows that the open one is over."""
    drawn, round_now = transaction.stamped.input, transaction.state.round
    if (
        not isinstance(drawn, CardDrawn)
        or drawn.burn
        or drawn.since_ns >= 0
        or transaction.state.burns
        or round_now is None
    ):
        return False
    if round_now.ending.closing or (
        not _unexplained(round_now) and (round_now.is_suspended() or not round_now.is_dealt())
    ):
        return False
    at_ns, options = transaction.table_ns(drawn.at_ns), round_now.options(transaction.rules)
    quiet = at_ns - round_now.dealing.last_ns >= (
        deal_confirmation.AFTER_PUSH_NS if transaction.house.deals_by_number else deal_confirmation.BETWEEN_ROUNDS_NS
    )
    if not deal_confirmation.guards_hole_card(transaction.rules) or not deal_confirmation.usual_ms(transaction):
        return False
    if options.turn_key != "sometimes" and not _turn_forgotten(transaction):
        return False
    changed = unseen_moves.wagers_may_be_changed(transaction) or bool(raised_chips.picked_up(transaction))
    if not (quiet or changed or _may_have_bet_anew(transaction)):
        return False
    may_be_over = (
        _unexplained(round_now)
        or round_now.evidence.trouble
        or round_now.must_ignore_faces()
        or round_end.some_play_is_over(transaction)
        or (transaction.state.keyless and round_end.some_keyless_play_is_over(transaction))
    )
    return bool(may_be_over) and (
        _unexplained(round_now) or changed or not first_card.ended_by_card(transaction, at_ns)
    )


def _may_have_bet_anew(transaction: Transaction) -> bool:
    """Whether, since the last card, other chips have come to where a wager may have been taken."""
    round_now, last_ns = transaction.round(), transaction.times().cards_until_ns
    if not transaction.house.moves_reconsidered or not round_now.cards.replaced:
        return False
    unseen = (one for one in round_now.evidence.outages if not one.reader and not one.open() and one.hides("main"))
    return any(one.to_ns > last_ns for one in unseen) or _lies_less_anew(transaction)


def _lies_less_anew(transaction: Transaction) -> bool:
    """Whether at some box less lies than before, in other chips than at the last card: a split's rest, or the next bet.

    What lies there in other chips has come since that card.
    """
    if not transaction.house.parts_reckoned:
        return False
    round_now, felt = transaction.round(), transaction.state.felt
    replaced = set(round_now.cards.replaced)
    moves = ((spot, raised_chips.last_move(round_now, box)) for box, spot in enumerate(round_now.bets.spots))
    return any(
        moved is not None
        and 0 < moved[1].after < moved[1].before
        and set(felt[zone_name(spot, "main")].chips) <= replaced
        for spot, moved in moves
    )


def _unexplained(round_now: Round) -> bool:
    """Whether neither the number of its cards nor a play says that the round is over.

    A question holds it that nobody has answered, or it can no longer be known which boxes are dealt to.
    """
    return bool(round_now.first_blocking()) or shared_chips.boxes_are_lost(round_now)


def _turn_forgotten(transaction: Transaction) -> bool:
    """Whether payment shows that the dealer forgot the key of the turn; players' chips alone would say too little."""
    if _unexplained(transaction.round()):
        return round_end.boxes_are_cleared(transaction)
    if transaction.house.turns_keyed and transaction.round().must_ignore_faces():
        # A box that was declared in vain makes the hole card a player's, whose payment it would then decide.
        return round_end.is_over(transaction)
    return round_end.payment_has_begun(transaction) or round_end.is_over(transaction)


class DealVerdict(Enum):
    """What the cards that wait are."""

    DEAL = "deal"
    """A deal: the first of them begins a round."""
    BY_NUMBER = "by_number"
    """A deal, if every reader has told what lay there before them: no play of the open round takes them all."""
    PERHAPS = "perhaps"
    """As many as a deal has, with a pause among them, or a quick player's card after them, or a double just before."""
    NONE = "none"


class Rhythm(NamedTuple):
    """The dealer's rhythm."""

    gap_ns: int
    """How long no card comes at the end of a deal."""
    longest_gap_ms: int
    """The longest gap before a card that is not late for a deal."""
    longest_pause_ns: int
    """For how long the dealer may stop in a deal."""

    def is_late(self, gap_ns: int) -> bool:
        """Whether a card that comes so long after the one before is late for a deal."""
        return gap_ns // 1_000_000 > self.longest_gap_ms


def judged_by_rhythm(table: Table, deferred: tuple[StampedInput, ...]) -> DealVerdict | None:
    """What the cards that wait are by their deal's rhythm; None: that is not known yet."""
    transaction = Transaction(table, deferred[0])
    sizes, changed = _deal_sizes(transaction, deferred), unseen_moves.wagers_may_be_changed(transaction)
    rhythm = Rhythm(deal_confirmation.gap_ns(transaction), _longest_gap_ms(transaction), _longest_pause_ns(transaction))
    even = by_number = [_is_deal_of(cards, transaction, deferred, rhythm) for cards in sizes]
    if transaction.house.deals_by_number:
        by_number = [_is_deal_of(cards, transaction, deferred, rhythm, by_number=True) for cards in sizes]
        # Chips have shown already that a deal may come, so that it need not be even.
        even = by_number if changed else even
    if True in even:
        of_round = _may_be_owed(transaction) or _may_be_drawn(transaction, deferred, sizes[even.index(True)])
        return DealVerdict.PERHAPS if of_round else DealVerdict.DEAL
    if True in by_number:
        return _judged_by_number(transaction, deferred, sizes[by_number.index(True)])
    paused = [_is_deal_of(cards, transaction, deferred, rhythm, pauses=1) for cards in sizes]
    if None in by_number or None in paused:
        return None
    stops_short = _stops_short(deferred, sizes)
    doubtful = _may_have_stopped(transaction, deferred, rhythm) if stops_short else changed
    return DealVerdict.PERHAPS if doubtful or True in paused else DealVerdict.NONE


def _judged_by_number(transaction: Transaction, deferred: tuple[StampedInput, ...], cards: int) -> DealVerdict:
    """What as many cards as a deal has are, though not dealt evenly: a deal where no play of the open round takes them.

    Where their faces may decide nothing a person says it.
    """
    round_now = transaction.round()
    undecided = _unexplained(round_now) or round_now.must_ignore_faces() or _may_have_bet_anew(transaction)
    of_round = _may_be_owed(transaction) or _may_be_drawn(transaction, deferred, cards)
    if undecided or of_round or _raised_meanwhile(transaction, deferred):
        return DealVerdict.PERHAPS
    return DealVerdict.BY_NUMBER


def _raised_meanwhile(transaction: Transaction, deferred: tuple[StampedInput, ...]) -> bool:
    """Whether a reader has told since of chips added to a wager of the open round: a split or double takes cards."""
    lying = {spot: transaction.state.felt.get(zone_name(spot, "main")) for spot in transaction.round().bets.spots}
    reported = (*deferred, *(one.last for one in transaction.state.moving))
    for seen in (one.input for one in reported if isinstance(one.input, ChipsSeen) and one.input.zone == "main"):
        zone = lying.get(seen.spot)
        if zone is not None and not set(zone.chips).isdisjoint(seen.chips) and set(seen.chips) - set(zone.chips):
            return True
    return False


def _stops_short(deferred: tuple[StampedInput, ...], sizes: tuple[int, ...]) -> bool:
    """Whether a long pause follows fewer cards than any deal has: no deal goes on after it."""
    cards = sum(isinstance(one.input, CardDrawn) for one in deferred)
    return isinstance(deferred[-1].input, DeadlinePassed) and cards < min(sizes)


def _may_have_stopped(transaction: Transaction, deferred: tuple[StampedInput, ...], rhythm: Rhythm) -> bool:
    """Whether a dealer may have stopped for long after the first cards of a deal, and they are none of the open round.

    One card is a hit if some play takes it. So are more of them, but where what lies there may be the next bets and
    there was no other pause; and where one look showed those in the wager's place, as of a double, in a deal's rhythm.
    """
    if not transaction.house.slips_reckoned:
        return False
    cards_ns = [one.input.at_ns for one in deferred if isinstance(one.input, CardDrawn)]
    gaps_ns = [later - sooner for sooner, later in pairwise(cards_ns)]
    if gaps_ns and max(gaps_ns) < rhythm.gap_ns:
        late = any(map(rhythm.is_late, gaps_ns))
        if unseen_moves.wagers_may_be_changed(transaction) or (not late and _lie_anew(transaction)):
            return True
    return _takes_none(transaction, deferred)


def _lie_anew(transaction: Transaction) -> bool:
    """Whether in the place of some wager no chip is left of those that lay there at the last card, and others lie."""
    round_now, felt = transaction.round(), transaction.state.felt
    zones = (felt.get(zone_name(spot, "main")) for spot in round_now.bets.spots)
    replaced = set(round_now.cards.replaced)
    return any(zone is not None and zone.chips and set(zone.chips) <= replaced for zone in zones)


def _takes_none(transaction: Transaction, deferred: tuple[StampedInput, ...]) -> bool:
    """Whether no play of the open round takes the cards that wait, which are fewer than those of a deal.

    Where chips have moved meanwhile at a box it is not known what they make of the play.
    """
    round_now = transaction.round()
    moved = (one.input for one in (*deferred, *(one.last for one in transaction.state.moving)))
    spots = {seen.spot for seen in moved if isinstance(seen, ChipsSeen) and seen.zone == "main" and seen.chips}
    if round_now.must_ignore_faces() or not spots.isdisjoint(round_now.bets.spots):
        return False
    faces = (one.input.face for one in deferred if isinstance(one.input, CardDrawn))
    played = Transaction(transaction.table(), transaction.stamped)
    unseen_moves.take_as_changed(played)
    return not round_end.takes_cards(played, tuple(face for face in faces if face is not None))


def _longest_pause_ns(transaction: Transaction) -> int:
    """For how long a dealer may stop in a deal, so that people are asked."""
    longest_ns = _LONGEST_PAUSE * deal_confirmation.gap_ns(transaction)
    return max(longest_ns, _STOP_NS) if transaction.house.slips_reckoned else longest_ns


def _may_be_owed(transaction: Transaction) -> bool:
    """Whether the cards may be those of a hand that has just been split or doubled: the next deal follows no chips."""
    round_now, drawn = transaction.round(), transaction.stamped.input
    assert isinstance(drawn, CardDrawn), "a card began the wait"
    raises = (
        one.last_ns
        for one in round_now.evidence.observations
        if isinstance(one.item, ChipsObserved) and one.item.zone == "main" and one.item.before < one.item.after
    )
    soon = transaction.table_ns(drawn.at_ns) - max(raises, default=0) < _DEALT_TO_NS
    return soon and round_end.owes_card(transaction)


def _may_be_drawn(transaction: Transaction, deferred: tuple[StampedInput, ...], cards: int) -> bool:
    """Whether as many cards as a deal has are as well those of the open round: a dealer draws as evenly as he deals.

    By the faces of all but the last, which is the hole card if they are a deal; where the hands lie face down, by their
    number. Not where other chips lie in a wager's place. A hand that was raised long ago has got its card.
    """
    round_now = transaction.round()
    if not transaction.house.moves_reconsidered or _unexplained(round_now) or _may_have_bet_anew(transaction):
        return False
    if round_now.must_ignore_faces():
        # Who pays or takes nothing leaves everything as it lies, and so does a dealer who still draws.
        by_number = transaction.house.deals_by_number and bool(round_now.cards.face_down)
        return by_number and not _have_moved(transaction, deferred)
    drawn = [one.input for one in deferred if isinstance(one.input, CardDrawn)][: cards - 1]
    faces = tuple(one.face for one in drawn if one.face is not None)
    played, hits = Transaction(transaction.table(), transaction.stamped), None
    if unseen_moves.leave_as_dealt(played):
        # Next bets lie there, it seems: then players would have to hit as evenly as dealers deal.
        hits = 1
    # Where one was not read, who takes all of them takes the others at least.
    return round_end.may_take_cards(played, faces, hits=hits)


def _have_moved(transaction: Transaction, deferred: tuple[StampedInput, ...]) -> bool:
    """Whether chips have moved between the last card of the open round and the first that waits."""
    deal, first_ns = transaction.round().dealing, deferred[0].at_ns
    reported_late = any(isinstance(one.input, ChipsSeen) and one.input.after_ns < first_ns for one in deferred)
    return deal.stirred_ns > deal.last_ns or reported_late


def _is_deal_of(
    cards: int,
    transaction: Transaction,
    deferred: tuple[StampedInput, ...],
    rhythm: Rhythm,
    pauses: int = 0,
    *,
    by_number: bool = False,
) -> bool | None:
    """Whether the cards that wait are a deal of this number of cards, with so many pauses among them.

    ``by_number``: none of them is late for a deal, short of a pause, nor must a pause follow them: its first player may
    have hit at once.
    """
    gap_ns, drawn, last_ns, late = rhythm.gap_ns, 0, 0, 0
    # Bets of which a reader has still to tell may lie there.
    untold = cards == _NO_BOX
    for one in deferred:
        match one.input:
            case CardDrawn(at_ns, _, burn, since_ns=since_ns):
                paused = drawn > 0 and at_ns - last_ns >= gap_ns
                if paused and pauses and drawn < cards and at_ns - last_ns < rhythm.longest_pause_ns:
                    pauses -= 1
                elif paused or drawn == (_LARGEST if untold else cards):
                    follows_late = bool(pauses) and rhythm.is_late(at_ns - last_ns)
                    return (paused or follows_late or by_number) and not untold and drawn == cards
                elif drawn:
                    late += rhythm.is_late(at_ns - last_ns)
                drawn, last_ns = drawn + 1, at_ns
                if burn or since_ns >= 0 or (not by_number and late > int(cards >= _MAY_FALTER)):
                    return False
            case DeadlinePassed(at_ns) if at_ns - last_ns >= (
                rhythm.longest_pause_ns if pauses and drawn < cards else gap_ns
            ):
                return not untold and drawn == cards
            case KeyPressed(_, key) if transaction.house.keys.get(key) == "round_closed":
                # Of the last round too it may be pressed late.
                pass
            case KeyPressed(_, key):
                by_key = transaction.house.keys.get(key) == "no_more_bets"
                return by_key and not untold and drawn == cards
            case _:
                pass
    return None


def is_whole(table: Table, deferred: tuple[StampedInput, ...]) -> bool:
    """Whether the cards that wait are as many as a deal's, where nothing can tell any more that a pause follows them.

    Cards that the shoe does not report then are the new round's.
    """
    drawn = sum(isinstance(one.input, CardDrawn) for one in deferred)
    return drawn > _NO_BOX and drawn in _deal_sizes(Transaction(table, deferred[0]), deferred)


def _average_ms(transaction: Transaction) -> int:
    """The average gap of the last deals; a pause in one counts as twice the usual gap.

    Where few are known, a confirmed deal's last gaps count too, for they were in the rhythm of the others.
    """
    gaps, most_ms = transaction.state.deal_gaps_ms, 2 * deal_confirmation.usual_ms(transaction)
    if len(gaps) < _FEW_GAPS:
        gaps = (*gaps, *deal_confirmation.last_gaps_ms(transaction))
    return sum(min(gap, most_ms) for gap in gaps) // len(gaps)


def _longest_gap_ms(transaction: Transaction) -> int:
    """The longest gap before a card that is not late for a deal."""
    few, ending = len(transaction.state.deal_gaps_ms) < _FEW_GAPS, transaction.round().ending
    doubted = few or ending.close_refused or bool(ending.next_bets)
    per_mille = _LATE_WHERE_DOUBTED_PER_MILLE if doubted else _LATE_PER_MILLE
    return _average_ms(transaction) * per_mille // 1000


def _deal_sizes(transaction: Transaction, deferred: tuple[StampedInput, ...]) -> tuple[int, ...]:
    """The cards of a deal to the boxes where main wagers lie when the first of these comes.

    Whoever hears a chip that lies at another spot's line has no box by it. Of chips that two antennas had heard before
    it is not known at which of them they lie, so that there may be fewer boxes.
    """
    first = deferred[0].input
    assert isinstance(first, CardDrawn), "a card began the wait"
    spots = {wager.spot for wager in lock.bets_on_layout(transaction) if wager.bet == "main"}
    lying = {zone.spot: zone.chips for zone in transaction.state.felt.values() if zone.name == "main"}
    for one in deferred:
        seen = one.input
        if isinstance(seen, ChipsSeen) and seen.zone == "main" and seen.after_ns < first.at_ns:
            lying[seen.spot] = seen.chips
            known = {chip for chip in seen.chips if transaction.house.chips.get(chip)}
            beside = {chip for spot in spots - {seen.spot} for chip in lying.get(spot, ())}
            if not known:
                spots -= {seen.spot}
            elif not known <= beside:
                spots |= {seen.spot}
    spots |= {box.spot for box in transaction.state.declared}
    fewer = spots - {spot for spot in spots if _may_lie_beside(spot, spots, lying)}
    return tuple(deal_cards(boxes, hole=True) for boxes in range(len(fewer), len(spots) + 1))


def _may_lie_beside(spot: int, spots: set[int], lying: dict[int, tuple[str, ...]]) -> bool:
    """Whether every chip that is heard at a spot is heard at another one, too."""
    beside = {chip for other in spots - {spot} for chip in lying.get(other, ())}
    return bool(lying.get(spot)) and beside.issuperset(lying[spot])


def deadline_ns(table: Table) -> int:
    """When the clock is to say that no more of the cards that wait have come, in table time.

    First when a deal is over, then when the dealer falters no more.
    """
    transaction = Transaction(table, table.state.deferred[0])
    cards = [one.input.at_ns for one in table.state.deferred if isinstance(one.input, CardDrawn)]
    last_ns, gap_ns = transaction.table_ns(cards[-1]), deal_confirmation.gap_ns(transaction)
    passed = (one.input.at_ns for one in table.state.deferred if isinstance(one.input, DeadlinePassed))
    if not any(at_ns >= cards[-1] + gap_ns for at_ns in passed):
        return last_ns + gap_ns
    return last_ns + _longest_pause_ns(transaction)


def close_at_next_deal(transaction: Transaction) -> None:
    """The next round's first card comes, and nothing had shown that the open one was over: it ends as it is known."""
    if unseen_moves.take_left_as_next_bets(transaction):
        # Had nothing been taken for what is left of a double, they would have said so before the deal.
        lifecycle.close_round(transaction)
        return
    round_now = transaction.round()
    text = f"the next deal began before anything showed that round {round_now.number} was over; see what is open of it"
    raise_alert(transaction, AlertKind.ROUND_UNENDED, text, round=round_now.number)
    if people := transaction.state.people_of(round_now.number):
        # Had their word been another, the cards that follow might be this round's still.
        deal_confirmation.note_ended_by_word(transaction, people)
    if unanswered := closing.unanswered_reason(round_now):
        transaction.irregular(unanswered)
    if round_now.dealing.unturned() and deal_confirmation.turn_needs_no_key(transaction):
        closing.close_leaving_wagers_open(transaction)
    else:
        lifecycle.close_round(transaction)


def note_possible_next_bet(transaction: Transaction, before: Zone, after: Zone, first_ns: int, last_ns: int) -> None:
    """Other chips lie in the place of a wager and come to the same.

    Where the wager may have been lost or given up they may be the next bet: what happened there counts as unseen.
    """
    round_now = transaction.round()
    if after.name != "main" or after.spot not in round_now.bets.spots or not round_now.bets.locked:
        return
    if round_now.evidence.trouble or not round_now.is_dealt():
        return
    may_be_another = (
        may_be_next_bet(transaction, before, after, face_down=False)
        or _may_be_given_up(transaction, before, after, first_ns, last_ns)
        or _may_be_broken_hands(transaction, before, after, last_ns)
    )
    if not may_be_another:
        return
    unseen = round_now.main_zone_outage(round_now.bets.spots.index(after.spot), first_ns, last_ns)
    unseen = replace(unseen, exchanged=True, cleared=transaction.house.movements_joined)
    rebuild_with_outages(transaction, (*round_now.evidence.outages, unseen))
    missed_cards.ask_if_bet_before_card(transaction, first_ns, last_ns)


def _may_be_broken_hands(transaction: Transaction, before: Zone, after: Zone, last_ns: int) -> bool:
    """Whether other chips lie in the place of a broken hand's, which the house takes at once: they are the next bet.

    By what was known when they came: a card that has come since is nobody's while a broken hand's chips lie there.
    """
    round_now = transaction.round()
    if not transaction.house.second_readings_kept or not set(after.chips).isdisjoint(before.chips):
        return False
    box, lattice = round_now.bets.spots.index(after.spot), transaction.lattice()
    plays = lattice.as_of(last_ns) if transaction.house.movements_joined else lattice
    return any(node.boxes[box].bust_on_layout for node in plays.frontier)


def _may_be_given_up(transaction: Transaction, before: Zone, after: Zone, first_ns: int, last_ns: int) -> bool:
    """Whether other chips lie in the place of a wager that its player may have surrendered between two looks.

    Where every decision has its key, that of the surrender tells.
    """
    round_now = transaction.round()
    if not transaction.house.moves_reconsidered or round_now.hides_faces():
        return False
    if round_now.options(transaction.rules).stand_key == "always" or not set(after.chips).isdisjoint(before.chips):
        return False
    box = round_now.bets.spots.index(after.spot)
    taken = DatedObservation(first_ns, last_ns, ChipsObserved(box, "main", before.cents, 0))
    try:
        plays = transaction.lattice().observe(taken).frontier
    except TooManySequences:
        return True
    return any(node.boxes[box].kind is BoxStatus.SURRENDERED for node in plays)


def may_be_next_bet(
    transaction: Transaction, before: ChipsSeen | Zone, seen: ChipsSeen | Zone, *, face_down: bool
) -> bool:
    """Whether other chips that lie in a wager's place may be its player's next bet: the wager may have been taken.

    ``face_down``: what is said where hands lie so, as how long chips wait follows from no face.
    """
    if not transaction.house.moves_reconsidered or not seen.chips or not set(seen.chips).isdisjoint(before.chips):
        return False
    if transaction.round().hides_faces():
        return face_down and not _turn_key_missing(transaction)
    return may_be_taken(transaction)


def may_be_taken(transaction: Transaction) -> bool:
    """Whether losing wagers may be taken: some play is over, and no key that must turn the hole card is missing."""
    return not _turn_key_missing(transaction) and round_end.some_play_is_over(transaction)


def _turn_key_missing(transaction: Transaction) -> bool:
    """Whether the key that must turn the hole card has still to come."""
    return transaction.round().dealing.unturned() and not deal_confirmation.turn_needs_no_key(transaction)
