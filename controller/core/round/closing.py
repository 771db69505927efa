"""A round's end: settle what is certain, ask about the rest, hand the unexplained to the floor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec.structs import replace

from controller.core.betting import acceptance
from controller.core.betting.lock import is_without_bets, lock_again
from controller.core.certainty import deal_confirmation, face_down, known_spots, shared_chips
from controller.core.certainty.agreed_dues import (
    AgreedPlays,
    confirmation_needed_ns,
    confirmed_until_ns,
    dispute_reopened,
    may_include_payment,
    publish,
    publish_settlement,
    readings_relied_on,
)
from controller.core.certainty.rebuild import is_keypad_away
from controller.core.certainty.side_wagers import settle_sides, sides_open
from controller.core.game.hand import place_of
from controller.core.game.position import BoxStatus
from controller.core.game.wager import Basis, BookRow
from controller.core.inference.dues import Due, agreed, agreed_drawn
from controller.core.inference.fault_search import CLOSED_EARLY
from controller.core.inference.lattice import Frontier, Lattice
from controller.core.inference.observation import CardObserved, ChipsObserved
from controller.core.inference.play_count import PlayCounter
from controller.core.inference.successors import endings, layout_of
from controller.core.messages.events import QuestionWithdrawn, RoundClosed, RoundPending, WagerSettled, WagerUnresolved
from controller.core.round import late_bettors, missed_cards, questions
from controller.core.round.irregular import likely_fault
from controller.core.table.ledger import book_of
from controller.core.table.payments import HIDDEN_NS, REACH_NS
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_WAITING_LIMIT: Final = 3
"""Rounds that may wait for an answer; beyond that the floor must rule on the oldest."""

_UNTURNED: Final = "it ended with its hole card not said to be turned"
_UNHEARD: Final = f"{_UNTURNED}: the keypad was lost"
_BROKEN_OFF: Final = "the next bets were locked when its deal had just begun"
_UNCOUNTED: Final = "it ended with its hole card turned after fewer cards than its deal has"

_DuesByBox = list[dict[str, Due]]
"""What the wagers of each box may be due at the end, by bet."""


def settle_round(transaction: Transaction) -> None:
    """The round is over: settle what is certain, ask about what is open, hand the unexplained to the floor."""
    nobody_knows = shared_chips.end_wait(transaction)
    # The floor rules on a main wager that may be there: a round with one is never void.
    bets = transaction.round().bets
    if not bets.locked and not nobody_knows and (bets.uncertain or is_without_bets(transaction)):
        lock_again(transaction, ended=True)
        if transaction.state.round is None:
            return
    if transaction.round().questions.lingers:
        withdraw_end_question(transaction)
    round_now = transaction.round()
    acceptance.abandon_lock(transaction)
    if round_now.hides_faces():
        face_down.show_hands(transaction)
    if not round_now.cards.drawn:
        transaction.emit(
            *map(QuestionWithdrawn, transaction.round().open_questions()), RoundClosed(round_now.number, (), 0, "void")
        )
        transaction.change(declared=round_now.declared_boxes())
    else:
        if unanswered := unanswered_reason(round_now):
            transaction.irregular(unanswered)
        elif nobody_knows:
            transaction.irregular(nobody_knows)
        elif any(card.unread for card in round_now.cards.drawn):
            transaction.irregular("a card could not be read")
        elif confirmed_until_ns(transaction) < confirmation_needed_ns(transaction):
            transaction.irregular("the readers had not confirmed the layout when the next round began")
        elif not round_now.evidence.trouble and not _finish(transaction):
            cause = likely_fault(transaction.rules, transaction.round(), closed=True)
            transaction.irregular(CLOSED_EARLY, likely=cause)
        if transaction.round().evidence.trouble:
            _hand_to_floor(transaction)
        elif transaction.round().questions.asked is not None:
            _let_wait(transaction)
        if round_now.ending.closing and round_now.dealing.unturned():
            # Also where the table counted too few cards to know which of them is the hole card.
            transaction.change(turned_by=transaction.stamped.number)
        # Also where the table had concluded the turn before its key came.
        transaction.note_keyed_turn()
    _leave(transaction)


def unanswered_reason(round_now: Round) -> str:
    """Why a round is irregular that ends with a question about all of it open; empty: nothing holds it."""
    if round_now.questions.doubt or round_now.evidence.shoe_away:
        return missed_cards.unanswered_reason(round_now)
    if round_now.questions.unkeyed:
        return "nobody said whether its first card began it"
    if round_now.questions.entry:
        return f"nobody said whether spot {round_now.questions.entering[0]} was dealt in"
    return ""


def _leave(transaction: Transaction) -> None:
    """No round is open any more."""
    round_now = transaction.round()
    borne_out = round_now.is_dealt() and not deal_confirmation.rests_on_word(transaction, round_now)
    known_spots.note_left(transaction, borne_out=borne_out)
    transaction.leave_round()
    transaction.change(keypad_lost=is_keypad_away(transaction))


def withdraw_end_question(transaction: Transaction) -> None:
    """Take back the question whether the round is over."""
    transaction.emit(QuestionWithdrawn(transaction.round().questions.lingers))
    transaction.change_questions(lingers=0)


def close_with_hole_unturned(transaction: Transaction) -> None:
    """The round ends and no key has turned its hole card: lost, forgotten, or pressed too early; the floor rules.

    What lies closed stays so, and of what it decides nothing is published, not even that it left no legal play.
    """
    round_now = transaction.round()
    shared_chips.end_wait(transaction)
    acceptance.abandon_lock(transaction)
    if not transaction.round().is_published_irregular():
        unturned = _UNHEARD if round_now.evidence.keys_unheard else _UNTURNED
        unturned = _UNCOUNTED if round_now.turn_pressed() else unturned
        transaction.change_evidence(trouble="")
        transaction.change_cards(kept_back=())
        transaction.irregular(unanswered_reason(round_now) or unturned)
    _hand_to_floor(transaction, turned=False)
    _leave(transaction)


def accepts_close(transaction: Transaction) -> bool:
    """Whether the key *round closed* counts: some play is over, or the floor must rule, or the key was repeated."""
    round_now = transaction.round()
    if round_now.hides_faces() and not round_now.is_published_irregular():
        return bool(round_now.cards.turn_key or round_now.ending.close_refused or not round_now.cards.drawn)
    if round_now.evidence.trouble or round_now.ending.close_refused or not round_now.cards.drawn:
        return True
    lattice = transaction.lattice()
    play, layout = lattice.game, layout_of(lattice.game, lattice.contents)
    return any(True for node in lattice.frontier for _ in endings(play, node, layout))


def _let_wait(transaction: Transaction) -> None:
    """The round waits for an answer; if too many do, the floor must rule on the oldest."""
    waiting = (*transaction.state.waiting, transaction.round())
    for given_up in waiting[:-_WAITING_LIMIT]:
        assert given_up.questions.asked is not None, "a round waits for an answer"
        transaction.emit(
            QuestionWithdrawn(given_up.questions.asked.number), RoundClosed(given_up.number, (), 0, "open")
        )
    keep_waiting(transaction, waiting[-_WAITING_LIMIT:])


def keep_waiting(transaction: Transaction, waiting: tuple[Round, ...]) -> None:
    """These rounds wait, and no other; with each go the rules by which it was played."""
    hashes = {one.profile_hash for one in waiting}
    former = {name: rules for name, rules in transaction.state.former_rules.items() if name in hashes}
    transaction.change(waiting=waiting, former_rules=former)


def rejudge_waiting(transaction: Transaction, waited: Round, change: Callable[[], bool]) -> None:
    """Change a round that waits; if ``change`` says so judge it again, and let it wait on or close it."""
    with transaction.judging(waited):
        if not change():
            return
        if not transaction.round().evidence.trouble and not _finish(transaction):
            transaction.irregular("no legal play explains it as it was corrected")
        if transaction.round().evidence.trouble:
            _hand_to_floor(transaction)
        judged = transaction.round()
        others = [one for one in transaction.state.waiting if one.number != waited.number]
        again = [judged] if judged.questions.asked is not None and not judged.evidence.trouble else []
        keep_waiting(transaction, tuple(sorted((*others, *again), key=lambda one: one.number)))


def _hand_to_floor(transaction: Transaction, *, turned: bool = True) -> None:
    """An irregular round ends unsettled; its cards are opened, as they lie on the felt for all to see.

    Not ``turned``: for all the table knows the hole card does not yet.
    """
    _leave_open(transaction)
    transaction.emit(*_laid_later(transaction))
    if turned:
        open_all_cards(transaction)
    else:
        face_down.keep_closed(transaction)
    transaction.emit(RoundClosed(transaction.round().number, (), 0, "irregular"))


def open_all_cards(transaction: Transaction) -> None:
    """Every card of the round lies face up."""
    for place in range(len(transaction.round().cards.drawn)):
        if place == transaction.round().hole_place():
            transaction.turn_hole()
        else:
            transaction.open_card(place)


def close_after_broken_deal(transaction: Transaction) -> None:
    """Bets are locked anew when the deal had just begun: its cards may be none of a round, and stay closed."""
    if not transaction.round().is_published_irregular():
        transaction.irregular(unanswered_reason(transaction.round()) or _BROKEN_OFF)
    close_leaving_wagers_open(transaction)


def close_leaving_wagers_open(transaction: Transaction) -> None:
    """The next round begins and nothing has shown how this one went on: it ends, and what lies closed stays closed.

    Its open wagers are the floor's; its closed cards are opened at the shoe's end.
    """
    is_unplaced = transaction.house.wagers_followed and shared_chips.is_between_boxes(transaction)
    nobody_knows = shared_chips.end_wait(transaction)
    if is_unplaced and not transaction.round().is_published_irregular():
        transaction.irregular(nobody_knows)
    acceptance.abandon_lock(transaction)
    _leave_open(transaction)
    transaction.emit(*_laid_later(transaction))
    face_down.keep_closed(transaction)
    outcome = "irregular" if transaction.round().is_published_irregular() else "open"
    transaction.emit(RoundClosed(transaction.round().number, (), 0, outcome))
    _leave(transaction)


def _laid_later(transaction: Transaction) -> Iterator[WagerUnresolved]:
    """What lay in the zones of wagers made after the deal and is on no books: it was uncertain whether it counted."""
    round_now, highest = transaction.round(), _unplaced(transaction.round())
    for dated in round_now.evidence.observations:
        if isinstance(dated.item, ChipsObserved) and dated.item.zone != "main":
            place = round_now.bets.spots[dated.item.box], dated.item.zone
            highest[place] = max(highest.get(place, 0), dated.item.before, dated.item.after)
    yield from _off_books(transaction, highest)


def _unplaced(round_now: Round) -> dict[tuple[int, str], int]:
    """What lay of wagers made after the deal that were picked up before it was known in which zone all of it lay."""
    split = ((name.partition("/"), cents) for name, cents in round_now.evidence.unplaced.items())
    return {(int(spot), bet): cents for (spot, _, bet), cents in split}


def _off_books(transaction: Transaction, cents: dict[tuple[int, str], int]) -> Iterator[WagerUnresolved]:
    """Those of these wagers that are on no books, as open ones."""
    book = book_of(transaction.state.books, transaction.round().number)
    on_books = set() if book is None else {(row.spot, row.bet) for row in book.rows}
    for spot, bet in sorted(cents.keys() - on_books):
        yield WagerUnresolved(transaction.round().number, spot, bet, cents[spot, bet], ())


def _leave_open(transaction: Transaction) -> None:
    """Nothing is asked about the open round any more, and every wager that is on the books and not settled is open."""
    asked = transaction.round().questions.asked
    transaction.emit(
        *map(QuestionWithdrawn, (*transaction.round().open_questions(), *(() if asked is None else (asked.number,))))
    )
    transaction.change_questions(asked=None)
    book = book_of(transaction.state.books, transaction.round().number)
    unsettled = () if book is None else (row for row in book.rows if row.net_cents is None)
    transaction.emit(
        *(WagerUnresolved(transaction.round().number, row.spot, row.bet, row.wager_cents, ()) for row in unsettled)
    )
    late_bettors.leave_open(transaction)


def _finish(transaction: Transaction) -> bool:
    """Settle a round that some legal play brings to its end; False if none does."""
    if not transaction.round().is_dealt():
        return False
    transaction.turn_hole()
    points = transaction.hole_points()
    ends = transaction.lattice().ends(points) if points is not None or not transaction.round().cards.hole_dealt else {}
    if not ends:
        return False
    face_down.open_face_up(transaction)
    judged = AgreedPlays(transaction.lattice(), ends, points)
    publish(transaction, judged)
    settle_sides(transaction, judged, closed=True)
    dues: _DuesByBox = [dict(judged.dues(box)) for box in range(len(judged.lattice.wagers))]
    _settle_as_paid(transaction, judged, dues)
    _settle_insurance_as_paid(transaction, judged, dues)
    _contradicted(transaction, dues)
    dispute_reopened(transaction)
    left = (*_still_open(transaction, judged, dues), *sides_open(transaction, judged))
    questions.withdraw_if_needless(transaction)
    if left and transaction.round().questions.asked is None:
        questions.ask_best(transaction, points)
    left = (*left, *_off_books(transaction, _unplaced(transaction.round())))
    asked = transaction.round().questions.asked
    if left and asked is not None:
        transaction.emit(*_unsettled(transaction, left), RoundPending(transaction.round().number, asked.number))
        return True
    plays = PlayCounter(judged.lattice, points).plays()
    if transaction.house.insurance_needs_ace and judged.lattice.game.up_points > 1:
        _note_no_ace(transaction)
    transaction.emit(
        *_unsettled(transaction, left),
        RoundClosed(transaction.round().number, _dealer_cards(transaction.round(), ends), plays, _outcome(left)),
    )
    return True


def _note_no_ace(transaction: Transaction) -> None:
    """Keep in the round's book that its up card is no ace."""
    number = transaction.round().number
    books = transaction.state.books
    transaction.change(books=tuple(replace(one, no_ace=True) if one.round == number else one for one in books))


def _unsettled(transaction: Transaction, left: tuple[WagerUnresolved, ...]) -> Iterator[WagerUnresolved]:
    """The open wagers but those whose settlement is in doubt."""
    book = book_of(transaction.state.books, transaction.round().number)
    for one in left:
        row = None if book is None else book.row(one.spot, one.bet)
        if row is None or row.net_cents is None:
            yield one


def _outcome(left: tuple[WagerUnresolved, ...]) -> str:
    """How a round that was judged ended."""
    return "open" if left else "settled"


def _still_open(transaction: Transaction, judged: AgreedPlays, dues: _DuesByBox) -> Iterator[WagerUnresolved]:
    """The wagers that no settlement has been found for."""
    for box, spot in enumerate(transaction.round().bets.spots):
        for bet, due in dues[box].items():
            if (spot, bet) not in transaction.round().ending.settled:
                is_doubtful = bet == "insurance" and may_include_payment(judged.lattice, box, bet, due.cents())
                is_unknown = is_doubtful or transaction.round().is_wager_unread(spot, bet)
                possible = () if is_unknown else due.cents()
                yield WagerUnresolved(
                    transaction.round().number, spot, bet, judged.wager_cents(box, bet) or 0, possible
                )


def _contradicted(transaction: Transaction, dues: _DuesByBox) -> None:
    """Name the settled wagers that no play which is left comes to: a reader reported late what came first."""
    possible = {
        (spot, bet): due.cents()
        for box, spot in enumerate(transaction.round().bets.spots)
        for bet, due in dues[box].items()
    }
    reason = "what its readers told later leaves no legal play that comes to it"

    def elsewhere(row: BookRow) -> bool:
        return row.net_cents not in possible.get((row.spot, row.bet), (row.net_cents,))

    transaction.emit(*transaction.disputes(reason, elsewhere))


def _settle_as_paid(transaction: Transaction, judged: AgreedPlays, dues: _DuesByBox) -> None:
    """A main wager still open is settled as the dealer paid it, if that fits exactly one of its possible dues."""
    for box, spot in enumerate(transaction.round().bets.spots):
        due = dues[box]["main"]
        if spot in transaction.round().bets.declared or any(one.box == box for one in judged.lattice.outages):
            continue
        if (
            (spot, "main") in transaction.round().ending.settled
            or not due.known
            or _may_have_surrendered(judged.frontier, box)
            or _may_have_even_money(judged, box)
        ):
            continue
        paid = _nets_as_paid(judged.lattice, box, withdrawn=transaction.house.movements_joined)
        fitting = [net for net in due.nets if net.cents in paid]
        if len({net.cents for net in fitting}) == 1:
            net = agreed(fitting)
            # Chips beside a wager that pushed are its player's, and looks far apart show them as a payment.
            if transaction.house.looks_reckoned and net.cents > 0 and 0 in due.cents():
                continue
            fields = (transaction.round().number, spot, "main", judged.lattice.wagers[box], net.cents)
            publish_settlement(
                transaction, WagerSettled(*fields, Basis.PAID, readings_relied_on(judged.lattice, box), net.why)
            )


def _settle_insurance_as_paid(transaction: Transaction, judged: AgreedPlays, dues: _DuesByBox) -> None:
    """Insurance still open against a natural is settled as won if chips came to it as its payment alone explains."""
    round_now = transaction.round()
    if not transaction.house.slips_awaited:
        return
    for box, spot in enumerate(round_now.bets.spots):
        due = dues[box].get("insurance")
        unseen = any(one.box == box and one.hides("insurance") for one in judged.lattice.outages)
        watched = spot not in round_now.bets.declared and not unseen
        if due is None or not due.known or not watched or (spot, "insurance") in round_now.ending.settled:
            continue
        won_cents = _insurance_payment(judged.lattice, box)
        fitting = [net for net in due.nets if net.cents == won_cents > 0]
        if fitting and not may_include_payment(judged.lattice, box, "insurance", due.cents()):
            fields = (round_now.number, spot, "insurance", won_cents // 2, won_cents)
            net = agreed(fitting)
            publish_settlement(
                transaction, WagerSettled(*fields, Basis.PAID, readings_relied_on(judged.lattice, box), net.why)
            )


def _insurance_payment(lattice: Lattice, box: int) -> int:
    """The last chips that came to a box's insurance, if they are twice what lay there and no wager; 0: they are not.

    A player may withdraw insurance, and lay three times as much as before. But more than the card allows is no wager.
    """
    most = lattice.rules.insurance_cap_cents(lattice.wagers[box])
    here = (one.chips_at(box, "insurance") for one in lattice.evidence)
    rises = [item for item in here if item is not None and item.after > item.before and not item.idle]
    if not rises or not 0 < rises[-1].before <= most < rises[-1].after:
        return 0
    came = rises[-1].after - rises[-1].before
    return came if came == 2 * rises[-1].before else 0


def _may_have_surrendered(frontier: Frontier, box: int) -> bool:
    """Whether some play has a surrender: its chips may go past the zone, so what lies there says nothing."""
    outcomes = (outcome for ended in frontier.values() for outcome in ended[box])
    return any(outcome.how == "surrendered" or any(hand.gave_up for hand in outcome.hands) for outcome in outcomes)


def _may_have_even_money(judged: AgreedPlays, box: int) -> bool:
    """Whether it is open if even money was paid without its key: then what lies there may be no payment."""
    paid = {node.boxes[box].kind is BoxStatus.EVEN_MONEY for node in judged.frontier}
    return len(paid) > 1 and judged.lattice.rules.options.even_money_shown == "sometimes"


def _nets_as_paid(lattice: Lattice, box: int, *, withdrawn: bool) -> set[int]:
    """The nets that fit what the dealer did with a box's chips after the last card.

    Split hands are paid one after another, and then the player takes what he likes: the payment may have been complete
    after any of the changes, or before the first, until the zone was empty: what is laid then is the next bet. Where
    nothing was taken and nothing paid nothing is said of it; nor where the readers looked so seldom that a payment may
    have been laid down and picked up between two looks: that no payment was seen is then no sign of a push. What comes
    after a pause may be the next bet, laid beside a wager that pushed. What left before the last card was lost, or was
    ``withdrawn``, if that is reckoned with: a double that was laid and taken back.
    """
    last_card_ns = max(dated.last_ns for dated in lattice.evidence if isinstance(dated.item, CardObserved))
    paid_by_ns = _paid_by(lattice, last_card_ns)
    content = lattice.wagers[box]
    stakes, nets = {content}, set[int]()
    is_touched = False
    for dated in lattice.evidence:
        item = dated.chips_at(box, "main")
        if item is None or item.idle:
            continue
        # What was left out of the account lies there all the same.
        if dated.last_ns > paid_by_ns:
            break
        stakes = {staked + item.before - content for staked in stakes}
        content, unseen_ns = item.before, dated.last_ns - dated.first_ns
        is_taken, is_hidden = item.after < item.before, unseen_ns > (HIDDEN_NS if is_touched else REACH_NS)
        if dated.last_ns <= last_card_ns:
            came = item.after - item.before
            stakes = {staked + max(came, 0) for staked in stakes} | {staked + came for staked in stakes if withdrawn}
        elif dated.first_ns <= last_card_ns or (is_taken and is_hidden):
            return set()
        else:
            nets |= set() if is_hidden and not is_touched else {content - staked for staked in stakes}
            is_touched = True
        content = item.after
        if not content and dated.first_ns > last_card_ns:
            break
    return nets | {content - staked for staked in stakes} if is_touched else nets


def _paid_by(lattice: Lattice, last_card_ns: int) -> int:
    """When the dealer was done with paying: from the last card on chips move one after another, and then pause."""
    done_ns = last_card_ns
    moves = sorted(one.last_ns for one in lattice.evidence if isinstance(one.item, ChipsObserved))
    for moved_ns in moves:
        if moved_ns - done_ns >= deal_confirmation.BETWEEN_ROUNDS_NS:
            break
        done_ns = max(done_ns, moved_ns)
    return done_ns


def _dealer_cards(round_now: Round, ends: Frontier) -> tuple[int, ...]:
    """The numbers of the dealer's cards where every play agrees on them."""
    drawn = agreed_drawn(ends)
    if drawn is None:
        return ()
    hole = (round_now.hole_place(),) if round_now.cards.hole_dealt else ()
    places = (len(round_now.bets.spots), *hole, *(place_of(card) for card in drawn))
    return tuple(round_now.cards.drawn[place].number for place in places)
