"""What the devices should be sent, given the table: the dealer's line, the looks, the signs, the sensors."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from controller.core.betting import acceptance, bet_sensors, closed_meters
from controller.core.certainty import deal_confirmation, round_end, shared_chips
from controller.core.certainty.agreed_dues import confirmation_needed_ns, confirmed_until_ns, has_open_wagers
from controller.core.people import answers
from controller.core.progressives import live_meters
from controller.core.round import awaited_bets, chips_in_motion, missed_cards, next_deal, stalled_round
from controller.core.surveillance import monitor, pay_advice, shoe_check
from controller.core.table import readiness
from controller.core.table.desired import Desired
from controller.core.table.round_state import Round
from controller.core.table.transaction import Transaction

_READING_BETS: Final = "Reading the bets"
_TABLE_CLOSED: Final = "Table closed: call floor"
_NEW_ROUND_ASKED: Final = "Bets not locked: new round? yes/no"
_ROUND_OVER_ASKED: Final = "Round over? yes/no"


def wanted(transaction: Transaction) -> Desired:
    """What the devices should be sent, meters, sensors and looks for the sake of protection included."""
    found = _until_chips_rest(transaction, _desired(transaction))
    found = live_meters.with_meters(transaction.state.progressives, found)
    return monitor.with_second_looks(transaction, bet_sensors.with_sensors(transaction, found))


def _until_chips_rest(transaction: Transaction, found: Desired) -> Desired:
    """The same, with the moment at which chips that move now have come to rest."""
    at_ns = chips_in_motion.deadline_ns(transaction)
    return replace(found, deadline_ns=min(found.deadline_ns or at_ns, at_ns)) if at_ns else found


def _desired(transaction: Transaction) -> Desired:
    """What the devices should be sent, given the table."""
    round_now = transaction.state.round
    if transaction.state.deferred:
        table = transaction.table()
        first_ns = awaited_bets.awaited_ns(table, transaction.state.deferred)
        confirm_ns = max(first_ns - transaction.state.offset_ns, 1)
        if round_now is not None and awaited_bets.waits_for_deal(table):
            due_ns = next_deal.deadline_ns(table) - transaction.state.offset_ns
            return Desired(_display(transaction, round_now), confirm_ns, deadline_ns=max(due_ns, 1))
        return Desired(_READING_BETS, confirm_ns)
    if round_now is None:
        waiting = answers.question_shown(transaction.state)
        opened = _TABLE_CLOSED if readiness.block_reason(transaction.state) else _opened_text(transaction)
        return Desired(opened if waiting is None else _asked_text(waiting))
    wanted = confirmation_needed_ns(transaction)
    # After a reboot what is wanted may lie before the machine's clock began; any moment of it will do.
    confirm_ns = max(wanted - transaction.state.offset_ns, 1) if wanted > confirmed_until_ns(transaction) else 0
    due = [ns for ns in (deal_confirmation.deadline_ns(transaction), stalled_round.deadline_ns(transaction)) if ns >= 0]
    deadline_ns = max(min(due) - transaction.state.offset_ns, 1) if due else 0
    return Desired(
        _display(transaction, round_now), confirm_ns, round_end.zones_to_watch(transaction), deadline_ns=deadline_ns
    )


def question_displayed(transaction: Transaction) -> int:
    """The number of the question on the dealer's display; 0: another line stands there."""
    shown, round_now = answers.question_shown(transaction.state), transaction.state.round
    if shown is None or transaction.state.deferred:
        return 0
    if round_now is None or round_now.questions.doubt or round_now.questions.unkeyed:
        return shown.number
    return 0 if shared_chips.display_text(transaction) else shown.number


def _opened_text(transaction: Transaction) -> str:
    """The line while bets are open."""
    return (
        shoe_check.burns_text(transaction)
        or closed_meters.display_text(transaction.house, transaction.state)
        or "Bets open"
    )


def _display(transaction: Transaction, round_now: Round) -> str:
    """The line on the dealer's keypad while a round is open. Before the turn it cannot depend on the hole card."""
    if round_now.questions.doubt:
        return missed_cards.question_text(round_now)
    if round_now.questions.unkeyed:
        return _NEW_ROUND_ASKED
    if between := shared_chips.display_text(transaction):
        return between
    if round_now.questions.entry:
        return acceptance.entry_text(round_now)
    if round_now.questions.lingers:
        return _ROUND_OVER_ASKED
    if round_now.is_published_irregular():
        return "Call the floor"
    if round_now.waits_for_card():
        return "Card not read: call the floor"
    asked = answers.question_shown(transaction.state)
    if asked is not None:
        return _asked_text(asked, over=False)
    if laid := closed_meters.display_text(transaction.house, transaction.state):
        return laid
    if burns := shoe_check.burns_text(transaction):
        return burns
    ready = (
        (round_now.cards.turned or not round_now.cards.hole_dealt)
        and not round_now.hides_faces()
        and not has_open_wagers(transaction)
    )
    if (
        ready
        and transaction.rules.options.pay_advice == "keypad"
        and (text := pay_advice.display_text(transaction.state.advice))
    ):
        return text
    return f"Round {round_now.number}: take and pay" if ready else f"Round {round_now.number}"


def _asked_text(shown: answers.QuestionShown, *, over: bool = True) -> str:
    """A question as the dealer reads it; of a round that is ``over`` with its number."""
    assert shown.asked is not None, "between rounds no question holds a round"
    return shown.asked.question.shown(shown.round.bets.spots, shown.round.number if over else 0)
