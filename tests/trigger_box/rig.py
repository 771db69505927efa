"""Trigger boxes for tests: in memory, with noise that is handed in."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from itertools import count

from controller.trigger_box.box import BoxLabel, CommandResult, TriggerBox
from controller.trigger_box.entries import (
    BoundsSet,
    BoxCommissioned,
    BoxEntry,
    BoxState,
    ContributionCounted,
    CycleDrawn,
    CycleOpened,
    after,
)
from controller.trigger_box.pool import NOISE_BYTES, Noise
from controller.trigger_box.sealing import Sealer
from firmware_protocols.codec import LineEnd
from firmware_protocols.messages import Message
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.trigger_messages import TriggerCommand, TriggerReport
from simulators.devices.mystery_trigger import Bounds

OPERATIONS = bytes(range(32))
SURVEILLANCE = bytes(range(100, 132))
MAKER = BoxLabel("SIM-TB1", "1.0")
TWO = ("ann", "ben")
SMALL = Bounds(reset_cents=500, ceiling_cents=1_000, most_units=2_000_000)


def noises(seed: int) -> Iterator[Noise]:
    """Noise without end that nobody need believe in."""
    for turn in count():
        yield Noise(*(hashlib.sha512(b"%d %d %d" % (seed, turn, part)).digest()[:NOISE_BYTES] for part in (0, 1)))


class Memory:
    """A store in memory."""

    def __init__(self, entries: list[BoxEntry] | None = None) -> None:
        self.entries: list[BoxEntry] = list(entries or ())

    def state(self) -> BoxState:
        state = BoxState()
        for entry in self.entries:
            state = after(state, entry)
        return state

    def counted(self, number: int) -> ContributionCounted | None:
        return next(
            (one for one in self.entries if isinstance(one, ContributionCounted) and one.number == number), None
        )

    def drawn(self, cycle: int) -> CycleDrawn | None:
        return next((one for one in self.entries if isinstance(one, CycleDrawn) and one.cycle == cycle), None)

    def opened(self, cycle: int) -> CycleOpened | None:
        return next((one for one in self.entries if isinstance(one, CycleOpened) and one.cycle == cycle), None)


def begun(bounds: Bounds = SMALL, *, site: str = "harbour", table: str = "bj-1") -> list[BoxEntry]:
    return [
        BoxCommissioned(site, table, 0, 0, 0, 0, *TWO, wall_ns=0),
        BoundsSet(bounds.reset_cents, bounds.ceiling_cents, bounds.most_units, *TWO, wall_ns=0),
    ]


def taken_over(bounds: Bounds, cycle: int, number: int, carried_units: int) -> list[BoxEntry]:
    """The store of a box for harbour/bj-1, epoch 7, that takes over from one that was lost."""
    return [BoxCommissioned("harbour", "bj-1", 7, cycle, number, carried_units, *TWO, wall_ns=0), begun(bounds)[1]]


class BoxDevice:
    """The box proper with its store in memory, driven as simulated devices are."""

    def __init__(
        self, bounds: Bounds = SMALL, *, seed: int = 1, noise: bool = True, entries: list[BoxEntry] | None = None
    ) -> None:
        self.memory = Memory(entries or begun(bounds))
        self.works = noise
        self._noises = noises(seed)
        self.power_cycle()

    def power_cycle(self) -> None:
        self._wire = CODEC.open(LineEnd.DEVICE)
        sealer = Sealer(OPERATIONS, SURVEILLANCE)
        self.box = TriggerBox(self.memory.state(), self.memory, sealer, MAKER, self.draw_noise)

    def draw_noise(self) -> Noise | None:
        return next(self._noises) if self.works else None

    def noise(self, *, works: bool) -> bytes:
        self.works = works
        return self._answered(self.box.noise_is_back()) if works else b""

    def snapshot(self) -> tuple[object, ...]:
        return tuple(self.memory.entries)

    def restore(self, image: tuple[BoxEntry, ...]) -> None:
        self.memory = Memory(list(image))
        self.power_cycle()

    def receive(self, data: bytes) -> bytes:
        return self._obey(self._wire.feed(data))

    def idle(self) -> bytes:
        return self._obey(self._wire.idle())

    def hear(self, command: TriggerCommand) -> tuple[TriggerReport, ...]:
        heard = self.box.hear(command)
        self.memory.entries += heard.entries
        self.box.take(heard.entries)
        return heard.reports

    def _obey(self, messages: tuple[Message, ...]) -> bytes:
        commands = [message for message in messages if isinstance(message, TriggerCommand)]
        return b"".join(self._wire.encode(report) for command in commands for report in self.hear(command))

    def _answered(self, heard: CommandResult) -> bytes:
        self.memory.entries += heard.entries
        self.box.take(heard.entries)
        return b"".join(self._wire.encode(report) for report in heard.reports)


Make = Callable[..., BoxDevice]
