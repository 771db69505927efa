"""Which of the chips that lie there at the lock are wagers, and which of them raise an alert.

What the card refuses is no wager, exactly as a scripted round has it (``scripted_account.refused_side_bet``,
``procedures``): a side wager without a main wager, a side wager of another amount than its one stake, a side wager that
is made after the deal. A wager outside the limits of the table's sign was accepted if cards are dealt to it, and stands
(COMAR 36.05.03.14 C).

Who did not bet the last round may be refused until the shuffle. Chips cannot show whether the dealer dealt to such a
box, and the cards after it go elsewhere if he did: so a person says it, and until then nothing of the round is
published.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from controller.core.analysis.scripted_account import refused_side_bet
from controller.core.betting import closed_meters
from controller.core.certainty import deal_confirmation, known_spots, shared_chips, uncertain_wagers
from controller.core.certainty.agreed_dues import confirmation_needed_ns, confirmed_until_ns
from controller.core.certainty.side_wagers import is_after_deal_bet, row_known
from controller.core.game.procedures import refused_wager
from controller.core.game.refusals import Refusal
from controller.core.game.rules import Rules
from controller.core.game.side_bet import terms_of
from controller.core.game.wager import LockedWager
from controller.core.messages.alerts import MidShoeEntry, SideBetRefused, SideBetWithoutMain, WagerOutsideLimits
from controller.core.messages.events import BettingClosed, Event, QuestionWithdrawn
from controller.core.messages.house import House
from controller.core.table.layout import ZoneChange
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_Wagers = tuple[LockedWager, ...]


def accepted_wagers(house: House, lying: _Wagers, closed: Mapping[str, str]) -> tuple[_Wagers, _Wagers]:
    """What lies there, main first at each spot, as the wagers that stand and those the card or the house refuses."""
    mains = {wager.spot for wager in lying if wager.bet == "main"}
    refused = tuple(
        wager
        for wager in lying
        if wager.bet != "main" and (wager.spot not in mains or _refusal_of(house, wager, closed) is not None)
    )
    return tuple(wager for wager in lying if wager not in refused), refused


def _refusal_of(house: House, wager: LockedWager, closed: Mapping[str, str]) -> Refusal | None:
    """Why a side wager beside a main wager is none, ``closed`` being the meters closed at the lock; None: it is one."""
    by_card = refused_side_bet(house.rules, wager.bet, wager.cents)
    return by_card or closed_meters.refusal_while_closed(house, closed, wager.bet)


def _limits_of(rules: Rules, bet: str) -> tuple[int | None, int | None]:
    """Least and highest amount of a wager by the table's sign; None: no such limit."""
    if bet == "main":
        return rules.options.minimum_cents or None, rules.options.maximum_cents or None
    return None, rules.options.side_maximum_cents or None


def _outside(rules: Rules, bet: str, cents: int) -> bool:
    """Whether a wager is outside the table's limits."""
    return refused_wager(rules, cents, sat_out=False, in_mid_shoe=False, main=bet == "main") is not None


def _published_at_lock(house: House, round_now: Round) -> Iterator[Event]:
    """What the wagers of a lock want a person to know."""
    rules, number = house.rules, round_now.number
    for wager in round_now.bets.refused:
        if wager.bet == "main":
            # A newcomer's who was sent away, of whom a person has just said so.
            continue
        if wager.spot in round_now.bets.spots:
            refusal = _refusal_of(house, wager, round_now.bets.closed_meters)
            assert refusal is not None, "a side wager beside a main wager is refused by a rule"
            yield SideBetRefused(number, wager.spot, wager.bet, wager.cents, refusal.rule, refusal.sentence)
        else:
            yield SideBetWithoutMain(number, wager.spot, wager.bet, wager.cents)
    yield from uncertain_wagers.events_at_lock(round_now)
    yield from outside_limits(rules, number, round_now.bets.wagers)


def outside_limits(rules: Rules, number: int, wagers: _Wagers) -> Iterator[WagerOutsideLimits]:
    """The wagers of a round that are outside the limits on the table's sign."""
    for wager in wagers:
        if _outside(rules, wager.bet, wager.cents):
            yield WagerOutsideLimits(number, wager.spot, wager.bet, wager.cents, *_limits_of(rules, wager.bet))


def lock_confirmed(transaction: Transaction) -> None:
    """The readers have confirmed the lock: say what is locked, or first ask who was let in."""
    entering = known_spots.newcomers(
        transaction,
        tuple(spot for spot in transaction.round().bets.spots if spot not in transaction.round().bets.declared),
    )
    mains = dict(zip(transaction.round().bets.spots, transaction.round().main_wagers(), strict=True))
    transaction.emit(*(MidShoeEntry(transaction.round().number, spot, mains[spot]) for spot in entering))
    transaction.change_questions(entering=entering)
    ask_or_publish_lock(transaction)


def ask_or_publish_lock(transaction: Transaction) -> None:
    """Ask about the next newcomer; with none left tell the lock."""
    entering = transaction.round().questions.entering
    if entering:
        text = entry_text(transaction.round())
        transaction.change_questions(entry=transaction.ask(entering[0], text, ("yes", "no")))
        return
    declarers = (one for one in transaction.state.declarers if one.spot in transaction.round().bets.declared)
    transaction.rely_on(transaction.round().number, [person for one in declarers for person in one.people])
    if carried := known_spots.carry(transaction):
        deal_confirmation.change_deal(transaction, carried=carried)
    locked = BettingClosed(transaction.round().number, transaction.round().bets.wagers, transaction.house.profile_hash)
    transaction.emit(locked, *_published_at_lock(transaction.house, transaction.round()))
    closed_meters.raise_standing(transaction)


def entry_text(round_now: Round) -> str:
    """The question about a newcomer, or about a late bettor, who has no box yet, as the dealer reads it."""
    spot = round_now.questions.entering[0]
    return f"Spot {spot} {'came in mid shoe' if spot in round_now.bets.spots else 'bet late'}: dealt in?"


def entry_answered(transaction: Transaction, answer: str, who: str) -> int:
    """A person said whether a newcomer was dealt in; the spot that was not, to be taken out of the round, else 0."""
    spot, *rest = transaction.round().questions.entering
    bets = transaction.round().bets
    laid = tuple(one for one in (*bets.wagers, *bets.late) if one.spot == spot)
    denied = laid if answer == "no" else ()
    if not transaction.takes_yes_or_no(transaction.round().questions.entry, answer, who, denied):
        return 0
    transaction.change_questions(entry=0, entering=tuple(rest), entry_told=True)
    deal_confirmation.note_entry(transaction, spot, dealt_in=answer == "yes")
    return spot if answer == "no" else 0


def abandon_lock(transaction: Transaction) -> None:
    """The round ends before its lock was published: its wagers go on the books as they lie, for the floor.

    No person has said who was let in, or the readers have not confirmed what lay there.
    """
    if transaction.round().questions.entry:
        known_spots.note_unanswered(transaction)
        transaction.emit(QuestionWithdrawn(transaction.round().questions.entry))
        if transaction.round().questions.entering[0] not in transaction.round().bets.spots:
            # A late bettor's: the lock has been published.
            transaction.change_questions(entry=0, entering=())
            return
    elif transaction.round().bets.locked or not transaction.round().cards.drawn:
        return
    transaction.change_bets(locked=True)
    transaction.change_questions(entry=0, entering=())
    ask_or_publish_lock(transaction)


def is_handed_back(round_now: Round, change: ZoneChange) -> bool:
    """Whether a change returns what is no wager, or the chips of a newcomer who has not been let in.

    Any change may return chips of which it is not known whether they are a wager, or, once the deal is done, pay those
    of a late bettor.
    """
    if round_now.is_wager_uncertain(change.spot, change.zone):
        return True
    if round_now.is_dealt() and any(one.spot == change.spot for one in round_now.bets.late):
        return True
    if change.after >= change.before:
        return False
    refused = any((one.spot, one.bet) == (change.spot, change.zone) for one in round_now.bets.refused)
    return refused or (change.spot in round_now.questions.entering and change.after == 0)


def is_side_wager_taken(transaction: Transaction, change: ZoneChange) -> bool:
    """Whether a change takes or pays a side wager: one that the cards have decided, or a stake "for one" collected.

    A stake that is not returned is taken off before the deal (A22). While the readers have still to confirm the deal a
    wager may have been decided and paid that is not settled yet; so it may while the aggregate limit keeps its amount
    open.
    """
    round_now = transaction.round()
    if not any((wager.spot, wager.bet) == (change.spot, change.zone) for wager in round_now.bets.wagers):
        return False
    terms = terms_of(transaction.rules, change.zone)
    if change.after == 0 and (terms.awards_cents or terms.meter_shares):
        return True
    if not shared_chips.may_be_dealt(transaction):
        return False
    decided = (change.spot, change.zone) in round_now.ending.settled
    if not decided and (
        round_now.must_ignore_faces() or (transaction.rules.aggregate_limit_cents and not round_now.hides_faces())
    ):
        decided = row_known(transaction, change.spot, change.zone)
    return decided or confirmed_until_ns(transaction) < confirmation_needed_ns(transaction)


def is_after_deal_zone(rules: Rules, zone: str) -> bool:
    """Whether a zone is that of a side wager made after the deal."""
    return zone in rules.side_bets and is_after_deal_bet(zone)


def check_after_deal_limit(transaction: Transaction, change: ZoneChange) -> None:
    """A side wager made after the deal is above the table's limit."""
    if is_after_deal_zone(transaction.rules, change.zone) and _outside(transaction.rules, change.zone, change.after):
        limits = _limits_of(transaction.rules, change.zone)
        transaction.emit_guarded(
            WagerOutsideLimits(transaction.round().number, change.spot, change.zone, change.after, *limits)
        )


def alert_not_offered(transaction: Transaction, change: ZoneChange) -> Event | None:
    """A rise where a wager is made after the deal that is none: no main wager beside it, or another up card."""
    up = transaction.lattice().game.up_points
    if not is_after_deal_zone(transaction.rules, change.zone) or change.after < change.before or not up:
        return None
    number = transaction.round().number
    if change.spot not in transaction.round().bets.spots:
        return SideBetWithoutMain(number, change.spot, change.zone, change.after)
    if up in terms_of(transaction.rules, change.zone).up_cards:
        return None
    shown = "ace" if up == 1 else str(up)
    sentence = f"{change.zone} is not offered against an up card of {shown}"
    return SideBetRefused(number, change.spot, change.zone, change.after, f"{change.zone}.up_cards", sentence)
