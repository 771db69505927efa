"""A table and its trigger box: each contribution answered once, whatever the line, the box or the table go through."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.mystery_trigger import MysteryTriggerSession, TableName
from firmware_protocols.codec import Role
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
from firmware_protocols.trigger_messages import (
    Contribute,
    ContributionAnswered,
    CycleCommitted,
    CycleRevealed,
    OpenCycle,
    TriggerWish,
)
from simulators.faults import Faults, Rates
from simulators.mystery_trigger import Bounds, TriggerBoxSimulator
from simulators.wire import NullModem

S = 1_000_000_000
MS = 1_000_000
SMALL = Bounds(reset_cents=500, ceiling_cents=1_000, most_units=2_000_000)


@dataclass
class Journal:
    """What a table has committed of its mystery."""

    read: list[MysteryReading] = field(default_factory=list)
    given: list[Contribute] = field(default_factory=list)

    def of(self, kind: type[MysteryReading]) -> list[MysteryReading]:
        return [reading for reading in self.read if isinstance(reading, kind)]

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
        self, bounds: Bounds = SMALL, rates: Rates | None = None, seed: int = 1, *, noise: bool = True
    ) -> None:
        chance = Random(seed)
        self.journal = Journal()
        self.box = TriggerBoxSimulator(CODEC, chance, bounds, noise=noise)
        self.faults = Faults(chance, rates or Rates())
        self.readings: list[Reading] = []
        self.now_ns = 0
        self.restart()

    def restart(self, table: TableName | None = None, serial: str | None = None) -> None:
        """The table's program begins anew, from its journal."""
        self.session = MysteryTriggerSession(
            CODEC, table or TableName("harbour", "bj-1", 7), self.journal.wish(), serial=serial
        )
        self.modem: NullModem[Reading] = NullModem(
            self.session, self.box, CODEC, to_host=self.faults, to_device=self.faults, start_ns=self.now_ns
        )
        self.modem.connect()

    def contribute(self, *amounts_units: int) -> None:
        for amount_units in amounts_units:
            self.journal.given.append(Contribute(len(self.journal.given) + 1, amount_units))
        self.session.wish(self.journal.wish(), self.now_ns)

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
                self.session.wish(self.journal.wish(), self.now_ns)

    def until(self, done: Callable[[], bool], most_ns: int = 120 * S) -> None:
        end_ns = self.now_ns + most_ns
        while not done():
            assert self.now_ns < end_ns, (self.journal.wish(), self.readings[-5:])
            self.run(50 * MS)

    def states(self) -> list[tuple[HealthState, str]]:
        return [(one.state, one.detail) for one in self.readings if isinstance(one, DeviceHealth)]

    def codes(self) -> list[str]:
        return [one.code for one in self.readings if isinstance(one, DeviceComplained)]


def told_in_order(journal: Journal, bounds: Bounds) -> None:
    """Everything a table was told is one story: cycles in order, each with its answers, one hit, one opening."""
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


def test_a_new_box_commits_takes_the_share_and_answers() -> None:
    rig = Rig()
    rig.contribute(100, 2)
    rig.run(S)
    assert [type(reading) for reading in rig.journal.read] == [MysteryCommitted, MysteryAnswered, MysteryAnswered]
    assert [answer.meter_units for answer in rig.journal.answers()] == [5_000_100, 5_000_102]
    assert rig.states() == [(HealthState.READY, "SIM-TB1, firmware 1.0")]


@given(
    amounts=st.lists(st.integers(1, SMALL.most_units), max_size=30),
    seed=st.integers(0, 2**32),
    upsets=st.lists(st.sampled_from(["unplug", "box", "table", "noise", "wait"]), max_size=6),
    loss=st.sampled_from([0, 0, 2, 4]),
)
@settings(max_examples=20, deadline=None)
def test_every_contribution_is_answered_once_and_in_order(
    amounts: list[int], seed: int, upsets: list[str], loss: int
) -> None:
    rig = Rig(rates=Rates(drop=loss, flip=loss, insert=loss, split=3 * loss, duplicate=loss), seed=seed)
    chance = Random(seed)
    works = True
    for amount in amounts:
        rig.contribute(amount)
        if chance.randrange(4) == 0:
            rig.run(chance.randrange(1, 300) * MS)
        if upsets and chance.randrange(6) == 0:
            match upsets.pop():
                case "unplug":
                    rig.modem.disconnect()
                    rig.run(100 * MS)
                    rig.modem.connect()
                case "box":
                    rig.box.power_cycle()
                case "table":
                    rig.restart()
                case "noise":
                    works = not works
                    rig.modem.say(rig.box.noise(works=works))
                case _:
                    rig.run(2 * S)
    rig.modem.say(rig.box.noise(works=True))
    rig.until(lambda: len(rig.journal.answers()) == len(amounts))
    rig.until(lambda: len(rig.journal.of(MysteryRevealed)) == len(rig.journal.hits()))
    told_in_order(rig.journal, SMALL)


def test_an_answer_lost_on_the_line_is_given_again_in_the_same_words() -> None:
    rig = Rig()
    rig.run(S)
    rig.faults.rates = Rates(drop=1000)
    rig.contribute(3_000_000 - 1_000_001)
    rig.run(200 * MS)
    assert rig.journal.answers() == []
    rig.faults.rates = Rates()
    rig.until(lambda: len(rig.journal.answers()) == 1, 2 * S)
    told_in_order(rig.journal, SMALL)


def test_a_box_set_back_is_refused_and_takes_nothing() -> None:
    rig = Rig()
    rig.run(S)
    image = rig.box.snapshot()
    rig.contribute(10_000, 10_000)
    rig.run(S)
    rig.box.restore(image)
    rig.contribute(10_000)
    rig.run(5 * S)
    assert len(rig.journal.answers()) == 2
    assert rig.states()[-1][0] is HealthState.FAULTY
    assert "set back" in rig.states()[-1][1]
    assert rig.codes() == ["rolled_back"]


def test_a_box_set_back_while_the_table_was_down_is_refused_too() -> None:
    rig = Rig()
    rig.run(S)
    image = rig.box.snapshot()
    rig.contribute(10_000)
    rig.run(S)
    rig.box.restore(image)
    rig.restart()
    rig.run(S)
    assert rig.codes() == ["rolled_back"]


def test_the_box_of_another_epoch_is_refused() -> None:
    rig = Rig()
    rig.run(S)
    rig.journal = Journal()
    rig.restart(TableName("harbour", "bj-1", 8))
    rig.run(S)
    assert rig.codes() == ["other_table"]
    assert rig.journal.read == []


def test_without_noise_the_mystery_is_closed_and_contributions_wait() -> None:
    rig = Rig(noise=False)
    rig.contribute(10_000, 20_000)
    rig.run(3 * S)
    assert rig.journal.read == []
    assert rig.states() == [(HealthState.FAULTY, "no noise source: the next number cannot be drawn")]
    assert rig.codes() == ["no_randomness"]
    rig.modem.say(rig.box.noise(works=True))
    rig.run(S)
    assert [answer.meter_units for answer in rig.journal.answers()] == [5_010_000, 5_030_000]
    assert rig.states()[-1][0] is HealthState.READY


def test_a_hit_without_noise_is_told_and_the_next_cycle_waits() -> None:
    rig = Rig()
    rig.run(S)
    rig.modem.say(rig.box.noise(works=False))
    rig.contribute(2_000_000, 2_000_000, 2_000_000, 2_000_000)
    rig.run(3 * S)
    assert len(rig.journal.hits()) == len(rig.journal.of(MysteryRevealed)) == 1
    assert len(rig.journal.of(MysteryCommitted)) == 1
    assert rig.codes() == ["no_randomness"]
    rig.modem.say(rig.box.noise(works=True))
    rig.until(lambda: len(rig.journal.answers()) == 4)
    told_in_order(rig.journal, SMALL)


@pytest.mark.parametrize(
    ("amount_units", "words"), [(SMALL.most_units + 1, "larger than any"), (10**12, "larger than any")]
)
def test_a_contribution_nobody_could_make_closes_the_mystery(amount_units: int, words: str) -> None:
    rig = Rig()
    rig.contribute(amount_units)
    rig.run(S)
    assert rig.journal.answers() == []
    complaint = next(one for one in rig.readings if isinstance(one, DeviceComplained))
    assert words in complaint.text
    assert rig.states()[-1][0] is HealthState.FAULTY


def test_another_box_than_expected_is_refused() -> None:
    rig = Rig()
    rig.readings.clear()
    rig.restart(serial="TB0001")
    rig.contribute(10_000)
    rig.run(S)
    assert rig.states() == [(HealthState.FAULTY, "expected box TB0001; this is SIM-TB1, firmware 1.0")]
    assert rig.journal.read == []


def test_a_silent_box_is_lost_within_two_seconds_and_found_again() -> None:
    rig = Rig()
    rig.run(S)
    rig.faults.rates = Rates(drop=1000)
    rig.run(2 * S)
    assert rig.states()[-1] == (HealthState.LOST, "no answer")
    rig.faults.rates = Rates()
    rig.run(S)
    assert rig.states()[-1][0] is HealthState.READY


def test_nothing_outside_the_wish_is_told() -> None:
    """Answers nobody waits for, in any order, tell the table nothing."""
    rig = Rig()
    rig.contribute(10_000)
    rig.run(S)
    told = list(rig.journal.read)
    wire = CODEC.open(Role.DEVICE)
    for message in (
        ContributionAnswered(2, 1, 6_000_000, hit=False, award_cents=0),
        ContributionAnswered(1, 1, 6_000_000, hit=True, award_cents=600),
        CycleRevealed(1, 9, 700, bytes(32)),
        CycleCommitted(3, bytes(32), 5_000_000, 500, 1_000),
        CycleCommitted(2, bytes(32), 5_000_000, 500, 1_000),
    ):
        rig.modem.say(wire.encode(message))
    rig.run(S)
    assert rig.journal.read == told
