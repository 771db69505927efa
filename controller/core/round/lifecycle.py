"""A round's life: the lock, the cards, the chips, what becomes certain, the close.

An inferred fact waits until the readers have confirmed the layout up to the moment it speaks of: chips laid down before
a card are often reported after it, and nothing published is ever taken back.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.betting import acceptance, bet_sensors
from controller.core.betting.lock import (
    Bets,
    is_without_bets,
    keep_moved_zone,
    lock,
    lock_again,
    may_keys_be_forgotten,
    replace_bets,
)
from controller.core.certainty import deal_confirmation, face_down, hole_turn, shared_chips, uncertain_wagers
from controller.core.certainty.agreed_dues import (
    AgreedPlays,
    confirmation_needed_ns,
    confirmed_until_ns,
    consistent_with_hole,
    dispute_reopened,
    lock_confirmation_ns,
    publish,
)
from controller.core.certainty.rebuild import payment_began, rebuilt_with_hole, resume_if_cured
from controller.core.certainty.round_end import (
    chips_at_boxes,
    is_over,
    may_be_next_bet,
    payment_has_begun,
    played_zones,
    some_keyless_play_is_over,
)
from controller.core.certainty.side_wagers import settle_sides
from controller.core.game.hand import seen
from controller.core.game.wager import LockedWager
from controller.core.inference.fault_search import DEALERS_RULE
from controller.core.inference.lattice import TooManySequences
from controller.core.inference.observation import CardObserved, ChipsObserved, DatedObservation, KeyObserved
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    ChipsUnexplained,
    CloseRefused,
    InsuranceTooLarge,
)
from controller.core.messages.events import CardDrawn
from controller.core.progressives.live_meters import contribute_round
from controller.core.refusal_reason import RefusalReason
from controller.core.round import (
    closing,
    dropped_changes,
    early_doubles,
    late_bettors,
    missed_cards,
    passing_chips,
    questions,
    unheard_chips,
    unseen_moves,
)
from controller.core.round.irregular import likely_fault
from controller.core.table.layout import Zone, ZoneChange, cents_at, zone_name
from controller.core.table.payments import REACH_NS
from controller.core.table.round_state import Round, RoundCard
from controller.core.table.transaction import Transaction
from controller.core.table.workings import PublicationBasis, Timeline, are_identical
from firmware_protocols.cards import Card


def lock_deferred_bets(transaction: Transaction, ended: Round) -> None:
    """Lock the bets whose key came while the round before waited for its readers: what lay there at the key."""
    if ended.ending.next_lock_ns < 0 or not lock(transaction, ended.ending.next_lock_ns, ended.ending.next_moved):
        return
    transaction.change_bets(locked_by=ended.ending.next_locked_by)
    if ended.evidence.unheard:
        # What was not heard while that round waited may be of this one, whose bets were locked then.
        transaction.note_absence()
    for name, before in sorted(ended.ending.next_moved.items()):
        spot, _, zone = name.partition("/")
        after = cents_at(transaction.state.felt, int(spot), zone)
        if after != before and (zone == "main" or uncertain_wagers.is_before_deal_zone(transaction, zone)):
            _alert_of(transaction, ZoneChange(int(spot), zone, before, after))


_DENIED_AFTER_DEAL: Final = "it was said that its only box was not dealt in, once all cards of its deal had come"


def resolve_entry(transaction: Transaction, answer: str, who: str) -> None:
    """A person said whether a newcomer in mid shoe was dealt in; who was not is in no box of this round.

    P12 in docs/guide/floor.md (Procedures).
    """
    if late_bettors.is_asked_about(transaction):
        late_bettors.answered(transaction, answer, who)
        return
    spot, before = acceptance.entry_answered(transaction, answer, who), transaction.round()
    if spot:
        out = tuple(wager for wager in before.bets.wagers if wager.spot == spot)
        wagers = tuple(wager for wager in before.bets.wagers if wager.spot != spot)
        spots = tuple(one for one in before.bets.spots if one != spot)
        late_bettors.note_said_late(transaction, who, spot, "was not dealt in")
        if not spots and transaction.house.floor_claims_checked and transaction.round().is_dealt():
            # Who knows how it ended would void it.
            transaction.irregular(_DENIED_AFTER_DEAL)
            if transaction.house.payments_bounded:
                # What is wagered is the floor's to rule on.
                acceptance.ask_or_publish_lock(transaction)
            return
        replace_bets(transaction, Bets(spots, wagers, before.bets.declared, (*before.bets.refused, *out)))
    if transaction.state.round is not None and not transaction.round().questions.entry:
        acceptance.ask_or_publish_lock(transaction)


# --- evidence ---------------------------------------------------------------------------------------


def take_card(transaction: Transaction, face: Card | None, since_ns: int, at_ns: int) -> None:
    """A card of the round left the shoe between two moments, and not before the last one did."""
    missed_cards.note_next_card(transaction, at_ns)
    early_doubles.note_card(transaction, at_ns)
    stamped, round_now = transaction.stamped, transaction.round()
    place = len(round_now.cards.drawn)
    kept = RoundCard(stamped.number, face, stamped.nonce, unread=face is None and not stamped.closed)
    transaction.change_cards(
        drawn=(*round_now.cards.drawn, kept), lying=chips_at_boxes(transaction, round_now), replaced=()
    )
    deal_confirmation.card_came(transaction, at_ns)
    transaction.emit(CardDrawn(round_now.number, stamped.number, place, stamped.commitment))
    if kept.unread:
        # There is no face to keep closed.
        transaction.open_card(place)
    first_ns, observed = (
        _first_moment(round_now, transaction.times(), since_ns, at_ns),
        transaction.round().remembered_card(place),
    )
    transaction.observe(DatedObservation(first_ns, at_ns, CardObserved(observed), stamped.number), may_drop=False)


def _first_moment(round_now: Round, times: Timeline, since_ns: int, at_ns: int) -> int:
    """The first moment at which the next card, reported at ``at_ns``, may have left the shoe: after the last one."""
    return min(at_ns, max(since_ns, round_now.bets.lock_ns, times.last_card_ns))


def take_key(transaction: Transaction, action: str, box: int | None, at_ns: int) -> None:
    """A key that is evidence."""
    transaction.observe(
        DatedObservation(at_ns, at_ns, KeyObserved(action, box), transaction.stamped.number), may_drop=False
    )
    if action == "hole_turned" and transaction.round().is_dealt() and not transaction.round().cards.turn_key:
        transaction.change_cards(turn_key=transaction.stamped.number)


def take_chips(transaction: Transaction, change: ZoneChange, first_ns: int, last_ns: int) -> None:
    """The chips of a zone changed while a round is open."""
    deal_confirmation.chips_came(transaction, last_ns)
    round_now = transaction.round()
    lay_there = change.settles and 0 <= change.since_ns < round_now.bets.lock_ns and not round_now.bets.shared.zones_of
    in_time = not round_now.bets.locked and (lay_there or uncertain_wagers.in_time(round_now, first_ns, last_ns))
    if in_time:
        shared_chips.forget(transaction)
        lock_again(transaction)
        return
    if shared_chips.only_places_chip(transaction, change, last_ns):
        if change.since_ns >= 0:
            lock_again(transaction)
        return
    if shared_chips.may_be_lost_chip(transaction, change):
        keep_moved_zone(transaction, change, first_ns)
        return
    if _changed_around_lock(transaction, change, first_ns, last_ns):
        return
    keep_moved_zone(transaction, change, first_ns)
    if acceptance.is_handed_back(round_now, change):
        return
    late_bettors.note_late_bet(transaction, change, first_ns)
    boxed = change.spot in round_now.bets.spots
    # What no play takes for a wager now may be one once the floor has corrected the up card.
    played = played_zones(transaction)
    if round_now.evidence.trouble and not (boxed and change.zone in played):
        return
    kept = boxed and change.zone in played
    if kept:
        explained = _observe_chips(transaction, change, first_ns, last_ns)
    else:
        explained = (
            payment_has_begun(transaction)
            or (boxed and round_now.cards.turned)
            or acceptance.is_side_wager_taken(transaction, change)
        )
    # What a chip that may lie elsewhere makes of it shows once that is known.
    if not explained and not (kept and shared_chips.may_be_incomplete(transaction.state.felt, change)):
        rise = passing_chips.withdrawn_rise(transaction, change) if kept else None
        if rise is not None and isinstance(rise.item, ChipsObserved):
            came = ZoneChange(change.spot, change.zone, rise.item.before, rise.item.after)
            report_unexplained(transaction, came, rise.first_ns, rise.last_ns)
        report_unexplained(transaction, change, first_ns, last_ns)


def _observe_chips(transaction: Transaction, change: ZoneChange, first_ns: int, last_ns: int) -> bool:
    """Take a change in a zone that tells how a box is played; whether a play explains it."""
    trouble, earlier = transaction.round().evidence.trouble, transaction.lattice()
    item = ChipsObserved(transaction.round().bets.spots.index(change.spot), change.zone, change.before, change.after)
    counted = _since_counted(transaction, item)
    item = early_doubles.follow(
        transaction, unheard_chips.with_unheard(transaction, counted) if item.before else counted
    )
    observation = DatedObservation(first_ns, last_ns, item, transaction.stamped.number)
    unseen_moves.note_lifted(transaction, item)
    if unseen_moves.take_laid_back(transaction, observation) or unseen_moves.take_handed_back(transaction, observation):
        return True
    explained = transaction.observe(observation, may_drop=True)
    if item.idle:
        unseen_moves.note_laid_back(transaction, item)
        return bool(trouble)
    explained = unseen_moves.take_several_changes(transaction, earlier, observation, explained=explained) or explained
    explained = (
        unseen_moves.take_back_at_card(transaction, observation, explained=explained)
        or (explained and unseen_moves.take_passed(transaction, observation))
        or unseen_moves.take_thought_better(transaction, observation, explained=explained)
        or explained
    )
    if not explained:
        missed_cards.ask_if_settled_before_card(transaction, observation)
    if not explained or trouble:
        return explained
    if unheard_chips.is_wager_doubtful(transaction, observation):
        spot = change.spot
        transaction.irregular(f"what spot {spot} had bet is not known: a part of it may have lain there unheard")
        return True
    dropped_changes.take_up_again(transaction, observation)
    early_doubles.note_reported(transaction)
    if change.zone == "insurance":
        if not transaction.house.slips_awaited:
            _check_insurance(transaction, change)
    elif any(node.offers for node in transaction.lattice().frontier):
        acceptance.check_after_deal_limit(transaction, change)
    return True


def _since_counted(transaction: Transaction, item: ChipsObserved) -> ChipsObserved:
    """Chips that came, from what lay there before some left and no play explained it: laid back they are no double."""
    if not transaction.house.moves_reconsidered or item.after <= item.before:
        return item
    before = item.before
    for known in reversed(transaction.round().evidence.observations):
        if (here := known.chips_at(item.box, item.zone)) is not None:
            if not here.idle:
                break
            if here.after > here.before:
                # What came then without counting lies there, or was taken back.
                return item
            before = here.before
    return replace(item, before=before, idle=before == item.after)


def take_exchanged_chips(transaction: Transaction, zone: Zone, first_ns: int, last_ns: int) -> None:
    """Other chips than before lie in a zone, and come to the same while a round is open."""
    round_now = transaction.round()
    if not round_now.bets.locked and uncertain_wagers.in_time(round_now, first_ns, last_ns):
        # A chip that only this antenna still heard, and now does no more, may count in the wagers.
        lock_again(transaction)
    else:
        unseen_moves.take_exchanged_chips(transaction, zone, first_ns, last_ns)


def _changed_around_lock(transaction: Transaction, change: ZoneChange, first_ns: int, last_ns: int) -> bool:
    """Take a change of a bet that may have come before the lock or after it; false where it is no such change."""
    round_now = transaction.round()
    if change.zone != "main" and not uncertain_wagers.is_before_deal_zone(transaction, change.zone):
        return False
    if round_now.bets.locked:
        unseen = uncertain_wagers.unseen_at_lock(round_now, change, first_ns)
        if unseen:
            _laid_unseen(transaction, change)
        return unseen
    if not uncertain_wagers.holds_first_card(round_now, first_ns, last_ns):
        return False
    if change.zone == "main" and uncertain_wagers.may_be_play(round_now, change, last_ns - REACH_NS):
        transaction.irregular(
            f"what spot {change.spot} had bet is not known: its chips were changed before the first card, "
            "or after the deal"
        )
        return True
    if change.zone != "main":
        uncertain_wagers.note_possible_amounts(transaction, change)
    lock_again(transaction)
    return True


def report_unexplained(transaction: Transaction, change: ZoneChange, first_ns: int, last_ns: int) -> None:
    """Say what a change looks like that no play explains; it may be the next bets."""
    after_next_lock = 0 <= transaction.round().ending.next_lock_ns <= first_ns
    next_bet = may_be_next_bet(transaction, change.zone, last_ns)
    of_nobody = next_bet or shared_chips.only_removes_shared(transaction, change)
    if not after_next_lock and not of_nobody:
        if may_keys_be_forgotten(transaction) and some_keyless_play_is_over(transaction):
            # What is paid here looks like chips taken from a hand in play.
            transaction.note_absence()
        _alert_of(transaction, change)


def _laid_unseen(transaction: Transaction, change: ZoneChange) -> None:
    """Chips that may have lain there at the lock, reported by a reader that was lost then.

    A side wager stays open between both amounts. With a main wager it is uncertain who was dealt to, and for how much.
    """
    if change.zone == "main":
        transaction.irregular(
            f"what lay at spot {change.spot} when the bets were locked is not known: its reader was lost"
        )
        return
    uncertain_wagers.note_possible_amounts(transaction, change)
    transaction.emit(*uncertain_wagers.events_after_lock(transaction.round(), change))
    reason = "its reader was lost when the bets were locked, and what it tells now may have lain there then"
    transaction.emit(*transaction.disputes(reason, lambda row: (row.spot, row.bet) == (change.spot, change.zone)))


def _check_insurance(transaction: Transaction, change: ZoneChange) -> None:
    """More on the insurance line than the card allows, as journals of before have it: while the offer is open."""
    box = transaction.round().bets.spots.index(change.spot)
    most = transaction.rules.insurance_cap_cents(transaction.round().main_wagers()[box])
    if change.after > most and any(node.offers for node in transaction.lattice().frontier):
        transaction.emit_when_shown(InsuranceTooLarge(transaction.round().number, change.spot, change.after, most))


def came_before_payment(transaction: Transaction, face: Card | None, since_ns: int, at_ns: int) -> bool:
    """Whether a late card may have left the shoe before what ended the round in every play: it then did not."""
    round_now = transaction.round()
    first_ns = _first_moment(round_now, transaction.times(), since_ns, at_ns)
    if (
        first_ns == at_ns
        or face is None
        or round_now.evidence.trouble
        or round_now.ending.closing
        or not is_over(transaction)
    ):
        return False
    if round_now.must_ignore_faces():
        return False
    try:
        lattice = transaction.lattice().observe(
            DatedObservation(first_ns, at_ns, CardObserved(seen(len(round_now.cards.drawn), face)))
        )
    except TooManySequences:
        return False
    return transaction.legal(lattice)


def refute_payment(transaction: Transaction) -> None:
    """A card comes where payment has begun: if the hole card says that it cannot have, the chips meant nothing."""
    round_now = transaction.round()
    waiting = (
        round_now.evidence.trouble or round_now.ending.closing or round_now.is_suspended() or round_now.hides_faces()
    )
    waiting = waiting or not hole_turn.hole_card_known(transaction)
    if waiting or not round_now.is_dealt() or not payment_has_begun(transaction):
        return
    transaction.turn_hole()
    if not transaction.legal(transaction.lattice()):
        rebuilt_with_hole(transaction, confirmed_until_ns(transaction))


def _alert_of(transaction: Transaction, change: ZoneChange) -> None:
    """A change that means nothing: say what it looks like. The locked wagers stand."""
    round_now = transaction.round()
    fields = (round_now.number, change.spot, change.zone, change.before, change.after)
    refused = acceptance.alert_not_offered(transaction, change)
    if refused is not None:
        transaction.emit_guarded(refused)
        # What is no wager may be handed back.
        transaction.change_bets(refused=(*round_now.bets.refused, LockedWager(change.spot, change.zone, change.after)))
    elif change.zone == "insurance":
        if change.after > change.before or _was_touched(transaction, change.spot, change.zone):
            transaction.emit_when_shown(ChipsUnexplained(*fields))
    elif not round_now.is_dealt() or change.spot not in round_now.bets.spots:
        transaction.emit_guarded(
            BetIncreasedAfterLock(*fields) if change.after > change.before else BetDecreasedAfterLock(*fields)
        )
    else:
        transaction.emit_when_shown(ChipsUnexplained(*fields))


# --- what becomes certain ---------------------------------------------------------------------------


def review(transaction: Transaction) -> None:
    """Publish what has become certain; close the round if it was to be closed."""
    if transaction.state.round is None:
        return
    uncertain_wagers.drop_known_zones(transaction)
    until = confirmed_until_ns(transaction)
    if (
        not transaction.round().bets.locked
        and until >= lock_confirmation_ns(transaction.round())
        and _lock_is_clear(transaction)
    ):
        _confirm_lock(transaction)
    _go_on(transaction, until)


def _confirm_lock(transaction: Transaction) -> None:
    """What lay there at the lock is known; of a chip that two antennas heard, too, at which of them it lies.

    That is so also where no amount changed as one antenna heard it no more.
    """
    shared = transaction.round().bets.shared
    if (shared.zones_of and not shared.lost) or is_without_bets(transaction):
        lock_again(transaction)
    if transaction.state.round is not None:
        transaction.change_bets(locked=True)
        acceptance.lock_confirmed(transaction)


def _go_on(transaction: Transaction, until: int) -> None:
    """Tell what is known of the open round, and close it where its close was pressed."""
    if transaction.state.round is None:
        return
    missed_cards.withdraw_if_needless(transaction)
    if transaction.round().is_suspended():
        return
    deal_confirmation.review(transaction)
    late_bettors.review(transaction, until)
    missed_cards.ask_if_miscounted(transaction, until)
    if transaction.round().is_suspended():
        return
    round_now = transaction.round()
    if round_now.dealing.resumes and round_now.cards.turn_key and round_now.is_dealt():
        transaction.turn_hole()
        resume_if_cured(transaction)
        round_now = transaction.round()
    if round_now.bets.locked and not round_now.bets.contributed:
        contribute_round(transaction)
    if not round_now.evidence.trouble and round_now.waits_for_card():
        if round_now.ending.closing:
            _refuse_or_give_up(transaction)
        return
    if not round_now.evidence.trouble and round_now.bets.locked:
        _infer(transaction, until)
    face_down.release_withheld(transaction)
    if transaction.round().ending.closing and (may_close(transaction) or transaction.round().awaits_only_turn()):
        if closing.accepts_close(transaction):
            close_round(transaction)
            # Bets locked while it waited are reported as soon as they are known.
            review(transaction)
        else:
            _refuse_close(transaction)


def _lock_is_clear(transaction: Transaction) -> bool:
    """Whether sensors have said what they count, and of no chip it is open of which wager it is."""
    return bet_sensors.all_counted(transaction) and not shared_chips.lock_waits(transaction)


def close_round(transaction: Transaction) -> None:
    """End the round; lock the next one if its key came meanwhile."""
    ended = transaction.round()
    contribute_round(transaction)
    if deal_confirmation.broke_off(ended):
        closing.close_after_broken_deal(transaction)
        lock_deferred_bets(transaction, ended)
        return
    if deal_confirmation.ends_unturned(transaction):
        closing.close_with_hole_unturned(transaction)
        lock_deferred_bets(transaction, ended)
        return
    if transaction.round().dealing.resumes and transaction.round().is_dealt():
        transaction.turn_hole()
        resume_if_cured(transaction)
    closing.settle_round(transaction)
    lock_deferred_bets(transaction, ended)


def _refuse_or_give_up(transaction: Transaction) -> None:
    """The close was pressed while a card is unread: said once, done the second time."""
    if transaction.round().ending.close_refused:
        close_round(transaction)
        return
    transaction.change_ending(closing=False, close_refused=True, next_lock_ns=-1, next_moved={})
    transaction.emit(
        CloseRefused(
            transaction.round().number,
            "a card is unread; pressed again it hands the round to the floor",
            "card_unread",
        )
    )


def _refuse_close(transaction: Transaction) -> None:
    """The close was pressed while no play can be over: the hole card must not be opened for a slip of the finger."""
    transaction.change_ending(closing=False, close_refused=True, next_lock_ns=-1, next_moved={})
    why = (
        RefusalReason("hole_card_not_turned", "the hole card has not been turned")
        if transaction.round().hides_faces()
        else RefusalReason("no_legal_play", "no legal play is over yet")
    )
    text = f"{why.text}; pressed again it hands the round to the floor"
    transaction.emit(CloseRefused(transaction.round().number, text, why.code))


def may_close(transaction: Transaction) -> bool:
    """Whether a round that was closed can be judged: the readers have reported all of it, or the floor must rule."""
    is_observed = confirmed_until_ns(transaction) >= confirmation_needed_ns(transaction) and bet_sensors.all_counted(
        transaction
    )
    return bool(transaction.round().evidence.trouble) or (not transaction.round().is_suspended() and is_observed)


def _infer(transaction: Transaction, until: int) -> None:
    """Open what lies face up and publish what follows from everything known up to ``until``."""
    before = transaction.round()
    face_down.detect_show(transaction)
    face_down.open_face_up(transaction)
    view = transaction.lattice().as_of(until)
    if transaction.round().hides_faces():
        face_down.publish_deal(transaction, view)
        return
    face_down.release_withheld(transaction)
    # It was asked before, and is asked again of what has been opened since.
    if transaction.round() is not before and transaction.round().waits_for_card():
        return
    if not view.frontier and hole_turn.hole_card_known(transaction) and payment_began(transaction):
        view = rebuilt_with_hole(transaction, until)
    if not view.frontier:
        if missed_cards.ask_after_hit(transaction):
            return
        transaction.irregular(
            "no legal play explains the evidence",
            curable=True,
            likely=likely_fault(transaction.rules, transaction.round()),
        )
        return
    hole_turn.turn_if_shown(transaction, view)
    points = transaction.hole_points()
    frontier = consistent_with_hole(view.frontier, points)
    if not frontier:
        view = rebuilt_with_hole(transaction, until)
        frontier = consistent_with_hole(view.frontier, points)
    if not frontier:
        transaction.irregular(DEALERS_RULE, curable=True, likely=likely_fault(transaction.rules, transaction.round()))
    else:
        judged = AgreedPlays(view, frontier, points)
        _tell_certain(transaction, judged, until)
        questions.consider(transaction, points)


def _tell_certain(transaction: Transaction, judged: AgreedPlays, until: int) -> None:
    """Publish what follows from a lattice of everything known up to ``until``."""
    known, before, rests_on = transaction.published, transaction.state, _rests_on(transaction, judged)
    is_new = not are_identical(known.rests_on, rests_on)
    if not is_new and known.confirmed:
        return
    # Whether the readers have confirmed everything reported so far.
    confirmed = until >= confirmation_needed_ns(transaction)
    if not (is_new or confirmed):
        return
    dealt = len(judged.lattice.cards) >= judged.lattice.game.deal_cards and bool(judged.frontier) and _dealt(judged)
    if is_new:
        publish(transaction, judged)
        if dealt:
            settle_sides(transaction, judged, closed=False)
    if dealt and confirmed:
        dispute_reopened(transaction)
    if transaction.state is not before:
        rests_on = _rests_on(transaction, judged)
    transaction.published = PublicationBasis(rests_on, confirmed)


def _rests_on(transaction: Transaction, judged: AgreedPlays) -> tuple[object, ...]:
    """All that decides what ``_tell_certain`` tells: where nothing of it has changed nothing is left to tell.

    Every correction rebuilds the lattice, and then its last cut is another value. In the deal the cards that
    have come since that cut make another game, but nothing that is published then depends on it.
    """
    state, round_now, found = transaction.state, transaction.round(), judged.lattice
    bets, evidence, last = round_now.bets, round_now.evidence, found.cuts[-1]
    game = found.game if last.cards >= found.game.deal_cards else None
    published = (evidence.published, round_now.ending.settled, state.books, state.progressives)
    wagers = (bets.wagers, bets.declared, bets.uncertain, bets.lost_zones)
    return (last, game, judged.points, transaction.house, *published, *wagers, evidence.outages)


def _dealt(judged: AgreedPlays) -> bool:
    """Whether the readers have confirmed the layout up to the end of the deal."""
    return all(node.dealt == judged.lattice.game.deal_cards for node in judged.frontier)


def _was_touched(transaction: Transaction, spot: int, zone: str) -> bool:
    """Whether a zone has been touched before in the open round; else what leaves it is no wager of this round."""
    paid = transaction.state.payments_of(transaction.round().number)
    return paid is not None and zone_name(spot, zone) in paid.touched
