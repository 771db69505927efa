"""The root: ``step`` takes the table and one stamped input and gives the table after it, and what is to be said.

Pure and total: the same table and input always give the same result, whatever came in.
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from controller.core.betting import bet_sensors, lock
from controller.core.certainty import deal_confirmation, rebuild
from controller.core.desired_state import wanted
from controller.core.messages.alerts import CardOutsideRound, CardUnreadable, DeviceAlarm, LineErrors
from controller.core.messages.events import CardBurned, DeviceStatusChanged, Event, TableStarted
from controller.core.messages.inputs import (
    Acknowledged,
    AdjustWager,
    Answered,
    ApproveOrder,
    AssignCard,
    BookRecalled,
    DayBegan,
    DeadlinePassed,
    DeclareBox,
    EnterInventory,
    FitnessTold,
    LinkEntered,
    LinkHeard,
    LinkReading,
    OpeningRefuted,
    PayJackpot,
    ProposeMove,
    ReadingsHeld,
    ReopenMeter,
    SetCard,
    ShoeChanged,
    SoftwareLooked,
    Stamped,
    Started,
    VerifyJackpot,
    VoidRound,
    WithdrawOrder,
)
from controller.core.people import answers, dual_control, keys, table_inventory
from controller.core.progressives import live_meters, mystery, pool_answers
from controller.core.round import (
    awaited_bets,
    begin_question,
    chip_placement,
    lifecycle,
    missed_cards,
    next_deal,
    stalled_round,
)
from controller.core.surveillance import monitor
from controller.core.table import readiness, shoe_draws
from controller.core.table.keymap import KEYPAD
from controller.core.table.layout import inventory, key
from controller.core.table.ledger import with_recalled
from controller.core.table.state import Stepped, Table
from controller.core.table.transaction import Desk
from firmware_protocols import readings
from firmware_protocols.readings import (
    ChipsConfirmed,
    ChipsSeen,
    DeviceComplained,
    DeviceHealth,
    HealthState,
    KeyPressed,
    LineDisturbed,
    MysteryAnswered,
    MysteryCommitted,
    MysteryRevealed,
    ShoeNumbering,
    WagersSensed,
)

DRAWS_LOST = frozenset({"draws_missing", "shoe_restarted"})
"""Complaints of a shoe that numbers its draws, by which some of them never reached us."""

EXCHANGES = frozenset({monitor.EXCHANGED, monitor.CHANGED})
"""Words of another shoe: in the middle of a round a card of the one before may not have been heard."""


def step(table: Table, stamped: Stamped) -> Stepped:
    """The table after ``stamped``, the events it gives in order, and what the devices should be told."""
    table = with_order(table, stamped)
    now, held, begins = awaited_bets.due(table, stamped)
    if now == (stamped,):
        return take_in(table, stamped)
    after = Table(table.house, replace(table.state, held=held, begins=begins), table.found, table.workings)
    events = list[Event]()
    first = now.index(table.state.held[0]) if now and table.state.held[0] in now else -1
    for place, one in enumerate(now):
        # The first that waited is known now, with what comes before it; another may have to wait in its turn.
        stepped = step(after, one) if place > first else take_in(after, one)
        after, events = stepped.table, [*events, *stepped.events]
    after = Table(after.house, replace(after.state, number=stamped.number), after.found, after.workings)
    return Stepped(after, tuple(events), wanted(Desk(after, stamped)))


def with_order(table: Table, stamped: Stamped) -> Table:
    """The table that remembers the number of a signed order."""
    if stamped.order is None:
        return table
    key, number = stamped.order.signed.key, stamped.order.number
    signed = {**table.state.signed, key: max(number, table.state.signed.get(key, 0))}
    return Table(table.house, replace(table.state, signed=signed), table.found, table.workings)


def take_in(table: Table, stamped: Stamped) -> Stepped:
    """The step of one input that waits for nothing."""
    desk = Desk(table, stamped)
    take(desk)
    bet_sensors.count(desk)
    lifecycle.review(desk)
    stalled_round.review(desk)
    live_meters.review(desk)
    bet_sensors.review(desk)
    monitor.protect(table, desk)
    moment = desk.table_ns(stamped.at_ns)
    desk.change(last_ns=max(desk.state.last_ns, moment), seq=desk.state.seq + len(desk.events))
    return Stepped(desk.table(), tuple(desk.events), wanted(desk))


def take(desk: Desk) -> None:
    """Let one input do what it does."""
    match desk.stamped.input:
        case readings.CardDrawn() | ShoeNumbering() as heard:
            shoe_told(desk, heard)
        case ChipsSeen() as seen:
            chips_seen(desk, seen)
        case ChipsConfirmed() | DeadlinePassed() as silence:
            deal_confirmation.nothing_more(desk, silence)
            chip_placement.looked_again(desk, silence)
        case KeyPressed() as pressed:
            keys.key_pressed(desk, pressed)
        case DeviceHealth() as health:
            device_health(desk, health)
        case DeviceComplained() as complaint:
            device_complained(desk, complaint)
        case LineDisturbed() as disturbed:
            line_disturbed(desk, disturbed)
        case MysteryCommitted() | MysteryAnswered() | MysteryRevealed() | LinkHeard() | LinkEntered() as told:
            jackpots_told(desk, told)
        case WagersSensed() as sensed:
            bet_sensors.take(desk, sensed)
        case Started() as start:
            started(desk, start)
        case Answered(_, question, answer, who):
            answers.answered(desk, question, answer, who)
        case (
            Acknowledged()
            | ShoeChanged()
            | OpeningRefuted()
            | FitnessTold()
            | SoftwareLooked()
            | ReadingsHeld() as given
        ):
            monitor.taken(desk, given)
        case BookRecalled() | EnterInventory() | DayBegan() as entry:
            enter_books(desk, entry)
        case VoidRound() | SetCard() | AssignCard() | DeclareBox() | AdjustWager() as ruling:
            dual_control.rule(desk, ruling)
        case VerifyJackpot() | PayJackpot() | ProposeMove() | ApproveOrder() | WithdrawOrder() | ReopenMeter() as asked:
            dual_control.order(desk, asked)
        case _:
            assert_never(desk.stamped.input)


# --- shoe -------------------------------------------------------------------------------------------


def shoe_told(desk: Desk, told: readings.CardDrawn | ShoeNumbering) -> None:
    """A card left the shoe, or another shoe's cards come from here on."""
    match told:
        case readings.CardDrawn():
            card_drawn(desk, told)
        case ShoeNumbering(shoe):
            shoe_draws.numbered(desk, shoe)
        case _:
            assert_never(told)


def card_drawn(desk: Desk, drawn: readings.CardDrawn) -> None:
    """A card left the shoe: a burn, a card of the round, or one that belongs to none."""
    number = desk.stamped.number
    at_ns = desk.table_ns(drawn.at_ns)
    since_ns = at_ns if drawn.since_ns < 0 else desk.table_ns(drawn.since_ns)
    deal_confirmation.card_coming(desk, since_ns, at_ns)
    keys.card_came(desk)
    if drawn.sequence is not None:
        shoe_draws.drawn(desk, drawn.sequence)
    if drawn.face is None and not desk.stamped.closed:
        desk.tell(CardUnreadable(number))
    if drawn.burn or desk.state.burns:
        desk.change(burns=max(desk.state.burns - 1, 0), burned_ns=at_ns)
        deal_confirmation.disturbed(desk, "a card was burned in the deal", at_ns)
        shoe_draws.card_outside(desk, drawn)
        desk.tell(CardBurned(number))
        return
    overtook = 0
    # A key that closed the round says that what follows is none of it.
    doubted = desk.state.round is not None and bool(desk.round().doubt) and not desk.round().closing
    if desk.state.begins == number and desk.state.round is not None:
        next_deal.overtake(desk)
    elif desk.state.round is not None and not lifecycle.came_before_payment(desk, drawn.face, since_ns, at_ns):
        lifecycle.refute_payment(desk)
        if lifecycle.ended_by_card(desk, at_ns):
            overtook = 0 if desk.round().closing else desk.round().number
            lifecycle.close(desk)
    began = desk.state.round is None
    if began and not lock.lock(desk, at_ns):
        shoe_draws.card_outside(desk, drawn)
        if readiness.closed_by(desk.state):
            readiness.dealt(desk, number)
        else:
            desk.tell(CardOutsideRound(number))
        return
    if began:
        begin_question.ask(desk)
        missed_cards.begun_unheard(desk)
    if began and doubted:
        # Nobody has said which cards were the last round's: only a deal's rhythm shows that this is a first one.
        desk.heard_not_all()
        if desk.state.begins != number:
            missed_cards.ask(desk, "cards of the round before may have been missed")
    if overtook and not desk.round().locked_by:
        desk.change_round(overtook=overtook)
    lifecycle.card(desk, drawn.face, since_ns, at_ns)
    missed_cards.next_may_have_begun(desk)


# --- bet spots --------------------------------------------------------------------------------------


def chips_seen(desk: Desk, seen: ChipsSeen) -> None:
    """A zone's content as a reader tells it."""
    name = key(seen.spot, seen.zone)
    first_ns, last_ns = desk.table_ns(seen.after_ns), desk.table_ns(seen.by_ns)
    if name in desk.state.afresh:
        first_ns = min(first_ns, desk.state.down_ns)
        desk.change(afresh=tuple(zone for zone in desk.state.afresh if zone != name))
    felt, changes, told = inventory(desk.state.felt, desk.house.chips, seen, first_ns, last_ns)
    chip_placement.lie(desk, felt, name, last_ns)
    desk.tell(*told)
    for change in changes:
        if desk.state.round is not None:
            lifecycle.chips(desk, change, first_ns, last_ns)
    if desk.state.dealt_unheard:
        missed_cards.note_bets(desk)


def jackpots_told(desk: Desk, told: readings.MysteryReading | LinkReading) -> None:
    """What the trigger box or the link says."""
    match told:
        case LinkHeard() | LinkEntered():
            pool_answers.take(desk, told)
        case _:
            mystery.take(desk, told)


# --- the process and people -------------------------------------------------------------------------


def started(desk: Desk, start: Started) -> None:
    """The daemon runs (again). Chips are read afresh; cards drawn meanwhile cannot be known, so people are asked."""
    state = desk.state
    restart = bool(state.profile_hash)
    open_round = state.round is not None
    profile_hash = start.house.profile_hash
    if any(one.profile_hash == state.profile_hash for one in state.waiting) and profile_hash != state.profile_hash:
        desk.change(former_rules={**state.former_rules, state.profile_hash: desk.rules})
    desk.house, desk.rules = start.house, start.house.rules
    how = (profile_hash, restart, open_round)
    said = (desk.house.unpaired, desk.house.currency, desk.house.gaming_day)
    desk.tell(TableStarted(start.version, desk.rules.name, *how, *said))
    offset_ns = state.offset_ns
    if start.at_ns + offset_ns <= state.last_ns:
        offset_ns = state.last_ns + 1 - start.at_ns
    desk.change(
        offset_ns=offset_ns,
        down_ns=state.last_ns,
        afresh=tuple(sorted(state.felt)),
        confirmed={},
        devices={},
        shoe_lost=False,
        spot_named=0,
        profile_hash=profile_hash,
        started=desk.stamped.number,
    )
    live_meters.open_meters(desk)
    if not restart:
        return
    rebuild.hear_no_keys(desk)
    desk.heard_not_all()
    deal_confirmation.disturbed(desk, "the daemon was not running", 0)
    missed_cards.may_be_missing(desk, "the daemon was not running")
    if open_round and state.profile_hash != profile_hash:
        desk.irregular("the profile changed in the middle of the round")


def line_disturbed(desk: Desk, disturbed: LineDisturbed) -> None:
    """Bytes that could not be read. On the shoe's line they may have been a card, perhaps the hole card: not a word."""
    if disturbed.device == "shoe":
        desk.tell(LineErrors(disturbed.device, "bytes that are no message", ""))
    else:
        desk.tell(LineErrors(disturbed.device, disturbed.reason, disturbed.data.hex()))
    round_now = desk.state.round
    if disturbed.device == "shoe" and round_now is not None and not round_now.doubt and not round_now.trouble:
        missed_cards.may_be_missing(desk, "the shoe's line was disturbed")


def enter_books(desk: Desk, entry: BookRecalled | EnterInventory | DayBegan) -> None:
    """A round comes back on the books, the floor enters a count, or another gaming day has begun."""
    match entry:
        case BookRecalled(_, book):
            desk.change(books=with_recalled(desk.state.books, book))
        case EnterInventory():
            table_inventory.enter(desk, entry)
        case DayBegan(_, day):
            desk.change(gaming_day=day)
        case _:
            assert_never(entry)


def device_complained(desk: Desk, complaint: DeviceComplained) -> None:
    """A device complains; people are asked where the shoe says that draws were lost."""
    device, code, text = complaint.device, complaint.code, complaint.text
    desk.tell(DeviceAlarm(device, code, text))
    if device == "shoe" and (code in DRAWS_LOST or (code in EXCHANGES and desk.state.round is not None)):
        missed_cards.ask(desk, text)


def device_health(desk: Desk, health: DeviceHealth) -> None:
    """A device came, went, or is faulty."""
    desk.tell(DeviceStatusChanged(health.device, health.state, health.detail))
    desk.change(devices={**desk.state.devices, health.device: str(health.state)})
    if health.device == "shoe":
        came, was_lost = health.state is HealthState.READY, desk.state.shoe_lost
        desk.change(shoe_lost=not came)
        if desk.state.round is not None:
            desk.change_round(shoe_away=desk.shoe_is_away())
        if came and was_lost:
            missed_cards.may_be_missing(desk, "the shoe was not connected")
            missed_cards.note_bets(desk)
        return
    if health.device == KEYPAD and health.state is not HealthState.READY:
        rebuild.hear_no_keys(desk)
    watched, at_ns = desk.house.readers.get(health.device, ()), desk.table_ns(health.at_ns)
    if desk.state.round is None:
        return
    if health.state is HealthState.READY:
        rebuild.hear_again(desk, watched, at_ns)
    else:
        lock.lost(desk, health.device, watched, at_ns)
