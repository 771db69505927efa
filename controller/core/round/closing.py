"""A round's end: settle what is certain, ask about the rest, hand what nobody can explain to the floor."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from controller.core.betting import acceptance
from controller.core.betting.lock import lock_again
from controller.core.certainty import face_down, shared_chips, uncertain_wagers
from controller.core.certainty.agreed_dues import (
    Judged,
    doubt_reopened,
    dues,
    hole_points,
    known_until,
    latest,
    publish,
    resting_on,
    tell_settled,
    wager_of,
)
from controller.core.certainty.rebuild import keypad_away
from controller.core.certainty.side_wagers import settle_sides, sides_open
from controller.core.game.hand import place_of
from controller.core.game.wager import Basis
from controller.core.inference.dues import agreed, agreed_drawn
from controller.core.inference.fault_search import CLOSED_EARLY
from controller.core.inference.lattice import Frontier, Reconstruction
from controller.core.inference.observation import CardCame, ChipsMoved
from controller.core.inference.play_count import Census
from controller.core.inference.successors import endings, layout_of
from controller.core.messages.events import QuestionWithdrawn, RoundClosed, RoundPending, WagerSettled, WagerUnresolved
from controller.core.round import missed_cards, questions
from controller.core.round.irregular import likely
from controller.core.table.ledger import Row, book_of
from controller.core.table.payments import HIDDEN_NS
from controller.core.table.state import Round, woven
from controller.core.table.transaction import Desk

UNTURNED: Final = "it ended with its hole card not said to be turned: the keypad was lost"


def close(desk: Desk) -> None:
    """The round is over: settle what is certain, ask about what is open, hand what nobody can explain to the floor."""
    nobody_knows = shared_chips.give_up(desk)
    if desk.round().uncertain and not desk.round().locked:
        lock_again(desk)
    if desk.round().lingers:
        linger_no_more(desk)
    round_now = desk.round()
    acceptance.given_up(desk)
    if round_now.hides():
        face_down.show(desk)
    if not round_now.cards:
        desk.tell(*map(QuestionWithdrawn, desk.round().open_questions()), RoundClosed(round_now.number, (), 0, "void"))
        desk.change(declared=round_now.declared_boxes())
    else:
        if round_now.doubt or round_now.shoe_away:
            desk.irregular(missed_cards.untold(round_now))
        elif round_now.unkeyed:
            desk.irregular("nobody said whether its first card began it")
        elif round_now.entry:
            desk.irregular(f"nobody said whether spot {round_now.entering[0]} was dealt in")
        elif nobody_knows:
            desk.irregular(nobody_knows)
        elif any(card.unread for card in round_now.cards):
            desk.irregular("a card could not be read")
        elif known_until(desk) < latest(desk):
            desk.irregular("the readers had not confirmed the layout when the next round began")
        elif not round_now.trouble and not finish(desk):
            cause = likely(desk.rules, desk.round(), closed=True)
            desk.irregular(CLOSED_EARLY, likely=cause)
        if desk.round().trouble:
            hand_to_floor(desk)
        elif desk.round().asked is not None:
            let_wait(desk)
        if round_now.closing and round_now.dealing.unturned():
            # Also where the table counted too few cards to know which of them is the hole card.
            desk.change(turned_by=desk.stamped.number)
    leave(desk)


def leave(desk: Desk) -> None:
    """No round is open any more."""
    desk.leave_round()
    desk.change(keypad_lost=keypad_away(desk))


def linger_no_more(desk: Desk) -> None:
    """Take back the question whether the round is over."""
    desk.tell(QuestionWithdrawn(desk.round().lingers))
    desk.change_round(lingers=0)


def close_unturned(desk: Desk) -> None:
    """The keypad was lost, and the round ends with nobody having said that its hole card is turned: the floor rules.

    What lies closed stays so, and of what it decides nothing is told, not even that it left no legal play.
    """
    shared_chips.give_up(desk)
    acceptance.given_up(desk)
    if not desk.round().trouble_told():
        desk.change_round(trouble="", kept_back=())
        desk.irregular(UNTURNED)
    hand_to_floor(desk, turned=False)
    leave(desk)


def may_be_over(desk: Desk) -> bool:
    """Whether some play is over, whatever the hole card; or the floor must rule, or the key was repeated."""
    round_now = desk.round()
    if round_now.hides() and not round_now.trouble_told():
        return bool(round_now.turn_key or round_now.close_refused or not round_now.cards)
    if round_now.trouble or round_now.close_refused or not round_now.cards:
        return True
    found = desk.lattice()
    play, layout = found.play(), layout_of(found.play(), found.contents)
    return any(True for node in found.frontier for _ in endings(play, node, layout))


def lacks_turn(round_now: Round) -> bool:
    """Whether nothing but the key of the turn can bring a round to its end, whatever the readers have still to tell.

    Its players' cards lie face down: who presses the close is told so at once, before the next round is dealt.
    """
    hidden = round_now.face_down and round_now.blind() and not round_now.trouble_told()
    return hidden and bool(round_now.cards) and not (round_now.turn_key or round_now.close_refused)


def let_wait(desk: Desk) -> None:
    """The round waits for an answer; if too many do, the floor must rule on the oldest."""
    waiting = (*desk.state.waiting, desk.round())
    for given_up in waiting[: -questions.WAITING_LIMIT]:
        assert given_up.asked is not None, "a round waits for an answer"
        desk.tell(QuestionWithdrawn(given_up.asked.number), RoundClosed(given_up.number, (), 0, "open"))
    keep_waiting(desk, waiting[-questions.WAITING_LIMIT :])


def keep_waiting(desk: Desk, waiting: tuple[Round, ...]) -> None:
    """These rounds wait, and no other; with each go the rules by which it was played."""
    hashes = {one.profile_hash for one in waiting}
    former = {name: rules for name, rules in desk.state.former_rules.items() if name in hashes}
    desk.change(waiting=waiting, former_rules=former)


def answer_waiting(desk: Desk, waited: Round, words: str, who: str) -> None:
    """An answer about a round that waits: settle what it decides, ask again or close the round."""
    revisit(desk, waited, lambda: questions.take_answer(desk, words, who))


def revisit(desk: Desk, waited: Round, change: Callable[[], bool]) -> None:
    """Go back to a round that waits; if ``change`` changed something judge it again, and let it wait on or close it."""
    open_round, open_found, rules = desk.state.round, desk.found, desk.rules
    desk.rules = desk.state.former_rules.get(waited.profile_hash, rules)
    desk.change(round=waited)
    desk.found = woven(desk.rules, waited)
    if change():
        if not desk.round().trouble and not finish(desk):
            desk.irregular("no legal play explains it as it was corrected")
        if desk.round().trouble:
            hand_to_floor(desk)
        others = tuple(one for one in desk.state.waiting if one.number != waited.number)
        again = (desk.round(),) if desk.round().asked is not None and not desk.round().trouble else ()
        kept = tuple(sorted((*others, *again), key=lambda one: one.number))
        keep_waiting(desk, kept)
    desk.leave_round()
    desk.change(round=open_round)
    desk.found, desk.rules = open_found, rules


def hand_to_floor(desk: Desk, *, turned: bool = True) -> None:
    """An irregular round ends unsettled; its cards are opened, as they lie on the felt for all to see.

    Not ``turned``: for all the table knows the hole card does not yet.
    """
    leave_open(desk)
    if turned:
        turn_over(desk)
    else:
        face_down.keep_closed(desk)
    desk.tell(RoundClosed(desk.round().number, (), 0, "irregular"))


def turn_over(desk: Desk) -> None:
    """Every card of the round lies face up."""
    for place in range(len(desk.round().cards)):
        if place == desk.round().hole_place():
            desk.turn_hole()
        else:
            desk.open_card(place)


def give_way(desk: Desk) -> None:
    """The next round begins and nothing has shown how this one went on: it ends, and what lies closed stays closed.

    Its open wagers are the floor's; its closed cards are opened at the shoe's end.
    """
    shared_chips.give_up(desk)
    acceptance.given_up(desk)
    leave_open(desk)
    desk.tell(*laid_later(desk))
    face_down.keep_closed(desk)
    outcome = "irregular" if desk.round().trouble_told() else "open"
    desk.tell(RoundClosed(desk.round().number, (), 0, outcome))
    leave(desk)


def laid_later(desk: Desk) -> Iterator[WagerUnresolved]:
    """What lay in the zones of wagers made after the deal and is on no books: nobody could tell whether it counted."""
    round_now, highest = desk.round(), dict[tuple[int, str], int]()
    for dated in round_now.evidence:
        if isinstance(dated.item, ChipsMoved) and dated.item.zone != "main":
            place = round_now.spots[dated.item.box], dated.item.zone
            highest[place] = max(highest.get(place, 0), dated.item.before, dated.item.after)
    book = book_of(desk.state.books, round_now.number)
    on_books = set() if book is None else {(row.spot, row.bet) for row in book.rows}
    for spot, bet in sorted(highest.keys() - on_books):
        yield WagerUnresolved(round_now.number, spot, bet, highest[spot, bet], ())


def leave_open(desk: Desk) -> None:
    """Nothing is asked about the open round any more, and every wager that is on the books and not settled is open."""
    asked = desk.round().asked
    desk.tell(*map(QuestionWithdrawn, (*desk.round().open_questions(), *(() if asked is None else (asked.number,)))))
    desk.change_round(asked=None)
    book = book_of(desk.state.books, desk.round().number)
    unsettled = () if book is None else (row for row in book.rows if row.net_cents is None)
    desk.tell(*(WagerUnresolved(desk.round().number, row.spot, row.bet, row.wager_cents, ()) for row in unsettled))


def finish(desk: Desk) -> bool:
    """Settle a round that some legal play brings to its end; False if none does."""
    if not desk.round().is_dealt():
        return False
    desk.turn_hole()
    points = hole_points(desk)
    ends = desk.lattice().ends(points) if points is not None or not desk.round().hole_dealt else {}
    if not ends:
        return False
    face_down.open_lying(desk)
    judged = Judged(desk.lattice(), ends, points)
    publish(desk, judged)
    settle_sides(desk, judged, closed=True)
    settle_as_paid(desk, judged)
    contradicted(desk, judged)
    doubt_reopened(desk)
    left = (*still_open(desk, judged), *sides_open(desk, judged))
    questions.withdraw_if_needless(desk)
    if left and desk.round().asked is None:
        questions.ask_best(desk, points)
    asked = desk.round().asked
    if left and asked is not None:
        desk.tell(*unsettled(desk, left), RoundPending(desk.round().number, asked.number))
        return True
    plays = Census(judged.found, points).plays()
    desk.tell(
        *unsettled(desk, left), RoundClosed(desk.round().number, dealer_cards(desk.round(), ends), plays, outcome(left))
    )
    return True


def unsettled(desk: Desk, left: tuple[WagerUnresolved, ...]) -> Iterator[WagerUnresolved]:
    """The open wagers but those of which it is told that their settlement is in doubt."""
    book = book_of(desk.state.books, desk.round().number)
    for one in left:
        row = None if book is None else book.row(one.spot, one.bet)
        if row is None or row.net_cents is None:
            yield one


def outcome(left: tuple[WagerUnresolved, ...]) -> str:
    """How a round that was judged ended."""
    return "open" if left else "settled"


def still_open(desk: Desk, judged: Judged) -> Iterator[WagerUnresolved]:
    """The wagers that no settlement has been found for."""
    for box, spot in enumerate(desk.round().spots):
        for bet, due in dues(judged, box):
            if (spot, bet) not in desk.round().settled:
                possible = () if uncertain_wagers.unlooked(desk.round(), spot, bet) else due.cents()
                yield WagerUnresolved(desk.round().number, spot, bet, wager_of(judged, box, bet) or 0, possible)


def contradicted(desk: Desk, judged: Judged) -> None:
    """Name the settled wagers that no play which is left comes to: a reader told late what came first."""
    possible = {
        (spot, bet): due.cents() for box, spot in enumerate(desk.round().spots) for bet, due in dues(judged, box)
    }
    reason = "what its readers told later leaves no legal play that comes to it"

    def elsewhere(row: Row) -> bool:
        return row.net_cents not in possible.get((row.spot, row.bet), (row.net_cents,))

    desk.tell(*desk.doubts(reason, elsewhere))


def settle_as_paid(desk: Desk, judged: Judged) -> None:
    """A main wager still open is settled as the dealer paid it, if that fits exactly one of its possible dues."""
    for box, spot in enumerate(desk.round().spots):
        due = next(due for bet, due in dues(judged, box) if bet == "main")
        if spot in desk.round().declared or any(one.box == box for one in judged.found.silences):
            continue
        if (spot, "main") in desk.round().settled or not due.known or may_have_surrendered(judged.frontier, box):
            continue
        fitting = [net for net in due.nets if net.cents in as_paid(judged.found, box)]
        if len({net.cents for net in fitting}) == 1:
            net = agreed(fitting)
            fields = (desk.round().number, spot, "main", judged.found.wagers[box], net.cents)
            tell_settled(desk, WagerSettled(*fields, Basis.PAID, resting_on(judged.found, box), net.why))


def may_have_surrendered(frontier: Frontier, box: int) -> bool:
    """Whether some play has a surrender: its chips may go past the zone, so what lies there says nothing."""
    outcomes = (outcome for told in frontier.values() for outcome in told[box])
    return any(outcome.how == "surrendered" or any(hand.gave_up for hand in outcome.hands) for outcome in outcomes)


def as_paid(found: Reconstruction, box: int) -> set[int]:
    """The nets that fit what the dealer did with a box's chips after the last card.

    Split hands are paid one after another, and then the player takes what he likes: the payment may have been complete
    after any of the changes, or before the first, until the zone was empty: what is laid then is the next bet. Where
    nothing was taken and nothing paid nothing is said of it; nor where the readers looked so seldom that a payment may
    have been laid down and picked up between two looks.
    """
    last_card_ns = max(dated.last_ns for dated in found.evidence if isinstance(dated.item, CardCame))
    staked = content = found.wagers[box]
    nets: set[int] = set()
    for dated in found.evidence:
        item = dated.item
        if not isinstance(item, ChipsMoved) or item.idle or (item.box, item.zone) != (box, "main"):
            continue
        # What was left out of the account lies there all the same.
        staked += item.before - content
        content = item.before
        if dated.last_ns <= last_card_ns:
            staked += max(item.after - item.before, 0)
        elif dated.first_ns <= last_card_ns or (
            item.after < item.before and dated.last_ns - dated.first_ns > HIDDEN_NS
        ):
            return set()
        else:
            nets.add(content - staked)
        content = item.after
        if not content and dated.first_ns > last_card_ns:
            break
    return nets | {content - staked} if nets else nets


def dealer_cards(round_now: Round, ends: Frontier) -> tuple[int, ...]:
    """The numbers of the dealer's cards where every play agrees on them."""
    drawn = agreed_drawn(ends)
    if drawn is None:
        return ()
    hole = (round_now.hole_place(),) if round_now.hole_dealt else ()
    places = (len(round_now.spots), *hole, *(place_of(card) for card in drawn))
    return tuple(round_now.cards[place].number for place in places)
