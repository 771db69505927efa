"""The null modem and the bad line."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulators.devices.wire import LATENCY_NS, PIECE_BYTES, NullModem, SpinningError
from simulators.faults.line_faults import NO_FAULTS, Faults, Rates
from tests.devices.plain import PLAIN

BYTE_NS = 10 * 1_000_000_000 // 115_200


class Ear:
    """A host that notes what it hears and says what it is given; its readings are what happened to it."""

    def __init__(self) -> None:
        self.happened: list[tuple[int, bytes | str]] = []
        self.to_say = b""
        self.deadline_ns: int | None = None

    def connected(self, now_ns: int) -> None:
        self.happened.append((now_ns, "connected"))

    def disconnected(self, now_ns: int) -> None:
        self.happened.append((now_ns, "disconnected"))

    def receive(self, data: bytes, now_ns: int) -> None:
        self.happened.append((now_ns, data))

    def next_deadline(self) -> int | None:
        return self.deadline_ns

    def handle_deadline(self, now_ns: int) -> None:
        self.happened.append((now_ns, "deadline"))
        self.deadline_ns = None

    def bytes_to_send(self) -> bytes:
        sent, self.to_say = self.to_say, b""
        return sent

    def readings(self) -> tuple[tuple[int, bytes | str], ...]:
        taken = tuple(self.happened)
        self.happened.clear()
        return taken


class Parrot:
    """A device that says back what it hears, and says when it thinks the line idle."""

    def receive(self, data: bytes) -> bytes:
        return data

    def idle(self) -> bytes:
        return b"idle"


class Spinner(Ear):
    """A host that wants to be called at once, always."""

    def next_deadline(self) -> int | None:
        return 0


Said = tuple[int, bytes | str]


def modem(host: Ear, *, paced: bool = False, to_host: Faults | None = None) -> NullModem[Said]:
    return NullModem(host, Parrot(), PLAIN, paced=paced, to_host=to_host)


def test_there_and_back_and_then_silence() -> None:
    host = Ear()
    line = modem(host)
    host.to_say = b"hello"
    line.connect()
    line.run_until(1_000_000_000)
    assert line.readings == [
        (0, "connected"),
        (2 * LATENCY_NS, b"hello"),
        (2 * LATENCY_NS + PLAIN.idle_ns, b"idle"),
    ]
    assert line.now_ns == 1_000_000_000


def test_deadlines_are_served_on_time() -> None:
    host = Ear()
    line = modem(host)
    line.connect()
    host.deadline_ns = 77
    line.run_until(76)
    assert line.readings == [(0, "connected")]
    line.run_until(77)
    assert line.readings[1:] == [(77, "deadline")]


def test_a_paced_line_takes_its_time_and_keeps_the_order() -> None:
    host = Ear()
    line = modem(host, paced=True)
    line.connect()
    line.say(bytes(range(20)))
    line.say(b"next")
    line.run_until(1_000_000_000)
    times = [at_ns for at_ns, _ in line.readings[1:]]
    assert times == [PIECE_BYTES * BYTE_NS, 2 * PIECE_BYTES * BYTE_NS, 20 * BYTE_NS, 24 * BYTE_NS]
    assert b"".join(data for _, data in line.readings[1:] if isinstance(data, bytes)) == bytes(range(20)) + b"next"


def test_what_is_on_its_way_is_lost_with_the_line() -> None:
    host = Ear()
    line = modem(host)
    line.connect()
    line.say(b"lost")
    line.disconnect()
    line.say(b"unheard")
    line.connect()
    line.run_until(1_000_000_000)
    assert [what for _, what in line.readings] == ["connected", "disconnected", "connected"]


def test_things_planned_happen_in_order() -> None:
    host = Ear()
    line = modem(host)
    line.connect()
    line.at(50, lambda: line.say(b"b"))
    line.at(20, lambda: line.say(b"a"))
    line.run_until(10 * LATENCY_NS)
    assert [what for _, what in line.readings[1:]] == [b"a", b"b"]


def test_a_host_that_spins_is_caught() -> None:
    line = modem(Spinner())
    line.connect()
    with pytest.raises(SpinningError):
        line.run_until(10)


def test_a_bad_line_is_bad_in_the_direction_given() -> None:
    host = Ear()
    line = modem(host, to_host=Faults(random.Random(1), Rates(drop=1000)))
    host.to_say = b"hello"
    line.connect()
    line.run_until(1_000_000_000)
    assert line.readings == [(0, "connected")]


# --- faults -----------------------------------------------------------------------------------------


@given(data=st.binary(max_size=50), seed=st.integers())
def test_a_good_line_changes_nothing(data: bytes, seed: int) -> None:
    assert Faults(random.Random(seed), NO_FAULTS).disturb(data) == ((data,) if data else ())


@given(data=st.binary(min_size=1, max_size=50), seed=st.integers())
def test_each_fault_does_what_it_is_called(data: bytes, seed: int) -> None:
    def disturbed(rates: Rates) -> tuple[bytes, ...]:
        return Faults(random.Random(seed), rates).disturb(data)

    assert disturbed(Rates(drop=1000)) == ()
    assert disturbed(Rates(split=1000)) == tuple(bytes((byte,)) for byte in data)
    assert disturbed(Rates(duplicate=1000)) == (data, data)
    (flipped,) = disturbed(Rates(flip=1000))
    assert [(one ^ other).bit_count() for one, other in zip(flipped, data, strict=True)] == [1] * len(data)
    (inserted,) = disturbed(Rates(insert=1000))
    assert inserted[1::2] == data


def test_the_same_seed_gives_the_same_faults() -> None:
    rates = Rates(drop=100, flip=100, insert=100, split=100, duplicate=100)
    once, again = (Faults(random.Random(5), rates).disturb(bytes(200)) for _ in range(2))
    assert once == again != (bytes(200),)


@pytest.mark.parametrize("rate", [-1, 1001])
def test_a_rate_is_per_mille(rate: int) -> None:
    with pytest.raises(ValueError, match="per mille"):
        Rates(flip=rate)
