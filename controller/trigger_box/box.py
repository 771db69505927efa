"""The trigger box as a machine: a command in, entries to store and reports to send out. Noise is asked for, not made.

What it answers may be sent only once its entries are stored. A contribution is handled alike at any distance from the
trigger: the secret is opened, the trigger made, the meter compared, the answer stored and sent, all of one length.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple, Protocol, assert_never

from controller.reports.audit import mystery_proof as proof
from controller.trigger_box import entries as store
from controller.trigger_box.entries import (
    BoxEntry,
    BoxState,
    ContributionCounted,
    CycleDrawn,
    CycleOpened,
    CycleShared,
    HeadStored,
    after,
)
from controller.trigger_box.pool import POOL_BYTES, Noise, mix
from controller.trigger_box.sealing import NONCE_BYTES, SealContext, Sealer, Secret
from firmware_protocols.trigger_messages import (
    KEY_BYTES,
    ROOT_BYTES,
    SIGNATURE_BYTES,
    UNITS_PER_CENT,
    CheckTrigger,
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    GreetTrigger,
    HeadKept,
    KeepHead,
    OpenCycle,
    RecallCycle,
    RecallHead,
    TriggerAlarm,
    TriggerCommand,
    TriggerCondition,
    TriggerGreeted,
    TriggerReport,
    TriggerStatus,
)

CYCLE_UNKNOWN: Final = "cycle_unknown"
"""The complaint of a box that took over from one that was lost: it cannot reveal what that one drew."""


_KEEPING: Final = frozenset(
    {
        TriggerCondition.OPEN,
        TriggerCondition.AWAITING_SHARE,
        TriggerCondition.NO_RANDOMNESS,
        TriggerCondition.DISPUTED,
    }
)
"""In which conditions a later head of the journal is kept; the one there is is said in all but ``ungreeted``."""


class StoreHistory(Protocol):
    """What a store still knows."""

    def counted(self, number: int) -> ContributionCounted | None:
        """The answer to a contribution."""
        ...

    def drawn(self, cycle: int) -> CycleDrawn | None:
        """The draw of a cycle."""
        ...

    def opened(self, cycle: int) -> CycleOpened | None:
        """The opening of a cycle."""
        ...


class BoxLabel(NamedTuple):
    """Which box this is: 1 to 16 and 1 to 12 characters of printable ASCII."""

    serial: str
    firmware: str


class CommandResult(NamedTuple):
    """The result of a command: entries to store first, then reports to send."""

    entries: tuple[BoxEntry, ...] = ()
    reports: tuple[TriggerReport, ...] = ()


NoiseSource = Callable[[], Noise | None]
"""Fresh randomness for a draw; None while the device gives none."""


class TriggerBox:
    """One box, for one table. ``take`` carries entries over once they are stored."""

    def __init__(
        self, state: BoxState, past: StoreHistory, sealer: Sealer, maker: BoxLabel, noise: NoiseSource
    ) -> None:
        self.state = state
        self._past = past
        self._sealer = sealer
        self._maker = maker
        self._noise = noise
        self._condition = TriggerCondition.UNGREETED

    def __repr__(self) -> str:
        return f"TriggerBox({self._maker.serial})"

    @property
    def condition(self) -> TriggerCondition:
        """What it can do now."""
        return self._condition

    def take(self, entries: tuple[BoxEntry, ...]) -> None:
        """These entries are stored."""
        for entry in entries:
            self.state = after(self.state, entry)

    def line_lost(self) -> None:
        """Whoever greeted is gone."""
        self._condition = TriggerCondition.UNGREETED

    def hear(self, command: TriggerCommand) -> CommandResult:
        """What a command gives."""
        match command:
            case GreetTrigger():
                return self._greet(command)
            case CheckTrigger(token):
                return CommandResult(reports=(self._status(token),))
            case OpenCycle(cycle, share):
                return self._open_cycle(cycle, share)
            case Contribute(number, amount_units):
                return self._contribute(number, amount_units)
            case RecallCycle(cycle):
                return self._recall(cycle)
            case KeepHead(epoch, size, root, signature):
                return self._keep(HeadStored(epoch, size, root, signature))
            case RecallHead():
                return self._head(self.state.head)
            case _:
                assert_never(command)

    def noise_is_back(self) -> CommandResult:
        """The noise source works (again): draw what waited for it."""
        if self._condition is not TriggerCondition.NO_RANDOMNESS:
            return CommandResult()
        drawn, reports = self._draw(self.state)
        return CommandResult(drawn, (*reports, self._status(0, drawn)))

    def end(self, operations: str, surveillance: str, wall_ns: int) -> tuple[BoxEntry, ...]:
        """Two people take the box out of service: the running cycle is opened, and nothing is drawn any more."""
        ended = store.BoxRetired(operations, surveillance, wall_ns)
        if self.state.over or self.state.drawn is None:
            return (ended,)
        secret = self._secret(self.state, self.state.drawn)
        return (CycleOpened(self.state.cycle, 0, secret.drawn_cents, secret.key), ended)

    # --- greeting -------------------------------------------------------------------------------------

    def _greet(self, greet: GreetTrigger) -> CommandResult:
        state, bounds = self.state, self.state.bounds
        assert bounds is not None
        entries: tuple[BoxEntry, ...] = ()
        reports: tuple[TriggerReport, ...] = ()
        own = (state.site, state.table) == (greet.site, greet.table) and greet.epoch > 0
        if state.ended:
            self._condition = TriggerCondition.ENDED
        elif not own or state.epoch not in (0, greet.epoch):
            self._condition = TriggerCondition.OTHER_TABLE
        elif (greet.cycle, greet.number) > (state.cycle, state.number) or greet.number > state.number:
            self._condition = TriggerCondition.ROLLED_BACK
        else:
            if state.epoch == 0:
                entries = (store.BoxRestored(greet.epoch),)
                state = after(state, entries[0])
            self._condition = TriggerCondition.OPEN if state.share else TriggerCondition.AWAITING_SHARE
            if state.over:
                drawn, reports = self._draw(state)
                entries += drawn
        greeted = TriggerGreeted(greet.token, *self._maker, bounds.reset_cents, bounds.ceiling_cents, bounds.most_units)
        return CommandResult(entries, (greeted, *reports, self._status(greet.token, entries)))

    # --- a cycle --------------------------------------------------------------------------------------

    def _draw(self, state: BoxState) -> tuple[tuple[BoxEntry, ...], tuple[TriggerReport, ...]]:
        """Draw for the next cycle if there is noise; the one place where a number is chosen."""
        noise, bounds = self._noise(), state.bounds
        if noise is None or bounds is None:
            self._condition = TriggerCondition.NO_RANDOMNESS
            return (), ()
        pool, mixed = mix(self._pool(state), noise)
        cycle, width = state.cycle + 1, bounds.ceiling_cents - bounds.reset_cents
        secret = Secret(bounds.reset_cents + mixed.below(width), mixed.take(KEY_BYTES))
        commitment = proof.commitment(secret.key, state.identity(), cycle, secret.drawn_cents)
        place = SealContext(state.identity(), cycle, commitment)
        drawn = CycleDrawn(
            cycle=cycle,
            start_units=bounds.reset_cents * UNITS_PER_CENT + state.carried_units,
            reset_cents=bounds.reset_cents,
            ceiling_cents=bounds.ceiling_cents,
            commitment=commitment,
            sealed=self._sealer.seal(place, secret, mixed.take(NONCE_BYTES)),
            pool=self._sealer.seal_pool(place, pool, mixed.take(NONCE_BYTES)),
        )
        self._condition = TriggerCondition.AWAITING_SHARE
        return (drawn,), (_committed(drawn),)

    def _open_cycle(self, cycle: int, share: bytes) -> CommandResult:
        if self._condition is not TriggerCondition.AWAITING_SHARE or cycle != self.state.cycle:
            return CommandResult(reports=(self._status(0),))
        self._condition = TriggerCondition.OPEN
        return CommandResult((CycleShared(cycle, share),), (self._status(0),))

    def _contribute(self, number: int, amount_units: int) -> CommandResult:
        state, bounds = self.state, self.state.bounds
        if self._condition in (
            TriggerCondition.UNGREETED,
            TriggerCondition.OTHER_TABLE,
            TriggerCondition.ROLLED_BACK,
            TriggerCondition.ENDED,
        ):
            return CommandResult(reports=(self._status(0),))
        if number <= state.number:
            return self._repeat(number, amount_units)
        if number != state.number + 1 or self._condition is not TriggerCondition.OPEN:
            return CommandResult(reports=(self._status(0),))
        assert bounds is not None
        if amount_units > bounds.most_units:
            return self._dispute(f"contribution {number} is larger than any could be")
        return self._count(number, amount_units)

    def _count(self, number: int, amount_units: int) -> CommandResult:
        state, drawn = self.state, self.state.drawn
        assert drawn is not None
        secret = self._secret(state, drawn)
        meter_units = state.meter_units + amount_units
        bounds = proof.Bounds(drawn.reset_cents, drawn.ceiling_cents)
        trigger = proof.trigger_cents(secret.drawn_cents, state.share, state.identity(), state.cycle, bounds)
        award = proof.award_cents(meter_units, drawn.ceiling_cents) * proof.is_hit(meter_units, trigger)
        counted = ContributionCounted(number, state.cycle, amount_units, meter_units, award)
        if not award:
            return CommandResult((counted,), (_answer(counted),))
        opened = CycleOpened(state.cycle, number, secret.drawn_cents, secret.key)
        over = after(after(state, counted), opened)
        next_drawn, reports = self._draw(over)
        entries = (counted, opened, *next_drawn)
        return CommandResult(entries, (_answer(counted), _revealed(opened), *reports, self._status(0, entries)))

    def _repeat(self, number: int, amount_units: int) -> CommandResult:
        counted = self._past.counted(number)
        if counted is None:
            return self._dispute(f"contribution {number} was counted by the box before this one")
        if counted.amount_units != amount_units:
            return self._dispute(f"contribution {number} came again with another amount")
        return CommandResult(reports=(_answer(counted),))

    def _recall(self, cycle: int) -> CommandResult:
        if self._condition in (TriggerCondition.UNGREETED, TriggerCondition.OTHER_TABLE):
            return CommandResult(reports=(self._status(0),))
        drawn, opened = self._past.drawn(cycle), self._past.opened(cycle)
        if drawn is None:
            text = f"cycle {cycle} was drawn by the box before this one"
            known = cycle > self.state.cycle
            return CommandResult(reports=(self._status(0),) if known else (TriggerAlarm(CYCLE_UNKNOWN, text),))
        revealed = (_revealed(opened),) if opened is not None and opened.number else ()
        return CommandResult(reports=(_committed(drawn), *revealed))

    def _keep(self, head: HeadStored) -> CommandResult:
        if self._condition not in _KEEPING or not head.is_later_than(self.state.head):
            return self._head(self.state.head)
        return self._head(head, (head,))

    def _head(self, head: HeadStored | None, entries: tuple[BoxEntry, ...] = ()) -> CommandResult:
        """Say which head is kept once ``entries`` are stored."""
        if self._condition is TriggerCondition.UNGREETED:
            return CommandResult(reports=(self._status(0),))
        if head is None:
            return CommandResult(entries, (HeadKept(0, 0, bytes(ROOT_BYTES), bytes(SIGNATURE_BYTES)),))
        return CommandResult(entries, (HeadKept(head.epoch, head.size, head.root, head.signature),))

    def _dispute(self, text: str) -> CommandResult:
        """Take nothing until somebody has looked; the alarm names the first contribution that was wrong."""
        first = self._condition is not TriggerCondition.DISPUTED
        self._condition = TriggerCondition.DISPUTED
        return CommandResult(reports=(*((TriggerAlarm("disputed", text),) if first else ()), self._status(0)))

    # --- what is sealed -------------------------------------------------------------------------------

    def _secret(self, state: BoxState, drawn: CycleDrawn) -> Secret:
        return self._sealer.open(SealContext(state.identity(), drawn.cycle, drawn.commitment), drawn.sealed)

    def _pool(self, state: BoxState) -> bytes:
        drawn = state.drawn
        if drawn is None:
            return bytes(POOL_BYTES)
        return self._sealer.open_pool(SealContext(state.identity(), drawn.cycle, drawn.commitment), drawn.pool)

    def _status(self, token: int, entries: tuple[BoxEntry, ...] = ()) -> TriggerStatus:
        """How the box is once ``entries`` are stored."""
        state = self.state
        for entry in entries:
            state = after(state, entry)
        return TriggerStatus(token, self._condition, state.cycle, state.number)


def _committed(drawn: CycleDrawn) -> CycleCommitted:
    return CycleCommitted(drawn.cycle, drawn.commitment, drawn.start_units, drawn.reset_cents, drawn.ceiling_cents)


def _answer(counted: ContributionCounted) -> ContributionAnswered:
    hit = counted.award_cents > 0
    return ContributionAnswered(counted.number, counted.cycle, counted.meter_units, hit, counted.award_cents)


def _revealed(opened: CycleOpened) -> CycleRevealed:
    return CycleRevealed(opened.cycle, opened.number, opened.drawn_cents, opened.key)
