"""A round's life: the lock, the cards, the chips, what becomes certain, the close.

An inferred fact waits until the readers have confirmed the layout up to the moment it speaks of: chips laid down before
a card are often reported after it, and nothing published is ever taken back.
"""

from __future__ import annotations

from controller.core.betting import acceptance, bet_sensors
from controller.core.betting.lock import Bets, keep_moved, lock, lock_again, main_lies, play_with
from controller.core.certainty import deal_confirmation, face_down, hole_turn, shared_chips, uncertain_wagers
from controller.core.certainty.agreed_dues import (
    Judged,
    doubt_reopened,
    hole_points,
    known_until,
    latest,
    lock_known_ns,
    of_hole,
    publish,
)
from controller.core.certainty.rebuild import payment_began, remembered, resume, woven_with_hole
from controller.core.certainty.round_end import chips_at_boxes, is_over, next_bet, paying, played_zones
from controller.core.certainty.side_wagers import settle_sides
from controller.core.game.hand import seen
from controller.core.game.wager import LockedWager
from controller.core.inference.fault_search import DEALERS_RULE
from controller.core.inference.lattice import TooManyOrders
from controller.core.inference.observation import CardCame, ChipsMoved, Dated, KeySpoke
from controller.core.messages.alerts import (
    BetDecreasedAfterLock,
    BetIncreasedAfterLock,
    ChipsUnexplained,
    CloseRefused,
    InsuranceTooLarge,
)
from controller.core.messages.events import CardDrawn
from controller.core.progressives.live_meters import contribute_round
from controller.core.round import closing, missed_cards, questions
from controller.core.round.irregular import likely
from controller.core.table.layout import Change, cents_at
from controller.core.table.layout import key as layout_key
from controller.core.table.state import CardKept, Round
from controller.core.table.transaction import Desk
from controller.core.table.workings import Timeline, are
from firmware_protocols.cards import Card


def lock_put_off(desk: Desk, ended: Round) -> None:
    """Lock the bets whose key came while the round before waited for its readers: what lay there at the key."""
    if ended.next_lock_ns < 0 or not lock(desk, ended.next_lock_ns, ended.next_moved):
        return
    desk.change_round(locked_by=ended.next_locked_by)
    for name, before in sorted(ended.next_moved.items()):
        spot, _, zone = name.partition("/")
        after = cents_at(desk.state.felt, int(spot), zone)
        if after != before and (zone == "main" or uncertain_wagers.before_deal(desk, zone)):
            alert_of(desk, Change(int(spot), zone, before, after))


def let_in(desk: Desk, answer: str, who: str) -> None:
    """A person said whether a newcomer in mid shoe was dealt in; who was not is in no box of this round (P12)."""
    spot, before = acceptance.entry_answered(desk, answer, who), desk.round()
    if spot:
        out = tuple(wager for wager in before.wagers if wager.spot == spot)
        wagers = tuple(wager for wager in before.wagers if wager.spot != spot)
        spots = tuple(one for one in before.spots if one != spot)
        play_with(desk, Bets(spots, wagers, before.declared, (*before.refused, *out)))
    if desk.state.round is not None and not desk.round().entry:
        acceptance.ask_or_tell(desk)


# --- evidence ---------------------------------------------------------------------------------------


def card(desk: Desk, face: Card | None, since_ns: int, at_ns: int) -> None:
    """A card of the round left the shoe between two moments, and not before the last one did."""
    stamped = desk.stamped
    round_now = desk.round()
    place = len(round_now.cards)
    kept = CardKept(stamped.number, face, stamped.nonce, unread=face is None and not stamped.closed)
    desk.change_round(cards=(*round_now.cards, kept), lying=chips_at_boxes(desk, round_now))
    deal_confirmation.card_came(desk, at_ns)
    desk.tell(CardDrawn(round_now.number, stamped.number, place, stamped.commitment))
    if kept.unread:
        # There is no face to keep closed.
        desk.open_card(place)
    first_ns, told = first_moment(round_now, desk.times(), since_ns, at_ns), remembered(desk.round(), place)
    desk.observe(Dated(first_ns, at_ns, CardCame(told), stamped.number), may_drop=False)


def first_moment(round_now: Round, times: Timeline, since_ns: int, at_ns: int) -> int:
    """The first moment at which the next card, told at ``at_ns``, may have left the shoe: not before the last one."""
    return min(at_ns, max(since_ns, round_now.lock_ns, times.last_card_ns))


def key(desk: Desk, action: str, box: int | None, at_ns: int) -> None:
    """A key that is evidence."""
    desk.observe(Dated(at_ns, at_ns, KeySpoke(action, box), desk.stamped.number), may_drop=False)
    if action == "hole_turned" and desk.round().is_dealt() and not desk.round().turn_key:
        desk.change_round(turn_key=desk.stamped.number)


def chips(desk: Desk, change: Change, first_ns: int, last_ns: int) -> None:
    """The chips of a zone changed while a round is open."""
    deal_confirmation.chips_came(desk, last_ns)
    round_now = desk.round()
    lay_there = change.settles and 0 <= change.since_ns < round_now.lock_ns and not round_now.twice
    in_time = not round_now.locked and (lay_there or uncertain_wagers.in_time(round_now, first_ns, last_ns))
    if in_time:
        shared_chips.forget(desk)
        lock_again(desk)
        return
    if shared_chips.places(desk, change, last_ns):
        if change.since_ns >= 0:
            lock_again(desk)
        return
    if shared_chips.says_nothing(desk, change):
        keep_moved(desk, change, first_ns)
        return
    bets = change.zone == "main" or uncertain_wagers.before_deal(desk, change.zone)
    if not round_now.locked and bets and uncertain_wagers.holds_first_card(round_now, first_ns, last_ns):
        if change.zone != "main":
            uncertain_wagers.take(desk, change)
        lock_again(desk)
        return
    if bets and round_now.locked and uncertain_wagers.unseen_at_lock(round_now, change.spot, first_ns):
        laid_unseen(desk, change)
        return
    keep_moved(desk, change, first_ns)
    if acceptance.handed_back(round_now, change):
        return
    boxed = change.spot in round_now.spots
    # What no play takes for a wager now may be one once the floor has corrected the up card.
    played = played_zones(desk)
    if round_now.trouble and not (boxed and change.zone in played):
        return
    if boxed and change.zone in played:
        item = ChipsMoved(round_now.spots.index(change.spot), change.zone, change.before, change.after)
        explained = desk.observe(Dated(first_ns, last_ns, item, desk.stamped.number), may_drop=True)
        if explained and change.zone == "insurance" and not round_now.trouble:
            check_insurance(desk, change)
        elif explained and not round_now.trouble and any(node.offers for node in desk.lattice().frontier):
            acceptance.check_later(desk, change)
    else:
        explained = paying(desk) or (boxed and round_now.turned) or acceptance.side_taken(desk, change)
    after_next_lock = 0 <= round_now.next_lock_ns <= first_ns
    if not explained and not after_next_lock and not next_bet(desk, change.zone):
        alert_of(desk, change)


def laid_unseen(desk: Desk, change: Change) -> None:
    """Chips that may have lain there at the lock, told by a reader that was lost then.

    A side wager stays open between both amounts. With a main wager nobody can say who was dealt to, and for how much.
    """
    if change.zone == "main":
        desk.irregular(f"what lay at spot {change.spot} when the bets were locked is not known: its reader was lost")
        return
    uncertain_wagers.take(desk, change)
    desk.tell(*uncertain_wagers.told_late(desk.round(), change))
    reason = "its reader was lost when the bets were locked, and what it tells now may have lain there then"
    desk.tell(*desk.doubts(reason, lambda row: (row.spot, row.bet) == (change.spot, change.zone)))


def check_insurance(desk: Desk, change: Change) -> None:
    """More on the insurance line than the card allows is said while it can still be put right."""
    box = desk.round().spots.index(change.spot)
    most = desk.rules.insurance_cap_cents(desk.round().main_wagers()[box])
    if change.after > most and any(node.offers for node in desk.lattice().frontier):
        desk.tell_shown(InsuranceTooLarge(desk.round().number, change.spot, change.after, most))


def ended_by_card(desk: Desk, at_ns: int) -> bool:
    """Whether a card ends the open round: a key has said that it is over, or none can follow and no key need say so."""
    # A card that finds no wager begins no round: where it is not payment that says so, it may be one too many of this.
    paid = paying(desk) and not desk.round().dealing.unturned()
    dealt_to = desk.round().trouble or paid or main_lies(desk)
    return bool(desk.round().closing or dealt_to) and may_be_ended_by_card(desk, at_ns)


def may_be_ended_by_card(desk: Desk, at_ns: int) -> bool:
    """Whether a card that finds a wager of the next round ends the open one."""
    if desk.round().closing:
        return True
    by_chips = desk.round().rules(desk.rules).options.no_more_bets == "sometimes" and is_over(desk)
    return by_chips and deal_confirmation.may_end_by_card(desk, at_ns)


def came_before_payment(desk: Desk, face: Card | None, since_ns: int, at_ns: int) -> bool:
    """Whether a card told late may have left the shoe before what ended the round in every play: it then did not."""
    round_now = desk.round()
    first_ns = first_moment(round_now, desk.times(), since_ns, at_ns)
    if first_ns == at_ns or face is None or round_now.trouble or round_now.closing or not is_over(desk):
        return False
    if round_now.blind():
        return False
    try:
        found = desk.lattice().observe(Dated(first_ns, at_ns, CardCame(seen(len(round_now.cards), face))))
    except TooManyOrders:
        return False
    return desk.legal(found)


def refute_payment(desk: Desk) -> None:
    """A card comes where payment has begun: if the hole card says that it cannot have, the chips meant nothing."""
    round_now = desk.round()
    waiting = round_now.trouble or round_now.closing or round_now.held() or round_now.hides()
    waiting = waiting or not hole_turn.known(desk)
    if waiting or not round_now.is_dealt() or not paying(desk):
        return
    desk.turn_hole()
    if not desk.legal(desk.lattice()):
        woven_with_hole(desk, known_until(desk))


def alert_of(desk: Desk, change: Change) -> None:
    """A change that means nothing: say what it looks like. The locked wagers stand."""
    round_now = desk.round()
    fields = (round_now.number, change.spot, change.zone, change.before, change.after)
    refused = acceptance.not_offered(desk, change)
    if refused is not None:
        desk.tell_guarded(refused)
        # What is no wager may be handed back.
        desk.change_round(refused=(*round_now.refused, LockedWager(change.spot, change.zone, change.after)))
    elif change.zone == "insurance":
        if change.after > change.before or was_touched(desk, change.spot, change.zone):
            desk.tell_shown(ChipsUnexplained(*fields))
    elif not round_now.is_dealt() or change.spot not in round_now.spots:
        desk.tell_guarded(
            BetIncreasedAfterLock(*fields) if change.after > change.before else BetDecreasedAfterLock(*fields)
        )
    else:
        desk.tell_shown(ChipsUnexplained(*fields))


# --- what becomes certain ---------------------------------------------------------------------------


def review(desk: Desk) -> None:
    """Publish what has become certain; close the round if it was to be closed."""
    if desk.state.round is None:
        return
    uncertain_wagers.look(desk)
    until = known_until(desk)
    if not desk.round().locked and until >= lock_known_ns(desk.round()) and lock_is_clear(desk):
        desk.change_round(locked=True)
        acceptance.confirmed(desk)
    missed_cards.withdraw_if_needless(desk)
    if desk.round().held():
        return
    deal_confirmation.review(desk)
    if desk.round().dealing.resumes and desk.round().turn_key and desk.round().is_dealt():
        desk.turn_hole()
        resume(desk)
    round_now = desk.round()
    if round_now.locked and not round_now.contributed:
        contribute_round(desk)
    if not round_now.trouble and round_now.waits_for_card():
        if round_now.closing:
            refuse_or_give_up(desk)
        return
    if not round_now.trouble and round_now.locked:
        infer(desk, until)
    face_down.release(desk)
    if desk.round().closing and (may_close(desk) or closing.lacks_turn(desk.round())):
        if closing.may_be_over(desk):
            close(desk)
            # Bets locked while it waited are told as soon as they are known.
            review(desk)
        else:
            refuse_close(desk)


def lock_is_clear(desk: Desk) -> bool:
    """Whether sensors have said what they count, and of no chip it is open of which wager it is."""
    return bet_sensors.all_counted(desk) and not shared_chips.waits(desk)


def close(desk: Desk) -> None:
    """End the round; lock the next one if its key came meanwhile."""
    ended = desk.round()
    contribute_round(desk)
    if deal_confirmation.ends_unturned(desk):
        closing.close_unturned(desk)
        lock_put_off(desk, ended)
        return
    if desk.round().dealing.resumes and desk.round().is_dealt():
        desk.turn_hole()
        resume(desk)
    closing.close(desk)
    lock_put_off(desk, ended)


def refuse_or_give_up(desk: Desk) -> None:
    """The close was pressed while a card is unread: said once, done the second time."""
    if desk.round().close_refused:
        close(desk)
        return
    desk.change_round(closing=False, close_refused=True, next_lock_ns=-1, next_moved={})
    desk.tell(CloseRefused(desk.round().number, "a card is unread; pressed again it hands the round to the floor"))


def refuse_close(desk: Desk) -> None:
    """The close was pressed while no play can be over: the hole card must not be opened for a slip of the finger."""
    desk.change_round(closing=False, close_refused=True, next_lock_ns=-1, next_moved={})
    why = "the hole card has not been turned" if desk.round().hides() else "no legal play is over yet"
    desk.tell(CloseRefused(desk.round().number, f"{why}; pressed again it hands the round to the floor"))


def may_close(desk: Desk) -> bool:
    """Whether a round that was closed can be judged: the readers have told all of it, or the floor must rule anyway."""
    told = known_until(desk) >= latest(desk) and bet_sensors.all_counted(desk)
    return bool(desk.round().trouble) or (not desk.round().held() and told)


def infer(desk: Desk, until: int) -> None:
    """Open what lies face up and publish what follows from everything known up to ``until``."""
    face_down.look(desk)
    face_down.open_lying(desk)
    view = desk.lattice().as_of(until)
    if desk.round().hides():
        face_down.tell_deal(desk, view)
        return
    face_down.release(desk)
    if desk.round().waits_for_card():
        return
    if not view.frontier and hole_turn.known(desk) and payment_began(desk):
        view = woven_with_hole(desk, until)
    if not view.frontier:
        if missed_cards.after_hit(desk):
            return
        desk.irregular("no legal play explains the evidence", curable=True, likely=likely(desk.rules, desk.round()))
        return
    hole_turn.turn_if_shown(desk, view)
    points = hole_points(desk)
    frontier = of_hole(view.frontier, points)
    if not frontier:
        view = woven_with_hole(desk, until)
        frontier = of_hole(view.frontier, points)
    if not frontier:
        desk.irregular(DEALERS_RULE, curable=True, likely=likely(desk.rules, desk.round()))
    else:
        judged = Judged(view, frontier, points)
        confirmed = until >= latest(desk)
        if not are(desk.published, rests_on(desk, judged, confirmed=confirmed)):
            tell_certain(desk, judged, confirmed=confirmed)
            desk.published = rests_on(desk, judged, confirmed=confirmed)
        questions.consider(desk)


def tell_certain(desk: Desk, judged: Judged, *, confirmed: bool) -> None:
    """Publish what follows from a lattice; ``confirmed``: the readers have confirmed everything told so far."""
    publish(desk, judged)
    if len(judged.found.cards) >= judged.found.play().deal_cards and judged.frontier and dealt(judged):
        settle_sides(desk, judged, closed=False)
        if confirmed:
            doubt_reopened(desk)


def rests_on(desk: Desk, judged: Judged, *, confirmed: bool) -> tuple[object, ...]:
    """All that decides what ``tell_certain`` tells: where nothing of it has changed nothing is left to tell.

    Whatever is corrected weaves the lattice again, and then its last cut is another value.
    """
    state, round_now, found = desk.state, desk.round(), judged.found
    lattice = (found.cuts[-1], found.game, judged.points, confirmed, desk.house)
    told = (round_now.told, round_now.settled, state.books, state.progressives)
    wagers = (round_now.wagers, round_now.declared, round_now.uncertain, round_now.lost_zones)
    return (*lattice, *told, *wagers, round_now.silences)


def dealt(judged: Judged) -> bool:
    """Whether the readers have confirmed the layout up to the end of the deal."""
    return all(node.dealt == judged.found.play().deal_cards for node in judged.frontier)


def was_touched(desk: Desk, spot: int, zone: str) -> bool:
    """Whether a zone has been touched before in the open round; else what leaves it is no wager of this round."""
    paid = next((paid for paid in desk.state.paid if paid.round == desk.round().number), None)
    return paid is not None and layout_key(spot, zone) in paid.touched
