"""The mystery trigger box: greeted, kept alive, sent contributions until it has answered each of them once.

Whatever is lost on the line is said again: the box answers a contribution said twice in the same words, and says again
what it committed to and revealed. So the table is informed, exactly once and in this order, for each cycle: the
commitment, an answer to each contribution up to the hit, the reveal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from devices.outbox import Outbox
from devices.receiver import Listener, disturbed, stray
from devices.trigger.head_store import HeadKeeping
from firmware_protocols.codec import Codec
from firmware_protocols.messages import LineFault, Message
from firmware_protocols.readings import (
    DeviceComplained,
    DeviceHealth,
    HealthState,
    MysteryAnswered,
    MysteryCommitted,
    MysteryRevealed,
)
from firmware_protocols.trigger_messages import (
    CheckTrigger,
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    GreetTrigger,
    HeadKept,
    KeepHead,
    RecallCycle,
    RecallHead,
    TriggerAlarm,
    TriggerCommand,
    TriggerCondition,
    TriggerGreeted,
    TriggerStatus,
    TriggerWish,
)

_MS: Final = 1_000_000

CHECK_NS: Final = 500 * _MS
"""Between two questions, answered or not; also how long an answer is waited for before something is said again."""

LIVENESS_NS: Final = 1_500 * _MS
"""A box that has not answered for so long is lost: the mystery is closed within two seconds."""

WINDOW: Final = 8
"""Contributions on their way at once: a full table of seven spots, and one."""

CYCLE_UNKNOWN: Final = "cycle_unknown"
"""How a box says that it took over from another and cannot reveal what that one drew."""

JOURNAL_SET_BACK: Final = "journal_set_back"
"""The complaint of a box that has counted, or was opened for, what the table's journal never had."""

_SET_BACK: Final = "the box has counted what this journal never made: the journal was set back"

_TOKENS: Final = 0xFFFF

_WORKING: Final = frozenset({TriggerCondition.OPEN, TriggerCondition.AWAITING_SHARE})
_REPEATS: Final = _WORKING | {TriggerCondition.NO_RANDOMNESS}
"""In which conditions a box is asked again for answers it has given: in all others somebody must look first."""

_RECALLS: Final = _REPEATS | {TriggerCondition.DISPUTED, TriggerCondition.ENDED}
"""In which conditions a box is asked for what it committed to and revealed."""

_DETAIL: Final = {
    TriggerCondition.NO_RANDOMNESS: "no noise source: the next number cannot be drawn",
    TriggerCondition.ROLLED_BACK: "the box knows less than the table: its store was set back or replaced",
    TriggerCondition.OTHER_TABLE: "the box belongs to another table, or to another epoch of this one",
    TriggerCondition.DISPUTED: "the box cannot take a contribution as it is: see its complaint",
    TriggerCondition.ENDED: "the box was taken out of service",
}


@dataclass(frozen=True, slots=True)
class TriggerTable:
    """Whose contributions they are: site, table and epoch as everywhere else."""

    site: str
    table: str
    epoch: int


class MysteryTriggerSession(Outbox):
    """One trigger box. ``wish`` is what the table wants of it, from the journal at the start.

    ``serial``: refuse any other box (``faulty``). The box is ready while it may be sent contributions; health says
    why not.
    """

    def __init__(
        self,
        codec: Codec,
        table: TriggerTable,
        wish: TriggerWish | None = None,
        name: str = "mystery_trigger",
        *,
        serial: str | None = None,
    ) -> None:
        super().__init__()
        self._name = name
        self._table = table
        self._serial = serial
        self._listener = Listener(codec)
        self._wish = wish or TriggerWish()
        self._cycle, self._revealed = self._wish.cycle, self._wish.revealed
        self._number = self._wish.number
        self._last_sent = max(self._wish.made, self._wish.number + len(self._wish.contributions))
        """The last contribution that a box can have been sent: none is before it is in the journal."""
        self._hit_cycle = 0
        self._state: tuple[HealthState, str] | None = None
        self._heads = HeadKeeping()
        self.head_shown: Callable[[HeadKept], None] = lambda _: None
        """Says which signed head of the journal the box keeps, on each opening of the line and when it is another."""
        self._box = ""
        self._refusal = ""
        self._status: TriggerStatus | None = None
        self._token = 0
        self._ask_at_ns = 0
        self._lost_at_ns: int | None = None
        self._sent_at_ns: dict[TriggerCommand, int] = {}
        self._unsent_commands: list[TriggerCommand] = []

    # --- driven from outside --------------------------------------------------------------------------

    def apply(self, wish: TriggerWish, now_ns: int) -> None:
        """What the table wants now; to be called after the commit only."""
        self._wish = wish
        self._say_what_is_due(now_ns)

    def keep_head(self, head: KeepHead, now_ns: int) -> None:
        """Have the box keep a signed head of the journal; nothing comes of it before ``head_shown`` was reported."""
        self._heads.want(head)
        self._say_what_is_due(now_ns)

    @property
    def keeps_no_head(self) -> bool:
        """Whether the box does not seem to know of heads: it is of an earlier version."""
        return self._heads.is_unknown

    def connected(self, now_ns: int) -> None:
        """The line is open (again): greet the box."""
        self._listener.open()
        self._unsent_commands.clear()
        self._lost_at_ns = now_ns + LIVENESS_NS
        self._forget_box()
        self._ask(now_ns)

    def disconnected(self, now_ns: int) -> None:
        """The line is gone."""
        self._take(self._listener.close(), now_ns)
        self._unsent_commands.clear()
        self._lost_at_ns = None
        self._forget_box()
        self._set_state(HealthState.LOST, "line gone", now_ns)

    def receive(self, data: bytes, now_ns: int) -> None:
        """Bytes came."""
        self._take(self._listener.hear(data, now_ns), now_ns)

    def next_deadline(self) -> int | None:
        """When a message begun is given up, something is to be said again, or the box is lost."""
        if not self._listener.is_open:
            return None
        deadlines = (self._listener.deadline(), self._ask_at_ns, self._lost_at_ns)
        return min(deadline for deadline in deadlines if deadline is not None)

    def handle_deadline(self, now_ns: int) -> None:
        """Give up a message begun; miss the box if it has been silent for long; ask how it is."""
        self._take(self._listener.expire(now_ns), now_ns)
        if not self._listener.is_open:
            return
        if self._lost_at_ns is not None and now_ns >= self._lost_at_ns:
            self._lost_at_ns = None
            self._forget_box()
            self._set_state(HealthState.LOST, "no answer", now_ns)
        if now_ns >= self._ask_at_ns:
            self._ask(now_ns)
        self._say_what_is_due(now_ns)

    def bytes_to_send(self) -> bytes:
        """Take what is to be sent; empty when there is nothing."""
        said = b"".join(self._listener.encode(command) for command in self._unsent_commands)
        self._unsent_commands.clear()
        return said

    # --- what the box says ----------------------------------------------------------------------------

    def _take(self, messages: tuple[Message, ...], now_ns: int) -> None:
        for message in messages:
            match message:
                case TriggerGreeted() if message.token == self._token:
                    self._greeted(message, now_ns)
                case TriggerStatus() if message.token in (0, self._token) and self._box:
                    self._checked(message, now_ns)
                case CycleCommitted() if self._is_trusted():
                    self._committed(message, now_ns)
                case ContributionAnswered() if self._is_trusted():
                    self._answered(message, now_ns)
                case CycleRevealed() if self._is_trusted():
                    self._reveal(message, now_ns)
                case HeadKept() if self._status is not None:
                    if self._heads.take_kept(message):
                        self.head_shown(message)
                case TriggerAlarm(code, text):
                    if code == CYCLE_UNKNOWN and self._is_trusted():
                        # It took over from a box that was lost, and that cycle's number with it.
                        self._revealed = self._cycle
                    self._readings.append(DeviceComplained(self._name, code, text, now_ns))
                case LineFault():
                    self._readings.append(disturbed(self._name, message, now_ns))
                case (
                    TriggerGreeted()
                    | TriggerStatus()
                    | CycleCommitted()
                    | ContributionAnswered()
                    | CycleRevealed()
                    | HeadKept()
                ):
                    # Late: it answers what was asked before the box was lost or greeted anew.
                    pass
                case _:
                    self._readings.append(stray(self._name, message, now_ns))
        if messages:
            self._say_what_is_due(now_ns)

    def _is_trusted(self) -> bool:
        return bool(self._box) and not self._refusal

    def _greeted(self, greeted: TriggerGreeted, now_ns: int) -> None:
        self._box = f"{greeted.serial}, firmware {greeted.firmware}"
        wrong = self._serial is not None and self._serial != greeted.serial
        self._refusal = f"expected box {self._serial}; this is {self._box}" if wrong else ""
        self._lost_at_ns = now_ns + LIVENESS_NS

    def _checked(self, status: TriggerStatus, now_ns: int) -> None:
        self._lost_at_ns = now_ns + LIVENESS_NS
        if self._refusal:
            self._set_state(HealthState.FAULTY, self._refusal, now_ns)
            return
        if self._is_ahead(status):
            # Its answers would be those to contributions that are forgotten, and known already to whoever was there.
            self._status, self._refusal = status, _SET_BACK
            self._complain(JOURNAL_SET_BACK, _SET_BACK, now_ns)
            return
        if self._status is None or status.condition is not self._status.condition:
            # What was on its way may have been set aside; say it again as soon as it is wanted. Only a change does so:
            # a box that answers each message with how it is would be sent the same again at once, for ever.
            self._sent_at_ns.clear()
        self._status = status
        if status.condition is TriggerCondition.UNGREETED:
            self._forget_box()
            self._set_state(HealthState.LOST, "the box was without power", now_ns)
            self._ask(now_ns)
        elif status.condition in _WORKING:
            self._set_state(HealthState.READY, self._box, now_ns)
        else:
            self._complain(status.condition.value, _DETAIL[status.condition], now_ns)

    def _is_ahead(self, status: TriggerStatus) -> bool:
        """Whether a box of this table and epoch has counted, or was given a share for, what the journal never had.

        A box that was hit goes on to the next cycle by itself, and waits for the share of that.
        """
        if status.condition not in _RECALLS:
            return False
        drawn = status.condition not in {TriggerCondition.OPEN, TriggerCondition.NO_RANDOMNESS}
        return status.number > self._last_sent or status.cycle > self._wish.cycle + drawn

    def _committed(self, committed: CycleCommitted, now_ns: int) -> None:
        if committed.cycle != self._cycle + 1 or self._revealed != self._cycle:
            return
        self._cycle = committed.cycle
        self._readings.append(
            MysteryCommitted(
                at_ns=now_ns,
                cycle=committed.cycle,
                commitment=committed.commitment.hex(),
                start_units=committed.start_units,
                reset_cents=committed.reset_cents,
                ceiling_cents=committed.ceiling_cents,
            )
        )

    def _answered(self, answer: ContributionAnswered, now_ns: int) -> None:
        outstanding = {contribution.number for contribution in self._wish.contributions}
        if answer.number != self._number + 1 or answer.number not in outstanding or answer.cycle != self._cycle:
            return
        self._number = answer.number
        if answer.hit:
            self._hit_cycle = answer.cycle
        self._readings.append(
            MysteryAnswered(
                at_ns=now_ns,
                number=answer.number,
                cycle=answer.cycle,
                meter_units=answer.meter_units,
                hit=answer.hit,
                award_cents=answer.award_cents,
            )
        )

    def _reveal(self, revealed: CycleRevealed, now_ns: int) -> None:
        # Only after the answer that hit: who hears that a cycle is over must know by which contribution.
        if revealed.cycle != self._cycle or self._revealed == self._cycle or revealed.number > self._number:
            return
        self._revealed = revealed.cycle
        self._readings.append(
            MysteryRevealed(
                at_ns=now_ns,
                cycle=revealed.cycle,
                number=revealed.number,
                drawn_cents=revealed.drawn_cents,
                key=revealed.key.hex(),
            )
        )

    # --- what the box is sent -------------------------------------------------------------------------

    def _say_what_is_due(self, now_ns: int) -> None:
        status = self._status
        if status is None or not self._listener.is_open:
            return
        head = self._heads.due(status.condition, now_ns)
        if self._refusal:
            # The signed head that it keeps proves it; it must not lose that to one of this journal's.
            self._unsent_commands += [head] if isinstance(head, RecallHead) else []
            return
        due: list[TriggerCommand] = []
        if status.condition not in _RECALLS:
            pass
        elif self._revealed < self._cycle and self._cycle <= max(self._hit_cycle, status.cycle - 1):
            due.append(RecallCycle(self._cycle))
        elif status.cycle > self._cycle:
            due.append(RecallCycle(self._cycle + 1))
        share = self._wish.share
        if share is not None and status.condition is TriggerCondition.AWAITING_SHARE and share.cycle == status.cycle:
            due.append(share)
        counts = status.condition is TriggerCondition.OPEN
        repeats = status.condition in _REPEATS
        waiting = [one for one in self._wish.contributions if one.number > self._number][:WINDOW]
        due += [one for one in waiting if counts or (repeats and one.number <= status.number)]
        self._unsent_commands += [head] if head is not None else []
        for command in due:
            if now_ns >= self._sent_at_ns.get(command, now_ns - CHECK_NS) + CHECK_NS:
                self._sent_at_ns[command] = now_ns
                self._unsent_commands.append(command)
                self._last_sent = max(self._last_sent, command.number if isinstance(command, Contribute) else 0)
        self._sent_at_ns = {command: at_ns for command, at_ns in self._sent_at_ns.items() if command in due}

    def _ask(self, now_ns: int) -> None:
        # An answer from before, still in somebody's buffer, must not pass for one to this question.
        self._token = now_ns // _MS % _TOKENS + 1
        self._ask_at_ns = now_ns + CHECK_NS
        if self._box:
            self._unsent_commands.append(CheckTrigger(self._token))
            return
        table = self._table
        known = max(self._wish.cycle, self._cycle), max(self._wish.number, self._number)
        self._unsent_commands.append(GreetTrigger(self._token, table.site, table.table, table.epoch, *known))

    def _forget_box(self) -> None:
        self._box = self._refusal = ""
        self._status = None
        self._sent_at_ns.clear()
        self._heads.forget()

    def _complain(self, code: str, detail: str, now_ns: int) -> None:
        """The box is of no use, and why: an alarm when that begins."""
        if self._state != (HealthState.FAULTY, detail):
            self._readings.append(DeviceComplained(self._name, code, detail, now_ns))
        self._set_state(HealthState.FAULTY, detail, now_ns)

    def _set_state(self, state: HealthState, detail: str, now_ns: int) -> None:
        if (state, detail) != self._state:
            self._state = (state, detail)
            self._readings.append(DeviceHealth(device=self._name, state=state, at_ns=now_ns, detail=detail))
