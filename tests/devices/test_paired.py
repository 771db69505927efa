"""The trigger box behind a paired line: a simulated box, a real session, and somebody between them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from itertools import count
from random import Random
from typing import TypeVar

from cobs import cobs

from devices.paired_session import UNANSWERED, PairedSession
from devices.trigger.mystery_trigger import MysteryTriggerSession, TriggerTable
from firmware_protocols.codec import LineEnd
from firmware_protocols.mystery_trigger.tableside import CODEC
from firmware_protocols.paired_line import PairedLine
from firmware_protocols.readings import (
    DeviceComplained,
    DeviceHealth,
    HealthState,
    MysteryAnswered,
    MysteryCommitted,
    Reading,
)
from firmware_protocols.trigger_messages import Contribute, OpenCycle, TriggerWish
from simulators.devices.mystery_trigger import TriggerBoxSimulator
from simulators.devices.wire import NullModem

KEY = bytes(range(32))
S = 1_000_000_000
T = TypeVar("T")
Pass = Callable[[bytes], bytes]


def nonces(first: int) -> Callable[[], bytes]:
    numbers = count(first)
    return lambda: next(numbers).to_bytes(16, "big")


class PairedBox:
    """A simulated box that listens to a table with its key only. ``between`` changes what it says."""

    def __init__(self, key: bytes = KEY) -> None:
        self.box = TriggerBoxSimulator(CODEC, Random(1))
        self._key = key
        self._starts = count(1)
        self.between: Pass = lambda data: data
        self.heard: list[str] = []
        self.commands: list[bytes] = []
        self.restart()

    def restart(self) -> None:
        """The process is started again: it has forgotten the pairing."""
        self.line = PairedLine(LineEnd.DEVICE, self._key, nonces(1_000_000 * next(self._starts)))

    def receive(self, data: bytes) -> bytes:
        fed = self.line.feed(data)
        self.heard += fed.refused
        self.commands += [fed.inside] if fed.inside else []
        sent = self.box.receive(fed.inside) if fed.inside else b""
        return self.between(fed.answer + self.line.seal(sent))

    def idle(self) -> bytes:
        return b""


class Stage:
    """A session behind its pairing, and the line."""

    def __init__(self, device: PairedBox | TriggerBoxSimulator) -> None:
        self.inner = MysteryTriggerSession(CODEC, TriggerTable("harbour", "bj-1", 7))
        self.session = PairedSession(self.inner, "mystery_trigger", KEY, nonces(1))
        self.modem: NullModem[Reading] = NullModem(self.session, device, CODEC)
        self.modem.connect()
        self.pass_s(1)

    def pass_s(self, seconds: float) -> None:
        self.modem.run_until(self.modem.now_ns + int(seconds * S))

    def contribute(self, *numbers: int) -> None:
        """Open the cycle and report these contributions."""
        share = OpenCycle(1, bytes(32))
        contributions = tuple(Contribute(number, 10_000) for number in numbers)
        self.inner.apply(TriggerWish(1, 0, numbers[0] - 1, share, contributions), self.modem.now_ns)
        self.pass_s(2)

    def of(self, kind: type[T]) -> list[T]:
        return [one for one in self.modem.readings if isinstance(one, kind)]

    def complaints(self) -> list[str]:
        return [one.code for one in self.of(DeviceComplained)]

    def states(self) -> list[HealthState]:
        return [one.state for one in self.of(DeviceHealth)]


def test_contributions_are_answered_behind_the_pairing() -> None:
    made = Stage(PairedBox())
    made.contribute(1, 2, 3)
    assert [one.number for one in made.of(MysteryAnswered)] == [1, 2, 3]
    assert len(made.of(MysteryCommitted)) == 1
    assert made.states()[-1] is HealthState.READY
    assert made.complaints() == []


def test_a_box_with_another_key_is_refused_and_sent_nothing() -> None:
    device = PairedBox(bytes(32))
    made = Stage(device)
    made.pass_s(3)
    assert made.complaints() == ["pairing_refused"]
    assert [(one.state, one.detail) for one in made.of(DeviceHealth)] == [(HealthState.FAULTY, UNANSWERED)]
    assert device.commands == []


def test_a_box_without_pairing_is_not_taken_for_one_with_it() -> None:
    made = Stage(TriggerBoxSimulator(CODEC, Random(1)))
    made.pass_s(3)
    assert made.states() == [HealthState.FAULTY]
    assert made.of(MysteryCommitted) == []


def test_an_answer_changed_on_the_way_is_dropped_and_reported_once_and_asked_for_again() -> None:
    device = PairedBox()
    made = Stage(device)
    changes = iter(range(3))

    def change(data: bytes) -> bytes:
        return data if next(changes, None) is None else b"".join(map(reframed, data.split(b"\0")))

    device.between = change
    made.contribute(1, 2)
    assert [one.number for one in made.of(MysteryAnswered)] == [1, 2]
    assert made.complaints() == ["forged"]


def reframed(frame: bytes) -> bytes:
    """A frame with one bit of its content changed and the check put right."""
    if not frame:
        return b""
    content = bytearray(cobs.decode(frame)[:-4])
    content[12] ^= 1
    whole: bytes = cobs.encode(bytes(content) + zlib.crc32(content).to_bytes(4, "big"))
    return whole + b"\0"


def test_an_answer_said_twice_on_the_way_counts_once_and_is_reported() -> None:
    device = PairedBox()
    made = Stage(device)
    device.between = lambda data: data + data
    made.contribute(1, 2)
    assert [one.number for one in made.of(MysteryAnswered)] == [1, 2]
    assert made.complaints() == ["replayed"]


def test_a_box_that_was_started_again_is_paired_with_again() -> None:
    device = PairedBox()
    made = Stage(device)
    made.contribute(1)
    device.restart()
    made.pass_s(5)
    assert made.states()[-2:] == [HealthState.LOST, HealthState.READY]
    made.contribute(2, 3)
    assert [one.number for one in made.of(MysteryAnswered)] == [1, 2, 3]
    assert "unpaired" in device.heard


def test_a_silent_line_is_said_to_have_no_pairing_and_is_greeted_again_and_again() -> None:
    device = PairedBox()
    device.between = lambda _: b""
    made = Stage(device)
    made.pass_s(4)
    assert [(one.state, one.detail) for one in made.of(DeviceHealth)] == [(HealthState.FAULTY, UNANSWERED)]
    device.between = lambda data: data
    made.pass_s(2)
    assert made.states()[-1] is HealthState.READY


def test_the_line_gone_is_the_boxs_loss() -> None:
    made = Stage(PairedBox())
    made.modem.disconnect()
    assert made.states()[-1] is HealthState.LOST
    assert made.session.next_deadline() is None
    made.modem.connect()
    made.pass_s(1)
    assert made.states()[-1] is HealthState.READY
