"""A hardware generator on its line: tested before use and all the time, and silent where it is not sound."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.trigger.rng import KEPT_BYTES, RngSession
from firmware_protocols.readings import DeviceComplained, DeviceHealth, HealthState, LineDisturbed, Reading
from firmware_protocols.rng.truerng import CODEC
from simulators.devices.rng import Noise, NoiseSimulator

MS = 1_000_000
S = 1_000 * MS


class Rig:
    """A generator that sends 512 bytes every ten milliseconds."""

    def __init__(self, noise: Noise = Noise.HEALTHY) -> None:
        self.device = NoiseSimulator(CODEC, Random(5), noise)
        self.session = RngSession(CODEC)
        self.now_ns = 0
        self.readings: list[Reading] = []
        self.session.connected(0)

    def run(self, turns: int) -> None:
        for _ in range(turns):
            self.now_ns += 10 * MS
            deadline_ns = self.session.next_deadline()
            if deadline_ns is not None and deadline_ns <= self.now_ns:
                self.session.handle_deadline(self.now_ns)
            self.session.receive(self.device.emit(512), self.now_ns)
            self.readings += self.session.readings()

    def states(self) -> list[tuple[HealthState, str]]:
        return [(one.state, one.detail) for one in self.readings if isinstance(one, DeviceHealth)]

    def codes(self) -> list[str]:
        return [one.code for one in self.readings if isinstance(one, DeviceComplained)]


def test_the_first_1024_bytes_are_tested_and_thrown_away() -> None:
    rig = Rig()
    first = NoiseSimulator(CODEC, Random(5)).emit(1536)
    rig.run(2)
    assert (rig.session.available, rig.session.take(1)) == (0, b"")
    assert rig.states() == [(HealthState.READY, "1024 bytes tested")]
    rig.run(1)
    assert rig.session.take(512) == first[1024:]
    assert rig.session.take(1) == b""


def test_only_the_newest_bytes_are_kept_and_none_is_given_twice() -> None:
    rig = Rig()
    rig.run(40)
    assert rig.session.available == KEPT_BYTES
    one, other = rig.session.take(64), rig.session.take(64)
    assert one != other
    assert rig.session.available == KEPT_BYTES - 128
    assert rig.session.take(KEPT_BYTES) == b""


@pytest.mark.parametrize(
    ("noise", "test"),
    [
        (Noise.STUCK, "repetition_count"),
        (Noise.ALTERNATING, "adaptive_proportion"),
        (Noise.BIASED, "repetition_count"),
        (Noise.NARROW, "adaptive_proportion"),
    ],
)
def test_a_bad_source_is_halted_within_one_window_and_gives_nothing(noise: Noise, test: str) -> None:
    rig = Rig(noise)
    rig.run(1)
    assert rig.session.health.samples == 512
    assert rig.codes() == [test]
    assert rig.session.available == 0
    state, detail = rig.states()[-1]
    assert state is HealthState.FAULTY
    assert detail.startswith("halted: ")


@pytest.mark.parametrize("noise", [Noise.STUCK, Noise.ALTERNATING, Noise.BIASED, Noise.NARROW])
def test_a_source_that_goes_bad_takes_with_it_what_was_kept(noise: Noise) -> None:
    rig = Rig()
    rig.run(10)
    assert rig.session.available > 0
    rig.device.noise = noise
    rig.run(2)
    assert rig.session.available == 0
    assert rig.states()[-1][0] is HealthState.FAULTY


def test_a_source_that_degrades_slowly_is_halted_before_a_fifth_of_it_is_bias() -> None:
    rig = Rig(Noise.DEGRADING)
    # After 12,800 bytes a fifth of a source that grows 1 per mille worse every 64 bytes is one and the same byte.
    rig.run(25)
    assert rig.session.health.failure is not None
    assert rig.session.available == 0


def test_a_halted_source_stays_halted_whatever_is_unplugged() -> None:
    rig = Rig(Noise.STUCK)
    rig.run(1)
    rig.session.disconnected(rig.now_ns)
    rig.device.noise = Noise.HEALTHY
    rig.session.connected(rig.now_ns)
    rig.run(50)
    assert rig.session.available == 0
    assert [state for state, _ in rig.states()] == [HealthState.FAULTY, HealthState.LOST, HealthState.FAULTY]
    assert len(rig.codes()) == 1


def test_text_is_no_noise_and_does_not_count_as_a_broken_source() -> None:
    rig = Rig(Noise.ASCII)
    rig.run(100)
    assert rig.session.health.failure is None
    assert rig.states()[-1][0] is HealthState.FAULTY
    assert "ASCII mode" in rig.states()[-1][1]
    assert rig.session.available == 0


def test_raw_samples_are_no_noise_and_do_not_count_as_a_broken_source() -> None:
    rig = Rig(Noise.RAW)
    rig.run(100)
    assert rig.session.health.failure is None
    assert rig.states()[-1][0] is HealthState.FAULTY
    assert "raw mode" in rig.states()[-1][1]
    assert rig.session.available == 0


def test_a_generator_set_right_is_tested_from_the_beginning() -> None:
    rig = Rig()
    rig.run(3)
    # A single block of text in other noise, as a generator sends that is being switched over.
    rig.session.receive(b"0123456789\r\n" * 5 + b"0123", rig.now_ns)
    assert rig.session.available == 0
    rig.run(2)
    assert rig.session.available == 0
    rig.run(1)
    assert rig.session.available == 512
    assert [state for state, _ in rig.states()] == [HealthState.READY, HealthState.FAULTY, HealthState.READY]


def test_a_stream_cut_short_is_lost_and_what_was_kept_with_it() -> None:
    rig = Rig()
    rig.run(10)
    rig.device.noise = Noise.TRUNCATED
    rig.session.receive(b"\x00\x80" * 5, rig.now_ns)
    rig.run(150)
    assert rig.session.available == 0
    assert rig.states()[-1] == (HealthState.LOST, "no noise")
    assert any(isinstance(one, LineDisturbed) for one in rig.readings)
    rig.device.noise = Noise.HEALTHY
    rig.run(3)
    assert rig.states()[-1][0] is HealthState.READY


def test_a_stream_cut_short_before_the_start_up_tests_are_done_gives_nothing() -> None:
    rig = Rig()
    rig.run(1)
    rig.device.noise = Noise.TRUNCATED
    rig.run(200)
    assert rig.session.available == 0
    assert HealthState.READY not in [state for state, _ in rig.states()]


@given(
    steps=st.lists(st.tuples(st.sampled_from("cdrrrh"), st.binary(max_size=200), st.integers(0, 700 * MS)), max_size=40)
)
@settings(max_examples=60)
def test_any_bytes_and_calls_are_borne(steps: list[tuple[str, bytes, int]]) -> None:
    session = RngSession(CODEC)
    now_ns = 0
    for verb, data, wait_ns in steps:
        now_ns += wait_ns
        match verb:
            case "c":
                session.connected(now_ns)
            case "d":
                session.disconnected(now_ns)
                assert session.next_deadline() is None
                assert session.available == 0
            case "r":
                session.receive(data, now_ns)
            case _:
                session.handle_deadline(now_ns)
                deadline_ns = session.next_deadline()
                assert deadline_ns is None or deadline_ns > now_ns
        assert session.bytes_to_send() == b""
        assert session.available <= KEPT_BYTES
