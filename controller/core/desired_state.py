"""What the devices should be told, given the table: the dealer's line, the looks, the signs, the sensors."""

from __future__ import annotations

from controller.core.betting import acceptance, bet_sensors, closed_meters
from controller.core.certainty import deal_confirmation, round_end, shared_chips
from controller.core.certainty.agreed_dues import known_until, latest, open_bets
from controller.core.people import answers
from controller.core.progressives import live_meters
from controller.core.round import awaited_bets, begin_question, missed_cards, next_deal, stalled_round
from controller.core.surveillance import monitor, pay_advice, shoe_check
from controller.core.table import readiness
from controller.core.table.desired import Desired
from controller.core.table.state import Round
from controller.core.table.transaction import Desk


def wanted(desk: Desk) -> Desired:
    """What the devices should be told, meters, sensors and looks for the sake of protection included."""
    found = live_meters.with_meters(desk.state.progressives, desired(desk))
    return monitor.looking_again(desk, bet_sensors.with_sensors(desk, found))


def desired(desk: Desk) -> Desired:
    """What the devices should be told, given the table."""
    round_now = desk.state.round
    if desk.state.held:
        table = desk.table()
        first_ns = awaited_bets.moment(table, desk.state.held)
        confirm_ns = max(first_ns - desk.state.offset_ns, 1)
        if round_now is not None and awaited_bets.waits_for_deal(table):
            due_ns = next_deal.deadline_ns(table) - desk.state.offset_ns
            return Desired(display(desk, round_now), confirm_ns, deadline_ns=max(due_ns, 1))
        return Desired(awaited_bets.SHOWN, confirm_ns)
    if round_now is None:
        waiting = answers.question_shown(desk.state)
        opened = readiness.SHOWN if readiness.closed_by(desk.state) else opened_text(desk)
        return Desired(opened if waiting is None else asked_text(waiting))
    wanted = latest(desk)
    # After a reboot what is wanted may lie before the machine's clock began; any moment of it will do.
    confirm_ns = max(wanted - desk.state.offset_ns, 1) if wanted > known_until(desk) else 0
    due = [ns for ns in (deal_confirmation.deadline_ns(desk), stalled_round.deadline_ns(desk)) if ns >= 0]
    deadline_ns = max(min(due) - desk.state.offset_ns, 1) if due else 0
    return Desired(display(desk, round_now), confirm_ns, round_end.watched(desk), deadline_ns=deadline_ns)


def opened_text(desk: Desk) -> str:
    """The line while bets are open."""
    return shoe_check.burns_text(desk) or closed_meters.display(desk.house, desk.state) or "Bets open"


def display(desk: Desk, round_now: Round) -> str:
    """The line on the dealer's keypad while a round is open. Before the turn it cannot depend on the hole card."""
    if round_now.doubt:
        return missed_cards.shown(round_now)
    if round_now.unkeyed:
        return begin_question.SHOWN
    if between := shared_chips.shown(desk):
        return between
    if round_now.entry:
        return acceptance.entry_text(round_now.entering[0])
    if round_now.lingers:
        return stalled_round.SHOWN
    if round_now.trouble_told():
        return "Call the floor"
    if round_now.waits_for_card():
        return "Card not read: call the floor"
    asked = answers.question_shown(desk.state)
    if asked is not None:
        return asked_text(asked, over=False)
    if laid := closed_meters.display(desk.house, desk.state):
        return laid
    ready = (round_now.turned or not round_now.hole_dealt) and not round_now.hides() and not open_bets(desk)
    if ready and desk.rules.options.pay_advice == "keypad" and (text := pay_advice.shown(desk.state.advice)):
        return text
    return f"Round {round_now.number}: take and pay" if ready else f"Round {round_now.number}"


def asked_text(shown: answers.QuestionShown, *, over: bool = True) -> str:
    """A question as the dealer reads it; of a round that is ``over`` with its number."""
    assert shown.asked is not None, "between rounds no question holds a round"
    return shown.asked.question.shown(shown.round.spots, shown.round.number if over else 0)
