"""Chips laid in the middle of the deal at a spot that is no box: the dealer may have dealt that bettor in.

They are no wager of the round, and raise an alert. But where a card follows the last of the deal at once, with no key
and no chips between, it may be dealt to one box more, and then every card after theirs goes elsewhere. A person says
whether it was; until then nothing of the round is published. Who says so once hands were played, when the outcome may
be known, raises an alert. The floor says so too, by declaring the box. Where the deal stops at its last card they were
not dealt in. What is known of neither when the round ends is named with its open wagers.
"""

from __future__ import annotations

from controller.core.betting import acceptance
from controller.core.betting.lock import Bets, replace_bets
from controller.core.certainty import deal_confirmation, uncertain_wagers
from controller.core.certainty.rebuild import rebuild_with_outages
from controller.core.game.wager import LockedWager
from controller.core.inference.observation import KeyObserved
from controller.core.messages.events import QuestionWithdrawn, WagerUnresolved
from controller.core.messages.floor_events import BoxDeclared
from controller.core.messages.raised_alerts import AlertKind
from controller.core.progressives.live_meters import contribute
from controller.core.table.alert_list import named_people, raise_alert_about
from controller.core.table.layout import ZoneChange
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_WHY = "laid in the middle of the deal, and dealt in"


def note_late_bet(transaction: Transaction, change: ZoneChange, first_ns: int) -> None:
    """Keep what lies at a spot that is no box when the deal is done; ``first_ns``: the first moment of the change."""
    round_now = transaction.round()
    if change.spot in round_now.bets.spots or not deal_confirmation.guards_hole_card(transaction.rules):
        return
    before_deal = change.zone == "main" or uncertain_wagers.is_before_deal_zone(transaction, change.zone)
    if not before_deal or first_ns >= deal_confirmation.dealt_ns(transaction):
        return
    others = tuple(one for one in round_now.bets.late if (one.spot, one.bet) != (change.spot, change.zone))
    laid = (LockedWager(change.spot, change.zone, change.after),) if change.after else ()
    transaction.change_bets(late=(*others, *laid))


def review(transaction: Transaction, until: int) -> None:
    """Ask about a late bettor once a card has followed the deal at once, as the readers have confirmed ``until`` then.

    With a pause after the last card nobody was dealt in.
    """
    round_now = transaction.round()
    if not round_now.bets.late or round_now.evidence.trouble or round_now.is_suspended():
        return
    beyond = deal_confirmation.is_followed_at_once(transaction, until)
    spots = sorted({one.spot for one in round_now.bets.late if one.bet == "main"})
    if beyond and spots:
        transaction.change_questions(entering=tuple(spots))
        acceptance.ask_or_publish_lock(transaction)
    elif beyond is not None:
        # A side wager without a main wager is none.
        transaction.change_bets(late=())


def is_asked_about(transaction: Transaction) -> bool:
    """Whether the question who was let in is about a late bettor."""
    entering = transaction.round().questions.entering
    return bool(entering) and entering[0] not in transaction.round().bets.spots


def answered(transaction: Transaction, answer: str, who: str) -> None:
    """A person said whether a late bettor was dealt in; who was is a box, of whose play nothing was seen so far."""
    spot = transaction.round().questions.entering[0]
    refused = acceptance.entry_answered(transaction, answer, who)
    if transaction.round().questions.entry:
        return
    coming = tuple(one for one in transaction.round().bets.late if one.spot == spot)
    transaction.change_bets(late=tuple(one for one in transaction.round().bets.late if one.spot != spot))
    if not refused:
        _deal_in(transaction, spot, coming, who)
    note_said_late(transaction, who, spot, "was not dealt in" if refused else "was dealt in")
    if transaction.round().questions.entering:
        acceptance.ask_or_publish_lock(transaction)


def laid_beside(transaction: Transaction, spot: int) -> tuple[LockedWager, ...]:
    """The side wagers that a late bettor laid at a spot, where the floor's word for the box is one for them too."""
    late = transaction.round().bets.late if transaction.house.declarations_answer else ()
    return tuple(one for one in late if one.spot == spot and one.bet != "main")


def declared(transaction: Transaction, spot: int) -> None:
    """The floor has declared a box, for an amount of its own: where a late bettor's chips lie he was dealt in."""
    if not transaction.house.declarations_answer:
        return
    transaction.change_bets(late=tuple(one for one in transaction.round().bets.late if one.spot != spot))
    asked = transaction.round().questions
    if spot not in asked.entering:
        return
    if asked.entering[0] == spot:
        transaction.emit(QuestionWithdrawn(asked.entry))
        transaction.change_questions(entry=0)
    transaction.change_questions(entering=tuple(one for one in asked.entering if one != spot))
    if transaction.round().questions.entering and not transaction.round().questions.entry:
        acceptance.ask_or_publish_lock(transaction)


def note_said_late(transaction: Transaction, who: str, spot: int, said: str) -> None:
    """Raise what one person says of a wager once hands are played, when the outcome may be known."""
    round_now = transaction.state.round
    if round_now is None or not transaction.house.floor_claims_checked or not _play_has_begun(round_now, spot):
        return
    text = f"{who} alone: spot {spot} {said}, said once hands were played"
    raise_alert_about(
        transaction, named_people(transaction), AlertKind.CORRECTED_ALONE, text, round=round_now.number, spot=spot
    )


def _play_has_begun(round_now: Round, spot: int) -> bool:
    """Whether a hand has been played on: a key says so, or a card beyond the deal with a box at ``spot``."""
    beyond = len(round_now.cards.drawn) > round_now.deal_cards(len({*round_now.bets.spots, spot}))
    keyed = any(isinstance(one.item, KeyObserved) for one in round_now.evidence.observations)
    return beyond or keyed


def _deal_in(transaction: Transaction, spot: int, coming: tuple[LockedWager, ...], who: str) -> None:
    """A late bettor's wagers are of the round."""
    bets = transaction.round().bets
    coming = tuple(sorted(coming, key=LockedWager.sort_key))
    stand, refused = acceptance.accepted_wagers(transaction.house, coming, bets.closed_meters)
    wagers = sorted((*bets.wagers, *stand), key=LockedWager.sort_key)
    spots = tuple(sorted((*bets.spots, spot)))
    number, cents = transaction.round().number, stand[0].cents
    transaction.emit(BoxDeclared(number, spot, cents, who, _WHY, stand[1:], transaction.answerer_known_by()))
    if bets.contributed:
        contribute(transaction, stand)
    replace_bets(transaction, Bets(spots, tuple(wagers), bets.declared, (*bets.refused, *refused)))
    now_ns = transaction.table_ns(transaction.stamped.at_ns)
    unseen = transaction.round().main_zone_outage(spots.index(spot), bets.lock_ns, now_ns)
    rebuild_with_outages(transaction, (*transaction.round().evidence.outages, unseen))


def leave_open(transaction: Transaction) -> None:
    """The round ends, and it is not known whether its late bettors were dealt in: the floor rules on what they laid."""
    number, late = transaction.round().number, transaction.round().bets.late
    transaction.emit(*(WagerUnresolved(number, one.spot, one.bet, one.cents, ()) for one in late))
    transaction.change_bets(late=())
