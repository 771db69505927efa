"""A table with a journal, a session and a trigger box on a line that may be bad."""

from __future__ import annotations

import hashlib
import hmac
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Protocol

import pytest

from devices.trigger.mystery_trigger import MysteryTriggerSession, TriggerTable
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.readings import (
    DeviceComplained,
    DeviceHealth,
    HealthState,
    MysteryAnswered,
    MysteryCommitted,
    MysteryReading,
    MysteryRevealed,
    Reading,
)
from firmware_protocols.trigger_messages import Contribute, OpenCycle, TriggerWish
from simulators.devices.mystery_trigger import Bounds, TriggerBoxSimulator
from simulators.devices.wire import Device, NullModem
from simulators.faults.line_faults import Faults, Rates
from tests.firmware.piped import BoxInC
from tests.trigger_box.rig import SMALL, BoxDevice

S = 1_000_000_000
MS = 1_000_000


class Box(Device, Protocol):
    """What the tests do to a box, simulated or not."""

    def power_cycle(self) -> None: ...

    def noise(self, *, works: bool) -> bytes: ...

    def snapshot(self) -> tuple[Any, ...]: ...

    def restore(self, image: tuple[Any, ...]) -> None: ...


class Make(Protocol):
    """Makes a box."""

    def __call__(self, bounds: Bounds, *, seed: int, noise: bool) -> Box: ...


def simulated(bounds: Bounds, *, seed: int, noise: bool) -> Box:
    return TriggerBoxSimulator(CODEC, Random(seed), bounds, noise=noise)


def proper(bounds: Bounds, *, seed: int, noise: bool) -> Box:
    return BoxDevice(bounds, seed=seed, noise=noise)


def in_c(bounds: Bounds, *, seed: int, noise: bool) -> Box:
    return BoxInC(bounds, seed=seed, noise=noise)


needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")


@dataclass
class Journal:
    """What a table has committed of its mystery."""

    read: list[MysteryReading] = field(default_factory=list)
    given: list[Contribute] = field(default_factory=list)

    def of(self, kind: type[MysteryReading]) -> list[MysteryReading]:
        return [reading for reading in self.read if isinstance(reading, kind)]

    def copy(self) -> Journal:
        """As it is now, to be put back later."""
        return Journal([*self.read], [*self.given])

    def wish(self) -> TriggerWish:
        cycle, number = len(self.of(MysteryCommitted)), len(self.of(MysteryAnswered))
        share = OpenCycle(cycle, hashlib.sha256(b"%d" % cycle).digest()) if cycle else None
        return TriggerWish(cycle, len(self.of(MysteryRevealed)), number, share, tuple(self.given[number:]))

    def answers(self) -> list[MysteryAnswered]:
        return [reading for reading in self.read if isinstance(reading, MysteryAnswered)]

    def hits(self) -> list[MysteryAnswered]:
        return [answer for answer in self.answers() if answer.hit]


class Rig:
    """A journal that is kept, a session that is not, and the box."""

    def __init__(
        self, make: Make, bounds: Bounds = SMALL, rates: Rates | None = None, seed: int = 1, *, noise: bool = True
    ) -> None:
        self.journal = Journal()
        self.box = make(bounds, seed=seed, noise=noise)
        self.faults = Faults(Random(seed), rates or Rates())
        self.readings: list[Reading] = []
        self.now_ns = 0
        self.restart()

    def restart(self, table: TriggerTable | None = None, serial: str | None = None) -> None:
        """The table's program begins anew, from its journal."""
        self.session = MysteryTriggerSession(
            CODEC, table or TriggerTable("harbour", "bj-1", 7), self.journal.wish(), serial=serial
        )
        self.modem: NullModem[Reading] = NullModem(
            self.session, self.box, CODEC, to_host=self.faults, to_device=self.faults, start_ns=self.now_ns
        )
        self.modem.connect()

    def contribute(self, *amounts_units: int) -> None:
        for amount_units in amounts_units:
            self.journal.given.append(Contribute(len(self.journal.given) + 1, amount_units))
        self.session.apply(self.journal.wish(), self.now_ns)

    def run(self, length_ns: int) -> None:
        """Let time pass; what is learnt is committed, and only then does the table want something else."""
        until_ns = self.now_ns + length_ns
        while self.now_ns < until_ns:
            self.now_ns = min(until_ns, self.now_ns + 20 * MS)
            self.modem.run_until(self.now_ns)
            learnt, self.modem.readings = self.modem.readings, []
            self.readings += learnt
            self.journal.read += [reading for reading in learnt if isinstance(reading, MysteryReading)]
            if any(isinstance(reading, MysteryReading) for reading in learnt):
                self.session.apply(self.journal.wish(), self.now_ns)

    def until(self, done: Callable[[], bool], most_ns: int = 120 * S) -> None:
        end_ns = self.now_ns + most_ns
        while not done():
            assert self.now_ns < end_ns, (self.journal.wish(), self.readings[-5:])
            self.run(50 * MS)

    def states(self) -> list[tuple[HealthState, str]]:
        return [(one.state, one.detail) for one in self.readings if isinstance(one, DeviceHealth)]

    def codes(self) -> list[str]:
        return [one.code for one in self.readings if isinstance(one, DeviceComplained)]


def assert_in_order(journal: Journal, bounds: Bounds) -> None:
    """Everything a table was sent is consistent: cycles in order, each with its answers, one hit, one opening."""
    meter, cycle, number = bounds.reset_cents * 10_000, 0, 0
    committed: MysteryCommitted | None = None
    hit: MysteryAnswered | None = None
    for reading in journal.read:
        match reading:
            case MysteryCommitted():
                assert (hit, reading.cycle, reading.start_units) == (None, cycle + 1, meter)
                committed, cycle = reading, reading.cycle
            case MysteryAnswered():
                number += 1
                meter += journal.given[number - 1].amount_units
                assert (hit, reading.number, reading.cycle, reading.meter_units) == (None, number, cycle, meter)
                if reading.hit:
                    hit = reading
                    assert reading.award_cents == min(meter // 10_000, bounds.ceiling_cents)
                    meter += (bounds.reset_cents - reading.award_cents) * 10_000
            case MysteryRevealed():
                assert committed is not None
                assert hit is not None
                assert (reading.cycle, reading.number) == (cycle, hit.number)
                text = f"tableside.mystery.v1\nharbour/bj-1/7\n{cycle}\n{reading.drawn_cents}".encode()
                proof = hmac.new(bytes.fromhex(reading.key), text, hashlib.sha256).hexdigest()
                assert proof == committed.commitment
                hit = None
            case _:
                raise AssertionError(reading)
