"""The root: ``step`` takes the table and one stamped input and gives the table after it, and what is to be said.

Pure and total: the same table and input always give the same result, whatever came in.
"""

from __future__ import annotations

from functools import partial
from typing import assert_never

from msgspec.structs import replace

from controller.core.betting import bet_sensors, lock
from controller.core.certainty import deal_confirmation, rebuild
from controller.core.certainty.reader_zones import unwatched_zones_after_loss
from controller.core.desired_state import question_displayed, wanted
from controller.core.messages.alerts import CardOutsideRound, CardUnreadable, DeviceAlarm, LineErrors
from controller.core.messages.events import CardBurned, DeviceStatusChanged, Event, TableStarted
from controller.core.messages.inputs import (
    AcknowledgeAlert,
    AdjustWager,
    AnswerQuestion,
    ApproveOrder,
    AssignCard,
    BookRecalled,
    DaemonStarted,
    DayBegan,
    DeadlinePassed,
    DeclareBox,
    EnterInventory,
    FitnessReported,
    Input,
    OpeningRefuted,
    PayJackpot,
    PoolEntryRead,
    PoolReading,
    PoolStateRead,
    ProposeMeterChange,
    ReadingsHeld,
    ReopenMeter,
    RevealRefuted,
    SetCard,
    ShoeChanged,
    SoftwareInspected,
    StampedInput,
    VerifyJackpot,
    VoidRound,
    WithdrawOrder,
)
from controller.core.people import answers, dual_control, keys
from controller.core.progressives import live_meters, mystery, pool_answers
from controller.core.round import (
    awaited_bets,
    chip_placement,
    chips_in_motion,
    first_card,
    lifecycle,
    missed_cards,
    next_deal,
    passing_chips,
    stalled_round,
    unheard_chips,
    unseen_moves,
)
from controller.core.surveillance import monitor, shoe_check
from controller.core.table import readiness, shoe_draws
from controller.core.table.keymap import KEYPAD
from controller.core.table.layout import inventory, zone_name
from controller.core.table.ledger import with_recalled
from controller.core.table.state import StepResult, Table
from controller.core.table.transaction import Transaction
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

_DRAWS_LOST = frozenset({"draws_missing", "shoe_restarted"})
"""Complaints of a shoe that numbers its draws, by which some of them never reached us."""

_EXCHANGES = frozenset({monitor.EXCHANGED, monitor.CHANGED})
"""Words of another shoe: in the middle of a round a card of the one before may not have been heard."""


def step(table: Table, stamped: StampedInput) -> StepResult:
    """The table after ``stamped``, the events it gives in order, and what the devices should be sent, when asked."""
    table = _with_order(table, stamped)
    ready, moving = chips_in_motion.gather(table, stamped)
    if moving and isinstance(stamped.input, readings.CardDrawn):
        laid, away = chips_in_motion.laid(table, moving)
        if laid and _ends_wait(table, ready[:-1], laid, stamped, stamped.input):
            ready, moving = (*ready[:-1], *laid, stamped), away
        else:
            anew, moving = chips_in_motion.laid_anew(table, moving)
            ready = (*ready[:-1], *anew, stamped)
    if ready == (stamped,) and moving == table.state.moving:
        return _step_or_defer(table, stamped)
    after = Table(table.house, replace(table.state, moving=moving), table.lattice, table.workings)
    return _stepped(*_step_each(after, ready), stamped)


def _ends_wait(
    table: Table,
    ready: tuple[StampedInput, ...],
    laid: tuple[StampedInput, ...],
    stamped: StampedInput,
    drawn: readings.CardDrawn,
) -> bool:
    """Whether a card ends the wait of chips that were laid: it is, or may be, the next deal's first with them in place.

    So it does where it would be without them, as they may be a wager whose player changed his chips.
    """
    if _may_be_next_deals(table, (*ready, *laid), stamped, drawn):
        return True
    return table.house.second_readings_kept and _may_be_next_deals(table, ready, stamped, drawn)


def _may_be_next_deals(
    table: Table, ready: tuple[StampedInput, ...], stamped: StampedInput, drawn: readings.CardDrawn
) -> bool:
    """Whether a card is the next deal's first, or may be, once what is ready has been taken in."""
    before, _ = _step_each(table, ready)
    return next_deal.is_or_may_be_first(Transaction(before, stamped), drawn)


def _step_each(table: Table, ready: tuple[StampedInput, ...]) -> tuple[Table, list[tuple[Input, tuple[Event, ...]]]]:
    """The table after several inputs, and the events of each."""
    taken = list[tuple[Input, tuple[Event, ...]]]()
    for one in ready:
        stepped = _step_or_defer(table, one)
        table, taken = stepped.table, [*taken, *stepped.taken]
    return table, taken


def _stepped(table: Table, taken: list[tuple[Input, tuple[Event, ...]]], stamped: StampedInput) -> StepResult:
    """What the step of an input gives once others have been taken in for it, each with its events."""
    after = Table(table.house, replace(table.state, number=stamped.number), table.lattice, table.workings)
    events = tuple(event for _, given in taken for event in given)
    return StepResult(after, events, partial(wanted, Transaction(after, stamped)), tuple(taken))


def _step_or_defer(table: Table, stamped: StampedInput) -> StepResult:
    """The step of one input, which may have to wait for a look at the layout, or for the cards of a deal."""
    schedule = awaited_bets.schedule_inputs(table, stamped)
    if schedule.now == (stamped,):
        return _take_in(table, stamped)
    # While readings wait the display says so, and no key is meant for a question.
    displayed = 0 if schedule.deferred else table.state.question_displayed
    state = replace(
        table.state,
        deferred=schedule.deferred,
        begins=schedule.begins,
        may_begin=schedule.may_begin,
        continues=schedule.continues,
        question_displayed=displayed,
    )
    after = Table(table.house, state, table.lattice, table.workings)
    taken = list[tuple[Input, tuple[Event, ...]]]()
    for one in schedule.ahead:
        stepped = _take_in(after, one)
        after, taken = stepped.table, [*taken, *stepped.taken]
    ahead, now = awaited_bets.split_after_beginning(after, schedule)
    # What is taken ahead waits for nothing; another of what follows may have to wait in its turn.
    for place, one in enumerate((*ahead, *now)):
        stepped = _take_in(after, one) if place < len(ahead) else _step_or_defer(after, one)
        after, taken = stepped.table, [*taken, *stepped.taken]
    return _stepped(after, taken, stamped)


def _with_order(table: Table, stamped: StampedInput) -> Table:
    """The table that remembers the number of a signed order."""
    if stamped.order is None:
        return table
    key, number = stamped.order.signed.key, stamped.order.number
    signed = {**table.state.signed, key: max(number, table.state.signed.get(key, 0))}
    return Table(table.house, replace(table.state, signed=signed), table.lattice, table.workings)


def _take_in(table: Table, stamped: StampedInput) -> StepResult:
    """The step of one input that waits for nothing."""
    transaction = Transaction(table, stamped)
    _take(transaction)
    bet_sensors.count_sensed_wagers(transaction)
    lifecycle.review(transaction)
    stalled_round.review(transaction)
    live_meters.review(transaction)
    bet_sensors.review(transaction)
    dual_control.review(transaction)
    monitor.raise_alerts(table, transaction)
    moment = transaction.table_ns(stamped.at_ns)
    answers.note_displayed(transaction, question_displayed(transaction), moment)
    transaction.change(
        number=stamped.number,
        last_ns=max(transaction.state.last_ns, moment),
        seq=transaction.state.seq + len(transaction.events),
    )
    events = tuple(transaction.events)
    return StepResult(transaction.table(), events, partial(wanted, transaction), ((stamped.input, events),))


def _take(transaction: Transaction) -> None:
    """Let one input do what it does."""
    match transaction.stamped.input:
        case readings.CardDrawn() | ShoeNumbering() as heard:
            _shoe_reported(transaction, heard)
        case ChipsSeen() as seen:
            _chips_seen(transaction, seen)
        case ChipsConfirmed() | DeadlinePassed() as quiet:
            deal_confirmation.note_quiet(transaction, quiet)
            chip_placement.place_chips_heard_by_one_antenna(transaction, quiet)
        case KeyPressed() as pressed:
            transaction.change(keyless=0)
            keys.key_pressed(transaction, pressed)
        case DeviceHealth() as health:
            _device_health(transaction, health)
        case DeviceComplained() as complaint:
            _device_complained(transaction, complaint)
        case LineDisturbed() as disturbed:
            _line_disturbed(transaction, disturbed)
        case (
            MysteryCommitted()
            | MysteryAnswered()
            | MysteryRevealed()
            | RevealRefuted()
            | PoolStateRead()
            | PoolEntryRead() as reading
        ):
            _jackpots_reported(transaction, reading)
        case WagersSensed() as sensed:
            bet_sensors.take_reading(transaction, sensed)
        case DaemonStarted() as start:
            _started(transaction, start)
        case AnswerQuestion(_, question, answer, who):
            answers.answered(transaction, question, answer, who)
        case (
            AcknowledgeAlert()
            | ShoeChanged()
            | OpeningRefuted()
            | FitnessReported()
            | SoftwareInspected()
            | ReadingsHeld() as given
        ):
            monitor.take_report(transaction, given)
        case BookRecalled() | EnterInventory() | DayBegan() as entry:
            _enter_books(transaction, entry)
        case VoidRound() | SetCard() | AssignCard() | DeclareBox() | AdjustWager() as ruling:
            dual_control.take_ruling(transaction, ruling)
        case (
            VerifyJackpot()
            | PayJackpot()
            | ProposeMeterChange()
            | ApproveOrder()
            | WithdrawOrder()
            | ReopenMeter() as asked
        ):
            dual_control.order(transaction, asked)
        case _:
            assert_never(transaction.stamped.input)


# --- shoe -------------------------------------------------------------------------------------------


def _shoe_reported(transaction: Transaction, reading: readings.CardDrawn | ShoeNumbering) -> None:
    """A card left the shoe, or another shoe's cards come from here on."""
    match reading:
        case readings.CardDrawn():
            _card_drawn(transaction, reading)
        case ShoeNumbering(shoe):
            shoe_draws.numbered(transaction, shoe)
        case _:
            assert_never(reading)


def _card_drawn(transaction: Transaction, drawn: readings.CardDrawn) -> None:
    """A card left the shoe: a burn, a card of the round, or one that belongs to none."""
    number = transaction.stamped.number
    at_ns = transaction.table_ns(drawn.at_ns)
    since_ns = at_ns if drawn.since_ns < 0 else transaction.table_ns(drawn.since_ns)
    deal_confirmation.card_coming(transaction, since_ns, at_ns)
    keys.card_came(transaction)
    if drawn.sequence is not None:
        shoe_draws.drawn(transaction, drawn.sequence)
    if drawn.face is None and not transaction.stamped.closed:
        transaction.emit(CardUnreadable(number))
    if drawn.burn or transaction.state.burns:
        _card_burned(transaction, drawn, at_ns)
        return
    overtook = 0
    # A key that closed the round says that what follows is none of it.
    doubted = (
        transaction.state.round is not None
        and bool(transaction.round().questions.doubt)
        and not transaction.round().ending.closing
    )
    if transaction.state.begins == number and transaction.state.round is not None:
        next_deal.close_at_next_deal(transaction)
    elif transaction.state.round is not None and transaction.state.continues == number:
        unseen_moves.take_as_changed(transaction)
    elif transaction.state.round is not None and not lifecycle.came_before_payment(
        transaction, drawn.face, since_ns, at_ns
    ):
        lifecycle.refute_payment(transaction)
        if first_card.ended_by_card(transaction, at_ns):
            overtook = 0 if transaction.round().ending.closing else transaction.round().number
            lifecycle.close_round(transaction)
    began = transaction.state.round is None
    if began and not lock.lock(transaction, at_ns):
        shoe_draws.card_outside(transaction, drawn)
        if readiness.block_reason(transaction.state):
            readiness.dealt(transaction, number)
        else:
            transaction.emit(CardOutsideRound(number))
        return
    if began:
        first_card.ask(transaction)
        missed_cards.may_have_begun_unheard(transaction)
    if began and doubted:
        # Nobody has said which cards were the last round's: only a deal's rhythm shows that this is a first one.
        transaction.note_absence()
        if transaction.state.begins != number:
            missed_cards.ask(transaction, "cards of the round before may have been missed")
    if overtook and not transaction.round().bets.locked_by:
        transaction.change_round(overtook=overtook)
    lifecycle.take_card(transaction, drawn.face, since_ns, at_ns)
    missed_cards.next_may_have_begun(transaction)
    missed_cards.ask_if_read_twice(transaction)


def _card_burned(transaction: Transaction, drawn: readings.CardDrawn, at_ns: int) -> None:
    """A card goes to the discard rack; in a round that may have dealt it to a hand, the floor has the last word."""
    burns, burned = max(transaction.state.burns - 1, 0), transaction.state.burned_since + 1
    transaction.change(burns=burns, burned_ns=at_ns, burned_since=burned)
    deal_confirmation.disturbed(transaction, "a card was burned in the deal", at_ns)
    shoe_draws.card_outside(transaction, drawn)
    transaction.emit(CardBurned(transaction.stamped.number))
    waited = missed_cards.leave_burn_to_floor(transaction)
    if waited is not None:
        shoe_check.burned_in_play(transaction, waited)


# --- bet spots --------------------------------------------------------------------------------------


def _chips_seen(transaction: Transaction, seen: ChipsSeen) -> None:
    """A zone's content as a reader tells it."""
    name = zone_name(seen.spot, seen.zone)
    first_ns, last_ns = transaction.table_ns(seen.after_ns), transaction.table_ns(seen.by_ns)
    if name in transaction.state.afresh:
        first_ns = min(first_ns, transaction.state.down_ns)
        transaction.change(afresh=tuple(zone for zone in transaction.state.afresh if zone != name))
    after, changes, events = inventory(transaction.heard(), transaction.house.chips, seen, first_ns, last_ns)
    felt, before = after.felt, transaction.state.felt.get(name)
    changes = chip_placement.place_chips(transaction, after, name, last_ns, changes)
    transaction.emit(*events)
    passed = passing_chips.follow_passing_chips(transaction, before, felt[name], first_ns, last_ns)
    unheard_chips.note_left(transaction, before, felt[name])
    for change in changes:
        if transaction.state.round is not None and not passed:
            from_ns = first_ns if change.since_ns < 0 else change.since_ns
            lifecycle.take_chips(transaction, change, from_ns, last_ns)
    if transaction.state.round is not None and not changes and before is not None and before.chips != felt[name].chips:
        lifecycle.take_exchanged_chips(transaction, felt[name], first_ns, last_ns)
        next_deal.note_possible_next_bet(transaction, before, felt[name], first_ns, last_ns)
    unheard_chips.forget_accounted(transaction, before, felt[name])
    unheard_chips.note_lowered(transaction, before, felt[name], last_ns)
    if transaction.state.round is not None and before is not None:
        unseen_moves.note_replaced(transaction, before, felt[name])
        passing_chips.forget_overheard(transaction, before, felt[name])
    if transaction.state.round is not None:
        missed_cards.note_next_bets(transaction, last_ns)
    if transaction.state.dealt_unheard:
        missed_cards.note_bets(transaction)


def _jackpots_reported(
    transaction: Transaction, reading: readings.MysteryReading | RevealRefuted | PoolReading
) -> None:
    """What the trigger box or the link says, or was found out of the box."""
    match reading:
        case PoolStateRead() | PoolEntryRead():
            pool_answers.take_answer(transaction, reading)
        case _:
            mystery.take_reading(transaction, reading)


# --- the process and people -------------------------------------------------------------------------


def _started(transaction: Transaction, start: DaemonStarted) -> None:
    """The daemon runs (again). Chips are read afresh; cards drawn meanwhile cannot be known, so people are asked."""
    state = transaction.state
    restart = bool(state.profile_hash)
    open_round = state.round is not None
    profile_hash = start.house.profile_hash
    if any(one.profile_hash == state.profile_hash for one in state.waiting) and profile_hash != state.profile_hash:
        transaction.change(former_rules={**state.former_rules, state.profile_hash: transaction.rules})
    transaction.take_house(start.house)
    how = (profile_hash, restart, open_round)
    said = (transaction.house.unpaired, transaction.house.currency, transaction.house.gaming_day)
    transaction.emit(TableStarted(start.version, transaction.rules.name, *how, *said))
    offset_ns = state.offset_ns
    if start.at_ns + offset_ns <= state.last_ns:
        offset_ns = state.last_ns + 1 - start.at_ns
    transaction.change(
        offset_ns=offset_ns,
        down_ns=state.last_ns,
        afresh=tuple(sorted(state.felt)),
        confirmed={},
        unwatched_zones={},
        devices={},
        shoe_lost=False,
        spot_named=0,
        question_displayed=0,
        profile_hash=profile_hash,
        started=transaction.stamped.number,
    )
    live_meters.open_meters(transaction)
    if not restart:
        return
    rebuild.leave_keys_unheard(transaction)
    transaction.note_absence()
    deal_confirmation.disturbed(transaction, "the daemon was not running", 0)
    missed_cards.may_be_missing(transaction, "the daemon was not running")
    if open_round and state.profile_hash != profile_hash:
        transaction.irregular("the profile changed in the middle of the round")


def _line_disturbed(transaction: Transaction, disturbed: LineDisturbed) -> None:
    """Bytes that could not be read. On the shoe's line they may have been a card, perhaps the hole card: not a word."""
    if disturbed.device == "shoe":
        transaction.emit(LineErrors(disturbed.device, "bytes that are no message", ""))
    else:
        transaction.emit(LineErrors(disturbed.device, disturbed.reason, disturbed.data.hex()))
    if disturbed.device != "shoe":
        return
    round_now, reason = transaction.state.round, "the shoe's line was disturbed"
    if round_now is None:
        missed_cards.note_unheard(transaction, reason)
    elif not round_now.questions.doubt and not round_now.evidence.trouble:
        missed_cards.may_be_missing(transaction, reason)


def _enter_books(transaction: Transaction, entry: BookRecalled | EnterInventory | DayBegan) -> None:
    """A round comes back on the books, the floor enters a count, or another gaming day has begun."""
    match entry:
        case BookRecalled(_, book):
            transaction.change(books=with_recalled(transaction.state.books, book))
        case EnterInventory():
            dual_control.take_ruling(transaction, entry)
        case DayBegan(_, day):
            transaction.change(gaming_day=day)
        case _:
            assert_never(entry)


def _device_complained(transaction: Transaction, complaint: DeviceComplained) -> None:
    """A device complains; people are asked where the shoe says that draws were lost."""
    device, code, text = complaint.device, complaint.code, complaint.text
    transaction.emit(DeviceAlarm(device, code, text))
    if device == "shoe" and (code in _DRAWS_LOST or (code in _EXCHANGES and transaction.state.round is not None)):
        missed_cards.ask(transaction, text)


def _device_health(transaction: Transaction, health: DeviceHealth) -> None:
    """A device came, went, or is faulty."""
    transaction.emit(DeviceStatusChanged(health.device, health.state, health.detail))
    transaction.change(devices={**transaction.state.devices, health.device: str(health.state)})
    if health.device == "shoe":
        came, was_lost = health.state is HealthState.READY, transaction.state.shoe_lost
        transaction.change(shoe_lost=not came)
        if transaction.state.round is not None:
            transaction.change_evidence(shoe_away=transaction.shoe_is_away())
        if came and was_lost:
            missed_cards.may_be_missing(transaction, "the shoe was not connected")
            missed_cards.note_bets(transaction)
        return
    if health.device == KEYPAD and health.state is not HealthState.READY:
        rebuild.leave_keys_unheard(transaction)
    watched, at_ns = transaction.house.readers.get(health.device, ()), transaction.table_ns(health.at_ns)
    if watched and health.state is not HealthState.READY:
        transaction.change(
            unwatched_zones=unwatched_zones_after_loss(transaction.house, transaction.state, health.device)
        )
    if transaction.state.round is None:
        return
    if health.state is HealthState.READY:
        rebuild.reader_returned(transaction, health.device, at_ns)
    else:
        lock.note_reader_lost(transaction, health.device, watched, at_ns)
