"""A trigger box that does not exist: it draws, commits, counts and reveals as docs/reference/mystery-trigger.md says.

It seals nothing and stores nothing but in memory; chance is handed in. What is remembered outlives the power.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass, field, replace
from typing import Final, assert_never

from firmware_protocols.codec import Codec, LineEnd
from firmware_protocols.messages import Message
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
from simulators.chance import Chance

SERIAL: Final = "SIM-TB1"
FIRMWARE: Final = "1.0"


@dataclass(frozen=True, slots=True)
class Bounds:
    """Between what the number is drawn (whole cents, ``reset`` to ``ceiling`` - 1), and the largest contribution."""

    reset_cents: int = 25_000
    ceiling_cents: int = 100_000
    most_units: int = 100_000_000


@dataclass(slots=True)
class _Cycle:
    committed: CycleCommitted
    drawn_cents: int
    key: bytes
    share: bytes = b""
    hit_by: int = 0


_NO_HEAD: Final = HeadKept(0, 0, bytes(ROOT_BYTES), bytes(SIGNATURE_BYTES))


@dataclass(slots=True)
class _Memory:
    """What survives without power."""

    head: HeadKept = _NO_HEAD
    name: str = ""
    meter_units: int = 0
    cycles: list[_Cycle] = field(default_factory=list)
    answers: list[tuple[int, ContributionAnswered]] = field(default_factory=list)


class TriggerBoxSimulator:
    """A box for whatever table greets it first. ``keeps_heads``: else it is an earlier one, which knows of none."""

    def __init__(
        self,
        codec: Codec,
        chance: Chance,
        bounds: Bounds | None = None,
        *,
        noise: bool = True,
        keeps_heads: bool = True,
    ) -> None:
        self._codec = codec
        self._chance = chance
        self._bounds = bounds or Bounds()
        self._noise = noise
        self._keeps_heads = keeps_heads
        self._memory = _Memory()
        self.power_cycle()

    def power_cycle(self) -> None:
        """Without power for a moment: only what was greeted is forgotten."""
        self._wire = self._codec.open(LineEnd.DEVICE)
        self._condition = TriggerCondition.UNGREETED

    # --- what people do to it -------------------------------------------------------------------------

    @property
    def trigger_cents(self) -> int:
        """The trigger of the running cycle, which only a simulated box tells.

        Raises:
            LookupError: no cycle runs.
        """
        if not self._memory.cycles or not self._memory.cycles[-1].share:
            raise LookupError("no cycle is open")
        return self._trigger(self._memory.cycles[-1])

    @property
    def meter_units(self) -> int:
        """What its meter stands at."""
        return self._memory.meter_units

    @property
    def counted(self) -> int:
        """How many contributions it has counted."""
        return len(self._memory.answers)

    @property
    def head(self) -> HeadKept:
        """The signed head that it keeps."""
        return self._memory.head

    def noise(self, *, works: bool) -> bytes:
        """Its noise source fails or works again; what it says of that."""
        self._noise = works
        if self._condition is TriggerCondition.NO_RANDOMNESS and works:
            return self._say(*self._drawn(), self._status(0))
        return b""

    def alarm(self, code: str, text: str) -> bytes:
        """The box complains.

        Raises:
            ValueError: the protocol has no room for it.
        """
        return self._say(TriggerAlarm(code, text))

    def snapshot(self) -> tuple[object, ...]:
        """A copy of its store, as an image of its disk would be."""
        memory = self._memory
        cycles = [replace(cycle) for cycle in memory.cycles]
        return (replace(memory, cycles=cycles, answers=list(memory.answers)),)

    def restore(self, image: tuple[object, ...]) -> None:
        """Set its store back to ``snapshot``'s, as somebody would who knows what it held; the power goes too."""
        (memory,) = image
        assert isinstance(memory, _Memory)
        cycles = [replace(cycle) for cycle in memory.cycles]
        self._memory = replace(memory, cycles=cycles, answers=list(memory.answers))
        self.power_cycle()

    # --- the line -------------------------------------------------------------------------------------

    def receive(self, data: bytes) -> bytes:
        """Commands; the answers to those that came whole."""
        return self._obey(self._wire.feed(data))

    def idle(self) -> bytes:
        """The line has been silent: a command begun is given up."""
        return self._obey(self._wire.idle())

    def _obey(self, messages: tuple[Message, ...]) -> bytes:
        said = b""
        for message in messages:
            if isinstance(message, TriggerCommand):
                said += self._say(*self._answer(message))
        return said

    def _say(self, *reports: TriggerReport) -> bytes:
        return b"".join(self._wire.encode(report) for report in reports)

    def _answer(self, command: TriggerCommand) -> tuple[TriggerReport, ...]:
        match command:
            case GreetTrigger():
                return self._greeted(command)
            case CheckTrigger(token):
                return (self._status(token),)
            case OpenCycle(cycle, share):
                return self._opened(cycle, share)
            case Contribute(number, amount_units):
                return self._contributed(number, amount_units)
            case RecallCycle(cycle):
                return self._recalled(cycle)
            case KeepHead() | RecallHead():
                return self._headed(command) if self._keeps_heads else ()
            case _:
                assert_never(command)

    def _greeted(self, greet: GreetTrigger) -> tuple[TriggerReport, ...]:
        memory, bounds = self._memory, self._bounds
        name = f"{greet.site}/{greet.table}/{greet.epoch}"
        reports: tuple[TriggerReport, ...] = ()
        self._condition = TriggerCondition.OPEN
        if memory.name not in ("", name):
            self._condition = TriggerCondition.OTHER_TABLE
        elif (greet.cycle, greet.number) > (len(memory.cycles), len(memory.answers)):
            self._condition = TriggerCondition.ROLLED_BACK
        else:
            memory.name = name
            if not memory.cycles or memory.cycles[-1].hit_by:
                reports = self._drawn()
            elif not memory.cycles[-1].share:
                self._condition = TriggerCondition.AWAITING_SHARE
        greeted = TriggerGreeted(
            greet.token, SERIAL, FIRMWARE, bounds.reset_cents, bounds.ceiling_cents, bounds.most_units
        )
        return (greeted, *reports, self._status(greet.token))

    def _drawn(self) -> tuple[TriggerReport, ...]:
        """Draw for the next cycle, if there is noise to draw from."""
        memory, bounds = self._memory, self._bounds
        if not self._noise:
            self._condition = TriggerCondition.NO_RANDOMNESS
            return ()
        cycle = len(memory.cycles) + 1
        if not memory.cycles:
            memory.meter_units = bounds.reset_cents * UNITS_PER_CENT
        drawn_cents = bounds.reset_cents + self._chance.randrange(bounds.ceiling_cents - bounds.reset_cents)
        key = bytes(self._chance.randrange(256) for _ in range(KEY_BYTES))
        text = f"tableside.mystery.v1\n{memory.name}\n{cycle}\n{drawn_cents}"
        commitment = hmac.new(key, text.encode(), hashlib.sha256).digest()
        committed = CycleCommitted(cycle, commitment, memory.meter_units, bounds.reset_cents, bounds.ceiling_cents)
        memory.cycles.append(_Cycle(committed, drawn_cents, key))
        self._condition = TriggerCondition.AWAITING_SHARE
        return (committed,)

    def _opened(self, cycle: int, share: bytes) -> tuple[TriggerReport, ...]:
        if self._condition is TriggerCondition.AWAITING_SHARE and cycle == len(self._memory.cycles):
            self._memory.cycles[-1].share = share
            self._condition = TriggerCondition.OPEN
        return (self._status(0),)

    def _contributed(self, number: int, amount_units: int) -> tuple[TriggerReport, ...]:
        memory = self._memory
        if self._condition in (
            TriggerCondition.UNGREETED,
            TriggerCondition.OTHER_TABLE,
            TriggerCondition.ROLLED_BACK,
        ):
            return (self._status(0),)
        if number <= len(memory.answers):
            before_units, answer = memory.answers[number - 1]
            if before_units == amount_units:
                return (answer,)
            return self._disputed(f"contribution {number} came again with another amount")
        if number != len(memory.answers) + 1 or self._condition is not TriggerCondition.OPEN:
            return (self._status(0),)
        if amount_units > self._bounds.most_units:
            return self._disputed(f"contribution {number} is larger than any could be")
        return self._counted(number, amount_units)

    def _counted(self, number: int, amount_units: int) -> tuple[TriggerReport, ...]:
        memory, cycle = self._memory, self._memory.cycles[-1]
        memory.meter_units += amount_units
        hit = memory.meter_units > self._trigger(cycle) * UNITS_PER_CENT
        award = min(memory.meter_units // UNITS_PER_CENT, cycle.committed.ceiling_cents) if hit else 0
        answer = ContributionAnswered(number, cycle.committed.cycle, memory.meter_units, hit, award)
        memory.answers.append((amount_units, answer))
        if not hit:
            return (answer,)
        cycle.hit_by = number
        memory.meter_units += (self._bounds.reset_cents - award) * UNITS_PER_CENT
        return (answer, self._reveal(cycle), *self._drawn(), self._status(0))

    def _recalled(self, cycle: int) -> tuple[TriggerReport, ...]:
        if self._condition in (TriggerCondition.UNGREETED, TriggerCondition.OTHER_TABLE):
            return (self._status(0),)
        if cycle > len(self._memory.cycles):
            return (self._status(0),)
        known = self._memory.cycles[cycle - 1]
        return (known.committed, self._reveal(known)) if known.hit_by else (known.committed,)

    def _headed(self, command: KeepHead | RecallHead) -> tuple[TriggerReport, ...]:
        memory = self._memory
        if self._condition is TriggerCondition.UNGREETED:
            return (self._status(0),)
        takes = self._condition not in (TriggerCondition.OTHER_TABLE, TriggerCondition.ROLLED_BACK)
        later = isinstance(command, KeepHead) and (command.epoch, command.size) > (memory.head.epoch, memory.head.size)
        if isinstance(command, KeepHead) and takes and later:
            memory.head = HeadKept(command.epoch, command.size, command.root, command.signature)
        return (memory.head,)

    def _disputed(self, text: str) -> tuple[TriggerReport, ...]:
        first = self._condition is not TriggerCondition.DISPUTED
        self._condition = TriggerCondition.DISPUTED
        return (*((TriggerAlarm("disputed", text),) if first else ()), self._status(0))

    def _reveal(self, cycle: _Cycle) -> CycleRevealed:
        return CycleRevealed(cycle.committed.cycle, cycle.hit_by, cycle.drawn_cents, cycle.key)

    def _status(self, token: int) -> TriggerStatus:
        return TriggerStatus(token, self._condition, len(self._memory.cycles), len(self._memory.answers))

    def _trigger(self, cycle: _Cycle) -> int:
        """The box's number moved on by what the table's share says, within the same bounds."""
        low, high = cycle.committed.reset_cents, cycle.committed.ceiling_cents
        bits = (high - low - 1).bit_length()
        attempt, moved = 0, high
        while moved >= high - low:
            text = f"tableside.mystery.share.v1\n{self._memory.name}\n{cycle.committed.cycle}\n{attempt}"
            block = hmac.new(cycle.share, text.encode(), hashlib.sha256).digest()
            moved = int.from_bytes(block[:8], "big") & ((1 << bits) - 1)
            attempt += 1
        return low + (cycle.drawn_cents - low + moved) % (high - low)
