"""Whether a deal is what the table counted, and whether the hole card has been turned without a key.

A deal is confirmed by the key *no more bets* pressed again, or by its own rhythm: all its cards without a long gap, a
key or a chip between them, then a long gap. A box too many or too few, a burn nobody announced, a card read twice or
missed leave another number of cards before the gap. What is not confirmed stays closed until the dealer turns the hole
card. That nothing came is itself a reading (``DeadlinePassed``), so that replay needs no clock.
"""

from __future__ import annotations

from itertools import pairwise
from statistics import median
from typing import Any, Final, assert_never

from msgspec.structs import replace

from controller.core.certainty import known_spots
from controller.core.certainty.reader_zones import confirmed_zones
from controller.core.game.hand import deal_cards
from controller.core.game.rules import Rules
from controller.core.inference.observation import NEVER_ENDS, CardObserved
from controller.core.messages.events import DealUnconfirmed
from controller.core.messages.house import House
from controller.core.messages.inputs import DeadlinePassed
from controller.core.persons import Person
from controller.core.table.layout import cents_at, exceeds_one_move, worth
from controller.core.table.round_state import ChipVisit, DealProgress, DealStatus, Round
from controller.core.table.transaction import Transaction
from firmware_protocols.readings import CardDrawn, ChipsConfirmed

_SECOND_NS: Final = 1_000_000_000

BETWEEN_ROUNDS_NS: Final = 5_000_000_000
"""So long no card comes between two rounds: chips are taken and paid, cards collected, bets laid."""

AFTER_PUSH_NS: Final = 3_500_000_000
"""So long no card comes between two rounds at the least: of a push only the cards are collected."""

_HANDED_BACK_NS: Final = 10_000_000_000
"""Until then it may still be seen that what is too much of a double was handed back, and the double's card dealt."""

_GAPS_KEPT: Final = 60
"""Gaps between cards of which the median is taken: those of the last five or more deals to a full table."""

_GAP_TIMES: Final = 3
"""A gap is long if it is at least this many times the median gap of the last deals."""

_DECISION_NS: Final = 500_000_000
"""A card that a player asks for does not come sooner after the one before it."""

_RHYTHM_PER_MILLE: Final = 1_500
"""A gap is of the dealer's rhythm if it is at most this multiple of the median: a card on a hit comes later."""

_LAST: Final = 2
"""The cards of a deal that the table counts too many where chips lie on a box that is not dealt to."""

_ASTRAY: Final = "cards of no round have been drawn since the last turn"
"""They may be cards of this deal, or of one that is played on although it is void."""


def guards_hole_card(rules: Rules) -> bool:
    """Whether rounds by these rules have a hole card to guard."""
    return bool(rules.options.turn_key) and rules.has_hole_card()


def begin(transaction: Transaction) -> DealProgress:
    """The deal of a round whose bets are locked now."""
    if not guards_hole_card(transaction.rules):
        return DealProgress()
    kept = (*transaction.state.last_shoe.closed, *transaction.state.shoe.closed)
    # By its rhythm it is known to be a deal, and none of the cards before it belongs to it.
    by_rhythm = transaction.state.begins == transaction.stamped.number
    astray = not by_rhythm and any(transaction.state.unturned(card) and not card.burned for card in kept)
    anew = not by_rhythm and any(broke_off(one) or _follows_at_once(transaction, one) for one in transaction.left)
    return DealProgress("open", uneven=_ASTRAY if astray else transaction.state.unheard_before_deal, anew=anew)


def broke_off(round_now: Round) -> bool:
    """Whether a round that ends has fewer cards than any deal, and no key says that it is over."""
    few = 0 < len(round_now.cards.drawn) < deal_cards(1, hole=round_now.cards.hole_dealt)
    said = round_now.ending.closing or round_now.turn_pressed()
    return few and round_now.dealing.unturned() and not said


def _follows_at_once(transaction: Transaction, over: Round) -> bool:
    """Whether this card begins a round only since the last one has none left for it, which it follows without a pause.

    Nobody takes wagers and collects cards so soon: the deal may have begun with cards that the last round took for its.
    """
    card = transaction.stamped.input
    if not transaction.house.doubles_awaited or not isinstance(card, CardDrawn) or not over.cards.drawn:
        return False
    if transaction.state.denied_next:
        # A person has said that they are.
        return False
    return transaction.table_ns(card.at_ns) - over.dealing.last_ns < gap_ns(transaction)


def change_deal(transaction: Transaction, **fields: Any) -> None:  # noqa: ANN401 - tests/house/typed_changes.py says which
    """Change what is known of the open round's deal."""
    transaction.change_round(dealing=replace(transaction.round().dealing, **fields))


def _size(transaction: Transaction) -> int:
    """The cards of the deal, as the table counts its boxes."""
    return transaction.round().deal_cards()


def gap_ns(transaction: Transaction) -> int:
    """How long no card comes at the end of a deal."""
    stated_s = transaction.rules.options.deal_gap_s
    if stated_s:
        return stated_s * _SECOND_NS
    return max(_SECOND_NS, _GAP_TIMES * usual_ms(transaction) * 1_000_000)


def usual_ms(transaction: Transaction) -> int:
    """The usual time between two cards of a deal; 0: none has been dealt."""
    gaps = transaction.state.deal_gaps_ms
    return int(median(gaps)) if gaps else 0


def _rhythm_ms(transaction: Transaction) -> int:
    """The longest time between two cards that is of the dealer's rhythm."""
    return usual_ms(transaction) * _RHYTHM_PER_MILLE // 1000


def last_gaps_ms(transaction: Transaction) -> tuple[int, ...]:
    """The gaps before the last cards of the open round's deal, once it is confirmed that they are the deal's."""
    deal = transaction.round().dealing
    return deal.gaps_ms[-_LAST:] if deal.stands == "confirmed" else ()


def _in_rhythm(transaction: Transaction) -> bool:
    """Whether the last cards of the deal came as a dealer deals, and not as those of a player who draws quickly."""
    return all(gap <= _rhythm_ms(transaction) for gap in transaction.round().dealing.gaps_ms[-_LAST:])


# --- what comes -------------------------------------------------------------------------------------


def card_coming(transaction: Transaction, since_ns: int, at_ns: int) -> None:
    """Before a card is taken, reported at ``at_ns``: if a long gap lies before it, the clock has said so by now."""
    if (
        transaction.state.round is None
        or not transaction.round().dealing.unturned()
        or not transaction.round().cards.drawn
    ):
        return
    if since_ns < at_ns:
        _came_late(transaction, since_ns)
    deal = transaction.round().dealing
    if not _at_once(transaction, at_ns):
        change_deal(transaction, quiet_ns=max(deal.quiet_ns, at_ns))
        review(transaction)
    elif len(transaction.round().cards.drawn) == _size(transaction) and (deal.stands == "open" or deal.done_by):
        unconfirm(transaction, "a card followed the deal at once")


def _came_late(transaction: Transaction, since_ns: int) -> None:
    """A card is reported that left the shoe at some moment since ``since_ns``: what seemed a pause was perhaps none."""
    deal = transaction.round().dealing
    if deal.stands == "open":
        change_deal(transaction, uneven=deal.uneven or "a card was told late")
    elif (
        deal.stands == "confirmed"
        and len(transaction.round().cards.drawn) == _size(transaction)
        and _at_once(transaction, since_ns)
    ):
        unconfirm(transaction, "a card told late may have followed the deal at once")


def _at_once(transaction: Transaction, at_ns: int) -> bool:
    """Whether a card at ``at_ns`` follows the last one without a long gap."""
    return at_ns - transaction.round().dealing.last_ns < gap_ns(transaction)


def card_came(transaction: Transaction, at_ns: int) -> None:
    """A card of the round was taken."""
    if len(transaction.round().cards.drawn) == 1:
        _note_words(transaction)
    if transaction.state.undeclared and transaction.round().is_dealt():
        # A first card that turns out to be no round's must not make the table forget who took back a box.
        transaction.change(undeclared=())
    deal, count = transaction.round().dealing, len(transaction.round().cards.drawn)
    if deal.stands == "unguarded":
        return
    burned_ns, uneven, gaps_ms, size = transaction.state.burned_ns, deal.uneven, deal.gaps_ms, _size(transaction)
    if count == 1 and burned_ns >= 0 and at_ns - burned_ns < gap_ns(transaction):
        # Announced in vain, the burn was the deal's first card.
        uneven = uneven or "a burn came just before the deal"
    if deal.last_ns >= 0 and count <= size:
        gaps_ms = (*gaps_ms, (at_ns - deal.last_ns) // 1_000_000)
    if count == size:
        # The last may be those of a player who drew: a player must not slow the rhythm that judges the deal.
        kept = transaction.state.deal_gaps_ms + _of_rhythm(transaction.house, gaps_ms)
        transaction.change(deal_gaps_ms=kept[-_GAPS_KEPT:])
    change_deal(transaction, uneven=uneven, gaps_ms=gaps_ms, last_ns=at_ns, stirred_ns=at_ns)


def _of_rhythm(house: House, gaps_ms: tuple[int, ...]) -> tuple[int, ...]:
    """The gaps of a deal by which the dealer's rhythm is known; a stop counts as twice the usual gap of that deal."""
    known_ms = gaps_ms[:-_LAST]
    if not house.stops_set_apart or not known_ms:
        return known_ms
    most_ms = 2 * int(median(gaps_ms))
    return tuple(min(gap, most_ms) for gap in known_ms)


def _note_words(transaction: Transaction) -> None:
    """With the first card of a deal: keep who has said how many it has, and which boxes without chips it goes to.

    Of a spot whose chips were handed back by then it is no word alone that it is no box.
    """
    round_now, state = transaction.round(), transaction.state
    declared, burned = round_now.bets.declared, state.burned_since
    # A key that locks the bets says that a deal begins, whatever was said of the cards before it.
    after_word = state.denied_next and not round_now.bets.locked_by
    after_end = state.said_over and not round_now.bets.locked_by
    if declared or burned or after_word or after_end:
        change_deal(transaction, declared=declared, burned=burned, after_word=after_word, after_end=after_end)
    denied = [spot for spot in round_now.dealing.denied if cents_at(state.felt, spot, "main")]
    denied += [one.spot for one in state.undeclared if one.spot not in denied]
    if denied or round_now.dealing.denied:
        change_deal(transaction, denied=tuple(denied))
    if state.announcers and (burned or after_word or after_end) and transaction.house.declarations_traced:
        # A player who draws as quickly as the dealer deals bears out what is not so.
        transaction.change_round(by_order=True)
    transaction.rely_on(round_now.number, state.announcers)
    transaction.rely_on(round_now.number, [person for one in state.undeclared for person in one.people])
    transaction.change(burned_since=0, announcers=(), denied_next=False, said_over=False)


def note_ended_by_word(transaction: Transaction, people: tuple[Person, ...]) -> None:
    """The open round ends by what people have said, so that the cards that follow may be its own still."""
    if transaction.house.words_carried:
        announcers = dict.fromkeys((*transaction.state.announcers, *people))
        transaction.change(said_over=True, announcers=tuple(announcers))


def note_entry(transaction: Transaction, spot: int, *, dealt_in: bool) -> None:
    """A person has said whether a spot was dealt in, and with that how many cards the deal has."""
    deal = transaction.round().dealing
    if not transaction.house.words_traced:
        return
    known_spots.note_answered(transaction, spot, dealt_in=dealt_in)
    if dealt_in:
        change_deal(transaction, entered=(*deal.entered, spot))
    else:
        change_deal(transaction, denied=(*deal.denied, spot))


def key_came(transaction: Transaction, at_ns: int) -> None:
    """A key was pressed."""
    disturbed(transaction, "a key was pressed in the deal", at_ns)


def chips_came(transaction: Transaction, last_ns: int) -> None:
    """Chips moved, at the latest at ``last_ns``."""
    if transaction.state.round is not None and transaction.round().evidence.observations:
        first = next(
            (one.first_ns for one in transaction.round().evidence.observations if isinstance(one.item, CardObserved)),
            last_ns,
        )
        if last_ns > first:
            disturbed(transaction, "chips moved in the deal", last_ns)


def disturbed(transaction: Transaction, why: str, at_ns: int) -> None:
    """Something came that, between the cards of a deal, leaves its rhythm uncertain."""
    if transaction.state.round is None or not transaction.round().dealing.unturned():
        return
    deal = transaction.round().dealing
    between = 0 < len(transaction.round().cards.drawn) < _size(transaction)
    change_deal(transaction, stirred_ns=max(deal.stirred_ns, at_ns), uneven=deal.uneven or (why if between else ""))


def note_quiet(transaction: Transaction, quiet: ChipsConfirmed | DeadlinePassed) -> None:
    """Up to a moment nothing changed but what was reported: at these spots, or at all, as the clock says."""
    match quiet:
        case ChipsConfirmed(spots, upto_ns, unseen):
            looked, unwatched = confirmed_zones(transaction.state, spots, transaction.table_ns(upto_ns), unseen)
            transaction.change(confirmed=looked, unwatched_zones=unwatched)
        case DeadlinePassed(at_ns):
            _clock_reported(transaction, transaction.table_ns(at_ns))
        case _:
            assert_never(quiet)


def _clock_reported(transaction: Transaction, at_ns: int) -> None:
    """The clock says that nothing more has come."""
    if transaction.state.round is not None and transaction.round().dealing.unturned():
        change_deal(transaction, quiet_ns=max(transaction.round().dealing.quiet_ns, at_ns))


def can_only_lock_this_deal(transaction: Transaction) -> bool:
    """Whether the key *no more bets* can only be this deal's, whatever became of its chips, which players can exchange.

    So it is until the deal is confirmed or cannot be, and the first time where the house says it by that key.
    """
    round_now = transaction.round()
    deal = round_now.dealing
    if not deal.unturned() or not round_now.cards.drawn or round_now.ending.closing:
        return False
    always = round_now.options(transaction.rules).deal_key == "always"
    return deal.stands == "open" or (always and not deal.done_by)


def deal_done(transaction: Transaction) -> bool:
    """The key *no more bets* was pressed again: the deal is done. False: it says nothing of the deal.

    So long after a deal that needs it no more it may be meant for the next bets as well.
    """
    round_now = transaction.state.round
    if round_now is None or not round_now.dealing.unturned() or not round_now.cards.drawn:
        return False
    count, deal = len(round_now.cards.drawn), round_now.dealing
    if can_only_lock_this_deal(transaction):
        # Pressed between its cards it is a key in the deal, which leaves the count uncertain.
        change_deal(transaction, done_by=transaction.stamped.number)
        return not round_now.is_published_irregular()
    if round_now.is_published_irregular() or is_long_after_last_card(transaction):
        return False
    return deal.stands == "confirmed" and count == _size(transaction) and not transaction.state.presses


# --- what follows -----------------------------------------------------------------------------------


def review(transaction: Transaction) -> None:
    """Confirm the deal, or say that it cannot be, once its key or a long gap has come."""
    round_now = transaction.round()
    deal = round_now.dealing
    if deal.stands != "open" or not round_now.cards.drawn or not round_now.bets.locked or round_now.is_suspended():
        return
    count, cards = len(round_now.cards.drawn), _size(transaction)
    quiet = deal.quiet_ns >= deal.last_ns + gap_ns(transaction)
    by_key = round_now.options(transaction.rules).deal_key == "always"
    even = count == cards and not deal.uneven and (by_key or _in_rhythm(transaction))
    if even and (deal.done_by or (quiet and not by_key)):
        change_deal(transaction, stands="confirmed")
    elif quiet and count < cards:
        unconfirm(transaction, f"a pause after card {count} of {cards}")
    elif quiet and deal.uneven:
        unconfirm(transaction, deal.uneven)
    elif count > cards:
        unconfirm(transaction, "nothing said that the deal was done")
    elif quiet and not even:
        unconfirm(transaction, "its last cards came slowly enough to be drawn ones")


def dealt_ns(transaction: Transaction) -> int:
    """When the last card of the deal came, as the table counts its boxes, in table time; never, if it has not."""
    cards = [one for one in transaction.round().evidence.observations if isinstance(one.item, CardObserved)]
    return cards[_size(transaction) - 1].last_ns if len(cards) >= _size(transaction) else NEVER_ENDS


def is_followed_at_once(transaction: Transaction, until: int) -> bool | None:
    """Whether a card followed the last of the deal without a long gap, a key or chips between; None: not known yet.

    The deal may then have another card than counted. ``until``: up to when the readers have confirmed the layout.
    """
    round_now, size = transaction.round(), _size(transaction)
    evidence = round_now.evidence.observations
    cards = [one for one in evidence if isinstance(one.item, CardObserved)]
    if len(cards) <= size:
        deal = round_now.dealing
        stopped = len(cards) == size and deal.quiet_ns >= deal.last_ns + gap_ns(transaction)
        return False if stopped else None
    last, follows = cards[size - 1], cards[size]
    if follows.last_ns - last.last_ns >= gap_ns(transaction):
        return False
    if last.number < round_now.dealing.done_by < follows.number:
        return False
    if any(
        one.first_ns < follows.last_ns and one.last_ns > last.last_ns
        for one in evidence
        if not isinstance(one.item, CardObserved)
    ):
        return False
    return True if until >= follows.last_ns else None


def paused_in_deal(transaction: Transaction) -> bool:
    """Whether a long gap lies among the cards of the deal, as the table counts its boxes."""
    gaps_ms = transaction.round().dealing.gaps_ms[: _size(transaction) - 1]
    return any(gap * 1_000_000 >= gap_ns(transaction) for gap in gaps_ms)


def rests_on_word(transaction: Transaction, round_now: Round) -> bool:
    """Whether only a person's word says how many cards the deal of a round has, as its rhythm does not bear that out.

    With a box declared, or said to have been dealt in, in vain it stops two cards short of what the table counts, with
    a burn announced in vain one card short, and those that players draw later complete it. With a box that was denied
    in vain it goes on for two cards, which the table takes for players'. Its own first cards are the measure. Once
    another person has answered that the cards are those counted, it is so.
    """
    if not transaction.house.words_confirmed or not round_now.is_counted_by_word():
        return False
    asked = round_now.questions
    if asked.miscounted and not asked.doubt and not round_now.evidence.trouble:
        return False
    if not round_now.is_dealt():
        # Before that it is not whole, whatever was said.
        return len(round_now.cards.drawn) >= round_now.deal_cards() - round_now.cards_on_word()
    cards = [one.last_ns for one in round_now.evidence.observations if isinstance(one.item, CardObserved)]
    gaps = [later - sooner for sooner, later in pairwise(cards[: round_now.deal_cards()])]
    usual = int(median(gaps[:-_LAST] or gaps[:1]))
    late_ns = max(_DECISION_NS, usual * _RHYTHM_PER_MILLE // 1000)
    if round_now.boxes_denied() and _goes_on(round_now, late_ns):
        return True
    paused = any(gap >= max(_SECOND_NS, _GAP_TIMES * usual) for gap in gaps)
    return bool(round_now.cards_on_word()) and (paused or any(gap > late_ns for gap in gaps[-_LAST:]))


def _goes_on(round_now: Round, late_ns: int) -> bool:
    """Whether cards follow the deal as a box more would have them, none later than this and nothing between them.

    Where nothing is closed until the turn the first of them may settle a wager, and is enough.
    """
    size, evidence = round_now.deal_cards(), round_now.evidence.observations
    more = 1 if round_now.dealing.stands == "unguarded" else _LAST
    cards = [one for one in evidence if isinstance(one.item, CardObserved)][size - 1 : size + more]
    if len(cards) <= more or cards[0].number < round_now.dealing.done_by < cards[-1].number:
        return False
    from_ns, to_ns = cards[0].last_ns, cards[-1].last_ns
    others = (one for one in evidence if not isinstance(one.item, CardObserved))
    if any(one.first_ns < to_ns and one.last_ns > from_ns for one in others):
        return False
    return all(later.last_ns - sooner.last_ns <= late_ns for sooner, later in pairwise(cards))


def unconfirm(transaction: Transaction, why: str, stands: DealStatus = "unconfirmed") -> None:
    """The deal is not certain; what is closed stays so until the turn."""
    before = transaction.round().dealing.stands
    change_deal(transaction, stands=stands)
    if before in {"open", "confirmed"}:
        transaction.emit(DealUnconfirmed(transaction.round().number, why))


def deal_corrected(transaction: Transaction, why: str) -> None:
    """Cards or boxes were corrected: whatever is closed now stays closed until the turn, wherever its place is now."""
    round_now = transaction.round()
    if round_now.dealing.unturned() and round_now.cards.drawn:
        unconfirm(transaction, why, "moved")


def may_end_by_card(transaction: Transaction, at_ns: int) -> bool:
    """Whether a card at ``at_ns`` may be the next round's although no key has ended this one.

    Chips alone do not say so while the hole card is not turned, for a player can move them: where the dealer's key
    turns it, the key must have come; and no card begins a round that follows the last one at once, or chips that may
    only be on their way past a hand.
    """
    if not transaction.round().dealing.unturned():
        return True
    return may_end_by_key(transaction) and not _at_once(transaction, at_ns) and not _just_added_to(transaction, at_ns)


def _just_added_to(transaction: Transaction, at_ns: int) -> bool:
    """Whether chips came to a wager of the round so short a time before a card that they may only be passing.

    Payment they would be if they stay: between it and the next deal lies the time between two rounds. A deal that comes
    sooner all the same is known by its rhythm.
    """
    round_now = transaction.round()
    return any(
        one.zone == "main"
        and at_ns - one.from_ns < (_HANDED_BACK_NS if _is_too_much(transaction, one) else BETWEEN_ROUNDS_NS)
        and not set(one.lay).isdisjoint(round_now.cards.lying)
        for one in round_now.evidence.visits
    )


def _is_too_much(transaction: Transaction, came: ChipVisit) -> bool:
    """Whether what came may be too large a double."""
    if not transaction.house.slips_reckoned:
        return False
    lay, more = (worth(chips, transaction.house.chips, {}) for chips in (came.lay, came.came))
    return is_beyond_one_move(transaction, came.spot, lay, lay + more)


def is_beyond_one_move(transaction: Transaction, spot: int, lay_cents: int, now_cents: int) -> bool:
    """Whether more came to a spot than a double or split adds: of a box that was split or doubled before, its wager."""
    round_now = transaction.state.round
    if exceeds_one_move(lay_cents, now_cents):
        return True
    if not transaction.house.splits_awaited or round_now is None or spot not in round_now.bets.spots:
        return False
    return 0 < lay_cents < now_cents - round_now.main_wagers()[round_now.bets.spots.index(spot)]


def may_end_by_key(transaction: Transaction) -> bool:
    """Whether the key of the next bets says that this round is over: not where the key of the turn must come first.

    That key may not have been heard while the keypad was lost: the round then ends with its hole card closed. So it
    does where the key came and turned nothing, since by the table's count the deal was not done.
    """
    round_now = transaction.round()
    return turn_needs_no_key(transaction) or round_now.evidence.keys_unheard or round_now.turn_pressed()


def is_long_after_last_card(transaction: Transaction) -> bool:
    """Whether what is pressed now comes so long after the last card that the next bets may have been laid.

    A dealer who then locks them has forgotten the key of the turn, and the round ends with its hole card closed. While
    its cards are dealt or drawn the key is a slip of the finger.
    """
    round_now = transaction.round()
    quiet_ns = transaction.table_ns(transaction.stamped.at_ns) - round_now.dealing.last_ns
    return round_now.is_dealt() and quiet_ns >= BETWEEN_ROUNDS_NS


def turn_needs_no_key(transaction: Transaction) -> bool:
    """Whether the open round is of a house where no key need say that the hole card is turned."""
    return transaction.round().options(transaction.rules).turn_key == "sometimes"


def ends_unturned(transaction: Transaction) -> bool:
    """Whether the round ends now without the key of the hole card's turn, where a key must say it."""
    round_now = transaction.round()
    said = round_now.ending.closing or round_now.cards.turn_key or turn_needs_no_key(transaction)
    return bool(round_now.cards.drawn) and round_now.dealing.unturned() and not said


def deadline_ns(transaction: Transaction) -> int:
    """When the clock is to say that nothing more has come, in table time; -1: no need."""
    round_now = transaction.state.round
    if round_now is None or not round_now.dealing.unturned() or not round_now.cards.drawn:
        return -1
    deal, options = round_now.dealing, round_now.options(transaction.rules)
    wanted = -1
    if deal.stands == "open":
        wanted = deal.last_ns + gap_ns(transaction)
    elif deal.stands == "confirmed" and options.turn_key == "sometimes":
        wanted = deal.stirred_ns + options.turn_pause_s * _SECOND_NS
    return wanted if wanted > deal.quiet_ns else -1
